"""The timeline: all recorded steps as a track, to go back along and to go on from.

`App` draws it in the row at the bottom; beside that it is a viewer plugin that hears
what the sim has recorded, and hands it to `Controls`. The track's axis is steps, not
time: after a reset time begins again, and nothing recorded is lost. Viewer thread only.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from imgui_bundle import ImVec2, imgui
from mujoco.studio import messages, plugin, sim_history

from studio_nb.sim.scrub import TimelineSnapshot
from studio_nb.ui import theme

if TYPE_CHECKING:
    from studio_nb.app.app import App
    from studio_nb.app.controls import Controls
    from studio_nb.app.panel import Scope

# Narrower than this only the present time stands beside the track, and narrower
# than that none does.
_BOTH_TIMES_PX = 420.0
_ONE_TIME_PX = 160.0

_EDGE_PX = 12.0
_GAP_PX = 14.0
_TRACK_PX = 4.0
_GRAB_PX = 6.0
_TICK_WIDTH_PX, _TICK_HEIGHT_PX = 2.0, 12.0
# Ticks closer than this are one to the eye, and so is the pointer to a tick.
_TICK_GAP_PX = 4.0
_TICK_REACH_PX = 4.0
_TIP_GAP_PX = 4.0
# Always as many, so that the draw list keeps its size.
_GRAB_SEGMENTS = 16

# From here on the thousandths of a second would outgrow their place, and from here
# on all digits.
_MAX_FINE_TIME_S = 1e5
_MAX_PLAIN_TIME_S = 1e8

_SHARE = 0.1

# Of Material Design, like the palettes: orange, purple, teal and grey of their
# middle tones, which stand out on dark and on light.
_MARKS = {
    "reset": (0xFFA726FF, "Reset"),
    "model": (0xAB47BCFF, "Model changed"),
    "scrub": (0x26A69AFF, "Went on from an earlier step"),
    "state": (0x78909CFF, "State set"),
}

_Key = imgui.Key
_SHIFT = int(_Key.mod_shift)

Run = Callable[["App"], object]
Chords = tuple[tuple[imgui.Key, int], ...]


def _tenth_back(app: "App") -> None:
    app.controls.scrub_by(-_SHARE)


def _tenth_on(app: "App") -> None:
    app.controls.scrub_by(_SHARE)


def _to_newest(app: "App") -> None:
    app.controls.scrub(app.controls.timeline.size - 1)


_LEFT, _RIGHT = _Key.left_arrow, _Key.right_arrow
# Label, action, what it does, keys with their modifiers, and whether it repeats:
# what makes a `keys.Binding`.
KEYS: tuple[tuple[str, str, Run, Chords, bool], ...] = (
    ("Left", "One step back", lambda a: a.controls.step_back(), ((_LEFT, 0),), True),
    ("Right", "One step", lambda a: a.controls.step(), ((_RIGHT, 0),), True),
    ("Shift+Left", "A tenth back", _tenth_back, ((_LEFT, _SHIFT),), True),
    ("Shift+Right", "A tenth on", _tenth_on, ((_RIGHT, _SHIFT),), True),
    ("Home", "Oldest step", lambda a: a.controls.scrub(0), ((_Key.home, 0),), False),
    ("End", "Newest step", _to_newest, ((_Key.end, 0),), False),
)


def seconds_text(seconds: float) -> str:
    """Returns a time with thousandths, while they have room."""
    if not abs(seconds) < _MAX_PLAIN_TIME_S:
        return f"{seconds:.4g} s"
    digits = 3 if abs(seconds) < _MAX_FINE_TIME_S else 1
    return f"{seconds:.{digits}f} s"


class Timeline(plugin.ViewerPlugin):
    """The track with its times, for one viewer."""

    viewer: Any

    def __init__(self) -> None:
        """Starts with nothing recorded."""
        self._controls: Controls | None = None
        self._known: TimelineSnapshot | None = None
        self._wanted: int | None = None
        self._released = True

    def on_model(self, scope: "Scope") -> None:
        """Is called when the model was exchanged."""
        self._bind(scope)

    def _bind(self, scope: "Scope") -> None:
        if self._controls is not scope.controls:
            self._controls = scope.controls
            if self._known is not None:
                scope.controls.follow_timeline(self._known)

    # -- messages --------------------------------------------------------------

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_timeline(self, snapshot: TimelineSnapshot) -> None:
        self._known = snapshot
        if self._controls is not None:
            self._controls.follow_timeline(snapshot)
            if not self._controls.running:
                # While it runs panels are built anyway.
                self.viewer.ui.touch()

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_studios_history(self, snapshot: sim_history.SimHistorySnapshot) -> None:
        """Shows the history of a sim that has Studio's own."""
        if self._known is None or not self._known.numbered:
            self._on_timeline(
                TimelineSnapshot(
                    size=snapshot.size,
                    index=snapshot.index,
                    first_time=snapshot.tail_time,
                    head_time=snapshot.head_time,
                )
            )

    # -- drawing ---------------------------------------------------------------

    def draw(self, scope: "Scope", width: float) -> None:
        """Draws the timeline at the left of the current window, over its height.

        Args:
            scope: Gives the controls and the colours.
            width: What there is room for, CSS pixels.
        """
        self._bind(scope)
        timeline = scope.controls.timeline
        before, after = _texts(timeline, width)
        left = _EDGE_PX + (_room(before) + _GAP_PX if before else _GRAB_PX)
        right = width - (_room(after) + _GAP_PX if after else _GRAB_PX)
        if right - left <= 2 * _GRAB_PX:
            return
        window, height = imgui.get_window_pos(), imgui.get_window_size().y
        track = _Track(window.x + left, window.x + right, window.y + height / 2)
        row = self._hold(scope.controls, track, left, height)
        text = imgui.get_color_u32(theme.rgba(scope.palette.dim))
        top = track.y - imgui.get_font_size() / 2
        draw_list = imgui.get_window_draw_list()
        if before:
            draw_list.add_text(ImVec2(window.x + _EDGE_PX, top), text, before)
        if after:
            draw_list.add_text(ImVec2(track.right + _GAP_PX, top), text, after)
        _draw_track(track, timeline, row, scope)

    def _hold(
        self, controls: "Controls", track: "_Track", left: float, height: float
    ) -> int:
        """Lets the mouse work on the track; returns the row where the grab is."""
        timeline = controls.timeline
        imgui.set_cursor_pos(ImVec2(left - _GRAB_PX, 0.0))
        size = ImVec2(track.right - track.left + 2 * _GRAB_PX, height)
        imgui.invisible_button("###timeline", size)
        if timeline.size == 0:
            return 0
        held, hovered = imgui.is_item_active(), imgui.is_item_hovered()
        row = track.row(imgui.get_mouse_pos().x, timeline.size)
        if not held:
            self._wanted, self._released = None, True
        elif hovered and imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
            # The pointer does not say where to go before it is pressed again.
            self._wanted, self._released = None, False
            controls.scrub(timeline.size - 1)
        elif self._released and row != self._wanted:
            self._wanted = row
            controls.scrub(row)
        if held or hovered:
            _tell(_tip(track, timeline, row), track.x(row, timeline.size))
        shown = controls.timeline.row if self._wanted is None else self._wanted
        return min(max(shown, 0), timeline.size - 1)


class _Track:
    """Where the track lies, CSS pixels of the view."""

    def __init__(self, left: float, right: float, y: float) -> None:
        self.left = left
        self.right = right
        self.y = y

    def x(self, row: int, size: int) -> float:
        """Returns where a row of `size` rows is; a lone one is at the right end."""
        share = row / (size - 1) if size > 1 else 1.0
        return self.left + share * (self.right - self.left)

    def row(self, x: float, size: int) -> int:
        """Returns the row at a place."""
        share = (x - self.left) / (self.right - self.left)
        return round(min(max(share, 0.0), 1.0) * (size - 1))


def _tell(text: str, x: float) -> None:
    """Shows a tooltip over the row, where it hides nothing of the track."""
    padding = imgui.get_style().window_padding.x
    half = imgui.calc_text_size(text).x / 2 + padding
    x = max(min(x, imgui.get_main_viewport().size.x - half), half)
    top = ImVec2(x, imgui.get_window_pos().y - _TIP_GAP_PX)
    imgui.set_next_window_pos(top, pivot=ImVec2(0.5, 1.0))
    imgui.set_tooltip(text)


def _texts(timeline: TimelineSnapshot, width: float) -> tuple[str, str]:
    """Returns what stands before and after the track, "" where there is no room."""
    if width >= _BOTH_TIMES_PX:
        return seconds_text(timeline.first_time), seconds_text(timeline.head_time)
    return "", seconds_text(timeline.time) if width >= _ONE_TIME_PX else ""


def _room(text: str) -> float:
    """Returns the width of a text, which digits alone do not change."""
    zeros = "".join("0" if c.isdigit() else c for c in text)
    return imgui.calc_text_size(zeros).x


def _draw_track(
    track: _Track, timeline: TimelineSnapshot, row: int, scope: "Scope"
) -> None:
    """Draws the track, filled up to a row, the ticks of the marks, and the grab."""
    palette = scope.palette
    draw_list = imgui.get_window_draw_list()
    rest = imgui.get_color_u32(theme.rgba(palette.press))
    brand = imgui.get_color_u32(theme.rgba(palette.brand))
    top, bottom = track.y - _TRACK_PX / 2, track.y + _TRACK_PX / 2
    at = track.x(row, timeline.size) if timeline.size else track.left
    draw_list.add_rect_filled(
        ImVec2(track.left, top), ImVec2(track.right, bottom), rest
    )
    draw_list.add_rect_filled(ImVec2(track.left, top), ImVec2(at, bottom), brand)
    colours = {
        kind: imgui.get_color_u32(theme.rgba(colour))
        for kind, (colour, _) in _MARKS.items()
    }
    half = _TICK_WIDTH_PX / 2
    top, bottom = track.y - _TICK_HEIGHT_PX / 2, track.y + _TICK_HEIGHT_PX / 2
    last = -math.inf
    for mark in timeline.marks:
        x = track.x(mark.row, timeline.size)
        if x - last >= _TICK_GAP_PX:
            last = x
            low, high = ImVec2(x - half, top), ImVec2(x + half, bottom)
            draw_list.add_rect_filled(low, high, colours[mark.kind])
    if timeline.size:
        draw_list.add_circle_filled(
            ImVec2(at, track.y), _GRAB_PX, brand, _GRAB_SEGMENTS
        )


def _tip(track: _Track, timeline: TimelineSnapshot, row: int) -> str:
    """Returns what the tooltip says for the pointer over a row."""
    here = track.x(row, timeline.size)
    near = [
        (abs(x - here), mark)
        for mark in timeline.marks
        if abs((x := track.x(mark.row, timeline.size)) - here) <= _TICK_REACH_PX
    ]
    last = timeline.size - 1
    step = f"step {timeline.first + row} of {timeline.first + last}"
    text = f"{seconds_text(timeline.time_at(row))}\n{step}"
    if not near:
        return text
    mark = min(near, key=lambda found: found[0])[1]
    return f"{text}\n{_MARKS[mark.kind][1]}"
