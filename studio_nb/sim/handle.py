"""The sim side of a session: Studio's `ViewerHandle`, kept alive and callable.

Owned by the sim thread, which runs `viewer_handle.run_sim_loop` on it. Other
threads reach it by messages alone; `CallEvent` carries a function over.
"""

import contextlib
import dataclasses
import os
import pathlib
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import mujoco
from mujoco.studio import (
    endpoints,
    messages,
    plugin,
    plugin_registry,
    viewer_handle,
)

from studio_nb import registry
from studio_nb.calls import answer

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
        answer(event.future, event.fn, self.handle.model, self.handle.data)
        return True


class SimHandle(viewer_handle.ViewerHandle):
    """A `ViewerHandle` with plugins that come and go and cannot end the loop.

    Attributes:
        before_turn: Called at the start of each `sync`, outside any handler.
        spec: What the current model was compiled from, if it was given as a spec.
        is_edit: While a model is published: whether it is an edit.
        watched: Files that the current model was made of, beside its own.
        load_error: Why the last `LoadModelEvent` changed nothing, or None; to be
            cleared by who wants to know.
    """

    def __init__(
        self,
        endpoint: endpoints.SimEndpoint,
        *,
        plugins: Sequence[plugin.SimPlugin],
        own: Sequence[plugin.SimPlugin],
        on_error: registry.ErrorHook,
        on_notice: registry.NoticeHook | None = None,
        **hooks: Any,  # noqa: ANN401 - passed through as they are
    ) -> None:
        """Hands the plugins this handle (`SimInitEvent`) and starts to dispatch.

        Args:
            endpoint: The sim's end of the channels.
            plugins: The person's plugins.
            own: The session's own plugins. Stepping may take many steps between
                two of their PreStepEvents.
            on_error: Called with "Plugin.handler" and what it raised.
            on_notice: Called with a line when a plugin is switched off or blocks.
            **hooks: The launcher's hooks, see `ViewerHandle`.
        """
        self._said_exit = False
        super().__init__(endpoint, sim_plugins=[*plugins, *own], **hooks)
        self._on_error = on_error
        # The base has no public way to exchange its registry.
        self._sim_plugins: registry.GuardedRegistry = registry.GuardedRegistry(
            self._sim_plugins.plugins,
            on_error,
            **({} if on_notice is None else {"on_notice": on_notice}),
            own=[self, *own],
            frame=messages.PreStepEvent,
        )
        self.before_turn: list[Callable[[], object]] = []
        self.watched: tuple[str, ...] = ()
        self.load_error: Exception | None = None
        self._looked_at = -1
        self._has_step_handlers = False
        self.spec: mujoco.MjSpec | None = None
        self.is_edit = False

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
        self.watched = tuple(str(pathlib.Path(file).resolve()) for file in watch)
        super().set_model(model, path, data, watch=self.watched)

    @contextlib.contextmanager
    def editing(self) -> Generator[None]:
        """Marks the model that the block publishes as an edit of the one before."""
        self.is_edit = True
        try:
            yield
        finally:
            self.is_edit = False

    def sync(
        self,
        model: mujoco.MjModel | None = None,
        data: mujoco.MjData | None = None,
    ) -> tuple[mujoco.MjModel | None, mujoco.MjData | None]:
        """Does the base's turn, after those who wait for one."""
        for each in self.before_turn:
            each()
        return super().sync(model, data)

    def dispatch(self, message: messages.Message) -> None:
        """Dispatches a message to the sim's plugins; `ExitEvent` only once."""
        if isinstance(message, messages.ExitEvent):
            # Both sides say it, as either may end first.
            if self._said_exit:
                return
            self._said_exit = True
        super().dispatch(message)

    # -- plugins ---------------------------------------------------------------

    @property
    def plugins(self) -> registry.GuardedRegistry:
        """The sim's plugins."""
        return self._sim_plugins

    def report_error(self, where: str, error: BaseException) -> None:
        """Tells that something on the sim raised, as of a plugin's handler."""
        self._on_error(where, error)

    def greet(self, new: object) -> None:
        """Gives a plugin that comes late its `SimInitEvent`; lets it raise."""
        plugin_registry.PluginRegistry([new]).dispatch(plugin.SimInitEvent(handle=self))

    def introduce(self, new: object) -> None:
        """Gives a registered plugin that came late the current model."""
        if self.model is not None:
            self._sim_plugins.tell(
                new,
                messages.PostModelEvent(
                    model=self.model, data=self.data, path=self.model_path
                ),
            )

    @property
    def has_step_handlers(self) -> bool:
        """Whether a plugin of the person's wants to be called every step."""
        if self._looked_at != self._sim_plugins.version:
            self._looked_at = self._sim_plugins.version
            self._has_step_handlers = any(
                self._sim_plugins.handles(event) for event in _STEP_EVENTS
            )
        return self._has_step_handlers
