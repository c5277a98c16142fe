"""A page elsewhere: a kernel with a session, whose frames are read and not drawn.

The figures of the physics depend on who draws: a browser in software GL takes the
processor that the simulation needs. Here the page is a reader that takes part in the
whole conversation and acknowledges every frame at once, as a page on another machine
would, so that the figure tells what the kernel's own work for the view costs.
"""

import contextlib
import queue
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from benchmarks.browser import VIEW_HEIGHT, VIEW_WIDTH
from studio_nb.wire.packets import VERSION

TIMEOUT_S = 60.0
JSON = "application/json"

SCRIPT = """
import sys, time
sys.path.append({root!r})
import studio_nb
from IPython.display import display
from benchmarks import physics
studio = studio_nb.open({model!r}, height={height})
"""
COMPARE = """
paces = physics.compare(studio, {rounds}, {seconds}, pause_s={pause})
display({{"application/json": paces}}, raw=True)
studio.close()
"""
WARM_FRAMES = 60
PAUSE_S = 0.3  # nothing but the kernel has to come to rest


class Reader:
    """The page: answers the kernel's messages, and counts frames.

    Attributes:
        frames: How many frames came.
    """

    def __init__(self, client: BlockingKernelClient) -> None:
        """Takes a client whose channels are open."""
        self.frames = 0
        self._client = client
        self._comm = ""
        self._subshell = self._make_subshell()

    def _make_subshell(self) -> str:
        """A thread in the kernel for our messages, as JupyterLab asks for one."""
        message = self._client.session.msg("create_subshell_request", {})
        self._client.control_channel.send(message)
        reply = self._client.get_control_msg(timeout=TIMEOUT_S)
        return reply["content"]["subshell_id"]

    def run(self, code: str) -> list[Any]:
        """Runs code in the kernel and answers the view meanwhile.

        Returns:
            What the code displayed as JSON.

        Raises:
            RuntimeError: The code raised.
            TimeoutError: The kernel fell silent.
        """
        asked = self._client.execute(code)
        shown = []
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                message = self._client.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            deadline = time.monotonic() + TIMEOUT_S
            kind, content = message["msg_type"], message["content"]
            if kind in ("comm_open", "comm_msg"):
                self._receive(kind, content)
            elif message["parent_header"].get("msg_id") != asked:
                continue
            elif kind == "error":
                raise RuntimeError("\n".join(content["traceback"][-3:]))
            elif kind == "display_data":
                shown += [content["data"][JSON]] if JSON in content["data"] else []
            elif kind == "status" and content["execution_state"] == "idle":
                return shown
        message = f"the kernel said nothing for {TIMEOUT_S} s"
        raise TimeoutError(message)

    def wait_for_frames(self, count: int) -> None:
        """Waits until so many frames came: the view is at work.

        Raises:
            TimeoutError: They did not.
        """
        deadline = time.monotonic() + TIMEOUT_S
        while self.frames < count:
            if time.monotonic() > deadline:
                message = f"{self.frames} of {count} frames within {TIMEOUT_S} s"
                raise TimeoutError(message)
            self.run("time.sleep(0.1)")

    def _receive(self, kind: str, content: dict[str, Any]) -> None:
        if kind == "comm_open" and "_bundle_hash" in content["data"].get("state", {}):
            self._comm = content["comm_id"]
            self._send(
                type="ready", version=VERSION, width=VIEW_WIDTH, height=VIEW_HEIGHT,
                dpr=1, theme="light", visible=True,
            )  # fmt: skip
        elif kind == "comm_msg" and content["comm_id"] == self._comm:
            head = content["data"].get("content", {})
            if head.get("type") == "frame":
                self.frames += 1
                self._send(type="input", ack=head["seq"], gen=head["gen"])
            elif head.get("type") == "model":
                self._send(type="assets", gen=head["gen"], need=[])

    def _send(self, **head: Any) -> None:  # noqa: ANN401 - as docs/wire.md has it
        content = {
            "comm_id": self._comm,
            "data": {"method": "custom", "content": {**head, "client": "reader"}},
        }
        message = self._client.session.msg("comm_msg", content)
        message["header"]["subshell_id"] = self._subshell
        self._client.shell_channel.send(message)


@contextlib.contextmanager
def running_reader() -> Generator[Reader]:
    """A kernel and its reader, for the length of a `with` block."""
    manager, client = start_new_kernel()
    try:
        yield Reader(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def physics(
    model: Path, root: Path, rounds: int, seconds: float
) -> tuple[list[tuple[float, float]], int]:
    """Compares a session, its view read elsewhere, with a bare loop.

    Args:
        model: The model.
        root: The checkout, from which the kernel takes `benchmarks.physics`.
        rounds: See `benchmarks.physics.compare`.
        seconds: See `benchmarks.physics.compare`.

    Returns:
        The rounds, and how many frames the reader got meanwhile.
    """
    with running_reader() as reader:
        options = {"root": str(root), "model": str(model), "height": VIEW_HEIGHT}
        reader.run(SCRIPT.format(**options) + "display(studio)")
        reader.wait_for_frames(WARM_FRAMES)
        begun = reader.frames
        options = {"rounds": rounds, "seconds": seconds, "pause": PAUSE_S}
        (paces,) = reader.run(COMPARE.format(**options))
        return [tuple(pace) for pace in paces], reader.frames - begun
