"""The clipboard of each session, for Dear ImGui's one pair of functions.

imgui-bundle keeps the functions that get and set the clipboard once for the whole
process, not for each context. So they are installed once, and act on the clipboard
of whichever `UiContext` is current; its lock is held then.
"""

import contextlib
from collections.abc import Generator

from imgui_bundle import imgui


class Clipboard:
    """What was last copied in the panels or pasted by the page.

    Attributes:
        text: What a paste inserts.
    """

    _current: "Clipboard | None" = None

    def __init__(self) -> None:
        """Starts empty."""
        self.text = ""
        self._copied: str | None = None

    def copy(self, text: str) -> None:
        """Takes what a panel copied."""
        self.text = self._copied = text

    def take(self) -> str | None:
        """Returns what was copied since the last call, or None."""
        copied, self._copied = self._copied, None
        return copied

    @contextlib.contextmanager
    def current(self) -> Generator[None]:
        """Makes this the clipboard that Dear ImGui uses during the block."""
        before, Clipboard._current = Clipboard._current, self
        try:
            yield
        finally:
            Clipboard._current = before

    @staticmethod
    def install() -> None:
        """Gives the current Dear ImGui context the functions of this module."""
        platform = imgui.get_platform_io()
        platform.platform_get_clipboard_text_fn = _get_text
        platform.platform_set_clipboard_text_fn = _set_text


def _get_text(_context: object) -> str:
    current = Clipboard._current  # noqa: SLF001, this module's own
    return current.text if current else ""


def _set_text(_context: object, text: str) -> None:
    if current := Clipboard._current:  # noqa: SLF001, this module's own
        current.copy(text)
