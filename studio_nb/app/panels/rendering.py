"""The section Rendering of the Options: labels, frames, and every flag of drawing.

Flags are those of mjvOption and of mjvScene, by MuJoCo's own names. What is chosen
is the viewer's own. Viewer thread only.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import mujoco

from studio_nb.app import keys
from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import structs
from studio_nb.app.panels.structs import Field, Toggle

_VIS, _RND = mujoco.mjtVisFlag, mujoco.mjtRndFlag

# mjNVISFLAG and mjNRNDFLAG name the counts; these are the prefixes of flags.
_VIS_PREFIX, _RND_PREFIX = "mjVIS_", "mjRND_"

_NOT_DRAWN = "The notebook's view does not draw this."
# What js/src/scene has no drawing for.
NOT_DRAWN = frozenset(
    {
        *("FLEXFACE", "FLEXSKIN", "SKIN"),
        *("DEPTH", "SEGMENT", "IDCOLOR", "POST_PROCESSING"),
    }
)

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Bodies and geoms": (
        *("TRANSPARENT", "TEXTURE", "CONVEXHULL", "STATIC", "INERTIA"),
        *("SCLINERTIA", "COM", "AUTOCONNECT", "ISLAND"),
    ),
    "Elements": (
        *("JOINT", "ACTUATOR", "ACTIVATION", "TENDON", "CONSTRAINT"),
        *("CAMERA", "LIGHT", "RANGEFINDER"),
    ),
    "Contacts and mouse": (
        *("CONTACTPOINT", "CONTACTFORCE", "CONTACTSPLIT"),
        *("PERTFORCE", "PERTOBJ", "SELECT"),
    ),
    "Flexes and skins": ("FLEXVERT", "FLEXEDGE", "FLEXFACE", "FLEXSKIN", "SKIN"),
    "Trees and fields": ("BODYBVH", "MESHBVH", "SDFITER"),
}
OTHERS = "Other elements"
RENDER = "Render flags"

_TIPS = {
    "CONVEXHULL": "Convex hulls in place of meshes.",
    "TEXTURE": "Textures of materials.",
    "JOINT": "Joints as arrows.",
    "CAMERA": "Cameras.",
    "ACTUATOR": "Actuators.",
    "ACTIVATION": "Actuators change their colour with their activation.",
    "LIGHT": "Lights.",
    "TENDON": "Tendons.",
    "RANGEFINDER": "Rays of rangefinder sensors.",
    "CONSTRAINT": "Equality constraints.",
    "INERTIA": "Boxes, or ellipsoids, of equal inertia.",
    "SCLINERTIA": "These of equal mass density.",
    "PERTFORCE": "The force by which the mouse pulls.",
    "PERTOBJ": "The object that the mouse pulls with.",
    "CONTACTPOINT": "Contact points.",
    "ISLAND": "Colours by islands of constraints.",
    "CONTACTFORCE": "Contact forces as arrows.",
    "CONTACTSPLIT": "Contact forces split into normal and friction.",
    "TRANSPARENT": "Dynamic geoms are transparent.",
    "AUTOCONNECT": "Lines from joint to joint.",
    "COM": "Centres of mass of subtrees.",
    "SELECT": "The point that was selected.",
    "STATIC": "Bodies that cannot move.",
    "SKIN": "Skins.",
    "FLEXVERT": "Vertices of flexes.",
    "FLEXEDGE": "Edges of flexes.",
    "FLEXFACE": "Faces of the elements of flexes.",
    "FLEXSKIN": "Smooth skins of flexes.",
    "BODYBVH": "Bounding volumes of bodies.",
    "MESHBVH": "Bounding volumes of meshes.",
    "SDFITER": "Iterations of SDF collisions.",
    "SHADOW": "Shadows of lights.",
    "WIREFRAME": "Edges of triangles alone.",
    "REFLECTION": "Reflections in planes and boxes.",
    "ADDITIVE": "What is transparent adds its light.",
    "SKYBOX": "The sky's texture.",
    "FOG": "Fog, from fogstart to fogend.",
    "HAZE": "Haze where an infinite plane ends.",
    "DEPTH": "Depth in place of colour.",
    "SEGMENT": "One colour for each geom.",
    "IDCOLOR": "Segments have their numbers' colours.",
    "CULL_FACE": "Backs of faces are not drawn.",
    "POST_PROCESSING": "Effects on the finished picture.",
}

_CHOICES: Mapping[str, Field] = {
    "label": Field("What is labelled in the scene.", choices=mujoco.mjLABELSTRING),
    "frame": Field("Whose frames are drawn.", choices=mujoco.mjFRAMESTRING),
}
_DEPTHS: Mapping[str, Field] = {
    "bvh_depth": Field("Level of the bounding volumes that is drawn.", low=0, high=20),
    "flex_layer": Field("Layer of the elements of a 3D flex.", low=0, high=10),
}


def _boxes(
    enum: type,
    prefix: str,
    strings: Sequence[Sequence[str]],
    bindings: Iterable[keys.Binding],
) -> dict[str, Toggle]:
    """Returns a box for each flag, by the flag's name without its prefix.

    Args:
        enum: Of the flags.
        prefix: Of their names.
        strings: MuJoCo's words for each: name, default, key.
        bindings: The keys that are obeyed.
    """
    by_action = {binding.action: binding.label for binding in bindings}
    boxes = {}
    for name, index in structs.flags(enum, prefix):
        words = strings[index][0].capitalize()
        key = by_action.get(words)
        tip = [_TIPS.get(name, ""), f"Key: {key}" if key else "", f"{prefix}{name}"]
        why_not = _NOT_DRAWN if name in NOT_DRAWN else ""
        boxes[name] = Toggle(index, words, "\n".join(filter(None, tip)), why_not)
    return boxes


VIS = _boxes(_VIS, _VIS_PREFIX, mujoco.mjVISSTRING, keys.VISUALS)
RND = tuple(_boxes(_RND, _RND_PREFIX, mujoco.mjRNDSTRING, keys.RENDERING).values())


def vis_groups() -> dict[str, tuple[Toggle, ...]]:
    """Returns the boxes of mjtVisFlag by the titles of groups; none is left out."""
    found = {
        title: tuple(VIS[name] for name in names if name in VIS)
        for title, names in GROUPS.items()
    }
    known = {name for names in GROUPS.values() for name in names}
    return {**found, OTHERS: tuple(VIS[name] for name in VIS if name not in known)}


class Rendering(Panel):
    """The section."""

    title = "Rendering"

    def __init__(self) -> None:
        """Starts with what is changed most unfolded."""
        self._folds = structs.Folds(
            "Labels and frames", "Bodies and geoms", "Contacts and mouse", RENDER
        )
        self._groups = vis_groups()
        options = mujoco.MjvOption()
        self._choices = structs.lines(options, _CHOICES)
        self._depths = structs.lines(options, _DEPTHS)

    def keeps(self) -> dict[str, Any]:
        """Returns what is unfolded."""
        return self._folds.keeps()

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over what was unfolded."""
        self._folds.restore(kept)

    def draw(self, scope: Scope) -> None:
        """Draws the choices and all flags in groups."""
        options = scope.viewer.vis_options
        folds = self._folds
        folds.search()
        folds.edit("Labels and frames", options, self._choices)
        for title, boxes in self._groups.items():
            self._flip(title, boxes, options)
        self._flip(RENDER, RND, scope.viewer.render_flags)
        folds.edit("Levels", options, self._depths)

    def _flip(self, title: str, boxes: tuple[Toggle, ...], owner: Any) -> None:  # noqa: ANN401 - MuJoCo's or Studio's
        pressed = self._folds.toggles(title, boxes, owner.flags.__getitem__)
        if pressed is not None:
            keys.flip(owner, "flags", pressed)
