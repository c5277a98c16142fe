"""Stands for `mujoco.studio.dear_imgui.dear_imgui`: its names, over imgui-bundle.

Each name is made when it is first used: most functions are imgui-bundle's own, found
by their spelling; those that differ come from `widgets` and `windows`, the classes
from `objects`. `install` puts it in its place; plugins call it on the viewer thread.
"""

import importlib
from typing import Any

from studio_nb.shim import names

MODULE = "mujoco.studio.dear_imgui.dear_imgui"

# These can be asked for between frames as well, while a context is current.
BETWEEN_FRAMES = names.words(
    """
    GetClipboardText GetColorU32 GetFrameCount GetIO GetKeyName GetKeyPressedAmount
    GetMouseClickedCount GetMouseCursor GetMouseDragDelta GetMousePos GetStyle
    GetStyleColorVec4 GetTime IsAnyItemActive IsAnyItemFocused IsAnyItemHovered
    IsAnyMouseDown IsKeyChordPressed IsKeyDown IsKeyPressed IsKeyReleased
    IsMouseClicked IsMouseDoubleClicked IsMouseDown IsMouseDragging IsMousePosValid
    IsMouseReleased SetClipboardText SetColorEditOptions
    SetNextFrameWantCaptureKeyboard SetNextFrameWantCaptureMouse StyleColorsClassic
    StyleColorsDark StyleColorsLight
    """
)

# These need no context.
ANYTIME = names.words(
    """
    ColorConvertFloat4ToU32 ColorConvertHSVtoRGB ColorConvertRGBtoHSV
    ColorConvertU32ToFloat4 GetCurrentContext
    """
)

# The same function by another spelling.
_SPELT = names.words(
    """
    AlignTextToFramePadding BeginChild BeginCombo BeginGroup BeginItemTooltip
    BeginListBox BeginMainMenuBar BeginMenuBar BeginPopup BeginPopupContextItem
    BeginPopupContextVoid BeginPopupContextWindow BeginTabBar BeginTable
    BeginTooltip Bullet Button CalcItemWidth CloseCurrentPopup CollapsingHeader
    ColorButton DragFloat DragInt Dummy End EndChild EndCombo EndDisabled EndGroup
    EndListBox EndMainMenuBar EndMenu EndMenuBar EndPopup EndTabBar EndTabItem
    EndTable EndTooltip GetClipboardText GetColorU32 GetColumnIndex GetColumnOffset
    GetColumnWidth GetColumnsCount GetContentRegionAvail GetCursorPos GetCursorPosX
    GetCursorPosY GetCursorScreenPos GetCursorStartPos GetFontSize
    GetFontTexUvWhitePixel GetFrameCount GetFrameHeight GetFrameHeightWithSpacing
    GetItemID GetItemRectMax GetItemRectMin GetItemRectSize GetMouseClickedCount
    GetMouseCursor GetMouseDragDelta GetMousePos GetMousePosOnOpeningCurrentPopup
    GetScrollMaxX GetScrollMaxY GetScrollX GetScrollY GetStyleColorVec4
    GetTextLineHeight GetTextLineHeightWithSpacing GetTime GetTreeNodeToLabelSpacing
    GetWindowDockID GetWindowDpiScale GetWindowHeight GetWindowPos GetWindowSize
    GetWindowWidth Indent InputDouble InputFloat InputInt InvisibleButton
    IsAnyItemActive IsAnyItemFocused IsAnyItemHovered IsAnyMouseDown IsItemActivated
    IsItemActive IsItemClicked IsItemDeactivated IsItemDeactivatedAfterEdit
    IsItemEdited IsItemFocused IsItemHovered IsItemToggledOpen IsItemVisible
    IsKeyChordPressed IsMouseDoubleClicked IsMouseDown IsMouseDragging
    IsMousePosValid IsMouseReleased IsPopupOpen IsRectVisible IsWindowAppearing
    IsWindowCollapsed IsWindowDocked IsWindowFocused IsWindowHovered NewLine
    NextColumn OpenPopupOnItemClick PopClipRect PopFont PopID PopItemWidth
    PopStyleColor PopStyleVar PopTextWrapPos ProgressBar PushItemWidth
    PushStyleColor PushStyleVar PushTextWrapPos ResetMouseDragDelta SameLine
    Separator SeparatorText SetClipboardText SetColumnOffset SetColumnWidth
    SetCursorPos SetCursorPosX SetCursorPosY SetCursorScreenPos SetItemDefaultFocus
    SetKeyboardFocusHere SetMouseCursor SetNextItemAllowOverlap SetNextItemShortcut
    SetNextItemWidth SetNextWindowBgAlpha SetNextWindowContentSize
    SetNextWindowDockID SetNextWindowFocus SetNextWindowPos SetNextWindowScroll
    SetNextWindowSize SetNextWindowSizeConstraints SetNextWindowViewport
    SetScrollFromPosX SetScrollFromPosY SetScrollHereX SetScrollHereY SetScrollX
    SetScrollY SetTabItemClosed SetWindowFocus SetWindowPos SetWindowSize Shortcut
    SliderAngle SliderFloat SliderInt SmallButton Spacing TabItemButton
    TableAngledHeadersRow TableGetColumnCount TableGetColumnFlags
    TableGetColumnIndex TableGetColumnName TableGetHoveredColumn TableGetRowIndex
    TableHeader TableHeadersRow TableNextColumn TableNextRow TableSetBgColor
    TableSetColumnIndex TableSetupScrollFreeze TextLink TextLinkOpenURL TreePop
    TreePush Unindent
    """
)

_ENUMERATIONS = names.words(
    """
    BackendFlags ButtonFlags ChildFlags Col ColorEditFlags ComboFlags Cond
    ConfigFlags DataType Dir DockNodeFlags DragDropFlags DrawFlags FocusedFlags
    HoveredFlags InputFlags InputTextFlags Key MouseButton MouseCursor MouseSource
    PopupFlags SelectableFlags SliderFlags SortDirection StyleVar TabBarFlags
    TabItemFlags TableBgTarget TableColumnFlags TableFlags TableRowFlags
    TreeNodeFlags WindowFlags
    """
)

_SOURCES = {"DrawFlags": "ImDrawFlags_", "Key": "Key", "MouseSource": "MouseSource"}

# Members whose names follow no rule; the numbers are those of obsolete ones, which
# Dear ImGui 1.92 still defines (imgui.h).
_MEMBERS: dict[str, dict[str, str | int]] = {
    "Col": {"NavHighlight": "nav_cursor"},
    "ColorEditFlags": {
        "AlphaPreview": 0,
        "HDR": "hdr",
        "DisplayRGB": "display_rgb",
        "DisplayHSV": "display_hsv",
        "InputRGB": "input_rgb",
        "InputHSV": "input_hsv",
    },
    "ConfigFlags": {
        "NavEnableSetMousePos": 1 << 2,
        "NavNoCaptureKeyboard": 1 << 3,
        "DpiEnableScaleFonts": 1 << 14,
        "DpiEnableScaleViewports": 1 << 15,
        "IsSRGB": "is_srgb",
    },
    "DragDropFlags": {"SourceAllowNullID": "source_allow_null_id"},
    "DrawFlags": {
        "RoundCornersTopLeft": "round_top_left",
        "RoundCornersTopRight": "round_top_right",
        "RoundCornersBottomLeft": "round_bottom_left",
        "RoundCornersBottomRight": "round_bottom_right",
        "RoundCornersTop": "round_top",
        "RoundCornersBottom": "round_bottom",
        "RoundCornersLeft": "round_left",
        "RoundCornersRight": "round_right",
        "RoundCornersNone": "round_none",
        "RoundCornersAll": "round_all",
    },
    "Key": {
        **{f"N{digit}": f"_{digit}" for digit in range(10)},
        "Ctrl": "mod_ctrl",
        "Shift": "mod_shift",
        "Alt": "mod_alt",
        "Super": "mod_super",
        "Mask": "mod_mask_",
    },
    "MouseCursor": {
        "ResizeNS": "resize_ns",
        "ResizeEW": "resize_ew",
        "ResizeNESW": "resize_nesw",
        "ResizeNWSE": "resize_nwse",
    },
    "SelectableFlags": {"DontClosePopups": "no_auto_close_popups"},
    "TabBarFlags": {"FittingPolicyResizeDown": "fitting_policy_shrink"},
    "TreeNodeFlags": {"NavLeftJumpsBackHere": "nav_left_jumps_to_parent"},
}

# Studio's names for classes of imgui-bundle.
_CLASSES = {"Font": "ImFont", "Vec2": "ImVec2", "Vec4": "ImVec4"}

_FRAMES = "the viewer opens and ends each frame: draw in a handler of BuildGuiEvent"
_CONTEXTS = "each session's viewer has a context of its own, which it makes current"

# What a notebook can't have, and why.
UNMAPPED = {
    "CreateContext": _CONTEXTS,
    "DestroyContext": _CONTEXTS,
    "EndFrame": _FRAMES,
    "NewFrame": _FRAMES,
    "Render": _FRAMES,
    "SetCurrentContext": _CONTEXTS,
}


def _make(name: str) -> Any:  # noqa: ANN401, functions and classes
    """Makes what a name stands for; None if it is not one of Studio's."""
    if name in UNMAPPED:
        return names.unmapped(f"imgui.{name}", UNMAPPED[name])
    for home in ("widgets", "windows", "objects"):
        module = importlib.import_module(f"studio_nb.shim.{home}")
        found = vars(module).get(name)
        if getattr(found, "__module__", None) == module.__name__:
            return found
    imgui = importlib.import_module("imgui_bundle").imgui
    if name in _SPELT:
        return getattr(imgui, names.snake(name))
    if name in _CLASSES:
        return getattr(imgui, _CLASSES[name])
    if name in _ENUMERATIONS:
        source = getattr(imgui, _SOURCES.get(name, f"{name}_"))
        return names.constants(name, source, _MEMBERS.get(name, {}))
    return None


__getattr__ = names.on_first_use(MODULE, globals(), _make)
