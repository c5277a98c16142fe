"""A plugin registry whose plugins come and go, and whose errors stay theirs.

Both threads of a session have one (`SimHandle`, `NotebookViewer`). A handler
that raises is reported and skipped; the session goes on.
"""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mujoco.studio import messages, plugin_registry

if TYPE_CHECKING:
    import contextlib

logger = logging.getLogger(__name__)

ErrorHook = Callable[[str, BaseException], None]


def describe(error: BaseException) -> str:
    """Returns an exception, of whichever kind, as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def _log(where: str, error: BaseException) -> None:
    logger.error("%s raised", where, exc_info=error)


class GuardedRegistry(plugin_registry.PluginRegistry):
    """Dispatches like its base, but catches what a handler raises.

    Not thread-safe: add, remove and dispatch on the thread that owns it.

    Attributes:
        around: While set, each handler runs within the context manager that this
            makes from its name; its end may raise too.
    """

    def __init__(
        self, plugins: list[Any] | None = None, on_error: ErrorHook = _log
    ) -> None:
        """Registers `plugins`.

        Args:
            plugins: Objects with `messages.handler` methods.
            on_error: Called with "Plugin.handler" and the exception, once for
                each handler until it has succeeded again.
        """
        self.around: Callable[[str], contextlib.AbstractContextManager] | None = None
        self._on_error = on_error
        self._failing: set[tuple[int, str]] = set()
        super().__init__(plugins)

    def rebuild_handlers(
        self, wrap: plugin_registry.HandlerWrapper | None = None
    ) -> None:
        """Discovers all handlers anew; see the base class for `wrap`."""
        self._failing.clear()

        def guarded(
            plugin: object, handler: plugin_registry.Handler
        ) -> plugin_registry.Handler:
            return self._guarded(plugin, wrap(plugin, handler) if wrap else handler)

        super().rebuild_handlers(guarded)

    def _guarded(
        self, plugin: object, handler: plugin_registry.Handler
    ) -> plugin_registry.Handler:
        name = getattr(handler, "__name__", repr(handler))
        where = f"{type(plugin).__qualname__}.{name}"
        key = (id(plugin), name)

        def call(message: messages.Message) -> object:
            try:
                if self.around is None:
                    result = handler(message)
                else:
                    with self.around(where):
                        result = handler(message)
            except BaseException as error:
                # A plugin may raise SystemExit too; only a person's interrupt, which
                # Python raises in the main thread, is not the plugin's.
                mine = threading.current_thread() is threading.main_thread()
                if mine and isinstance(error, KeyboardInterrupt):
                    raise
                if key not in self._failing:
                    self._failing.add(key)
                    self._on_error(where, error)
                return None
            if self._failing:
                self._failing.discard(key)
            return result

        return call

    def add(self, plugin: object) -> None:
        """Registers one more plugin."""
        self.plugins.append(plugin)
        self.rebuild_handlers()

    def remove(self, plugin: object) -> None:
        """Forgets a plugin.

        Raises:
            ValueError: If it is not registered.
        """
        self.plugins.remove(plugin)
        self.rebuild_handlers()
