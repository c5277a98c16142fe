"""The link between a widget and a viewer: messages out, messages in.

The widget's comm handler puts what the browser says here and returns; the
viewer thread takes it from here and sends through here. Neither knows the
other, so the viewer runs in tests without a notebook.
"""

import collections
import threading
from collections.abc import Callable, Sequence
from typing import Any

Head = dict[str, Any]
Buffers = Sequence[bytes | memoryview]
Send = Callable[[Head, Buffers], None]
Publish = Callable[[dict[str, Any]], None]

# A page that floods the kernel loses its oldest messages, not the kernel its
# memory. A second of a busy mouse is about a hundred.
_MAX_WAITING = 4096


class Link:
    """A thread-safe mailbox in, and a function out.

    Attributes:
        wake: Set whenever something arrived that the viewer should look at.
    """

    def __init__(self, send: Send | None = None) -> None:
        """Connects the outgoing side to `send`; without it messages vanish."""
        self.wake = threading.Event()
        self._send = send
        self._publish: Publish | None = None
        self._waiting: collections.deque[tuple[Head, Buffers]] = collections.deque(
            maxlen=_MAX_WAITING
        )

    def connect(self, send: Send | None, publish: Publish | None = None) -> None:
        """Sets or clears where outgoing messages and values go."""
        self._send, self._publish = send, publish

    def publish(self, **values: object) -> None:
        """Brings values that the widget mirrors up to date; any thread."""
        if (publish := self._publish) is not None:
            publish(values)

    def send(self, head: Head, buffers: Buffers = ()) -> None:
        """Sends one message to the page; any thread."""
        if (send := self._send) is not None:
            send(head, buffers)

    def status(self, level: str, text: str) -> None:
        """Has the page show a line; `level` is "info", "warning" or "error"."""
        self.send({"type": "status", "level": level, "text": text})

    def deliver(self, head: Head, buffers: Buffers = ()) -> None:
        """Takes in one message of the page; any thread, never blocks."""
        self._waiting.append((head, buffers))
        self.wake.set()

    def take(self) -> list[tuple[Head, Buffers]]:
        """Returns and removes all messages that have come in, in order."""
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken
