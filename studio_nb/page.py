"""What the pages say of themselves: size, density, theme, and whether they look.

One widget can be shown by several pages (browser tabs). The one that came last
decides how panels are laid out; frames are sent while any of them is looked at.
Whatever a page sends is checked here; what makes no sense is left as it was.
Viewer thread only.
"""

import dataclasses
import math
import time
from typing import Any

_THEMES = ("light", "dark")
# A view is at least this large for laying out panels, and at most a wall.
_SIZE_RANGE = (16.0, 16384.0)
_DPR_RANGE = (0.25, 8.0)
_RANGES = {"width": _SIZE_RANGE, "height": _SIZE_RANGE, "dpr": _DPR_RANGE}
# A visible page that is served says something every second or two. One that was
# reloaded or crashed says no goodbye: it is forgotten when the next one comes.
_SILENT_SEC = 10.0
_STATS = ("fps", "draw_ms", "scale")


def _number(value: object, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return min(max(float(value), low), high) if math.isfinite(value) else None


@dataclasses.dataclass
class Look:
    """How one page shows the view.

    Attributes:
        visible: Whether a person can see it.
        width: CSS pixels.
        height: CSS pixels.
        dpr: Device pixels a CSS pixel.
        theme: "light" or "dark".
        heard: When it last said something, seconds on the monotonic clock.
    """

    heard: float = 0.0
    visible: bool = False
    width: float = 900.0
    height: float = 560.0
    dpr: float = 1.0
    theme: str = "light"

    def take(self, head: dict[str, Any]) -> None:
        """Takes over what a message says, where it makes sense."""
        for name, bounds in _RANGES.items():
            value = _number(head.get(name), *bounds)
            if value is not None:
                setattr(self, name, value)
        if isinstance(head.get("visible"), bool):
            self.visible = head["visible"]
        if head.get("theme") in _THEMES:
            self.theme = head["theme"]


class Page:
    """The pages at the other end, as one.

    Attributes:
        stats: What a page measured last: `fps`, `draw_ms`, `scale`.
    """

    def __init__(self) -> None:
        """Starts with nobody there."""
        self._looks: dict[str, Look] = {}
        self._last = Look()
        self.stats: dict[str, float] = {}

    @property
    def look(self) -> Look:
        """How the page that came last shows the view; the last one, if all left."""
        return self._last

    @property
    def ready(self) -> bool:
        """Whether a page is there."""
        return bool(self._looks)

    @property
    def showing(self) -> bool:
        """Whether frames have somebody to look at them."""
        return any(look.visible for look in self._looks.values())

    def leave(self) -> None:
        """Forgets all pages."""
        self._looks.clear()

    def receive(self, head: dict[str, Any]) -> str:
        """Takes in one message.

        Returns:
            What changed for the panels: "theme", "size", or "" for nothing.
        """
        client, before = str(head.get("client")), dataclasses.replace(self._last)
        now = time.monotonic()
        if client in self._looks:
            self._looks[client].heard = now
        match head.get("type"):
            case "ready":
                # The newest is last in the table, also when it came before.
                self._looks.pop(client, None)
                self._forget_silent(now)
                self._looks[client] = Look(heard=now)
                self._looks[client].take(head)
            case "view":
                self._looks.setdefault(client, Look()).take(head)
            case "bye":
                self._looks.pop(client, None)
            case "input" if isinstance(stats := head.get("stats"), dict):
                self._take_stats(stats)
        if self._looks:
            self._last = next(reversed(self._looks.values()))
        if self._last.theme != before.theme:
            return "theme"
        sizes = (self._last.width, self._last.height, self._last.dpr)
        return "" if sizes == (before.width, before.height, before.dpr) else "size"

    def _forget_silent(self, now: float) -> None:
        for client, look in list(self._looks.items()):
            if look.visible and now - look.heard > _SILENT_SEC:
                del self._looks[client]

    def _take_stats(self, stats: dict[str, Any]) -> None:
        for name in _STATS:
            value = _number(stats.get(name), 0.0, 1e6)
            if value is not None:
                self.stats[name] = value
