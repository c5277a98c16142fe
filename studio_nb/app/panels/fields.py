"""Finds a number of mjModel or mjData by the name that a person typed.

`parse` reads an expression such as "data.xpos[torso, 2]" into a `Field`, which
reads the numbers anew from each frame. It looks up public fields and counts in
arrays, and evaluates nothing. The section Watch works with it, on the
viewer thread.
"""

import dataclasses
import difflib
import functools
import re

import mujoco
import numpy as np
import numpy.typing as npt

_OBJ = mujoco.mjtObj

_PATH = re.compile(r"\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*((?:\[[^\[\]]*\]\s*)*)$")
_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_SLICE = re.compile(r"(-?\d*)\s*:\s*(-?\d*)")
_NUMBER = re.compile(r"-?\d+")

_MOST_SUGGESTIONS = 8

# Arrays with a row for each element, by how their names begin.
_BY_PREFIX = (
    ("body_", _OBJ.mjOBJ_BODY),
    ("jnt_", _OBJ.mjOBJ_JOINT),
    ("geom_", _OBJ.mjOBJ_GEOM),
    ("site_", _OBJ.mjOBJ_SITE),
    ("cam_", _OBJ.mjOBJ_CAMERA),
    ("light_", _OBJ.mjOBJ_LIGHT),
    ("tendon_", _OBJ.mjOBJ_TENDON),
    ("ten_", _OBJ.mjOBJ_TENDON),
    ("actuator_", _OBJ.mjOBJ_ACTUATOR),
    ("sensor_", _OBJ.mjOBJ_SENSOR),
    ("eq_", _OBJ.mjOBJ_EQUALITY),
    ("key_", _OBJ.mjOBJ_KEY),
    ("mat_", _OBJ.mjOBJ_MATERIAL),
    ("mesh_", _OBJ.mjOBJ_MESH),
    ("tex_", _OBJ.mjOBJ_TEXTURE),
    ("hfield_", _OBJ.mjOBJ_HFIELD),
    ("pair_", _OBJ.mjOBJ_PAIR),
    ("flex_", _OBJ.mjOBJ_FLEX),
    ("skin_", _OBJ.mjOBJ_SKIN),
)
_OF_BODIES = {
    *("xpos", "xquat", "xmat", "xipos", "xiquat", "ximat", "xfrc_applied"),
    *("subtree_com", "subtree_linvel", "subtree_angmom", "cinert", "crb"),
    *("cvel", "cacc", "cfrc_int", "cfrc_ext"),
}
# Arrays in which an element owns several numbers: whose they are, the array of
# first places and the size of the whole.
_SPREAD = {
    "qpos": (_OBJ.mjOBJ_JOINT, "jnt_qposadr", "nq"),
    "qpos0": (_OBJ.mjOBJ_JOINT, "jnt_qposadr", "nq"),
    "qpos_spring": (_OBJ.mjOBJ_JOINT, "jnt_qposadr", "nq"),
    "qvel": (_OBJ.mjOBJ_JOINT, "jnt_dofadr", "nv"),
    "qacc": (_OBJ.mjOBJ_JOINT, "jnt_dofadr", "nv"),
    "ctrl": (_OBJ.mjOBJ_ACTUATOR, "actuator_ctrladr", "nu"),
    "actuator_ctrlrange": (_OBJ.mjOBJ_ACTUATOR, "actuator_ctrladr", "nu"),
    "actuator_ctrllimited": (_OBJ.mjOBJ_ACTUATOR, "actuator_ctrladr", "nu"),
    "actuator_force": (_OBJ.mjOBJ_ACTUATOR, "actuator_outadr", "nout"),
    "actuator_length": (_OBJ.mjOBJ_ACTUATOR, "actuator_outadr", "nout"),
    "actuator_velocity": (_OBJ.mjOBJ_ACTUATOR, "actuator_outadr", "nout"),
    "actuator_gear": (_OBJ.mjOBJ_ACTUATOR, "actuator_outadr", "nout"),
    "act": (_OBJ.mjOBJ_ACTUATOR, "actuator_actadr", "na"),
    "act_dot": (_OBJ.mjOBJ_ACTUATOR, "actuator_actadr", "na"),
    "sensordata": (_OBJ.mjOBJ_SENSOR, "sensor_adr", "nsensordata"),
}
_DOF_PREFIXES = ("dof_", "qfrc_", "qacc_")

Index = int | slice | str


class FieldError(ValueError):
    """An expression that names no number; its text says what is wrong."""


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """Where to find numbers.

    Attributes:
        root: "data" or "model".
        path: Names of attributes, from there.
        brackets: What to pick: one tuple for each pair of brackets.
    """

    root: str
    path: tuple[str, ...]
    brackets: tuple[tuple[Index, ...], ...]

    @property
    def name(self) -> str:
        """The field without its root and brackets."""
        return ".".join(self.path)

    def read(
        self, model: mujoco.MjModel, data: mujoco.MjData
    ) -> npt.NDArray[np.float64]:
        """Returns the numbers, shape (n,), a copy.

        Raises:
            FieldError: If there is no such field or element now.
        """
        found: object = data if self.root == "data" else model
        for name in self.path:
            found = getattr(found, name, None)
        array = np.asarray(found)
        if array.dtype.kind not in "biuf":
            msg = f"{self.name} holds no numbers"
            raise FieldError(msg)
        for bracket in self.brackets:
            array = self._pick(model, array, bracket)
        return np.array(array, dtype=np.float64).ravel()

    def _pick(
        self, model: mujoco.MjModel, array: npt.NDArray, bracket: tuple[Index, ...]
    ) -> npt.NDArray:
        if len(bracket) > array.ndim:
            shape = " x ".join(map(str, array.shape)) or "a single number"
            msg = f"too many indices: {self.name} is {shape}"
            raise FieldError(msg)
        places = [
            place if not isinstance(place, str) else _place(model, self.name, place)
            for place in bracket
        ]
        for place, size in zip(places, array.shape, strict=False):
            if isinstance(place, int) and not -size <= place < size:
                msg = f"there is no [{place}]: {self.name} has {size} elements here"
                raise FieldError(msg)
        return array[tuple(places)]


def parse(text: str, model: mujoco.MjModel, data: mujoco.MjData) -> Field:
    """Returns the field that an expression names.

    Args:
        text: As "qpos[3]", "data.xpos[torso, 2]", "model.opt.gravity" or
            "sensordata[0:3]". Without "data." or "model." data comes first.
        model: Has the fields.
        data: Has the fields.

    Raises:
        FieldError: If it names none, saying why.
    """
    match = _PATH.match(text)
    if match is None:
        msg = "write a field and an index, as in qpos[3] or xpos[torso, 2]"
        raise FieldError(msg)
    path = match[1].split(".")
    roots = {"data": data, "model": model}
    if path[0] in roots and len(path) > 1:
        root, path = path[0], path[1:]
    else:
        root = "data" if _has(data, path[0]) else "model"
    holder: object = roots[root]
    for name in path:
        if not _has(holder, name):
            of = type(holder).__name__.replace("Mj", "mj", 1)
            msg = f"{of} has no field {name!r}{_nearest(name)}"
            raise FieldError(msg)
        holder = getattr(holder, name)
    brackets = tuple(
        tuple(_index(part) for part in bracket.split(","))
        for bracket in _BRACKET.findall(match[2])
    )
    field = Field(root, tuple(path), brackets)
    field.read(model, data)
    return field


def _has(holder: object, name: str) -> bool:
    """Tells whether an object has a public field of that name."""
    if name.startswith("_") or not hasattr(holder, name):
        return False
    return not callable(getattr(holder, name))


def _index(text: str) -> Index:
    """Returns what stands between commas: a number, a range or a name."""
    text = text.strip().strip("\"'")
    if _NUMBER.fullmatch(text):
        return int(text)
    if found := _SLICE.fullmatch(text):
        return slice(*(int(end) if end else None for end in found.groups()))
    if not text:
        msg = "the brackets are empty: write an index, as in qpos[3]"
        raise FieldError(msg)
    return text


def _place(model: mujoco.MjModel, field: str, element: str) -> int | slice:
    """Returns where a named element's numbers are in a field.

    Raises:
        FieldError: If the field goes by no names, or the element is not there.
    """
    kind, spread = _elements(field)
    if kind is None:
        msg = f"{field} goes by numbers: write an index instead of {element!r}"
        raise FieldError(msg)
    index = mujoco.mj_name2id(model, int(kind), element)
    word = mujoco.mju_type2Str(int(kind))
    if index < 0:
        msg = f"there is no {word} {element!r} in this model"
        raise FieldError(msg)
    if field.startswith("mocap_"):
        index = int(model.body_mocapid[index])
    elif spread is not None:
        starts = np.append(getattr(model, spread[0]), getattr(model, spread[1]))
        index = int(starts[index]) if index < len(starts) else -1
        if index >= 0:
            size = int(starts[starts > index].min()) - index
            return index if size == 1 else slice(index, index + size)
    if index < 0:
        msg = f"the {word} {element!r} has no part of {field}"
        raise FieldError(msg)
    return index


@functools.cache
def _elements(field: str) -> tuple[mujoco.mjtObj | None, tuple[str, str] | None]:
    """Returns whose a field's rows are, and how they are spread where unevenly.

    Returns:
        The kind of element, or None; and the name of the array of first places
        with that of the whole size, or None where each element has one row.
    """
    if field in _SPREAD:
        kind, *spread = _SPREAD[field]
        return kind, (spread[0], spread[1])
    if field.startswith(_DOF_PREFIXES):
        return _OBJ.mjOBJ_JOINT, ("jnt_dofadr", "nv")
    if field in _OF_BODIES or field.startswith("mocap_"):
        return _OBJ.mjOBJ_BODY, None
    for prefix, kind in _BY_PREFIX:
        if field.startswith(prefix):
            return kind, None
    return None, None


@functools.cache
def known() -> tuple[str, ...]:
    """Returns the names of all fields that hold numbers, those of mjData first."""
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    data = mujoco.MjData(model)
    found = []
    for root in (data, model):
        for name in dir(root):
            if _has(root, name) and name not in found:
                value = np.asarray(getattr(root, name))
                if value.dtype.kind in "biuf":
                    found.append(name)
    found += [f"opt.{n}" for n in dir(model.opt) if _has(model.opt, n)]
    return tuple(found)


def suggestions(text: str) -> list[str]:
    """Returns fields to complete a beginning with: the likeliest first."""
    word = text.strip()
    head = ""
    for root in ("data.", "model."):
        if word.startswith(root):
            head, word = root, word.removeprefix(root)
    if not word or "[" in word or word in known():
        return []
    lower = word.lower()
    starts = [name for name in known() if name.lower().startswith(lower)]
    within = [name for name in known() if lower in name.lower() and name not in starts]
    return [head + name for name in [*starts, *within][:_MOST_SUGGESTIONS]]


def _nearest(name: str) -> str:
    """Returns a hint at the field that was meant, or nothing."""
    close = difflib.get_close_matches(name, known(), 1)
    return f": did you mean {close[0]}?" if close else ""
