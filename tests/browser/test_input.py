"""What a person does in the view reaches the simulation, and nothing else does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.session import CAMERA, LOAD, Session
from tests.browser.session import opened as opened_notebook
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

CHEST = (0.5, 0.42)  # where the demo's default camera shows the humanoid's trunk
FLOOR = (0.15, 0.85)


def opened(open_notebook: OpenNotebook, *cells: str) -> tuple[Notebook, View, Session]:
    notebook = opened_notebook(open_notebook, *cells)
    view = View(notebook)
    view.wait_until_drawn()
    return notebook, view, Session(notebook)


def moved(session: Session, since: list[float], part: slice) -> bool:
    now = session.camera()[part]
    return max(abs(a - b) for a, b in zip(now, since[part], strict=True)) > 0.05


def test_orbit_changes_the_picture_and_the_kernel_s_camera(
    open_notebook: OpenNotebook,
):
    notebook, view, session = opened(open_notebook, "%studio --paused")
    camera = session.camera()
    picture = view.wait_until_still()
    view.drag((0.4, 0.5), (0.7, 0.6))
    view.wait_until_changed(picture, share=0.05)
    notebook.poll(lambda: moved(session, camera, slice(0, 2)), "orbit in the kernel")
    assert session.camera()[2] == pytest.approx(camera[2])


def test_right_drag_pans_and_the_wheel_zooms(open_notebook: OpenNotebook):
    notebook, view, session = opened(open_notebook, "%studio --paused")
    camera = session.camera()
    view.drag((0.4, 0.5), (0.6, 0.4), button="right")
    notebook.poll(lambda: moved(session, camera, slice(3, 6)), "pan in the kernel")
    camera = session.camera()
    view.wheel(FLOOR, 300)
    notebook.poll(lambda: moved(session, camera, slice(2, 3)), "zoom in the kernel")
    # As in MuJoCo's viewers: towards the person comes closer.
    assert session.camera()[2] < camera[2]


def test_the_wheel_over_a_view_does_not_scroll_the_notebook(
    open_notebook: OpenNotebook,
):
    tall = "print('line\\n' * 200)"
    notebook, view, session = opened(open_notebook, "%studio --paused", tall, tall)
    notebook.show(1)
    camera, top = session.camera(), view.box()["y"]
    view.wheel(FLOOR, 300)
    notebook.poll(lambda: moved(session, camera, slice(2, 3)), "zoom in the kernel")
    assert view.box()["y"] == top


def test_a_double_click_selects_and_a_ctrl_drag_pushes(open_notebook: OpenNotebook):
    notebook, view, session = opened(open_notebook, "%studio")
    view.page.mouse.dblclick(*view.point(*CHEST))
    notebook.poll(lambda: session.ask("studio.widget.selected_body"), "selection")
    start = session.qpos()[1:4]
    view.drag(CHEST, (0.9, 0.3), button="right", key="Control", steps=30)

    def pushed() -> bool:
        now = session.qpos()[1:4]
        return max(abs(a - b) for a, b in zip(now, start, strict=True)) > 0.15

    notebook.poll(pushed, "push that moves the hips")


def test_keys_reach_the_view_while_it_has_the_focus_and_never_the_notebook(
    open_notebook: OpenNotebook,
):
    notebook, view, session = opened(open_notebook, "%studio")
    view.page.mouse.click(*view.point(*FLOOR))
    for key in ("a", "b", "d", "d", "x", "Enter"):
        view.page.keyboard.press(key)
    view.page.keyboard.press("Space")
    session.wait_until_paused(paused=True)
    assert [cell["source"] for cell in notebook.cells()] == [LOAD, "%studio"]
    assert notebook.script("return panel.content.mode;") == "command"


def test_keys_stay_with_the_notebook_while_it_has_the_focus(
    open_notebook: OpenNotebook,
):
    notebook, view, session = opened(open_notebook, "%studio")
    view.page.mouse.click(*view.point(*FLOOR))
    notebook.page.locator(".jp-InputPrompt").first.click()
    view.page.keyboard.press("b")
    notebook.poll(lambda: len(notebook.cells()) == 3, "new cell")
    view.page.keyboard.press("Space")
    assert not session.paused()


def test_input_is_handled_while_a_cell_runs(open_notebook: OpenNotebook):
    """Ten orbits a second during five seconds of Python that never waits."""
    camera = CAMERA.replace("camera", "view")
    busy = f"""import time
view = studio._session.viewer.camera
seen, end = {{}}, time.monotonic() + 5
while time.monotonic() < end:
    seen[tuple({camera})] = True"""
    notebook, view, _ = opened(open_notebook, "%studio --paused", "seen = {}")
    notebook.set_source(2, busy)
    mouse = view.page.mouse
    mouse.move(*view.point(0.3, 0.5))
    mouse.down()
    notebook.run(2, wait=False)
    sent = 0
    while notebook.running():
        sent += 1
        mouse.move(*view.point(0.3 + 0.004 * sent, 0.5))
        notebook.observe(0.1)
    mouse.up()
    assert sent >= 10
    handled = notebook.evaluate("len(seen)")
    assert handled >= 0.9 * sent, f"{handled} of {sent} while the cell ran"
