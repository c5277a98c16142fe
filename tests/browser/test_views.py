"""Several views of one session: one controls, the others watch and can take over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.session import LOAD, Session, opened
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

TAKE = "Take control"
PANELS = ".snb-ui"


def watches(view: View) -> bool:
    return view.root.get_by_text(TAKE).is_visible()


def take(view: View) -> None:
    view.root.get_by_text(TAKE).click()


def press_space(view: View) -> None:
    """Has the session run or pause, where the view has the keyboard."""
    view.page.mouse.click(*view.point(0.5, 0.5))
    view.page.keyboard.press("Space")


@pytest.fixture
def pair(open_notebook: OpenNotebook) -> tuple[Notebook, View, View]:
    """Two views of a paused session in one notebook, the first in control."""
    notebook = opened(open_notebook, "%studio --height 190 --paused", "studio.widget")
    notebook.show(0)
    views = View(notebook, 0), View(notebook, 1)
    for view in views:
        view.wait_until_drawn()
    # While the cells run and scroll, either may have been the first that was seen.
    notebook.poll(lambda: any(watches(view) for view in views), "view that watches")
    if watches(views[0]):
        take(views[0])
    notebook.poll(lambda: watches(views[1]), "second view that watches")
    assert not watches(views[0])
    return notebook, *views


def test_a_view_that_is_alone_says_nothing_of_control(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio --height 190 --paused")
    view = View(notebook)
    view.wait_until_drawn()
    notebook.save()
    notebook.reload()
    view.wait_until_drawn()
    assert not watches(view)
    press_space(view)
    Session(notebook).wait_until_paused(paused=False)


def test_a_watching_view_has_its_own_camera_and_no_panels(pair):
    notebook, first, second = pair
    session = Session(notebook)
    before, still = session.camera(), first.wait_until_still()
    picture = second.wait_until_still()
    second.drag((0.4, 0.5), (0.7, 0.5))
    second.wait_until_changed(picture)
    assert not second.root.locator(PANELS).is_visible()
    press_space(second)
    first.drag((0.5, 0.5), (0.5, 0.6))
    notebook.poll(lambda: session.camera() != before, "camera of the controlling view")
    assert session.camera()[0] == pytest.approx(before[0])
    assert session.paused()
    first.wait_until_changed(still)


def test_taking_control_moves_the_panels_and_continues_from_that_camera(pair):
    notebook, first, second = pair
    session = Session(notebook)
    azimuth = session.camera()[0]
    second.drag((0.4, 0.5), (0.7, 0.5))
    second.wait_until_still()
    take(second)
    notebook.poll(lambda: watches(first), "first view that watches")
    assert not watches(second)
    notebook.poll(lambda: session.camera()[0] != azimuth, "camera of the second view")
    taken = session.camera()
    press_space(second)
    session.wait_until_paused(paused=False)
    # Each goes on moving.
    for view in (first, second):
        view.wait_until_changed(view.pixels())
    assert session.camera() == pytest.approx(taken)
    # The first kept the camera that it had.
    take(first)
    notebook.poll(lambda: watches(second), "second view that watches")
    notebook.poll(
        lambda: session.camera()[0] == pytest.approx(azimuth), "camera of the first"
    )


def test_a_controlling_view_that_goes_leaves_control_to_the_other(pair):
    notebook, _, second = pair
    notebook.script("panel.content.widgets[1].model.clearExecution();")
    alone = View(notebook, 0)
    notebook.poll(lambda: notebook.page.locator(".snb-view").count() == 1, "one view")
    notebook.poll(lambda: not watches(alone), "view that controls")
    press_space(alone)
    Session(notebook).wait_until_paused(paused=False)
    del second


def test_two_browser_tabs_share_a_session(open_notebook: OpenNotebook, open_path):
    notebook = open_notebook([LOAD, "%studio --height 190 --paused"])
    notebook.run_all()
    view = View(notebook)
    view.wait_until_drawn()
    notebook.save()
    path = notebook.script("return panel.context.path;")
    other = open_path(path)
    there = View(other)
    there.wait_until_drawn()
    other.poll(lambda: watches(there), "view that watches")
    assert not watches(view)
    session = Session(notebook)
    azimuth = session.camera()[0]
    there.drag((0.4, 0.5), (0.7, 0.5))
    there.wait_until_still()
    assert session.camera()[0] == pytest.approx(azimuth)
    take(there)
    notebook.poll(lambda: watches(view), "first tab that watches")
    notebook.poll(lambda: session.camera()[0] != pytest.approx(azimuth), "its camera")
    press_space(there)
    session.wait_until_paused(paused=False)
    for shown in (view, there):
        shown.wait_until_changed(shown.pixels())
    # A tab that is left gives control back, and watches when it returns.
    other.page.goto("about:blank")
    notebook.poll(lambda: not watches(view), "first tab that controls")
    other.page.go_back()
    other.wait_until_open()
    other.poll(lambda: watches(there), "tab that watches")
