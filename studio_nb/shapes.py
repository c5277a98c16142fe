"""Shapes to draw over the scene: makers of `mujoco.MjvGeom`.

For overlays (`@studio.overlay`) and for plugins that fill `viewer.extra_geoms`.
Positions are world coordinates in metres; they, sizes and colours may be NumPy
arrays or plain sequences. Any thread; nothing here needs a session.
"""

import math

import mujoco
import numpy as np
import numpy.typing as npt

_Geom = mujoco.mjtGeom

WHITE = (1.0, 1.0, 1.0, 1.0)
_UPRIGHT = np.eye(3)
_UNSIZED = np.zeros(3)
# A segment that is shorter than this has no direction to draw.
_SHORTEST = 1e-9
# What MuJoCo takes for unstable (mjMAXVAL of mjmodel.h); a geom's float32 holds it.
_MOST = 1e10
_MAX_LABEL_BYTES = 99


def sphere(
    pos: npt.ArrayLike, radius: float = 0.05, rgba: npt.ArrayLike = WHITE
) -> mujoco.MjvGeom:
    """Makes a sphere.

    Args:
        pos: Its centre, (3,).
        radius: Metres.
        rgba: Colour, 0 to 1, (4,), or (3,) for an opaque one.

    Raises:
        ValueError: If an argument has another shape, or is not finite.
    """
    return _solid(_Geom.mjGEOM_SPHERE, pos, (radius,) * 3, _UPRIGHT, rgba)


def box(
    pos: npt.ArrayLike,
    size: npt.ArrayLike = (0.05, 0.05, 0.05),
    rgba: npt.ArrayLike = WHITE,
    mat: npt.ArrayLike = _UPRIGHT,
) -> mujoco.MjvGeom:
    """Makes a box.

    Args:
        pos: Its centre, (3,).
        size: Half of its sides, metres, (3,), as in MJCF.
        rgba: Colour, 0 to 1, (4,) or (3,).
        mat: Its rotation, (3, 3) or as MuJoCo stores it (9,), such as `data.xmat[1]`.

    Raises:
        ValueError: If an argument has another shape, or is not finite.
    """
    return _solid(_Geom.mjGEOM_BOX, pos, size, mat, rgba)


def capsule(
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    radius: float = 0.02,
    rgba: npt.ArrayLike = WHITE,
) -> mujoco.MjvGeom:
    """Makes a capsule between two points, (3,) each.

    Args:
        start: The centre of one cap.
        end: The centre of the other.
        radius: Metres.
        rgba: Colour, 0 to 1, (4,) or (3,).

    Raises:
        ValueError: If an argument has another shape, or is not finite.
    """
    return _between(_Geom.mjGEOM_CAPSULE, start, end, radius, rgba)


def arrow(
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    width: float = 0.02,
    rgba: npt.ArrayLike = WHITE,
) -> mujoco.MjvGeom:
    """Makes an arrow, for a force or a velocity.

    Args:
        start: Where it begins, (3,).
        end: Where its tip is, (3,).
        width: The radius of its shaft, metres.
        rgba: Colour, 0 to 1, (4,) or (3,).

    Raises:
        ValueError: If an argument has another shape, or is not finite.
    """
    return _between(_Geom.mjGEOM_ARROW, start, end, width, rgba)


def line(
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    width: float = 2.0,
    rgba: npt.ArrayLike = WHITE,
) -> mujoco.MjvGeom:
    """Makes a line, equally wide at every distance.

    Args:
        start: One end, (3,).
        end: The other, (3,).
        width: Pixels.
        rgba: Colour, 0 to 1, (4,) or (3,).

    Raises:
        ValueError: If an argument has another shape, or is not finite.
    """
    return _between(_Geom.mjGEOM_LINE, start, end, width, rgba)


def label(pos: npt.ArrayLike, text: object) -> mujoco.MjvGeom:
    """Makes a text that stands at a point and faces the viewer.

    Args:
        pos: Where, (3,).
        text: What to write; MuJoCo holds 99 bytes of it.

    Raises:
        ValueError: If `pos` has another shape, or is not finite.
    """
    geom = _solid(_Geom.mjGEOM_LABEL, pos, (0.1,) * 3, _UPRIGHT, WHITE)
    said = str(text).replace("\0", " ").encode(errors="replace")
    geom.label = said[:_MAX_LABEL_BYTES].decode(errors="ignore")
    return geom


def _solid(
    kind: mujoco.mjtGeom,
    pos: npt.ArrayLike,
    size: npt.ArrayLike,
    mat: npt.ArrayLike,
    rgba: npt.ArrayLike,
) -> mujoco.MjvGeom:
    geom = mujoco.MjvGeom()
    mujoco.mjv_initGeom(
        geom,
        int(kind),
        _numbers("size", size, 3),
        _numbers("pos", pos, 3),
        _numbers("mat", np.ravel(mat), 9),
        _color(rgba),
    )
    return geom


def _between(
    kind: mujoco.mjtGeom,
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    width: float,
    rgba: npt.ArrayLike,
) -> mujoco.MjvGeom:
    begin, tip = _numbers("start", start, 3), _numbers("end", end, 3)
    _numbers("size", (width,) * 3, 3)
    if math.dist(begin, tip) < _SHORTEST:
        # A connector of no length would have no rotation: a point is left.
        radius = _SHORTEST if kind == _Geom.mjGEOM_LINE else width
        return _solid(_Geom.mjGEOM_SPHERE, begin, (radius,) * 3, _UPRIGHT, rgba)
    geom = _solid(kind, begin, _UNSIZED, _UPRIGHT, rgba)
    mujoco.mjv_connector(geom, int(kind), width, begin, tip)
    return geom


def _numbers(name: str, value: npt.ArrayLike, length: int) -> npt.NDArray[np.float64]:
    array = np.asarray(value, np.float64)
    if array.shape != (length,) or not np.abs(array).max() <= _MOST:
        msg = f"{name} is {value!r:.60}: give {length} finite numbers, up to {_MOST:g}"
        raise ValueError(msg)
    return array


def _color(rgba: npt.ArrayLike) -> npt.NDArray[np.float32]:
    array = np.asarray(rgba, np.float32)
    if array.shape == (3,):
        array = np.append(array, np.float32(1))
    if array.shape != (4,) or not math.isfinite(array.sum()):
        msg = f"rgba is {rgba!r:.60}: give 4 numbers from 0 to 1, or 3"
        raise ValueError(msg)
    return array
