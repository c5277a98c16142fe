"""Reads what JupyterLab gets over a kernel's WebSocket, to tell its streams apart.

Pure functions over bytes; `ours.py` gives them what Chromium's DevTools saw.
"""

import collections
import itertools
import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    """A Jupyter message as it came over the WebSocket."""

    kind: str
    content: dict[str, Any]
    buffers: list[bytes]

    @property
    def custom(self) -> dict[str, Any]:
        """The head of a widget's custom message; empty for any other."""
        data = self.content.get("data") if self.kind == "comm_msg" else None
        custom = data.get("content") if isinstance(data, dict) else None
        return custom if isinstance(custom, dict) else {}


def read_message(payload: bytes) -> Message:
    """Reads one binary message.

    The layout is `v1.kernel.websocket.jupyter.org` of jupyter_server's documentation
    (developers/websocket-protocols): u64 number of offsets, the offsets, and between
    them channel, header, parent header, metadata, content, buffers.

    Args:
        payload: One WebSocket message.

    Raises:
        ValueError: It does not have that layout.
    """
    try:
        (count,) = struct.unpack_from("<Q", payload)
        offsets = struct.unpack_from(f"<{count}Q", payload, 8)
        parts = [payload[a:b] for a, b in itertools.pairwise(offsets)]
        _, header, _, _, content, *buffers = parts
        return Message(json.loads(header)["msg_type"], json.loads(content), buffers)
    except (struct.error, ValueError, KeyError) as error:
        message = f"a message of {len(payload)} bytes is no Jupyter v1 message: {error}"
        raise ValueError(message) from error


@dataclass
class Streams:
    """Frames of a widget: how many, and the bytes of each stream."""

    frames: int = 0
    with_state: int = 0
    state: int = 0
    ui: int = 0
    # On the socket: buffers, JSON and framing.
    whole: int = 0


def count_streams(payloads: Iterable[bytes]) -> Streams:
    """Counts the frames among the messages of a kernel's WebSocket."""
    total = Streams()
    for payload in payloads:
        message = read_message(payload)
        if message.custom.get("type") != "frame":
            continue
        sizes = dict(
            zip(message.custom["streams"], map(len, message.buffers), strict=True)
        )
        total.frames += 1
        total.with_state += "state" in sizes
        total.state += sizes.get("state", 0)
        total.ui += sizes.get("ui", 0)
        total.whole += len(payload)
    return total


def count_parts(payloads: Iterable[bytes]) -> dict[str, int]:
    """Bytes on a kernel's WebSocket by what they are for, the most first.

    A widget's custom messages go by their `type`, all others by Jupyter's name.
    """
    parts: collections.Counter[str] = collections.Counter()
    for payload in payloads:
        message = read_message(payload)
        parts[str(message.custom.get("type", message.kind))] += len(payload)
    return dict(parts.most_common())
