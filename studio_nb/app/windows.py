"""The windows of the app: what is in each, whether it is open, and its errors.

`App` makes them and draws them once a frame, on the viewer thread. A panel that
raises loses its own frame and no more; one that goes on raising is switched off
until the person wants it back.
"""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app import layout
from studio_nb.app.panel import Panel, Scope
from studio_nb.registry import describe

# As a plugin, a panel that raised in this many frames running is switched off.
_MOST_FAILURES = 3

_SECTION = imgui.TreeNodeFlags_.span_avail_width | imgui.TreeNodeFlags_.framed


@dataclasses.dataclass
class Window:
    """A window that the View menu lists.

    Attributes:
        title: Its title and ID.
        dock: Where it stands at first.
        panels: What is in it: one panel, or several as sections that fold.
        open: Whether it is there.
        keys: The keys that open and close it, in words.
        size: Of a floating one at first, in sizes of the text.
        unfolded: Titles of the sections that are not folded.
        comes_up: Whether it goes before its neighbours in the next frame.
    """

    title: str
    dock: layout.Dock
    panels: Sequence[Panel]
    open: bool = False
    keys: str = ""
    size: tuple[float, float] = (22.0, 20.0)
    unfolded: set[str] = dataclasses.field(default_factory=set)
    comes_up: bool = False

    def toggle(self) -> None:
        """Opens it, before its neighbours, or closes it."""
        self.open = self.comes_up = not self.open


class Windows:
    """All windows of one app.

    Attributes:
        all: The windows, in the order of the View menu.
    """

    def __init__(self, windows: Sequence[Window]) -> None:
        """Takes the windows as they are at first."""
        self.all = windows
        self._defaults = [(w.open, frozenset(w.unfolded)) for w in windows]
        self._folded: dict[str, list[Any]] = {}
        # By the panel and what of it failed: one may fail while another works.
        self._failures: dict[tuple[str, str], int] = {}
        self._errors: dict[str, BaseException] = {}

    def __getitem__(self, title: str) -> Window:
        """Returns the window of that title."""
        return next(window for window in self.all if window.title == title)

    def panels(self) -> Iterator[Panel]:
        """Yields every panel."""
        for window in self.all:
            yield from window.panels

    def reset(self) -> None:
        """Opens and closes windows and sections as at first."""
        for window, (is_open, unfolded) in zip(self.all, self._defaults, strict=True):
            window.open, window.unfolded = is_open, set(unfolded)
        for dock in {window.dock for window in self.all}:
            there = [w for w in self.all if w.dock == dock and w.open]
            for window in there[:1]:
                window.comes_up = len(there) > 1

    def fold(self, dock: layout.Dock, others: Sequence[Any] = ()) -> None:
        """Closes all windows of a dock; opens them again if none is open.

        Args:
            dock: Whose windows.
            others: Plugins' windows there: objects with `open`.
        """
        there = [*(w for w in self.all if w.dock == dock), *others]
        if opened := [window for window in there if window.open]:
            self._folded[dock] = opened
        for window in opened:
            window.open = False
        if not opened:
            # Of those that were folded, a plugin's may have gone meanwhile.
            folded = [w for w in self._folded.get(dock, ()) if w in there]
            for window in folded or there:
                window.open = True

    def keeps(self, narrow: Sequence[layout.Dock] = ()) -> dict[str, Any]:
        """Returns what is open, and what the panels want remembered.

        Args:
            narrow: Docks that are folded only because the view is narrow: what is
                there counts as open.
        """
        folded = [w for dock in narrow for w in self._folded.get(dock, ())]
        return {
            "open": [w.title for w in self.all if w.open or w in folded],
            "unfolded": sorted({t for w in self.all for t in w.unfolded}),
            "panels": {p.title: kept for p in self.panels() if (kept := p.keeps())},
        }

    def restore(self, kept: dict[str, Any], report: "Report") -> None:
        """Takes over what an earlier `keeps` returned; distrusts it."""
        opened, unfolded = kept.get("open"), kept.get("unfolded")
        for window in self.all:
            if isinstance(opened, list):
                window.open = window.title in opened
            if isinstance(unfolded, list):
                titles = (panel.title for panel in window.panels)
                window.unfolded = {t for t in titles if t in unfolded}
        of_panels = kept.get("panels")
        if not isinstance(of_panels, dict):
            return
        for panel in self.panels():
            if isinstance(own := of_panels.get(panel.title), dict):
                run = functools.partial(panel.restore, own)
                self._guarded(panel, "restore", report, run)

    def on_model(self, scope: Scope, report: "Report") -> None:
        """Tells every panel that the model was exchanged."""
        for panel in self.panels():
            run = functools.partial(panel.on_model, scope)
            self._guarded(panel, "on_model", report, run)

    def draw(self, scope: Scope, report: "Report") -> None:
        """Draws the open windows, and lets every panel know of the frame."""
        for panel in self.panels():
            if panel.title not in self._errors:
                run = functools.partial(panel.update, scope)
                self._guarded(panel, "update", report, run)
        for window in self.all:
            if window.open:
                self._draw(window, scope, report)

    def _draw(self, window: Window, scope: Scope, report: "Report") -> None:
        size = ImVec2(window.size[0] * scope.em, window.size[1] * scope.em)
        layout.dock_next_window(window.title, window.dock, size)
        flags = imgui.WindowFlags_.no_focus_on_appearing
        if window.comes_up:
            window.comes_up = False
            imgui.set_next_window_focus()
        visible, is_open = imgui.begin(window.title, True, flags)  # noqa: FBT003 - has a close button
        window.open = bool(is_open)
        if visible:
            if len(window.panels) == 1:
                self._contents(window.panels[0], scope, report)
            else:
                self._sections(window, scope, report)
        imgui.end()

    def _sections(self, window: Window, scope: Scope, report: "Report") -> None:
        for panel in window.panels:
            imgui.set_next_item_open(panel.title in window.unfolded)
            if imgui.collapsing_header(panel.title, _SECTION):
                window.unfolded.add(panel.title)
                imgui.push_id(panel.title)
                self._contents(panel, scope, report)
                imgui.pop_id()
            else:
                window.unfolded.discard(panel.title)

    def _contents(self, panel: Panel, scope: Scope, report: "Report") -> None:
        error = self._errors.get(panel.title)
        if error is None:
            run = functools.partial(panel.draw, scope)
            self._guarded(panel, "draw", report, run, scope.viewer.ui.part)
            return
        icon = icons_fontawesome_6.ICON_FA_TRIANGLE_EXCLAMATION
        imgui.text_wrapped(f"{icon} {panel.title} was switched off: {describe(error)}")
        if imgui.button("Try again"):
            self.revive(panel)

    def revive(self, panel: Panel) -> None:
        """Draws a panel again that was switched off."""
        self._errors.pop(panel.title, None)

    def _guarded(
        self,
        panel: Panel,
        what: str,
        report: "Report",
        run: Callable[[], object],
        part: Callable[[], Any] = contextlib.nullcontext,
    ) -> None:
        """Runs a part of a panel; counts and reports what it raises."""
        key = panel.title, what
        try:
            with part():
                run()
        except Exception as error:  # noqa: BLE001 - told; the other panels go on
            failures = self._failures.get(key, 0) + 1
            self._failures[key] = failures
            if failures == 1:
                report(f"the panel {panel.title}", error)
            if failures >= _MOST_FAILURES:
                self._errors[panel.title] = error
                del self._failures[key]
        else:
            if self._failures:
                self._failures.pop(key, None)


Report = Callable[[str, BaseException], None]
