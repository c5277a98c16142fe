"""A person before the app in a cell: finds what is drawn by its words, and uses it.

`EYES` is the first cell of such a notebook: it has the kernel note where each item of
Dear ImGui is, and in which window. All else goes the way of mouse and keyboard.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from tests.browser.notebook import Notebook
from tests.browser.session import LOAD, Session
from tests.browser.view import View

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from playwright.sync_api import BrowserContext, ViewportSize

    from tests.browser.lab import Lab

    Point = tuple[float, float]
    # A part of the name of an item's window, or one of several.
    Where = str | tuple[str, ...]

# An item is known by its words, or by what stands behind "###" for them.
EYES = """from imgui_bundle import imgui

drawing, seen, frames = [], [], 0

def watch(name):
    draw = getattr(imgui, name)

    def drawn(label, *args, **kwargs):
        window = imgui.internal.get_current_window().name
        result = draw(label, *args, **kwargs)
        if imgui.is_item_visible():
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            drawing.append((label, window, [low.x, low.y, high.x, high.y]))
        return result

    setattr(imgui, name, drawn)

for name in ("button", "small_button", "checkbox", "selectable", "begin_menu",
             "menu_item_simple", "collapsing_header", "input_text_with_hint",
             "begin_combo", "text_unformatted", "text_disabled", "text_wrapped"):
    watch(name)

render = imgui.render

def rendered():
    global drawing, seen, frames
    render()
    drawing, seen, frames = [], drawing, frames + 1

imgui.render = rendered

def viewer():
    return studio._session.viewer

def app():
    return next(p for p in viewer().plugins.plugins if hasattr(p, "windows"))

def look():
    viewer().touch()
    return frames

def within(where):
    names = [where] if isinstance(where, str) else where
    return [item for item in seen if any(name in item[1] for name in names)]

def find(words, where):
    for label, _, rect in within(where):
        shown, _, rest = label.partition("##")
        if words in (label, shown, rest.lstrip("#")):
            return rect

def texts(where):
    return [label.partition("##")[0] for label, _, _ in within(where)]

def windows():
    with viewer().ui.current() as context:
        return {
            w.name: [w.pos.x, w.pos.y, w.pos.x + w.size.x, w.pos.y + w.size.y]
            for w in context.windows if w.active and not w.hidden
        }

def popups():
    with viewer().ui.current() as context:
        return context.open_popup_stack.size()

def docks():
    with viewer().ui.current() as context:
        return {w.name: w.dock_id for w in context.windows if w.active}

def tab(title):
    with viewer().ui.current():
        window = imgui.internal.find_window_by_name(title)
        bar = window.dock_node.tab_bar
        at = next(t for t in bar.tabs if t.window.name == title)
        left, rect = bar.bar_rect.min.x + at.offset, bar.bar_rect
        return [left, rect.min.y, left + at.width, rect.max.y]
"""
# What Dear ImGui calls the windows of its popups.
POPUPS = ("##Popup", "##Menu", "##Combo")
TOOLBAR = "###toolbar"
BOTTOM = "###bottom"
WIDE: ViewportSize = {"width": 1280, "height": 900}


class Person:
    """Someone at the page, with a viewer in sight."""

    def __init__(self, notebook: Notebook) -> None:
        """Sits down before a notebook whose first viewer is to be used."""
        self.notebook = notebook
        self.page = notebook.page
        self.view = View(notebook)
        self.session = Session(notebook)

    # -- seeing ----------------------------------------------------------------

    def ask(self, expression: str) -> Any:
        """The value of an expression in the kernel, where `EYES` has its names."""
        return self.notebook.evaluate(expression)

    def wait(self, expression: str, timeout_s: float = 20) -> Any:
        """Waits until an expression in the kernel is true, and returns its value."""
        return self.notebook.poll(lambda: self.ask(expression), expression, timeout_s)

    def item(self, words: str, where: Where = "") -> list[float]:
        """Waits for an item in a window; returns its rectangle in the view."""
        last = self.ask("look()")
        return self.wait(f"frames > {last} and find({words!r}, {where!r})")

    def texts(self, where: Where = "") -> list[str]:
        """All words that are drawn in a window now."""
        last = self.ask("look()")
        return self.wait(f"frames > {last} and [texts({where!r})]")[0]

    def waits_to_see(self, words: str, where: Where = "") -> str:
        """Waits until a text that has these words is drawn, and returns it."""

        def found() -> str:
            return next((text for text in self.texts(where) if words in text), "")

        return self.notebook.poll(found, f"the words {words!r}")

    def windows(self) -> dict[str, list[float]]:
        """The windows that are drawn, with their rectangles."""
        return self.ask("windows()")

    def is_open(self, title: str) -> bool:
        """Tells whether one of the app's windows is open, perhaps behind another."""
        return self.ask(f"app().windows[{title!r}].open")

    def waits_for_window(self, title: str, *, there: bool = True) -> None:
        """Waits until one of the app's windows is drawn, or not any more."""
        what = f"window {title} {'open' if there else 'closed'}"
        self.notebook.poll(lambda: (title in self.windows()) is there, what)

    def popups(self) -> int:
        """How many popups are open."""
        return self.ask("popups()")

    def place(self, x: float, y: float) -> Point:
        """A place in the view, CSS pixels from its top left, on the page."""
        box = self.view.box()
        edge = self.view.root.evaluate("root => root.clientTop")
        return box["x"] + edge + x, box["y"] + edge + y

    # -- doing -----------------------------------------------------------------

    def hover(self, words: str, where: Where = "") -> None:
        """Moves the mouse onto an item."""
        self.page.mouse.move(*self.centre(words, where))

    def click(self, words: str, where: Where = "") -> None:
        """Clicks an item."""
        self.page.mouse.click(*self.centre(words, where))

    def centre(self, words: str, where: Where = "") -> Point:
        """The middle of an item, on the page."""
        x0, y0, x1, y1 = self.item(words, where)
        return self.place((x0 + x1) / 2, (y0 + y1) / 2)

    def choose(self, *path: str) -> None:
        """Goes through a menu of the toolbar, from its title to a line of it."""
        self.click(path[0], TOOLBAR)
        if not self._menu_opens():
            # As a person does whose click met the page while it changed.
            self.click(path[0], TOOLBAR)
        for words in path[1:-1]:
            self.hover(words, POPUPS)
        self.click(path[-1], POPUPS)
        self.wait("popups() == 0")

    def _menu_opens(self) -> bool:
        try:
            self.notebook.poll(lambda: self.ask("popups()") > 0, "a menu", 4)
        except AssertionError:
            return False
        return True

    def sits_down(self) -> None:
        """Gives the page to the notebook, and waits for the view's picture."""
        self.notebook.script("jupyterapp.shell.collapseLeft();")
        self.view.root.scroll_into_view_if_needed()
        self.view.wait_until_drawn()

    def starts_anew(self, *steps: str) -> None:
        """Puts all as a newcomer finds it, and takes the focus.

        Args:
            steps: More expressions that undo what others did.
        """
        self.page.mouse.move(2, 2)
        undone = ["app().reset_layout()", *steps, "viewer().ui.touch()", "look()"]
        self.ask(f"[{', '.join(undone)}][-1]")
        self.wait("not viewer().ui.unsettled and 'Inspector' in windows()", 40)
        self.focus()

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def drag(self, start: Point, end: Point, steps: int = 10) -> None:
        """Drags between two places on the page."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=steps)
        mouse.up()

    def focus(self) -> None:
        """Clicks into the middle of the scene, so that keys go to the view."""
        free = self.ask("(lambda f: [f.x, f.y, f.width, f.height])(app().layout.free)")
        x, y, width, height = free
        self.page.mouse.click(*self.place(x + width / 2, y + height / 2))
        self.notebook.poll(self.has_focus, "focus in the view")

    def has_focus(self) -> bool:
        """Tells whether keys go to the view."""
        return self.page.evaluate("document.activeElement?.className === 'snb-keys'")

    def keep_screenshot(self, name: str) -> None:
        """Keeps a picture of the view for eyes, once it stands still."""
        self.page.mouse.move(2, 2)
        self.view.wait_until_still()
        self.notebook.keep_screenshot(name)


@contextlib.contextmanager
def person(
    context: BrowserContext, lab: Lab, name: str, cells: Sequence[str]
) -> Generator[Person]:
    """A person before a notebook that many tests share, in a wide page.

    Args:
        context: The browser's.
        lab: The server.
        name: Of the notebook.
        cells: What to run behind `LOAD` and `EYES`; one of them shows a view.
    """
    path = lab.write_notebook(name, [LOAD, EYES, *cells])
    notebook = Notebook(context.new_page(), lab, path)
    try:
        notebook.page.set_viewport_size(WIDE)
        notebook.run_all()
        someone = Person(notebook)
        someone.sits_down()
        yield someone
    finally:
        notebook.keep_screenshot(name)
        notebook.close()
    assert not notebook.errors, f"uncaught errors in the page: {notebook.errors}"
