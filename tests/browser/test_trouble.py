"""Trouble is told on the view, in a line, and what runs goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.session import LOAD, Session
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook

BROKEN = """
from mujoco.studio import messages, plugin

class Controller(plugin.SimPlugin):
    @messages.handler
    def on_pre_step(self, event: messages.PreStepEvent) -> None:
        raise RuntimeError("the gains are wrong")

studio.add(Controller())
"""

# What importing imgui-bundle says where the system lacks its library.
WITHOUT_IMGUI = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "imgui_bundle":
            raise ImportError("libX11.so.6: cannot open shared object file")

sys.meta_path.insert(0, Missing())
"""

LAUNCHED = """
from mujoco.studio import step_control
from studio_nb import launch_notebook, models

launch_notebook.run(
    model_path=str(models.path()), plugins=[step_control.StepControl()]
)
"""


def test_a_handler_that_raises_is_named_on_the_view(open_notebook: OpenNotebook):
    notebook = open_notebook([LOAD, "%studio", BROKEN])
    notebook.run_all()
    view, session = View(notebook), Session(notebook)
    picture = view.wait_until_drawn()
    notebook.poll(lambda: "the gains are wrong" in view.text(), "word of the error")
    assert "Controller.on_pre_step" in view.text()
    start = session.time()
    view.wait_until_changed(picture)
    assert session.time() > start


def test_a_broken_model_leaves_the_session_of_that_name_running(
    open_notebook: OpenNotebook,
):
    notebook = open_notebook(
        [LOAD, "%studio", "%%studio\n<mujoco>\n<worldbody><gem/></worldbody></mujoco>"]
    )
    notebook.run(0)
    notebook.run(1)
    view, session = View(notebook), Session(notebook)
    picture = view.wait_until_drawn()
    notebook.run(2, check=False)
    shown = notebook.text(2)
    assert "line 2, element 'gem'" in shown
    assert "studio_nb/" not in shown
    start = session.time()
    view.wait_until_changed(picture)
    assert session.time() > start


def test_without_imgui_the_view_opens_with_plain_buttons(open_notebook: OpenNotebook):
    notebook = open_notebook([LOAD, WITHOUT_IMGUI, "%studio"])
    notebook.run_all()
    view, session = View(notebook), Session(notebook)
    picture = view.wait_until_drawn()
    view.wait_until_changed(picture)
    assert "apt-get install libx11-6" in view.text()
    view.root.get_by_role("button", name="Pause").click()
    session.wait_until_paused(paused=True)
    steps = notebook.evaluate("studio.stats()['steps']")
    view.root.get_by_role("button", name="Step").click()
    notebook.poll(
        lambda: notebook.evaluate("studio.stats()['steps']") == steps + 1, "one step"
    )
    view.root.get_by_role("button", name="Run").click()
    session.wait_until_paused(paused=False)


def test_the_launcher_runs_studios_own_plugins_until_interrupted(
    open_notebook: OpenNotebook,
):
    notebook = open_notebook([LAUNCHED])
    notebook.run(0, wait=False)
    view = View(notebook)
    picture = view.wait_until_drawn()
    view.wait_until_changed(picture)
    notebook.interrupt()
    notebook.poll(lambda: not notebook.running(), "end of the cell")
    assert "Traceback" not in notebook.text(0)
    notebook.poll(lambda: "closed" in view.text(), "word of the view")
