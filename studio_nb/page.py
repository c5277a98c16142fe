"""What the page said of itself: its size, density, theme, and whether it looks.

A plain record of the last `ready` and `view` messages, kept by the viewer.
Whatever a page sends is checked here; what makes no sense is left as it was.
"""

import math
from typing import Any

_THEMES = ("light", "dark")
# A view is at least this large for laying out panels, and at most a wall.
_SIZE_RANGE = (16.0, 16384.0)
_DPR_RANGE = (0.25, 8.0)
_STATS = ("fps", "draw_ms", "scale")


def _number(value: object, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return min(max(float(value), low), high) if math.isfinite(value) else None


class Page:
    """The page at the other end.

    Attributes:
        ready: Whether it has said so, and not left since.
        visible: Whether a person can see the view.
        width: CSS pixels.
        height: CSS pixels.
        dpr: Device pixels a CSS pixel.
        theme: "light" or "dark".
        stats: What it measured last: `fps`, `draw_ms`, `scale`.
    """

    def __init__(self) -> None:
        """Starts with a page that is not there."""
        self.ready = self.visible = False
        self.client = ""
        self.width, self.height, self.dpr = 900.0, 560.0, 1.0
        self.theme = "light"
        self.stats: dict[str, float] = {}

    @property
    def showing(self) -> bool:
        """Whether frames have somebody to look at them."""
        return self.ready and self.visible

    def receive(self, head: dict[str, Any]) -> str:
        """Takes in one message.

        Returns:
            What changed for the panels: "theme", "size", or "" for nothing.
        """
        kind = head.get("type")
        client = head.get("client")
        if kind == "ready":
            self.ready = True
            self.client = client if isinstance(client, str) else ""
        elif kind == "bye":
            if client == self.client:
                self.ready = False
            return ""
        if kind in ("ready", "view") and client == self.client:
            return self._look(head) or ("size" if kind == "ready" else "")
        stats = head.get("stats")
        if kind == "input" and isinstance(stats, dict):
            for name in _STATS:
                value = _number(stats.get(name), 0.0, 1e6)
                if value is not None:
                    self.stats[name] = value
        return ""

    def _look(self, head: dict[str, Any]) -> str:
        before = (self.width, self.height, self.dpr)
        for name, bounds in (
            ("width", _SIZE_RANGE),
            ("height", _SIZE_RANGE),
            ("dpr", _DPR_RANGE),
        ):
            value = _number(head.get(name), *bounds)
            if value is not None:
                setattr(self, name, value)
        if isinstance(head.get("visible"), bool):
            self.visible = head["visible"]
        theme = head.get("theme")
        if theme in _THEMES and theme != self.theme:
            self.theme = theme
            return "theme"
        return "size" if (self.width, self.height, self.dpr) != before else ""
