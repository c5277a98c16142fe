"""The fonts of the panels: Roboto with Font Awesome's icons merged in.

`UiContext` calls `load` once for its own atlas. Both files are read from where
imgui-bundle installs them (Roboto: Apache-2.0, Font Awesome 6 Free: SIL OFL 1.1
for the font), none is shipped here. Dear ImGui bakes a glyph when it is first
drawn, at the density of the display, so no ranges and no sizes are listed.
"""

import pathlib

import imgui_bundle
from imgui_bundle import imgui

# CSS pixels. JupyterLab's own text is 13 (--jp-ui-font-size1); Roboto runs a
# little narrower than the system fonts there.
SIZE_PX = 14.0

# Font Awesome's boxes sit higher than Roboto's capitals; CSS pixels, down.
_ICON_DROP_PX = 1.0

_FOLDER = pathlib.Path(imgui_bundle.__file__).parent / "assets" / "fonts"
TEXT_FILE = _FOLDER / "Roboto" / "Roboto-Regular.ttf"
ICON_FILE = _FOLDER / "Font_Awesome_6_Free-Solid-900.otf"


def load(atlas: imgui.ImFontAtlas) -> imgui.ImFont:
    """Adds the fonts to an empty atlas; its first font becomes the default.

    A missing file costs looks, not the session: without Roboto the text is
    drawn in Dear ImGui's own font, without Font Awesome icons become "?".

    Args:
        atlas: The atlas of the current context.

    Returns:
        The font that holds both.
    """
    # Coverage alone: a quarter of the bytes of RGBA on the wire.
    atlas.tex_desired_format = imgui.ImTextureFormat.alpha8
    if TEXT_FILE.is_file():
        font = atlas.add_font_from_file_ttf(str(TEXT_FILE), SIZE_PX)
    else:
        font = atlas.add_font_default()
    if ICON_FILE.is_file():
        icons = imgui.ImFontConfig()
        icons.merge_mode = True
        icons.glyph_offset = imgui.ImVec2(0.0, _ICON_DROP_PX)
        atlas.add_font_from_file_ttf(str(ICON_FILE), SIZE_PX, icons)
    return font
