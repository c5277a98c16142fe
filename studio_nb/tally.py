"""What one viewer has sent so far, for `Studio.stats` and the status bar.

`NotebookViewer` owns one and counts, on its thread.
"""


class Tally:
    """Totals since the start. Viewer thread only, but may be read from any."""

    def __init__(self) -> None:
        """Starts at nothing."""
        self._frames = self._state_bytes = self._ui_bytes = 0
        self._seconds = 0.0

    def add(self, state: bytes | None, ui: bytes | None, seconds: float) -> None:
        """Counts a frame.

        Args:
            state: Its `/state` packet, if it has one.
            ui: Its `/ui` packet, if it has one.
            seconds: What it took of the viewer thread.
        """
        self._frames += 1
        self._state_bytes += len(state or b"")
        self._ui_bytes += len(ui or b"")
        self._seconds += seconds

    def figures(self) -> dict[str, float]:
        """Returns `frames`, `state_bytes`, `ui_bytes` and `frame_sec`, see `add`."""
        return {
            "frames": self._frames,
            "state_bytes": self._state_bytes,
            "ui_bytes": self._ui_bytes,
            "frame_sec": self._seconds,
        }
