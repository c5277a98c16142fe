"""The rows of a recording that do not follow from the one before by a step.

`Recorder` owns a `Marks` on the sim thread. It knows where resets, other models,
states set by hand and branches begin, and so which way "back" is.
"""

import bisect
import collections
import dataclasses
from typing import NamedTuple


class Mark(NamedTuple):
    """A row that does not follow from the one before by a step.

    Attributes:
        row: Its place among the rows that are there, from 0.
        kind: "reset", "model" (the model was exchanged or edited), "scrub" (it
            goes on from an earlier row) or "state" (a cell, panel or plugin set
            the state).
        ended: Time of the row before, seconds.
        began: Time of this row, seconds.
    """

    row: int
    kind: str
    ended: float
    began: float


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """What is behind a `Mark`.

    Attributes:
        number: Of the row, counted since the recording began.
        kind: See `Mark`.
        ended: See `Mark`.
        began: See `Mark`.
        origin: Number of the row that this one is a copy of; None for one of its own.
        stepped: Whether the row is a step's, and not the state before the first.
    """

    number: int
    kind: str
    ended: float
    began: float
    origin: int | None = None
    stepped: bool = False


class Marks:
    """Starts, in the order of their rows.

    Attributes:
        count: How many there have been.
        unstepped: How many of those that are gone were no steps.
    """

    def __init__(self) -> None:
        """Starts with none."""
        self._starts: collections.deque[Start] = collections.deque()
        self.count = self.unstepped = 0

    def add(self, start: Start) -> None:
        """Adds the start of the newest row."""
        self._starts.append(start)
        self.count += 1

    def drop_before(self, first: int) -> None:
        """Forgets those of rows before the one of that number."""
        while self._starts and self._starts[0].number < first:
            self.unstepped += not self._starts.popleft().stepped

    def begins(self, number: int) -> bool:
        """Tells whether the row of that number is the latest start."""
        return bool(self._starts) and self._starts[-1].number == number

    def others(self, first: int) -> list[int]:
        """Returns the places of the rows that are no steps, from 0 for row `first`."""
        return [s.number - first for s in self._starts if not s.stepped]

    def latest(self, most: int, first: int) -> list[Mark]:
        """Returns the latest marks, in order; a start at row `first` is none.

        Args:
            most: How many at the most.
            first: Number of the oldest row that is there.
        """
        skipped = max(0, len(self._starts) - most)
        return [
            Mark(start.number - first, start.kind, start.ended, start.began)
            for i, start in enumerate(self._starts)
            if i >= skipped and start.number > first
        ]

    def back(self, number: int, n: int) -> int:
        """Returns the number of the row `n` steps before another.

        Steps go back to where a branch left, not over what was left behind there.
        """
        branches = [s for s in self._starts if s.origin is not None]
        while n > 0:
            i = bisect.bisect_right(branches, number, key=lambda s: s.number) - 1
            if i < 0 or number - n >= branches[i].number:
                return number - n
            n -= number - branches[i].number
            number = branches[i].origin or 0
        return number
