"""The row at the bottom of the view: the timeline, and the status at its right end.

`App` draws it once a frame, on the viewer thread.
"""

from typing import TYPE_CHECKING

from imgui_bundle import ImVec2, imgui

from studio_nb.app import row
from studio_nb.ui import theme

if TYPE_CHECKING:
    from studio_nb.app.app import App

HEIGHT_PX = 28.0
_TOP_PX = (HEIGHT_PX - row.FRAME_PX) / 2

_GAP_PX = 4.0

# The timeline keeps at least this share of the width.
_TIMELINE_SHARE = 0.45


def draw(app: "App") -> None:
    """Draws the row over the whole width of the view."""
    view = imgui.get_main_viewport().size
    imgui.set_next_window_pos(ImVec2(0.0, view.y - HEIGHT_PX))
    imgui.set_next_window_size(ImVec2(view.x, HEIGHT_PX))
    with row.window("###bottom"):
        _overline(app, view)
        entries = app.status.entries(app.scope, app.windows["Console"])
        kept = row.fitting(entries, view.x * (1.0 - _TIMELINE_SHARE))
        room = row.span(kept)
        start = view.x - room - row.RIGHT_EDGE_PX
        app.timeline.draw(app.scope, start - _GAP_PX)
        with row.flat_frames():
            row.place(kept, start, _TOP_PX)


def _overline(app: "App", view: ImVec2) -> None:
    """Draws the line between the scene and the row."""
    y = view.y - HEIGHT_PX + 0.5
    colour = imgui.get_color_u32(theme.rgba(app.scope.palette.border))
    imgui.get_window_draw_list().add_line(ImVec2(0.0, y), ImVec2(view.x, y), colour)
