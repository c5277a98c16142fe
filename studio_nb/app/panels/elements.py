"""The kinds of elements that a model has: their words, icons, names and types.

The hierarchy lists elements by this table, and the properties derive from it which
fields an element has. Nothing here changes a model. Any thread.
"""

import dataclasses
import functools
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import icons_fontawesome_6 as icons
from mujoco.introspect import ast_nodes, structs

OBJ = mujoco.mjtObj

_ENUM = re.compile(r"\bmjt[A-Z]\w*")


class Element(NamedTuple):
    """One element of a model.

    Attributes:
        obj: Its kind, an `mjtObj` as a number.
        id: Its number among those of its kind.
    """

    obj: int
    id: int


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """A kind of element.

    Attributes:
        obj: The `mjtObj`.
        word: MuJoCo's word for it, as in "geom 3".
        title: Of many.
        prefix: How the names of its fields in mjModel begin.
        icon: A glyph of the icon font.
        type: The field of mjModel with its type; "" if it has none.
    """

    obj: int
    word: str
    title: str
    prefix: str
    icon: str
    type: str = ""

    @property
    def size(self) -> str:
        """The field of mjModel that says how many there are."""
        return f"n{self.prefix.removesuffix('_')}"

    @property
    def bodies(self) -> str:
        """The field of mjModel with the bodies that these elements belong to."""
        return f"{self.prefix}bodyid"


def _kind(
    obj: mujoco.mjtObj, title: str, prefix: str, icon: str, kind: str = ""
) -> Kind:
    word = mujoco.mju_type2Str(int(obj))
    return Kind(int(obj), word, title, prefix, icon, kind and prefix + kind)


BODY = _kind(OBJ.mjOBJ_BODY, "Bodies", "body_", icons.ICON_FA_CUBE)
# What stands in the tree below its body, in this order.
OF_BODIES = (
    _kind(OBJ.mjOBJ_JOINT, "Joints", "jnt_", icons.ICON_FA_ROTATE, "type"),
    _kind(OBJ.mjOBJ_GEOM, "Geoms", "geom_", icons.ICON_FA_SHAPES, "type"),
    _kind(OBJ.mjOBJ_SITE, "Sites", "site_", icons.ICON_FA_LOCATION_DOT, "type"),
    _kind(OBJ.mjOBJ_CAMERA, "Cameras", "cam_", icons.ICON_FA_VIDEO, "mode"),
    _kind(OBJ.mjOBJ_LIGHT, "Lights", "light_", icons.ICON_FA_LIGHTBULB, "type"),
)
# What stands beside the tree, a group a kind.
GROUPS = (
    _kind(OBJ.mjOBJ_ACTUATOR, "Actuators", "actuator_", icons.ICON_FA_BOLT, "trntype"),
    _kind(OBJ.mjOBJ_SENSOR, "Sensors", "sensor_", icons.ICON_FA_GAUGE, "type"),
    _kind(OBJ.mjOBJ_TENDON, "Tendons", "tendon_", icons.ICON_FA_BEZIER_CURVE, "type"),
    _kind(OBJ.mjOBJ_EQUALITY, "Equalities", "eq_", icons.ICON_FA_LINK, "type"),
    _kind(OBJ.mjOBJ_PAIR, "Contact pairs", "pair_", icons.ICON_FA_ARROWS_TO_DOT),
    _kind(OBJ.mjOBJ_EXCLUDE, "Excluded pairs", "exclude_", icons.ICON_FA_LINK_SLASH),
    _kind(OBJ.mjOBJ_KEY, "Keyframes", "key_", icons.ICON_FA_BOOKMARK),
    _kind(OBJ.mjOBJ_MATERIAL, "Materials", "mat_", icons.ICON_FA_PALETTE),
    _kind(OBJ.mjOBJ_MESH, "Meshes", "mesh_", icons.ICON_FA_DRAW_POLYGON),
    _kind(OBJ.mjOBJ_TEXTURE, "Textures", "tex_", icons.ICON_FA_IMAGE, "type"),
    _kind(OBJ.mjOBJ_HFIELD, "Height fields", "hfield_", icons.ICON_FA_MOUNTAIN),
    _kind(OBJ.mjOBJ_FLEX, "Flexes", "flex_", icons.ICON_FA_WATER),
    _kind(OBJ.mjOBJ_SKIN, "Skins", "skin_", icons.ICON_FA_SHIRT),
    _kind(OBJ.mjOBJ_PLUGIN, "Plugin instances", "plugin_", icons.ICON_FA_PLUG),
    _kind(OBJ.mjOBJ_NUMERIC, "Numerics", "numeric_", icons.ICON_FA_HASHTAG),
    _kind(OBJ.mjOBJ_TEXT, "Texts", "text_", icons.ICON_FA_FONT),
    _kind(OBJ.mjOBJ_TUPLE, "Tuples", "tuple_", icons.ICON_FA_OBJECT_GROUP),
)
KINDS: Mapping[int, Kind] = MappingProxyType(
    {kind.obj: kind for kind in (BODY, *OF_BODIES, *GROUPS)}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Declared:
    """An array of mjModel or mjData, as MuJoCo declares it.

    Attributes:
        name: Of the field.
        rows: The size that counts its rows, as "ngeom".
        text: What MuJoCo says about it.
    """

    name: str
    rows: str
    text: str

    @property
    def enum(self) -> str:
        """The name of the enum that its numbers are of; "" if of none."""
        if self.name.endswith("objtype"):
            return "mjtObj"
        found = _ENUM.search(self.text)
        return found.group() if found and hasattr(mujoco, found.group()) else ""


@functools.cache
def declared(struct: str) -> Mapping[str, Declared]:
    """Returns the arrays of "mjModel" or "mjData" by their names, in MuJoCo's order."""
    found = {}
    for field in structs.STRUCTS[struct].fields:
        extent = getattr(field, "array_extent", None)
        if isinstance(field, ast_nodes.StructFieldDecl) and extent:
            found[field.name] = Declared(field.name, str(extent[0]), field.doc or "")
    return MappingProxyType(found)


@functools.cache
def words(enum: str) -> Mapping[int, str]:
    """Returns the values of an enum of MuJoCo's in words, as 4: "capsule"."""
    members = getattr(mujoco, enum).__members__
    return MappingProxyType(
        {
            int(value): name.split("_", 1)[1].lower()
            for name, value in reversed(members.items())
            if "_" in name
        }
    )


def count(model: mujoco.MjModel, obj: int) -> int:
    """Returns how many elements of a kind there are."""
    return int(getattr(model, KINDS[obj].size))


def exists(model: mujoco.MjModel, element: Element) -> bool:
    """Tells whether a model has such an element."""
    return element.obj in KINDS and 0 <= element.id < count(model, element.obj)


def name(model: mujoco.MjModel, element: Element) -> str:
    """Returns an element's name; "" if it has none."""
    return mujoco.mj_id2name(model, element.obj, element.id) or ""


def title(model: mujoco.MjModel, element: Element) -> str:
    """Returns an element's name, or its kind and number if it has none."""
    return name(model, element) or f"{KINDS[element.obj].word} {element.id}"


def titles(model: mujoco.MjModel, obj: int) -> list[str]:
    """Returns the titles of all elements of a kind."""
    get, word = mujoco.mj_id2name, KINDS[obj].word
    return [get(model, obj, i) or f"{word} {i}" for i in range(count(model, obj))]


def type_of(model: mujoco.MjModel, element: Element) -> str:
    """Returns an element's type in a word, as "capsule"; "" if it has none."""
    field = KINDS[element.obj].type
    if not field:
        return ""
    declaration = declared("mjModel").get(field)
    value = int(getattr(model, field)[element.id])
    enum = declaration.enum if declaration else ""
    return words(enum).get(value, str(value)) if enum else ""


def body_of(model: mujoco.MjModel, element: Element) -> int:
    """Returns the body that an element is, or belongs to; -1 if to none."""
    if element.obj == BODY.obj:
        return element.id
    bodies = getattr(model, KINDS[element.obj].bodies, None)
    if bodies is None or KINDS[element.obj] not in OF_BODIES:
        return -1
    return int(bodies[element.id])


def path(model: mujoco.MjModel, element: Element) -> str:
    """Returns the titles of the bodies above an element and its own, with slashes."""
    parts = [title(model, element)]
    body = body_of(model, element)
    if element.obj == BODY.obj:
        body = int(model.body_parentid[body]) if body else -1
    while body >= 0:
        parts.append(title(model, Element(BODY.obj, body)))
        body = int(model.body_parentid[body]) if body else -1
    return "/".join(reversed(parts))


# Where mjData has the places of the elements that have one.
_PLACES = {
    int(OBJ.mjOBJ_BODY): "xpos",
    int(OBJ.mjOBJ_JOINT): "xanchor",
    int(OBJ.mjOBJ_GEOM): "geom_xpos",
    int(OBJ.mjOBJ_SITE): "site_xpos",
    int(OBJ.mjOBJ_CAMERA): "cam_xpos",
    int(OBJ.mjOBJ_LIGHT): "light_xpos",
}


def position(data: mujoco.MjData, element: Element) -> npt.NDArray[np.float64] | None:
    """Returns where an element is in the world, metres; None if it is nowhere."""
    field = _PLACES.get(element.obj)
    return getattr(data, field)[element.id].copy() if field else None
