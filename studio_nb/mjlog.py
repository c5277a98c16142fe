"""MuJoCo's warnings, brought to whoever should see them.

Left alone MuJoCo prints them to the process's stderr and appends them to
MUJOCO_LOG.TXT in the working folder. Its one warning handler is a process-wide
C callback that runs in the thread that warns, so a session registers a listener
for its own thread; warnings of other threads go to Python's logging.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Generator

import mujoco

logger = logging.getLogger("mujoco")

_local = threading.local()
_installed = threading.Lock()
_previous: Callable[[str], object] | None = None


def _on_warning(text: str) -> None:
    """Hands one warning on; marked, so that a reloaded module knows its own."""
    listener = getattr(_local, "listener", None)
    if listener is not None:
        listener(" ".join(text.split()))
    elif _previous is not None:
        _previous(text)
    else:
        logger.warning("%s", text.strip())


def install() -> None:
    """Takes over MuJoCo's warning handler; one that was set before is kept."""
    global _previous  # noqa: PLW0603 - the handler is process-wide in MuJoCo too
    with _installed:
        current = mujoco.get_mju_user_warning()
        if current is not _on_warning:
            _previous = None if hasattr(current, _MARK) else current
            mujoco.set_mju_user_warning(_on_warning)


_MARK = "_studio_nb_handler"
setattr(_on_warning, _MARK, True)


@contextlib.contextmanager
def listening(listener: Callable[[str], object]) -> Generator[None]:
    """Sends the warnings of the current thread to `listener`, a line each."""
    install()
    before = getattr(_local, "listener", None)
    _local.listener = listener
    try:
        yield
    finally:
        _local.listener = before
