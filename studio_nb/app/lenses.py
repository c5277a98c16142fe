"""The choice of the camera: free, flying, tracking, or one of the model's own.

Toolbar, menu and keys call `Lenses`; it changes the viewer's `MjvCamera`, which
the page then follows. Viewer thread only.
"""

import math

import mujoco
import numpy as np
from imgui_bundle import imgui

from studio_nb.app.controls import ControlledViewer
from studio_nb.app.panels import listing

FREE, FLY, TRACK = -3, -2, -1

_KINDS = mujoco.mjtCamera
# How near the point that a flying camera turns about is, in model extents: so near
# that turning about it is turning the head.
_NEAR_SHARE = 0.01
# How far a flying camera gets in a second, in model extents; with Shift held, more.
_SPEED_SHARE = 0.5
_FASTER = 4.0
# What a notch of the wheel makes of that speed, and how far it can be made.
_FASTER_PER_NOTCH = 1.25
_LEAST_SPEED_SHARE, _MOST_SPEED_SHARE = 1e-3, 20.0
_MAX_DT_S = 0.1

_Key = imgui.Key
# Keys and where they push: right, forward, up.
_PUSHES = {
    _Key.w: (0.0, 1.0, 0.0),
    _Key.s: (0.0, -1.0, 0.0),
    _Key.d: (1.0, 0.0, 0.0),
    _Key.a: (-1.0, 0.0, 0.0),
    _Key.q: (0.0, 0.0, 1.0),
    _Key.e: (0.0, 0.0, -1.0),
}


class Lenses:
    """Which camera one viewer looks through."""

    def __init__(self, viewer: ControlledViewer) -> None:
        """Starts with the camera as it is."""
        self._viewer = viewer
        self._flying = False
        self._speed_share = _SPEED_SHARE
        self._model: mujoco.MjModel | None = None
        self._names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What there is to choose from, from `FREE` on."""
        model = self._viewer.model
        if model is not self._model:
            own = listing.names(model, mujoco.mjtObj.mjOBJ_CAMERA, model.ncam)
            self._model = model
            self._names = ("Free", "Fly (WASD)", "Track body", *own)
        return self._names

    @property
    def index(self) -> int:
        """The present one: `FREE`, `FLY`, `TRACK`, or a camera's number."""
        camera = self._viewer.camera
        if camera.type == _KINDS.mjCAMERA_FIXED:
            # Until the next frame is made it may be one that the model has no more.
            known = 0 <= camera.fixedcamid < self._viewer.model.ncam
            return int(camera.fixedcamid) if known else FREE
        if camera.type == _KINDS.mjCAMERA_TRACKING:
            return TRACK
        return FLY if self._flying else FREE

    @property
    def name(self) -> str:
        """The name of the present one."""
        return self.names[self.index - FREE]

    @property
    def flying(self) -> bool:
        """Whether keys move the camera."""
        return self.index == FLY

    def choose(self, index: int) -> None:
        """Looks through another camera.

        Args:
            index: `FREE`, `FLY`, `TRACK` (the selected body, else the first that
                moves), or a camera's number.
        """
        model, camera = self._viewer.model, self._viewer.camera
        if index == TRACK:
            selected = self._viewer.perturb.select
            if (body := selected if selected > 0 else _first_moving(model)) == 0:
                return
            camera.type, camera.trackbodyid = _KINDS.mjCAMERA_TRACKING, body
        elif 0 <= index < model.ncam:
            camera.type, camera.fixedcamid = _KINDS.mjCAMERA_FIXED, index
        else:
            camera.type = _KINDS.mjCAMERA_FREE
        was_flying, self._flying = self._flying, index == FLY
        if self._flying and not was_flying:
            self._turn_about(_NEAR_SHARE * model.stat.extent)
        elif was_flying and not self._flying:
            self._turn_about(model.stat.extent)

    def next(self) -> None:
        """Takes the next camera of the list, after the last one the first."""
        self._cycle(+1)

    def previous(self) -> None:
        """Takes the camera before, before the first one the last."""
        self._cycle(-1)

    def _cycle(self, by: int) -> None:
        model = self._viewer.model
        places = [FREE, FLY, *([TRACK] if _first_moving(model) else [])]
        places += range(model.ncam)
        # A body that does not move can be tracked too, but not chosen here.
        place = places.index(self.index) if self.index in places else 0
        self.choose(places[(place + by) % len(places)])

    def _turn_about(self, distance: float) -> None:
        """Keeps the eye where it is and puts the pivot so far before it."""
        camera = self._viewer.camera
        _, forward, _ = axes(camera.azimuth, camera.elevation)
        eye = camera.lookat - camera.distance * forward
        camera.lookat[:] = eye + distance * forward
        camera.distance = distance

    def fly(self) -> bool:
        """Moves a flying camera by the keys that are held; tells whether any is.

        The wheel, which has nothing to zoom at then, changes its speed.
        """
        io = imgui.get_io()
        if not self.flying:
            return False
        if io.mouse_wheel and not io.want_capture_mouse:
            share = self._speed_share * _FASTER_PER_NOTCH**io.mouse_wheel
            self._speed_share = min(max(share, _LEAST_SPEED_SHARE), _MOST_SPEED_SHARE)
        if io.want_capture_keyboard or io.key_ctrl:
            return False
        pushes = [push for key, push in _PUSHES.items() if imgui.is_key_down(key)]
        if not pushes:
            return False
        camera = self._viewer.camera
        speed = self._speed_share * self._viewer.model.stat.extent
        if io.key_shift:
            speed *= _FASTER
        across = np.sum(pushes, axis=0) @ np.array(
            axes(camera.azimuth, camera.elevation)
        )
        camera.lookat[:] += across * speed * min(io.delta_time, _MAX_DT_S)
        return True


def axes(azimuth: float, elevation: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns a free camera's right, forward and up, unit vectors in the world.

    Args:
        azimuth: Degrees about the world's z; 90 looks along +y.
        elevation: Degrees; 0 is level, negative looks down.
    """
    azimuth, elevation = math.radians(azimuth), math.radians(elevation)
    ca, sa = math.cos(azimuth), math.sin(azimuth)
    ce, se = math.cos(elevation), math.sin(elevation)
    return (
        np.array([sa, -ca, 0.0]),
        np.array([ce * ca, ce * sa, se]),
        np.array([-se * ca, -se * sa, ce]),
    )


def _first_moving(model: mujoco.MjModel) -> int:
    """Returns the first body that can move; 0 if none can."""
    moving = np.flatnonzero(model.body_weldid)
    return int(moving[0]) if len(moving) else 0
