"""Puts the stand-ins in the places of Studio's modules, and takes them out again.

The magics install them for as long as the extension is loaded, a session for as long
as it is open, and whoever loads a plugin's file for that time: its code may import them
at any time and on any thread, also from within its handlers. Whatever
bound one of Studio's modules before is bound to the stand-in, so that the order of
the imports does not matter; Studio's own viewers work on through it (`standin`).
"""

import contextlib
import functools
import importlib
import sys
import threading
import types
from collections.abc import Generator
from typing import Any, NamedTuple

from studio_nb.shim import dear_imgui, implot, standin

_UX = "mujoco.studio.ux"


class _Place(NamedTuple):
    """Where something is bound: what was there, and what is there meanwhile."""

    namespace: dict[str, Any]
    name: str
    before: Any
    ours: Any


_lock = threading.RLock()
_depth = 0
_places: list[_Place] = []
_shells: list[Any] = []


@contextlib.contextmanager
def active() -> Generator[None]:
    """Keeps the stand-ins installed for the block; blocks may overlap.

    Yields:
        Nothing; `mujoco.studio.dear_imgui.dear_imgui`, `mujoco.studio.implot.implot`
        and `mujoco.studio.ux` are the stand-ins, however they are imported.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def install_for_cells(ip: Any) -> None:  # noqa: ANN401, IPython's shell
    """Keeps the stand-ins installed until `uninstall_for_cells`; once is enough.

    Args:
        ip: The shell that runs the cells.
    """
    with _lock:
        if any(shell is ip for shell in _shells):
            return
        _enter()
        _shells.append(ip)
    ip.events.register("pre_run_cell", _before_cell)


def uninstall_for_cells(ip: Any) -> None:  # noqa: ANN401, IPython's shell
    """Undoes `install_for_cells`; without it, it does nothing.

    Args:
        ip: The shell that was given there.
    """
    with _lock:
        if not any(shell is ip for shell in _shells):
            return
        _shells[:] = [shell for shell in _shells if shell is not ip]
        _leave()
    ip.events.unregister("pre_run_cell", _before_cell)


def _before_cell(*_: object) -> None:
    """Ends what a native viewer of Studio's, run by an earlier cell, left behind."""
    standin.forget_studio()


def _enter() -> None:
    """Installs with the first that wants it."""
    global _depth  # noqa: PLW0603, one count a process, as sys.modules
    with _lock:
        if _depth == 0:
            for place in _found():
                place.namespace[place.name] = place.ours
                _places.append(place)
        _depth += 1


def _leave() -> None:
    """Puts back what was there with the last that wanted it."""
    global _depth  # noqa: PLW0603, one count a process, as sys.modules
    with _lock:
        _depth -= 1
        if _depth:
            return
        # What was imported meanwhile keeps its stand-ins: a plugin goes on needing
        # them, and Studio's own viewers work with them.
        for place in _places:
            if place.namespace.get(place.name) is not place.ours:
                continue
            if place.before is None:
                del place.namespace[place.name]
            else:
                place.namespace[place.name] = place.before
        _places.clear()


def _found() -> list[_Place]:
    """Returns where later imports look, and what earlier ones bound."""
    places = []
    standins = {}
    for studios, ours in _made():
        parent, _, own = ours.__name__.rpartition(".")
        places.append(_Place(sys.modules, ours.__name__, studios, ours))
        if package := _loaded(parent):
            places.append(_Place(vars(package), own, studios, ours))
        if studios is not None:
            standins[id(studios)] = ours
            places += _functions(studios, ours)
    for module in list(sys.modules.values()):
        bound = getattr(module, "__dict__", None)
        # The stand-ins alone go on holding Studio's.
        if isinstance(module, standin.StandIn) or not isinstance(bound, dict):
            continue
        places += [
            _Place(bound, name, value, standins[id(value)])
            for name, value in list(bound.items())
            if id(value) in standins
        ]
    return places


def _functions(studios: types.ModuleType, ours: standin.StandIn) -> list[_Place]:
    """Returns the functions of a module itself.

    What holds the module where nobody can look, a function's local variables say,
    finds safe ones there, too.
    """
    return [
        _Place(vars(studios), name, value, ours.function(name))
        for name, value in list(vars(studios).items())
        if not name.startswith("_") and callable(value) and not isinstance(value, type)
    ]


@functools.cache
def _made() -> list[tuple[types.ModuleType | None, standin.StandIn]]:
    """Returns Studio's modules, where they load, each with its stand-in."""
    pairs = []
    for shim in (dear_imgui, implot):
        studios = _loaded(shim.MODULE)
        ours = functools.partial(standin.mapped, shim)
        function = functools.partial(standin.guarded, shim, studios)
        made = standin.StandIn(shim.MODULE, studios, ours, function)
        pairs.append((studios, made))
    if ux := _loaded(_UX):
        ours = functools.partial(getattr, ux)
        function = functools.partial(standin.guarded_ux, ux)
        pairs.append((ux, standin.StandIn(_UX, ux, ours, function)))
    return pairs


def _loaded(name: str) -> types.ModuleType | None:
    """Imports a module; None where it, or something it links, is missing."""
    with contextlib.suppress(ImportError):
        return importlib.import_module(name)
    return None
