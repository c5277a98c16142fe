"""Sources: whatever a person names as a model, loaded, or a message that helps.

Called in the cell's thread, so that a mistake is told in the cell before
anything that runs is touched; `reload` is called on the sim thread.
"""

import contextlib
import copy
import dataclasses
import difflib
import os
import pathlib
import re
import threading
import warnings
from collections.abc import Generator

import mujoco
import numpy as np

from studio_nb import mjlog
from studio_nb.errors import StudioError

ModelSource = (
    str
    | os.PathLike[str]
    | mujoco.MjSpec
    | mujoco.MjModel
    | tuple[mujoco.MjModel, mujoco.MjData]
)

EXTENSIONS = (".xml", ".urdf", ".mjb", ".mjz", ".zip")
_ARCHIVES = (".mjz", ".zip")


@dataclasses.dataclass
class Source:
    """A loaded model and where it came from.

    Attributes:
        model: The compiled model, owned by whoever holds this.
        data: Its data, or None for a fresh one.
        spec: What it was compiled from; None when it came compiled.
        path: Absolute path of its file, or "".
        vfs: The mounted archive that `spec` reads its assets from, or None.
        warnings: What the compiler had to say.
    """

    model: mujoco.MjModel
    data: mujoco.MjData | None = None
    spec: mujoco.MjSpec | None = None
    path: str = ""
    vfs: mujoco.MjVfs | None = None
    warnings: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        """Refuses names that MuJoCo's own functions could not hand out.

        Raises:
            StudioError: If a name is not UTF-8.
        """
        try:
            self.model.names.decode()
        except UnicodeDecodeError as error:
            start = self.model.names.rfind(b"\0", 0, error.start) + 1
            name = self.model.names[start:].split(b"\0", 1)[0]
            msg = f"the name {name!r} is not UTF-8: save the model's file as UTF-8"
            raise StudioError(msg) from None


def load(source: ModelSource) -> Source:
    """Loads a model from whatever a person gave.

    Args:
        source: A path (XML, URDF, MJB, MJZ or ZIP), an XML string, an `MjSpec`,
            an `MjModel`, or an `(MjModel, MjData)` pair. Specs, models and data
            are copied: the session's are its own.

    Raises:
        StudioError: If it cannot be loaded; the message says what and where.
    """
    if isinstance(source, mujoco.MjModel):
        return Source(copy.deepcopy(source))
    if isinstance(source, mujoco.MjSpec):
        return _compiled(source.copy(), "the MjSpec")
    if isinstance(source, tuple):
        return _pair(source)
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n")[:1] == "<":
        return from_xml(source.lstrip("\ufeff \t\r\n"))
    if isinstance(source, (str, os.PathLike)):
        return from_path(source)
    msg = (
        f"a model cannot be made from a {type(source).__name__}: give a path, an XML "
        "string, an MjSpec, an MjModel or an (MjModel, MjData) pair"
    )
    raise StudioError(msg)


def _pair(source: tuple) -> Source:
    match source:
        case (mujoco.MjModel() as model, mujoco.MjData() as data):
            own = copy.deepcopy(model)
            return Source(own, _copied(own, data))
    kinds = ", ".join(type(part).__name__ for part in source)
    msg = f"a model cannot be made from ({kinds}): a pair must be (MjModel, MjData)"
    raise StudioError(msg)


# Arrays of MjData whose sizes together tell one model's data from another's.
_SIZED = (
    "qpos", "qvel", "act", "ctrl", "xpos", "geom_xpos", "site_xpos", "cam_xpos",
    "light_xpos", "mocap_pos", "eq_active", "userdata", "sensordata", "ten_length",
)  # fmt: skip


def _copied(model: mujoco.MjModel, data: mujoco.MjData) -> mujoco.MjData:
    """Returns new data for `model` in the state of `data`.

    MuJoCo trusts that data belongs to its model; data of another one would have
    it read foreign memory.
    """
    own = mujoco.MjData(model)
    for name in _SIZED:
        have, want = getattr(data, name).shape, getattr(own, name).shape
        if have != want:
            msg = (
                f"the data does not belong to the model ({name} has shape {have}, not "
                f"{want}): make it with mujoco.MjData(model)"
            )
            raise StudioError(msg)
    signature = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.empty(mujoco.mj_stateSize(model, signature))
    mujoco.mj_getState(model, data, state, signature)
    mujoco.mj_setState(model, own, state, signature)
    return own


def from_xml(xml: str) -> Source:
    """Loads MJCF or URDF text.

    Raises:
        StudioError: If it cannot be read or compiled.
    """
    with told("the XML"):
        spec = mujoco.MjSpec.from_string(xml)
    return _compiled(spec, "the XML")


def from_path(path: str | os.PathLike[str]) -> Source:
    """Loads a model file.

    Raises:
        StudioError: If it is not there, of another kind, or broken.
    """
    try:
        file = pathlib.Path(path).expanduser()
        there = file.exists()
    except (OSError, RuntimeError, ValueError) as error:
        msg = f"{str(path)[:80]!r} cannot be a file: {error}"
        raise StudioError(msg) from None
    suffix = file.suffix.lower()
    if not there:
        raise StudioError(_missing(file))
    if file.is_dir():
        msg = f"{file} is a folder: give the model file in it{_models_in(file)}"
        raise StudioError(msg)
    if suffix not in EXTENSIONS:
        msg = f"{file} is no model: {', '.join(EXTENSIONS)} can be opened"
        if suffix == ".py":
            msg += "; a plugin file goes to --plugins"
        raise StudioError(msg)
    absolute = str(file.resolve())
    if suffix == ".mjb":
        with told(str(file)):
            model = mujoco.MjModel.from_binary_path(absolute)
        return Source(model, path=absolute)
    vfs = mujoco.MjVfs() if suffix in _ARCHIVES else None
    with told(str(file)):
        spec = mujoco.MjSpec.from_file(absolute, **mounted(vfs))
    return _compiled(spec, str(file), absolute, vfs)


def mounted(vfs: mujoco.MjVfs | None) -> dict[str, mujoco.MjVfs]:
    """Returns the keyword that lets MuJoCo read from an archive, if there is one."""
    return {} if vfs is None else {"vfs": vfs}


def _compiled(
    spec: mujoco.MjSpec, name: str, path: str = "", vfs: mujoco.MjVfs | None = None
) -> Source:
    with told(name, spec) as said:
        model = spec.compile(**mounted(vfs))
    return Source(model, spec=spec, path=path, vfs=vfs, warnings=said)


# `warnings.catch_warnings` belongs to the process: two at once would undo each
# other in the wrong order and leave the filters changed.
_catching = threading.RLock()


@contextlib.contextmanager
def told(name: str, spec: mujoco.MjSpec | None = None) -> Generator[list[str]]:
    """Turns what MuJoCo raises into a `StudioError`, and keeps what it warns.

    Args:
        name: The file, or what stands for it, that is being read.
        spec: What is being compiled, to tell which asset misses its file.
    """
    lines: list[str] = []
    with (
        _catching,
        mjlog.listening(lines.append),
        warnings.catch_warnings(record=True) as records,
    ):
        warnings.simplefilter("always")
        try:
            yield lines
        except StudioError:
            raise
        except Exception as error:  # noqa: BLE001 - the bindings raise several kinds
            raise StudioError(explain(name, error, spec)) from None
        finally:
            # The compiler says the same twice: to its log and to Python.
            said = [" ".join(str(record.message).split()) for record in records]
            lines += [text for text in said if text not in lines]


_PARSE_ERROR = re.compile(
    r"XML parse error.*?Line number=(\d+)(?:: XMLElement name=(\S+))?", re.DOTALL
)
_PREFIX = re.compile(r"^(?:XML Error|Error|ParseXML|Schema violation): ")
_ELEMENT = re.compile(r"^Element (?:name )?'(.*?)'(?:, id \d+)?(?:, line (\d+))?$")


_NO_FILE = re.compile(r"Error opening file '(.*?)'")


def explain(name: str, error: BaseException, spec: mujoco.MjSpec | None = None) -> str:
    """Returns MuJoCo's complaint as one line: where, then what.

    Args:
        name: The file, or what stands for it.
        error: What loading or compiling raised.
        spec: What was being compiled, if it came that far.
    """
    text = str(error).strip() or type(error).__name__
    if spec is not None and (found := _NO_FILE.search(text)):
        return _asset_without_file(name, found[1], spec)
    if found := _PARSE_ERROR.search(text):
        line, element = found.groups()
        near = f" near <{element}>" if element else ""
        return f"{name}, line {line}: the XML is not well-formed{near}"
    where, what = [name], []
    for line in text.splitlines():
        if found := _ELEMENT.match(line.strip()):
            element, number = found.groups()
            where += [f"line {number}"] if number else []
            where += [f"element '{element}'"] if element else []
            continue
        part = line.strip()
        while (shorter := _PREFIX.sub("", part)) != part:
            part = shorter
        if part:
            what.append(part)
    return f"{', '.join(where)}: {'; '.join(what)}"


def _asset_without_file(name: str, file: str, spec: mujoco.MjSpec) -> str:
    kinds = {
        "mesh": spec.meshes,
        "texture": spec.textures,
        "hfield": spec.hfields,
        "skin": spec.skins,
    }
    base = pathlib.PurePath(file).name
    users = [
        f"{kind} '{asset.name}'" if asset.name else kind
        for kind, assets in kinds.items()
        for asset in assets
        if pathlib.PurePath(asset.file).name == base
    ]
    who = f"{', '.join(users)} needs" if users else "needs"
    return f"{name}: {who} the file '{file}', which is not there or cannot be read"


def _models_in(folder: pathlib.Path) -> str:
    names = sorted(f.name for f in folder.iterdir() if f.suffix.lower() in EXTENSIONS)
    return f" ({', '.join(names[:5])})" if names else ", which has none"


def _missing(file: pathlib.Path) -> str:
    folder = file.parent
    if not folder.is_dir():
        return f"{file} is not there: the folder {folder} does not exist"
    names = [f.name for f in folder.iterdir() if f.suffix.lower() in EXTENSIONS]
    close = difflib.get_close_matches(file.name, names, n=1)
    hint = (
        f": did you mean {close[0]}?" if close else f" (looked in {folder.resolve()})"
    )
    return f"{file} is not there{hint}"


def reload(source: Source) -> Source:
    """Loads a source again: its file, or its spec compiled once more.

    Raises:
        StudioError: If the file is gone or broken by now.
    """
    if source.path:
        return from_path(source.path)
    if source.spec is not None:
        return _compiled(source.spec.copy(), "the MjSpec")
    return Source(copy.deepcopy(source.model))
