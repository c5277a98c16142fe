"""The picture in the cell: it shows the simulation, and only where somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.session import Session, opened
from tests.browser.view import View, changed

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

DICE = "from studio_nb import models; dice_path = models.path('dice')"
TALL = "print('line\\n' * 200)"


def test_the_robot_is_drawn_and_moves(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio")
    view, session = View(notebook), Session(notebook)
    picture = view.wait_until_drawn()
    start = session.time()
    view.wait_until_changed(picture)
    assert session.time() > start


def test_pause_stops_it_and_play_goes_on(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio", "studio.pause()")
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    start = session.time()
    still = view.wait_until_still()
    assert session.time() == start
    notebook.evaluate("studio.play()")
    view.wait_until_changed(still)
    assert session.time() > start


def test_steps_are_counted_and_shown(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio --paused")
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    still = view.wait_until_still()
    assert session.time() == 0
    notebook.evaluate("studio.step(250)")
    assert session.time() == pytest.approx(0.5)
    view.wait_until_changed(still)


def test_reset_to_a_keyframe_is_shown(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio --paused")
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    still = view.wait_until_still()
    notebook.evaluate("studio.reset('on its back')")
    assert session.qpos()[3] == pytest.approx(0.2)
    view.wait_until_changed(still, share=0.01)


def test_two_viewers_show_two_models_at_once(open_notebook: OpenNotebook):
    notebook = opened(
        open_notebook,
        "%studio --height 300",
        DICE,
        "%studio {dice_path} --name dice --height 300",
    )
    views = [View(notebook, index) for index in range(2)]
    pictures = [view.wait_until_drawn() for view in views]
    assert changed(*pictures) > 0.2
    for view, picture in zip(views, pictures, strict=True):
        view.wait_until_changed(picture)


def test_mjcf_in_a_cell_is_shown(open_notebook: OpenNotebook):
    mjcf = """%%studio
<mujoco><worldbody>
  <light pos="0 0 3"/>
  <body><freejoint/><geom type="box" size=".5 .5 .5" rgba="1 0 0 1"/></body>
</worldbody></mujoco>"""
    notebook = opened(open_notebook, mjcf, "studio.pause()", "studio.reset()")
    view = View(notebook)
    view.wait_until_drawn()
    pixels = view.wait_until_still().astype(int)
    red = (pixels[..., 0] > 2 * pixels[..., 1]) & (pixels[..., 0] > 60)
    assert red.mean() > 0.02


def test_an_edit_is_shown_and_keeps_the_state(open_notebook: OpenNotebook):
    edit = """with studio.edit() as spec:
    spec.material('shell').rgba = [0.9, 0.1, 0.1, 1]"""
    notebook = opened(
        open_notebook, "%studio", "studio.pause(); studio.step(200)", edit
    )
    view, session = View(notebook), Session(notebook)
    assert session.time() > 0.4
    view.wait_until_drawn()
    pixels = view.wait_until_still().astype(int)
    red = (pixels[..., 0] > 2 * pixels[..., 1]) & (pixels[..., 0] > 60)
    assert red.mean() > 0.01


def test_the_toolbar_takes_the_theme_of_the_notebook(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio --paused")
    view = View(notebook)
    view.wait_until_drawn()
    brightness = {}
    try:
        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            notebook.theme(theme)
            view.wait_until_still()
            brightness[theme] = view.toolbar_brightness()
            notebook.keep_screenshot(theme)
    finally:
        notebook.theme("JupyterLab Light")
    assert brightness["JupyterLab Light"] > brightness["JupyterLab Dark"] + 40


def quiet(notebook: Notebook) -> bool:
    """Whether no frame comes for a second."""
    before = notebook.messages()
    notebook.observe(1)
    return notebook.messages() == before


def watch(open_notebook: OpenNotebook, *cells: str) -> tuple[Notebook, View]:
    notebook = opened(open_notebook, "%studio", *cells)
    notebook.show(1)
    view = View(notebook)
    view.wait_until_drawn()
    notebook.count_messages()
    notebook.poll(lambda: notebook.messages() > 5, "frames")
    return notebook, view


def test_a_view_that_is_scrolled_away_gets_no_frames(open_notebook: OpenNotebook):
    notebook, _ = watch(open_notebook, TALL, TALL, TALL)
    notebook.show(4)
    notebook.poll(lambda: quiet(notebook), "end of the frames")
    notebook.show(1)
    seen = notebook.messages()
    notebook.poll(lambda: notebook.messages() > seen + 5, "frames again")


def test_a_view_behind_another_tab_gets_no_frames(open_notebook: OpenNotebook):
    notebook, _ = watch(open_notebook)
    panel = notebook.script("return panel.id;")
    notebook.command("launcher:create")
    notebook.poll(lambda: quiet(notebook), "end of the frames")
    notebook.page.evaluate("id => jupyterapp.shell.activateById(id)", panel)
    seen = notebook.messages()
    notebook.poll(lambda: notebook.messages() > seen + 5, "frames again")


def test_a_hidden_page_gets_no_frames(open_notebook: OpenNotebook):
    notebook, _ = watch(open_notebook)
    state = """state => {
      Object.defineProperty(document, 'visibilityState', {
        value: state, configurable: true});
      Object.defineProperty(document, 'hidden', {
        value: state === 'hidden', configurable: true});
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    notebook.page.evaluate(state, "hidden")
    notebook.poll(lambda: quiet(notebook), "end of the frames")
    notebook.page.evaluate(state, "visible")
    seen = notebook.messages()
    notebook.poll(lambda: notebook.messages() > seen + 5, "frames again")
