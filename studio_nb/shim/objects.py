"""The classes of Studio's Dear ImGui module: what `GetIO()` and its like return.

Each stands for one of imgui-bundle's and has the attributes and methods of
Studio's, spelt as there. `GetIO()` and `GetStyle()` keep no reference into a
context, which may be closed: they look at the current one each time. Viewer thread.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

from imgui_bundle import ImVec2, imgui

_T = TypeVar("_T")


def _current(value: _T) -> _T:
    """Returns `value` while a context is current; without one, reading it crashes.

    Raises:
        RuntimeError: If no context is current.
    """
    if imgui.get_current_context() is None:
        msg = "Dear ImGui has no context here: use it in a handler of a ViewerPlugin"
        raise RuntimeError(msg)
    return value


class _Part:
    """An attribute of the current context's IO or style.

    Args:
        name: imgui-bundle's name of it.
        fixed: Why it can't be set; empty where it can.
    """

    def __init__(self, name: str, fixed: str = "") -> None:
        self._name = name
        self._fixed = fixed
        self._label = name

    def __set_name__(self, _owner: type, name: str) -> None:
        self._label = name

    def __get__(self, instance: Any, _owner: type | None = None) -> Any:  # noqa: ANN401, a part of any type
        return self if instance is None else getattr(instance.source(), self._name)

    def __set__(self, instance: Any, value: object) -> None:  # noqa: ANN401, IO or Style
        if self._fixed:
            msg = f"{self._label} can't be set: {self._fixed}"
            raise AttributeError(msg)
        setattr(instance.source(), self._name, value)


_READ_ONLY = "it tells what Dear ImGui found"
_VIEWER = "in a notebook the viewer sets it"


class IO:
    """Dear ImGui's input and settings."""

    BackendFlags = _Part("backend_flags", _VIEWER)
    ConfigErrorRecoveryEnableAssert = _Part(
        "config_error_recovery_enable_assert", _VIEWER
    )
    ConfigErrorRecoveryEnableDebugLog = _Part(
        "config_error_recovery_enable_debug_log", _VIEWER
    )
    ConfigErrorRecoveryEnableTooltip = _Part(
        "config_error_recovery_enable_tooltip", _VIEWER
    )
    ConfigFlags = _Part("config_flags")
    DeltaTime = _Part("delta_time", _READ_ONLY)
    DisplaySize = _Part("display_size", _VIEWER)
    Framerate = _Part("framerate", _READ_ONLY)
    KeyAlt = _Part("key_alt", _READ_ONLY)
    KeyCtrl = _Part("key_ctrl", _READ_ONLY)
    KeyShift = _Part("key_shift", _READ_ONLY)
    KeySuper = _Part("key_super", _READ_ONLY)
    MouseDelta = _Part("mouse_delta", _READ_ONLY)
    MousePos = _Part("mouse_pos", _READ_ONLY)
    MouseWheel = _Part("mouse_wheel", _READ_ONLY)
    WantCaptureKeyboard = _Part("want_capture_keyboard", _READ_ONLY)
    WantCaptureMouse = _Part("want_capture_mouse", _READ_ONLY)
    WantSaveIniSettings = _Part("want_save_ini_settings")

    @staticmethod
    def source() -> imgui.IO:
        """Returns imgui-bundle's."""
        return _current(imgui).get_io()

    @property
    def FontGlobalScale(self) -> float:
        """How much larger text is than its fonts; since 1.92 a part of the style."""
        return _current(imgui).get_style().font_scale_main

    @property
    def Fonts(self) -> "FontAtlas":
        """The fonts of the viewer."""
        return FontAtlas(self.source().fonts)


class Style:
    """Dear ImGui's style. What is changed here changes in every panel."""

    FontScaleMain = _Part("font_scale_main")
    FramePadding = _Part("frame_padding")
    ItemSpacing = _Part("item_spacing")
    WindowPadding = _Part("window_padding")

    @staticmethod
    def source() -> imgui.Style:
        """Returns imgui-bundle's."""
        return _current(imgui).get_style()


class FontAtlas:
    """The fonts of the viewer, as a sequence."""

    def __init__(self, source: imgui.ImFontAtlas) -> None:
        """Wraps imgui-bundle's."""
        self._fonts = source.fonts

    def __len__(self) -> int:
        """Returns how many fonts there are."""
        return self._fonts.size()

    def __getitem__(self, index: int) -> imgui.ImFont:
        """Returns one, for `PushFont`.

        Raises:
            IndexError: If there is none of that index.
        """
        if not 0 <= index < len(self):
            msg = f"font {index} is not one of the viewer's {len(self)}"
            raise IndexError(msg)
        return self._fonts[index]


class ListClipper:
    """Lays out those rows of a long list that are seen."""

    def __init__(self) -> None:
        """Makes one for a list."""
        self._source = imgui.ListClipper()

    @property
    def DisplayStart(self) -> int:
        """The first row to lay out."""
        return self._source.display_start

    @property
    def DisplayEnd(self) -> int:
        """The row after the last one to lay out."""
        return self._source.display_end

    def Begin(self, items_count: int, items_height: float = -1.0) -> None:
        """Begins a list; without a height the first row is measured."""
        self._source.begin(items_count, items_height)

    def Step(self) -> bool:
        """Goes on to the next rows; False after the last ones."""
        return self._source.step()

    def End(self) -> None:
        """Ends the list early."""
        self._source.end()

    def IncludeItemByIndex(self, item_index: int) -> None:
        """Has a row laid out even if it is not seen."""
        self._source.include_item_by_index(item_index)

    def IncludeItemsByIndex(self, item_begin: int, item_end: int) -> None:
        """Has rows laid out even if they are not seen."""
        self._source.include_items_by_index(item_begin, item_end)

    def SeekCursorForItem(self, item_index: int) -> None:
        """Moves the cursor to a row."""
        self._source.seek_cursor_for_item(item_index)


class DrawList:
    """Shapes of one's own, drawn into a window, behind or before all of them."""

    def __init__(self, source: imgui.ImDrawList) -> None:
        """Wraps imgui-bundle's, for as long as the frame lasts."""
        self._source = source

    def AddLine(self, p1: ImVec2, p2: ImVec2, col: int, thickness: float = 1.0) -> None:
        """Draws a line."""
        self._source.add_line(p1, p2, col, thickness)

    def AddRect(
        self,
        p_min: ImVec2,
        p_max: ImVec2,
        col: int,
        rounding: float = 0.0,
        thickness: float = 1.0,
        flags: int = 0,
    ) -> None:
        """Draws the outline of a rectangle."""
        self._source.add_rect(p_min, p_max, col, rounding, thickness, flags)

    def AddRectFilled(
        self,
        p_min: ImVec2,
        p_max: ImVec2,
        col: int,
        rounding: float = 0.0,
        flags: int = 0,
    ) -> None:
        """Draws a rectangle."""
        self._source.add_rect_filled(p_min, p_max, col, rounding, flags)

    def AddTriangle(
        self, p1: ImVec2, p2: ImVec2, p3: ImVec2, col: int, thickness: float = 1.0
    ) -> None:
        """Draws the outline of a triangle."""
        self._source.add_triangle(p1, p2, p3, col, thickness)

    def AddTriangleFilled(self, p1: ImVec2, p2: ImVec2, p3: ImVec2, col: int) -> None:
        """Draws a triangle."""
        self._source.add_triangle_filled(p1, p2, p3, col)

    def AddCircle(
        self,
        center: ImVec2,
        radius: float,
        col: int,
        num_segments: int = 0,
        thickness: float = 1.0,
    ) -> None:
        """Draws a circle."""
        self._source.add_circle(center, radius, col, num_segments, thickness)

    def AddCircleFilled(
        self, center: ImVec2, radius: float, col: int, num_segments: int = 0
    ) -> None:
        """Draws a disc."""
        self._source.add_circle_filled(center, radius, col, num_segments)

    def AddText(self, pos: ImVec2, col: int, text: str) -> None:
        """Draws text."""
        self._source.add_text(pos, col, text)

    def AddPolyline(
        self,
        points: Iterable[ImVec2],
        col: int,
        thickness: float = 1.0,
        flags: int = 0,
    ) -> None:
        """Draws lines from point to point."""
        self._source.add_polyline(list(points), col, thickness, flags)

    def AddConvexPolyFilled(self, points: Iterable[ImVec2], col: int) -> None:
        """Draws a convex polygon."""
        self._source.add_convex_poly_filled(list(points), col)

    def PathClear(self) -> None:
        """Forgets the path."""
        self._source.path_clear()

    def PathLineTo(self, pos: ImVec2) -> None:
        """Adds a point to the path."""
        self._source.path_line_to(pos)

    def PathArcTo(
        self,
        center: ImVec2,
        radius: float,
        a_min: float,
        a_max: float,
        num_segments: int = 0,
    ) -> None:
        """Adds an arc to the path; angles in radians."""
        self._source.path_arc_to(center, radius, a_min, a_max, num_segments)

    def PathStroke(self, col: int, thickness: float = 1.0, flags: int = 0) -> None:
        """Draws the path as a line."""
        self._source.path_stroke(col, thickness, flags)

    def PathFillConvex(self, col: int) -> None:
        """Draws the path as a convex polygon."""
        self._source.path_fill_convex(col)
