"""Where calls of Dear ImGui go while no panel is drawn.

Outside of a frame most of them end the process: they look for the window that is
being drawn. So that a handler or a cell that draws in the wrong place does not, a
context with a frame that never ends is current while no other one is, and nothing of
it is ever shown. `context` calls `enter` with its lock held, on any thread.
"""

import logging

from imgui_bundle import ImVec2, imgui, implot

from studio_nb.ui import recovery

logger = logging.getLogger(__name__)


class _Lobby:
    """The one context of the process, made when it is first needed."""

    def __init__(self) -> None:
        self._told = False
        self.imgui = imgui.create_context()
        imgui.set_current_context(self.imgui)
        self.implot = implot.create_context()
        io = imgui.get_io()
        io.set_ini_filename(None)
        io.set_log_filename("")
        io.backend_flags |= int(imgui.BackendFlags_.renderer_has_textures)
        # So small that all is clipped away.
        io.display_size = ImVec2(1.0, 1.0)
        recovery.configure()
        imgui.new_frame()
        self._start = recovery.Stacks.now()

    def make_current(self) -> None:
        imgui.set_current_context(self.imgui)
        implot.set_current_context(self.implot)

    def sweep(self) -> None:
        """Throws away what was drawn here, if anything was; says so once."""
        if self.imgui.within_frame_scope:
            used = self.imgui.current_window.write_accessed
            if not used and self.imgui.current_window_stack.size() == 1:
                return
            recovery.recover(self._start)
            imgui.end_frame()
        imgui.new_frame()
        if not self._told:
            self._told = True
            logger.warning(
                "something was drawn with imgui where nothing can be shown: draw in "
                "@studio.panel, or in a plugin's handler of BuildGuiEvent"
            )


_made: list[_Lobby] = []


def enter() -> None:
    """Has some context be current, and finds the lobby as it should be."""
    current = imgui.get_current_context()
    if current is None:
        if not _made:
            _made.append(_Lobby())
        _made[0].make_current()
    elif _made and current is _made[0].imgui:
        _made[0].sweep()


def is_current() -> bool:
    """Tells whether the lobby is the current context."""
    return bool(_made) and imgui.get_current_context() is _made[0].imgui
