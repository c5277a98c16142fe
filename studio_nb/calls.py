"""Functions that other threads want to be run on a loop's own thread.

`NotebookViewer` owns a queue and runs it in each turn of its loop; `sim.handle`
answers calls of the sim with `answer`.
"""

import collections
import contextlib
import functools
from collections.abc import Callable
from concurrent import futures
from typing import Any


def answer(
    future: "futures.Future[Any]", fn: Callable[..., object], *args: object
) -> None:
    """Calls a function, unless that was cancelled; what comes of it is the future's."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = fn(*args)
    except BaseException as error:  # noqa: BLE001 - it belongs to who asked
        put = functools.partial(future.set_exception, error)
    else:
        put = functools.partial(future.set_result, result)
    # A session that closes meanwhile has answered already.
    with contextlib.suppress(futures.InvalidStateError):
        put()


class CallQueue:
    """Functions in order; `put` from any thread, `run` on the loop's."""

    def __init__(self) -> None:
        """Starts empty."""
        self._calls: collections.deque[
            tuple[Callable[[Any], object], futures.Future[Any]]
        ] = collections.deque()

    def put(self, fn: Callable[[Any], object], future: "futures.Future[Any]") -> None:
        """Adds a function, and where its result goes."""
        self._calls.append((fn, future))

    def run(self, subject: object) -> None:
        """Calls each function with `subject`; what it raises goes to its future.

        Those that are added meanwhile, by one of them say, wait for the next time.
        """
        for _ in range(len(self._calls)):
            fn, future = self._calls.popleft()
            answer(future, fn, subject)
