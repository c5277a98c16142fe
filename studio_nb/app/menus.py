"""The menus File, Simulation, View and Help, as entries of the toolbar.

`toolbar` places them; what they do is the app's. Viewer thread only.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import mujoco
from imgui_bundle import ImVec2, imgui

from studio_nb import _version
from studio_nb.app import row, widgets
from studio_nb.app.controls import SPEEDS, speed_label
from studio_nb.app.lenses import FREE

if TYPE_CHECKING:
    from studio_nb.app.app import App

_Value = TypeVar("_Value")

_PADDING_PX = 8.0

WINDOW_MODES = {
    "In the cell": "cell",
    "Full window": "window",
    "Full screen": "screen",
}
THEMES = {"As the notebook": "auto", "Light": "light", "Dark": "dark"}


@dataclasses.dataclass(frozen=True, slots=True)
class Menu:
    """A menu's title in the row; folded, a submenu.

    Attributes:
        name: Its title.
        items: Draws what is in it.
        rank: See `row.Entry`.
        group: See `row.Entry`.
    """

    name: str
    items: Callable[[], None]
    rank: int
    group: int = -2

    def width(self) -> float:
        """Returns the width of the title and its paddings."""
        return imgui.calc_text_size(self.name).x + 2 * _PADDING_PX

    def draw(self) -> None:
        """Draws the title, which opens the menu; one that is open follows the mouse."""
        popup = f"###{self.name} menu"
        size = ImVec2(self.width(), row.FRAME_PX)
        was_open = imgui.is_popup_open(popup)
        if was_open:
            hovered = imgui.get_style_color_vec4(imgui.Col_.button_hovered)
            imgui.push_style_color(imgui.Col_.button, hovered)
        imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(_PADDING_PX, 6.0))
        clicked = imgui.button(self.name, size)
        imgui.pop_style_var()
        if was_open:
            imgui.pop_style_color()
        over = imgui.is_item_hovered(
            imgui.HoveredFlags_.allow_when_blocked_by_popup
            | imgui.HoveredFlags_.rect_only
        )
        if not was_open and (clicked or (over and _another_is_open(self.name))):
            imgui.open_popup(popup)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.set_next_window_pos(ImVec2(low.x, high.y + 2.0))
        if imgui.begin_popup(popup):
            self.items()
            imgui.end_popup()

    def draw_folded(self) -> None:
        """Draws it as a submenu."""
        if imgui.begin_menu(self.name):
            self.items()
            imgui.end_menu()


def _another_is_open(name: str) -> bool:
    return any(
        imgui.is_popup_open(f"###{other} menu") for other in _NAMES if other != name
    )


_NAMES = ("File", "Simulation", "View", "Help")


def entries(app: "App") -> list[row.Entry]:
    """Returns the menus as entries of a row."""
    items = (_file, _simulation, _view, _help)
    return [
        Menu(name, lambda draw=draw: draw(app), rank=4)
        for name, draw in zip(_NAMES, items, strict=True)
    ]


def _file(app: "App") -> None:
    if imgui.menu_item_simple("Reload the model", "Ctrl+L"):
        app.controls.reload()
    imgui.separator()
    if imgui.menu_item_simple("Close the simulation"):
        app.quit()


def _simulation(app: "App") -> None:
    controls = app.controls
    if imgui.menu_item_simple("Pause" if controls.running else "Run", "Space"):
        controls.toggle_run()
    if imgui.menu_item_simple("Step back", "Left"):
        controls.step_back()
    if imgui.menu_item_simple("Step", "Right"):
        controls.step()
    if imgui.menu_item_simple("Reset", "Backspace"):
        controls.reset()
    imgui.separator()
    if imgui.begin_menu(f"Speed: {speed_label(controls.speed)}###speed"):
        for speed in SPEEDS:
            _choice(
                speed_label(speed), speed == controls.speed, controls.set_speed, speed
            )
        imgui.end_menu()
    if imgui.begin_menu("Keyframe", enabled=bool(controls.key_names)):
        for key, name in enumerate(controls.key_names):
            words = f"{widgets.plain(name)}###{key}"
            _choice(words, key == controls.key, controls.choose_key, key)
        imgui.end_menu()


def _view(app: "App") -> None:
    for window in app.windows.all:
        if imgui.menu_item_simple(window.title, window.keys, window.open):
            window.toggle()
    for title, of_plugin in app.plugin_panels():
        if imgui.menu_item_simple(title, "", of_plugin.open):
            of_plugin.open = not of_plugin.open
    imgui.separator()
    _camera(app)
    if imgui.begin_menu("Camera windows", enabled=app.model.ncam > 0):
        app.cameras.menu(app.scope)
        imgui.end_menu()
    options = app.viewer.vis_options
    _choices("Labels", mujoco.mjLABELSTRING, options.label, app.set_label)
    _choices("Frames", mujoco.mjFRAMESTRING, options.frame, app.set_frame)
    imgui.separator()
    if imgui.menu_item_simple("View gizmo", "", app.shows_gizmo):
        app.shows_gizmo = not app.shows_gizmo
    if imgui.begin_menu("Theme"):
        for name, theme in THEMES.items():
            _choice(name, app.theme == theme, app.set_theme, theme)
        imgui.end_menu()
    _window(app)
    if imgui.menu_item_simple("Put all windows back"):
        app.reset_layout()


def _window(app: "App") -> None:
    if imgui.begin_menu("Window"):
        for name, mode in WINDOW_MODES.items():
            keys = "F11" if mode == "window" else ""
            if imgui.menu_item_simple(name, keys, app.window_mode == mode):
                app.viewer.set_window_mode(mode)
        imgui.end_menu()


def _camera(app: "App") -> None:
    lenses = app.lenses
    if imgui.begin_menu("Camera"):
        for index, name in enumerate(lenses.names, FREE):
            words = f"{widgets.plain(name)}###{index}"
            _choice(words, index == lenses.index, lenses.choose, index)
        imgui.separator()
        if imgui.menu_item_simple("Align", "Ctrl+A"):
            app.controls.align_camera()
        imgui.end_menu()


def _help(app: "App") -> None:
    if imgui.menu_item_simple("Mouse and keys", "F1"):
        app.controls.toggle_help()
    imgui.separator()
    versions: Sequence[str] = (
        f"studio_nb {_version.__version__}",
        f"MuJoCo {mujoco.mj_versionString()}",
        f"Dear ImGui {imgui.get_version()}",
    )
    for version in versions:
        imgui.menu_item_simple(version, enabled=False)


def _choices(
    title: str, names: Sequence[str], present: int, choose: Callable[[int], object]
) -> None:
    if imgui.begin_menu(title):
        for value, name in enumerate(names):
            _choice(name, value == present, choose, value)
        imgui.end_menu()


def _choice(
    words: str,
    chosen: bool,  # noqa: FBT001 - whether it is the present one
    choose: Callable[[_Value], object],
    value: _Value,
) -> None:
    if imgui.menu_item_simple(words, selected=chosen):
        choose(value)
