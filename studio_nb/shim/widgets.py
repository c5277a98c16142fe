"""Studio's functions for items whose arguments or results differ from imgui-bundle's.

A function stands here when imgui-bundle wants other argument names, is strict about
truth values (Studio's also take NumPy's and integers), returns more, or lacks it.
`dear_imgui` looks here first; the documentation of each is Dear ImGui's. Viewer
thread, while a frame is open.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from imgui_bundle import ImVec2, ImVec4, imgui

from studio_nb.shim.names import call, unmapped

_N = TypeVar("_N", int, float)

_CLEAR = ImVec4(0.0, 0.0, 0.0, 0.0)
_WHITE = ImVec4(1.0, 1.0, 1.0, 1.0)
_UV0 = ImVec2(0.0, 0.0)
_UV1 = ImVec2(1.0, 1.0)
_AUTO = ImVec2(0.0, 0.0)
_RGB, _RGBA = 3, 4


def Text(txt: str | None) -> None:
    imgui.text_unformatted(txt or "")


def TextUnformatted(txt: str | None) -> None:
    imgui.text_unformatted(txt or "")


def TextColored(col: ImVec4, txt: str) -> None:
    imgui.text_colored(col, txt)


def TextDisabled(txt: str) -> None:
    imgui.text_disabled(txt)


def TextWrapped(txt: str) -> None:
    imgui.text_wrapped(txt)


def LabelText(label: str, txt: str) -> None:
    imgui.label_text(label, txt)


def BulletText(txt: str) -> None:
    imgui.bullet_text(txt)


def SetTooltip(txt: str) -> None:
    imgui.set_tooltip(txt)


def SetItemTooltip(txt: str) -> None:
    imgui.set_item_tooltip(txt)


def Value(prefix: str, *args: Any, **names: Any) -> None:  # noqa: ANN401, four overloads
    # Of imgui-bundle's overloads none takes NumPy's truth values.
    values = [bool(a) if isinstance(a, np.bool_) else a for a in args]
    imgui.value(prefix, *values, **names)


def CalcTextSize(
    text: str,
    text_end: str | None = None,
    hide_text_after_double_hash: bool = False,
    wrap_width: float = -1.0,
) -> ImVec2:
    if text_end is not None:
        unmapped(
            "imgui.CalcTextSize(text_end=...)",
            "it is an address in the text: measure the part, text[:n], instead",
        )()
    return imgui.calc_text_size(text, bool(hide_text_after_double_hash), wrap_width)


def Checkbox(label: str, v: bool) -> tuple[bool, bool]:
    return imgui.checkbox(label, bool(v))


def RadioButton(label: str, active: bool) -> bool:
    return imgui.radio_button(label, bool(active))


def ArrowButton(str_id: str, dir: int) -> bool:
    return imgui.arrow_button(str_id, imgui.Dir(int(dir)))


def Selectable(
    label: str, selected: bool = False, flags: int = 0, size: ImVec2 = _AUTO
) -> bool:
    return imgui.selectable(label, bool(selected), flags, size)[0]


def Selectable2(
    label: str, p_selected: bool, flags: int = 0, size: ImVec2 = _AUTO
) -> tuple[bool, bool]:
    return imgui.selectable(label, bool(p_selected), flags, size)


def MenuItem(
    label: str,
    shortcut: str | None = None,
    selected: bool = False,
    enabled: bool = True,
    *,
    p_selected: bool | None = None,
) -> bool | tuple[bool, bool]:
    if p_selected is None:
        return imgui.menu_item_simple(label, shortcut, bool(selected), bool(enabled))
    return imgui.menu_item(label, shortcut or "", bool(p_selected), bool(enabled))


def Combo(
    label: str,
    current_item: int,
    items: Sequence[str],
    popup_max_height_in_items: int = -1,
) -> tuple[bool, int]:
    return imgui.combo(label, current_item, list(items), popup_max_height_in_items)


def ComboStr(
    label: str,
    current_item: int,
    items_separated_by_zeros: str,
    popup_max_height_in_items: int = -1,
) -> tuple[bool, int]:
    # As in C++, two zeros end the list.
    text = items_separated_by_zeros.partition("\0\0")[0].removesuffix("\0")
    items = text.split("\0") if text else []
    return imgui.combo(label, current_item, items, popup_max_height_in_items)


def CollapsingHeader2(label: str, p_visible: bool, flags: int = 0) -> tuple[bool, bool]:
    return imgui.collapsing_header(label, bool(p_visible), flags)


def TreeNode(*args: str, **names: str) -> bool:
    return call(imgui.tree_node, args, names, txt="fmt")


def TreeNodeEx(*args: Any, **names: Any) -> bool:  # noqa: ANN401, two overloads
    return call(imgui.tree_node_ex, args, names, txt="fmt")


def InputText(label: str, text: str, flags: int = 0) -> tuple[bool, str]:
    return imgui.input_text(label, text, flags)


def InputTextMultiline(
    label: str, text: str, size: ImVec2 = _AUTO, flags: int = 0
) -> tuple[bool, str]:
    return imgui.input_text_multiline(label, text, size, flags)


def InputTextWithHint(
    label: str, hint: str, text: str, flags: int = 0
) -> tuple[bool, str]:
    return imgui.input_text_with_hint(label, hint, text, flags)


def DragFloatN(
    label: str,
    v: Iterable[float],
    v_speed: float = 1.0,
    v_min: float = 0.0,
    v_max: float = 0.0,
    format: str = "%.3f",
    flags: int = 0,
) -> tuple[bool, list[float]]:
    return _row(
        label,
        _floats(v),
        lambda x: imgui.drag_float("", x, v_speed, v_min, v_max, format, flags),
    )


def DragIntN(
    label: str,
    v: Iterable[int],
    v_speed: float = 1.0,
    v_min: int = 0,
    v_max: int = 0,
    format: str = "%d",
    flags: int = 0,
) -> tuple[bool, list[int]]:
    return _row(
        label,
        _ints(v),
        lambda x: imgui.drag_int("", x, v_speed, v_min, v_max, format, flags),
    )


def SliderFloatN(
    label: str,
    v: Iterable[float],
    v_min: float,
    v_max: float,
    format: str = "%.3f",
    flags: int = 0,
) -> tuple[bool, list[float]]:
    return _row(
        label,
        _floats(v),
        lambda x: imgui.slider_float("", x, v_min, v_max, format, flags),
    )


def SliderIntN(
    label: str,
    v: Iterable[int],
    v_min: int,
    v_max: int,
    format: str = "%d",
    flags: int = 0,
) -> tuple[bool, list[int]]:
    return _row(
        label,
        _ints(v),
        lambda x: imgui.slider_int("", x, v_min, v_max, format, flags),
    )


def InputFloatN(
    label: str, v: Iterable[float], format: str = "%.3f", flags: int = 0
) -> tuple[bool, list[float]]:
    return _row(
        label,
        _floats(v),
        lambda x: imgui.input_float("", x, 0.0, 0.0, format, flags),
    )


def InputIntN(label: str, v: Iterable[int], flags: int = 0) -> tuple[bool, list[int]]:
    return _row(label, _ints(v), lambda x: imgui.input_int("", x, 0, 0, flags))


def ColorEdit3(
    label: str, col: Iterable[float], flags: int = 0
) -> tuple[bool, list[float]]:
    return _color(imgui.color_edit3, _RGB, label, col, flags)


def ColorEdit4(
    label: str, col: Iterable[float], flags: int = 0
) -> tuple[bool, list[float]]:
    return _color(imgui.color_edit4, _RGBA, label, col, flags)


def ColorPicker3(
    label: str, col: Iterable[float], flags: int = 0
) -> tuple[bool, list[float]]:
    return _color(imgui.color_picker3, _RGB, label, col, flags)


def ColorPicker4(
    label: str,
    col: Iterable[float],
    flags: int = 0,
    ref_col: float | Sequence[float] | None = None,
) -> tuple[bool, list[float]]:
    # Studio's takes one number here, which is no colour: then none is shown.
    reference = None if ref_col is None or np.ndim(ref_col) == 0 else _floats(ref_col)
    return _color(imgui.color_picker4, _RGBA, label, col, flags, reference)


def ColorConvertFloat4ToU32(col: ImVec4, /) -> int:
    return imgui.color_convert_float4_to_u32(col)


def ColorConvertU32ToFloat4(col: int, /) -> ImVec4:
    return imgui.color_convert_u32_to_float4(col)


def ColorConvertHSVtoRGB(
    h: float, s: float, v: float, out_r: float, out_g: float, out_b: float
) -> None:
    """Does nothing, as Studio's: its results are lost. `colorsys` has them."""


def ColorConvertRGBtoHSV(
    r: float, g: float, b: float, out_h: float, out_s: float, out_v: float
) -> None:
    """Does nothing, as Studio's: its results are lost. `colorsys` has them."""


def SetColorEditOptions(flags: int) -> None:
    # Dear ImGui has one of each group at all times, and no frame begins with two.
    options = int(flags)
    kinds = imgui.ColorEditFlags_
    for mask in (
        kinds.display_mask_,
        kinds.data_type_mask_,
        kinds.picker_mask_,
        kinds.input_mask_,
    ):
        chosen = options & mask
        if not chosen:
            options |= kinds.default_options_ & mask
        elif chosen & (chosen - 1):
            msg = f"SetColorEditOptions({flags}) has two of one kind: give one of each"
            raise ValueError(msg)
    imgui.get_io().config_color_edit_flags = int(options)


def Image(
    user_texture_id: int,
    image_size: ImVec2,
    uv0: ImVec2 = _UV0,
    uv1: ImVec2 = _UV1,
    tint_col: ImVec4 = _WHITE,
    border_col: ImVec4 = _CLEAR,
) -> None:
    border = ImVec4(*border_col)
    width = max(1.0, imgui.get_style().image_border_size) if border.w > 0 else 0.0
    imgui.push_style_var(imgui.StyleVar_.image_border_size, width)
    imgui.push_style_color(imgui.Col_.border, border)
    imgui.image_with_bg(
        imgui.ImTextureRef(int(user_texture_id)),
        image_size,
        uv0,
        uv1,
        _CLEAR,
        tint_col,
    )
    imgui.pop_style_color()
    imgui.pop_style_var()


def ImageButton(
    str_id: str,
    user_texture_id: int,
    image_size: ImVec2,
    uv0: ImVec2 = _UV0,
    uv1: ImVec2 = _UV1,
    bg_col: ImVec4 = _CLEAR,
    tint_col: ImVec4 = _WHITE,
) -> bool:
    texture = imgui.ImTextureRef(int(user_texture_id))
    return imgui.image_button(str_id, texture, image_size, uv0, uv1, bg_col, tint_col)


def IsKeyDown(key: int) -> bool:
    return imgui.is_key_down(imgui.Key(int(key)))


def IsKeyPressed(key: int, repeat: bool = True) -> bool:
    return imgui.is_key_pressed(imgui.Key(int(key)), bool(repeat))


def IsKeyReleased(key: int) -> bool:
    return imgui.is_key_released(imgui.Key(int(key)))


def GetKeyPressedAmount(key: int, repeat_delay: float, rate: float) -> int:
    return imgui.get_key_pressed_amount(imgui.Key(int(key)), repeat_delay, rate)


def GetKeyName(key: int) -> str:
    return imgui.get_key_name(imgui.Key(int(key)))


def IsMouseClicked(button: int, repeat: bool = False) -> bool:
    return imgui.is_mouse_clicked(button, bool(repeat))


def IsMouseHoveringRect(r_min: ImVec2, r_max: ImVec2, clip: bool = True) -> bool:
    return imgui.is_mouse_hovering_rect(r_min, r_max, bool(clip))


def SetNextFrameWantCaptureKeyboard(want_capture_keyboard: bool) -> None:
    imgui.set_next_frame_want_capture_keyboard(bool(want_capture_keyboard))


def SetNextFrameWantCaptureMouse(want_capture_mouse: bool) -> None:
    imgui.set_next_frame_want_capture_mouse(bool(want_capture_mouse))


def _floats(values: Any) -> list[float]:  # noqa: ANN401, sequences of any kind
    return [float(value) for value in values]


def _ints(values: Any) -> list[int]:  # noqa: ANN401, sequences of any kind
    return [int(value) for value in values]


def _color(
    function: Callable[..., tuple[bool, list[float]]],
    count: int,
    label: str,
    col: Iterable[float],
    flags: int,
    *more: object,
) -> tuple[bool, list[float]]:
    """Edits the first `count` components of a colour; the others stay.

    Raises:
        ValueError: If there are fewer.
    """
    values = _floats(col)
    if len(values) < count:
        msg = f"colour {label!r} has {len(values)} components: give {count}"
        raise ValueError(msg)
    changed, edited = function(label, values[:count], flags, *more)
    return changed, edited + values[count:]


def _row(
    label: str, values: list[_N], draw: Callable[[_N], tuple[bool, _N]]
) -> tuple[bool, list[_N]]:
    """Draws one field for each value beside each other, and the label after them."""
    if not values:
        return False, values
    spacing = imgui.get_style().item_inner_spacing.x
    changed = False
    imgui.begin_group()
    imgui.push_id(label)
    imgui.internal.push_multi_items_widths(len(values), imgui.calc_item_width())
    for i, value in enumerate(values):
        imgui.push_id(i)
        if i:
            imgui.same_line(0.0, spacing)
        edited, values[i] = draw(value)
        changed |= edited
        imgui.pop_id()
        imgui.pop_item_width()
    imgui.pop_id()
    if shown := label.partition("##")[0]:
        imgui.same_line(0.0, spacing)
        imgui.text_unformatted(shown)
    imgui.end_group()
    return changed, values
