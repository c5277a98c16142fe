"""What is selected in the tree is selected in the view, and the reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.browser.session import Session, opened
from tests.browser.view import View, changed

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

# A tower that fills the middle of the view, with a body far down the list.
MODEL = """xml = '''
<mujoco model="tower">
  <statistic center="0 0 1" extent="4"/>
  <asset><material name="steel" rgba=".3 .5 .8 1"/></asset>
  <worldbody>
    <light pos="0 -3 4" dir="0 1 -1"/><geom name="floor" type="plane" size="2 2 .1"/>
    <body name="base" pos="0 0 .5"><joint name="turn" axis="0 0 1"/>
      <geom name="block" type="box" size=".5 .5 .5" material="steel"/>
      <body name="top" pos="0 0 1"><geom name="cap" type="box" size=".5 .5 .5"/></body>
    </body>
    <body name="bystander" pos="1.5 0 .2"><freejoint/><geom size=".2"/></body>
  </worldbody>
  <actuator><motor name="spin" joint="turn"/></actuator>
</mujoco>'''"""
OPEN = "import studio_nb\nstudio = studio_nb.open(xml, paused=True, height=560)\nstudio"

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

for name in ("selectable", "text_unformatted", "invisible_button", "text_link",
             "input_text_with_hint"):
    watch_items(name)"""

VIEWER = "studio._session.viewer"
APP = f"next(p for p in {VIEWER}.plugins.plugins if hasattr(p, 'windows'))"
PANEL = f"{APP}.windows['Hierarchy'].panels[0]"
BASE, TOP, BYSTANDER = 1, 2, 3


class Person:
    """Someone before a view that fills the page."""

    def __init__(self, open_notebook: OpenNotebook) -> None:
        self.notebook: Notebook = opened(open_notebook, EYES, MODEL, OPEN)
        self.notebook.show(3)
        self.view = View(self.notebook)
        self.session = Session(self.notebook)
        self.view.wait_until_drawn()
        # As large as the page, and with the focus.
        self.view.page.mouse.click(*self.view.point(0.3, 0.4))
        self.view.page.keyboard.press("F11")
        self.notebook.poll(lambda: self.view.box()["height"] > 700, "full window")

    def open_hierarchy(self) -> None:
        """Has the window open, behind the Inspector."""
        is_open = f"{APP}.windows['Hierarchy'].open"
        # A view that has become wide unfolds its sides.
        self.notebook.poll(lambda: self.session.ask(is_open), "Hierarchy")

    def where(self, label: str) -> list[float]:
        """Waits until an item with that ID stays in one place; returns that."""
        ask = f"[p for l, p in places.items() if l.endswith({label!r})][:1]"
        last: list[Any] = []

        def settled() -> bool:
            nonlocal last
            before, last = last, self.notebook.evaluate(ask)
            # Panels are built anew when there is something new.
            self.notebook.evaluate(f"(places.clear(), {VIEWER}.touch())")
            return bool(last) and last == before

        self.notebook.evaluate("places.clear()")
        self.notebook.poll(settled, f"{label} in one place")
        return last[0]

    def click(self, label: str, *, dx: float | None = None, times: int = 1) -> None:
        """Clicks an item, in its middle or `dx` from its left edge."""
        low_x, low_y, high_x, high_y = self.where(label)
        box = self.view.box()
        x = (low_x + high_x) / 2 if dx is None else low_x + dx
        at = box["x"] + x, box["y"] + (low_y + high_y) / 2
        self.view.page.mouse.click(*at, click_count=times)

    def wait_for(self, expression: str, value: Any) -> None:
        self.notebook.poll(
            lambda: self.session.ask(expression) == value, f"{expression} == {value}"
        )

    def wait_for_selection(self, body: int) -> None:
        self.wait_for("studio.widget.selected_body", body)


def test_selections_go_both_ways(open_notebook: OpenNotebook):
    person = Person(open_notebook)
    person.open_hierarchy()
    # The upper block is about in the middle of what the docks leave.
    person.view.page.mouse.dblclick(*person.view.point(0.5, 0.42))
    person.wait_for_selection(TOP)
    # Its name at the lower left brings the tree up, with its row in sight. The page
    # gives it clicks once it is drawn.
    person.where("###show")
    person.view.wait_until_still()
    person.click("###show")
    person.where("###body 2")
    person.wait_for(f"tuple({PANEL}.selected)", [1, TOP])

    before = person.view.wait_until_still()
    person.click("###body 3", dx=80)
    person.wait_for_selection(BYSTANDER)
    after = person.view.wait_until_still()
    height, width, _ = after.shape
    scene = slice(100, height - 60), slice(int(0.3 * width), int(0.7 * width))
    assert changed(before[scene], after[scene]) > 0.001

    # An element of a body stands for the body; its material can be gone to.
    person.click("###geom 1", dx=120)
    person.wait_for_selection(BASE)
    person.click("##search", dx=20)
    person.notebook.poll(
        lambda: person.session.ask(f"{VIEWER}.ui.wants_keyboard"), "focus in the field"
    )
    person.view.wait_until_still()
    person.view.page.keyboard.type("spin")
    # Rows move with each letter.
    person.wait_for(f"{PANEL}._query", "spin")
    person.click("###actuator 0", dx=120)
    person.wait_for(f"{PANEL}.selected.id", 0)
    assert person.session.ask("studio.widget.selected_body") == BASE


def test_the_axes_turn_the_view_and_follow_it(open_notebook: OpenNotebook):
    person = Person(open_notebook)
    person.view.drag((0.5, 0.8), (0.55, 0.7))
    before = person.view.wait_until_still()
    low_x, low_y, high_x, high_y = person.where("###ends")
    there = slice(int(low_y), int(high_y)), slice(int(low_x), int(high_x))
    person.view.drag((0.5, 0.8), (0.7, 0.8))
    after = person.view.wait_until_still()
    assert changed(before[there], after[there]) > 0.05

    x, y = person.session.ask(
        "(lambda gizmo, axes, c: next("
        "(e.x, e.y) for e in gizmo.ends(*axes(c.azimuth, c.elevation))"
        " if e.name == '+Z'))"
        "(__import__('studio_nb.app.gizmo').app.gizmo,"
        " __import__('studio_nb.app.lenses').app.lenses.axes,"
        f" {VIEWER}.camera)"
    )
    box = person.view.box()
    middle = box["x"] + (low_x + high_x) / 2, box["y"] + (low_y + high_y) / 2
    person.view.page.mouse.click(middle[0] + x, middle[1] + y)
    person.wait_for(f"{VIEWER}.camera.elevation", -90)
    seen = person.view.wait_until_still()
    assert changed(after, seen) > 0.05
    person.view.page.mouse.click(*middle)
    person.wait_for(f"{VIEWER}.camera.orthographic", 1)
    flat = person.view.wait_until_still()
    assert changed(seen, flat) > 0.001
