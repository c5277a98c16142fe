"""Where windows stand: a dock on the left, right and bottom of the free scene.

`App` opens the dock space in each frame, between the two rows at the top and the
bottom, before any window; windows say with `dock_next_window` where they appear
for the first time. Where a person drags them is Dear ImGui's matter, and kept in
its settings. Viewer thread only, within a frame.
"""

import dataclasses
import zlib
from typing import Literal

from imgui_bundle import ImVec2, imgui

Dock = Literal["left", "right", "bottom", "float"]

# The windows that come with each dock. Others join them, wherever they were moved.
ANCHORS: dict[str, tuple[str, ...]] = {
    "left": ("Options",),
    "right": ("Inspector", "Hierarchy"),
    "bottom": ("Console", "Profiler"),
}

# A view that is narrower than this opens with its sides folded.
WIDE_PX = 860.0
_HIGH_PX = 480.0
_LEFT_PX = 262.0
_RIGHT_PX = 272.0
_BOTTOM_PX = 170.0
_MOST_SHARE = 0.45

_internal = imgui.internal
_HOST = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_background
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_saved_settings
)
_SPACE = (
    imgui.DockNodeFlags_.passthru_central_node
    | imgui.DockNodeFlags_.no_docking_over_central_node
    | _internal.DockNodeFlagsPrivate_.no_window_menu_button
    | _internal.DockNodeFlagsPrivate_.no_close_button
)


@dataclasses.dataclass(frozen=True, slots=True)
class Rect:
    """A part of the view, CSS pixels from its top left.

    Attributes:
        x: Of the left edge.
        y: Of the upper edge.
        width: To the right edge.
        height: To the lower edge.
    """

    x: float
    y: float
    width: float
    height: float


class Layout:
    """The dock space of one view.

    Attributes:
        free: What the docks leave of the view for the scene.
    """

    def __init__(self) -> None:
        """Starts without docks; the first frame makes them."""
        self.free = Rect(0.0, 0.0, 1.0, 1.0)
        self._reset = False
        self._loaded = False

    def load(self, settings: str) -> None:
        """Takes over what `save` returned once, before a frame is opened.

        Anything else is passed over: Dear ImGui believes what it reads, and docks that
        contain themselves would keep it busy for ever.
        """
        mark, _, text = settings.partition("\n")
        if mark == _mark(text):
            imgui.load_ini_settings_from_memory(text)
            self._loaded = True

    def save(self) -> str:
        """Returns where the windows are: a mark, and Dear ImGui's settings."""
        text = imgui.save_ini_settings_to_memory()
        return f"{_mark(text)}\n{text}"

    def reset(self) -> None:
        """Puts every window where it was at first, in the next frame."""
        self._reset = True

    def begin(self, area: Rect) -> None:
        """Opens the dock space.

        Args:
            area: What the rows at the top and the bottom leave.
        """
        imgui.set_next_window_pos(ImVec2(area.x, area.y))
        imgui.set_next_window_size(ImVec2(area.width, area.height))
        imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0.0, 0.0))
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_min_size, ImVec2(1.0, 1.0))
        imgui.begin("###docks", flags=_HOST)
        imgui.pop_style_var(3)
        space = imgui.get_id("###space")
        known = self._loaded or _internal.dock_builder_get_node(space) is not None
        if self._reset or not known:
            self._reset = False
            _build(space, area)
        imgui.dock_space(space, ImVec2(0.0, 0.0), _SPACE)
        centre = _internal.dock_builder_get_central_node(space)
        if centre is not None:
            self.free = Rect(centre.pos.x, centre.pos.y, centre.size.x, centre.size.y)
        imgui.end()


def _mark(text: str) -> str:
    """Returns by what settings are known to be whole."""
    return f"; {zlib.crc32(text.encode(errors='replace')):08x}"


def dock_next_window(title: str, dock: Dock, size: ImVec2 | None = None) -> None:
    """Says where the next window stands when it is seen for the first time.

    Args:
        title: The window's, by which a person's own place for it is remembered.
        dock: The side; "float": over the scene.
        size: Of a floating window, CSS pixels; None: as its contents want.
    """
    first = imgui.Cond_.first_use_ever
    node = _node_of(dock)
    if node and title not in ANCHORS.get(dock, ()):
        imgui.set_next_window_dock_id(node, first)
        return
    if node or dock != "float":
        return
    view = imgui.get_main_viewport().size
    imgui.set_next_window_pos(
        ImVec2(view.x * 0.5, view.y * 0.5), first, ImVec2(0.5, 0.5)
    )
    if size is not None:
        imgui.set_next_window_size(size, first)


def _node_of(dock: Dock) -> int:
    """Returns the dock node in which a side's own windows are; 0 if in none."""
    for title in ANCHORS.get(dock, ()):
        window = _internal.find_window_by_name(title)
        # One that was never open has its place in the settings alone.
        place = window or _internal.find_window_settings_by_id(
            _internal.im_hash_str(title)
        )
        if place is not None and place.dock_id:
            return place.dock_id
    return 0


def _build(space: int, area: Rect) -> None:
    """Makes the three docks and puts their own windows there."""
    _internal.dock_builder_remove_node(space)
    _internal.dock_builder_add_node(
        space, int(_internal.DockNodeFlagsPrivate_.dock_space)
    )
    # The sides keep their widths in pixels, also in a view that opens narrow.
    area = Rect(area.x, area.y, max(area.width, WIDE_PX), max(area.height, _HIGH_PX))
    _internal.dock_builder_set_node_size(space, ImVec2(area.width, area.height))
    centre, left_width = space, _share(_LEFT_PX, area.width)
    places: dict[str, int] = {}
    for dock, direction, share in (
        ("left", imgui.Dir.left, left_width),
        ("right", imgui.Dir.right, _share(_RIGHT_PX, area.width * (1 - left_width))),
        ("bottom", imgui.Dir.down, _share(_BOTTOM_PX, area.height)),
    ):
        parts = _internal.dock_builder_split_node(centre, direction, share)
        places[dock], centre = parts.id_at_dir, parts.id_at_opposite_dir
    for dock, titles in ANCHORS.items():
        # The last one is in front.
        for title in reversed(titles):
            _internal.dock_builder_dock_window(title, places[dock])
    _internal.dock_builder_finish(space)


def _share(pixels: float, whole: float) -> float:
    return min(pixels / max(whole, 1.0), _MOST_SHARE)
