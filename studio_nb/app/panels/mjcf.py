"""What is seen, as a line of MJCF or Python to paste into a model or a cell.

Pure functions of a model, its data and a camera; called by the sections of the
Options when a person copies.
"""

from collections.abc import Iterable
from xml.sax import saxutils

import mujoco
import numpy as np

_KINDS = mujoco.mjtCamera

# Of a key: attribute of MJCF and field of mjData.
_KEY_FIELDS = (
    ("qpos", "qpos"),
    ("qvel", "qvel"),
    ("act", "act"),
    ("ctrl", "ctrl"),
    ("mpos", "mocap_pos"),
    ("mquat", "mocap_quat"),
)
_POSITIONS = frozenset({"qpos", "mpos", "mquat"})

# Of a camera, which nobody places more finely.
_CAMERA_DIGITS, _CAMERA_SIGNIFICANT = 6, 7


def key(data: mujoco.MjData, name: str = "") -> str:
    """Returns the state as a keyframe's line of MJCF.

    Args:
        data: Whose state.
        name: Of the keyframe; "": it has none.
    """
    parts = [f"name={saxutils.quoteattr(name)}"] if name else []
    if data.time:
        parts.append(f'time="{_joined([data.time])}"')
    for attribute, field in _KEY_FIELDS:
        values = getattr(data, field).ravel()
        # What a key does not give is zero, but for positions.
        if values.any() or (values.size and attribute in _POSITIONS):
            parts.append(f'{attribute}="{_joined(values.tolist())}"')
    return f"<key {' '.join(parts)}/>" if parts else "<key/>"


def camera_xml(
    model: mujoco.MjModel, data: mujoco.MjData, camera: mujoco.MjvCamera
) -> str:
    """Returns what a camera sees as a camera's line of MJCF, fixed in the world.

    Args:
        model: Whose picture it is.
        data: The state, for a camera that moves with a body.
        camera: What is looked through.
    """
    eye = mujoco.mjv_camera2GLCamera(model, data, camera)
    right = np.cross(eye.forward, eye.up)
    projection = ' projection="orthographic"' if eye.orthographic else ""
    return (
        f'<camera pos="{_rounded(eye.pos)}" xyaxes="{_rounded([*right, *eye.up])}"'
        f' fovy="{_rounded([fovy(model, camera)])}"{projection}/>'
    )


def fovy(model: mujoco.MjModel, camera: mujoco.MjvCamera) -> float:
    """Returns a camera's vertical field of view: degrees; metres if orthographic."""
    if camera.type == _KINDS.mjCAMERA_FIXED:
        return float(model.cam_fovy[camera.fixedcamid])
    return float(model.vis.global_.fovy)


def camera_python(camera: mujoco.MjvCamera) -> str:
    """Returns lines of Python that make such a camera."""
    kind = _KINDS(camera.type)
    lines = [
        "camera = mujoco.MjvCamera()",
        f"camera.type = mujoco.mjtCamera.{kind.name}",
    ]
    if kind == _KINDS.mjCAMERA_FIXED:
        return "\n".join([*lines, f"camera.fixedcamid = {camera.fixedcamid}"])
    if kind == _KINDS.mjCAMERA_TRACKING:
        lines.append(f"camera.trackbodyid = {camera.trackbodyid}")
    lookat = ", ".join(_rounded([value]) for value in camera.lookat)
    lines += [
        f"camera.lookat[:] = {lookat}",
        *(
            f"camera.{name} = {_rounded([getattr(camera, name)])}"
            for name in ("distance", "azimuth", "elevation")
        ),
    ]
    if camera.orthographic:
        lines.append("camera.orthographic = 1")
    return "\n".join(lines)


def _joined(values: Iterable[float]) -> str:
    # As many digits as it takes to read the same number again.
    return " ".join(repr(value).removesuffix(".0") for value in values)


def _rounded(values: Iterable[float]) -> str:
    # Adding zero makes a zero of a negative one.
    return " ".join(
        f"{round(float(value), _CAMERA_DIGITS) + 0.0:.{_CAMERA_SIGNIFICANT}g}"
        for value in values
    )
