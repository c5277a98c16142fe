"""Fixtures of the browser tests: one server and one Chromium, a fresh page a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import Lab, running_lab
from tests.browser.notebook import Notebook, slug
from tests.conftest import unavailable
from tools import chromium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.sync_api import Browser, BrowserContext

    OpenNotebook = Callable[[Sequence[str]], Notebook]

ARGUMENTS = [
    "--no-sandbox",  # Chromium refuses to run as root with it
    "--use-angle=swiftshader",  # WebGL2 without a GPU
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab server."""
    with running_lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


# Of the package, not of the session: while Playwright runs, its event loop counts as
# running in this thread, and tests elsewhere start loops of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A headless Chromium with WebGL2."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        unavailable("playwright is missing: pip install 'studio_nb[dev]'")
    path = chromium.find()
    if path is None:
        unavailable("no Chromium: run `python tools/chromium.py --install`")
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield program
        program.close()


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What pages share: cookies and the cache of JupyterLab's scripts."""
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    context.set_default_timeout(30_000)
    yield context
    context.close()


@pytest.fixture
def open_path(
    lab: Lab, context: BrowserContext, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Notebook]]:
    """Opens a notebook of the server in a page of its own.

    When the test is over: keeps a screenshot, ends the kernel, and fails the test if
    the page met an uncaught error.
    """
    opened: list[Notebook] = []

    def open_path(path: str) -> Notebook:
        opened.append(Notebook(context.new_page(), lab, path))
        return opened[-1]

    yield open_path
    for number, notebook in enumerate(opened):
        notebook.keep_screenshot(f"{request.node.name} {number or ''}")
        notebook.close()
    errors = [error for notebook in opened for error in notebook.errors]
    assert not errors, f"uncaught errors in the page: {errors}"


@pytest.fixture
def open_notebook(
    lab: Lab, open_path: Callable[[str], Notebook], request: pytest.FixtureRequest
) -> OpenNotebook:
    """Opens a new notebook with the given code cells."""
    name = slug(request.node.name)

    def open_notebook(cells: Sequence[str]) -> Notebook:
        return open_path(lab.write_notebook(name, cells))

    return open_notebook
