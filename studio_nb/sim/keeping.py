"""The state of one model handed over to another, by the names of what has it.

`plugins.modelsource` calls it on the sim thread when a model was built anew. An
edit of a spec needs none of this: MuJoCo keeps the state when it recompiles.
"""

from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np

_Obj = mujoco.mjtObj
_Path = tuple[Any, ...]

# Places and speeds that a joint has in qpos and qvel, by its type.
_SIZES = {
    int(mujoco.mjtJoint.mjJNT_FREE): (7, 6),
    int(mujoco.mjtJoint.mjJNT_BALL): (4, 3),
    int(mujoco.mjtJoint.mjJNT_SLIDE): (1, 1),
    int(mujoco.mjtJoint.mjJNT_HINGE): (1, 1),
}


def carried(
    old: mujoco.MjModel, data: mujoco.MjData, new: mujoco.MjModel
) -> mujoco.MjData:
    """Returns data for a model in the state of another, as far as they share it.

    Joints, actuators, equality constraints and mocap bodies are the same when they
    have the same name; those without one when they come at the same place below
    what is the same.

    Args:
        old: The model before.
        data: Its data.
        new: The model to come.
    """
    out = mujoco.MjData(new)
    out.time = data.time
    bodies, new_bodies = _bodies(old), _bodies(new)
    for i, j in _shared(_joints(old, bodies), _joints(new, new_bodies)):
        if old.jnt_type[i] == new.jnt_type[j]:
            positions, speeds = _SIZES[int(old.jnt_type[i])]
            p, q = old.jnt_qposadr[i], new.jnt_qposadr[j]
            out.qpos[q : q + positions] = data.qpos[p : p + positions]
            p, q = old.jnt_dofadr[i], new.jnt_dofadr[j]
            for name in ("qvel", "qacc_warmstart", "qfrc_applied"):
                its = getattr(data, name)[p : p + speeds]
                getattr(out, name)[q : q + speeds] = its
    _carry_controls(old, data, new, out)
    for i, j in _shared(_equalities(old), _equalities(new)):
        out.eq_active[j] = data.eq_active[i]
    for i, j in _shared(bodies, new_bodies):
        out.xfrc_applied[j] = data.xfrc_applied[i]
        p, q = old.body_mocapid[i], new.body_mocapid[j]
        if p >= 0 and q >= 0:
            out.mocap_pos[q], out.mocap_quat[q] = data.mocap_pos[p], data.mocap_quat[p]
    if np.shape(out.userdata) == np.shape(data.userdata):
        out.userdata[:] = data.userdata
    return out


def _carry_controls(
    old: mujoco.MjModel, data: mujoco.MjData, new: mujoco.MjModel, out: mujoco.MjData
) -> None:
    """Hands over controls and activations, of as many as an actuator has in both."""
    for i, j in _shared(_actuators(old), _actuators(new)):
        for name in ("ctrl", "act"):
            its, place = _of_actuator(old, name, i), _of_actuator(new, name, j)
            if its.stop - its.start == place.stop - place.start:
                getattr(out, name)[place] = getattr(data, name)[its]


def _of_actuator(model: mujoco.MjModel, column: str, index: int) -> slice:
    """Returns the places of an actuator in "ctrl" or "act"."""
    start = getattr(model, f"actuator_{column}adr")[index]
    return slice(start, start + getattr(model, f"actuator_{column}num")[index])


def _shared(old: list[_Path], new: list[_Path]) -> Iterator[tuple[int, int]]:
    """Yields the IDs, in both models, of what is the same in them."""
    there = {path: index for index, path in enumerate(new)}
    return ((i, there[path]) for i, path in enumerate(old) if path in there)


def _bodies(model: mujoco.MjModel) -> list[_Path]:
    def parent(index: int, paths: list[_Path]) -> _Path:
        return paths[model.body_parentid[index]]

    return _paths(model, _Obj.mjOBJ_BODY, model.nbody, parent)


def _joints(model: mujoco.MjModel, bodies: list[_Path]) -> list[_Path]:
    def body(index: int, _: list[_Path]) -> _Path:
        return bodies[model.jnt_bodyid[index]]

    return _paths(model, _Obj.mjOBJ_JOINT, model.njnt, body)


def _actuators(model: mujoco.MjModel) -> list[_Path]:
    return _paths(model, _Obj.mjOBJ_ACTUATOR, model.nactuator, lambda *_: ())


def _equalities(model: mujoco.MjModel) -> list[_Path]:
    return _paths(model, _Obj.mjOBJ_EQUALITY, model.neq, lambda *_: ())


def _paths(
    model: mujoco.MjModel,
    kind: mujoco.mjtObj,
    count: int,
    above: Callable[[int, list[_Path]], _Path],
) -> list[_Path]:
    """Returns what elements are known by: their names, or else their places.

    Args:
        model: The model.
        kind: The elements' type.
        count: How many there are.
        above: Returns what the thing is known by in which an element is, from the
            element's ID and the paths found so far.
    """
    paths: list[_Path] = []
    taken: dict[_Path, int] = {}
    for index in range(count):
        name = mujoco.mj_id2name(model, kind, index)
        if name:
            paths.append((name,))
            continue
        parent = above(index, paths)
        place = taken[parent] = taken.get(parent, -1) + 1
        paths.append((*parent, place))
    return paths
