"""Which fields of mjModel and mjData tell about an element, and which rows of them.

Derived from MuJoCo's own declarations, so that a field of a coming version appears
by itself: a field belongs to a kind by the beginning of its name or by the size that
counts its rows. `Properties` shows them. Nothing here draws or changes a model.
"""

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping

import mujoco
import numpy.typing as npt

from studio_nb.app.panels import elements
from studio_nb.app.panels.elements import KINDS, OBJ

# The headings that fields stand under.
STATE, POSE, GENERAL = "State", "Pose", "Properties"
CONTACT, LOOKS, INTERNAL = "Contact and constraint", "Appearance", "Internal"
GROUPS = (STATE, POSE, GENERAL, CONTACT, LOOKS, INTERNAL)

# By a part of the name, the first that is found.
_GROUPED = (
    (
        INTERNAL,
        (
            r"adr\d?$|num$|_bvh|_oct|simple|sameframe|signature|needstage|treeid|M0$"
            r"|col_?ind|^dof_(island|parent|body|jnt)|awake|graph|history|invweight0"
            r"|acc0|extrema|poly|valid|edgeflap|hessian|^tendon_efcadr"
        ),
    ),
    (
        CONTACT,
        (
            "solref|solimp|solmix|friction|margin|gap$|condim|contype|conaffinity"
            "|priority|adhesion|surfacevel|fluid|selfcollide"
        ),
    ),
    (
        LOOKS,
        (
            "rgba|matid|texid|group|ambient|diffuse|specular|shininess|emission"
            "|metallic|reflectance|roughness|castshadow|intensity|attenuation"
            "|light_cutoff|exponent|bulb|texrepeat|texuniform|tendon_width|softness"
        ),
    ),
    (POSE, "pos0?$|quat$|_dir|mat0$|poscom0|_axis"),
)
# Fields of mjData that count as elements do, but have their rows in another order.
_OTHER_ORDER = re.compile("_ind$|^map_|^efm_|^wrap_|^moment_|^q[LH]")
_GROUP_PATTERNS = tuple((group, re.compile(words)) for group, words in _GROUPED)

# Fields that go by another beginning than their kind.
_MORE_PREFIXES = {
    int(OBJ.mjOBJ_JOINT): ("dof_", "qpos"),
    int(OBJ.mjOBJ_TENDON): ("wrap_",),
}

# How many numbers a joint has, by its type (mjtJoint): in qpos and in qvel.
_JOINT_SIZES = {
    int(mujoco.mjtJoint.mjJNT_FREE): (7, 6),
    int(mujoco.mjtJoint.mjJNT_BALL): (4, 3),
}

Rows = Callable[[mujoco.MjModel, int], slice]


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """A field that tells about the elements of a kind.

    Attributes:
        root: "model" or "data".
        name: Of the field.
        text: What MuJoCo says about it.
        group: Under which heading it stands, one of `GROUPS`.
        enum: The enum that its numbers are of; "" if of none.
        rows: Returns an element's rows; None where MuJoCo does not say whose they
            are.
    """

    root: str
    name: str
    text: str
    group: str
    enum: str
    rows: Rows | None

    def array(self, model: mujoco.MjModel, data: mujoco.MjData) -> npt.NDArray:
        """Returns the whole field, not a copy."""
        return getattr(model if self.root == "model" else data, self.name)

    def expression(self, model: mujoco.MjModel, element: int) -> str:
        """Returns how a cell writes it, as "model.geom_size[3]"."""
        where = self.rows(model, element) if self.rows else slice(0, 0)
        if where.stop - where.start == 1:
            return f"{self.root}.{self.name}[{where.start}]"
        if where.stop == where.start:
            return f"{self.root}.{self.name}"
        return f"{self.root}.{self.name}[{where.start}:{where.stop}]"


@functools.cache
def of_kind(obj: int) -> tuple[Attribute, ...]:
    """Returns the fields about a kind of element, in the order of `GROUPS`."""
    kind = KINDS[obj]
    prefixes = (kind.prefix, *_MORE_PREFIXES.get(obj, ()))
    of_model = elements.declared("mjModel").values()
    of_data = elements.declared("mjData").values()
    found = [
        _attribute("model", declared, kind)
        for declared in of_model
        # The characters of texts are no array in Python.
        if declared.name.startswith(prefixes) and declared.name != "text_data"
    ]
    live = [
        _attribute("data", declared, kind)
        for declared in of_data
        if not _OTHER_ORDER.search(declared.name)
    ]
    found += [attribute for attribute in live if attribute.rows is not None]
    found.sort(key=lambda attribute: GROUPS.index(attribute.group))
    return tuple(found)


def _group(name: str) -> str:
    for group, pattern in _GROUP_PATTERNS:
        if pattern.search(name):
            return group
    return GENERAL


def _attribute(
    root: str, declared: elements.Declared, kind: elements.Kind
) -> Attribute:
    rows, group = _rows(kind, declared.rows), _group(declared.name)
    if root == "data" and group != INTERNAL:
        group = STATE
    return Attribute(root, declared.name, declared.text, group, declared.enum, rows)


# -- whose rows they are -----------------------------------------------------------


def _one(_: mujoco.MjModel, element: int) -> slice:
    return slice(element, element + 1)


def _run(first: str, count: str) -> Rows:
    """Returns the rows by two fields of mjModel: the first row, and how many."""

    def rows(model: mujoco.MjModel, element: int) -> slice:
        start = int(getattr(model, first)[element])
        size = int(getattr(model, count)[element])
        return slice(start, start + size) if start >= 0 else slice(0, 0)

    return rows


def _joint_run(first: str, place: int) -> Rows:
    def rows(model: mujoco.MjModel, joint: int) -> slice:
        start = int(getattr(model, first)[joint])
        size = _JOINT_SIZES.get(int(model.jnt_type[joint]), (1, 1))[place]
        return slice(start, start + size)

    return rows


def _mocap(model: mujoco.MjModel, body: int) -> slice:
    mocap = int(model.body_mocapid[body])
    return slice(mocap, mocap + 1) if mocap >= 0 else slice(0, 0)


def _heights(model: mujoco.MjModel, hfield: int) -> slice:
    start = int(model.hfield_adr[hfield])
    size = int(model.hfield_nrow[hfield]) * int(model.hfield_ncol[hfield])
    return slice(start, start + size)


def _texels(model: mujoco.MjModel, texture: int) -> slice:
    start = int(model.tex_adr[texture])
    size = int(model.tex_height[texture]) * int(model.tex_width[texture])
    return slice(start, start + size * int(model.tex_nchannel[texture]))


# Whose names do not follow from the names of the sizes.
_RUNS: Mapping[tuple[mujoco.mjtObj, str], Rows] = {
    (OBJ.mjOBJ_BODY, "nmocap"): _mocap,
    (OBJ.mjOBJ_JOINT, "nq"): _joint_run("jnt_qposadr", 0),
    (OBJ.mjOBJ_JOINT, "nv"): _joint_run("jnt_dofadr", 1),
    (OBJ.mjOBJ_ACTUATOR, "nu"): _run("actuator_ctrladr", "actuator_ctrlnum"),
    (OBJ.mjOBJ_ACTUATOR, "nout"): _run("actuator_outadr", "actuator_outnum"),
    (OBJ.mjOBJ_ACTUATOR, "na"): _run("actuator_actadr", "actuator_actnum"),
    (OBJ.mjOBJ_SENSOR, "nsensordata"): _run("sensor_adr", "sensor_dim"),
    (OBJ.mjOBJ_TENDON, "nwrap"): _run("tendon_adr", "tendon_num"),
    (OBJ.mjOBJ_HFIELD, "nhfielddata"): _heights,
    (OBJ.mjOBJ_TEXTURE, "ntexdata"): _texels,
    (OBJ.mjOBJ_NUMERIC, "nnumericdata"): _run("numeric_adr", "numeric_size"),
    (OBJ.mjOBJ_TUPLE, "ntupledata"): _run("tuple_adr", "tuple_size"),
    (OBJ.mjOBJ_PLUGIN, "npluginstate"): _run("plugin_stateadr", "plugin_statenum"),
}


def _rows(kind: elements.Kind, size: str) -> Rows | None:
    """Returns how to find an element's rows in a field that `size` counts.

    Most parts go by one pattern: nmeshvert counts vertices, and mesh_vertadr and
    mesh_vertnum say which of them a mesh has.
    """
    if size == kind.size:
        return _one
    for (obj, name), rows in _RUNS.items():
        if (int(obj), name) == (kind.obj, size):
            return rows
    part = size.removeprefix(kind.size)
    first, count = f"{kind.prefix}{part}adr", f"{kind.prefix}{part}num"
    declared = elements.declared("mjModel")
    if part == size or not part:
        return None
    if all(n in declared and declared[n].rows == kind.size for n in (first, count)):
        return _run(first, count)
    return None


# -- what numbers refer to ---------------------------------------------------------

_REFERS = (
    (re.compile("(?<!dof_)(body|parent|root|weld)id$"), OBJ.mjOBJ_BODY),
    (re.compile("matid$"), OBJ.mjOBJ_MATERIAL),
    (re.compile("texid$"), OBJ.mjOBJ_TEXTURE),
    (re.compile("jntid$"), OBJ.mjOBJ_JOINT),
    (re.compile("actuatorid$"), OBJ.mjOBJ_ACTUATOR),
    (re.compile("^pair_geom[12]$"), OBJ.mjOBJ_GEOM),
    (re.compile("_plugin$"), OBJ.mjOBJ_PLUGIN),
)
# Which field says what kind of element a field's numbers are of.
_TYPED = {
    "geom_dataid": "geom_type",
    "site_dataid": "site_type",
    "eq_obj1id": "eq_objtype",
    "eq_obj2id": "eq_objtype",
    "sensor_objid": "sensor_objtype",
    "sensor_refid": "sensor_reftype",
    "tuple_objid": "tuple_objtype",
    "actuator_trnid": "actuator_trntype",
    "wrap_objid": "wrap_type",
}
# The kinds of element by the word for a type, where it is another.
_BY_WORD = {
    "xbody": "body",
    "sdf": "mesh",
    "jointinparent": "joint",
    "slidercrank": "site",
    "sphere": "geom",
    "cylinder": "geom",
}


def refers(
    attribute: Attribute, model: mujoco.MjModel, element: int, row: int
) -> int | None:
    """Returns the kind of element, an `mjtObj`, that a field's numbers are ids of.

    Args:
        attribute: The field.
        model: The model.
        element: Whose rows it is about.
        row: Which row of the field.

    Returns:
        None if the numbers are no ids.
    """
    if attribute.root != "model":
        return None
    if (field := _TYPED.get(attribute.name)) is None:
        for pattern, obj in _REFERS:
            if pattern.search(attribute.name):
                return int(obj)
        return None
    types = getattr(model, field)
    per_row = elements.declared("mjModel")[attribute.name].rows
    kind = int(types[row if per_row in ("ntupledata", "nwrap") else element])
    enum = elements.declared("mjModel")[field].enum
    word = elements.words(enum).get(kind, "") if enum else ""
    return _kinds_by_word().get(_BY_WORD.get(word, word))


@functools.cache
def _kinds_by_word() -> Mapping[str, int]:
    return {kind.word: obj for obj, kind in KINDS.items()}
