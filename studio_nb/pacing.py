"""When the viewer sends what: frames at the page's pace, panels at their own.

`NotebookViewer` notes here what changed, and asks once a turn of its loop what is
due and how long it may sleep. Viewer thread only.
"""

from studio_nb.flow import Flow

# How long panels wait for the frame that was asked for, to travel with it.
_PATIENCE_SEC = 0.02
# How often values in panels move while the simulation runs.
_PANEL_SEC = 1 / 15
# How often the loop turns with nothing to do, to notice a closed session.
_IDLE_SEC = 0.5


class Pacing:
    """What is due for one viewer; times are of `time.perf_counter`, in seconds.

    Attributes:
        scene: Whether the scene may look different from what was sent.
        panels: Whether the panels may.
        paused: Whether the simulation stands still.
        dragging: Whether a body is being dragged.
        sent_at: When the last frame was sent.
        built_at: When the panels were built last.
        asked_at: When the sim was asked for a frame last.
        asked: Whether its answer has yet to come.
    """

    def __init__(self, flow: Flow) -> None:
        """Starts with all to be drawn.

        Args:
            flow: How much the page can take.
        """
        self._flow = flow
        self.scene = self.panels = True
        self.paused = self.dragging = self.asked = False
        self.sent_at = self.built_at = self.asked_at = 0.0

    def touch(self) -> None:
        """Notes that all may look different."""
        self.scene = self.panels = True

    def may_send(self, now: float) -> bool:
        """Tells whether the page is ready for a frame."""
        return now - self.sent_at >= 1 / self._flow.fps and self._flow.can_send(now)

    @property
    def _urgent(self) -> bool:
        return self.scene or self.dragging or self._flow.need_full

    def has_news(self, now: float, *, unsettled: bool | None) -> bool:
        """Tells whether there is something to send.

        Args:
            now: The present time.
            unsettled: Whether panels may change by themselves; None without panels.
        """
        if self._urgent:
            return True
        # While the simulation runs panels ride along with its frames.
        alone = self.paused or now - self.asked_at >= _PATIENCE_SEC
        return alone and self.panels_due(now, unsettled=unsettled)

    def panels_due(self, now: float, *, unsettled: bool | None) -> bool:
        """Tells whether the panels are to be built; see `has_news`."""
        if unsettled is None:
            return False
        if unsettled or self._flow.need_full:
            return True
        moving = self.panels or not self.paused
        return moving and now - self.built_at >= _PANEL_SEC

    def wait_sec(self, now: float, *, showing: bool, unsettled: bool | None) -> float:
        """Returns how long the loop may sleep when nothing wakes it.

        Args:
            now: The present time.
            showing: Whether anybody looks.
            unsettled: See `has_news`.
        """
        if not showing or not self._flow.can_send(now):
            # An ack, or the page's return, wakes the loop.
            return _IDLE_SEC
        slot = max(0.0, self.sent_at + 1 / self._flow.fps - now)
        if self._urgent or (slot and not self.asked):
            return slot
        if unsettled:
            return slot if self.paused else max(slot, _PATIENCE_SEC)
        if unsettled is not None and (self.panels or not self.paused):
            return max(slot, _PATIENCE_SEC, self.built_at + _PANEL_SEC - now)
        return _IDLE_SEC
