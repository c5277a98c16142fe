"""A page without a browser: answers a viewer's messages as the front end does.

Runs in the test's thread: `pump` handles what has arrived; acks are sent at
once. Lets session tests see frames without a notebook.
"""

import queue
import time
from collections.abc import Callable
from typing import Any

from studio_nb.link import Buffers, Head, Link
from tests.reading import StateReader


def until(condition: Callable[[], Any], timeout: float = 10.0) -> Any:
    """Waits for something to hold, and returns it."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.002)
    msg = f"did not happen within {timeout} s"
    raise AssertionError(msg)


class FakePage:
    """Holds what a page would: the model message, the state, what was said."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._arrived: queue.Queue[tuple[Head, Buffers]] = queue.Queue()
        self.client = "page-1"
        self.acking = True
        self.model: Head | None = None
        self.state = StateReader()
        self.frames: list[Head] = []
        self.ui_packets = 0
        self.seq: int | None = None
        self.heads: list[Head] = []
        self.assets: dict[str, bytes] = {}
        link.connect(lambda head, buffers: self._arrived.put((head, buffers)))

    def send(self, kind: str, **fields: Any) -> None:
        self._link.deliver({"type": kind, "client": self.client, **fields})

    def ready(self, **fields: Any) -> None:
        self.send(
            "ready", version=1, width=900, height=560, dpr=1, theme="light",
            **{"visible": True, **fields},
        )  # fmt: skip

    def pump(self) -> None:
        while not self._arrived.empty():
            self._handle(*self._arrived.get())

    def _handle(self, head: Head, buffers: Buffers) -> None:
        self.heads.append(head)
        if head["type"] == "model":
            self.model = head
            self.seq = None
            named = head["scene"]["meshes"] + head["scene"]["textures"]
            need = sorted({a["hash"] for a in named} - set(self.assets))
            self.send("assets", gen=head["gen"], need=need)
        elif head["type"] == "asset":
            have = self.assets.get(head["hash"], b"")
            assert len(have) == head["offset"]
            self.assets[head["hash"]] = have + bytes(buffers[0])
            self.send(
                "asset_ack", hash=head["hash"], received=len(self.assets[head["hash"]])
            )
        elif head["type"] == "frame":
            self._frame(head, buffers)
        elif head["type"] == "control" and head["view"] == self.client:
            self.send("view", view=self.client)

    def _frame(self, head: Head, buffers: Buffers) -> None:
        if self.model is None or head["gen"] != self.model["gen"]:
            return
        if head["base"] is not None and head["base"] != self.seq:
            self.send("resync", reason="gap")
            return
        streams = dict(zip(head["streams"], buffers, strict=True))
        if "state" in streams:
            self.state.apply(bytes(streams["state"]))
        self.ui_packets += "ui" in streams
        self.seq = head["seq"]
        self.frames.append(head)
        if self.acking:
            self.send("input", ack=head["seq"], gen=head["gen"])

    def until(self, condition: Callable[[], Any], timeout: float = 10.0) -> Any:
        """Pumps until `condition` holds; returns its value."""

        def pumped() -> Any:
            self.pump()
            return condition()

        return until(pumped, timeout)

    def during(self, seconds: float) -> None:
        """Pumps for a while, where a test is about nothing happening."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.pump()
            time.sleep(0.002)
