"""The timeline in the cell: back along what was recorded, and on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.session import Session, opened
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

FROM_BOTTOM_PX = 14  # the middle of the row at the bottom
TOWARDS_RIGHT, TOWARDS_LEFT = 0.4, 0.2  # of the view's width, both on the track


def started(open_notebook: OpenNotebook) -> tuple[Notebook, View, Session]:
    """A humanoid that has fallen for a while, and stands still."""
    notebook = opened(open_notebook, "%studio --paused")
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    notebook.evaluate("studio.run(2)")
    return notebook, view, session


def drag_timeline(view: View) -> None:
    """Drags from the middle of the timeline to the left, as a person does."""
    box = view.box()
    y = box["y"] + box["height"] - FROM_BOTTOM_PX
    mouse = view.page.mouse
    mouse.move(box["x"] + TOWARDS_RIGHT * box["width"], y)
    mouse.down()
    mouse.move(box["x"] + TOWARDS_LEFT * box["width"], y, steps=8)
    mouse.up()


def test_dragging_goes_back_and_playing_goes_on(open_notebook: OpenNotebook):
    notebook, view, session = started(open_notebook)
    fallen = view.wait_until_still()
    recorded = session.ask("len(studio.history)")
    drag_timeline(view)
    notebook.poll(lambda: 0 < session.time() < 1, "an earlier time")
    view.wait_until_changed(fallen, share=0.005)
    view.wait_until_still()
    earlier = session.time()
    assert session.paused()
    assert session.ask("len(studio.history)") == recorded
    box = view.box()
    # The scene takes the keys once it was clicked.
    view.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    view.page.keyboard.press("Space")
    notebook.poll(lambda: session.time() > earlier + 0.1, "it going on from there")
    notebook.evaluate("studio.pause()")
    assert session.ask("len(studio.history)") > recorded
    assert session.ask("float(studio.history.time.max())") >= 1.99
    (kind,) = session.ask(
        "studio.call(lambda m, d: [m.kind for m in studio._session.recorder.marks])"
    )
    assert kind == "scrub"


def test_dragging_pauses_what_runs(open_notebook: OpenNotebook):
    notebook, view, session = started(open_notebook)
    notebook.evaluate("studio.play()")
    drag_timeline(view)
    session.wait_until_paused(paused=True)
    notebook.poll(lambda: 0 < session.time() < 1.5, "an earlier time")


def test_a_cell_steps_back_and_the_view_follows(open_notebook: OpenNotebook):
    notebook, view, session = started(open_notebook)
    fallen = view.wait_until_still()
    notebook.evaluate("studio.step_back(800)")
    view.wait_until_changed(fallen, share=0.005)
    assert 0 < session.time() < 0.5
