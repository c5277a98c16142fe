"""What the pages say of their views: size, density, theme, and whether they look.

A session can be shown several times: in two cells, in two browser tabs. One view
controls: the panels are laid out for it, and its page's input counts. The others
watch, each with a camera of its own. Control is given away when a person takes it,
and when its view is no longer to be seen. Frames are sent while any view is looked
at. Whatever a page sends is checked here; what makes no sense is left as it was.
Viewer thread only.
"""

import dataclasses
import math
import time
from typing import Any

MODES = ("cell", "window", "screen")
_THEMES = ("light", "dark")
# A view is at least this large for laying out panels, and at most a wall.
_SIZE_RANGE = (16.0, 16384.0)
_DPR_RANGE = (0.25, 8.0)
_RANGES = {"width": _SIZE_RANGE, "height": _SIZE_RANGE, "dpr": _DPR_RANGE}
# A visible page that is served says something every three seconds or so. One that
# crashed says no goodbye: after this long its view counts as gone.
_SILENT_SEC = 8.0
# A controlling view answers at once when others come; a dead one does not.
_ANSWER_SEC = 2.0
# Silent for longer, a view is forgotten when the next page comes.
_FORGOTTEN_SEC = 60.0
# A thread that could not look for so long knows nothing of who was silent.
_AWAY_SEC = 1.5
# A page that believes to be in control is told otherwise at most this often.
_REMIND_SEC = 1.0
_STATS = ("fps", "draw_ms", "scale")


def _number(value: object, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return min(max(float(value), low), high) if math.isfinite(value) else None


@dataclasses.dataclass
class Look:
    """How one view is shown.

    Attributes:
        client: The page that shows it.
        heard: When that page last said something, seconds on the monotonic clock.
        visible: Whether a person can see it.
        width: CSS pixels.
        height: CSS pixels.
        dpr: Device pixels a CSS pixel.
        theme: "light" or "dark".
        mode: Whether it is in its "cell", fills the "window" or the "screen".
    """

    client: str = ""
    heard: float = 0.0
    visible: bool = False
    width: float = 900.0
    height: float = 560.0
    dpr: float = 1.0
    theme: str = "light"
    mode: str = "cell"

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
        if head.get("mode") in MODES:
            self.mode = head["mode"]

    @property
    def size(self) -> tuple[float, float, float]:
        """What panels are laid out for: width, height, density."""
        return self.width, self.height, self.dpr


class Page:
    """The pages at the other end, as one.

    Attributes:
        stats: What the controlling page measured last: `fps`, `draw_ms`, `scale`.
    """

    def __init__(self) -> None:
        """Starts with nobody there."""
        # The newest is last.
        self._views: dict[str, Look] = {}
        self._control = ""
        self._last = Look()
        self._seen = (self._last.theme, self._last.size)
        self._settled = time.monotonic()
        self._asked: float | None = None
        self._telling = self._told = False
        self._reminded = -_REMIND_SEC
        self.stats: dict[str, float] = {}

    @property
    def look(self) -> Look:
        """How the controlling view is shown; the last one that was, if all left."""
        return self._last

    @property
    def control(self) -> str:
        """The controlling view's id; empty while there is none."""
        return self._control

    @property
    def ready(self) -> bool:
        """Whether a view is there."""
        return bool(self._views)

    @property
    def showing(self) -> bool:
        """Whether frames have somebody to look at them."""
        return any(look.visible for look in self._views.values())

    def leave(self) -> None:
        """Forgets all views."""
        self._views.clear()
        self._control = ""

    def controls(self, head: dict[str, Any]) -> bool:
        """Tells whether a message comes from the page that is in control.

        Another page that believes so is told by the next `announcement`.
        """
        if str(head.get("client")) == self._last.client:
            return True
        now = time.monotonic()
        if "events" in head or "camera" in head:
            self._telling |= now - self._reminded > _REMIND_SEC
            self._reminded = now if self._telling else self._reminded
        return False

    def announcement(self) -> dict[str, Any] | None:
        """Returns the message that says who controls, when it is due.

        A view that is alone, and always was, is never told.
        """
        due, self._telling = self._telling and bool(self._control), False
        self._told |= due
        return {"type": "control", "view": self._control} if due else None

    def receive(self, head: dict[str, Any]) -> str:
        """Takes in one message.

        Returns:
            What changed for the panels: "theme", "size", or "" for nothing.
        """
        client, now = str(head.get("client")), time.monotonic()
        view = str(head.get("view") or client)
        for look in self._views.values():
            if look.client == client:
                look.heard = now
        match head.get("type"):
            case "ready":
                self._begin(client, now)
                self._show(view, client, head, now)
            case "view" if head.get("gone") is True:
                self._views.pop(view, None)
            case "view":
                self._show(view, client, head, now)
            case "take":
                self._show(view, client, head, now)
                self._give(view)
            case "bye":
                self._drop(client)
            case "input" if isinstance(stats := head.get("stats"), dict):
                if self.controls(head):
                    self._take_stats(stats)
        return self._decide(now)

    def settle(self) -> str:
        """Gives control away if its page has fallen silent; once a turn of the loop.

        Returns:
            What changed for the panels, as `receive` does.
        """
        now = time.monotonic()
        if now - self._settled > _AWAY_SEC:
            for look in self._views.values():
                look.heard = max(look.heard, now)
        self._settled = now
        return self._decide(now)

    def _begin(self, client: str, now: float) -> None:
        """Starts a page anew; it tells of its views one by one."""
        self._drop(client)
        for view, look in list(self._views.items()):
            if look.visible and now - look.heard > _FORGOTTEN_SEC:
                del self._views[view]

    def _drop(self, client: str) -> None:
        kept = {v: look for v, look in self._views.items() if look.client != client}
        self._views = kept

    def _show(self, view: str, client: str, head: dict[str, Any], now: float) -> None:
        if view not in self._views:
            self._views[view] = Look(client, now)
            if len(self._views) > 1 or self._told:
                self._telling = True
                self._asked = now
        self._views[view].take(head)

    def _give(self, view: str) -> None:
        if view != self._control:
            self._telling |= self._told or len(self._views) > 1
            self._control = view
            self._asked = None

    def _decide(self, now: float) -> str:
        """Keeps control with a view that is seen, if there is one."""
        seen = [v for v, look in self._views.items() if self._is_seen(v, look, now)]
        if self._control not in seen:
            if seen:
                self._give(seen[-1])
            elif self._control not in self._views:
                self._give(next(reversed(self._views), ""))
        self._last = self._views.get(self._control, self._last)
        before, self._seen = self._seen, (self._last.theme, self._last.size)
        if self._seen[0] != before[0]:
            return "theme"
        return "" if self._seen == before else "size"

    def _is_seen(self, view: str, look: Look, now: float) -> bool:
        if not look.visible or now - look.heard > _SILENT_SEC:
            return False
        if view != self._control or self._asked is None:
            return True
        if look.heard >= self._asked:
            self._asked = None
        return self._asked is None or now - self._asked <= _ANSWER_SEC

    def _take_stats(self, stats: dict[str, Any]) -> None:
        for name in _STATS:
            value = _number(stats.get(name), 0.0, 1e6)
            if value is not None:
                self.stats[name] = value
