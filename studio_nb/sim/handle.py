"""The sim side of a session: Studio's `ViewerHandle`, kept alive and callable.

Owned by the sim thread, which runs `viewer_handle.run_sim_loop` on it. Other
threads reach it by messages alone; `CallEvent` carries a function over.
"""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import mujoco
from mujoco.studio import endpoints, messages, plugin, viewer_handle

from studio_nb import registry

if TYPE_CHECKING:
    from concurrent import futures

_STEP_EVENTS = (messages.PreStepEvent, messages.PostStepEvent)


@dataclasses.dataclass(frozen=True)
class CallEvent(messages.Event):
    """Runs a function on the sim thread, between two steps.

    Attributes:
        fn: Called with the live model and data.
        future: Gets what `fn` returns or raises.
    """

    fn: Callable[[mujoco.MjModel, mujoco.MjData], Any]
    future: "futures.Future[Any]"


class Caller(plugin.SimPlugin):
    """Answers `CallEvent`."""

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_call(self, event: CallEvent) -> bool:
        if not event.future.set_running_or_notify_cancel():
            return True
        try:
            result = event.fn(self.handle.model, self.handle.data)
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller
            event.future.set_exception(error)
        else:
            event.future.set_result(result)
        return True


class SimHandle(viewer_handle.ViewerHandle):
    """A `ViewerHandle` with plugins that come and go and cannot end the loop.

    Attributes:
        has_step_handlers: Whether a plugin of the person's wants every step.
        spec: What the current model was compiled from, if it was given as a spec.
        is_edit: While a model is published: whether it is an edit.
    """

    def __init__(
        self,
        endpoint: endpoints.SimEndpoint,
        *,
        plugins: Sequence[plugin.SimPlugin],
        own: Sequence[plugin.SimPlugin],
        on_error: registry.ErrorHook,
        **hooks: Any,  # noqa: ANN401 - passed through as they are
    ) -> None:
        """Hands the plugins this handle (`SimInitEvent`) and starts to dispatch.

        Args:
            endpoint: The sim's end of the channels.
            plugins: The person's plugins.
            own: The session's own plugins. Stepping may take many steps between
                two of their PreStepEvents.
            on_error: Called with "Plugin.handler" and what it raised.
            **hooks: The launcher's hooks, see `ViewerHandle`.
        """
        super().__init__(endpoint, sim_plugins=[*plugins, *own], **hooks)
        self._on_error = on_error
        # The base has no public way to exchange its registry.
        self._sim_plugins: registry.GuardedRegistry = registry.GuardedRegistry(
            self._sim_plugins.plugins, on_error
        )
        self._own = {id(self), *map(id, own)}
        self.has_step_handlers = False
        self.spec: mujoco.MjSpec | None = None
        self.is_edit = False
        self._look_for_step_handlers()

    def set_model(
        self,
        model: mujoco.MjSpec | mujoco.MjModel,
        path: str = "",
        data: mujoco.MjData | None = None,
        *,
        watch: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        """Publishes a model, as the base does, and remembers its spec."""
        spec = None
        if isinstance(model, mujoco.MjSpec):
            # An edit goes on from this very compilation: MuJoCo reads the state's
            # places off the spec that it was compiled from.
            spec = model.copy()
            model = spec.compile()
        self.spec = spec
        super().set_model(model, path, data, watch=watch)

    @contextlib.contextmanager
    def editing(self) -> Generator[None]:
        """Marks the model that the block publishes as an edit of the one before."""
        self.is_edit = True
        try:
            yield
        finally:
            self.is_edit = False

    def add(self, new: plugin.SimPlugin) -> None:
        """Adds a plugin while running; it gets the events of a start, in order."""
        self._sim_plugins.add(new)
        alone = registry.GuardedRegistry([new], self._on_error)
        alone.dispatch(plugin.SimInitEvent(handle=self))
        if self.model is not None:
            alone.dispatch(
                messages.PostModelEvent(
                    model=self.model, data=self.data, path=self.model_path
                )
            )
        self._look_for_step_handlers()

    def remove(self, old: plugin.SimPlugin) -> None:
        """Removes a plugin.

        Raises:
            ValueError: If it is not registered.
        """
        self._sim_plugins.remove(old)
        self._look_for_step_handlers()

    def _look_for_step_handlers(self) -> None:
        """Notes whether a plugin of the person's wants to be called every step."""
        others = [p for p in self._sim_plugins.plugins if id(p) not in self._own]
        handlers = registry.GuardedRegistry(others).handlers
        wanted = {
            (base.__module__, base.__qualname__)
            for event in _STEP_EVENTS
            for base in event.__mro__
        }
        self.has_step_handlers = bool(wanted & set(handlers))
