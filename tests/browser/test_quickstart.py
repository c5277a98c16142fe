"""The notebook that a newcomer opens runs to its end, and shows what it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.browser.view import VIEW, View
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.lab import Lab
    from tests.browser.notebook import Notebook

VIEWER = re.compile(r"^%{1,2}studio\b", re.MULTILINE)


def test_the_quickstart_runs_and_its_three_views_live(
    lab: Lab, open_path: Callable[[str], Notebook]
):
    text = (ROOT / "notebooks" / "quickstart.ipynb").read_text()
    notebook = open_path(lab.add_notebook("quickstart", text))
    sources = [cell["source"] for cell in notebook.cells()]
    viewers = [i for i, source in enumerate(sources) if VIEWER.search(source)]
    for index in range(len(sources)):
        notebook.run(index)
    assert notebook.page.locator(VIEW).count() == 3
    plot = next(i for i, source in enumerate(sources) if "studio.plot(" in source)
    assert "image/png" in notebook.cells()[plot]["outputs"][0]["data"]
    for number, index in enumerate(viewers):
        notebook.show(index)
        view = View(notebook, number)
        view.root.scroll_into_view_if_needed()
        picture = view.wait_until_drawn()
        view.wait_until_changed(picture)
        notebook.keep_screenshot(f"quickstart {number}")
