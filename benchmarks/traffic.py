"""Counts what a page receives, by way of Chromium's DevTools protocol.

`Traffic` listens to one page from before its first request; both sides of the
comparison are counted by it. A WebSocket message counts with its payload, an HTTP
response with what came over the line, headers included and nothing for what the cache
gave. No side compresses its WebSocket, so a payload is what was transferred.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

_OPCODE_TEXT = 1  # RFC 6455, section 5.2; binary payloads come to us as base64


@dataclass(frozen=True)
class Received:
    """A WebSocket message, or a whole HTTP response."""

    at: float  # seconds since the epoch, Chromium's clock
    url: str
    size: int
    payload: bytes = b""  # of a WebSocket message


class Traffic:
    """What one page received.

    Attributes:
        sockets: WebSocket messages, in order.
        responses: HTTP responses, in order of their ends.
        opened_at: When the main document was last asked for, seconds since the epoch.
    """

    def __init__(self, devtools: "CDPSession") -> None:
        """Starts to listen.

        Args:
            devtools: A session of the page.
        """
        self.sockets: list[Received] = []
        self.responses: list[Received] = []
        self.opened_at = 0.0
        self._urls: dict[str, str] = {}
        # DevTools stamps most events with a monotonic clock; requests have both.
        self._epoch = 0.0
        for event, handler in (
            ("requestWillBeSent", self._on_request),
            ("loadingFinished", self._on_response),
            ("webSocketCreated", self._on_socket),
            ("webSocketFrameReceived", self._on_message),
        ):
            devtools.on(f"Network.{event}", handler)
        devtools.send("Network.enable")

    def _on_request(self, event: dict[str, Any]) -> None:
        self._epoch = event["wallTime"] - event["timestamp"]
        self._urls[event["requestId"]] = event["request"]["url"]
        if event.get("type") == "Document" and event["requestId"] == event["loaderId"]:
            self.opened_at = event["wallTime"]

    def _on_response(self, event: dict[str, Any]) -> None:
        url = self._urls.pop(event["requestId"], "")
        at = event["timestamp"] + self._epoch
        self.responses.append(Received(at, url, round(event["encodedDataLength"])))

    def _on_socket(self, event: dict[str, Any]) -> None:
        self._urls[event["requestId"]] = event["url"]

    def _on_message(self, event: dict[str, Any]) -> None:
        url = self._urls.get(event["requestId"], "")
        text = event["response"]["payloadData"]
        is_text = event["response"]["opcode"] == _OPCODE_TEXT
        payload = text.encode() if is_text else base64.b64decode(text)
        at = event["timestamp"] + self._epoch
        self.sockets.append(Received(at, url, len(payload), payload))

    def clear(self) -> None:
        """Forgets what came so far."""
        self.sockets.clear()
        self.responses.clear()

    def messages(self, part: str, until: float = float("inf")) -> list[Received]:
        """WebSocket messages that came up to a time.

        Args:
            part: What the socket's address contains.
            until: Seconds since the epoch.
        """
        return [m for m in self.sockets if part in m.url and m.at <= until]

    def files(
        self, parts: Sequence[str] = ("",), until: float = float("inf")
    ) -> list[Received]:
        """HTTP responses that ended up to a time.

        Args:
            parts: The address contains one of them.
            until: Seconds since the epoch.
        """
        return [
            r
            for r in self.responses
            if r.at <= until and any(part in r.url for part in parts)
        ]


def size(received: list[Received]) -> int:
    """Bytes of all of them."""
    return sum(item.size for item in received)
