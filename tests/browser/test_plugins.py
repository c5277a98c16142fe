"""Plugins written in cells: what a person sees of them, and does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.session import LOAD, Session
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

IMPORTS = """
from imgui_bundle import imgui
from mujoco.studio import messages, plugin
from studio_nb import shapes
calls = []
"""

FORMS = """
@studio.panel("Mine", dock="float")
def mine():
    calls.append("panel")
    imgui.text("here I am")

@studio.overlay
def big(model, data):
    yield shapes.sphere((0, 0, 1), 5.0, (1, 0, 1, 1))

@studio.key("Ctrl+R")
def again():
    '''Resets, from a key of the browser's.'''
    calls.append("key")
    studio.send(messages.ResetEvent())

@studio.on(messages.PreStepEvent)
def count(event):
    calls.append("step")
"""

FAULTY = """
class Wobble(plugin.ViewerPlugin):
    def __init__(self):
        self.frames = 0

    @messages.handler
    def on_update(self, event: messages.UpdateEvent) -> None:
        self.frames += 1
        {body}

studio.add(Wobble())
"""


def opened(open_notebook: OpenNotebook, *cells: str) -> tuple[Notebook, View, Session]:
    """Opens a notebook with a view that shows its picture."""
    notebook = open_notebook([LOAD, "%studio", IMPORTS, *cells])
    for index in range(3):
        notebook.run(index)
    view = View(notebook)
    view.wait_until_drawn()
    return notebook, view, Session(notebook)


def test_functions_of_a_cell_draw_and_answer(open_notebook: OpenNotebook):
    notebook, view, session = opened(open_notebook, FORMS)
    before = view.pixels()
    notebook.run(3)
    view.wait_until_changed(before, share=0.2)
    notebook.poll(
        lambda: notebook.evaluate("{'panel', 'step'} <= set(calls)"), "calls of both"
    )
    notebook.poll(
        lambda: session.ask("list(studio.widget._chords)") == ["Ctrl+R"], "the chord"
    )
    notebook.page.mouse.click(*view.point(0.5, 0.9))
    notebook.page.keyboard.press("Control+r")
    notebook.poll(lambda: notebook.evaluate("'key' in calls"), "the key")
    # The browser did not load its page again.
    view.root.wait_for(state="visible")
    states = session.ask("[(s.name, s.state) for s in studio.plugins]")
    assert sorted(map(tuple, states)) == [
        ("again", "running"),
        ("big", "running"),
        ("count", "running"),
        ("mine", "running"),
    ]


def test_a_failing_plugin_is_told_and_mended_by_running_its_cell_again(
    open_notebook: OpenNotebook,
):
    broken, mended = FAULTY.format(body="no_such_name"), FAULTY.format(body="pass")
    notebook, view, session = opened(open_notebook, broken, mended)
    notebook.run(3)
    notebook.poll(lambda: "Wobble was switched off" in view.text(), "word of the end")
    assert "no_such_name" in view.text()
    assert session.ask("studio.plugins['Wobble'].state") == "off"
    assert "In[4], line 8" in session.ask("studio.errors[0]")
    traceback = session.ask("studio.plugins['Wobble'].error")
    assert "in on_update" in traceback
    assert "NameError: name 'no_such_name'" in traceback
    frames = session.ask("studio.plugins['Wobble'].plugin.frames")
    notebook.run(4)
    assert "replaced the one of In[4]; kept frames" in notebook.text(4)
    notebook.poll(
        lambda: session.ask("studio.plugins['Wobble'].plugin.frames") > frames,
        "frames after it was mended",
    )
    assert session.ask("studio.plugins['Wobble'].state") == "running"
