"""The help: what the mouse and the keys do.

It hangs from the toolbar, which draws it once a frame, on the viewer thread.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from imgui_bundle import ImVec2, imgui

from studio_nb.app import keys

if TYPE_CHECKING:
    from studio_nb.app.app import App

_POPUP = "###help"
_EDGE_PX = 8.0
_COLUMN_GAP_PX = 24.0

# A column of sections needs about this width.
_COLUMN_PX = 265.0
_MOST_COLUMNS = 4
# A section goes on in the next column with no fewer lines than these.
_LEAST_LINES = 3

_Section = tuple[str, Sequence[tuple[str, str]]]


def draw(app: "App", below: float) -> None:
    """Draws the help if it is open; opens or closes it when that was asked for.

    Args:
        app: Knows whether it was asked for, and whose keys they are.
        below: Where the toolbar ends, CSS pixels from the top.
    """
    controls = app.controls
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
    count = min(max(int(room.x // _COLUMN_PX), 1), _MOST_COLUMNS)
    for place, column in enumerate(columns(_sections(app), count)):
        if place:
            imgui.same_line(spacing=_COLUMN_GAP_PX)
        imgui.push_id(place)
        imgui.begin_group()
        causes = [cause for _, lines in column for cause, _ in lines]
        width = max(imgui.calc_text_size(cause).x for cause in causes)
        for title, lines in column:
            _draw_section(title, lines, width)
        imgui.end_group()
        imgui.pop_id()
    imgui.end_popup()


def columns(sections: Sequence[_Section], count: int) -> list[list[_Section]]:
    """Returns the sections in columns of about the same length, in their order.

    A section that does not end in its column goes on in the next one.
    """
    left = sum(len(lines) + 1 for _, lines in sections)
    made: list[list[_Section]] = [[]]
    room = math.ceil(left / count)
    for title, lines in sections:
        rest = lines
        while rest:
            taken = len(rest)
            if len(made) < count and taken >= room:
                taken = room - 1 if room > _LEAST_LINES else 0
            if taken:
                made[-1].append((title, rest[:taken]))
                rest = rest[taken:]
                room -= taken + 1
                # A title stands once more where its section goes on.
                left -= taken if rest else taken + 1
            if rest:
                made.append([])
                room = math.ceil(left / (count - len(made) + 1))
    return made


def _sections(app: "App") -> list[_Section]:
    from_plugins = [*keys.plugin_lines(app.viewer.plugins.plugins)]
    sections: list[_Section] = [("Mouse", keys.MOUSE), ("Flying", keys.FLYING)]
    sections += [(title, [*keys.lines(b)]) for title, b in keys.SECTIONS.items()]
    return [*sections, ("Plugins", from_plugins)] if from_plugins else sections


def _draw_section(title: str, lines: Sequence[tuple[str, str]], width: float) -> None:
    """Draws a title, and below it what does what, the causes in a given width."""
    imgui.text_disabled(title)
    fit = imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.no_host_extend_x
    if imgui.begin_table(f"###{title}", 2, fit):
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_fixed, width)
        for cause, effect in lines:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_unformatted(cause)
            imgui.table_next_column()
            imgui.text_unformatted(effect)
        imgui.end_table()
    imgui.spacing()
