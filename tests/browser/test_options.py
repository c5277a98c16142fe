"""What a person does in the Options' sections is in the simulation, or the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.browser.session import Session, opened
from tests.browser.test_inspector import EYES
from tests.browser.view import View, changed

if TYPE_CHECKING:
    import numpy as np

    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

# A ball that lies on the ground, far things in fog, and a key to go to.
MODEL = """xml = '''
<mujoco model="options">
  <visual><headlight ambient=".1 .1 .1" diffuse=".2 .2 .2"/></visual>
  <statistic extent="2" center="0 0 .4"/>
  <worldbody>
    <light pos="1 -1 3" dir="-.3 .3 -1" diffuse=".5 .5 .5"/>
    <geom name="floor" type="plane" size="3 3 .1" rgba=".5 .6 .5 1"/>
    <body name="ball" pos="0 0 .3"><freejoint/>
      <geom size=".3" rgba=".8 .3 .2 1"/></body>
    <body pos=".6 .8 .4"><geom type="box" size=".3 .3 .4" rgba=".2 .4 .8 1"/></body>
  </worldbody>
  <keyframe><key name="high" qpos="0 0 2 1 0 0 0"/></keyframe>
</mujoco>'''"""
OPEN = "import studio_nb\nstudio = studio_nb.open(xml, paused=True, height=600)\nstudio"

SECTIONS = ("Simulation", "Physics", "Rendering", "Groups", "Visualization")
VIEWER = "studio._session.viewer"
PLUGINS = f"{VIEWER}.plugins.plugins"
WINDOW = f"next(p for p in {PLUGINS} if hasattr(p, 'windows')).windows['Options']"
# Where popups are: the picker of a colour.
POPUPS = """
watch_items("selectable")
watch_items("drag_int")

def popups(viewer):
    with viewer.ui.current() as context:
        return [[w.pos.x, w.pos.y, w.size.x, w.size.y] for w in context.windows
                if w.active and not w.hidden and w.name.startswith("##Popup")]
"""
# How much of the picture at the right of the Options must change to be seen.
SHARE = 0.01


class Options:
    """The window, with a person before it."""

    def __init__(self, open_notebook: OpenNotebook) -> None:
        self.notebook: Notebook = opened(open_notebook, EYES, POPUPS, MODEL, OPEN)
        self.notebook.show(4)
        self.view = View(self.notebook)
        self.session = Session(self.notebook)
        self.view.wait_until_drawn()
        # As large as the page, and with the focus.
        self.view.page.mouse.click(*self.view.point(0.5, 0.6))
        self.view.page.keyboard.press("F11")
        self.notebook.poll(lambda: self.view.box()["height"] > 700, "full window")
        # It starts folded where the cell is narrow.
        self.session.ask(f"[setattr({WINDOW}, 'open', True), {VIEWER}.touch()]")
        self.view.wait_until_still()

    _turns = 0

    def where(self, label: str) -> list[float]:
        """Waits for an item whose label is this; returns its rectangle."""
        # What was drawn before a fold moved: the next frame tells where it is now.
        self.notebook.evaluate("places.clear()")
        # The page tells of moves over panels only; moves differ, so that each is one.
        self._turns = (self._turns + 1) % 2
        self.view.page.mouse.move(*self.view.point(0.08, 0.9 + 0.01 * self._turns))
        ask = f"[p for l, p in places.items() if l.split('##')[0] == {label!r}][:1]"
        if label.startswith("##"):
            ask = f"[p for l, p in places.items() if l == {label!r}][:1]"
        return self.notebook.poll(lambda: self.notebook.evaluate(ask), label)[0]

    def on_page(self, x: float, y: float) -> tuple[float, float]:
        box = self.view.box()
        return box["x"] + x, box["y"] + y

    def click(self, label: str, share: float = 0.5) -> None:
        x0, y0, x1, y1 = self.where(label)
        place = self.on_page(x0 + share * (x1 - x0), (y0 + y1) / 2)
        self.view.page.mouse.click(*place)

    def type(self, label: str, text: str) -> None:
        """Types into a field: a double click opens one that is dragged."""
        x0, y0, x1, y1 = self.where(label)
        self.view.page.mouse.dblclick(*self.on_page((x0 + x1) / 2, (y0 + y1) / 2))
        asks = f"{VIEWER}.ui.wants_keyboard"
        self.notebook.poll(lambda: self.session.ask(asks), "focus in the field")
        self.view.wait_until_still()
        self.view.page.keyboard.press("Control+A")
        self.view.page.keyboard.type(text)
        self.view.page.keyboard.press("Enter")

    def search(self, text: str) -> None:
        """Shows one field alone, wherever it is folded."""
        self.type("##filter", text)
        self.where(text)

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

    def choose(self, label: str, name: str) -> None:
        """Opens the list of a row, and takes one of the names."""
        x0, y0, _, y1 = self.where(label)
        self.view.page.mouse.click(*self.on_page(x0 + 160, (y0 + y1) / 2))
        # The list is laid out once unseen, elsewhere.
        self.view.wait_until_still()
        self.click(name)

    def pick_white(self, label: str) -> None:
        """Takes white, which is the corner of the picker's square."""
        x0, y0, _, y1 = self.where(label)
        self.view.page.mouse.click(*self.on_page(x0 + 118, (y0 + y1) / 2))
        ask = f"popups({VIEWER})"
        x, y, _, _ = self.notebook.poll(lambda: self.session.ask(ask), "picker")[0]
        # From a colour to the corner: the square takes what lies beyond it, too.
        self.view.page.mouse.move(*self.on_page(x + 40, y + 60))
        self.view.page.mouse.down()
        self.view.page.mouse.move(*self.on_page(x + 2, y + 2), steps=6)
        self.view.page.mouse.up()
        self.view.page.keyboard.press("Escape")

    def sim(self, expression: str) -> Any:
        """The value of an expression of the model m and the data d."""
        return self.session.ask(f"studio.call(lambda m, d: {expression})")

    def wait(self, expression: str) -> None:
        """Waits until an expression of the simulation is true."""
        self.notebook.poll(lambda: self.sim(f"bool({expression})"), expression)

    def scene(self) -> np.ndarray:
        """The picture between the panels, once it is still."""
        return self.between(self.view.wait_until_still())

    def between(self, pixels: np.ndarray) -> np.ndarray:
        height, width = pixels.shape[:2]
        return pixels[60 : height - 60, int(0.35 * width) : int(0.65 * width)]

    def wait_for_change(self, before: np.ndarray, share: float = SHARE) -> np.ndarray:
        """Waits until the scene looks otherwise; returns how."""
        self.notebook.poll(
            lambda: changed(before, self.between(self.view.pixels())) > share,
            "another picture",
        )
        return self.scene()


def test_the_simulation_is_run_stepped_and_its_keys_are_kept(
    open_notebook: OpenNotebook,
):
    options = Options(open_notebook)
    options.unfold("Simulation")
    options.click("Run")
    options.session.wait_until_paused(paused=False)
    options.click("Pause")
    options.session.wait_until_paused(paused=True)
    time = options.sim("d.time")
    options.click("Step")
    options.wait(f"abs(d.time - {time!r} - m.opt.timestep) < 1e-9")
    options.choose("keyframe", "high")
    options.click("Load")
    options.wait("abs(d.qpos[2] - 2) < 1e-9")
    options.session.ask("studio.call(lambda m, d: d.qpos.__setitem__(0, .25))")
    options.session.ask("studio.step()")
    options.click("Save")
    options.wait("m.key_qpos[0, 0] == .25")
    options.type("##threads", "1")
    options.session.ask("studio.step()")
    options.choose("speed", "25 %")
    options.notebook.poll(lambda: options.session.ask("studio.speed") == 25, "speed")


def test_physics_is_the_simulation_s(open_notebook: OpenNotebook):
    options = Options(open_notebook)
    options.unfold("Physics")
    options.type("##timestep", "0.004")
    options.wait("m.opt.timestep == 0.004")
    options.type("##timestep", "-1")
    options.wait("0 < m.opt.timestep < 0.004")
    options.choose("integrator", "rk4")
    options.wait("m.opt.integrator == 1")
    options.search("viscosity")
    options.type("##viscosity", "0.5")
    options.wait("m.opt.viscosity == 0.5")
    options.search("gravity")
    options.click("gravity", share=0.1)
    options.wait("m.opt.disableflags == 128")


def test_flags_and_groups_are_in_the_picture(open_notebook: OpenNotebook):
    options = Options(open_notebook)
    options.unfold("Rendering")
    picture = options.scene()
    options.click("Shadow", share=0.1)
    without = options.wait_for_change(picture)
    options.click("Wireframe", share=0.1)
    options.wait_for_change(without)
    options.click("Wireframe", share=0.1)
    options.click("Shadow", share=0.1)
    shadow_and_wireframe = f"list({VIEWER}.render_flags.flags)[:2] == [1, 0]"
    options.notebook.poll(
        lambda: options.session.ask(shadow_and_wireframe), "flags as before"
    )
    picture = options.scene()
    options.choose("label", "Geom")
    options.wait_for_change(picture, share=0.001)
    options.choose("label", "None")

    options.unfold("Groups")
    picture = options.scene()
    column, row = options.where("##0"), options.where("geoms")
    place = options.on_page(column[0] + 8, (row[1] + row[3]) / 2)
    options.view.page.mouse.click(*place)
    options.wait_for_change(picture)


def test_visual_settings_are_in_the_picture_also_while_paused(
    open_notebook: OpenNotebook,
):
    options = Options(open_notebook)
    options.session.ask("studio.run(0.2)")
    options.unfold("Rendering")
    options.click("Contact point", share=0.1)
    options.unfold("Visualization")
    picture = options.scene()

    options.pick_white("ambient")
    bright = options.wait_for_change(picture)
    assert bright.mean() > picture.mean() + 20

    options.search("fovy")
    options.type("##fovy", "80")
    wide = options.wait_for_change(bright)
    options.type("##fovy", "45")
    options.wait_for_change(wide)

    options.search("contactwidth")
    before = options.scene()
    options.type("##contactwidth", "4")
    options.wait_for_change(before)

    options.search("contactpoint")
    before = options.scene()
    options.pick_white("contactpoint")
    options.wait_for_change(before)

    options.search("znear")
    before = options.scene()
    options.type("##znear", "2")
    options.wait_for_change(before)
    assert options.sim("m.vis.map.znear") < 0.1
