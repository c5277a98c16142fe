"""Rows for the fields of MuJoCo's structs, found by looking at the struct.

A section of the Options hands over a struct and a table of what is known of its
fields; a field that the table lacks, because MuJoCo is newer, still has a row.
Fields and boxes stand in groups that fold and can be searched. Only rows that can
be seen are drawn. Viewer thread only.
"""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui

from studio_nb.app import widgets

_INT = np.iinfo(np.int32)
# Longer arrays have a row for each of their numbers.
_MOST_IN_ROW = 4
_COLOUR_SIZES = (3, 4)

_GROUP = (
    imgui.TreeNodeFlags_.span_avail_width | imgui.TreeNodeFlags_.no_tree_push_on_open
)
_TOOLTIP = imgui.HoveredFlags_.for_tooltip


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """What is known of a field beside its name and type.

    Attributes:
        tip: What it is.
        unit: Of its value.
        low: The least value that makes sense; None: no bound.
        high: The greatest; None: no bound.
        choices: Of a whole number: the names of 0, 1, ...
        parts: Of an array: the names of its numbers.
        check: Whether it is a whole number for yes or no.
        colour: Whether it is an array of red, green, blue and perhaps alpha.
    """

    tip: str = ""
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    check: bool = False
    colour: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One row: a field, or a number of one.

    Attributes:
        name: Of the field.
        label: What the row is called.
        field: What is known of it.
        index: The place of the number in an array that has a row for each; else None.
    """

    name: str
    label: str
    field: Field
    index: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Toggle:
    """A box to check.

    Attributes:
        index: The place of its state.
        label: Its name.
        tip: What it is.
        why_not: Why it cannot be changed, or "".
    """

    index: int
    label: str
    tip: str = ""
    why_not: str = ""


def names(struct: object) -> tuple[str, ...]:
    """Returns the names of a struct's numbers and arrays."""
    return tuple(
        name
        for name in dir(struct)
        if not name.startswith("_")
        and isinstance(getattr(struct, name), (int, float, np.ndarray))
    )


def lines(struct: object, known: Mapping[str, Field]) -> tuple[Line, ...]:
    """Returns the rows of some fields.

    Args:
        struct: Whose fields they are.
        known: Those that it has, in this order.
    """
    there = set(names(struct))
    return tuple(
        line
        for name, field in known.items()
        if name in there
        for line in _lines(name, field, getattr(struct, name))
    )


def others(struct: object, known: Iterable[str]) -> tuple[Line, ...]:
    """Returns the rows of the fields that no table knows."""
    unknown = sorted(set(names(struct)) - set(known))
    return lines(struct, dict.fromkeys(unknown, Field()))


def _lines(name: str, field: Field, value: Any) -> list[Line]:  # noqa: ANN401 - of any type
    size = value.size if isinstance(value, np.ndarray) else 0
    if size <= _MOST_IN_ROW:
        return [Line(name, name, field)]
    parts = field.parts or tuple(str(i) for i in range(size))
    return [
        Line(name, f"{name} {part}", field, index) for index, part in enumerate(parts)
    ]


def flags(enum: type, prefix: str) -> tuple[tuple[str, int], ...]:
    """Returns the members of one of MuJoCo's enums: short name and value.

    Args:
        enum: Such as `mujoco.mjtDisableBit`.
        prefix: Of the names; members without, such as the count, are left out.
    """
    members: Mapping[str, Any] = getattr(enum, "__members__")  # noqa: B009 - no Enum of Python's
    return tuple(
        (name.removeprefix(prefix), int(member))
        for name, member in members.items()
        if name.startswith(prefix)
    )


class Folds:
    """The groups of one section: which are unfolded, and what is searched for."""

    def __init__(self, *unfolded: str) -> None:
        """Starts with these unfolded."""
        self._unfolded = set(unfolded)
        self._query = ""

    def keeps(self) -> dict[str, Any]:
        """Returns what is unfolded, to be remembered."""
        return {"unfolded": sorted(self._unfolded)}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Takes over what `keeps` returned; distrusts it."""
        unfolded = kept.get("unfolded")
        if isinstance(unfolded, list):
            self._unfolded = {title for title in unfolded if isinstance(title, str)}

    def search(self) -> None:
        """Draws the field to search in all groups with."""
        self._query = widgets.search("filter", self._query)

    def edit(self, title: str, struct: object, rows: Sequence[Line]) -> str | None:
        """Draws a group of fields, and sets the one that the person changes.

        Returns:
            The name of that field, or None.
        """
        rows = [line for line in rows if self._matches(title, line.label, line.name)]
        with self.group(title, rows) as unfolded:
            return edit(title, struct, rows) if unfolded else None

    def toggles(
        self, title: str, items: Sequence[Toggle], is_on: Callable[[int], Any]
    ) -> int | None:
        """Draws a group of boxes; see `toggles`.

        Returns:
            The place of the state that the person wants the other way, or None.
        """
        items = [item for item in items if self._matches(title, item.label)]
        with self.group(title, items) as unfolded:
            return toggles(title, items, is_on) if unfolded else None

    def matching(self, title: str, labels: Sequence[str]) -> list[str]:
        """Returns those of a group's labels that are to be shown."""
        return [label for label in labels if self._matches(title, label)]

    def _matches(self, *texts: str) -> bool:
        query = self._query.strip().lower()
        return not query or any(query in text.lower() for text in texts)

    @contextlib.contextmanager
    def group(self, title: str, contents: Sequence[object]) -> Generator[bool]:
        """Opens a group for the block.

        Args:
            title: Its title.
            contents: What of it is to be shown; a group without is not.

        Yields:
            Whether it is unfolded.
        """
        if not contents:
            yield False
            return
        searching = bool(self._query.strip())
        imgui.set_next_item_open(searching or title in self._unfolded)
        unfolded = imgui.tree_node_ex(title, _GROUP)
        if not searching:
            (self._unfolded.add if unfolded else self._unfolded.discard)(title)
        imgui.push_id(title)
        try:
            yield unfolded
        finally:
            imgui.pop_id()


def edit(ident: str, struct: object, rows: Sequence[Line]) -> str | None:
    """Draws a table of fields, and sets the one that the person changes.

    Args:
        ident: ID of the table.
        struct: Whose fields they are.
        rows: Which fields.

    Returns:
        The name of the field that was changed, or None.
    """
    changed = None
    with widgets.rows(ident) as visible:
        if not visible:
            return None
        clipper = imgui.ListClipper()
        clipper.begin(len(rows))
        while clipper.step():
            for line in rows[clipper.display_start : clipper.display_end]:
                if draw_row(struct, line):
                    changed = line.name
        clipper.end()
    return changed


def draw_row(struct: object, line: Line) -> bool:
    """Draws the row of a field, within `widgets.rows`; sets it if it is changed."""
    field, value = line.field, getattr(struct, line.name)
    if isinstance(value, np.ndarray):
        return _edit_array(line, value)
    changed, fresh = _edit_number(line, field, value)
    if changed:
        setattr(struct, line.name, fresh)
    return changed


def _edit_array(line: Line, value: np.ndarray) -> bool:
    field = line.field
    if value.size == 0:
        widgets.text(line.label, "\N{EN DASH}", _tip(field, "Not readable here."))
        return False
    if line.index is not None:
        changed, fresh = _edit_number(line, field, float(value[line.index]))
        if changed:
            value[line.index] = fresh
        return changed
    if field.colour and value.size in _COLOUR_SIZES:
        return widgets.colour(line.label, value, tip=field.tip)
    return widgets.vector(
        line.label, value, field.low, field.high, unit=field.unit, tip=field.tip
    )


def _edit_number(line: Line, field: Field, value: float) -> tuple[bool, float]:
    if field.choices:
        return widgets.choice(line.label, int(value), field.choices, tip=field.tip)
    if field.check:
        changed, on = widgets.check(line.label, bool(value), tip=field.tip)
        return changed, int(on)
    if isinstance(value, int):
        low = _INT.min if field.low is None else int(field.low)
        high = _INT.max if field.high is None else int(field.high)
        return widgets.integer(line.label, value, low, high, tip=_ranged(field))
    return widgets.number(
        line.label, value, field.low, field.high, unit=field.unit, tip=_ranged(field)
    )


@functools.cache
def _ranged(field: Field) -> str:
    """Returns the tip of a field with its range."""
    match field.low, field.high:
        case None, None:
            return field.tip
        case low, None:
            words = f"At least {low:g}"
        case None, high:
            words = f"At most {high:g}"
        case low, high:
            words = f"{low:g} to {high:g}"
    return _tip(field, f"{words} {field.unit}".rstrip() + ".")


def _tip(field: Field, more: str) -> str:
    return f"{field.tip}\n{more}" if field.tip else more


def toggles(
    ident: str,
    items: Sequence[Toggle],
    is_on: Callable[[int], Any],
    *,
    least_em: float = 8.0,
) -> int | None:
    """Draws boxes in as many columns as there is room for.

    Args:
        ident: ID of the table.
        items: The boxes.
        is_on: Tells of a `Toggle.index` whether it is checked.
        least_em: Width that a column needs, in sizes of the text.

    Returns:
        The place of the state that the person wants the other way, or None.
    """
    room = imgui.get_content_region_avail().x
    columns = max(1, int(room // (least_em * imgui.get_font_size())))
    pressed = None
    if not imgui.begin_table(ident, columns, imgui.TableFlags_.no_saved_settings):
        return None
    clipper = imgui.ListClipper()
    clipper.begin(-(-len(items) // columns))
    while clipper.step():
        start, end = clipper.display_start * columns, clipper.display_end * columns
        for item in items[start:end]:
            imgui.table_next_column()
            if _toggle(item, on=bool(is_on(item.index))):
                pressed = item.index
    clipper.end()
    imgui.end_table()
    return pressed


def _toggle(item: Toggle, *, on: bool) -> bool:
    if item.why_not:
        imgui.begin_disabled()
    pressed = imgui.checkbox(item.label, on)[0]
    if item.why_not:
        imgui.end_disabled()
    if imgui.is_item_hovered(_TOOLTIP):
        texts = (item.label, item.tip, item.why_not)
        imgui.set_tooltip("\n".join(text for text in texts if text))
    return pressed
