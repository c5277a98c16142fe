"""What stands over the scene: the selected body's name, and notices.

`App` draws them once a frame, on the viewer thread. They take no input.
"""

from collections.abc import Sequence

import mujoco
from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app.controls import ControlledViewer
from studio_nb.ui import theme

_EDGE_PX = 8.0
_MAX_NOTICES = 4
_MAX_NOTICE_WIDTH_PX = 560.0

_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_inputs
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.always_auto_resize
)

_ICONS = {
    "info": icons_fontawesome_6.ICON_FA_CIRCLE_INFO,
    "warning": icons_fontawesome_6.ICON_FA_TRIANGLE_EXCLAMATION,
    "error": icons_fontawesome_6.ICON_FA_CIRCLE_XMARK,
}


def draw_selection(viewer: ControlledViewer) -> None:
    """Names the selected body at the bottom left; draws nothing without one."""
    body = viewer.perturb.select
    if not 0 < body < viewer.model.nbody:
        return
    name = mujoco.mj_id2name(viewer.model, mujoco.mjtObj.mjOBJ_BODY, body)
    view = imgui.get_main_viewport().size
    imgui.set_next_window_pos(
        ImVec2(_EDGE_PX, view.y - _EDGE_PX), pivot=ImVec2(0.0, 1.0)
    )
    imgui.begin("###selection", flags=_FLAGS)
    imgui.text_unformatted(name or "body")
    imgui.same_line()
    imgui.text_disabled(f"id {body}")
    imgui.end()


def draw_notices(
    notices: Sequence[tuple[str, str]], palette: theme.Palette, top: float
) -> None:
    """Shows the newest notices, one below the other.

    Args:
        notices: Pairs of a level ("info", "warning", "error") and a text.
        palette: Colours of the current theme.
        top: Where to begin, CSS pixels from the top of the view.
    """
    shown = [*notices][-_MAX_NOTICES:]
    if not shown:
        return
    view = imgui.get_main_viewport().size
    width = min(_MAX_NOTICE_WIDTH_PX, view.x - 2 * _EDGE_PX)
    imgui.set_next_window_pos(
        ImVec2(view.x / 2, top + _EDGE_PX), pivot=ImVec2(0.5, 0.0)
    )
    imgui.set_next_window_size_constraints(ImVec2(0.0, 0.0), ImVec2(width, view.y))
    imgui.begin("###notices", flags=_FLAGS)
    colours = {"warning": palette.warning, "error": palette.error}
    room = width - 2 * imgui.get_style().window_padding.x
    for level, text in shown:
        icon = _ICONS.get(level, _ICONS["info"])
        imgui.text_colored(theme.rgba(colours.get(level, palette.brand)), icon)
        imgui.same_line()
        imgui.push_text_wrap_pos(room)
        imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
    if len(notices) > len(shown):
        imgui.text_disabled(f"and {len(notices) - len(shown)} before")
    imgui.end()
