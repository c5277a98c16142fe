"""Pictures of the scene from other cameras, for panels to show.

A panel asks for a picture each time that it is built, and draws the texture whose
ID it gets. The page renders it: what travels is where its camera stands. Viewer
thread only.
"""

import contextlib
import copy
import dataclasses
import math
import struct
from collections.abc import Generator

import mujoco

from studio_nb.scene import camera as cameras
from studio_nb.wire import packets

_HEAD = struct.Struct("<4I")

# Longest side of a picture in device pixels: more than a panel has on most screens.
_MAX_SIDE = 2048

_KINDS = mujoco.mjtCamera


# The number of a camera of the model's, or -1; which of those with it.
_Key = tuple[int, int]


@dataclasses.dataclass(frozen=True, slots=True)
class _Picture:
    """A picture that the panels show: its camera, and its size in device pixels."""

    tex_id: int
    camera: mujoco.MjvCamera
    width: int
    height: int


class Pictures:
    """What the panels of one viewer show, as they were built last."""

    def __init__(self) -> None:
        """Starts with no picture."""
        self._shown: dict[_Key, _Picture] = {}
        self._asked: dict[_Key, _Picture] = {}
        self._next = packets.FIRST_PICTURE
        self._model: mujoco.MjModel | None = None
        self._density = 1.0
        # Not to draw with: it takes cameras without disturbing the viewer's scene.
        self._scene = mujoco.MjvScene()

    @contextlib.contextmanager
    def asked(self, model: mujoco.MjModel, density: float) -> Generator[None]:
        """Takes `show` while panels are built; what it did not name is gone after.

        Args:
            model: Whose cameras can be shown.
            density: Device pixels a CSS pixel.
        """
        self._model, self._density, self._asked = model, density, {}
        try:
            yield
        finally:
            self._model, self._shown = None, self._asked

    def show(self, camera: int | mujoco.MjvCamera, width: float, height: float) -> int:
        """Shows a picture in the panel that is being built.

        It keeps its ID for as long as each build asks for it: pictures of the
        model's cameras by their number, those of other cameras by their order.

        Args:
            camera: The number of a camera of the model's, or any camera.
            width: CSS pixels.
            height: CSS pixels.

        Returns:
            The texture ID, for `imgui.image(imgui.ImTextureRef(...), ...)`.

        Raises:
            RuntimeError: If no panels are being built.
            ValueError: If the model has no such camera, or the size is not finite.
        """
        if self._model is None:
            msg = "a picture is shown while panels are built: ask in a BuildGuiEvent"
            raise RuntimeError(msg)
        if not math.isfinite(width) or not math.isfinite(height):
            msg = f"a picture of {width} x {height} pixels: give it a finite size"
            raise ValueError(msg)
        view = _checked(self._model, camera)
        own = -1 if isinstance(camera, mujoco.MjvCamera) else view.fixedcamid
        key = own, sum(other == own for other, _ in self._asked)
        wide, high = width * self._density, height * self._density
        fit = min(1.0, _MAX_SIDE / max(wide, high, 1.0))
        if (known := self._shown.get(key)) is not None:
            tex_id = known.tex_id
        else:
            tex_id, self._next = self._next, self._next + 1
        self._asked[key] = _Picture(
            tex_id, view, max(1, round(wide * fit)), max(1, round(high * fit))
        )
        return tex_id

    def clear(self) -> None:
        """Forgets all pictures: their cameras are of another model."""
        self._shown = {}

    def rows(self, model: mujoco.MjModel, data: mujoco.MjData) -> tuple[bytes, ...]:
        """Returns the rows of a PICTURE block: what is shown, and from where.

        Args:
            model: The viewer's own.
            data: The state that the frame shows.
        """
        return tuple(
            _HEAD.pack(one.tex_id, one.width, one.height, 0)
            + cameras.packed(self._placed(model, data, one.camera))
            for one in self._shown.values()
        )

    def _placed(
        self, model: mujoco.MjModel, data: mujoco.MjData, camera: mujoco.MjvCamera
    ) -> mujoco.MjvGLCamera:
        cameras.make_valid(model, camera)
        mujoco.mjv_updateCamera(model, data, camera, self._scene)
        return cameras.middle(self._scene)


def _checked(model: mujoco.MjModel, camera: int | mujoco.MjvCamera) -> mujoco.MjvCamera:
    """Returns a camera of our own that shows the same."""
    if isinstance(camera, mujoco.MjvCamera):
        view = copy.copy(camera)
    else:
        view = mujoco.MjvCamera()
        view.type, view.fixedcamid = _KINDS.mjCAMERA_FIXED, int(camera)
    if view.type == _KINDS.mjCAMERA_FIXED and not 0 <= view.fixedcamid < model.ncam:
        msg = (
            f"there is no camera {view.fixedcamid} to show: the model has "
            f"{model.ncam}, numbered from 0"
        )
        raise ValueError(msg)
    if view.type == _KINDS.mjCAMERA_TRACKING and not (
        0 <= view.trackbodyid < model.nbody
    ):
        msg = (
            f"there is no body {view.trackbodyid} to track: the model has "
            f"{model.nbody}, numbered from 0"
        )
        raise ValueError(msg)
    if view.type == _KINDS.mjCAMERA_USER:
        msg = "a camera of type mjCAMERA_USER cannot be shown: it has no pose"
        raise ValueError(msg)
    return view
