"""What a recorded row holds of a model's state, and how a row is put back.

`Recorder` writes rows of a `Layout` on the sim thread; `History` reads its
columns with their names and units. A row holds all that the next `mj_step` reads
(`mjSTATE_INTEGRATION` of MuJoCo's `mjdata.h`, and which trees sleep), so that a
simulation that goes on from it does what it did then, to the last bit.
"""

import dataclasses
from collections.abc import Iterator

import mujoco
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# What a cell sees of a row, in the order in which it lies there.
COLUMNS = ("time", "qpos", "qvel", "act", "ctrl", "sensordata")

_Obj = mujoco.mjtObj
_STATE = mujoco.mjtState
SIGNATURE = int(_STATE.mjSTATE_INTEGRATION)
# mj_getState packs the parts in the order of their bits.
_BITS = {
    name.removeprefix("mjSTATE_").lower(): int(bit)
    for name, bit in sorted(_STATE.__members__.items(), key=lambda item: int(item[1]))
    if int(bit).bit_count() == 1 and SIGNATURE & int(bit)
}
# What moves by itself; the rest of the state is what moves it.
_MOVING = ("time", "qpos", "qvel", "act")
MOVING_SIGNATURE = sum(_BITS[name] for name in _MOVING)
_FORCES = "xfrc_applied"

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
        parts: Name to its slice of the row: the parts of MuJoCo's state, then
            "sensordata", "asleep" (`tree_asleep`), "noise" (that is in ctrl) and
            "pushed" (1 while the mouse pulls, whose force is in xfrc_applied).
        state: Their slice that is MuJoCo's state.
        passing: Their slice that is seldom other than 0.
        labels: Column name to one label an element, such as "right_knee".
        units: Column name to one unit an element, such as "rad".
        width: Number of float64 in a row.
        sleeps: Whether trees of bodies may fall asleep.
    """

    parts: dict[str, slice]
    state: slice
    passing: slice
    labels: dict[str, tuple[str, ...]]
    units: dict[str, tuple[str, ...]]
    width: int
    sleeps: bool

    @classmethod
    def of(cls, model: mujoco.MjModel) -> "Layout":
        """Returns the layout for `model`."""
        sizes = {name: mujoco.mj_stateSize(model, bit) for name, bit in _BITS.items()}
        sizes |= {"sensordata": model.nsensordata, "asleep": model.ntree}
        sizes |= {"noise": model.nu, "pushed": 1}
        parts, at = {}, 0
        for name, size in sizes.items():
            parts[name] = slice(at, at + size)
            at += size
        described = _describe(model)
        return cls(
            parts,
            slice(0, parts["sensordata"].start),
            slice(parts["noise"].start, at),
            {name: tuple(e[0] for e in items) for name, items in described.items()},
            {name: tuple(e[1] for e in items) for name, items in described.items()},
            at,
            may_sleep(model),
        )

    @property
    def moving(self) -> slice:
        """The slice of what moves by itself."""
        return slice(self.parts["time"].start, self.parts["act"].stop)

    def continues(self, other: "Layout") -> bool:
        """Tells whether both have the same columns, as a cell sees them."""
        return (self.labels, self.units) == (other.labels, other.units)

    def put_back(
        self,
        row: Array,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        layout: "Layout",
    ) -> None:
        """Puts the simulation into the state of a row of this layout.

        Args:
            row: (width,).
            model: The present model.
            data: Its data; a part of another size than in the row stays as it is.
            layout: Of the present model.
        """
        before = data.xfrc_applied.copy()
        if layout.sleeps:
            # Else the poses of what sleeps are not computed anew.
            mujoco.mj_resetData(model, data)
            data.xfrc_applied[:] = before
        if _sizes(self) == _sizes(layout):
            mujoco.mj_setState(model, data, row[self.state], SIGNATURE)
        else:
            for name, bit in _BITS.items():
                part = row[self.parts[name]]
                if len(part) == mujoco.mj_stateSize(model, bit):
                    mujoco.mj_setState(model, data, part, bit)
        if row[self.parts["pushed"]].any():
            # The hand that pushed then has let go since.
            data.xfrc_applied[:] = before
        mujoco.mj_forward(model, data)
        asleep = row[self.parts["asleep"]]
        if layout.sleeps and len(asleep) == model.ntree:
            _fall_asleep(model, data, asleep)


def may_sleep(model: mujoco.MjModel) -> bool:
    """Tells whether trees of bodies may fall asleep."""
    return bool(model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP)


def _sizes(layout: Layout) -> list[slice]:
    return [layout.parts[name] for name in _BITS]


def _fall_asleep(model: mujoco.MjModel, data: mujoco.MjData, asleep: Array) -> None:
    """Sets which trees sleep, and the lists of what is awake that follow from it.

    MuJoCo makes these lists in `engine_sleep.c`, and only when it has put a tree to
    sleep or woken one up.
    """
    data.tree_asleep[:] = asleep
    awake = asleep < 0
    tree = model.body_treeid
    # A body of no tree is static: neither awake (1) nor asleep (0).
    bodies = np.where(tree < 0, -1, awake[tree])
    data.tree_awake[:] = awake
    data.body_awake[:] = bodies
    data.ntree_awake = int(awake.sum())
    data.nbody_awake = _fill(data.body_awake_ind, bodies != 0)
    under = bodies[model.body_parentid] != 0
    under[0] = False
    data.nparent_awake = _fill(data.parent_awake_ind, under)
    data.nv_awake = _fill(data.dof_awake_ind, awake[model.dof_treeid])


def _fill(indices: npt.NDArray[np.int32], chosen: npt.NDArray[np.bool_]) -> int:
    """Writes the places that are True to the front of `indices`; returns how many."""
    found = np.flatnonzero(chosen)
    indices[: len(found)] = found
    return len(found)


# -- names and units -----------------------------------------------------------


def _describe(model: mujoco.MjModel) -> dict[str, list[tuple[str, str]]]:
    """Returns label and unit of each element of each column."""
    return {
        "time": [("time", "s")],
        "qpos": list(_joint_elements(model, _JOINT_QPOS, speed=False)),
        "qvel": list(_joint_elements(model, _JOINT_QVEL, speed=True)),
        "act": list(_elements(model, _Obj.mjOBJ_ACTUATOR, model.actuator_actnum)),
        "ctrl": list(_elements(model, _Obj.mjOBJ_ACTUATOR, model.actuator_ctrlnum)),
        "sensordata": list(_elements(model, _Obj.mjOBJ_SENSOR, model.sensor_dim)),
    }


def _name(model: mujoco.MjModel, kind: mujoco.mjtObj, index: int) -> str:
    word = mujoco.mju_type2Str(int(kind))
    return mujoco.mj_id2name(model, kind, index) or f"{word} {index}"


def _joint_elements(
    model: mujoco.MjModel,
    parts: dict[mujoco.mjtJoint, tuple[str, ...]],
    *,
    speed: bool,
) -> Iterator[tuple[str, str]]:
    per = "/s" if speed else ""
    for i in range(model.njnt):
        kind = mujoco.mjtJoint(model.jnt_type[i])
        name = _name(model, _Obj.mjOBJ_JOINT, i)
        if kind not in parts:
            yield name, ("rad" if kind in _ANGULAR else "m") + per
            continue
        for part in parts[kind]:
            unit = "rad" if part[0] == "w" else "m"
            yield f"{name} {part}", "" if part[0] == "q" else unit + per


def _elements(
    model: mujoco.MjModel, kind: mujoco.mjtObj, counts: npt.NDArray[np.int32]
) -> Iterator[tuple[str, str]]:
    """Yields the numbers of things that have several of them.

    Args:
        model: The model.
        kind: What they are.
        counts: How many numbers each of them has.
    """
    for i, size in enumerate(counts.tolist()):
        name = _name(model, kind, i)
        for k in range(size):
            yield (name if size == 1 else f"{name}[{k}]"), ""
