"""What a cell gets of what was recorded: columns over time, with names and units.

`Recorder.taken` makes it; it is a copy, never a live view. Any thread.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from studio_nb.sim.columns import COLUMNS, Layout
from studio_nb.sim.rows import Chunk

__all__ = ["COLUMNS", "History"]


class History:
    """What was recorded of one model: a copy that a cell may keep and change.

    Attributes:
        time: (n,) float64, seconds.
        qpos: (n, nq) float64, metres, radians and quaternions (w first).
        qvel: (n, nv) float64, per second.
        act: (n, na) float64, the actuators' activations, in their own units.
        ctrl: (n, nu) float64, in the actuators' units.
        sensordata: (n, nsensordata) float64, in the sensors' units. As `mj_step`
            leaves it: measured at the start of the step, when its forces were
            computed, so one step behind `qpos`.
        dropped: Steps that were recorded and had to go to stay in the budget.
    """

    time: npt.NDArray[np.float64]
    qpos: npt.NDArray[np.float64]
    qvel: npt.NDArray[np.float64]
    act: npt.NDArray[np.float64]
    ctrl: npt.NDArray[np.float64]
    sensordata: npt.NDArray[np.float64]

    def __init__(
        self,
        columns: dict[str, npt.NDArray[np.float64]],
        labels: dict[str, tuple[str, ...]],
        units: dict[str, tuple[str, ...]],
        dropped: int,
    ) -> None:
        """Takes over the arrays."""
        self.dropped = dropped
        self._labels = labels
        self._units = units
        for name in COLUMNS:
            setattr(self, name, columns[name])

    @classmethod
    def empty(cls) -> "History":
        """Returns the history of nothing."""
        none = {name: np.zeros((0, 0)) for name in COLUMNS}
        return cls(none | {"time": np.zeros(0)}, {}, {}, 0)

    @classmethod
    def of(
        cls, layout: Layout, chunks: Sequence[Chunk], others: list[int], dropped: int
    ) -> "History":
        """Returns the columns of recorded rows.

        Args:
            layout: Gives names and units.
            chunks: The rows, each chunk tagged with its own layout.
            others: The places, from 0, of the rows that are no steps.
            dropped: See `History.dropped`.
        """
        columns = {}
        for name in COLUMNS:
            none = np.zeros((0, len(layout.labels[name])))
            cut = [chunk.columns(chunk.tag.parts[name]) for chunk in chunks]
            columns[name] = np.delete(np.concatenate([none, *cut]), others, axis=0)
        columns["time"] = columns["time"][:, 0]
        return cls(columns, layout.labels, layout.units, dropped)

    def __len__(self) -> int:
        """Returns the number of recorded steps."""
        return len(self.time)

    def labels(self, column: str) -> tuple[str, ...]:
        """Returns one label for each element of `column`, such as a joint's name."""
        return self._labels[column]

    def units(self, column: str) -> tuple[str, ...]:
        """Returns one unit for each element of `column`; "" where there is none."""
        return self._units[column]

    def __repr__(self) -> str:
        """Says how much was recorded, of what."""
        if not len(self):
            return "<History: nothing recorded yet>"
        shapes = ", ".join(f"{c} {getattr(self, c).shape}" for c in COLUMNS)
        gone = f", {self.dropped} older steps dropped" if self.dropped else ""
        span = f"{self.time[0]:.3f} to {self.time[-1]:.3f} s"
        return f"<History: {len(self)} steps, {span}: {shapes}{gone}>"
