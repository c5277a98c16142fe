"""Selecting, pushing and turning bodies with the mouse. Viewer thread only.

The page says what the pointer hit and how it is dragged; MuJoCo's own
`mjv_*Perturb` functions make forces or poses of it, and Studio's messages bring
these to the sim.
"""

import math
from collections.abc import Callable
from typing import Any, TypeGuard

import mujoco
import numpy as np
from mujoco.studio import messages

from studio_nb.scene.pick import Pick

_STATE = mujoco.mjtState
_FORCE = int(_STATE.mjSTATE_XFRC_APPLIED)
_MOCAP = int(_STATE.mjSTATE_MOCAP_POS) | int(_STATE.mjSTATE_MOCAP_QUAT)
_POSE = int(_STATE.mjSTATE_QPOS) | _MOCAP

# As Studio's handle_mouse_events has them: _V in the upright plane that faces the
# camera, or about its axes; _H with Shift, over the ground.
_MODES = {
    "rotate_v": (mujoco.mjtPertBit.mjPERT_ROTATE, mujoco.mjtMouse.mjMOUSE_ROTATE_V),
    "rotate_h": (mujoco.mjtPertBit.mjPERT_ROTATE, mujoco.mjtMouse.mjMOUSE_ROTATE_H),
    "translate_v": (mujoco.mjtPertBit.mjPERT_TRANSLATE, mujoco.mjtMouse.mjMOUSE_MOVE_V),
    "translate_h": (mujoco.mjtPertBit.mjPERT_TRANSLATE, mujoco.mjtMouse.mjMOUSE_MOVE_H),
}  # fmt: skip

Send = Callable[[messages.Message], None]


def body_of(model: mujoco.MjModel, objtype: object, objid: object) -> int:
    """Returns the body that an object belongs to; 0 (the world) when to none.

    Args:
        model: The model shown.
        objtype: An `mjtObj`, as the page says it.
        objid: The object's id, as the page says it.
    """
    tables = {
        int(mujoco.mjtObj.mjOBJ_GEOM): model.geom_bodyid,
        int(mujoco.mjtObj.mjOBJ_SITE): model.site_bodyid,
        int(mujoco.mjtObj.mjOBJ_CAMERA): model.cam_bodyid,
        int(mujoco.mjtObj.mjOBJ_LIGHT): model.light_bodyid,
        int(mujoco.mjtObj.mjOBJ_JOINT): model.jnt_bodyid,
        int(mujoco.mjtObj.mjOBJ_BODY): np.arange(model.nbody),
        int(mujoco.mjtObj.mjOBJ_XBODY): np.arange(model.nbody),
    }
    table = tables.get(objtype) if isinstance(objtype, int) else None
    if table is None or not isinstance(objid, int) or not 0 <= objid < len(table):
        return 0
    return int(table[objid])


class Perturber:
    """Turns pick and drag events into a viewer's `MjvPerturb` and messages."""

    def __init__(self, perturb: mujoco.MjvPerturb, send: Send) -> None:
        """Works on `perturb` in place.

        Args:
            perturb: The viewer's perturbation object.
            send: Sends a message to the sim.
        """
        self._perturb = perturb
        self._send = send
        self._mouse = mujoco.mjtMouse.mjMOUSE_NONE
        self._pushed = 0

    @property
    def active(self) -> bool:
        """Whether a body is being dragged, or a push has yet to be taken back."""
        return bool(self._perturb.active or self._pushed)

    def select(
        self, model: mujoco.MjModel, data: mujoco.MjData, hit: Pick | None
    ) -> None:
        """Selects what was hit: a body, and the flex or skin if it is of one."""
        perturb = self._perturb
        self.release(model, data)
        perturb.select, perturb.localpos[:] = 0, 0.0
        perturb.flexselect = perturb.skinselect = -1
        if hit is None:
            return
        perturb.select = hit.body
        perturb.flexselect, perturb.skinselect = hit.flex, hit.skin
        if hit.body:
            offset = hit.point - data.xpos[hit.body]
            perturb.localpos[:] = data.xmat[hit.body].reshape(3, 3).T @ offset

    def drag(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        scene: mujoco.MjvScene,
        event: dict[str, Any],
    ) -> None:
        """Applies one `perturb` event (docs/wire.md, "/input")."""
        perturb = self._perturb
        match event.get("a"):
            case "start" if perturb.select > 0 and event.get("mode") in _MODES:
                bit, self._mouse = _MODES[event["mode"]]
                mujoco.mjv_initPerturb(model, data, scene, perturb)
                perturb.active = int(bit)
            case "move" if perturb.active:
                dx, dy = event.get("dx"), event.get("dy")
                if is_number(dx) and is_number(dy):
                    mujoco.mjv_movePerturb(
                        model, data, self._mouse, dx, dy, scene, perturb
                    )
            case "end":
                self.release(model, data)

    def release(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Ends a drag and takes its force back."""
        self._perturb.active = 0
        if self._pushed:
            if self._pushed < model.nbody:
                data.xfrc_applied[self._pushed] = 0
                self._send(_snapshot(model, data))
            self._pushed = 0

    def apply(
        self, model: mujoco.MjModel, data: mujoco.MjData, *, paused: bool
    ) -> None:
        """Brings a drag in progress to the sim; called once a frame.

        Running, a body is pulled by a force and a mocap body follows the mouse;
        paused, the body's own pose follows.
        """
        perturb = self._perturb
        # Others may end a drag too: Escape, another selection.
        if not perturb.active:
            self.release(model, data)
            return
        signature = _POSE if paused else _MOCAP
        before = messages.StateEvent.from_data(model, data, signature)
        mujoco.mjv_applyPerturbPose(model, data, perturb, int(paused))
        after = messages.StateEvent.from_data(model, data, signature)
        if after is not None and after != before:
            self._send(after)
        if not paused:
            data.xfrc_applied[[perturb.select, self._pushed]] = 0
            mujoco.mjv_applyPerturbForce(model, data, perturb)
            self._pushed = perturb.select
            self._send(_snapshot(model, data))


def _snapshot(model: mujoco.MjModel, data: mujoco.MjData) -> messages.PerturbSnapshot:
    state = np.empty(mujoco.mj_stateSize(model, _FORCE))
    mujoco.mj_getState(model, data, state, _FORCE)
    return messages.PerturbSnapshot(state=state, state_sig=_FORCE)


def is_number(value: object) -> TypeGuard[float]:
    """Tells whether `value` is a finite number."""
    return isinstance(value, (int, float)) and math.isfinite(value)


def is_point(value: object) -> bool:
    """Tells whether `value` is a list of three finite numbers."""
    return isinstance(value, list) and len(value) == 3 and all(map(is_number, value))  # noqa: PLR2004 - x, y, z
