"""Lists of a model's elements: clipped rows, names that select, numbers in place.

What the sections of the Inspector share. Viewer thread only.
"""

import contextlib
import math
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Literal

import mujoco
from imgui_bundle import ImVec2, imgui

from studio_nb.app import widgets
from studio_nb.app.panel import Scope
from studio_nb.ui import theme

# What a person did to an item: nothing, a click, or a click for its menu.
Touch = Literal["", "click", "menu"]

# A longer list scrolls by itself, so that what stands below stays within reach.
MOST_ROWS = 40
_SHOWN_ROWS = 16

# From here on a number would outgrow its place.
_MOST_FIXED = 1e5
_DIGITS = 7
_RIGHT_BUTTON = 1
# Dear ImGui's sliders refuse bounds from half of what a 32-bit float holds on.
_WIDEST = 1.7e38

_TABLE = (
    imgui.TableFlags_.sizing_stretch_prop
    | imgui.TableFlags_.no_saved_settings
    | imgui.TableFlags_.no_pad_outer_x
)
_STRETCH = imgui.TableColumnFlags_.width_stretch


def say(text: str) -> None:
    """Draws a dim line: why there is nothing to see."""
    dim = imgui.get_style_color_vec4(imgui.Col_.text_disabled)
    imgui.push_style_color(imgui.Col_.text, dim)
    imgui.text_wrapped(text)
    imgui.pop_style_color()


def fixed(value: float, digits: int = 3) -> str:
    """Returns a number with its sign and so many decimals: always as many glyphs."""
    if not abs(value) < _MOST_FIXED and math.isfinite(value):
        return f"{value:+.{digits}e}"
    # A rounded zero has one sign, which does not come and go.
    return f"{value:+z.{digits}f}"


def names(model: mujoco.MjModel, kind: mujoco.mjtObj, count: int) -> list[str]:
    """Returns a name for each element of a kind; nameless ones go by number.

    No two are the same, whatever the others are called.
    """
    word = mujoco.mju_type2Str(int(kind))
    own = [mujoco.mj_id2name(model, int(kind), i) for i in range(count)]
    taken = set(own)
    return [name or _free(f"{word} {i}", taken) for i, name in enumerate(own)]


def _free(name: str, taken: set[str | None]) -> str:
    """Returns a name that is not taken by another element."""
    return _free(f"{name} (no name)", taken) if name in taken else name


def matches(name: str, query: str) -> bool:
    """Tells whether a name has every word of a query in it."""
    lower = name.lower()
    return all(word in lower for word in query.lower().split())


def group_shown(groups: Sequence[int], group: int) -> bool:
    """Tells whether a visibility group is on; those out of range go to the nearest.

    Args:
        groups: One flag a group, as in `MjvOption.jointgroup`.
        group: Of the element.
    """
    return bool(groups[min(max(group, 0), len(groups) - 1)])


def select(scope: Scope, body: int) -> None:
    """Selects a body in the view; the world body stands for none."""
    scope.controls.select(body)


@contextlib.contextmanager
def table(
    name: str, shares: Sequence[float], count: int, *, lines: int = 1
) -> Generator[Iterator[int]]:
    """Opens a table for the block; a long one scrolls by itself.

    Args:
        name: Its ID.
        shares: Of the width, one a column.
        count: How many rows it has.
        lines: Lines of text in a row.

    Yields:
        The numbers of the rows that can be seen; draw exactly these.
    """
    padding = imgui.get_style().cell_padding.y
    height = imgui.get_frame_height() + 2 * padding
    height += (lines - 1) * imgui.get_text_line_height_with_spacing()
    flags, size = int(_TABLE), ImVec2(0.0, 0.0)
    if count > MOST_ROWS:
        flags |= int(imgui.TableFlags_.scroll_y)
        size = ImVec2(0.0, height * _SHOWN_ROWS)
    if not imgui.begin_table(name, len(shares), flags, size):
        yield iter(())
        return
    try:
        for i, share in enumerate(shares):
            imgui.table_setup_column(f"{i}", _STRETCH, share)
        yield _visible(count, height)
    finally:
        imgui.end_table()


def _visible(count: int, height: float) -> Iterator[int]:
    clipper = imgui.ListClipper()
    clipper.begin(count, height)
    while clipper.step():
        yield from range(clipper.display_start, clipper.display_end)
    clipper.end()


def name_cell(
    text: str, tip: Callable[[], str] | None = None, colour: int | None = None
) -> Touch:
    """Begins a row with a name that can be clicked; the value's cell comes next.

    Args:
        text: The name; what has no room stands in the tooltip.
        tip: Tells more about it.
        colour: 0xRRGGBBAA of a name that stands out; None: dim.

    Returns:
        What was done to the name.
    """
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    if colour is None:
        imgui.text_disabled(text)
    else:
        imgui.text_colored(theme.rgba(colour), text)
    done = touched(text, tip)
    imgui.table_next_column()
    imgui.set_next_item_width(-1.0)
    return done


def touched(text: str, tip: Callable[[], str] | None = None) -> Touch:
    """Shows the last item's tooltip, and returns what was done to it."""
    if not imgui.is_item_hovered():
        return ""
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        imgui.set_tooltip(f"{text}\n{tip()}" if tip else text)
    if imgui.is_item_clicked(_RIGHT_BUTTON):
        return "menu"
    return "click" if imgui.is_item_clicked() else ""


def slide(
    ident: str,
    value: float,
    bounds: tuple[float, float] | None,
    text_format: str,
) -> tuple[bool, float]:
    """Draws a number: a slider between bounds, or a drag without them.

    Args:
        ident: Its ID.
        value: Its present value.
        bounds: The least and the most; None: there are none. Those that no slider
            can take count as none.
        text_format: printf format with the unit.

    Returns:
        Whether the person changed it, and its value.
    """
    if bounds is None or not -_WIDEST < bounds[0] < bounds[1] < _WIDEST:
        return widgets.drag(ident, value, None, None, text_format)
    changed, fresh = imgui.slider_float(ident, value, bounds[0], bounds[1], text_format)
    # What a person meant who sees the first digits of a 32-bit float.
    return changed, float(f"{fresh:.{_DIGITS}g}") if changed else value
