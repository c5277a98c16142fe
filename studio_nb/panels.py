"""The panels of one viewer: a Dear ImGui context, or a line that says why none.

The seam between the viewer and `ui`: imgui-bundle is imported here, late, so
that a machine where it cannot load still shows the simulation. Viewer thread
only.
"""

import contextlib
import importlib
import sys
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
        why_not: Empty, or one line saying what to install.
    """

    def __init__(self, link: Link, theme: str) -> None:
        """Makes the context where imgui-bundle loads, in a page's theme."""
        self._link = link
        self.why_not = ui.available()
        self.context: ui.UiContext | None = None
        if not self.why_not:
            self.context = ui.UiContext(theme)
            self._input = ui.UiInput(self.context)
            self._encoder = ui.DrawListEncoder(self.context)
        self._built = False

    @property
    def unsettled(self) -> bool:
        """Whether the panels may look different although nothing new came in."""
        return self.context is not None and self.context.unsettled

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


def with_own_app(plugins: list[Any]) -> list[Any]:
    """Returns viewer plugins with Studio's own app exchanged for ours.

    Studio's app draws into its compiled Dear ImGui, far beyond what a sink can take.
    """
    kept = [p for p in plugins if not type(p).__module__.startswith(_STUDIO_APP)]
    if len(kept) == len(plugins) or ui.available():
        return kept
    from studio_nb.app import App  # noqa: PLC0415 - needs imgui-bundle

    return [App(), *kept]


class StudioImguiSink:
    """Takes what plugins draw with `mujoco.studio.dear_imgui`, and shows none of it.

    Studio's compiled Dear ImGui is another one than imgui-bundle's, and a call into
    it without a context ends the process. Such a plugin therefore gets a context
    whose frames go nowhere; what it does beside its panels works.
    """

    # ImGuiBackendFlags_RendererHasTextures, without which NewFrame wants a font
    # texture from a renderer.
    _HAS_TEXTURES = 1 << 4

    def __init__(self) -> None:
        """Makes nothing: most sessions have no such plugin."""
        self._contexts: tuple[Any, Any] | None = None

    @contextlib.contextmanager
    def frame(self, note: Callable[[str, str], None]) -> Generator[None]:
        """Keeps a frame open for the block, if any plugin could draw into it.

        Args:
            note: Called once with a level and a line for the person.
        """
        module = sys.modules.get("mujoco.studio.dear_imgui.dear_imgui")
        if module is None:
            yield
            return
        if self._contexts is None:
            self._contexts = self._make(module)
            note(
                "warning",
                "a plugin draws with mujoco.studio.dear_imgui: its panels are not "
                "shown here, those drawn with imgui_bundle are",
            )
        module.SetCurrentContext(self._contexts[0])
        module.GetIO().DisplaySize = module.Vec2(900.0, 560.0)
        module.NewFrame()
        try:
            yield
        finally:
            ux = importlib.import_module("mujoco.studio.ux")
            ux.unwind_imgui_frame()
            module.EndFrame()

    def _make(self, module: Any) -> tuple[Any, Any]:  # noqa: ANN401 - compiled
        implot = importlib.import_module("mujoco.studio.implot.implot")
        ux = importlib.import_module("mujoco.studio.ux")
        imgui_context = module.CreateContext()
        module.SetCurrentContext(imgui_context)
        module.GetIO().BackendFlags |= self._HAS_TEXTURES
        implot_context = implot.CreateContext()
        ux.set_imgui_context(imgui_context)
        ux.set_implot_context(implot_context)
        implot.set_imgui_context(imgui_context)
        implot.set_implot_context(implot_context)
        return imgui_context, implot_context
