"""Who moves the camera: the browser at its display's rate, or the kernel.

The browser sends each camera with the generation that it builds on. Whatever
the kernel changes itself (a shortcut, a new model, a script) starts the next
generation, so that cameras which the browser sent before cannot undo it.
"""

import struct
from typing import Any

import mujoco

_GENERATIONS = 1 << 32
_GLCAMERA = struct.Struct("<15fi")
_SCALARS = ("distance", "azimuth", "elevation")
# Beyond this, in metres or degrees, a camera shows nothing and float32 overflows.
_LIMIT = 1e9


def _key(camera: mujoco.MjvCamera) -> tuple[float, ...]:
    return (
        int(camera.type),
        camera.fixedcamid,
        camera.trackbodyid,
        int(camera.orthographic),
        # MuJoCo itself moves the lookat of a tracking camera, every frame.
        *(() if camera.type == mujoco.mjtCamera.mjCAMERA_TRACKING else camera.lookat),
        camera.distance,
        camera.azimuth,
        camera.elevation,
    )


def make_valid(model: mujoco.MjModel, camera: mujoco.MjvCamera) -> None:
    """Frees a camera that shows what the model does not have, or lies nowhere.

    `mjv_updateScene` ends the process for a body or camera that is not there, as
    after an edit that deleted it.
    """
    kind = mujoco.mjtCamera
    there = {
        kind.mjCAMERA_FREE: True,
        kind.mjCAMERA_TRACKING: 0 <= camera.trackbodyid < model.nbody,
        kind.mjCAMERA_FIXED: 0 <= camera.fixedcamid < model.ncam,
    }
    place = (*camera.lookat, camera.distance, camera.azimuth, camera.elevation)
    if not there.get(camera.type) or not all(abs(v) < _LIMIT for v in place):
        mujoco.mjv_defaultFreeCamera(model, camera)


def align(model: mujoco.MjModel, camera: mujoco.MjvCamera) -> None:
    """Looks through the model's home camera, else at the whole model.

    As Studio does: `vis.global_.cameraid` names the home camera.
    """
    mujoco.mjv_defaultFreeCamera(model, camera)
    home = int(model.vis.global_.cameraid)
    if 0 <= home < model.ncam:
        camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, home


def middle(scene: mujoco.MjvScene) -> mujoco.MjvGLCamera:
    """Returns the eye between the two that a scene has for stereo."""
    return mujoco.mjv_averageCamera(*scene.camera)


def packed(gl: mujoco.MjvGLCamera) -> bytes:
    """Returns an eye and its frustum as docs/wire.md's GLCAMERA."""
    return _GLCAMERA.pack(
        *gl.pos, *gl.forward, *gl.up, gl.frustum_center, gl.frustum_width,
        gl.frustum_bottom, gl.frustum_top, gl.frustum_near, gl.frustum_far,
        int(gl.orthographic),
    )  # fmt: skip


class CameraSync:
    """Keeps one viewer's `MjvCamera` and the page's in step. Viewer thread only."""

    def __init__(self) -> None:
        """Starts at generation 0."""
        self.generation = 0
        self._known: tuple[float, ...] | None = None

    def adopt(self, camera: mujoco.MjvCamera, sent: dict[str, Any]) -> bool:
        """Applies a camera that the page sent.

        Args:
            camera: The viewer's camera, changed in place.
            sent: `generation`, `lookat` (3, metres), `distance` (metres),
                `azimuth`, `elevation` (degrees); `free`: whether it ends the
                tracking of a body, or another camera's view.

        Returns:
            Whether it was applied; not when it is malformed or built on an older
            generation than the viewer's.
        """
        if self.update(camera) != sent.get("generation"):
            return False
        lookat = sent.get("lookat")
        values = [sent.get(name) for name in _SCALARS]
        if not isinstance(lookat, list) or len(lookat) != len(camera.lookat):
            return False
        if not all(
            isinstance(v, (int, float)) and abs(v) < _LIMIT for v in (*lookat, *values)
        ):
            return False
        if sent.get("free") is True:
            camera.type = mujoco.mjtCamera.mjCAMERA_FREE
            camera.fixedcamid = camera.trackbodyid = -1
        camera.lookat[:] = lookat
        for name, value in zip(_SCALARS, values, strict=True):
            setattr(camera, name, value)
        self._known = _key(camera)
        return True

    def update(self, camera: mujoco.MjvCamera) -> int:
        """Returns the generation of `camera`, a new one if the kernel changed it."""
        key = _key(camera)
        if self._known is not None and key != self._known:
            self.generation = (self.generation + 1) % _GENERATIONS
        self._known = key
        return self.generation
