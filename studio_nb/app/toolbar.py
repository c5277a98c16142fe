"""The toolbar: one slim row at the top of the view, menus included.

`App` draws it once a frame, on the viewer thread.
"""

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app import help_popup, menus, row
from studio_nb.app.controls import SPEEDS, speed_label
from studio_nb.app.layout import Dock
from studio_nb.app.lenses import FREE
from studio_nb.ui import theme

if TYPE_CHECKING:
    from studio_nb.app.app import App

_MAX_NAME_PX = 110.0

# The widest texts that have a fixed place. Digits of the font are equally wide, so
# a clock that ticks moves nothing and few bytes change.
_WIDEST_SPEED = "1000 %"
_WIDEST_TIME = "0000.00 s"
_WIDEST_FACTOR = "00.00\N{MULTIPLICATION SIGN}"

# From here on the hundredths of a second would outgrow their place.
_MAX_FINE_TIME_S = 1e4
_MAX_FINE_FACTOR = 99.0
# Below, hundredths would tell the slowest speeds from each other no more.
_LEAST_COARSE_FACTOR = 0.1


def draw(app: "App") -> None:
    """Draws the toolbar over the whole width of the view."""
    width = imgui.get_main_viewport().size.x
    imgui.set_next_window_pos(ImVec2(0.0, 0.0))
    imgui.set_next_window_size(ImVec2(width, row.HEIGHT_PX))
    with row.window("###toolbar"):
        _underline(width, app.scope.palette)
        with row.flat_frames():
            row.draw([*_left(app)], [*_right(app)], width)
        help_popup.draw(app, below=row.HEIGHT_PX)


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
    digits = 3 if 0.0 < factor < _LEAST_COARSE_FACTOR else digits
    return f"{factor:.{digits}f}\N{MULTIPLICATION SIGN}"


def _left(app: "App") -> Iterator[row.Entry]:
    """Yields the menus, and what acts on the simulation, from left to right."""
    fa = icons_fontawesome_6
    controls = app.controls
    yield _side(app, "left")
    yield from menus.entries(app)
    if controls.running:
        icon, text, colour = fa.ICON_FA_PAUSE, "Pause", None
    else:
        icon, text, colour = fa.ICON_FA_PLAY, "Run", app.scope.palette.brand
    yield row.Button("run", icon, text, "Space", controls.toggle_run, 0, 0, colour)
    icon = fa.ICON_FA_BACKWARD_STEP
    yield row.Button("back", icon, "One step back", "Left", controls.step_back, 5, 0)
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
        yield row.Choice(
            name="keyframe",
            tip="Keyframe: go there now and on reset",
            label=controls.key_label,
            value=controls.key,
            options=_key_options(labels),
            choose=controls.choose_key,
            room=_room(labels),
            rank=6,
            group=1,
        )


def _right(app: "App") -> Iterator[row.Entry]:
    """Yields the view's choices and what is measured, from left to right."""
    fa = icons_fontawesome_6
    controls, lenses = app.controls, app.lenses
    names = lenses.names
    yield row.Choice(
        name="camera",
        tip="Camera ([, ])",
        label=lenses.name,
        value=lenses.index,
        options=[(name, index) for index, name in enumerate(names, FREE)],
        choose=lenses.choose,
        room=_room(names),
        rank=7,
        group=2,
    )
    icon = fa.ICON_FA_EXPAND
    yield row.Button(
        "align", icon, "Align the camera", "Ctrl+A", controls.align_camera, 7, 2
    )
    yield row.Readout(
        factor_text(controls.real_time_factor),
        "Real-time factor",
        _WIDEST_FACTOR,
        rank=5,
        group=3,
        dim=True,
    )
    yield row.Readout(
        time_text(controls.viewer.data.time), "Simulation time", _WIDEST_TIME, 2, 3
    )
    yield _side(app, "right")


_SIDES: dict[Dock, tuple[str, str, str]] = {
    "left": ("Options", icons_fontawesome_6.ICON_FA_SLIDERS, "Tab"),
    "right": ("Inspector", icons_fontawesome_6.ICON_FA_TABLE_LIST, "Shift+Tab"),
}


def _side(app: "App", dock: Dock) -> row.Entry:
    """Returns the button that folds a side of the view, and unfolds it."""
    title, icon, keys = _SIDES[dock]
    colour = app.scope.palette.brand if app.side_is_open(dock) else None
    return row.Button(title, icon, title, keys, lambda: app.fold(dock), 1, 9, colour)


@functools.lru_cache(maxsize=2)
def _key_options(labels: tuple[str, ...]) -> list[tuple[str, int | None]]:
    """Returns what reset can go to: none of the keyframes, then each by its number."""
    return list(zip(labels, (None, *range(len(labels) - 1)), strict=True))


@functools.lru_cache(maxsize=8)
def _room(labels: tuple[str, ...]) -> float:
    """Returns the width for the longest of some names, within reason."""
    return min(max(imgui.calc_text_size(name).x for name in labels), _MAX_NAME_PX)


def _underline(width: float, palette: theme.Palette) -> None:
    """Draws the line between the toolbar and the scene."""
    y = row.HEIGHT_PX - 0.5
    colour = imgui.get_color_u32(theme.rgba(palette.border))
    imgui.get_window_draw_list().add_line(ImVec2(0, y), ImVec2(width, y), colour)
