"""Functions that other threads want to be run on a loop's own thread."""

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent import futures


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
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(fn(subject))
            except BaseException as error:  # noqa: BLE001 - it belongs to who asked
                future.set_exception(error)
