"""A row of entries that fold into a popup where the view is too narrow for them.

The toolbar describes its entries anew each frame and lets `draw` place them. An
entry says how wide it is, draws itself in the row, and draws itself as a line of
the popup. Viewer thread only, within a frame.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Generator, Sequence
from typing import Generic, Protocol, TypeVar

from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app import widgets
from studio_nb.ui import theme

Value = TypeVar("Value")

HEIGHT_PX = 34.0

_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_docking
)

_EDGE_PX = 4.0
RIGHT_EDGE_PX = 10.0
FRAME_PX = HEIGHT_PX - 2 * _EDGE_PX
_BUTTON_WIDTH_PX = 28.0
_GAP_PX = 2.0
_GROUP_GAP_PX = 13.0
_CHOICE_PADDING_PX = 7.0
_CHEVRON_PX = 9.0
_CHEVRON = icons_fontawesome_6.ICON_FA_CHEVRON_DOWN
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


class Entry(Protocol):
    """Something in a row.

    Attributes:
        rank: The higher, the sooner it folds.
        group: A wider gap stands between entries of different groups.
    """

    @property
    def rank(self) -> int: ...  # noqa: D102, described above

    @property
    def group(self) -> int: ...  # noqa: D102, described above

    def width(self) -> float:
        """Returns its width in the row, CSS pixels."""
        ...

    def draw(self) -> None:
        """Draws it in the row, at the cursor."""
        ...

    def draw_folded(self) -> None:
        """Draws it as a line of the popup."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Button:
    """An icon that does something.

    Attributes:
        name: Its ID.
        icon: The character of the icon.
        text: What it does, in words.
        keys: The keys that do the same, in words.
        run: Does it.
        rank: See `Entry`.
        group: See `Entry`.
        colour: Of the icon, 0xRRGGBBAA; None is that of text.
        label: What stands beside the icon.
    """

    name: str
    icon: str
    text: str
    keys: str
    run: Callable[[], None]
    rank: int
    group: int
    colour: int | None = None
    label: str = ""

    def width(self) -> float:
        """Returns the width that all icons share, and that of the label."""
        room = imgui.calc_text_size(f" {self.label}").x if self.label else 0.0
        return _BUTTON_WIDTH_PX + room

    def draw(self) -> None:
        """Draws the icon, with what it does and its keys as a tooltip."""
        if self.colour is not None:
            imgui.push_style_color(imgui.Col_.text, theme.rgba(self.colour))
        words = f"{self.icon} {self.label}".rstrip()
        clicked = imgui.button(f"{words}###{self.name}", ImVec2(self.width(), FRAME_PX))
        if self.colour is not None:
            imgui.pop_style_color()
        imgui.set_item_tooltip(f"{self.text} ({self.keys})" if self.keys else self.text)
        if clicked:
            self.run()

    def draw_folded(self) -> None:
        """Draws a line with the text and the keys."""
        if imgui.menu_item_simple(f"{self.text}###{self.name}", self.keys):
            self.run()


@dataclasses.dataclass(frozen=True, slots=True)
class Choice(Generic[Value]):
    """A value out of a list.

    Attributes:
        name: Its ID, and its title where it is folded.
        tip: Its tooltip.
        label: The present value, in words.
        value: The present value.
        options: Values with their words.
        choose: Takes the one that was chosen.
        room: Width that its words are given, CSS pixels.
        rank: See `Entry`.
        group: See `Entry`.
    """

    name: str
    tip: str
    label: str
    value: Value
    options: Sequence[tuple[str, Value]]
    choose: Callable[[Value], None]
    room: float
    rank: int
    group: int

    def width(self) -> float:
        """Returns the width of the room, the paddings and the chevron."""
        return self.room + 3 * _CHOICE_PADDING_PX + _CHEVRON_PX

    def draw(self) -> None:
        """Draws the present value, which opens the list."""
        imgui.set_next_item_width(self.width())
        opened = imgui.begin_combo(
            f"###{self.name}",
            widgets.plain(shortened(self.label, self.room)),
            imgui.ComboFlags_.no_arrow_button | imgui.ComboFlags_.height_large,
        )
        if opened:
            self._draw_options()
            imgui.end_combo()
            return
        imgui.set_item_tooltip(self.tip)
        _draw_chevron(imgui.get_item_rect_min(), imgui.get_item_rect_max())

    def _draw_options(self) -> None:
        """Draws the list, of which only what can be seen is laid out."""
        places = (i for i, (_, value) in enumerate(self.options) if value == self.value)
        present = next(places, -1)
        clipper = imgui.ListClipper()
        clipper.begin(len(self.options))
        if present >= 0 and imgui.is_window_appearing():
            clipper.include_item_by_index(present)
        while clipper.step():
            for index in range(clipper.display_start, clipper.display_end):
                words, value = self.options[index]
                label = f"{widgets.plain(words)}###{index}"
                if imgui.selectable(label, index == present)[0]:
                    self.choose(value)
                if index == present and imgui.is_window_appearing():
                    imgui.set_scroll_here_y()
        clipper.end()

    def draw_folded(self) -> None:
        """Draws a submenu."""
        title = f"{self.name.capitalize()}: {widgets.plain(self.label)}"
        if imgui.begin_menu(f"{title}###{self.name}"):
            for index, (words, value) in enumerate(self.options):
                if imgui.menu_item_simple(
                    f"{widgets.plain(words)}###{index}", selected=value == self.value
                ):
                    self.choose(value)
            imgui.end_menu()


@dataclasses.dataclass(frozen=True, slots=True)
class Readout:
    """A number that changes, at the right end of its place.

    Attributes:
        text: The number with its unit.
        tip: Its tooltip, and its title where it is folded.
        widest: The widest text that it has room for.
        rank: See `Entry`.
        group: See `Entry`.
        dim: Whether it is drawn with less weight.
    """

    text: str
    tip: str
    widest: str
    rank: int
    group: int
    dim: bool = False

    def width(self) -> float:
        """Returns the width of its widest text, or of this one if wider."""
        return max(imgui.calc_text_size(text).x for text in (self.widest, self.text))

    def draw(self) -> None:
        """Draws the number."""
        indent = self.width() - imgui.calc_text_size(self.text).x
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + indent)
        imgui.align_text_to_frame_padding()
        if self.dim:
            imgui.text_disabled(self.text)
        else:
            imgui.text_unformatted(self.text)
        imgui.set_item_tooltip(self.tip)

    def draw_folded(self) -> None:
        """Draws a line that only tells."""
        imgui.menu_item_simple(
            f"{self.tip}###{self.tip}", shortcut=self.text, enabled=False
        )


@contextlib.contextmanager
def window(name: str) -> Generator[None]:
    """Opens a strip for a row: a window without rounding, border and padding.

    Its place and size are set before.
    """
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0.0, 0.0))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_min_size, ImVec2(1.0, 1.0))
    imgui.begin(name, flags=_FLAGS)
    imgui.pop_style_var(4)
    yield
    imgui.end()


@contextlib.contextmanager
def flat_frames() -> Generator[None]:
    """Lets buttons and lists show their frame only under the pointer."""
    clear = theme.rgba(0)
    imgui.push_style_color(imgui.Col_.button, clear)
    imgui.push_style_color(imgui.Col_.frame_bg, clear)
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(7.0, 6.0))
    yield
    imgui.pop_style_var()
    imgui.pop_style_color(2)


def draw(left: Sequence[Entry], right: Sequence[Entry], width: float) -> None:
    """Draws a row in the current window, its entries at both ends.

    Args:
        left: Entries at the left end, from left to right.
        right: Entries at the right end, from left to right. What changes most stands
            last: then a list that grows moves the fewest bytes.
        width: Of the row, CSS pixels.
    """
    room = width - _EDGE_PX - RIGHT_EDGE_PX
    kept = fitting([*left, *right], room)
    folded = [entry for entry in (*left, *right) if entry not in kept]
    left = [entry for entry in left if entry in kept]
    right = [entry for entry in right if entry in kept]
    place(left, _EDGE_PX)
    if folded:
        right = [_More(folded), *right]
    place(right, width - RIGHT_EDGE_PX - span(right))


def fitting(entries: Sequence[Entry], room: float) -> list[Entry]:
    """Returns the entries that have room in a row, in their order.

    Whole ranks fold, from the highest on. When something folds, the button that
    opens the popup needs room, too.
    """
    for rank in sorted({entry.rank for entry in entries}, reverse=True):
        if span(entries) <= room:
            return list(entries)
        room_for_more = _BUTTON_WIDTH_PX + _GROUP_GAP_PX
        kept = [entry for entry in entries if entry.rank < rank]
        if span(kept) + room_for_more <= room:
            return kept
    return []


def shortened(text: str, room: float) -> str:
    """Returns `text`, or as much of it with an ellipsis as `room` pixels hold."""
    if imgui.calc_text_size(text).x <= room:
        return text
    for end in range(len(text) - 1, 0, -1):
        short = text[:end].rstrip() + _ELLIPSIS
        if imgui.calc_text_size(short).x <= room:
            return short
    return _ELLIPSIS


@dataclasses.dataclass(frozen=True, slots=True)
class _More:
    """The button that opens what is folded."""

    folded: Sequence[Entry]
    rank: int = -1
    group: int = -1

    def width(self) -> float:
        return _BUTTON_WIDTH_PX

    def draw(self) -> None:
        icon = icons_fontawesome_6.ICON_FA_ELLIPSIS
        if imgui.button(f"{icon}###more", ImVec2(_BUTTON_WIDTH_PX, FRAME_PX)):
            imgui.open_popup("###more entries")
        imgui.set_item_tooltip("More")
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.set_next_window_pos(
            ImVec2(high.x, low.y + FRAME_PX + _EDGE_PX), pivot=ImVec2(1.0, 0.0)
        )
        if imgui.begin_popup("###more entries"):
            for entry in self.folded:
                entry.draw_folded()
            imgui.end_popup()

    def draw_folded(self) -> None:
        """Never called: this is what others fold into."""


def _gap(before: Entry, after: Entry) -> float:
    return _GAP_PX if before.group == after.group else _GROUP_GAP_PX


def span(entries: Sequence[Entry]) -> float:
    """Returns the width of entries side by side, CSS pixels."""
    gaps = sum(map(_gap, entries, entries[1:]))
    return sum(entry.width() for entry in entries) + gaps


def place(entries: Sequence[Entry], x: float, y: float = _EDGE_PX) -> None:
    """Draws entries side by side from a place in the window on, CSS pixels."""
    before: Entry | None = None
    for entry in entries:
        if before is not None:
            x += _gap(before, entry)
        imgui.set_cursor_pos(ImVec2(x, y))
        entry.draw()
        x += entry.width()
        before = entry


def _draw_chevron(low: ImVec2, high: ImVec2) -> None:
    """Draws the mark of a list at the right end of the item between the corners."""
    imgui.push_font(None, _CHEVRON_PX)
    size = imgui.calc_text_size(_CHEVRON)
    at = ImVec2(high.x - _CHOICE_PADDING_PX - size.x, (low.y + high.y - size.y) / 2)
    colour = imgui.get_color_u32(imgui.Col_.text_disabled)
    imgui.get_window_draw_list().add_text(at, colour, _CHEVRON)
    imgui.pop_font()
