"""What was said and what went wrong, for the Console of each open session.

A session owns a `Console` and reports to it. While any session is open the hub of
this module also brings what the whole process says: Python's logging, warnings,
and exceptions that end a thread. Each hook calls what it replaced, so terminal and
cells show what they showed before. Any thread.
"""

import collections
import contextlib
import dataclasses
import logging
import threading
import time
import traceback
import warnings
from collections.abc import Generator
from typing import TextIO

MAX_RECORDS = 10_000
# Of one entry; the rest of a longer one can be read in no Console.
MAX_TEXT = 20_000
# Below this, logging is for those who develop a library.
LEAST_LEVEL = logging.INFO

LEVELS = ("info", "warning", "error")


@dataclasses.dataclass(slots=True, eq=False)
class Record:
    """One entry.

    Attributes:
        time: When it came last, seconds since the epoch.
        level: One of `LEVELS`.
        source: Who said it: "MuJoCo", a logger's name, a plugin's handler.
        text: What was said; a traceback has many lines.
        count: How often it came in a row.
    """

    time: float
    level: str
    source: str
    text: str
    count: int = 1


class Console:
    """The entries of one session, the oldest dropped beyond `MAX_RECORDS`.

    Attributes:
        version: Counts the changes.
    """

    def __init__(self) -> None:
        """Starts empty."""
        self.version = 0
        self._records: collections.deque[Record] = collections.deque(maxlen=MAX_RECORDS)
        self._unseen = dict.fromkeys(LEVELS, 0)
        self._lock = threading.Lock()

    def add(self, level: str, source: str, text: str) -> None:
        """Adds an entry; one like the last is only counted.

        Args:
            level: One of `LEVELS`; anything else counts as "info".
            source: Who says it.
            text: What is said.
        """
        level = level if level in LEVELS else "info"
        text = printable(text.rstrip())
        if len(text) > MAX_TEXT:
            text = f"{text[:MAX_TEXT]}... ({len(text)} characters)"
        with self._lock:
            self.version += 1
            self._unseen[level] += 1
            last = self._records[-1] if self._records else None
            if last and (last.level, last.source, last.text) == (level, source, text):
                last.count += 1
                last.time = time.time()
            else:
                self._records.append(Record(time.time(), level, source, text))

    def records(self) -> list[Record]:
        """Returns the entries, oldest first."""
        with self._lock:
            return list(self._records)

    def unseen(self, level: str) -> int:
        """Returns how many entries of a level came since `seen`."""
        return self._unseen[level]

    def seen(self) -> None:
        """Notes that a person has looked at all there is."""
        with self._lock:
            self._unseen = dict.fromkeys(LEVELS, 0)

    def clear(self) -> None:
        """Forgets all entries."""
        with self._lock:
            self.version += 1
            self._records.clear()
            self._unseen = dict.fromkeys(LEVELS, 0)


def printable(text: str) -> str:
    """Returns a text without what UTF-8 or a C string cannot hold.

    A file's name may be in another encoding: Python keeps such bytes as surrogates.
    """
    return text.replace("\0", " ").encode(errors="backslashreplace").decode()


def level_of(number: int) -> str:
    """Returns the level's name for one of Python's logging levels."""
    if number >= logging.ERROR:
        return "error"
    return "warning" if number >= logging.WARNING else "info"


def traceback_of(error: BaseException) -> str:
    """Returns an exception with its traceback, as Python prints it."""
    return "".join(traceback.format_exception(error)).rstrip()


class _Handler(logging.Handler):
    """Brings log records to the hub."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
            if record.exc_info and record.exc_info[1] is not None:
                text = f"{text}\n{traceback_of(record.exc_info[1])}"
            _hub.say(level_of(record.levelno), record.name, text)
            # Python prints what reaches no handler by its last resort. This
            # handler is one, and must not be the reason that a line is missing.
            if logging.lastResort is not None and not self._has_company(record):
                logging.lastResort.handle(record)
        except Exception:  # noqa: BLE001 - logging's own way with a handler's faults
            self.handleError(record)

    def _has_company(self, record: logging.LogRecord) -> bool:
        """Tells whether a record reaches another handler, too."""
        at: logging.Logger | None = logging.getLogger(record.name)
        while at is not None:
            if any(handler is not self for handler in at.handlers):
                return True
            at = at.parent if at.propagate else None
        return False


class _Hub:
    """Hands what the process says to the consoles of the open sessions."""

    def __init__(self) -> None:
        self._consoles: list[Console] = []
        self._lock = threading.RLock()
        self._handler = _Handler(LEAST_LEVEL)
        self._speaking = threading.local()
        self._show_warning = warnings.showwarning
        self._thread_ended = threading.excepthook

    def say(self, level: str, source: str, text: str) -> None:
        """Adds an entry to every console, unless this is caused by doing so."""
        if getattr(self._speaking, "now", False):
            return
        self._speaking.now = True
        try:
            with self._lock:
                consoles = list(self._consoles)
            for console in consoles:
                console.add(level, source, text)
        finally:
            self._speaking.now = False

    def enter(self, console: Console) -> None:
        with self._lock:
            if not self._consoles:
                self._install()
            self._consoles.append(console)

    def leave(self, console: Console) -> None:
        with self._lock:
            if console in self._consoles:
                self._consoles.remove(console)
                if not self._consoles:
                    self._uninstall()

    def _install(self) -> None:
        logging.getLogger().addHandler(self._handler)
        # `warnings.catch_warnings`, in any thread, may have put ours back since.
        if warnings.showwarning != self._on_warning:
            self._show_warning = warnings.showwarning
            warnings.showwarning = self._on_warning  # ty: ignore[invalid-assignment]
        if threading.excepthook != self._on_thread_end:
            self._thread_ended = threading.excepthook
            threading.excepthook = self._on_thread_end

    def _uninstall(self) -> None:
        """Takes the hooks back; one that another has replaced only falls silent."""
        logging.getLogger().removeHandler(self._handler)
        if warnings.showwarning == self._on_warning:
            warnings.showwarning = self._show_warning  # ty: ignore[invalid-assignment]
        if threading.excepthook == self._on_thread_end:
            threading.excepthook = self._thread_ended

    def _on_warning(  # noqa: PLR0913, PLR0917 - warnings.showwarning's own arguments
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if file is None:
            text = f"{category.__name__}: {message} ({filename}:{lineno})"
            self.say("warning", "warnings", text)
        self._show_warning(message, category, filename, lineno, file, line)

    def _on_thread_end(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            name = args.thread.name if args.thread else "unknown"
            self.say("error", f"thread {name}", traceback_of(args.exc_value))
        self._thread_ended(args)


_hub = _Hub()


@contextlib.contextmanager
def listening(console: Console) -> Generator[None]:
    """Lets `console` hear what the process says, for the block."""
    _hub.enter(console)
    try:
        yield
    finally:
        _hub.leave(console)
