"""All that is known of one element: every field of mjModel and mjData about it.

`Hierarchy` draws it below its tree. Lines are laid out once an element; only those
that can be seen are read and formatted. Viewer thread only.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, ImVec4, imgui

from studio_nb.app import widgets
from studio_nb.app.panel import Scope
from studio_nb.app.panels import attributes, elements, listing, live, units
from studio_nb.app.panels.attributes import INTERNAL, STATE, Attribute
from studio_nb.app.panels.elements import KINDS, Element

_SHARES = (0.36, 0.64)
# How many numbers there is room for beside each other, and how many of those that
# move, which have a fixed width.
_PER_LINE, _PER_LIVE_LINE = 4, 3
# Of so many numbers others go on a line.
_SIDES = {6: 3, 9: 3, 12: 3}
_LIVE_SIDES = {4: 2}
# Of a field with more lines the first are shown, and how many rows there are.
_MOST_LINES = 8
_MOST_LINKS = 20
_RIGHT_BUTTON = 1

_TABLE = (
    imgui.TableFlags_.sizing_stretch_prop
    | imgui.TableFlags_.no_saved_settings
    | imgui.TableFlags_.no_pad_outer_x
)
_HEADING = (
    imgui.TreeNodeFlags_.span_all_columns | imgui.TreeNodeFlags_.no_tree_push_on_open
)
_SWATCH = (
    imgui.ColorEditFlags_.no_tooltip
    | imgui.ColorEditFlags_.no_drag_drop
    | imgui.ColorEditFlags_.alpha_preview_half
)

Choose = Callable[[Element], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One line of the list.

    Attributes:
        group: The heading that it stands under.
        label: At the left; "" where a value goes on.
        source: What it shows; None for a heading.
        row: Which row of the field.
        start: Which numbers of that row, from this one on.
        stop: Up to before this one.
        note: Shown instead of numbers.
    """

    group: str
    label: str
    source: Attribute | live.Live | None = None
    row: int = 0
    start: int = 0
    stop: int = 0
    note: str = ""


class Properties:
    """The list of one element after the other."""

    def __init__(self) -> None:
        """Starts with all groups open but the one that few need."""
        self._folded = {INTERNAL}
        self._lines: list[Line] = []
        self._made_for: tuple[mujoco.MjModel, Element] | None = None
        self._menu: Line | None = None

    def keeps(self) -> dict[str, Any]:
        """Returns which groups are folded."""
        return {"folded": sorted(self._folded)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over what an earlier `keeps` returned; distrusts it."""
        if isinstance(folded := kept.get("folded"), list):
            self._folded = {group for group in attributes.GROUPS if group in folded}
            self._made_for = None

    def lines(self, scope: Scope, element: Element) -> Sequence[Line]:
        """Returns the lines about an element, those in folded groups left out."""
        made_for = (scope.model, element)
        if self._made_for != made_for:
            self._made_for = made_for
            self._lines = [*_lines(scope, element, self._folded)]
        return self._lines

    def draw(self, scope: Scope, element: Element, choose: Choose) -> None:
        """Draws the list.

        Args:
            scope: What panels work with.
            element: What it is about; must be in the model.
            choose: Called with another element when its name is clicked.
        """
        _draw_title(scope.model, element)
        lines = self.lines(scope, element)
        if not imgui.begin_table("properties", 2, _TABLE | imgui.TableFlags_.scroll_y):
            return
        for i, share in enumerate(_SHARES):
            flag = imgui.TableColumnFlags_.width_stretch
            imgui.table_setup_column(f"{i}", flag, share)
        chosen = toggled = menu = None
        clipper = imgui.ListClipper()
        clipper.begin(len(lines))
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                line = lines[i]
                imgui.table_next_row()
                imgui.table_next_column()
                if line.source is None:
                    toggled = line.group if self._draw_heading(line) else toggled
                    continue
                menu = line if _draw_label(line) else menu
                imgui.table_next_column()
                chosen = _draw_value(scope, element, line, i) or chosen
        clipper.end()
        if menu is not None:
            self._menu = menu
            imgui.open_popup("field")
        self._draw_menu(scope, element)
        imgui.end_table()
        if toggled is not None:
            self._folded ^= {toggled}
            self._made_for = None
        if chosen is not None:
            choose(chosen)

    def _draw_heading(self, line: Line) -> bool:
        """Draws the heading of a group; tells whether it was clicked."""
        imgui.set_next_item_open(line.group not in self._folded)
        imgui.tree_node_ex(line.group, _HEADING)
        return imgui.is_item_toggled_open()

    def _draw_menu(self, scope: Scope, element: Element) -> None:
        if not imgui.begin_popup("field"):
            return
        source = self._menu.source if self._menu else None
        if isinstance(source, Attribute):
            code = source.expression(scope.model, element.id)
            if imgui.menu_item_simple(f"Copy {widgets.plain(code)}###code"):
                imgui.set_clipboard_text(code)
            if imgui.menu_item_simple("Copy value"):
                imgui.set_clipboard_text(repr(_values(scope, source, element.id)))
        elif source is not None and imgui.menu_item_simple("Copy value"):
            value = source.read(scope.model, scope.data, element.id)
            is_array = isinstance(value, np.ndarray)
            imgui.set_clipboard_text(repr(value.tolist() if is_array else value))
        imgui.end_popup()


# -- laying out --------------------------------------------------------------------


def _lines(scope: Scope, element: Element, folded: set[str]) -> list[Line]:
    found: dict[str, list[Line]] = {group: [] for group in attributes.GROUPS}
    for each in live.OF_KIND.get(element.obj, ()):
        found[STATE].append(Line(STATE, each.label, each))
    for attribute in attributes.of_kind(element.obj):
        found[attribute.group] += _lines_of(scope, attribute, element)
    lines = []
    for group, those in found.items():
        if those:
            lines.append(Line(group, group))
            lines += [] if group in folded else those
    return lines


def _lines_of(scope: Scope, attribute: Attribute, element: Element) -> list[Line]:
    """Returns the lines of a field, the first with its name."""
    try:
        array = attribute.array(scope.model, scope.data)
    except AttributeError:
        # Declared in C, but not part of the Python binding.
        return []
    if not isinstance(array, np.ndarray):
        return []
    group, label = attribute.group, _label(attribute, element)
    if attribute.rows is None:
        shape = " \N{MULTIPLICATION SIGN} ".join(f"{n:,}" for n in array.shape)
        return [Line(group, label, attribute, note=f"{shape}, of all together")]
    where = attribute.rows(scope.model, element.id)
    width = int(np.prod(array.shape[1:], dtype=int))
    if where.stop > len(array) or where.stop == where.start or not width:
        return [Line(group, label, attribute, note="none")]
    most, sides = _PER_LINE, _SIDES
    if attribute.root == "data":
        most, sides = _PER_LIVE_LINE, _LIVE_SIDES
    step = sides.get(width, most)
    rows = range(where.start, where.stop)
    if width == 1:
        # Several numbers of one field go beside each other.
        parts = [
            (at, 0, min(most, where.stop - at))
            for at in range(where.start, where.stop, most)
        ]
    else:
        parts = [
            (row, start, min(start + step, width))
            for row in rows[:_MOST_LINES]
            for start in range(0, width, step)
        ]
    lines = [
        Line(group, "" if i else label, attribute, *part)
        for i, part in enumerate(parts[:_MOST_LINES])
    ]
    if len(parts) > _MOST_LINES or (width > 1 and len(rows) > _MOST_LINES):
        lines.append(Line(group, "", attribute, note=f"{len(rows):,} in all"))
    return lines


def _label(attribute: Attribute, element: Element) -> str:
    """Returns a field's name without its kind; the tooltip has all of it."""
    return attribute.name.removeprefix(KINDS[element.obj].prefix)


# -- drawing -----------------------------------------------------------------------


def _draw_title(model: mujoco.MjModel, element: Element) -> None:
    kind = KINDS[element.obj]
    imgui.text_unformatted(f"{kind.icon}  {elements.title(model, element)}")
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        imgui.set_tooltip(elements.path(model, element))
    imgui.same_line()
    imgui.text_disabled(f"{kind.word} {element.id}")


def _draw_label(line: Line) -> bool:
    """Draws a line's name; tells whether its menu is wanted."""
    imgui.text_disabled(line.label)
    if not line.label or line.source is None or not imgui.is_item_hovered():
        return False
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        source = line.source
        name = f"{source.root}.{source.name}" if isinstance(source, Attribute) else ""
        imgui.set_tooltip("\n".join(filter(None, (name, source.text))))
    return imgui.is_item_clicked(_RIGHT_BUTTON)


def _draw_value(
    scope: Scope, element: Element, line: Line, ident: int
) -> Element | None:
    """Draws a line's value; returns the element whose name was clicked."""
    source, model = line.source, scope.model
    if line.note:
        imgui.text_disabled(line.note)
        return None
    if isinstance(source, live.Live):
        value = source.read(model, scope.data, element.id)
        if isinstance(value, list):
            return _draw_links(model, value, ident)
        if not isinstance(value, str):
            value = " ".join(listing.fixed(number) for number in value.tolist())
        _draw_words(f"{value} {source.unit}")
        return None
    if source is None:
        return None
    numbers = _numbers(scope, source, line)
    kind = attributes.refers(source, model, element.id, line.row)
    if kind is not None:
        linked = [Element(kind, int(number)) for number in numbers]
        linked = [each for each in linked if elements.exists(model, each)]
        return _draw_links(model, linked, ident)
    if source.name.endswith("rgba"):
        size = imgui.get_text_line_height()
        colour = ImVec4(*numbers.tolist())
        imgui.color_button(f"##{ident}", colour, _SWATCH, ImVec2(size, size))
        imgui.same_line()
    unit = units.unit_of(model, source.name, element.id) if line.label else ""
    _draw_words(f"{_text(source, numbers)} {unit}")
    return None


def _draw_words(words: str) -> None:
    """Draws a value; what has no room stands in the tooltip."""
    imgui.text_unformatted(words)
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        imgui.set_tooltip(words)


def _draw_links(
    model: mujoco.MjModel, linked: Sequence[Element], ident: int
) -> Element | None:
    """Draws names that can be clicked, beside each other; returns the clicked one."""
    if not linked:
        imgui.text_disabled("none")
    clicked = None
    for i, each in enumerate(linked[:_MOST_LINKS]):
        if i:
            imgui.same_line()
        if imgui.text_link(
            f"{widgets.plain(elements.title(model, each))}##{ident}.{i}"
        ):
            clicked = each
    return clicked


def _numbers(scope: Scope, source: Attribute, line: Line) -> npt.NDArray[Any]:
    """Returns the numbers of a line."""
    array = source.array(scope.model, scope.data)
    if array.ndim == 1 or array.shape[1:] == (1,):
        return array[line.row : line.row + line.stop].ravel()
    return array[line.row].ravel()[line.start : line.stop]


def _values(scope: Scope, source: Attribute, element: int) -> list[Any] | Any:  # noqa: ANN401 - as the array's
    """Returns all that a field says of an element, as lists."""
    array = source.array(scope.model, scope.data)
    if source.rows is None:
        return array.tolist()
    rows = array[source.rows(scope.model, element)].tolist()
    return rows[0] if len(rows) == 1 else rows


def _text(source: Attribute, numbers: npt.NDArray[Any]) -> str:
    """Returns numbers as people read them; those that move keep their width."""
    if source.enum:
        known = elements.words(source.enum)
        return " ".join(known.get(int(n), str(int(n))) for n in numbers)
    if numbers.dtype == np.bool_:
        return " ".join("yes" if on else "no" for on in numbers)
    if numbers.dtype.kind in "iu":
        if source.name.endswith(("id", "adr")) and (numbers == -1).all():
            return "none"
        return " ".join(map(str, numbers.tolist()))
    if source.root == "data":
        return " ".join(listing.fixed(number) for number in numbers.tolist())
    return " ".join(f"{number:.5g}" for number in numbers.tolist())
