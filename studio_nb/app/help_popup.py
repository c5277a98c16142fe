"""The help: what the mouse and the keys do. Hangs from the toolbar."""

from imgui_bundle import ImVec2, imgui

from studio_nb.app import keys
from studio_nb.app.controls import Controls

_POPUP = "###help"
_EDGE_PX = 8.0
_COLUMN_GAP_PX = 24.0

# Views that are wider than this have room for both sections beside each other.
_SIDE_BY_SIDE_PX = 520.0

# Both sections give their first column the width of this.
_WIDEST_CAUSE = "Ctrl+right-drag"


def draw(controls: Controls, below: float) -> None:
    """Draws the help if it is open; opens or closes it when that was asked for.

    Args:
        controls: Knows whether it was asked for.
        below: Where the toolbar ends, CSS pixels from the top.
    """
    toggled, controls.help_toggled = controls.help_toggled, False
    closing = toggled and imgui.is_popup_open(_POPUP)
    if toggled and not closing:
        imgui.open_popup(_POPUP)
    view = imgui.get_main_viewport().size
    imgui.set_next_window_pos(
        ImVec2(view.x - _EDGE_PX, below + _EDGE_PX), pivot=ImVec2(1.0, 0.0)
    )
    room = ImVec2(max(view.x - 2 * _EDGE_PX, 1), max(view.y - below - 2 * _EDGE_PX, 1))
    imgui.set_next_window_size_constraints(ImVec2(0.0, 0.0), room)
    if not imgui.begin_popup(_POPUP):
        return
    if closing:
        imgui.close_current_popup()
    _section("Mouse", keys.MOUSE)
    if room.x >= _SIDE_BY_SIDE_PX:
        imgui.same_line(spacing=_COLUMN_GAP_PX)
    else:
        imgui.spacing()
    _section("Keys", [(binding.label, binding.action) for binding in keys.BINDINGS])
    imgui.end_popup()


def _section(title: str, lines: keys.Lines) -> None:
    """Draws a title, and below it what does what."""
    imgui.begin_group()
    imgui.text_disabled(title)
    fit = imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.no_host_extend_x
    if imgui.begin_table(f"###{title}", 2, fit):
        width = imgui.TableColumnFlags_.width_fixed
        imgui.table_setup_column("", width, imgui.calc_text_size(_WIDEST_CAUSE).x)
        for cause, effect in lines:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_unformatted(cause)
            imgui.table_next_column()
            imgui.text_unformatted(effect)
        imgui.end_table()
    imgui.end_group()
