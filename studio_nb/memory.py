"""What a notebook remembers of its panels: a small JSON object, kept by the page.

The page stores it in the browser, under a key of the notebook and the session, and
brings it with its first `ready`; the app reads `value` and says with `keep` what to
remember instead. Tabs that show one session all store what was kept last. Viewer
thread only.
"""

import copy
import json
import logging
from collections.abc import Callable
from typing import Any

logger = logging.getLogger(__name__)

LIMIT_BYTES = 64 * 1024
# Layouts change in every frame of a drag; a browser's store is slow.
_PACE_SEC = 1.0


class Memory:
    """One session's memory.

    Attributes:
        value: What is remembered. To be read only; `keep` changes it.
        loaded: How often a page has brought what it had: then `value` is another.
    """

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        """Starts with nothing remembered.

        Args:
            send: Takes a message for the page.
        """
        self.value: dict[str, Any] = {}
        self.loaded = 0
        self._send = send
        self._offered: dict[str, Any] = {}
        self._text = "{}"
        self._sent_text = "{}"
        self._sent_at = -_PACE_SEC
        self._met = self._warned = False

    def meet(self, stored: object) -> None:
        """Takes what a page had stored.

        Only the first page's counts: what a session has grown since is newer than
        what another page may have from long ago, and is stored there too.

        Args:
            stored: Of the `ready` message; anything but a dict is passed over.
        """
        if self._met:
            if stored != self.value:
                self._sent_text = ""
            return
        self._met = True
        if not isinstance(stored, dict) or (text := self._encoded(stored)) is None:
            return
        self._text = self._sent_text = text
        self.value = json.loads(text)
        self._offered = copy.deepcopy(self.value)
        self.loaded += 1

    def keep(self, value: dict[str, Any]) -> None:
        """Remembers `value` in place of what was; cheap while it is the same.

        What JSON cannot hold, or more than 64 kB, is not kept, and logged once.
        """
        if value == self._offered:
            return
        self._offered = copy.deepcopy(value)
        text = self._encoded(value)
        if text is None:
            return
        self._warned = False
        self._text = text
        self.value = json.loads(text)

    def pump(self, now: float) -> None:
        """Sends what changed, if it is time.

        Args:
            now: Seconds, monotonic.
        """
        if self._met and now - self._sent_at >= _PACE_SEC and self._flush():
            self._sent_at = now

    def close(self) -> None:
        """Sends what has not been sent."""
        if self._met:
            self._flush()

    def _flush(self) -> bool:
        if self._text == self._sent_text:
            return False
        self._sent_text = self._text
        self._send({"type": "memory", "value": self.value})
        return True

    def _encoded(self, value: dict[str, Any]) -> str | None:
        try:
            text = json.dumps(value, allow_nan=False)
            if (size := len(text.encode())) <= LIMIT_BYTES:
                return text
            reason = f"it has {size} bytes, more than {LIMIT_BYTES}"
        except (TypeError, ValueError, RecursionError) as error:
            reason = str(error)
        if not self._warned:
            logger.warning("the panels' layout is not remembered: %s", reason)
        self._warned = True
        return None
