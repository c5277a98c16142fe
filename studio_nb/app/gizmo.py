"""The axes at the upper right of the scene: how it is looked at, and other ways to.

`App` draws it once a frame, on the viewer thread. A click on an end of an axis turns
the free or tracking camera there; one in the middle changes the perspective.
"""

import dataclasses
import math
import weakref

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui

from studio_nb.app import lenses
from studio_nb.app.layout import Rect
from studio_nb.app.panel import Scope
from studio_nb.ui import theme

SIZE_PX = 92.0
_EDGE_PX = 6.0
_ARM_PX = 33.0
_END_PX = 9.0
_RING_PX = 7.0
_MIDDLE_PX = 12.0
_LINE_PX = 2.0
# A scene with less room than this is not worth covering a part of.
_LEAST_ROOM = 2.5

_TURN_SEC = 0.2
_TOP_DEGREES = 90.0
# The field of view of a perspective whose own is not known, MuJoCo's default.
_FOVY_DEGREES = 45.0

_NAMES = ("X", "Y", "Z")
_COLOURS = (0xE5484DFF, 0x4CAF50FF, 0x3D8BFDFF)
_LETTER = 0xFFFFFFFF
# How much of its colour the ring of a negative end is filled with.
_FAINT = 0x40

_FIXED = mujoco.mjtCamera.mjCAMERA_FIXED
_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_background
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_docking
)

Vector = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
class End:
    """An end of an axis as it is seen.

    Attributes:
        axis: 0 to 2 for X to Z.
        sign: 1 or -1.
        x: From the middle to the right, CSS pixels.
        y: From the middle down, CSS pixels.
        depth: How far from the eye, -1 to 1.
    """

    axis: int
    sign: int
    x: float
    y: float
    depth: float

    @property
    def name(self) -> str:
        """As "+X"."""
        return f"{'+' if self.sign > 0 else '-'}{_NAMES[self.axis]}"

    @property
    def in_middle(self) -> bool:
        """Whether it points at the eye, or away from it."""
        return math.hypot(self.x, self.y) < _MIDDLE_PX


@dataclasses.dataclass(slots=True)
class _Motion:
    """What a viewer's camera is about to do.

    Attributes:
        start: Azimuth and elevation before a turn, degrees; None without a turn.
        goal: Those at its end.
        last: Those that the turn set last: others mean that the person took over.
        passed: Seconds of the turn.
        fovy: The degrees of the perspective before the orthographic one; None
            without.
        distance: That the present orthographic height was made for.
    """

    start: tuple[float, float] | None = None
    goal: tuple[float, float] = (0.0, 0.0)
    last: tuple[float, float] = (0.0, 0.0)
    passed: float = 0.0
    fovy: float | None = None
    distance: float = 0.0


_MOTIONS: weakref.WeakKeyDictionary[Scope, _Motion] = weakref.WeakKeyDictionary()


def draw(scope: Scope, free: Rect) -> None:
    """Draws the axes, and does what a click on them says.

    Args:
        scope: What panels work with.
        free: What the docks leave of the view.
    """
    motion = _MOTIONS.setdefault(scope, _Motion())
    _turn_on(scope, motion)
    _follow_distance(scope, motion)
    if min(free.width, free.height) < _LEAST_ROOM * SIZE_PX:
        return
    is_dead = scope.viewer.camera.type == _FIXED
    flags = _FLAGS | (imgui.WindowFlags_.no_inputs if is_dead else 0)
    corner = ImVec2(free.x + free.width - _EDGE_PX - SIZE_PX, free.y + _EDGE_PX)
    imgui.set_next_window_pos(corner)
    imgui.set_next_window_size(ImVec2(SIZE_PX, SIZE_PX))
    imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0.0, 0.0))
    imgui.begin("###gizmo", flags=flags)
    imgui.pop_style_var()
    seen = ends(*_axes(scope))
    clicked = imgui.invisible_button("###ends", ImVec2(SIZE_PX, SIZE_PX))
    middle = ImVec2(corner.x + SIZE_PX / 2, corner.y + SIZE_PX / 2)
    hit = None
    if not is_dead and imgui.is_item_hovered():
        mouse = imgui.get_mouse_pos()
        hit = pointed(seen, mouse.x - middle.x, mouse.y - middle.y)
    _paint(scope, seen, middle, hit if isinstance(hit, End) else None)
    if hit is not None:
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        imgui.set_tooltip(_tip(scope, hit))
    if clicked and isinstance(hit, End):
        _begin_turn(scope, motion, hit)
    elif clicked and hit is not None:
        _change_perspective(scope, motion)
    imgui.end()


def ends(right: Vector, forward: Vector, up: Vector) -> list[End]:
    """Returns the six ends as a camera sees them, the farthest first.

    Args:
        right: The camera's unit vectors in the world.
        forward: Where it looks.
        up: Upward in its picture.
    """
    found = [
        End(
            axis,
            sign,
            sign * float(right[axis]) * _ARM_PX,
            -sign * float(up[axis]) * _ARM_PX,
            sign * float(forward[axis]),
        )
        for axis in range(3)
        for sign in (1, -1)
    ]
    return sorted(found, key=lambda end: -end.depth)


def pointed(seen: list[End], x: float, y: float) -> End | str | None:
    """Returns what is under the pointer.

    Args:
        seen: The ends, the farthest first.
        x: Of the pointer, from the middle to the right, CSS pixels.
        y: From the middle down.

    Returns:
        An end, "middle", or None.
    """
    for end in reversed(seen):
        near = math.hypot(end.x - x, end.y - y) <= _END_PX + 1.0
        if near and not end.in_middle:
            return end
    return "middle" if math.hypot(x, y) <= _MIDDLE_PX else None


def view_from(end: End, azimuth: float) -> tuple[float, float]:
    """Returns the azimuth and elevation, degrees, that look from an end to the origin.

    Args:
        end: Of an axis.
        azimuth: The present one; from above and below the nearest square one is taken.
    """
    if end.axis == 2:  # noqa: PLR2004 - Z
        return round(azimuth / _TOP_DEGREES) * _TOP_DEGREES, -end.sign * _TOP_DEGREES
    forward = [0.0, 0.0]
    forward[end.axis] = -float(end.sign)
    return math.degrees(math.atan2(forward[1], forward[0])), 0.0


def _axes(scope: Scope) -> tuple[Vector, Vector, Vector]:
    """Returns right, forward and up of the view's camera."""
    camera = scope.viewer.camera
    if camera.type == _FIXED and 0 <= camera.fixedcamid < scope.model.ncam:
        right, up, back = scope.data.cam_xmat[camera.fixedcamid].reshape(3, 3).T
        return right, -back, up
    return lenses.axes(camera.azimuth, camera.elevation)


# -- what it does ------------------------------------------------------------------


def _begin_turn(scope: Scope, motion: _Motion, end: End) -> None:
    camera = scope.viewer.camera
    azimuth, elevation = view_from(end, camera.azimuth)
    # The short way round.
    azimuth = camera.azimuth + (azimuth - camera.azimuth + 180.0) % 360.0 - 180.0
    motion.start = motion.last = camera.azimuth, camera.elevation
    motion.goal, motion.passed = (azimuth, elevation), 0.0
    scope.viewer.ui.touch()


def _turn_on(scope: Scope, motion: _Motion) -> None:
    """Goes on with a turn, unless the camera was moved by someone else."""
    camera = scope.viewer.camera
    if motion.start is None:
        return
    if camera.type == _FIXED or (camera.azimuth, camera.elevation) != motion.last:
        motion.start = None
        return
    motion.passed += imgui.get_io().delta_time
    share = min(motion.passed / _TURN_SEC, 1.0)
    eased = share * share * (3.0 - 2.0 * share)
    camera.azimuth, camera.elevation = (
        a + (b - a) * eased for a, b in zip(motion.start, motion.goal, strict=True)
    )
    if share == 1.0:
        motion.start = None
        camera.azimuth = (camera.azimuth + 180.0) % 360.0 - 180.0
    motion.last = camera.azimuth, camera.elevation
    scope.viewer.ui.touch()


def _change_perspective(scope: Scope, motion: _Motion) -> None:
    """Changes between the two, so that what is looked at keeps its size."""
    camera, optics = scope.viewer.camera, scope.model.vis.global_
    if camera.orthographic:
        fovy = _FOVY_DEGREES if motion.fovy is None else motion.fovy
        camera.distance = optics.fovy / 2 / math.tan(math.radians(fovy) / 2)
        camera.orthographic, optics.fovy = 0, fovy
        motion.fovy = None
    else:
        motion.fovy = optics.fovy
        camera.orthographic = 1
        motion.distance = math.nan
        _follow_distance(scope, motion)
    scope.viewer.ui.touch()


def _follow_distance(scope: Scope, motion: _Motion) -> None:
    """Has the height of an orthographic view go with the distance.

    MuJoCo takes it from `vis.global.fovy` alone, then in metres, so that zooming
    would change nothing.
    """
    camera = scope.viewer.camera
    if motion.fovy is None or not camera.orthographic:
        return
    if camera.distance != motion.distance:
        motion.distance = camera.distance
        half = camera.distance * math.tan(math.radians(motion.fovy) / 2)
        scope.model.vis.global_.fovy = 2 * half


def _tip(scope: Scope, hit: End | str) -> str:
    if isinstance(hit, End):
        return f"Look from {hit.name}"
    if scope.viewer.camera.orthographic:
        return "Orthographic: click for perspective"
    return "Perspective: click for orthographic"


# -- drawing -----------------------------------------------------------------------


def _paint(scope: Scope, seen: list[End], middle: ImVec2, hit: End | None) -> None:
    canvas = imgui.get_window_draw_list()
    dot = imgui.get_color_u32(theme.rgba(scope.palette.dim))
    letter = imgui.get_color_u32(theme.rgba(_LETTER))
    is_drawn = False
    for end in seen:
        if not is_drawn and end.depth < 0:
            canvas.add_circle_filled(middle, _LINE_PX, dot)
            is_drawn = True
        place = ImVec2(middle.x + end.x, middle.y + end.y)
        colour = imgui.get_color_u32(theme.rgba(_COLOURS[end.axis]))
        if end.sign > 0:
            canvas.add_line(middle, place, colour, _LINE_PX)
            canvas.add_circle_filled(place, _END_PX, colour)
            text = _NAMES[end.axis]
            size = imgui.calc_text_size(text)
            corner = ImVec2(place.x - size.x / 2, place.y - size.y / 2)
            canvas.add_text(corner, letter, text)
        else:
            faint = _COLOURS[end.axis] & ~0xFF | _FAINT
            inside = imgui.get_color_u32(theme.rgba(faint))
            canvas.add_circle_filled(place, _RING_PX, inside)
            canvas.add_circle(place, _RING_PX, colour, 0, _LINE_PX / 2)
        if end == hit:
            canvas.add_circle(place, _END_PX + _LINE_PX, letter, 0, _LINE_PX)
