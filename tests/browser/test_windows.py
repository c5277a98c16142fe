"""How large a view is, how sharp, and what is remembered of its panels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import ARGUMENTS
from tests.browser.notebook import Notebook
from tests.browser.session import LOAD, Session, opened
from tests.browser.view import View
from tools import chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.conftest import OpenNotebook
    from tests.browser.lab import Lab

LOOK = "studio._session.viewer.page.look"
MEMORY = "studio._session.viewer.memory"
SET_MODE = "studio._session.viewer.set_window_mode"
HANDLE = ".snb-handle"

# As the View menu does.
CHOOSE_DARK = """
from concurrent import futures
from studio_nb.app import App

def choose(viewer):
    (app,) = (p for p in viewer.plugins.plugins if isinstance(p, App))
    app.set_theme("dark")

studio._session.viewer.soon(choose, futures.Future())
"""

# Device pixels of the stage, and of the canvases in it.
PIXELS = """
async (root) => {
  const stage = root.querySelector('.snb-stage');
  const box = await new Promise((done) => {
    const observer = new ResizeObserver(([entry]) => {
      observer.disconnect();
      done(entry.devicePixelContentBoxSize[0]);
    });
    observer.observe(stage, {box: 'device-pixel-content-box'});
  });
  const sizes = [...stage.querySelectorAll('canvas')].map(
    ({width, height}) => [width, height]);
  return {device: [box.inlineSize, box.blockSize], canvases: sizes};
}
"""


def mode(notebook: Notebook) -> str:
    return Session(notebook).ask(f"{LOOK}.mode")


def set_mode(notebook: Notebook, name: str) -> None:
    notebook.evaluate(f"{SET_MODE}({name!r})")


def is_full(view: View) -> bool:
    size = view.page.viewport_size
    assert size is not None
    box = view.box()
    return [box[k] for k in ("x", "y", "width", "height")] == [
        0, 0, size["width"], size["height"],
    ]  # fmt: skip


def test_f11_fills_the_window_above_the_notebook_and_escape_leaves_it(
    open_notebook: OpenNotebook,
):
    notebook = opened(open_notebook, "%studio --height 300 --paused")
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    view.drag((0.5, 0.5), (0.6, 0.5))
    before, box = session.camera(), view.box()
    notebook.page.keyboard.press("F11")
    notebook.poll(lambda: is_full(view), "view that fills the window")
    notebook.poll(lambda: mode(notebook) == "window", "mode in the kernel")
    size = notebook.page.viewport_size
    assert size is not None
    assert session.ask(f"[{LOOK}.width, {LOOK}.height]") == [*size.values()]
    view.wait_until_drawn()
    view.drag((0.5, 0.5), (0.5, 0.6))
    notebook.poll(lambda: session.camera() != before, "camera that moves")
    assert session.camera()[0] == pytest.approx(before[0])
    notebook.page.keyboard.press("Escape")
    notebook.poll(lambda: mode(notebook) == "cell", "mode in the kernel")
    assert view.box() == box
    view.wait_until_drawn()


def test_the_kernel_puts_the_view_on_the_screen_and_back(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, "%studio --height 300 --paused")
    view = View(notebook)
    view.wait_until_drawn()
    box = view.box()
    view.drag((0.5, 0.5), (0.55, 0.5))
    set_mode(notebook, "screen")
    notebook.poll(lambda: mode(notebook) == "screen", "mode in the kernel")
    assert notebook.page.evaluate(
        "document.fullscreenElement?.classList.contains('snb-view')"
    )
    view.wait_until_drawn()
    set_mode(notebook, "window")
    notebook.poll(lambda: mode(notebook) == "window", "mode in the kernel")
    assert notebook.page.evaluate("document.fullscreenElement") is None
    notebook.poll(lambda: is_full(view), "view that fills the window")
    set_mode(notebook, "cell")
    notebook.poll(lambda: mode(notebook) == "cell", "mode in the kernel")
    assert view.box() == box


def test_the_height_is_dragged_to_the_pixel_and_moved_by_keys(
    open_notebook: OpenNotebook,
):
    notebook = opened(open_notebook, "%studio --height 300 --paused")
    view = View(notebook)
    view.wait_until_drawn()
    edge = view.root.locator(HANDLE).bounding_box()
    assert edge is not None
    x, y = edge["x"] + edge["width"] / 2, edge["y"] + edge["height"] / 2
    mouse = notebook.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x, y + 53, steps=5)
    mouse.move(x, y + 37, steps=5)
    mouse.up()
    notebook.poll(
        lambda: Session(notebook).ask("studio.widget.height") == 337, "height"
    )
    assert view.box()["height"] == 337
    view.root.locator(HANDLE).focus()
    for key in ("ArrowDown", "Shift+ArrowUp"):
        notebook.page.keyboard.press(key)
    notebook.poll(
        lambda: Session(notebook).ask("studio.widget.height") == 356, "height"
    )


@pytest.fixture(params=[1, 1.5, 2])
def dense(
    browser: Browser, lab: Lab, request: pytest.FixtureRequest
) -> Iterator[tuple[Notebook, float]]:
    """A notebook in a browser of another density, which is not emulated."""
    program = browser.browser_type.launch(
        executable_path=chromium.find(),
        args=[
            *ARGUMENTS,
            f"--force-device-scale-factor={request.param}",
            "--window-size=1013,701",
        ],
    )
    page = program.new_context(no_viewport=True).new_page()
    path = lab.write_notebook("dense", [LOAD, "%studio --height 333 --paused"])
    notebook = Notebook(page, lab, path)
    yield notebook, request.param
    notebook.keep_screenshot(f"density {request.param}")
    notebook.close()
    program.close()


def test_canvases_have_the_pixels_of_the_device(dense: tuple[Notebook, float]):
    notebook, density = dense
    notebook.run_all()
    view = View(notebook)
    view.wait_until_drawn()

    def sharp() -> bool:
        found = view.root.evaluate(PIXELS)
        return found["canvases"] == [found["device"]] * 2

    notebook.poll(sharp, "canvases of the device's pixels", 40)
    width, height = view.root.evaluate(PIXELS)["device"]
    # All but the border, a pixel of the device at the least.
    assert height == pytest.approx(333 * density, abs=2 * density + 1)
    look = Session(notebook).ask(f"[{LOOK}.width, {LOOK}.height, {LOOK}.dpr]")
    assert look == pytest.approx([width / density, height / density, density])


def test_an_emulated_density_is_followed_too(browser: Browser, lab: Lab):
    context = browser.new_context(device_scale_factor=2)
    path = lab.write_notebook("emulated", [LOAD, "%studio --height 333 --paused"])
    notebook = Notebook(context.new_page(), lab, path)
    try:
        notebook.run_all()
        View(notebook).wait_until_drawn()
        look = Session(notebook).ask(f"[{LOOK}.height, {LOOK}.dpr]")
        assert look == [331, 2]
    finally:
        notebook.close()
        context.close()


def test_what_panels_keep_comes_back_after_a_reload_and_a_restart(
    open_notebook: OpenNotebook,
):
    notebook = opened(open_notebook, "%studio --height 300", "pass")
    View(notebook).wait_until_drawn()
    notebook.set_source(2, CHOOSE_DARK)
    notebook.run(2)
    stored = """
      Object.entries(localStorage)
        .filter(([name]) => name.startsWith('studio_nb:memory:'))
        .map(([, text]) => text)
    """

    def kept() -> bool:
        texts = notebook.page.evaluate(stored)
        return any(json.loads(text).get("theme") == "dark" for text in texts)

    notebook.poll(kept, "memory in the browser")
    notebook.save()
    notebook.restart()
    notebook.run(0)
    notebook.run(1)
    View(notebook).wait_until_drawn()
    session, theme = Session(notebook), "studio._session.viewer.ui.theme"
    assert session.ask(f"{MEMORY}.loaded") == 1
    notebook.poll(lambda: session.ask(theme) == "dark", "theme as it was chosen")
    assert session.ask(f"{LOOK}.theme") == "light"
    notebook.save()
    notebook.reload()
    View(notebook).wait_until_drawn()
    assert session.ask(theme) == "dark"


def test_a_busy_kernel_is_told_within_a_moment_of_input(open_notebook: OpenNotebook):
    # A call that holds the GIL: no thread of the kernel runs.
    hog = "print('hogging', flush=True)\nctypes.PyDLL(None).usleep(8_000_000)"
    notebook = opened(open_notebook, "%studio --height 300 --paused", "import ctypes")
    view = View(notebook)
    view.wait_until_drawn()
    notebook.set_source(2, hog)
    notebook.run(2, wait=False)
    notebook.poll(lambda: "hogging" in notebook.text(2), "start of the cell")
    view.drag((0.5, 0.5), (0.6, 0.5))
    notebook.poll(lambda: "The kernel is busy: " in view.text(), "word of the view")
    notebook.poll(lambda: "The kernel is busy" not in view.text(), "end of it")
