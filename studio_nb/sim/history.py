"""The recorder: every physics step's state, within a memory budget.

`Recorder` lives on the sim thread and writes one row a step. `History` is what
a cell gets: a copy, never a live view.
"""

import collections
import dataclasses
import functools
from collections.abc import Callable, Iterator

import mujoco
import numpy as np
import numpy.typing as npt
from mujoco.studio import messages, plugin

_STATE = mujoco.mjtState
# Recorded in the order in which mj_getState packs them, which is bit order.
_COLUMNS = {
    "time": _STATE.mjSTATE_TIME,
    "qpos": _STATE.mjSTATE_QPOS,
    "qvel": _STATE.mjSTATE_QVEL,
    "ctrl": _STATE.mjSTATE_CTRL,
}
_SIGNATURE = functools.reduce(lambda sig, bit: sig | int(bit), _COLUMNS.values(), 0)
COLUMNS = (*_COLUMNS, "sensordata")

# Rows are allocated in pieces of about this size, and dropped by the piece.
_CHUNK_BYTES = 1 << 20
DEFAULT_BUDGET_BYTES = 256 << 20

_JOINT_QPOS = {
    mujoco.mjtJoint.mjJNT_FREE: ("x", "y", "z", "qw", "qx", "qy", "qz"),
    mujoco.mjtJoint.mjJNT_BALL: ("qw", "qx", "qy", "qz"),
}
_JOINT_QVEL = {
    mujoco.mjtJoint.mjJNT_FREE: ("vx", "vy", "vz", "wx", "wy", "wz"),
    mujoco.mjtJoint.mjJNT_BALL: ("wx", "wy", "wz"),
}
_ANGULAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL)


@dataclasses.dataclass(frozen=True)
class Layout:
    """What a row holds, for one model.

    Attributes:
        columns: Column name to its slice of the row.
        labels: Column name to one label an element, such as "right_knee".
        units: Column name to one unit an element, such as "rad".
        width: Number of float64 in a row.
    """

    columns: dict[str, slice]
    labels: dict[str, tuple[str, ...]]
    units: dict[str, tuple[str, ...]]
    width: int

    @classmethod
    def of(cls, model: mujoco.MjModel) -> "Layout":
        """Returns the layout for `model`."""
        columns, at = {}, 0
        for name, bit in _COLUMNS.items():
            size = mujoco.mj_stateSize(model, int(bit))
            columns[name] = slice(at, at + size)
            at += size
        columns["sensordata"] = slice(at, at + model.nsensordata)
        described = {
            "time": [("time", "s")],
            "qpos": list(_joint_elements(model, _JOINT_QPOS, speed=False)),
            "qvel": list(_joint_elements(model, _JOINT_QVEL, speed=True)),
            "ctrl": [
                (_name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i), "")
                for i in range(model.nu)
            ],
            "sensordata": list(_sensor_elements(model)),
        }
        return cls(
            columns,
            {name: tuple(e[0] for e in items) for name, items in described.items()},
            {name: tuple(e[1] for e in items) for name, items in described.items()},
            at + model.nsensordata,
        )


def _name(model: mujoco.MjModel, kind: mujoco.mjtObj, index: int) -> str:
    kinds = {
        mujoco.mjtObj.mjOBJ_JOINT: "joint",
        mujoco.mjtObj.mjOBJ_ACTUATOR: "actuator",
        mujoco.mjtObj.mjOBJ_SENSOR: "sensor",
    }
    return mujoco.mj_id2name(model, kind, index) or f"{kinds[kind]} {index}"


def _joint_elements(
    model: mujoco.MjModel,
    parts: dict[mujoco.mjtJoint, tuple[str, ...]],
    *,
    speed: bool,
) -> Iterator[tuple[str, str]]:
    per = "/s" if speed else ""
    for i in range(model.njnt):
        kind = mujoco.mjtJoint(model.jnt_type[i])
        name = _name(model, mujoco.mjtObj.mjOBJ_JOINT, i)
        if kind not in parts:
            yield name, ("rad" if kind in _ANGULAR else "m") + per
            continue
        for part in parts[kind]:
            unit = "rad" if part[0] == "w" else "m"
            yield f"{name} {part}", "" if part[0] == "q" else unit + per


def _sensor_elements(model: mujoco.MjModel) -> Iterator[tuple[str, str]]:
    for i in range(model.nsensor):
        name = _name(model, mujoco.mjtObj.mjOBJ_SENSOR, i)
        dim = int(model.sensor_dim[i])
        for k in range(dim):
            yield (name if dim == 1 else f"{name}[{k}]"), ""


class History:
    """What was recorded of one model: a copy that a cell may keep and change.

    Attributes:
        time: (n,) float64, seconds.
        qpos: (n, nq) float64, metres, radians and quaternions (w first).
        qvel: (n, nv) float64, per second.
        ctrl: (n, nu) float64, in the actuators' units.
        sensordata: (n, nsensordata) float64, in the sensors' units. As `mj_step`
            leaves it: measured at the start of the step, when its forces were
            computed, so one step behind `qpos`.
        dropped: Steps that were recorded and had to go to stay in the budget.
    """

    time: npt.NDArray[np.float64]
    qpos: npt.NDArray[np.float64]
    qvel: npt.NDArray[np.float64]
    ctrl: npt.NDArray[np.float64]
    sensordata: npt.NDArray[np.float64]

    def __init__(
        self, layout: Layout, rows: npt.NDArray[np.float64], dropped: int
    ) -> None:
        """Cuts `rows` (n, layout.width) into columns."""
        self._layout = layout
        self.dropped = dropped
        for name, part in layout.columns.items():
            column = rows[:, part]
            setattr(self, name, column[:, 0] if name == "time" else column)

    def __len__(self) -> int:
        """Returns the number of recorded steps."""
        return len(self.time)

    def labels(self, column: str) -> tuple[str, ...]:
        """Returns one label for each element of `column`, such as a joint's name."""
        return self._layout.labels[column]

    def units(self, column: str) -> tuple[str, ...]:
        """Returns one unit for each element of `column`; "" where there is none."""
        return self._layout.units[column]

    def __repr__(self) -> str:
        """Says how much was recorded, of what."""
        if not len(self):
            return "<History: nothing recorded yet>"
        shapes = ", ".join(f"{c} {getattr(self, c).shape}" for c in COLUMNS)
        gone = f", {self.dropped} older steps dropped" if self.dropped else ""
        span = f"{self.time[0]:.3f} to {self.time[-1]:.3f} s"
        return f"<History: {len(self)} steps, {span}: {shapes}{gone}>"


class Recorder(plugin.SimPlugin):
    """Keeps a row for every physics step; register `record` with the stepper."""

    def __init__(self, budget_bytes: int = DEFAULT_BUDGET_BYTES) -> None:
        """Starts empty.

        Args:
            budget_bytes: The most memory that rows may take; beyond it the
                oldest go.
        """
        self._budget = budget_bytes
        self._layout: Layout | None = None
        self._chunks: collections.deque[npt.NDArray[np.float64]] = collections.deque()
        self._states: list[npt.NDArray[np.float64]] = []
        self._sensors: list[npt.NDArray[np.float64]] = []
        self._used = 0
        self._state_width = 0
        self.dropped = 0

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_model(self, event: messages.PostModelEvent) -> None:
        layout = Layout.of(event.model)
        # An edit that leaves the columns as they are goes on in the same table.
        if layout != self._layout or not getattr(self.handle, "is_edit", False):
            self._layout = layout
            self._state_width = layout.columns["sensordata"].start
            self.clear()

    def clear(self) -> None:
        """Forgets everything recorded. Sim thread only."""
        self._chunks.clear()
        self._states, self._sensors = [], []
        self._used = self.dropped = 0

    def record(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Adds a row for the step just taken. Sim thread only."""
        if self._used == len(self._states):
            self._new_chunk()
        mujoco.mj_getState(model, data, self._states[self._used], _SIGNATURE)
        if self._sensors:
            self._sensors[self._used][:] = data.sensordata
        self._used += 1

    def _new_chunk(self) -> None:
        assert self._layout is not None  # noqa: S101 - a model came before its steps
        row_bytes = 8 * self._layout.width
        size = min(_CHUNK_BYTES, max(self._budget // 4, row_bytes))
        chunk = np.empty((max(1, size // row_bytes), self._layout.width))
        self._chunks.append(chunk)
        self._used = 0
        # Slicing a row costs as much as filling it, so the views are made at once.
        self._states = list(chunk[:, : self._state_width])
        sensors = chunk[:, self._state_width :]
        self._sensors = list(sensors) if sensors.size else []
        while len(self._chunks) > 2 and self.nbytes > self._budget:  # noqa: PLR2004 - the one being filled and one to read
            self.dropped += len(self._chunks.popleft())

    @property
    def nbytes(self) -> int:
        """Memory held by rows, bytes."""
        return sum(chunk.nbytes for chunk in self._chunks)

    def taken(self) -> Callable[[], History]:
        """Returns what makes a `History` of what is recorded. Sim thread only.

        Rows once written do not change, so the copying can be done, and the sim
        thread spared it, wherever the result is called.
        """
        if self._layout is None:
            empty = Layout(dict.fromkeys(COLUMNS, slice(0, 1)), {}, {}, 1)
            return lambda: History(empty, np.zeros((0, 1)), 0)
        layout, dropped, chunks = self._layout, self.dropped, list(self._chunks)
        if chunks:
            chunks[-1] = chunks[-1][: self._used]
        none = np.zeros((0, layout.width))
        return lambda: History(layout, np.concatenate([none, *chunks]), dropped)
