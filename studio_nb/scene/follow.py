"""Following what a person looks at through an edit, by name. Viewer thread only."""

from typing import Any

import mujoco

_BODY, _CAMERA = mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_CAMERA


class Followed:
    """The numbers that a viewer keeps of bodies and cameras.

    Numbers shift when an edit adds or deletes; names stay.
    """

    def __init__(self, perturb: mujoco.MjvPerturb, camera: mujoco.MjvCamera) -> None:
        """Follows the selected body, the tracked body and the fixed camera.

        Args:
            perturb: The viewer's; its `select` is changed in place.
            camera: The viewer's, changed in place too.
        """
        self._fields: tuple[tuple[Any, str, mujoco.mjtObj, int], ...] = (
            (perturb, "select", _BODY, 0),
            (camera, "trackbodyid", _BODY, -1),
            (camera, "fixedcamid", _CAMERA, -1),
        )
        self._names: dict[str, str | None] = {}

    def remember(self, model: mujoco.MjModel) -> None:
        """Notes the names, before `model` goes."""
        self._names = {
            field: mujoco.mj_id2name(model, kind, getattr(owner, field))
            for owner, field, kind, none in self._fields
            if getattr(owner, field) > none
        }

    def find(self, model: mujoco.MjModel) -> None:
        """Takes over the numbers that the names have in `model`, or none."""
        for owner, field, kind, none in self._fields:
            if name := self._names.get(field):
                found = mujoco.mj_name2id(model, kind, name)
                setattr(owner, field, found if found >= 0 else none)
