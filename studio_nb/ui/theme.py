"""Colours and spacing of the panels, light and dark, to sit well in JupyterLab.

`UiContext` applies a theme to its current context; panels that want an accent
colour take it from the `Palette`. Both palettes start from the variables of
JupyterLab's light and dark themes (--jp-layout-color1, --jp-brand-color1,
--jp-border-color1, --jp-error-color1 and so on), which use Material Design's
colours.
"""

import dataclasses

from imgui_bundle import ImVec2, ImVec4, imgui, implot

NAMES = ("light", "dark")

_ROUNDING_PX = 4.0
_GRAB_ALPHA = 0.55


@dataclasses.dataclass(frozen=True)
class Palette:
    """The colours of a theme as 0xRRGGBBAA.

    Attributes:
        text: Text that is read.
        dim: Text of lesser weight and of what is disabled.
        panel: Background of windows; lets a hint of the scene through.
        popup: Background of popups and tooltips.
        field: Background of inputs, and of buttons at rest inside panels.
        hover: Overlay under the pointer, on any background.
        press: Overlay while pressed, on any background.
        border: Lines around and between.
        brand: Accent: marks, grabs, links.
        selection: Background of what is selected.
        warning: Marks of warnings.
        error: Marks of errors.
    """

    text: int
    dim: int
    panel: int
    popup: int
    field: int
    hover: int
    press: int
    border: int
    brand: int
    selection: int
    warning: int
    error: int


PALETTES = {
    "light": Palette(
        text=0x000000DE,
        dim=0x00000099,
        panel=0xFFFFFFF2,
        popup=0xFFFFFFFF,
        field=0x0000000D,
        hover=0x00000014,
        press=0x00000026,
        border=0x00000024,
        brand=0x1976D2FF,
        selection=0x1976D22E,
        warning=0xC25700FF,
        error=0xD32F2FFF,
    ),
    "dark": Palette(
        text=0xFFFFFFDE,
        dim=0xFFFFFF99,
        panel=0x212121F2,
        popup=0x2B2B2BFF,
        field=0xFFFFFF12,
        hover=0xFFFFFF1A,
        press=0xFFFFFF2E,
        border=0xFFFFFF24,
        brand=0x42A5F5FF,
        selection=0x2196F34D,
        warning=0xFFB74DFF,
        error=0xFF7066FF,
    ),
}

# The colours of Dear ImGui by the palette's; the ones not named here keep what
# its own light or dark style gives them.
_ROLES = {
    "text": (
        "text",
        "input_text_cursor",
    ),
    "dim": ("text_disabled", "unsaved_marker"),
    "panel": ("window_bg", "title_bg", "title_bg_collapsed", "menu_bar_bg"),
    "popup": ("popup_bg", "title_bg_active"),
    "field": ("frame_bg", "button", "tab", "tab_dimmed", "table_header_bg"),
    "hover": (
        "frame_bg_hovered",
        "button_hovered",
        "header_hovered",
        "tab_hovered",
        "scrollbar_grab",
    ),
    "press": (
        "frame_bg_active",
        "button_active",
        "header_active",
        "scrollbar_grab_hovered",
        "scrollbar_grab_active",
        "resize_grip_hovered",
    ),
    "border": (
        "border",
        "separator",
        "table_border_strong",
        "table_border_light",
        "tree_lines",
    ),
    "brand": (
        "check_mark",
        "slider_grab_active",
        "separator_hovered",
        "separator_active",
        "resize_grip_active",
        "tab_selected_overline",
        "plot_lines",
        "plot_histogram",
        "text_link",
        "nav_cursor",
        "drag_drop_target",
    ),
    "selection": (
        "header",
        "tab_selected",
        "tab_dimmed_selected",
        "text_selected_bg",
        "docking_preview",
    ),
}

_CLEAR = ("border_shadow", "child_bg", "scrollbar_bg", "resize_grip", "table_row_bg")


def rgba(colour: int) -> ImVec4:
    """Returns 0xRRGGBBAA as Dear ImGui's four floats."""
    red, green, blue, alpha = colour.to_bytes(4, "big")
    return ImVec4(red / 255, green / 255, blue / 255, alpha / 255)


def apply(name: str) -> Palette:
    """Gives the current ImGui and ImPlot contexts the colours and spacing of `name`.

    Args:
        name: "light" or "dark".

    Returns:
        The palette, for what panels draw themselves.

    Raises:
        ValueError: If there is no theme of that name.
    """
    if name not in PALETTES:
        msg = f"theme {name!r} is unknown: use 'light' or 'dark'"
        raise ValueError(msg)
    palette = PALETTES[name]
    style = imgui.get_style()
    if name == "light":
        imgui.style_colors_light()
    else:
        imgui.style_colors_dark()
    for role, targets in _ROLES.items():
        colour = rgba(getattr(palette, role))
        for target in targets:
            style.set_color_(imgui.Col_[target].value, colour)
    # The value stands over it and is to be read.
    grab = rgba(palette.brand)
    grab.w = _GRAB_ALPHA
    style.set_color_(imgui.Col_.slider_grab.value, grab)
    for target in _CLEAR:
        style.set_color_(imgui.Col_[target].value, rgba(0))
    _shape(style)
    implot.style_colors_auto()
    return palette


def _shape(style: imgui.Style) -> None:
    """Sets the spacing: flat, rounded by 4 CSS pixels, rows of 24."""
    for part in ("window", "child", "frame", "popup", "grab", "tab", "scrollbar"):
        setattr(style, f"{part}_rounding", _ROUNDING_PX)
    style.selectable_rounding = _ROUNDING_PX
    style.menu_item_rounding = _ROUNDING_PX
    # A rounder one has four times the vertices, and each moves with the value.
    style.grab_rounding = 2.0
    style.window_border_size = 1.0
    style.popup_border_size = 1.0
    style.frame_border_size = 0.0
    style.tab_border_size = 0.0
    style.window_padding = ImVec2(10.0, 8.0)
    style.frame_padding = ImVec2(8.0, 5.0)
    style.item_spacing = ImVec2(8.0, 5.0)
    style.item_inner_spacing = ImVec2(6.0, 4.0)
    style.cell_padding = ImVec2(8.0, 3.0)
    style.scrollbar_size = 10.0
    style.grab_min_size = 10.0
    style.indent_spacing = 16.0
    style.window_title_align = ImVec2(0.0, 0.5)
    style.window_menu_button_position = imgui.Dir.none
    style.separator_text_border_size = 1.0
