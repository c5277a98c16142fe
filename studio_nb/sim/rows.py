"""Rows of numbers, appended one by one, within a memory budget.

`Recorder` owns a `RowStore` on the sim thread. Rows are written into one buffer;
when it is full they are packed into a `Chunk`, which keeps a column that did not
change only once: forces that nobody applies and controls that stand still cost
nothing. Beyond the budget the oldest chunks go.
"""

import bisect
import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Small enough to stay in a processor's cache while it is filled and packed.
_BUFFER_BYTES = 1 << 18
# Fewer rows than these share too little, however wide they are.
_MIN_ROWS = 32
# Of the budget; so that what is dropped at once is a small part of it.
_BUFFER_SHARE = 4


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Rows that do not change any more; any thread may read them.

    Attributes:
        tag: What the writer said of these rows.
        start: Number of the first row.
        count: How many rows.
        base: (width,) the first row.
        varying: (k,) columns in which another row differs from the first.
        values: (count, k) their values.
    """

    tag: Any
    start: int
    count: int
    base: Array
    varying: npt.NDArray[np.intp]
    values: Array

    @classmethod
    def pack(cls, tag: object, start: int, rows: Array) -> "Chunk":
        """Packs a copy of at least one row, to the last bit."""
        bits = rows.view(np.uint64)
        varying = np.flatnonzero((bits != bits[0]).any(axis=0))
        values = np.take(rows, varying, axis=1)
        return cls(tag, start, len(rows), rows[0].copy(), varying, values)

    @property
    def nbytes(self) -> int:
        """Memory held, bytes."""
        return self.base.nbytes + self.varying.nbytes + self.values.nbytes

    def row(self, number: int) -> Array:
        """Returns a row, (width,)."""
        row = self.base.copy()
        row[self.varying] = self.values[number - self.start]
        return row

    def columns(self, part: slice) -> Array:
        """Returns some columns of all rows, (count, columns)."""
        columns = np.tile(self.base[part], (self.count, 1))
        first, last = np.searchsorted(self.varying, [part.start, part.stop])
        columns[:, self.varying[first:last] - part.start] = self.values[:, first:last]
        return columns


class RowStore:
    """Rows by their number, counted from 0 in the order in which they came.

    The writer fills `buffer[used]` and adds one to `used`; before that it calls
    `seal` when `used` has reached `capacity`.

    Attributes:
        buffer: (capacity, width); the rows before `used` are written.
        used: Rows in the buffer.
        capacity: Rows that the buffer has room for.
        first: Number of the oldest row that is still there.
    """

    def __init__(self, budget_bytes: int) -> None:
        """Starts without a buffer.

        Args:
            budget_bytes: The most memory to take.
        """
        self._budget = budget_bytes
        self.clear()

    def clear(self) -> None:
        """Forgets all rows, and the buffer; `begin` comes next."""
        self._chunks: list[Chunk] = []
        self._packed_bytes = 0
        self._tag: object = None
        self._start = 0
        self.buffer: Array = np.zeros((0, 0))
        self.used = self.capacity = self.first = 0

    def begin(self, width: int, tag: object) -> None:
        """Goes on with rows of another width.

        Args:
            width: Of the rows to come.
            tag: Returned with each of them.
        """
        if self.used:
            self.seal()
        row_bytes = 8 * width
        wanted = max(_BUFFER_BYTES // row_bytes, _MIN_ROWS)
        allowed = self._budget // _BUFFER_SHARE // row_bytes
        self.capacity = max(1, min(wanted, allowed))
        self.buffer = np.zeros((self.capacity, width))
        self._tag = tag

    def seal(self) -> None:
        """Packs the buffer's rows and empties it; drops the oldest if need be."""
        chunk = Chunk.pack(self._tag, self._start, self.buffer[: self.used])
        self._chunks.append(chunk)
        self._packed_bytes += chunk.nbytes
        self._start += self.used
        self.used = 0
        gone = 0
        while self.nbytes > self._budget and gone < len(self._chunks) - 1:
            self._packed_bytes -= self._chunks[gone].nbytes
            gone += 1
        if gone:
            del self._chunks[:gone]
            self.first = self._chunks[0].start

    @property
    def nbytes(self) -> int:
        """Memory held, bytes."""
        return self._packed_bytes + self.buffer.nbytes

    @property
    def end(self) -> int:
        """The number that the next row gets."""
        return self._start + self.used

    def __len__(self) -> int:
        """Returns how many rows are there."""
        return self.end - self.first

    def at(self, number: int) -> tuple[Any, Array]:
        """Returns a row's tag and a copy of it.

        Raises:
            IndexError: If it was dropped, or is not there yet.
        """
        if not self.first <= number < self.end:
            msg = f"row {number} is not among {self.first} to {self.end - 1}"
            raise IndexError(msg)
        if number >= self._start:
            return self._tag, self.buffer[number - self._start].copy()
        place = bisect.bisect(self._chunks, number, key=lambda chunk: chunk.start)
        chunk = self._chunks[place - 1]
        return chunk.tag, chunk.row(number)

    def chunks(self) -> list[Chunk]:
        """Returns all rows; they stay as they are when others are appended."""
        rows = self.buffer[: self.used]
        opened = [Chunk.pack(self._tag, self._start, rows)] if self.used else []
        return [*self._chunks, *opened]
