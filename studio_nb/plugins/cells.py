"""The short forms of plugins for cells: decorators that make one of a function.

`Studio` has them as methods. They run in a cell's thread and return when the plugin
is in place; each returns the function itself. Running the cell again replaces the
plugin, known by the function's name.
"""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mujoco.studio import messages, plugin

from studio_nb import ui
from studio_nb.errors import StudioError
from studio_nb.plugins import forms
from studio_nb.plugins.modelsource import ModelSource
from studio_nb.plugins.table import PluginTable

if TYPE_CHECKING:
    from types import ModuleType

    from studio_nb.plugins.manager import Added

_Function = TypeVar("_Function", bound=Callable)
_Decorator = Callable[[_Function], _Function]


class CellForms:
    """Plugins of one session, as a cell writes them."""

    # A `Session`, of the layer above.
    _session: Any

    def add(self, *plugins: plugin.Plugin) -> "Added":
        """Adds plugins while running.

        A plugin of a class that a cell defined again takes the place of the one
        before, and so does one of the same class when a cell that adds it runs again.
        It keeps the state of the other: the attributes that both have, of the same
        type, unless they begin with another value now. It gets the events of a start
        and a `HotReloadEvent`; the other gets no `ExitEvent`.

        Args:
            *plugins: Instances of `SimPlugin` or `ViewerPlugin` subclasses.

        Returns:
            What happened; at the end of a cell it is shown.

        Raises:
            TypeError: If one is neither.
            StudioError: If one cannot start, is there already, or is a viewer plugin
                and there is no view; then none was added.
        """
        return self._session.plugins.add(*plugins)

    def remove(self, *plugins: object) -> None:
        """Removes plugins; each gets an `ExitEvent` of its own.

        Args:
            *plugins: What was added: a plugin, a function that was made one, or its
                name in `studio.plugins`.

        Raises:
            StudioError: If one is not there; then none was removed.
        """
        self._session.plugins.remove(*plugins)

    @property
    def plugins(self) -> PluginTable:
        """The plugins and how they stand, by number or name.

        `studio.plugins["Gains"].error` is what one raised last, with its traceback;
        `.enable()` switches it on again after it was switched off for its errors.
        """
        return self._session.plugins.table()

    def on(
        self,
        event: type[messages.Message],
        *,
        priority: int = messages.Priority.USER,
        side: Literal["sim", "viewer"] | None = None,
    ) -> _Decorator:
        """Makes a function a handler of a message.

        ::

            @studio.on(messages.PreStepEvent)
            def push(event):
                event.data.ctrl[:] = 1

        Args:
            event: The type of message: one of Studio's, or of your own.
            priority: Handlers of a higher one are called first; one that returns True
                ends the dispatch.
            side: Where, "sim" or "viewer"; None: where the message is dispatched, and
                the sim where it is on both sides.

        Returns:
            A decorator for `fn(event)`, `fn(event, handle)` on the sim, or
            `fn(event, viewer)` on the viewer.

        Raises:
            TypeError: If it is no type of message, or the function takes others.
            StudioError: If the message does not come to that side.
        """
        forms.check_message(event)
        return self._adding(lambda fn: forms.handler_of(fn, event, priority, side))

    def overlay(self, fn: _Function) -> _Function:
        """Draws what a function yields over the scene, in every frame.

        ::

            @studio.overlay
            def tip(model, data):
                yield shapes.sphere(data.site("tip").xpos, 0.02, (1, 0, 0))

        Args:
            fn: `fn(model, data)` or `fn(viewer)`; yields or returns `MjvGeom`s, such
                as `studio_nb.shapes` makes. The data is the view's own: read it only.

        Raises:
            TypeError: If the function takes others.
            StudioError: If there is no view.
        """
        return self._adding(forms.Overlay)(fn)

    def panel(
        self,
        title: str,
        dock: Literal["right", "left", "bottom", "float"] = "right",
    ) -> _Decorator:
        """Makes a function the contents of a window.

        ::

            @studio.panel("Gains")
            def gains():
                _, state.kp = imgui.slider_float("kp", state.kp, 0, 100)

        Its close button hides it, the View menu brings it back.

        Args:
            title: The window's.
            dock: The side where it stands at first.

        Returns:
            A decorator for `fn()` or `fn(viewer)`, which draws with
            `imgui_bundle.imgui`. It runs on the viewer thread.

        Raises:
            TypeError: If the function takes others.
            StudioError: If there is no view, or no Dear ImGui.
        """
        return self._adding(lambda fn: _gui("panel").Panel(fn, title, dock))

    def key(self, chord: str) -> _Decorator:
        """Calls a function when a chord is pressed in the view.

        ::

            @studio.key("Ctrl+K")
            def kick():
                studio.send(Kick())

        It goes before the app's own keys, and is listed in the help with the first
        line of the function's docstring.

        Args:
            chord: A key, and what is held: Ctrl, Shift, Alt, Cmd.

        Returns:
            A decorator for `fn()` or `fn(viewer)`. It runs on the viewer thread.

        Raises:
            TypeError: If the function takes others.
            StudioError: If there is no such chord, no view, or no Dear ImGui.
        """
        return self._adding(lambda fn: _gui("key").Key(fn, chord))

    def model_source(self, fn: _Function) -> _Function:
        """Makes what a function returns the model, now and on each reload.

        ::

            @studio.model_source
            def tower():
                spec = mujoco.MjSpec()
                ...
                return spec

        When the cell runs again the simulation goes on in the state that it had, as
        far as names are the same. A reload starts afresh.

        Args:
            fn: `fn()`; returns an MjSpec, an MjModel, a path or XML. It is called here
                for the first time, and later on the sim thread.

        Raises:
            TypeError: If the function takes arguments.
            StudioError: If it returns no model.
        """
        session = self._session
        source = ModelSource(fn, session.loader)
        loaded = source.load()
        (change,) = session.plugins.add(source)
        keep = change.replaced is not None
        session.call(lambda _model, _data: source.show(loaded, keep=keep))
        return fn

    def _adding(self, make: Callable[[_Function], plugin.Plugin]) -> _Decorator:
        def decorate(fn: _Function) -> _Function:
            self._session.plugins.add(make(fn))
            return fn

        return decorate


def _gui(form: str) -> "ModuleType":
    """Returns the forms that need Dear ImGui.

    Raises:
        StudioError: If it cannot load here.
    """
    if why_not := ui.available():
        msg = f"{form}: {why_not}"
        raise StudioError(msg)
    return importlib.import_module("studio_nb.plugins.gui")
