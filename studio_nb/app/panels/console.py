"""The Console: what MuJoCo, Python and the plugins said, and what went wrong.

`App` draws it in a window of its own, on the viewer thread.
"""

import time
from typing import Any

from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app.panel import Panel, Scope
from studio_nb.console import LEVELS, Record
from studio_nb.ui import theme

_ICONS = {
    "info": icons_fontawesome_6.ICON_FA_CIRCLE_INFO,
    "warning": icons_fontawesome_6.ICON_FA_TRIANGLE_EXCLAMATION,
    "error": icons_fontawesome_6.ICON_FA_CIRCLE_XMARK,
}
_TABLE = (
    imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.no_saved_settings
    | imgui.TableFlags_.no_pad_outer_x
)
_STRETCH = imgui.TableColumnFlags_.width_stretch
_MAX_SOURCE_EM = 11.0
_SEARCH_EM = 12.0
_TOOLTIP_EM = 30.0
_TRACEBACK = "Traceback (most recent call last)"


def clock(seconds: float) -> str:
    """Returns a moment as the time of day, here."""
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def line_of(record: Record) -> str:
    """Returns an entry as it is copied."""
    times = f" (x{record.count})" if record.count > 1 else ""
    return (
        f"{clock(record.time)} {record.level.upper()} {record.source}: "
        f"{record.text}{times}"
    )


def headline(text: str) -> str:
    """Returns the line that says what it is about: of a traceback, the exception's."""
    lines = text.split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith(_TRACEBACK)]
    if not starts or starts[0] > 0:
        return lines[0]
    # Behind it may stand notes.
    after = (line for line in lines[starts[-1] + 1 :] if line and line[0] != " ")
    return next(after, lines[-1])


class Console(Panel):
    """A list that can be filtered, copied and cleared, and follows its end."""

    title = "Console"

    def __init__(self) -> None:
        """Starts with all levels shown."""
        self.shown = set(LEVELS)
        self.query = ""
        self._rows: list[tuple[Record, str, bool]] = []
        self._built: object = None
        self._followed = -1
        self._unfolded: set[Record] = set()

    def keeps(self) -> dict[str, Any]:
        """Keeps which levels are shown."""
        return {"shown": sorted(self.shown)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over which levels are shown."""
        if isinstance(shown := kept.get("shown"), list):
            self.shown = {level for level in LEVELS if level in shown}

    def draw(self, scope: Scope) -> None:
        """Draws the tools and the list."""
        console = scope.viewer.console
        self._tools(scope)
        self._build(scope)
        console.seen()
        if imgui.begin_table("records", 4, _TABLE):
            imgui.table_setup_column("level")
            imgui.table_setup_column("time")
            imgui.table_setup_column("source")
            imgui.table_setup_column("text", _STRETCH)
            at_end = imgui.get_scroll_y() >= imgui.get_scroll_max_y()
            clipper = imgui.ListClipper()
            clipper.begin(len(self._rows))
            while clipper.step():
                for i in range(clipper.display_start, clipper.display_end):
                    self._row(scope, i)
            clipper.end()
            # Not when an entry was unfolded: it would jump out of sight.
            if at_end and console.version != self._followed:
                imgui.set_scroll_here_y(1.0)
            self._followed = console.version
            imgui.end_table()

    def _tools(self, scope: Scope) -> None:
        console = scope.viewer.console
        for level in LEVELS:
            on = level in self.shown
            colour = _colour(level, scope.palette) if on else scope.palette.dim
            imgui.push_style_color(imgui.Col_.text, theme.rgba(colour))
            if imgui.button(f"{_ICONS[level]}###{level}"):
                self.shown ^= {level}
            imgui.pop_style_color()
            imgui.set_item_tooltip(f"{'Hide' if on else 'Show'} {level} entries")
            imgui.same_line()
        imgui.set_next_item_width(
            min(_SEARCH_EM * scope.em, imgui.get_content_region_avail().x / 2)
        )
        _, self.query = imgui.input_text_with_hint("##filter", "Filter", self.query)
        imgui.same_line()
        if imgui.button(f"{icons_fontawesome_6.ICON_FA_COPY}###copy"):
            text = "\n".join(line_of(row[0]) for row in self._rows if not row[2])
            imgui.set_clipboard_text(text)
        imgui.set_item_tooltip("Copy what is shown")
        imgui.same_line()
        if imgui.button(f"{icons_fontawesome_6.ICON_FA_TRASH_CAN}###clear"):
            console.clear()
            self._unfolded.clear()
        imgui.set_item_tooltip("Clear")

    def _build(self, scope: Scope) -> None:
        """Lists the lines that are shown, when they may have changed."""
        console = scope.viewer.console
        query = self.query.casefold()
        state = (console.version, query, frozenset(self.shown), len(self._unfolded))
        if state == self._built:
            return
        self._built = state
        self._rows = []
        records = console.records()
        self._unfolded &= set(records)
        for record in records:
            if record.level not in self.shown:
                continue
            if query and query not in f"{record.source} {record.text}".casefold():
                continue
            self._rows.append((record, headline(record.text), False))
            lines = record.text.split("\n")
            if len(lines) > 1 and record in self._unfolded:
                self._rows += [(record, line, True) for line in lines]

    def _row(self, scope: Scope, i: int) -> None:
        record, text, is_more = self._rows[i]
        imgui.table_next_row()
        imgui.table_next_column()
        if is_more:
            imgui.table_set_column_index(3)
            imgui.text_unformatted(f"    {text}")
            return
        colour = theme.rgba(_colour(record.level, scope.palette))
        imgui.text_colored(colour, _ICONS[record.level])
        imgui.table_next_column()
        imgui.text_disabled(clock(record.time))
        imgui.table_next_column()
        imgui.text_disabled(record.source[: int(_MAX_SOURCE_EM * 2)])
        imgui.table_next_column()
        times = f"  (x{record.count})" if record.count > 1 else ""
        if "\n" in record.text:
            is_open = record in self._unfolded
            fa = icons_fontawesome_6
            mark = fa.ICON_FA_CHEVRON_DOWN if is_open else fa.ICON_FA_CHEVRON_RIGHT
            if imgui.selectable(f"##{i}", False)[0]:  # noqa: FBT003 - not selected
                self._unfolded ^= {record}
            _copy_menu(record, i)
            # As it is: of a label Dear ImGui hides what follows "##".
            imgui.same_line(0.0, 0.0)
            imgui.text_unformatted(f"{mark} {text}{times}")
        else:
            imgui.text_unformatted(f"{text}{times}")
            _tell_whole(text, scope.em)
            _copy_menu(record, i)


def _copy_menu(record: Record, i: int) -> None:
    """Offers to copy an entry, at a right click on the item before."""
    if imgui.begin_popup_context_item(f"menu{i}"):
        if imgui.menu_item_simple("Copy"):
            imgui.set_clipboard_text(line_of(record))
        imgui.end_popup()


def _tell_whole(text: str, em: float) -> None:
    """Shows a text that has no room in the line as a tooltip."""
    if not imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        return
    if imgui.calc_text_size(text).x > imgui.get_content_region_avail().x:
        imgui.set_next_window_size(ImVec2(_TOOLTIP_EM * em, 0.0))
        if imgui.begin_tooltip():
            imgui.text_wrapped(text)
            imgui.end_tooltip()


def _colour(level: str, palette: theme.Palette) -> int:
    return {"info": palette.brand, "warning": palette.warning, "error": palette.error}[
        level
    ]
