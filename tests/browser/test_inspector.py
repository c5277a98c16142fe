"""What a person does in the Inspector's sections happens in the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.browser.session import Session, opened
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

# A robot's joint, a swing that is held by a constraint, and a rope.
MODEL = """xml = '''
<mujoco model="bench">
  <worldbody>
    <light pos="0 0 3"/><site name="hook" pos="0 0 2"/>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" axis="0 1 0" range="-90 90" damping="1"/>
      <geom size=".05" fromto="0 0 0 .5 0 0" type="capsule"/>
      <site name="tip" pos=".5 0 0"/></body>
    <body name="swing" pos="0 1 1"><joint name="pivot" axis="1 0 0"/>
      <geom size=".1" pos="0 .3 0"/></body>
  </worldbody>
  <tendon><spatial name="rope"><site site="hook"/><site site="tip"/></spatial></tendon>
  <equality><weld name="glue" body1="swing"/></equality>
  <actuator><motor name="lift" joint="elbow" ctrlrange="-2 2"/></actuator>
  <sensor><jointpos name="angle" joint="elbow"/></sensor>
</mujoco>'''"""
OPEN = "import studio_nb\nstudio = studio_nb.open(xml, paused=True, height=600)\nstudio"

# Notes where each item is, as eyes would.
EYES = """from imgui_bundle import imgui

places = {}

def watch_items(name):
    draw = getattr(imgui, name)

    def drawn(label, *args, **kwargs):
        result = draw(label, *args, **kwargs)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places[label] = [low.x, low.y, high.x, high.y]
        return result

    setattr(imgui, name, drawn)

for name in ("slider_float", "drag_float", "checkbox", "button", "small_button",
             "collapsing_header", "input_text_with_hint", "tree_node_ex",
             "text_unformatted", "text_disabled", "text_wrapped", "menu_item_simple"):
    watch_items(name)"""

SECTIONS = (
    "Joints", "Controls", "Sensors", "Watch", "State", "Equality", "Tendons", "Noise",
)  # fmt: skip
PLUGINS = "studio._session.viewer.plugins.plugins"
WINDOW = f"next(p for p in {PLUGINS} if hasattr(p, 'windows')).windows['Inspector']"


class Inspector:
    """The window, with a person before it."""

    def __init__(self, open_notebook: OpenNotebook) -> None:
        self.notebook: Notebook = opened(open_notebook, EYES, MODEL, OPEN)
        self.notebook.show(3)
        self.view = View(self.notebook)
        self.session = Session(self.notebook)
        self.view.wait_until_drawn()
        # As large as the page, and with the focus.
        self.view.page.mouse.click(*self.view.point(0.3, 0.6))
        self.view.page.keyboard.press("F11")
        self.notebook.poll(lambda: self.view.box()["height"] > 700, "full window")
        # A view that has become wide unfolds its sides.
        self.notebook.poll(lambda: self.session.ask(f"{WINDOW}.open"), "Inspector")

    def where(self, label: str) -> list[float]:
        """Waits for an item whose label begins so; returns its rectangle."""
        ask = f"[p for l, p in places.items() if l.startswith({label!r})][:1]"
        return self.notebook.poll(lambda: self.notebook.evaluate(ask), label)[0]

    def point(self, label: str, share: float = 0.5) -> tuple[float, float]:
        """A place on an item, by the share of its width, on the page."""
        # What was drawn before a fold moved: the next frame tells where it is now.
        self.notebook.evaluate("places.clear()")
        # The page tells of moves over panels only.
        self.view.page.mouse.move(*self.view.point(0.93, 0.9 + 0.01 * self.turn()))
        low_x, low_y, high_x, high_y = self.where(label)
        box = self.view.box()
        x = low_x + share * (high_x - low_x)
        return box["x"] + x, box["y"] + (low_y + high_y) / 2

    _turns = 0

    def turn(self) -> int:
        """Moves of the mouse differ, so that each is one."""
        self._turns += 1
        return self._turns % 2

    def click(self, label: str, share: float = 0.5) -> None:
        self.view.page.mouse.click(*self.point(label, share))

    def type(self, label: str, text: str) -> None:
        """Types a line into a field, once the page knows that one is open."""
        self.click(label)
        asks = "studio._session.viewer.ui.wants_keyboard"
        self.notebook.poll(lambda: self.session.ask(asks), "focus in the field")
        self.view.wait_until_still()
        self.view.page.keyboard.type(text)
        self.view.page.keyboard.press("Enter")

    def drag(self, label: str, start: float, end: float) -> None:
        mouse = self.view.page.mouse
        # A section that opens moves others, and itself into sight.
        self.view.wait_until_still()
        here, there = self.point(label, start), self.point(label, end)
        mouse.move(*here)
        mouse.down()
        mouse.move(*there, steps=6)
        mouse.up()

    def unfold(self, section: str) -> None:
        """Folds all others by their headers, and unfolds this one."""
        for title in SECTIONS:
            if (title in self.unfolded()) != (title == section):
                self.click(title, share=0.3)
                self.notebook.poll(
                    lambda t=title: (t in self.unfolded()) == (t == section),
                    f"section {title} folded or not",
                )

    def unfolded(self) -> list[str]:
        return self.session.ask(f"sorted({WINDOW}.unfolded)")

    def sim(self, expression: str) -> Any:
        """The value of an expression of the model m and the data d."""
        return self.session.ask(f"studio.call(lambda m, d: {expression})")

    def wait(self, expression: str) -> None:
        """Waits until an expression of the simulation is true."""
        self.notebook.poll(lambda: self.sim(f"bool({expression})"), expression)


def test_joints_controls_and_state_are_set(open_notebook: OpenNotebook):
    inspector = Inspector(open_notebook)
    inspector.unfold("Joints")
    inspector.drag("##0", 0.5, 0.75)
    inspector.wait("0.5 < d.qpos[0] < 1.2")
    inspector.click("elbow")
    inspector.notebook.poll(
        lambda: inspector.session.ask("studio.widget.selected_body") == 1,
        "selection of the joint's body",
    )

    inspector.unfold("Controls")
    inspector.drag("##0", 0.5, 0.9)
    inspector.wait("d.ctrl[0] > 1")
    inspector.session.ask("studio.run(0.1)")
    inspector.wait("d.actuator_force[0] > 1")
    inspector.click("Zero all")
    inspector.wait("d.ctrl[0] == 0")

    inspector.unfold("State")
    before = inspector.sim("d.qpos[1]")
    inspector.drag("##2.1", 0.3, 0.9)
    inspector.wait(f"d.qpos[1] != {before!r}")


def test_sensors_and_watches_are_plotted_while_it_runs(open_notebook: OpenNotebook):
    inspector = Inspector(open_notebook)
    inspector.unfold("Sensors")
    inspector.click("angle##0", share=0.1)
    picture = inspector.view.wait_until_still()
    inspector.session.ask("studio.play()")
    inspector.view.wait_until_changed(picture)

    inspector.session.ask("studio.pause()")

    inspector.unfold("Watch")
    inspector.type("##expression", "qpos[elbow]")
    inspector.where("qpos[elbow]")
    angle = inspector.sim("d.qpos[0]")
    inspector.where(f"{angle:+.4f}")
    inspector.type("##expression", "qposs")
    inspector.where("mjModel has no field 'qposs': did you mean qpos?")


def test_constraints_tendons_and_noise(open_notebook: OpenNotebook):
    inspector = Inspector(open_notebook)
    inspector.unfold("Equality")
    inspector.click("glue##0", share=0.1)
    inspector.wait("not d.eq_active[0]")

    inspector.unfold("Tendons")
    inspector.click("rope###0", share=0.05)
    length = inspector.sim("d.ten_length[0]")
    inspector.where(f"{length:+.4f} m")
    inspector.where("not limited")

    inspector.unfold("Noise")
    inspector.drag("##scale", 0.05, 0.9)
    inspector.drag("##rate", 0.05, 0.5)
    inspector.session.ask("studio.play()")
    inspector.wait("d.ctrl[0] != 0")
