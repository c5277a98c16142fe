"""Modules that are Studio's own where Studio draws, and ours everywhere else.

`install` puts a `StandIn` in the place of each module that draws into Studio's
compiled Dear ImGui. Which of the two it gives is decided by thread: for a function
when it is called, for a class when it is taken from the module. On a thread where one
of Studio's own viewers draws (as `launch_web` still may, in the same kernel) it is
Studio's, elsewhere ours. So one plugin works in both, and what was imported once
stays right. Outside of a frame ours raise, where imgui-bundle would end the process.
Any thread.
"""

import functools
import importlib
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

from studio_nb import ui
from studio_nb.shim import names

# Studio's viewers call these to make their context current on their own thread.
_HOSTING = names.words(
    """
    CreateContext DestroyContext SetCurrentContext set_imgui_context
    set_implot_context
    """
)
_STUDIO = "mujoco.studio."


class _Thread(threading.local):
    """Whether one of Studio's own viewers draws on this thread."""

    studio = False


_thread = _Thread()


class StandIn(types.ModuleType):
    """Stands for one module of Studio's."""

    def __init__(
        self,
        name: str,
        studios: types.ModuleType | None,
        ours: Callable[[str], Any],
        function: Callable[[str], Callable[..., Any]],
    ) -> None:
        """Makes it; nothing is imported.

        Args:
            name: Of the module.
            studios: The module itself, or None where it can't be imported.
            ours: Returns what a name is on threads where Studio does not draw.
            function: Returns what stands for the function of a name: it is called
                on any thread.
        """
        super().__init__(name, getattr(studios, "__doc__", None))
        self.__spec__ = getattr(studios, "__spec__", None)
        self.__package__ = name.rpartition(".")[0]
        self._studios = studios
        self._ours = ours
        self._function = function

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401, any module's attribute
        """Returns a class of this thread's, or a function for any thread."""
        if name.startswith("_"):
            msg = f"module {self.__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        theirs = getattr(self._studios, name, None)
        if isinstance(theirs, type):
            return theirs if _thread.studio else self._ours(name)
        try:
            found = self._ours(name)
        except ImportError:
            # Studio's own viewers need no imgui-bundle.
            if theirs is None:
                raise
            found = theirs
        if callable(found) and not isinstance(found, type):
            return self.function(name)
        return found

    def function(self, name: str) -> Callable[..., Any]:
        """Returns what stands for a function of Studio's; loads nothing."""
        made = vars(self).get(name)
        if made is None:
            made = vars(self)[name] = self._function(name)
        return made

    def __dir__(self) -> list[str]:
        """Lists Studio's names."""
        return dir(self._studios) if self._studios else list(super().__dir__())


def forget_studio() -> None:
    """Notes that no viewer of Studio's draws on this thread any more.

    They don't say when they end, but while a thread comes by here, none runs on it.
    """
    _thread.studio = False


def mapped(shim: types.ModuleType, name: str) -> Any:  # noqa: ANN401, functions and classes
    """Returns a name of `dear_imgui` or `implot`.

    Args:
        shim: Either of them.
        name: The name.

    Returns:
        What it has of that name.

    Raises:
        ImportError: If imgui-bundle does not load; it says what to install.
    """
    try:
        return getattr(shim, name)
    except ImportError as error:
        raise ImportError(ui.available() or str(error)) from error


def guarded(
    shim: types.ModuleType, studios: types.ModuleType | None, name: str
) -> Callable[..., Any]:
    """Returns a function of `dear_imgui` or `implot` that is safe to call anywhere.

    Args:
        shim: Either of them.
        studios: The module that it stands for.
        name: Of the function.

    Returns:
        A function that calls Studio's where Studio draws, and ours in a frame of a
        notebook's panels; elsewhere it raises RuntimeError.
    """
    label = f"{shim.__name__.rpartition('.')[2].removeprefix('dear_')}.{name}"
    theirs = getattr(studios, name, None)
    hosting = theirs is not None and name in _HOSTING
    anywhere = name in shim.UNMAPPED or name in shim.ANYTIME
    between = name in shim.BETWEEN_FRAMES

    def call(*args: Any, **named: Any) -> Any:  # noqa: ANN401, what the function takes
        if hosting and _from_studio(sys._getframe(1)):  # noqa: SLF001, who calls decides
            _thread.studio = True
        if _thread.studio and theirs is not None:
            return theirs(*args, **named)
        function = mapped(shim, name)
        if anywhere or _context().drawing():
            return function(*args, **named)
        if not between:
            msg = (
                f"{label} was called while no frame is open: "
                "call it in a ViewerPlugin's handler of BuildGuiEvent"
            )
            raise RuntimeError(msg)
        context = _context()
        with context.CURRENT:
            if not context.is_current():
                msg = f"{label} was called without a viewer: open a session first"
                raise RuntimeError(msg)
            return function(*args, **named)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = getattr(theirs, "__doc__", None)
    return call


def guarded_ux(studios: types.ModuleType, name: str) -> Callable[..., Any]:
    """Returns a function of `mujoco.studio.ux` that draws only where Studio does.

    Args:
        studios: The module.
        name: Of the function.

    Returns:
        The module's, or for one that draws a function that elsewhere raises
        NotImplementedError.
    """
    theirs = getattr(studios, name)
    hosting = name in _HOSTING
    draws = name.endswith("_gui") or name in {"setup_theme", "configure_docking_layout"}
    if not (draws or hosting):
        return theirs
    refuse = names.unmapped(
        f"{_STUDIO}ux.{name}",
        "it draws into Studio's own Dear ImGui, which a notebook can't show: "
        "the cell's app has its panels, and mujoco.studio.dear_imgui draws yours"
        if draws
        else "each session's viewer has a context of its own",
    )

    def call(*args: Any, **named: Any) -> Any:  # noqa: ANN401, what the function takes
        if hosting and _from_studio(sys._getframe(1)):  # noqa: SLF001, who calls decides
            _thread.studio = True
        return (theirs if _thread.studio else refuse)(*args, **named)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = theirs.__doc__
    return call


def _from_studio(frame: types.FrameType) -> bool:
    """Tells whether a module of Studio's own runs in a frame."""
    return str(frame.f_globals.get("__name__", "")).startswith(_STUDIO)


@functools.cache
def _context() -> types.ModuleType:
    """Returns the module that says whose context is current."""
    return importlib.import_module("studio_nb.ui.context")
