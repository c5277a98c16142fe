"""The toolbar: one slim row at the top of the view, and what hangs from it.

`App` draws it once a frame, on the viewer thread.
"""

import contextlib
import math
from collections.abc import Generator, Iterator

from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app import help_popup, row
from studio_nb.app.controls import SPEEDS, Controls, speed_label
from studio_nb.ui import theme

_MAX_KEY_NAME_PX = 110.0

# The widest texts that have a fixed place. Digits of the font are equally wide, so
# a clock that ticks moves nothing and few bytes change.
_WIDEST_SPEED = "1000 %"
_WIDEST_TIME = "0000.00 s"
_WIDEST_FACTOR = "00.00\N{MULTIPLICATION SIGN}"

# From here on the hundredths of a second would outgrow their place.
_MAX_FINE_TIME_S = 1e4
_MAX_FINE_FACTOR = 99.0

_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_docking
)


def draw(controls: Controls, palette: theme.Palette) -> None:
    """Draws the toolbar over the whole width of the view.

    Args:
        controls: What it shows and does.
        palette: Colours of the current theme.
    """
    width = imgui.get_main_viewport().size.x
    imgui.set_next_window_pos(ImVec2(0.0, 0.0))
    imgui.set_next_window_size(ImVec2(width, row.HEIGHT_PX))
    with _row_style():
        imgui.begin("###toolbar", flags=_FLAGS)
    _underline(width, palette)
    with _flat_frames():
        row.draw([*_left(controls, palette)], [*_right(controls)], width)
    help_popup.draw(controls, below=row.HEIGHT_PX)
    imgui.end()


def time_text(seconds: float) -> str:
    """Returns a simulation time: hundredths while they have room."""
    if not math.isfinite(seconds):
        return f"{seconds} s"
    digits = 2 if abs(seconds) < _MAX_FINE_TIME_S else 0
    return f"{seconds:.{digits}f} s"


def factor_text(factor: float | None) -> str:
    """Returns a real-time factor, or a dash when it is not known."""
    if factor is None:
        return "\N{EN DASH}"
    digits = 2 if factor < _MAX_FINE_FACTOR else 0
    return f"{factor:.{digits}f}\N{MULTIPLICATION SIGN}"


def _left(controls: Controls, palette: theme.Palette) -> Iterator[row.Entry]:
    """Yields what acts on the simulation, from left to right."""
    fa = icons_fontawesome_6
    if controls.running:
        icon, text, colour = fa.ICON_FA_PAUSE, "Pause", None
    else:
        icon, text, colour = fa.ICON_FA_PLAY, "Run", palette.brand
    yield row.Button("run", icon, text, "Space", controls.toggle_run, 0, 0, colour)
    icon = fa.ICON_FA_FORWARD_STEP
    yield row.Button("step", icon, "One step", "Right", controls.step, 1, 0)
    names = controls.key_names
    text = f"Reset to {controls.key_label}" if names else "Reset"
    icon = fa.ICON_FA_ROTATE_LEFT
    yield row.Button("reset", icon, text, "Backspace", controls.reset, 1, 0)
    yield row.Choice(
        name="speed",
        tip="Speed, percent of real time (+, -)",
        label=speed_label(controls.speed),
        value=controls.speed,
        options=[(speed_label(speed), speed) for speed in SPEEDS],
        choose=controls.set_speed,
        room=imgui.calc_text_size(_WIDEST_SPEED).x,
        rank=3,
        group=1,
    )
    if names:
        labels = controls.key_labels
        widest = max(imgui.calc_text_size(label).x for label in labels)
        yield row.Choice(
            name="keyframe",
            tip="Keyframe: go there now and on reset",
            label=controls.key_label,
            value=controls.key,
            options=list(zip(labels, (None, *range(len(names))), strict=True)),
            choose=controls.choose_key,
            room=min(widest, _MAX_KEY_NAME_PX),
            rank=5,
            group=1,
        )


def _right(controls: Controls) -> Iterator[row.Entry]:
    """Yields the view's buttons and what is measured, from left to right."""
    fa = icons_fontawesome_6
    icon = fa.ICON_FA_EXPAND
    yield row.Button(
        "align", icon, "Align the camera", "Ctrl+A", controls.align_camera, 6, 2
    )
    icon = fa.ICON_FA_CIRCLE_QUESTION
    yield row.Button("help", icon, "Help", "F1", controls.toggle_help, 6, 2)
    yield row.Readout(
        factor_text(controls.real_time_factor),
        "Real-time factor",
        _WIDEST_FACTOR,
        rank=4,
        group=3,
        dim=True,
    )
    yield row.Readout(
        time_text(controls.viewer.data.time), "Simulation time", _WIDEST_TIME, 2, 3
    )


def _underline(width: float, palette: theme.Palette) -> None:
    """Draws the line between the toolbar and the scene."""
    y = row.HEIGHT_PX - 0.5
    colour = imgui.get_color_u32(theme.rgba(palette.border))
    imgui.get_window_draw_list().add_line(ImVec2(0, y), ImVec2(width, y), colour)


@contextlib.contextmanager
def _row_style() -> Generator[None]:
    """Makes the window a strip without rounding, border and padding."""
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0.0, 0.0))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_min_size, ImVec2(1.0, 1.0))
    yield
    imgui.pop_style_var(4)


@contextlib.contextmanager
def _flat_frames() -> Generator[None]:
    """Lets buttons and lists show their frame only under the pointer."""
    clear = theme.rgba(0)
    imgui.push_style_color(imgui.Col_.button, clear)
    imgui.push_style_color(imgui.Col_.frame_bg, clear)
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(7.0, 6.0))
    yield
    imgui.pop_style_var()
    imgui.pop_style_color(2)
