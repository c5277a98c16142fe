"""What is known of the fields of mjVisual, mjStatistic and mjvCamera.

Tables for the section Visualization: the fields' meaning, range and unit are those
of mjmodel.h, mjvisualize.h and the XML reference, "visual".
"""

from collections.abc import Mapping
from types import SimpleNamespace

import mujoco
import numpy as np

from studio_nb.app.panels import structs
from studio_nb.app.panels.structs import Field

_DEG = "\N{DEGREE SIGN}"
_TIMES = "\N{MULTIPLICATION SIGN}"
_EXTENT, _SIZE = f"{_TIMES} extent", f"{_TIMES} meansize"

# MuJoCo refuses planes nearer than mjMINVAL = 1e-15; below this a picture has no depth.
_LEAST_NEAR = 1e-6
_LEAST_EXTENT_M = 1e-6
_MOST_FOVY_DEG = 179.0
_MOST_TEXELS = 16384
# js/src/scene cuts shapes into as many triangles as these say.
_MOST_SLICES = 256
_OFFSCREEN = "Of offscreen renderers; not of this view."


def _length(tip: str) -> Field:
    return Field(tip, _SIZE, 0.0)


GLOBAL: Mapping[str, Field] = {
    "fovy": Field(
        "Vertical field of view of the free camera; metres when orthographic.",
        _DEG,
        1e-3,
        _MOST_FOVY_DEG,
    ),
    "orthographic": Field(
        "Whether the free camera is orthographic when it is aligned.", check=True
    ),
    "azimuth": Field("Of the free camera when it is aligned.", _DEG),
    "elevation": Field("Of the free camera when it is aligned.", _DEG),
    "cameraid": Field("Camera that viewers start with; -1: the free one.", low=-1),
    "ipd": Field("Distance of the eyes, for stereo.", "m", 0.0),
    "linewidth": Field("Width of lines.", "px", 0.0),
    "glow": Field("How much a selected body glows.", low=0.0, high=1.0),
    "realtime": Field("Speed that viewers start with; 1: real time.", low=0.0),
    "ellipsoidinertia": Field("Shape of inertias.", choices=("box", "ellipsoid")),
    "bvactive": Field("Whether active bounding volumes have a colour.", check=True),
    "offwidth": Field(_OFFSCREEN, "px", 1, _MOST_TEXELS),
    "offheight": Field(_OFFSCREEN, "px", 1, _MOST_TEXELS),
}
QUALITY: Mapping[str, Field] = {
    "shadowsize": Field("Sides of the shadow map, texels.", low=0, high=_MOST_TEXELS),
    "numslices": Field(
        "Cuts of round shapes around the axis.", low=3, high=_MOST_SLICES
    ),
    "numstacks": Field("Cuts of round shapes along it.", low=2, high=_MOST_SLICES),
    "numquads": Field("Cuts of boxes' sides.", low=1, high=_MOST_SLICES),
    "offsamples": Field(_OFFSCREEN, low=0, high=64),
}
HEADLIGHT: Mapping[str, Field] = {
    "active": Field(
        "The light at the camera; auto: where no other shines.",
        choices=("no", "yes", "auto"),
    ),
    "ambient": Field("What it adds from everywhere.", colour=True),
    "diffuse": Field("What it shines on surfaces.", colour=True),
    "specular": Field("What shines back from glossy ones.", colour=True),
}
MAP: Mapping[str, Field] = {
    "stiffness": Field("Of the mouse's pull.", low=0.0),
    "stiffnessrot": Field("Of the mouse's turn.", low=0.0),
    "force": Field("Length of the arrow of a unit of force.", low=0.0),
    "torque": Field("Length of the arrow of a unit of torque.", low=0.0),
    "alpha": Field("Of geoms, where Transparent is on.", low=0.0, high=1.0),
    "fogstart": Field("Where fog begins.", _EXTENT, 0.0),
    "fogend": Field("Where fog is full.", _EXTENT, 0.0),
    "znear": Field("Nearest that is drawn.", _EXTENT, _LEAST_NEAR),
    "zfar": Field("Farthest that is drawn.", _EXTENT, _LEAST_NEAR),
    "haze": Field("Share of the sky that haze covers.", low=0.0, high=1.0),
    "shadowclip": Field("Reach of a directional light's shadows.", _EXTENT, 0.0),
    "shadowscale": Field("Of a spotlight's cutoff, that casts shadows.", low=0.0),
    "actuatortendon": Field("Width of a tendon's actuator by the tendon's.", low=0.0),
}
SCALE: Mapping[str, Field] = {
    "forcewidth": _length("Width of force arrows."),
    "contactwidth": _length("Width of contact points."),
    "contactheight": _length("Height of contact points."),
    "connect": _length("Width of the lines of Auto connect."),
    "com": _length("Radius of centres of mass."),
    "camera": _length("Size of cameras."),
    "light": _length("Size of lights."),
    "selectpoint": _length("Radius of the selected point."),
    "jointlength": _length("Length of joints."),
    "jointwidth": _length("Width of joints."),
    "actuatorlength": _length("Length of actuators."),
    "actuatorwidth": _length("Width of actuators."),
    "framelength": _length("Length of frames' axes."),
    "framewidth": _length("Width of frames' axes."),
    "constraint": _length("Width of violated constraints."),
    "slidercrank": _length("Width of slider-cranks."),
    "frustum": _length("How far cameras' frustums reach."),
}
STATISTIC: Mapping[str, Field] = {
    "extent": Field("Size of the model, which distances follow.", "m", _LEAST_EXTENT_M),
    "center": Field("Centre of the model.", "m"),
    "meansize": Field("Mean size of bodies, which decor follows.", "m", 0.0),
    "meanmass": Field("Mean mass of bodies.", "kg", 0.0),
    "meaninertia": Field("Mean of the inertia's diagonal.", low=0.0),
}
CAMERA: Mapping[str, Field] = {
    "lookat": Field("The point that it looks at.", "m"),
    "distance": Field("From that point.", "m", 0.0),
    "azimuth": Field("Its direction about z.", _DEG),
    "elevation": Field("Its direction over the horizon.", _DEG, -90.0, 90.0),
    "orthographic": Field("Without perspective.", check=True),
}
# These are one row, the choice of the camera.
CAMERA_CHOICE = ("type", "fixedcamid", "trackbodyid")
FOVY = Field("Vertical field of view.", _DEG, 1e-3, _MOST_FOVY_DEG)
FOVY_ORTHOGRAPHIC = Field("Height of what is seen.", "m", 1e-3)

# Parts of mjVisual by the titles of their groups.
PARTS: Mapping[str, tuple[str, Mapping[str, Field]]] = {
    "Headlight": ("headlight", HEADLIGHT),
    "Global": ("global_", GLOBAL),
    "Map": ("map", MAP),
    "Scale": ("scale", SCALE),
    "Quality": ("quality", QUALITY),
}

# mjVisual.rgba in the order of its declaration (mjmodel.h), to find by their places
# those that a wheel's bindings give no numbers of.
_DECLARED = (
    *("fog", "haze", "force", "inertia", "joint"),
    *("actuator", "actuatornegative", "actuatorpositive", "com", "camera"),
    *("light", "selectpoint", "connect", "contactpoint", "contactforce"),
    *("contactfriction", "contacttorque", "contactgap", "rangefinder"),
    *("constraint", "slidercrank", "crankbroken", "frustum", "bv", "bvactive"),
)
_RGBA_BYTES = 16
# mjStatistic follows mjVisual, and its center follows four mjtNum.
_CENTER_BYTES = 4 * 8
_COLOUR = Field(colour=True)


def colours(model: mujoco.MjModel) -> SimpleNamespace:
    """Returns the arrays of mjVisual.rgba, each of shape (4,), views of the model.

    MuJoCo 4.0's bindings give bv and bvactive as arrays of nothing. They are
    found by their places, if all the others are at theirs.
    """
    rgba = model.vis.rgba
    found = {name: getattr(rgba, name) for name in structs.names(rgba)}
    start = rgba.fog.ctypes.data
    places = {name: start + _RGBA_BYTES * i for i, name in enumerate(_DECLARED)}
    end = start + _RGBA_BYTES * len(_DECLARED)
    as_declared = model.stat.center.ctypes.data == end + _CENTER_BYTES and all(
        places.get(name) == array.ctypes.data
        for name, array in found.items()
        if array.size
    )
    if as_declared:
        shape = len(_DECLARED), _RGBA_BYTES // rgba.fog.itemsize
        table = np.lib.stride_tricks.as_strided(rgba.fog, shape, (_RGBA_BYTES, 4))
        for name, row in zip(_DECLARED, table, strict=True):
            if found.get(name, row).size == 0:
                found[name] = row
    return SimpleNamespace(**found)


def colour_lines(there: SimpleNamespace) -> tuple[structs.Line, ...]:
    """Returns the rows of `colours`, in the order of declaration."""
    known = [name for name in _DECLARED if hasattr(there, name)]
    new = sorted(set(vars(there)) - set(known))
    return structs.lines(there, dict.fromkeys([*known, *new], _COLOUR))
