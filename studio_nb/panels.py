"""The panels of one viewer: a Dear ImGui context, or a line that says why none.

The seam between the viewer and `ui`: imgui-bundle is imported here, late, so
that a machine where it cannot load still shows the simulation. Viewer thread
only.
"""

import contextlib
from collections.abc import Callable, Generator
from typing import Any

from studio_nb import ui
from studio_nb.link import Link
from studio_nb.page import Page

_STUDIO_APP = "mujoco.studio.app"

Guard = Callable[[str], contextlib.AbstractContextManager[None]]


class Panels:
    """Builds, encodes and feeds the panels.

    Attributes:
        context: The `ui.UiContext`, or None where it cannot load.
        images: What plugins uploaded to draw in their panels.
        why_not: Empty, or one line saying what to install.
    """

    def __init__(self, link: Link, theme: str) -> None:
        """Makes the context where imgui-bundle loads, in a page's theme."""
        self._link = link
        self.why_not = ui.available()
        self.images = ui.Images()
        self.context: ui.UiContext | None = None
        if not self.why_not:
            self.context = ui.UiContext(theme)
            self._input = ui.UiInput(self.context)
            self._encoder = ui.DrawListEncoder(self.context, self.images)
        self._built = False

    @property
    def unsettled(self) -> bool | None:
        """Whether panels may look different although nothing new came in.

        None where there are no panels.
        """
        return None if self.context is None else self.context.unsettled

    def build(self, page: Page, dt: float, body: Callable[[Guard], None]) -> None:
        """Builds one frame of panels.

        Args:
            page: Gives size and density.
            dt: Seconds since the last frame.
            body: Draws; it gets the guard to run each handler within.
        """
        if (context := self.context) is None:
            return
        look = page.look
        with context.frame(look.width, look.height, look.dpr, dt):
            body(context.guard)
        self._built = True
        text = self._input.take_clipboard()
        if text is not None:
            self._link.send({"type": "clipboard", "text": text})

    @contextlib.contextmanager
    def current(self) -> Generator[None]:
        """Makes the context current for the block, where there is one."""
        with contextlib.ExitStack() as stack:
            if self.context is not None:
                stack.enter_context(self.context.current())
            yield

    def encode(self, *, full: bool) -> bytes | None:
        """Returns the `/ui` packet of the last build, or None when nothing changed."""
        if self.context is None or not (self._built or full):
            return None
        self._built = False
        return self._encoder.encode(full)

    def input(self, events: list[Any]) -> None:
        """Queues the page's events; malformed ones are passed over."""
        if self.context is not None:
            with contextlib.suppress(ValueError):
                self._input.apply(events)

    def set_theme(self, name: str) -> None:
        """Takes the page's colours, "light" or "dark"."""
        if self.context is not None:
            self.context.set_theme(name)

    def close(self) -> None:
        """Frees the context; again is fine."""
        if self.context is not None:
            self.context.close()
            self.context = None


def with_own_app(plugins: list[Any], *, wanted: bool) -> list[Any]:
    """Returns viewer plugins with our app in the place of Studio's own.

    Studio's app draws into its compiled Dear ImGui, which a notebook cannot show.

    Args:
        plugins: The person's.
        wanted: Whether to have our app also where there was none of Studio's.
    """
    kept = [p for p in plugins if not type(p).__module__.startswith(_STUDIO_APP)]
    if ui.available() or not (wanted or len(kept) < len(plugins)):
        return kept
    from studio_nb.app import App  # noqa: PLC0415 - needs imgui-bundle

    app = App()
    return [app, app.timeline, *kept]
