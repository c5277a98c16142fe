"""The harness itself, with plain cells and a widget that is none of ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.browser.view import changed, colours
from tests.conftest import unavailable

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook

SQUARE = '''
import anywidget, traitlets
class Square(anywidget.AnyWidget):
    _esm = """
    export default {
      render({ model, el }) {
        const box = document.createElement("div");
        box.className = "square";
        box.style.cssText = "width:100px;height:100px;background:rgb(200,30,40)";
        box.onclick = () => { model.set("clicks", model.get("clicks") + 1);
                              model.save_changes(); };
        el.append(box);
      },
    };
    """
    clicks = traitlets.Int(0).tag(sync=True)
square = Square()
square
'''


def test_a_cell_runs_and_its_output_can_be_read(open_notebook: OpenNotebook):
    notebook = open_notebook(["x = 6", "print(x * 7)"])
    notebook.run_all()
    assert notebook.text(1).strip() == "42"
    assert notebook.evaluate("[x, {'a': None}]") == [6, {"a": None}]


def test_an_error_in_a_cell_is_raised_here(open_notebook: OpenNotebook):
    notebook = open_notebook(["1 / 0"])
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        notebook.run(0)
    with pytest.raises(AssertionError, match="NameError"):
        notebook.evaluate("nothing_of_this_name")


def test_a_widget_shows_and_a_click_reaches_the_kernel(open_notebook: OpenNotebook):
    notebook = open_notebook([SQUARE])
    notebook.run(0)
    square = notebook.page.locator(".square")
    square.click()
    notebook.poll(
        lambda: notebook.evaluate("square.clicks") == 1, "click in the kernel"
    )


def test_a_restart_clears_the_kernel_and_a_reload_does_not(open_notebook: OpenNotebook):
    notebook = open_notebook(["x = 1"])
    notebook.run(0)
    notebook.reload()
    assert notebook.evaluate("x") == 1
    notebook.restart()
    assert notebook.evaluate("'x' in globals()") is False


def test_an_uncaught_error_in_the_page_is_noticed(open_notebook: OpenNotebook):
    notebook = open_notebook([])
    notebook.page.evaluate("setTimeout(() => { throw new Error('planted') })")
    notebook.poll(lambda: notebook.errors, "error")
    assert "planted" in notebook.errors.pop()


def test_pixels_tell_change_from_noise():
    grey = np.full((10, 10, 3), 100, np.uint8)
    spot = grey.copy()
    spot[0, 0] = 255
    assert changed(grey, grey + 5) == 0
    assert changed(grey, spot) == 0.01
    assert colours(spot) == 2


def test_what_can_not_run_fails_under_ci(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(os.environ, "CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        unavailable("no browser")
    monkeypatch.delitem(os.environ, "CI")
    with pytest.raises(pytest.skip.Exception):
        unavailable("no browser")
