"""The figures that are taken of a viewer, and what one round of measuring it needs.

`peer.py` and `ours.py` fill `Figures`; `report.py` prints them.
"""

import dataclasses
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import psutil


@dataclasses.dataclass(frozen=True)
class Plan:
    """What to measure, and for how long."""

    model: Path
    # A viewer runs so long before it is measured: its quality has settled by then.
    warm_up_s: float
    # Frames, bytes and processor time are counted over so long.
    window_s: float


@dataclasses.dataclass(kw_only=True)
class Figures:
    """One viewer's figures; None: does not apply to it."""

    start_s: float
    picture_s: float
    picture_bytes: float
    again_s: float
    again_bytes: float
    fps: float
    browser_frame_s: float
    drawn_scale: float
    scene_frame_bytes: float
    frame_message_bytes: float | None
    ui_second_bytes: float
    socket_second_bytes: float
    requests_second: float
    cpu_running: float
    relay_cpu_running: float | None
    cpu_paused: float
    relay_cpu_paused: float | None
    paused_second_bytes: float

    @classmethod
    def median(cls, rounds: Sequence[Self]) -> Self:
        """The median of each figure over several rounds."""

        def middle(name: str) -> float | None:
            values = [getattr(figures, name) for figures in rounds]
            return None if None in values else statistics.median(values)

        return cls(
            **{field.name: middle(field.name) for field in dataclasses.fields(cls)}
        )


class CpuMeter:
    """Processor time of a process, and of those that it started, from now on."""

    def __init__(self, pid: int, *, children: bool = False) -> None:
        """Starts to count.

        Args:
            pid: The process.
            children: Whether the processes below it count as well.
        """
        self._process = psutil.Process(pid)
        self._children = children
        self._start = self._seconds()

    def _seconds(self) -> float:
        below = self._process.children(recursive=True) if self._children else []
        times = [process.cpu_times() for process in (self._process, *below)]
        return sum(t.user + t.system for t in times)

    def share(self, seconds: float) -> float:
        """Of one core, over the seconds since the start: 1 is all of it."""
        return (self._seconds() - self._start) / seconds
