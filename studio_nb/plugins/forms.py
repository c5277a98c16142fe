"""Functions as plugins: what `@studio.on` and `@studio.overlay` make of them.

Made in a cell's thread, which gets told when a function cannot serve. The thread
of the plugin's side calls the functions.
"""

import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any, Literal

import mujoco
from mujoco.studio import messages, plugin

from studio_nb.errors import StudioError
from studio_nb.registry import Offering

Side = Literal["sim", "viewer"]
Function = Callable[..., Any]

# Dispatched on one side alone, see Studio's lifecycle events.
_VIEWER_ONLY = (
    plugin.ViewerInitEvent,
    plugin.ThemeEvent,
    messages.UpdateEvent,
    messages.BuildGuiEvent,
    messages.StateSnapshot,
)
_SIM_ONLY = (
    plugin.SimInitEvent,
    messages.LoadModelEvent,
    messages.PreStepEvent,
    messages.StepEvent,
    messages.PostStepEvent,
)

# The parameter by which a handler gets its host, and the host's side.
_HOSTS = {"handle": "sim", "viewer": "viewer"}

_NAMELESS = ("_", "<lambda>")

# An overlay that yields more has no end, or takes a frame seconds.
_MOST_GEOMS = 50_000


def identity(fn: Function, form: str, nameless: str = "") -> frozenset[tuple[str, ...]]:
    """Returns by what a function is known again when its cell runs again.

    Args:
        fn: The function; by its name, within its module.
        form: What it is made to.
        nameless: What tells functions without a name of their own apart.
    """
    name = getattr(fn, "__qualname__", type(fn).__qualname__)
    if name.rpartition(".")[2] in _NAMELESS:
        return frozenset({(form, fn.__module__, name, nameless)})
    return frozenset({("function", fn.__module__, name)})


def name_of(fn: Function) -> str:
    """Returns a function's name for people."""
    name = getattr(fn, "__qualname__", type(fn).__qualname__)
    return name.rpartition("<locals>.")[2]


def says(fn: Function) -> str:
    """Returns what a function does: its docstring's first line, or its name."""
    doc = (inspect.getdoc(fn) or "").strip().splitlines()
    return doc[0].rstrip(".") if doc else name_of(fn).replace("_", " ").capitalize()


def takes(fn: Function, form: str, *shapes: tuple[str, ...]) -> tuple[str, ...]:
    """Returns which of the ways to call it a function has.

    Args:
        fn: The function.
        form: What it is made to, for the error.
        shapes: The ways, each the names of what is handed over.

    Raises:
        TypeError: If it has none of them, or is no function.
    """
    ways = " or ".join(f"fn({', '.join(shape)})" for shape in shapes)
    if isinstance(fn, type) or not callable(fn):
        msg = f"{form}: {fn!r:.60} is no function: write {ways} below it"
        raise TypeError(msg)
    if inspect.iscoroutinefunction(fn) or inspect.isasyncgenfunction(fn):
        msg = f"{form}: {name_of(fn)} is called, not awaited: write it without async"
        raise TypeError(msg)
    signature = inspect.signature(fn)
    for shape in shapes:
        try:
            signature.bind(*shape)
        except TypeError:
            continue
        return shape
    msg = f"{form}: {name_of(fn)}{signature} cannot be called as {ways}"
    raise TypeError(msg)


class FunctionPlugin(Offering):
    """What all plugins made of a function have; the sides' base classes come to it.

    Attributes:
        fn: The function.
        plugin_name: Its name, for tables and errors.
        identity: By what it is known again.
        form: What it was made to, and of what: "on", and the message's name.
    """

    def __init__(
        self, fn: Function, known_by: Iterable[tuple[str, ...]], *form: str
    ) -> None:
        """Wraps a function."""
        self.fn = fn
        self.form = form
        self.plugin_name = name_of(fn)
        self.identity = frozenset(known_by)

    def take_over(self, old: object) -> list[str]:
        """Takes over what a person has changed of the one whose place it takes.

        Returns:
            The names of what it took; none, unless a form has such.
        """
        del old
        return []


def check_message(event: object) -> None:
    """Checks that something is a type of message.

    Raises:
        TypeError: If it is not.
    """
    if not (isinstance(event, type) and issubclass(event, messages.Message)):
        msg = (
            f"on({event!r:.60}): give a type of message, such as messages.PreStepEvent"
        )
        raise TypeError(msg)


def handler_of(
    fn: Function,
    event: type[messages.Message],
    priority: int = messages.Priority.USER,
    side: Side | None = None,
) -> plugin.Plugin:
    """Makes a plugin of a function that handles one type of message.

    Args:
        fn: Called with the message; and with the `ViewerHandle` or the `Viewer` when
            it has a second parameter named `handle` or `viewer`.
        event: The type of message.
        priority: As in `messages.handler`; higher ones are called first.
        side: "sim" or "viewer"; None: where the message is dispatched, and the sim
            where it is on both sides.

    Raises:
        TypeError: If the function takes other arguments.
        StudioError: If the message does not come to that side.
    """
    form = f"on({event.__name__})"
    second = _host_parameter(fn, form)
    chosen = _side(event, side, second, form)
    of = f"{event.__module__}.{event.__qualname__}"
    known_by = identity(fn, "on", of)
    base = plugin.SimPlugin if chosen == "sim" else plugin.ViewerPlugin

    def call(self: Any, message: messages.Message) -> object:  # noqa: ANN401 - either side
        return fn(message, getattr(self, second)) if second else fn(message)

    call.__annotations__["message"] = event
    call.__name__ = name_of(fn)
    kind = type(
        name_of(fn),
        (FunctionPlugin, base),
        {"on_message": messages.handler(call, priority=priority)},
    )
    return kind(fn, known_by, "on", of)


def _host_parameter(fn: Function, form: str) -> str:
    """Returns the second parameter of a handler: "handle", "viewer", or "".

    Others may have defaults, and stay as they are.
    """
    names = [*inspect.signature(fn).parameters][1:2] if callable(fn) else []
    host = names[0] if names and names[0] in _HOSTS else ""
    takes(fn, form, ("event", host) if host else ("event",))
    return host


def _side(event: type, side: object, second: str, form: str) -> Side:
    wanted = _HOSTS.get(second, side)
    if side not in (None, "sim", "viewer"):
        msg = f"{form}: side {side!r}: give 'sim' or 'viewer'"
        raise StudioError(msg)
    if side is not None and wanted != side:
        msg = f"{form}: there is no {second} on the side {side!r}"
        raise StudioError(msg)
    only = ("viewer" if issubclass(event, _VIEWER_ONLY) else "") or (
        "sim" if issubclass(event, _SIM_ONLY) else ""
    )
    if only and wanted not in (None, only):
        msg = f"{form}: this message is dispatched on the side {only!r} alone"
        raise StudioError(msg)
    chosen = wanted or only or "sim"
    return "viewer" if chosen == "viewer" else "sim"


class Overlay(FunctionPlugin, plugin.ViewerPlugin):
    """Draws what a function yields over the scene, in every frame.

    Attributes:
        overlay_geoms: What it yielded last; the viewer draws it.
    """

    def __init__(self, fn: Function) -> None:
        """Wraps `fn(model, data)` or `fn(viewer)`.

        Raises:
            TypeError: If the function takes other arguments.
        """
        self._takes = takes(fn, "overlay", ("model", "data"), ("viewer",))
        super().__init__(fn, identity(fn, "overlay"), "overlay")
        self.overlay_geoms: list[mujoco.MjvGeom] = []

    @messages.handler
    def on_update(self, _: messages.UpdateEvent) -> None:
        """Calls the function."""
        # One that raises draws nothing, rather than what was there before.
        self.overlay_geoms = []
        viewer = self.viewer
        whole = len(self._takes) == 1
        made = self.fn(viewer) if whole else self.fn(viewer.model, viewer.data)
        if isinstance(made, mujoco.MjvGeom):
            made = [made]
        geoms = [] if made is None else [*itertools.islice(made, _MOST_GEOMS + 1)]
        if len(geoms) > _MOST_GEOMS:
            msg = f"overlay {self.plugin_name} yields more than {_MOST_GEOMS} geoms"
            raise ValueError(msg)
        for geom in geoms:
            if not isinstance(geom, mujoco.MjvGeom):
                msg = (
                    f"overlay {self.plugin_name} made a {type(geom).__name__}: yield "
                    "MjvGeoms, such as studio_nb.shapes.sphere(pos)"
                )
                raise TypeError(msg)
        self.overlay_geoms = geoms
