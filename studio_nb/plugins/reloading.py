"""Hot reloading: saved plugin files and model files go into what runs.

One `HotReload` a session, on both of its threads: each calls `tick` at the start
of its turns, outside any handler. Studio's reloader does the work; its switch is one
a process, so each session has a reloader of its own.
"""

import contextlib
import logging
import re
import threading
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, cast

from mujoco.studio import hot_reload, messages, parser

from studio_nb import registry, shim
from studio_nb.errors import StudioError

if TYPE_CHECKING:
    from studio_nb.plugins.exchange import Host
    from studio_nb.sim.handle import SimHandle

# As often as Studio looks (hot_reload.py).
_POLL_SEC = 0.25

_PLACE = re.compile(r'File "(.*?)", line (\d+)')

Report = Callable[[str, str], None]


def parse(what: str) -> hot_reload.Options:
    """Reads what to reload: "all", "plugins", "model", or names of plugin classes.

    Raises:
        StudioError: If it is none of these.
    """
    try:
        return hot_reload.Options.parse(what)
    except (ValueError, AttributeError):
        msg = (
            f"hot_reload={what!r}: give 'all', 'plugins', 'model', or names of plugin "
            "classes with commas between"
        )
        raise StudioError(msg) from None


class HotReload:
    """Watches the files of one session."""

    def __init__(self, options: hot_reload.Options, report: Report) -> None:
        """Starts with no file.

        Args:
            options: What to reload.
            report: Called with a level and a line for the person.
        """
        self._options = options
        self._report = report
        self._hosts: dict[int, _Persons] = {}
        self._reloader = self._made()
        self._model: object = None
        self._roots: tuple[str, ...] = ()
        self._model_files = hot_reload.FileWatcher()
        self._imports = contextlib.ExitStack()
        if options.plugins:
            # For good: to exchange the modules around each look, on both threads,
            # would cost much, and pull them away from code that is running.
            self._imports.enter_context(shim.active())

    def end(self) -> None:
        """Stops watching: the session is over."""
        self._imports.close()

    def _made(self) -> hot_reload.Reloader:
        # Each of our own ticks shall look: they keep the pace.
        return hot_reload.Reloader(self._options, poll_interval=0.0)

    def renew(self, host: "Host") -> None:
        """Watches the files of plugins that have come meanwhile, on a host's thread.

        Studio's reloader looks once at what is registered.
        """
        self._reloader = self._made()
        if (persons := self._hosts.get(id(host))) is not None:
            persons.next_tick = 0.0
        self.tick(host)

    def tick(self, host: "Host") -> None:
        """Takes over what was saved, for the plugins of one host, on its thread."""
        if not self._options.plugins:
            return
        persons = self._hosts.get(id(host))
        if persons is None:
            persons = self._hosts[id(host)] = _Persons(host.plugins)
        now = time.monotonic()
        if now < persons.next_tick:
            return
        persons.next_tick = now + _POLL_SEC
        try:
            with _told(self._report):
                self._reloader.tick(cast("Any", persons), host)
        except Exception as error:
            logging.getLogger(__name__).exception("hot reloading failed")
            self._report("error", f"hot reloading failed: {registry.describe(error)}")

    def tick_model(self, handle: "SimHandle") -> None:
        """Reloads the model when a file that it is made of was saved. Sim thread."""
        if not self._options.model or handle.model is None:
            return
        if handle.model is not self._model:
            self._model = handle.model
            self._watch(tuple(f for f in (handle.model_path, *handle.watched) if f))
        if self._model_files.poll():
            handle.reload()

    def _watch(self, files: tuple[str, ...]) -> None:
        """Watches the files of a model, and all that they name."""
        if files != self._roots:
            self._roots = files
            self._model_files = hot_reload.FileWatcher(poll_interval=_POLL_SEC)
        for file in files:
            for path in parser.dependencies(file):
                self._model_files.watch(path)


class _Persons:
    """A registry as the reloader sees it: with the person's plugins alone."""

    def __init__(self, whole: registry.GuardedRegistry) -> None:
        """Looks at a registry."""
        self._whole = whole
        self.next_tick = 0.0

    @property
    def plugins(self) -> list[Any]:
        """The plugins that have a file of their own."""
        return [r.plugin for r in self._whole.records if not r.own and _has_file(r)]

    def rebuild_handlers(self, wrap: object = None) -> None:
        """Rebuilds the whole registry's handlers."""
        del wrap
        self._whole.rebuild_handlers()

    def dispatch(self, message: messages.Message) -> None:
        """Dispatches to the whole registry; what was mended is switched on again."""
        if isinstance(message, messages.HotReloadEvent):
            for swapped in message.plugins:
                self._whole.record(swapped).enable()
        self._whole.dispatch(message)


def _has_file(record: registry.Record) -> bool:
    """Tells whether a plugin's class is in a file, rather than a cell or a function."""
    module = type(record.plugin).__module__
    return module != "__main__" and not isinstance(record.plugin, registry.Offering)


class _Teller(logging.Handler):
    """Hears what the reloader logs on one thread."""

    def __init__(self, report: Report) -> None:
        super().__init__(logging.INFO)
        self._report = report
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread != self._thread:
            return
        text = record.getMessage().removeprefix("[Studio hot reload] ")
        if record.levelno >= logging.ERROR:
            self._report("error", _failure(text))
        elif record.levelno >= logging.WARNING:
            self._report("warning", text)
        elif text.startswith("Updated "):
            self._report("info", text)


@contextlib.contextmanager
def _told(report: Report) -> Generator[None]:
    """Tells the person what the reloader logs within the block."""
    teller = _Teller(report)
    hot_reload.logger.addHandler(teller)
    try:
        yield
    finally:
        hot_reload.logger.removeHandler(teller)


def _failure(text: str) -> str:
    """Returns the reloader's traceback as one line: where, then what."""
    first, *rest = text.splitlines()
    module = first.split()[1] if len(first.split()) > 1 else first
    places = _PLACE.findall(text)
    where = f"{places[-1][0]}, line {places[-1][1]}" if places else module
    what = rest[-1].strip() if rest else first
    return f"{where}: {what}; the code before it goes on"
