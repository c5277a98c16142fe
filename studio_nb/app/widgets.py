"""The rows that all panels are made of: a name at the left, a value at the right.

Panels open a table with `rows` and call one function a line. What a function
returns as changed was changed by the person in this frame. Values that are edited
in place are NumPy views of the viewer's own model or data.
Viewer thread only, within a frame.
"""

import contextlib
import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec4, imgui

# Share of a row that the name takes.
_NAME_SHARE = 0.42
# Dragging over this many pixels changes a value by its own size.
_DRAG_PX = 200.0
_SMALLEST_DRAG = 1e-6
# Dear ImGui edits floats of 32 bits; more digits than these are their noise.
_DIGITS = 7
_PER_LINE = 4

_TABLE = (
    imgui.TableFlags_.sizing_stretch_prop
    | imgui.TableFlags_.no_saved_settings
    | imgui.TableFlags_.no_pad_outer_x
)
_STRETCH = imgui.TableColumnFlags_.width_stretch
_CLAMPED = imgui.SliderFlags_.always_clamp
_COLOUR = (
    imgui.ColorEditFlags_.float
    | imgui.ColorEditFlags_.no_inputs
    | imgui.ColorEditFlags_.alpha_preview_half
)


@contextlib.contextmanager
def rows(name: str, share: float = _NAME_SHARE) -> Generator[bool]:
    """Opens a table of rows for the block.

    Args:
        name: Its ID, unique in the window.
        share: Of the width that names take, 0 to 1.

    Yields:
        Whether any of it can be seen; without, draw no rows.
    """
    if not imgui.begin_table(name, 2, _TABLE):
        yield False
        return
    try:
        imgui.table_setup_column("name", _STRETCH, share)
        imgui.table_setup_column("value", _STRETCH, 1.0 - share)
        yield True
    finally:
        imgui.end_table()


def label(text: str, tip: str = "") -> None:
    """Begins a row with its name; the value comes next, as wide as there is room.

    Args:
        text: The name; what has no room is cut and stands in the tooltip.
        tip: More about it.
    """
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(text)
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        imgui.set_tooltip(f"{text}\n{tip}" if tip else text)
    imgui.table_next_column()
    imgui.set_next_item_width(-1.0)


def plain(words: str) -> str:
    """Returns words for an item's label, of which Dear ImGui hides nothing.

    It takes what follows two number signs for an ID and does not show it; those in
    the name of a model's element belong to the name. A space of no width parts them.
    """
    return words.replace("#", "#\N{ZERO WIDTH SPACE}") if "##" in words else words


def text(name: str, value: str, tip: str = "") -> None:
    """Draws a row that only tells."""
    label(name, tip)
    imgui.text_unformatted(value)
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        imgui.set_tooltip(value)


def format_of(unit: str = "", digits: str = "%.4g") -> str:
    """Returns a number's printf format with its unit."""
    return f"{digits} {unit.replace('%', '%%')}" if unit else digits


def number(  # noqa: PLR0913 - what a number has
    name: str,
    value: float,
    low: float | None = None,
    high: float | None = None,
    *,
    unit: str = "",
    digits: str = "%.4g",
    tip: str = "",
) -> tuple[bool, float]:
    """Draws a number that is dragged, or typed after a double click.

    Args:
        name: Of the field.
        value: Its present value.
        low: The least it can be; None: no bound.
        high: The most it can be; None: no bound.
        unit: Stands behind it.
        digits: printf format of the number.
        tip: Tooltip of the name.

    Returns:
        Whether it was changed, and its value.
    """
    label(name, tip)
    return drag(f"##{name}", value, low, high, format_of(unit, digits))


def drag(
    ident: str,
    value: float,
    low: float | None,
    high: float | None,
    text_format: str,
) -> tuple[bool, float]:
    """Draws a number without its name, in the width set before."""
    span = abs(value) or (high - low if low is not None and high is not None else 1.0)
    speed = max(span / _DRAG_PX, _SMALLEST_DRAG)
    least, most, flags = _bounds(low, high)
    changed, fresh = imgui.drag_float(
        ident, value, speed, least, most, text_format, flags
    )
    return _taken(changed, fresh, value)


def slider(  # noqa: PLR0913 - what a number has
    name: str,
    value: float,
    low: float,
    high: float,
    *,
    unit: str = "",
    digits: str = "%.3f",
    tip: str = "",
) -> tuple[bool, float]:
    """Draws a number between two bounds as a slider."""
    label(name, tip)
    changed, fresh = imgui.slider_float(
        f"##{name}", value, low, high, format_of(unit, digits)
    )
    return _taken(changed, fresh, value)


def integer(
    name: str,
    value: int,
    low: int,
    high: int,
    *,
    tip: str = "",
) -> tuple[bool, int]:
    """Draws a whole number that is dragged, or typed after a double click."""
    label(name, tip)
    speed = max((high - low) / 1000, 0.05) if high - low < 1 << 20 else 1.0
    return imgui.drag_int(f"##{name}", int(value), speed, low, high, "%d", _CLAMPED)


def vector(  # noqa: PLR0913 - what a number has
    name: str,
    values: npt.NDArray[Any],
    low: float | None = None,
    high: float | None = None,
    *,
    unit: str = "",
    digits: str = "%.4g",
    tip: str = "",
) -> bool:
    """Draws an array's numbers, at most four a line, and edits them in place.

    Args:
        name: Of the field.
        values: Shape (n,), written to where the person changes it.
        low: The least each can be.
        high: The most each can be.
        unit: Stands behind the name.
        digits: printf format of each number.
        tip: Tooltip of the name.

    Returns:
        Whether any of them was changed.
    """
    label(f"{name} ({unit})" if unit else name, tip)
    least, most, flags = _bounds(low, high)
    changed = False
    for start in range(0, len(values), _PER_LINE):
        part = values[start : start + _PER_LINE]
        count = len(part)
        imgui.set_next_item_width(-1.0)
        speed = max(float(np.abs(part).max()) / _DRAG_PX, _SMALLEST_DRAG)
        if not any(part):
            speed = 1.0 / _DRAG_PX
        edit = _DRAGS[count]
        given = float(part[0]) if count == 1 else [float(v) for v in part]
        edited, fresh = edit(
            f"##{name}{start}", given, speed, least, most, digits, flags
        )
        if edited:
            new = [fresh] if count == 1 else fresh
            for i, (before, after) in enumerate(zip(part.tolist(), new, strict=True)):
                moved = np.float32(before) != np.float32(after)
                taken, part[i] = _taken(moved, after, before)
                changed = changed or taken
    return changed


def choice(
    name: str, index: int, names: Sequence[str], *, tip: str = ""
) -> tuple[bool, int]:
    """Draws one of several names as a list that opens.

    Args:
        name: Of the field.
        index: The present one's place in `names`.
        names: What there is to choose from.
        tip: Tooltip of the name.

    Returns:
        Whether it was changed, and the place.
    """
    label(name, tip)
    known = 0 <= index < len(names)
    chosen = index
    present = plain(names[index]) if known else str(index)
    # Lists such as those of speeds and labels are seen whole.
    if imgui.begin_combo(f"##{name}", present, imgui.ComboFlags_.height_large):
        clipper = imgui.ListClipper()
        clipper.begin(len(names))
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                if imgui.selectable(f"{plain(names[i])}##{i}", i == index)[0]:
                    chosen = i
        clipper.end()
        imgui.end_combo()
    return chosen != index, chosen


def check(name: str, on: bool, *, tip: str = "") -> tuple[bool, bool]:  # noqa: FBT001 - a box's state
    """Draws a box that is checked or not."""
    label(name, tip)
    return imgui.checkbox(f"##{name}", on)


def colour(name: str, rgba: npt.NDArray[Any], *, tip: str = "") -> bool:
    """Draws a colour with its picker, and edits it in place.

    Args:
        name: Of the field.
        rgba: Shape (3,) or (4,), 0 to 1.
        tip: Tooltip of the name.

    Returns:
        Whether it was changed.
    """
    label(name, tip)
    if len(rgba) == 3:  # noqa: PLR2004 - red, green, blue
        changed, fresh = imgui.color_edit3(f"##{name}", rgba.tolist(), _COLOUR)
        if changed:
            rgba[:] = fresh
        return changed
    changed, mixed = imgui.color_edit4(f"##{name}", ImVec4(*rgba.tolist()), _COLOUR)
    if changed:
        rgba[:] = mixed.x, mixed.y, mixed.z, mixed.w
    return changed


def toggles(
    name: str, names: Sequence[str], states: npt.NDArray[Any], *, least_em: float = 8.0
) -> int | None:
    """Draws boxes in as many columns as there is room for, and edits them in place.

    Not within `rows`.

    Args:
        name: Its ID.
        names: Of the boxes.
        states: Shape (n,), 0 or 1 each.
        least_em: Width that a column needs, in sizes of the text.

    Returns:
        The place of the one that was changed, or None.
    """
    room = imgui.get_content_region_avail().x
    columns = max(1, int(room // (least_em * imgui.get_font_size())))
    changed = None
    if not imgui.begin_table(name, columns, imgui.TableFlags_.no_saved_settings):
        return None
    for i, words in enumerate(names):
        imgui.table_next_column()
        edited, on = imgui.checkbox(f"{words}##{i}", bool(states[i]))
        if edited:
            states[i] = on
            changed = i
    imgui.end_table()
    return changed


def search(ident: str, query: str, hint: str = "Filter") -> str:
    """Draws a field to search with, as wide as there is room; returns its text."""
    imgui.set_next_item_width(-1.0)
    return imgui.input_text_with_hint(f"##{ident}", hint, query)[1]


def _taken(changed: bool, fresh: float, before: float) -> tuple[bool, float]:  # noqa: FBT001 - as it came
    """Returns whether a number was changed to one that makes sense, and which.

    What is typed can be "nan" or "inf". What makes sense is what a person meant who
    sees a 32-bit float's first digits.
    """
    if not changed or not math.isfinite(fresh):
        return False, before
    return True, float(f"{fresh:.{_DIGITS}g}")


def _bounds(low: float | None, high: float | None) -> tuple[float, float, int]:
    """Returns Dear ImGui's bounds and flags; equal bounds mean none to it."""
    largest = float(np.finfo(np.float32).max)
    if low is None and high is None:
        return 0.0, 0.0, 0
    least = -largest if low is None else low
    most = largest if high is None else high
    return least, most, int(_CLAMPED)


_DRAGS: dict[int, Any] = {
    1: imgui.drag_float,
    2: imgui.drag_float2,
    3: imgui.drag_float3,
    4: imgui.drag_float4,
}
