"""The app around its panels: menus, docks, memory, themes and cameras, by hand."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.browser.person import BOTTOM, POPUPS, TOOLBAR, WIDE, Person, person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext

    from tests.browser.lab import Lab
    from tests.browser.person import Point

OPEN = "%studio --paused --height 600"
TITLES = ("Options", "Inspector", "Hierarchy", "Console", "Profiler", "Info")
FREE = "(lambda f: [f.x, f.y, f.x + f.width, f.y + f.height])(app().layout.free)"
CURSOR = "document.querySelector('.snb-stage').style.cursor"
MODE = "viewer().page.look.mode"
LENS = "app().lenses.name"


@pytest.fixture(scope="module")
def shared(context: BrowserContext, lab: Lab) -> Iterator[Person]:
    with person(context, lab, "app", [OPEN]) as someone:
        yield someone


@pytest.fixture
def someone(shared: Person) -> Person:
    """A person who finds everything as a newcomer does, with the focus."""
    shared.starts_anew("app().set_theme('auto')", "app().lenses.choose(-3)")
    return shared


def test_menus_open_by_a_click_follow_the_mouse_and_close_by_escape(someone: Person):
    someone.click("File", TOOLBAR)
    someone.waits_to_see("Close the simulation", POPUPS)
    someone.hover("View", TOOLBAR)
    someone.waits_to_see("Put all windows back", POPUPS)
    assert "Close the simulation" not in someone.texts(POPUPS)
    someone.keep_screenshot("app menu")
    someone.press("Escape")
    someone.wait("popups() == 0")
    assert someone.has_focus()
    someone.press("Escape")
    someone.notebook.poll(lambda: not someone.has_focus(), "focus of the notebook")


def test_the_view_menu_opens_or_closes_each_window(someone: Person):
    for title in TITLES:
        was = someone.is_open(title)
        someone.choose("View", title)
        someone.wait(f"app().windows[{title!r}].open is {not was}")
    assert set(someone.windows()).isdisjoint(("Options", "Inspector", "Hierarchy"))
    someone.waits_for_window("Info")


def test_a_click_on_the_toolbar_reaches_the_simulation(someone: Person):
    was = someone.session.paused()
    someone.click("run", TOOLBAR)
    someone.session.wait_until_paused(paused=not was)
    someone.click("run", TOOLBAR)
    someone.session.wait_until_paused(paused=was)


def test_tab_folds_the_left_side_and_shift_tab_the_right_one(someone: Person):
    left, _, right, _ = someone.ask(FREE)
    someone.press("Tab")
    someone.wait(f"({FREE})[0] == 0")
    someone.press("Shift+Tab")
    someone.wait(f"({FREE})[2] > {right}")
    someone.press("Tab", "Shift+Tab")
    someone.wait(f"({FREE})[::2] == [{left}, {right}]")


def test_a_narrow_toolbar_folds_into_a_popup_that_works(someone: Person):
    someone.page.set_viewport_size({"width": 480, "height": 900})
    try:
        someone.wait("viewer().page.look.width < 400")
        someone.click("more", TOOLBAR)
        someone.waits_to_see("Real-time factor", POPUPS)
        someone.keep_screenshot("app narrow")
        someone.hover("View", POPUPS)
        someone.click("Info", POPUPS)
        someone.waits_for_window("Info")
    finally:
        someone.page.set_viewport_size(WIDE)
        someone.wait("viewer().page.look.width > 860")


def middle(someone: Person, rect: list[float]) -> Point:
    x0, y0, x1, y1 = rect
    return someone.place((x0 + x1) / 2, (y0 + y1) / 2)


def test_a_tab_is_dragged_out_of_its_dock_and_back(someone: Person):
    def tab(title: str) -> Point:
        return middle(someone, someone.ask(f"tab({title!r})"))

    out = middle(someone, someone.ask(FREE))
    someone.drag(tab("Hierarchy"), out)
    someone.wait("docks()['Hierarchy'] == 0")
    someone.keep_screenshot("app floating")
    x0, y0, x1, _ = someone.windows()["Hierarchy"]
    title_bar = someone.place((x0 + x1) / 2, y0 + 10)
    someone.drag(title_bar, tab("Inspector"), steps=20)
    someone.wait("docks()['Hierarchy'] == docks()['Inspector'] != 0")


def test_a_dock_is_widened_by_its_border_and_the_scene_turns_beside_it(
    someone: Person,
):
    x0, y0, _, y1 = someone.ask(FREE)
    border = someone.place(x0 - 1, (y0 + y1) / 2)
    someone.page.mouse.move(*border)
    someone.notebook.poll(
        lambda: someone.page.evaluate(CURSOR) == "ew-resize", "cursor of a border"
    )
    someone.drag(border, (border[0] + 60, border[1]))
    # The last move may come with the release.
    someone.wait(f"abs(({FREE})[0] - {x0 + 60}) < 9")
    before = someone.session.camera()
    x, y = middle(someone, someone.ask(FREE))
    someone.drag((x, y), (x + 80, y + 30))
    someone.notebook.poll(lambda: someone.session.camera() != before, "orbit")


def test_windows_layout_and_theme_come_back_after_a_reload_and_a_restart(
    someone: Person,
):
    left = someone.ask(FREE)[0]
    border = someone.place(left - 1, 300)
    someone.drag(border, (border[0] + 70, border[1]))
    someone.choose("View", "Console")
    someone.choose("View", "Hierarchy")
    someone.choose("View", "Theme", "Dark")
    someone.wait("viewer().ui.theme == 'dark' and 'Console' in windows()")
    wanted = someone.ask(FREE)
    someone.notebook.poll(lambda: settled(someone, wanted[0]), "layout in the memory")
    someone.notebook.poll(lambda: kept(someone), "memory in the browser")
    someone.notebook.save()

    def as_it_was() -> bool:
        same = pytest.approx(someone.ask(FREE), abs=2) == wanted
        return same and someone.ask("viewer().ui.theme") == "dark"

    someone.notebook.reload()
    someone.sits_down()
    someone.notebook.poll(as_it_was, "layout after the reload")
    someone.notebook.restart()
    someone.notebook.run_all()
    someone.sits_down()
    someone.notebook.poll(as_it_was, "layout after the restart")
    opened = {title for title in TITLES if someone.is_open(title)}
    assert opened == {"Options", "Inspector", "Console"}

    someone.choose("View", "Put all windows back")
    someone.wait(f"abs(({FREE})[0] - {left}) < 2")
    opened = {title for title in TITLES if someone.is_open(title)}
    assert opened == {"Options", "Inspector", "Hierarchy"}


def settled(someone: Person, left: float) -> bool:
    """Whether the kernel wants a layout remembered whose left side is so wide."""
    layout = someone.ask("viewer().memory.value.get('layout') or ''")
    widths = [int(width) for width in re.findall(r"SizeRef=(\d+),", layout)]
    return any(abs(width - left) <= 2 for width in widths)


def kept(someone: Person) -> bool:
    """Whether the browser has noted what the kernel wants remembered."""
    texts = someone.page.evaluate(
        """Object.entries(localStorage)
             .filter(([name]) => name.startsWith('studio_nb:memory:'))
             .map(([, text]) => text)"""
    )
    now = someone.ask("viewer().memory.value")
    return any(json.loads(text) == now for text in texts)


def test_the_theme_is_chosen_in_a_menu_or_follows_the_notebook_s(someone: Person):
    someone.choose("View", "Theme", "Dark")
    someone.wait("viewer().ui.theme == 'dark'")
    someone.notebook.poll(lambda: someone.view.toolbar_brightness() < 90, "dark")
    someone.keep_screenshot("app dark")
    someone.choose("View", "Theme", "Light")
    someone.wait("viewer().ui.theme == 'light'")
    someone.notebook.poll(lambda: someone.view.toolbar_brightness() > 200, "light")
    someone.keep_screenshot("app light")
    someone.notebook.theme("JupyterLab Dark")
    try:
        assert someone.ask("viewer().ui.theme") == "light"
        someone.choose("View", "Theme", "As the notebook")
        someone.wait("viewer().ui.theme == 'dark'")
        someone.keep_screenshot("app dark notebook")
    finally:
        someone.notebook.theme("JupyterLab Light")
    someone.wait("viewer().ui.theme == 'light'")


def test_the_window_menu_fills_the_window_and_escape_leaves_it(someone: Person):
    someone.choose("View", "Window", "Full window")
    someone.wait(f"{MODE} == 'window'")
    assert someone.view.box()["height"] == WIDE["height"]
    someone.keep_screenshot("app full window")
    someone.focus()
    someone.press("Escape")
    someone.wait(f"{MODE} == 'cell'")


def test_the_camera_is_chosen_in_the_toolbar_and_by_brackets(someone: Person):
    someone.click("camera", TOOLBAR)
    someone.click("front", POPUPS)
    someone.wait(f"{LENS} == 'front'")
    someone.focus()
    someone.press("[")
    someone.wait(f"{LENS} == 'Track body'")
    someone.press("]")
    someone.wait(f"{LENS} == 'front'")
    someone.press("Escape")
    someone.wait(f"{LENS} == 'Free'")


def test_held_keys_fly_the_camera_and_flip_nothing(someone: Person):
    someone.choose("View", "Camera", "Fly (WASD)")
    someone.wait(f"{LENS} == 'Fly (WASD)'")
    flags = "viewer().vis_options.flags.tolist()"
    before = someone.session.camera()[3:], someone.ask(flags)
    someone.focus()
    someone.page.keyboard.down("w")
    someone.notebook.poll(
        lambda: np.ptp([before[0], someone.session.camera()[3:]], axis=0).max() > 0.3,
        "flight",
    )
    someone.page.keyboard.up("w")
    assert someone.ask(flags) == before[1]


def test_the_help_opens_and_lists_every_key(someone: Person):
    someone.press("F1")
    someone.waits_to_see("Right double-click", POPUPS)
    words = someone.texts(POPUPS)
    assert {"Space", "Run or pause", "Tab", "F4", "Group of geoms"} <= {*words}
    someone.keep_screenshot("app help")
    someone.press("Escape")
    someone.wait("popups() == 0")
    assert someone.has_focus()


def test_the_console_button_of_the_bottom_row_opens_the_console(someone: Person):
    someone.click("console", BOTTOM)
    someone.waits_for_window("Console")
