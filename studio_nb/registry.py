"""A plugin registry whose plugins come and go, and whose errors stay theirs.

Both threads of a session have one (`SimHandle`, `NotebookViewer`). A handler
that raises is reported and skipped; a plugin that goes on raising is switched
off, one that blocks is named. The session goes on.
"""

import contextlib
import inspect
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from mujoco.studio import messages, plugin, plugin_registry

logger = logging.getLogger(__name__)

ErrorHook = Callable[[str, BaseException], None]
NoticeHook = Callable[[str], None]

# A handler that raised in this many dispatches running switches its plugin off.
MOST_FAILURES = 3
# A plugin that takes longer than this in one frame is felt, and named.
BLOCKING_SEC = 0.25
# An error of the same kind at the same line of a handler is not told again within
# this time, however often the handler succeeded in between.
_QUIET_SEC = 10.0

# What the base classes handle themselves, to hand plugins their host.
_BASES = (plugin.SimPlugin, plugin.ViewerPlugin)

# What only tells that something has happened: a person's plugin can keep it from
# others of theirs, but not from the session's own, which would lose track.
_NEWS = (messages.PostModelEvent, messages.PostStepEvent, messages.ExitEvent)

# A longer line has no room anywhere; the traceback has the rest.
_MAX_LINE = 500

_Call = Callable[[Any], object]
_NOTHING = contextlib.nullcontext()


def describe(error: BaseException) -> str:
    """Returns an exception, of whichever kind, as one line."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - a person's class may have any __str__
        said = "(its text cannot be shown)"
    line = " ".join(f"{type(error).__name__}: {said}".split()).removesuffix(":")
    return line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]}..."


def log(where: str, error: BaseException) -> None:
    """Tells Python's logging that a handler raised."""
    logger.error("%s raised", where, exc_info=error)


def _warn(text: str) -> None:
    logger.warning("%s", text)


class Offering:
    """Marks plugins whose attributes the session reads, beside their handlers.

    A person's own class may have attributes of the same names, which mean
    something else.

    Attributes:
        plugin_name: What the plugin is called in tables and errors.
    """

    plugin_name: str


class Record:
    """What is known of one registered plugin.

    Its registry's thread writes; any thread may read, and switch it on and off.

    Attributes:
        plugin: The plugin.
        own: Whether it is the session's own, which is never switched off.
        origin: Where the plugin came from, see `plugins.origin.Origin`; or None.
        initial: The plugin's attributes when it came, as far as they are known.
        off: Whether its handlers are passed over.
        error: What was raised last, as a traceback; "" for nothing so far.
        failures: How many dispatches running each failing handler has raised in.
        handlers: "Message: method" of each handler, in the order of the names.
        frames: Frames in which it was called.
        seconds: Time it took in all of them but the last.
        longest: The longest time it took in one frame, seconds.
    """

    def __init__(
        self,
        registered: object,
        *,
        own: bool = False,
        switched: Callable[[], object] = lambda: None,
    ) -> None:
        """Starts switched on, with nothing counted.

        Args:
            registered: The plugin.
            own: Whether it is the session's own.
            switched: Called when it was switched on or off.
        """
        self._switched = switched
        self.plugin: Any = registered
        self.own = own
        self.origin: Any = None
        self.initial: dict[str, Any] = {}
        self.off = False
        self.error = ""
        self.failures: dict[str, int] = {}
        self.handlers: list[str] = []
        self.frames = 0
        self.seconds = self.longest = 0.0
        self.spent = 0.0
        self.turn = -1
        self.blocked = False
        self._told: dict[str, tuple[object, float]] = {}

    @property
    def name(self) -> str:
        """What the plugin is called: its function's or its class's name."""
        if isinstance(self.plugin, Offering):
            return self.plugin.plugin_name
        return type(self.plugin).__qualname__

    @property
    def kind(self) -> str:
        """The side on which it runs: "sim" or "viewer"."""
        return "sim" if isinstance(self.plugin, plugin.SimPlugin) else "viewer"

    @property
    def state(self) -> str:
        """How it stands: "running", "failing" or "off"."""
        if self.off:
            return "off"
        return "failing" if self.failures else "running"

    def where(self, handler: str) -> str:
        """Returns the name of a handler for people: of a function its own."""
        if isinstance(self.plugin, Offering):
            return self.name
        return f"{self.name}.{handler}"

    def enable(self) -> None:
        """Switches it on, with a clean slate."""
        self.failures.clear()
        self._told.clear()
        self.off = False
        self._switched()

    def disable(self) -> None:
        """Switches it off."""
        self.off = True
        self._switched()

    def begin_frame(self, turn: int) -> None:
        """Closes the frame in which it was called last, and opens another."""
        if self.turn >= 0:
            self.seconds += self.spent
            self.longest = max(self.longest, self.spent)
            self.blocked = self.blocked and self.spent > BLOCKING_SEC
        self.turn, self.spent = turn, 0.0
        self.frames += 1

    def failed(self, handler: str, error: BaseException) -> bool:
        """Notes that a handler raised; tells whether that is worth telling."""
        count = self.failures[handler] = self.failures.get(handler, 0) + 1
        same, now = _origin(error), time.monotonic()
        told, when = self._told.get(handler, (None, 0.0))
        if count > 1 or (told == same and now - when < _QUIET_SEC):
            return False
        self._told[handler] = same, now
        self.error = "".join(traceback.format_exception(error))
        return True


def _origin(error: BaseException) -> tuple[type, int]:
    """Returns by what an error is known again, when its text has changed."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return type(error), at.tb_lineno if at is not None else 0


class GuardedRegistry(plugin_registry.PluginRegistry):
    """Dispatches like its base, but catches what a handler raises.

    Not thread-safe: add, remove and dispatch on the thread that owns it.

    Attributes:
        around: While set, each handler runs within the context manager that this
            makes from its name; its end may raise too.
        calling: The person's handler that runs now, and since when
            (`time.perf_counter`); None while none does. Any thread may read it.
        version: Counts the changes of what is registered and switched on.
        on_change: Called after each of them; may be by another thread.
    """

    def __init__(
        self,
        plugins: list[Any] | None = None,
        on_error: ErrorHook = log,
        on_notice: NoticeHook = _warn,
        *,
        own: Iterable[object] = (),
        frame: type[messages.Message] | None = None,
    ) -> None:
        """Registers `plugins`.

        Args:
            plugins: Objects with `messages.handler` methods.
            on_error: Called with "Plugin.handler" and the exception, once for
                each handler until it has succeeded again.
            on_notice: Called with a line when a plugin is switched off or blocks.
            own: Those of the plugins that are the session's own.
            frame: Each dispatch of it begins a frame, over which time is counted.
        """
        self.around: Callable[[str], contextlib.AbstractContextManager] | None = None
        self.calling: tuple[str, float] | None = None
        self.version = 0
        self.on_change: Callable[[], object] = lambda: None
        self._on_error = on_error
        self._on_notice = on_notice
        self._own = {id(each) for each in own}
        self._frame = frame
        self._turn = 0
        self._records: dict[int, Record] = {}
        self._about: dict[_Call, tuple[Record, str]] = {}
        self._calls: dict[type, tuple[tuple[_Call, Record], ...]] = {}
        super().__init__(plugins)

    # -- who is there ----------------------------------------------------------

    @property
    def records(self) -> list[Record]:
        """What is known of each plugin, in the order of `plugins`; any thread."""
        known = self._records
        return [known[id(each)] for each in list(self.plugins) if id(each) in known]

    def record(self, registered: object) -> Record:
        """Returns what is known of a plugin.

        Raises:
            ValueError: If it is not registered.
        """
        found = self._records.get(id(registered))
        if found is None:
            msg = f"{type(registered).__qualname__} is not registered here"
            raise ValueError(msg)
        return found

    def offered(self, attribute: str) -> Iterator[Any]:
        """Yields an attribute of those running `Offering` plugins that have it."""
        for record in self.records:
            if isinstance(record.plugin, Offering) and not record.off:
                value = getattr(record.plugin, attribute, None)
                if value is not None:
                    yield value

    def add(self, new: object, origin: object = None) -> Record:
        """Registers one more plugin."""
        self.plugins.append(new)
        self.rebuild_handlers()
        self.record(new).origin = origin
        return self.record(new)

    def replace(self, old: object, new: object, origin: object = None) -> Record:
        """Registers a plugin in the place of another.

        Raises:
            ValueError: If the other is not registered.
        """
        place = self._place(old)
        self._let_go(old)
        self.plugins[place] = new
        self.rebuild_handlers()
        self.record(new).origin = origin
        return self.record(new)

    def remove(self, old: object) -> None:
        """Forgets a plugin.

        Raises:
            ValueError: If it is not registered.
        """
        place = self._place(old)
        self._let_go(old)
        del self.plugins[place]
        self.rebuild_handlers()

    def dismiss(self, old: object) -> None:
        """Forgets a plugin, which gets an `ExitEvent` of its own before.

        Raises:
            ValueError: If it is not registered.
        """
        self.record(old)
        self.tell(old, messages.ExitEvent())
        self.remove(old)

    def _let_go(self, old: object) -> None:
        # A dispatch that goes on meanwhile must not call it any more.
        self.record(old).off = True

    def _place(self, registered: object) -> int:
        wanted = self.record(registered).plugin
        return next(i for i, each in enumerate(self.plugins) if each is wanted)

    # -- handlers --------------------------------------------------------------

    def rebuild_handlers(
        self, wrap: plugin_registry.HandlerWrapper | None = None
    ) -> None:
        """Discovers all handlers anew.

        Args:
            wrap: Not used: hot reloading would have a reloaded plugin's errors
                logged; here every plugin's are caught and counted.
        """
        del wrap
        known = self._records
        self._records = {
            id(each): known.get(id(each))
            or Record(each, own=id(each) in self._own, switched=self._changed)
            for each in self.plugins
        }
        self._about = {}
        self._calls = {}
        super().rebuild_handlers(self._guarded)
        self._list_handlers()
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        self.on_change()

    def _list_handlers(self) -> None:
        """Notes in each record what its plugin handles."""
        listed: dict[int, list[str]] = {key: [] for key in self._records}
        for key, handlers in self.handlers.items():
            message = key.__qualname__ if isinstance(key, type) else key[1]
            for _, call in handlers:
                record, name = self._about[call]
                if not any(hasattr(base, name) for base in _BASES):
                    listed[id(record.plugin)].append(f"{message}: {name}")
        for key, record in self._records.items():
            record.handlers = sorted(listed[key])

    def _guarded(
        self, registered: object, handler: plugin_registry.Handler
    ) -> plugin_registry.Handler:
        record = self._records[id(registered)]
        name = getattr(handler, "__name__", repr(handler))
        where = record.where(name)
        clock = time.perf_counter

        def call(message: messages.Message) -> object:
            if record.off:
                return False
            start, outer = clock(), self.calling
            if not record.own:
                self.calling = where, start
            try:
                with self.around(where) if self.around else _NOTHING:
                    result = handler(message)
                ends = result is not None and _is_true(result)
            except BaseException as error:
                if _is_interrupt(error):
                    raise
                self._failed(record, name, error)
                ends = False
            else:
                if record.failures:
                    record.failures.pop(name, None)
            finally:
                self.calling = outer
            if record.turn != self._turn:
                record.begin_frame(self._turn)
            record.spent += clock() - start
            if record.spent > BLOCKING_SEC:
                self._blocked(record)
            return ends

        self._about[call] = record, name
        return call

    def _failed(self, record: Record, name: str, error: BaseException) -> None:
        where = record.where(name)
        if record.failed(name, error):
            self._on_error(where, error)
        if record.failures[name] >= MOST_FAILURES and not record.own:
            record.disable()
            self._on_notice(
                f"{record.name} was switched off: {where} raised {describe(error)} "
                f"{MOST_FAILURES} times running; mend it and add it again, or "
                f"studio.plugins[{record.name!r}].enable()"
            )

    def _blocked(self, record: Record) -> None:
        if record.blocked or record.own:
            return
        record.blocked = True
        held = "the simulation" if record.kind == "sim" else "the view"
        self._on_notice(
            f"{record.name} took {record.spent:.2f} s in one frame, and {held} waited "
            "for it: leave slow work to a thread of its own"
        )

    # -- dispatching -----------------------------------------------------------

    def dispatch(self, message: messages.Message) -> None:
        """Dispatches a message to handlers in priority order, until one returns True.

        The base looks the handlers up and sorts them each time; here they are
        remembered for each type of message: each physics step dispatches three.
        """
        kind = type(message)
        if kind is self._frame:
            self._turn += 1
        calls = self._calls.get(kind)
        if calls is None:
            calls = self._calls[kind] = self._find(kind)
        for place, (call, record) in enumerate(calls, 1):
            if call(message):
                if not record.own and _reaches_own(kind):
                    for later, other in calls[place:]:
                        if other.own and later(message):
                            return
                return

    def tell(self, registered: object, message: messages.Message) -> None:
        """Dispatches a message to one plugin alone."""
        for call, record in self._find(type(message)):
            if record.plugin is registered and call(message):
                return

    def handles(self, message: type[messages.Message]) -> bool:
        """Tells whether a plugin of the person's that runs handles a message."""
        found = self._find(message)
        return any(not record.off and not record.own for _, record in found)

    def _find(self, kind: type) -> tuple[tuple[_Call, Record], ...]:
        found = [
            handler
            for base in kind.__mro__
            for handler in self.handlers.get(_key(base), ())
        ]
        found.sort(key=lambda item: item.priority, reverse=True)
        return tuple((call, self._about[call][0]) for _, call in found)


def _is_interrupt(error: BaseException) -> bool:
    """Tells whether it is a person's interrupt, and not a plugin's error.

    Python raises that in the main thread; a plugin may raise SystemExit, too.
    """
    mine = threading.current_thread() is threading.main_thread()
    return mine and isinstance(error, KeyboardInterrupt)


def _is_true(result: object) -> bool:
    """Tells whether what a handler returned ends the dispatch, as it does in Studio.

    Raises:
        TypeError: If calling the handler has only made something to be run.
    """
    if inspect.iscoroutine(result) or inspect.isgenerator(result):
        result.close()
        msg = "a handler is called, not awaited: write it without async and yield"
        raise TypeError(msg)
    # An array is the value of a lambda's expression, and has no truth.
    return not isinstance(result, np.ndarray) and bool(result)


def _reaches_own(kind: type) -> bool:
    """Tells whether the session's own plugins get all messages of a type."""
    package = __name__.partition(".")[0]
    return issubclass(kind, _NEWS) or kind.__module__.startswith(f"{package}.")


def _key(kind: type) -> object:
    """Returns the base's key of a message type: its name.

    So a message whose class was defined again, as when a cell runs again, finds
    the handlers that were written for the class before.
    """
    if "<locals>" in kind.__qualname__:
        return kind
    return kind.__module__, kind.__qualname__
