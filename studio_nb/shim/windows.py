"""Studio's functions for windows, layout and style that differ from imgui-bundle's.

As in `widgets`, which tells why a function stands here. Viewer thread, while a frame
is open.
"""

from typing import Any

import numpy as np
from imgui_bundle import ImVec2, imgui

from studio_nb.shim.names import call, unmapped
from studio_nb.shim.objects import IO, DrawList, Style

_AUTO = ImVec2(0.0, 0.0)
_TWO = 2
_ABSENT = object()


def Begin(name: str, p_open: bool | None = None, flags: int = 0) -> tuple[bool, bool]:
    shown, is_open = imgui.begin(name, _optional(p_open), flags)
    return shown, bool(is_open)


def BeginChildId(
    id: int, size: ImVec2 = _AUTO, child_flags: int = 0, window_flags: int = 0
) -> bool:
    return imgui.begin_child(id, size, child_flags, window_flags)


def BeginPopupModal(
    name: str, p_open: bool | None = None, flags: int = 0
) -> tuple[bool, bool]:
    shown, is_open = imgui.begin_popup_modal(name, _optional(p_open), flags)
    return shown, bool(is_open)


def OpenPopup(*args: Any, **names: Any) -> bool:  # noqa: ANN401, two overloads
    return call(imgui.open_popup, args, names, id="id_")


def BeginMenu(label: str, enabled: bool = True) -> bool:
    return imgui.begin_menu(label, bool(enabled))


def BeginTabItem(
    label: str,
    p_open: Any = _ABSENT,  # noqa: ANN401, two overloads
    flags: int | None = None,
) -> bool | tuple[bool, bool]:
    # A number that comes second is flags: then no button closes the tab, and nothing
    # is returned for one.
    if p_open is _ABSENT:
        return imgui.begin_tab_item(label, None, flags or 0)[0]
    truth = p_open is None or isinstance(p_open, bool | np.bool_)
    if flags is None and not truth:
        return imgui.begin_tab_item(label, None, p_open)[0]
    shown, is_open = imgui.begin_tab_item(label, _optional(p_open), flags or 0)
    return shown, bool(is_open)


def BeginDisabled(disabled: bool = True) -> None:
    imgui.begin_disabled(bool(disabled))


def SetNextWindowCollapsed(collapsed: bool, cond: int = 0) -> None:
    imgui.set_next_window_collapsed(bool(collapsed), cond)


def SetWindowCollapsed(*args: Any, **names: Any) -> None:  # noqa: ANN401, two overloads
    values = list(args)
    if values and not isinstance(values[0], str):
        values[0] = bool(values[0])
    elif len(values) > 1:
        values[1] = bool(values[1])
    if "collapsed" in names:
        names["collapsed"] = bool(names["collapsed"])
    imgui.set_window_collapsed(*values, **names)


def SetWindowFontScale(scale: float) -> None:
    # Obsolete since Dear ImGui 1.92, and left out of imgui-bundle.
    imgui.internal.get_current_window().font_window_scale = scale
    imgui.internal.update_current_font_size(0.0)


def SetNextItemOpen(is_open: bool, cond: int = 0) -> None:
    imgui.set_next_item_open(bool(is_open), cond)


def GetContentRegionMax() -> ImVec2:
    # Obsolete since Dear ImGui 1.91, as the two below: here by what is left.
    return (
        imgui.get_content_region_avail()
        + imgui.get_cursor_screen_pos()
        - imgui.get_window_pos()
    )


def GetWindowContentRegionMin() -> ImVec2:
    window = imgui.internal.get_current_window_read()
    return window.content_region_rect.min - window.pos


def GetWindowContentRegionMax() -> ImVec2:
    window = imgui.internal.get_current_window_read()
    return window.content_region_rect.max - window.pos


def PushID(*args: Any, **names: Any) -> None:  # noqa: ANN401, three overloads
    _refuse_addresses("PushID", args, names)
    imgui.push_id(*args, **names)


def GetID(*args: Any, **names: Any) -> int:  # noqa: ANN401, two overloads
    _refuse_addresses("GetID", args, names)
    return imgui.get_id(*args, **names)


def Columns(count: int = 1, id: str | None = None, border: bool = True) -> None:
    imgui.columns(count, id, bool(border))


def TableSetupColumn(
    label: str, flags: int = 0, init_width_or_weight: float = 0.0, user_id: int = 0
) -> None:
    imgui.table_setup_column(label, flags, init_width_or_weight, user_id)


def TableSetColumnEnabled(column_n: int, v: bool) -> None:
    imgui.table_set_column_enabled(column_n, bool(v))


def PushFont(font: imgui.ImFont | None, font_size_base_unscaled: float = 0.0) -> None:
    imgui.push_font(font, font_size_base_unscaled)


def PushButtonRepeat(repeat: bool) -> None:
    imgui.push_item_flag(imgui.ItemFlags_.button_repeat, bool(repeat))


def PopButtonRepeat() -> None:
    imgui.pop_item_flag()


def PushTabStop(tab_stop: bool) -> None:
    imgui.push_item_flag(imgui.ItemFlags_.no_tab_stop, not tab_stop)


def PopTabStop() -> None:
    imgui.pop_item_flag()


def PushClipRect(
    clip_rect_min: ImVec2,
    clip_rect_max: ImVec2,
    intersect_with_current_clip_rect: bool,
) -> None:
    imgui.push_clip_rect(
        clip_rect_min, clip_rect_max, bool(intersect_with_current_clip_rect)
    )


def StyleColorsDark(dst: Style | None = None) -> None:
    imgui.style_colors_dark(None if dst is None else dst.source())


def StyleColorsLight(dst: Style | None = None) -> None:
    imgui.style_colors_light(None if dst is None else dst.source())


def StyleColorsClassic(dst: Style | None = None) -> None:
    imgui.style_colors_classic(None if dst is None else dst.source())


def GetIO() -> IO:
    return IO()


def GetStyle() -> Style:
    return Style()


def GetWindowDrawList() -> DrawList:
    return DrawList(imgui.get_window_draw_list())


def GetBackgroundDrawList() -> DrawList:
    return DrawList(imgui.get_background_draw_list())


def GetForegroundDrawList() -> DrawList:
    return DrawList(imgui.get_foreground_draw_list())


def GetCurrentContext() -> int:
    """Returns a number that tells contexts apart, 0 without one."""
    context = imgui.get_current_context()
    return 0 if context is None else id(context)


def ShowDemoWindow() -> bool:
    return bool(imgui.show_demo_window(True))


def DockSpace(id: int, size: ImVec2 = _AUTO, flags: int = 0) -> int:
    return imgui.dock_space(id, size, flags)


def DockSpaceOverMainViewport(id: int = 0, flags: int = 0) -> int:
    return imgui.dock_space_over_viewport(id, None, flags)


def DockBuilderAddNode(node_id: int = 0, flags: int = 0) -> int:
    return imgui.internal.dock_builder_add_node(node_id, flags)


def DockBuilderRemoveNode(node_id: int) -> None:
    imgui.internal.dock_builder_remove_node(node_id)


def DockBuilderGetNode(node_id: int) -> bool:
    return imgui.internal.dock_builder_get_node(node_id) is not None


def DockBuilderSetNodeSize(node_id: int, size: ImVec2) -> None:
    imgui.internal.dock_builder_set_node_size(node_id, size)


def DockBuilderSplitNode(
    id: int, split_dir: int, size_ratio_for_node_at_dir: float
) -> tuple[int, int]:
    split = imgui.internal.dock_builder_split_node(
        id, imgui.Dir(int(split_dir)), size_ratio_for_node_at_dir
    )
    return split.id_at_dir, split.id_at_opposite_dir


def DockBuilderDockWindow(window_name: str, node_id: int) -> None:
    imgui.internal.dock_builder_dock_window(window_name, node_id)


def DockBuilderFinish(node_id: int) -> None:
    imgui.internal.dock_builder_finish(node_id)


def _optional(is_open: object) -> bool | None:
    """Keeps "no button to close it" apart from closed."""
    return None if is_open is None else bool(is_open)


def _refuse_addresses(call: str, args: tuple[Any, ...], names: dict[str, Any]) -> None:
    """Refuses the overload that in C++ takes where a text begins and ends."""
    if len(args) + len(names) == _TWO:
        unmapped(
            f"imgui.{call}(str_id_begin, str_id_end)",
            f"they are addresses in one text: use imgui.{call}(text[:n])",
        )()
