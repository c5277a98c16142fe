"""The window Hierarchy: the model's elements as a tree, and what is selected of them.

The selection goes both ways: a body, or something of one, that is chosen here is
selected in the view, and a body that is selected there is shown here. `App` draws
the window on the viewer thread.
"""

from typing import Any

import mujoco
from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import elements, listing
from studio_nb.app.panels.elements import BODY, KINDS, OBJ, Element
from studio_nb.app.panels.properties import Properties
from studio_nb.app.panels.tree import HEAD, Tree
from studio_nb.ui import theme

_Key = imgui.Key
_CAMERA = int(OBJ.mjOBJ_CAMERA)
_KINDS = mujoco.mjtCamera

# The tree's share of the window at first; a person drags the edge.
_TREE_SHARE = 0.5
_LEAST_EM = 4.0
_INDENT_EM = 0.9
_ICON_EM = 1.5
_ARROW_EM = 1.0
_RIGHT_BUTTON = 1
_PAGE, _FAR = 10, 1 << 40
# Keys, and by how many rows they walk.
_STEPS = {
    _Key.down_arrow: 1,
    _Key.up_arrow: -1,
    _Key.page_down: _PAGE,
    _Key.page_up: -_PAGE,
    _Key.home: -_FAR,
    _Key.end: _FAR,
}

_KEYS = frozenset(
    {*_STEPS, _Key.left_arrow, _Key.right_arrow, _Key.enter, _Key.keypad_enter}
)

_ROW = imgui.SelectableFlags_.allow_double_click
_HELP = (
    "Words that the name has in it.\n"
    "type:geom leaves one kind of element, id:3 one number."
)


class Hierarchy(Panel):
    """The tree with its search, and the properties of the selected element."""

    title = "Hierarchy"

    def __init__(self) -> None:
        """Starts with nothing selected."""
        self.properties = Properties()
        self._tree: Tree | None = None
        self._query = ""
        self._fields = 0
        self._selected: Element | None = None
        self._cursor = 0
        self._scrolls = self._reveals = False
        self._seen_body = 0
        self._menu: Element | None = None

    @property
    def selected(self) -> Element | None:
        """The element whose properties are shown."""
        return self._selected

    def keeps(self) -> dict[str, Any]:
        """Returns which groups of properties are folded."""
        return self.properties.keeps()

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over which groups of properties are folded."""
        self.properties.restore(kept)

    # -- the model and the view ------------------------------------------------

    def on_model(self, scope: Scope) -> None:
        """Lays out the new model's tree; what it has of the old one stays open."""
        before, self._tree = self._tree, None
        chosen, self._selected = self._selected, None
        self._cursor, self._seen_body = 0, int(scope.viewer.perturb.select)
        if before is None or chosen is None:
            self._follow(scope)
        elif name := elements.name(before.model, chosen):
            found = mujoco.mj_name2id(scope.model, chosen.obj, name)
            self._selected = Element(chosen.obj, found) if found >= 0 else None
        tree = self._tree_of(scope)
        if before is not None:
            tree.reopen(before.opened())
        if self._selected is not None:
            self._cursor = tree.node(self._selected)

    def update(self, scope: Scope) -> None:
        """Notices what was selected in the view."""
        if (body := int(scope.viewer.perturb.select)) != self._seen_body:
            self._seen_body = body
            self._follow(scope)

    def _follow(self, scope: Scope) -> None:
        """Takes over the view's selection."""
        body = Element(BODY.obj, self._seen_body)
        if body.id > 0 and elements.exists(scope.model, body):
            self._selected = body
            self._reveals = True
        elif self._selected is not None and self._body(scope) > 0:
            self._selected = None

    def choose(self, scope: Scope, element: Element) -> None:
        """Selects an element, here and, if it is of a body, in the view."""
        self._selected = element
        self._reveals = True
        if (body := self._body(scope)) >= 0:
            listing.select(scope, body)
            self._seen_body = int(scope.viewer.perturb.select)

    def _body(self, scope: Scope) -> int:
        """Returns the body that the selected element is or is of; -1 if of none."""
        if not self._selected or not elements.exists(scope.model, self._selected):
            return -1
        return elements.body_of(scope.model, self._selected)

    def _tree_of(self, scope: Scope) -> Tree:
        if self._tree is None or self._tree.model is not scope.model:
            self._tree = Tree(scope.model)
            self._tree.search(self._query)
        return self._tree

    # -- drawing ---------------------------------------------------------------

    def draw(self, scope: Scope) -> None:
        """Draws the search, the tree and the properties."""
        tree = self._tree_of(scope)
        self._draw_search(tree)
        if self._selected and not elements.exists(scope.model, self._selected):
            self._selected = None
        self._reveals |= imgui.is_window_appearing()
        room = imgui.get_content_region_avail()
        least = _LEAST_EM * scope.em
        most = max(room.y - least, least)
        size = ImVec2(0.0, _TREE_SHARE * room.y)
        imgui.set_next_window_size_constraints(ImVec2(0.0, least), ImVec2(room.x, most))
        if imgui.begin_child("tree", size, imgui.ChildFlags_.resize_y):
            self._draw_tree(scope, tree)
        imgui.end_child()
        imgui.separator()
        if imgui.begin_child("properties"):
            self._draw_properties(scope)
        imgui.end_child()

    def _draw_properties(self, scope: Scope) -> None:
        if self._selected is None:
            listing.say("Select an element to see its properties.")
        else:
            self.properties.draw(
                scope, self._selected, lambda element: self.choose(scope, element)
            )

    def _draw_search(self, tree: Tree) -> None:
        style = imgui.get_style()
        buttons = 2 * (imgui.get_frame_height() + style.item_spacing.x)
        imgui.set_next_item_width(-buttons)
        imgui.push_id(self._fields)
        _, self._query = imgui.input_text_with_hint("##search", "Search", self._query)
        imgui.pop_id()
        if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
            imgui.set_tooltip(_HELP)
        tree.search(self._query)
        side = imgui.get_frame_height()
        for icon, words, are_open in (
            (icons_fontawesome_6.ICON_FA_ANGLES_DOWN, "Open all", True),
            (icons_fontawesome_6.ICON_FA_ANGLES_UP, "Close all", False),
        ):
            imgui.same_line()
            if imgui.button(f"{icon}###{words}", ImVec2(side, side)):
                tree.open_all(are_open=are_open)
                self._reveals = are_open
            if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
                imgui.set_tooltip(words)

    def _draw_tree(self, scope: Scope, tree: Tree) -> None:
        if imgui.is_window_focused():
            self._keys(scope, tree)
        if self._reveals and self._selected is not None:
            self._cursor = tree.node(self._selected)
            tree.reveal(self._cursor)
            self._scrolls = True
            if self._query != tree.query:
                self._query = tree.query
                # A field that is being typed in would put its text back: the next
                # one is another.
                self._fields += 1
        self._reveals = False
        rows = tree.rows
        if not len(rows):
            listing.say("Nothing matches the search.")
            return
        height = imgui.get_text_line_height_with_spacing()
        self._scroll_to(tree.row(self._cursor), height)
        painter = _Painter(scope, tree)
        selected = -1 if self._selected is None else tree.node(self._selected)
        clipper = imgui.ListClipper()
        clipper.begin(len(rows), height)
        while clipper.step():
            for row in range(clipper.display_start, clipper.display_end):
                self._draw_row(scope, painter, int(rows[row]), selected)
        clipper.end()
        self._draw_menu(scope)

    def _scroll_to(self, row: int, height: float) -> None:
        """Brings the cursor's row into sight, where it is not, if that is wanted."""
        if not self._scrolls or row < 0:
            return
        self._scrolls = False
        top, room = imgui.get_scroll_y(), imgui.get_window_height()
        if not top <= row * height <= top + room - 2 * height:
            imgui.set_scroll_y(max(row * height - (room - height) / 2, 0.0))

    def _draw_row(
        self, scope: Scope, painter: "_Painter", node: int, selected: int
    ) -> None:
        tree, element = painter.tree, painter.tree.element(node)
        corner = imgui.get_cursor_screen_pos()
        # The arrow's side of the row opens; an ID outlives what opens and closes.
        word = KINDS[element.obj].word
        clicked, _ = imgui.selectable(f"###{word} {element.id}", node == selected, _ROW)
        hovered = imgui.is_item_hovered()
        painter.paint(node, element, corner, framed=node == self._cursor)
        if clicked:
            self._cursor = node
            inside = imgui.get_mouse_pos().x - painter.text_x(node, corner.x)
            if tree.has_children(node) and inside < 0:
                tree.open(node, is_open=not tree.is_open(node))
            else:
                self._take(scope, tree, node)
                self._reveals = False
                if imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
                    _look_at(scope, element)
        if not hovered or element.id == HEAD:
            return
        if imgui.is_mouse_clicked(_RIGHT_BUTTON):
            self._menu = element
            imgui.open_popup("row")
        if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
            lines = (elements.path(scope.model, element), f"{word} {element.id}")
            imgui.set_tooltip("\n".join(lines))

    def _draw_menu(self, scope: Scope) -> None:
        if not imgui.begin_popup("row"):
            return
        element = self._menu
        if element is None or not elements.exists(scope.model, element):
            imgui.close_current_popup()
            imgui.end_popup()
            return
        body = elements.body_of(scope.model, element)
        if imgui.menu_item_simple(
            "Look at it", enabled=elements.position(scope.data, element) is not None
        ):
            _look_at(scope, element, through=False)
        if imgui.menu_item_simple("Track with the camera", enabled=body > 0):
            scope.viewer.camera.type = _KINDS.mjCAMERA_TRACKING
            scope.viewer.camera.trackbodyid = body
        if element.obj == _CAMERA and imgui.menu_item_simple("Look through it"):
            _look_at(scope, element)
        imgui.separator()
        if imgui.menu_item_simple("Copy name"):
            imgui.set_clipboard_text(elements.title(scope.model, element))
        if imgui.menu_item_simple("Copy path"):
            imgui.set_clipboard_text(elements.path(scope.model, element))
        imgui.end_popup()

    # -- keys ------------------------------------------------------------------

    def _keys(self, scope: Scope, tree: Tree) -> None:
        """Walks with the arrows, and opens, closes and selects."""
        if imgui.is_window_hovered():
            # Else the arrows would step the simulation, too.
            scope.taken_keys = _KEYS
        rows = tree.rows
        if not len(rows):
            return
        row = max(tree.row(self._cursor), 0)
        for key, by in _STEPS.items():
            if imgui.is_key_pressed(key):
                self._walk(int(rows[min(max(row + by, 0), len(rows) - 1)]))
        node = int(rows[row])
        if imgui.is_key_pressed(_Key.right_arrow):
            self._unfold(tree, node)
        if imgui.is_key_pressed(_Key.left_arrow):
            self._fold(tree, node)
        if imgui.is_key_pressed(_Key.enter) or imgui.is_key_pressed(_Key.keypad_enter):
            self._take(scope, tree, node)

    def _unfold(self, tree: Tree, node: int) -> None:
        """Opens a node; goes below it when it is open."""
        if not tree.has_children(node):
            return
        if tree.is_open(node):
            self._walk(int(tree.rows[tree.row(node) + 1]))
        tree.open(node)

    def _fold(self, tree: Tree, node: int) -> None:
        """Closes a node; goes above it when it is closed."""
        if tree.has_children(node) and tree.is_open(node):
            tree.open(node, is_open=False)
        elif tree.parent[node] >= 0:
            self._walk(int(tree.parent[node]))

    def _take(self, scope: Scope, tree: Tree, node: int) -> None:
        """Selects what a node stands for, or opens and closes a group."""
        element = tree.element(node)
        if element.id == HEAD:
            tree.open(node, is_open=not tree.is_open(node))
        else:
            self.choose(scope, element)

    def _walk(self, node: int) -> None:
        self._cursor = node
        self._scrolls = True


class _Painter:
    """Draws what is to be seen of the rows, over their selectables."""

    def __init__(self, scope: Scope, tree: Tree) -> None:
        """Looks up what all rows need."""
        palette = scope.palette
        self.tree = tree
        self._model = scope.model
        self._em = scope.em
        self._list = imgui.get_window_draw_list()
        self._text, self._dim, self._brand = (
            imgui.get_color_u32(theme.rgba(colour))
            for colour in (palette.text, palette.dim, palette.brand)
        )
        self._width = imgui.get_content_region_avail().x

    def text_x(self, node: int, x: float) -> float:
        """Returns where the icon of a row that begins at `x` is."""
        indent = float(self.tree.depth[node]) * _INDENT_EM
        return x + (indent + _ARROW_EM) * self._em

    def paint(
        self, node: int, element: Element, corner: ImVec2, *, framed: bool
    ) -> None:
        """Draws arrow, icon, name and type of a row."""
        tree, kind, draw = self.tree, KINDS[element.obj], self._list.add_text
        x, y = self.text_x(node, corner.x), corner.y
        if tree.has_children(node):
            is_open = tree.is_open(node)
            arrow = _OPEN if is_open else _CLOSED
            draw(ImVec2(x - _ARROW_EM * self._em, y), self._dim, arrow)
        is_body = element.obj == BODY.obj
        draw(ImVec2(x, y), self._brand if is_body else self._dim, kind.icon)
        title = tree.title(node)
        x += _ICON_EM * self._em
        draw(ImVec2(x, y), self._text, title)
        note = str(tree.children[node]) if tree.children[node] else ""
        if element.id != HEAD:
            note = note or elements.type_of(self._model, element)
        if note:
            x += imgui.calc_text_size(title).x + 0.6 * self._em
            draw(ImVec2(x, y), self._dim, note)
        if framed:
            low = ImVec2(corner.x, y)
            high = ImVec2(corner.x + self._width, y + imgui.get_text_line_height())
            self._list.add_rect(low, high, self._dim)


_OPEN = icons_fontawesome_6.ICON_FA_CARET_DOWN
_CLOSED = icons_fontawesome_6.ICON_FA_CARET_RIGHT


def _look_at(scope: Scope, element: Element, *, through: bool = True) -> None:
    """Turns the view's camera to an element, or looks through it if it is a camera."""
    camera = scope.viewer.camera
    if through and element.obj == _CAMERA:
        scope.lenses.choose(element.id)
        return
    place = elements.position(scope.data, element)
    if place is not None:
        camera.type = _KINDS.mjCAMERA_FREE
        camera.fixedcamid = camera.trackbodyid = -1
        camera.lookat[:] = place
