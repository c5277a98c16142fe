"""The status at the right end of the bottom row: rates, load, and the Console's counts.

`bottombar` places the entries once a frame, on the viewer thread.
"""

from collections.abc import Iterator

from imgui_bundle import icons_fontawesome_6

from studio_nb.app import row
from studio_nb.app.panel import Scope
from studio_nb.app.panels.info import Rates
from studio_nb.app.windows import Window

_WIDEST_FPS = "000 fps"
_WIDEST_RATE = "0000 kB/s"
_MOST = 999


class StatusBar:
    """What is measured of one view."""

    def __init__(self) -> None:
        """Starts with no rates known."""
        self._rates = Rates()

    def entries(self, scope: Scope, console: Window) -> list[row.Entry]:
        """Returns the entries of the row.

        Args:
            scope: Whose view.
            console: The window that the counts open.
        """
        return [*self._counts(scope, console), *self._figures(scope)]

    def _figures(self, scope: Scope) -> Iterator[row.Entry]:
        figures = scope.viewer.figures()
        self._rates.update(figures)
        rate = self._rates.of
        sent = rate.get("state_bytes", 0.0) + rate.get("ui_bytes", 0.0)
        yield row.Readout(
            f"{min(sent / 1000, 9999):.0f} kB/s",
            "What the kernel sends: scene and panels",
            _WIDEST_RATE,
            rank=2,
            group=1,
            dim=True,
        )
        yield row.Readout(
            f"{min(figures.get('fps', 0.0), _MOST):.0f} fps",
            "Frames a second, as the page draws them",
            _WIDEST_FPS,
            rank=1,
            group=1,
            dim=True,
        )

    def _counts(self, scope: Scope, console: Window) -> Iterator[row.Entry]:
        fa, palette = icons_fontawesome_6, scope.palette
        of = scope.viewer.console
        marks = {
            "error": (fa.ICON_FA_CIRCLE_XMARK, palette.error),
            "warning": (fa.ICON_FA_TRIANGLE_EXCLAMATION, palette.warning),
            "info": (fa.ICON_FA_CIRCLE_INFO, None),
        }
        for level, (icon, colour) in marks.items():
            if count := of.unseen(level):
                words = "message" if level == "info" else level
                tip = f"{count} {words}{'s' if count > 1 else ''} in the Console"
                number = f"{min(count, _MOST)}"
                yield row.Button(
                    level, icon, tip, console.keys, console.toggle, 0, 0, colour, number
                )
        if not any(map(of.unseen, marks)):
            icon = fa.ICON_FA_TERMINAL
            yield row.Button(
                "console", icon, "Console", console.keys, console.toggle, 0, 0
            )
