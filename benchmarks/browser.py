"""The Chromium in which both viewers are measured, and what draws in it."""

import contextlib
from collections.abc import Generator
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from tools import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Of the view, CSS pixels, at one device pixel each.
VIEW_WIDTH, VIEW_HEIGHT = 900, 560

ARGUMENTS = [
    "--no-sandbox",  # Chromium refuses to run as root with it
    "--use-angle=swiftshader",  # WebGL2 on the CPU, also where there is a GPU
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--no-first-run",
]

RENDERER = """() => {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
}"""


@contextlib.contextmanager
def running_browser() -> Generator["Browser"]:
    """A headless Chromium that draws in software, for the length of a `with` block.

    Raises:
        FileNotFoundError: There is none on this machine.
    """
    path = chromium.find()
    if path is None:
        message = "no Chromium: run `python tools/chromium.py --install`"
        raise FileNotFoundError(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def processor_s(page: "Page") -> float:
    """Seconds of processor time of all the processes of a page's browser so far."""
    browser = page.context.browser
    if browser is None:
        message = "the page's context was not opened in a browser of its own"
        raise ValueError(message)
    session = browser.new_browser_cdp_session()
    try:
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        return sum(process["cpuTime"] for process in processes)
    finally:
        session.detach()


def renderer(browser: "Browser") -> str:
    """What draws WebGL in it, in its own words."""
    page = browser.new_page()
    try:
        return str(page.evaluate(RENDERER))
    finally:
        page.close()
