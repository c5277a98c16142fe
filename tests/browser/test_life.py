"""Sessions begin, are replaced and end; a view is never silently dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.session import Session, opened
from tests.browser.view import VIEW, View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook

THREADS = "sorted(t.name for t in __import__('threading').enumerate())"


def test_a_cell_that_is_run_again_replaces_its_session(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio", "first = studio; first.pause()")
    View(notebook).wait_until_drawn()
    threads = notebook.evaluate(THREADS)
    notebook.run(1)
    picture = View(notebook).wait_until_drawn()
    View(notebook).wait_until_changed(picture)
    assert notebook.evaluate("studio is first") is False
    assert notebook.page.locator(VIEW).count() == 1
    notebook.poll(
        lambda: notebook.evaluate(THREADS) == threads, "end of the first's threads"
    )


def test_a_page_that_is_reloaded_shows_the_view_again(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio")
    View(notebook).wait_until_drawn()
    notebook.save()
    notebook.reload()
    picture = View(notebook).wait_until_drawn()
    View(notebook).wait_until_changed(picture)
    assert not Session(notebook).paused()


def test_after_a_kernel_restart_the_view_says_what_to_do(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio")
    view = View(notebook)
    view.wait_until_drawn()
    notebook.restart()
    notebook.poll(lambda: "Run the cell again" in view.text(), "word of the view")
    view.wait_until_drawn()
    notebook.run_all()
    picture = View(notebook).wait_until_drawn()
    View(notebook).wait_until_changed(picture)


def test_restart_and_run_all_with_three_viewers(open_notebook: OpenNotebook):
    cells = [f"%studio --name s{i} --height 220" for i in range(3)]
    notebook = opened(open_notebook, *cells)
    for index in range(3):
        View(notebook, index).wait_until_drawn()
    notebook.restart()
    notebook.run_all()
    for index in range(3):
        view = View(notebook, index)
        picture = view.wait_until_drawn()
        view.wait_until_changed(picture)
    assert notebook.page.locator(VIEW).count() == 3


def test_a_closed_session_keeps_its_last_picture_and_says_so(
    open_notebook: OpenNotebook,
):
    notebook = opened(open_notebook, "%studio")
    view = View(notebook)
    view.wait_until_drawn()
    notebook.evaluate("studio.close()")
    notebook.poll(lambda: "closed" in view.text().lower(), "word of the view")
    view.wait_until_drawn()
    assert notebook.evaluate("list(__import__('studio_nb').sessions())") == []


def test_an_interrupt_stops_the_cell_and_not_the_session(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio")
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    notebook.set_source(1, "print('started')\nwhile True: pass")
    notebook.run(1, wait=False)
    notebook.poll(lambda: "started" in notebook.text(1), "start of the cell")
    notebook.interrupt()
    notebook.poll(lambda: not notebook.running(), "end of the cell")
    assert "KeyboardInterrupt" in notebook.text(1)
    start = session.time()
    notebook.poll(lambda: session.time() > start, "simulation that goes on")


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%studio nowhere/robot.xml", "nowhere/robot.xml"),
        ("%studio --hieght 300", "--hieght"),
        ("%%studio\n<mujoco><worldbody><geom typ='box'/></worldbody></mujoco>", "typ"),
        (
            "%%studio\n<mujoco><asset><mesh file='gone.obj'/></asset></mujoco>",
            "gone.obj",
        ),
    ],
)
def test_a_mistake_is_answered_shortly_and_a_running_session_goes_on(
    open_notebook: OpenNotebook, cell: str, words: str
):
    notebook = opened(open_notebook, "%studio", "pass")
    notebook.set_source(2, cell)
    notebook.run(2, check=False)
    answer = notebook.text(2)
    assert words in answer
    assert "studio_nb/" not in answer
    assert len(answer.splitlines()) < 12
    session = Session(notebook)
    start = session.time()
    notebook.poll(lambda: session.time() > start, "simulation that goes on")
