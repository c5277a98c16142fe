"""Windows that show what the model's cameras see, beside the view's own picture.

`App` draws the menu that opens them, and the windows after its own. A camera is
remembered by its name: after an edit, and for another model that has it. Viewer
thread only.
"""

from typing import Any

import mujoco
from imgui_bundle import ImVec2, icons_fontawesome_6, imgui

from studio_nb.app import widgets
from studio_nb.app.panel import Scope
from studio_nb.app.panels import listing

# Of a new window, in sizes of the text; its height follows from the picture.
_WIDTH_EM = 17.0
# Where the first new window stands, and how far from it each further one.
_CORNER_EM = (1.5, 3.5)
_STEP_EM = 2.0
# Of a picture whose camera names no resolution; its window may have any other.
_ASPECT = 4 / 3

_FIRST = imgui.Cond_.first_use_ever
_FLAGS = (
    imgui.WindowFlags_.no_scrollbar
    | imgui.WindowFlags_.no_scroll_with_mouse
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_focus_on_appearing
)
_FIXED = mujoco.mjtCamera.mjCAMERA_FIXED


def aspect(model: mujoco.MjModel, camera: int) -> float | None:
    """Returns the width of a camera's picture by its height.

    Args:
        model: That has it.
        camera: Its number.

    Returns:
        That of its sensor, or of its resolution; None where it names neither.
    """
    width, height = model.cam_sensorsize[camera]
    if not (width > 0 and height > 0):
        width, height = model.cam_resolution[camera]
        # 1 x 1 is what MuJoCo takes where none is given (XML reference, camera).
        if width * height <= 1:
            return None
    return float(width / height)


class Cameras:
    """The camera windows of one view."""

    def __init__(self) -> None:
        """Starts with none open."""
        self._open: list[str] = []
        self._names: list[str] = []
        self._model: mujoco.MjModel | None = None

    def menu(self, scope: Scope) -> None:
        """Draws a line for each camera, checked while its window is open."""
        for name in self._cameras(scope.model):
            is_open = name in self._open
            if imgui.menu_item_simple(widgets.plain(name), "", is_open):
                self.close(name) if is_open else self.open(name)

    def open(self, name: str) -> None:
        """Opens the window of a camera.

        Args:
            name: Of the camera; "camera 3" of one that has none.
        """
        if name not in self._open:
            self._open.append(name)

    def close(self, name: str) -> None:
        """Closes the window of a camera."""
        if name in self._open:
            self._open.remove(name)

    def draw_windows(self, scope: Scope) -> None:
        """Draws the open windows of the cameras that the model has."""
        if not self._open:
            return
        numbers = {name: i for i, name in enumerate(self._cameras(scope.model))}
        for place, name in enumerate([*self._open]):
            if (camera := numbers.get(name)) is not None:
                self._window(scope, place, name, camera)

    def on_model(self, scope: Scope) -> None:
        """Is called when the model was exchanged."""
        del scope
        self._model = None

    def keeps(self) -> dict[str, Any]:
        """Returns which windows are open."""
        return {"open": [*self._open]}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over what an earlier `keeps` returned; distrusts it."""
        names = kept.get("open")
        if isinstance(names, list):
            known = dict.fromkeys(name for name in names if isinstance(name, str))
            self._open = [*known]

    def _cameras(self, model: mujoco.MjModel) -> list[str]:
        """Returns the names of the model's cameras, by their numbers."""
        if model is not self._model:
            self._model = model
            kind = mujoco.mjtObj.mjOBJ_CAMERA
            self._names = listing.names(model, kind, model.ncam)
        return self._names

    def _window(self, scope: Scope, place: int, name: str, camera: int) -> None:
        em = scope.em
        shape = aspect(scope.model, camera)
        width = _WIDTH_EM * em
        size = ImVec2(width, width / (shape or _ASPECT) + imgui.get_frame_height())
        x, y = ((corner + place * _STEP_EM) * em for corner in _CORNER_EM)
        view = imgui.get_main_viewport().size
        imgui.set_next_window_pos(ImVec2(view.x * 0.3 + x, y), _FIRST)
        imgui.set_next_window_size(size, _FIRST)
        imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0.0, 0.0))
        words = widgets.plain(name)
        visible, is_open = imgui.begin(f"{words}###camera {words}", True, _FLAGS)  # noqa: FBT003 - has a close button
        imgui.pop_style_var()
        if not is_open:
            self.close(name)
        elif visible:
            _picture(scope, camera, shape)
        imgui.end()


def _picture(scope: Scope, camera: int, shape: float | None) -> None:
    """Draws a camera's picture, as large as the window has room for."""
    room, corner = imgui.get_content_region_avail(), imgui.get_cursor_pos()
    width, height = room.x, room.y
    if shape is not None:
        width, height = min(width, height * shape), min(height, width / shape)
    if min(width, height) < 1.0:
        return
    left = corner.x + (room.x - width) / 2
    top = corner.y + (room.y - height) / 2
    texture = scope.viewer.pictures.show(camera, width, height)
    imgui.set_cursor_pos(ImVec2(left, top))
    imgui.image(imgui.ImTextureRef(texture), ImVec2(width, height))
    view = scope.viewer.camera
    gap = 0.3 * scope.em
    imgui.set_cursor_pos(ImVec2(left + gap, top + gap))
    # Legible on a picture of any colour.
    ground = imgui.get_style_color_vec4(imgui.Col_.window_bg)
    imgui.push_style_color(imgui.Col_.button, ground)
    imgui.begin_disabled(view.type == _FIXED and view.fixedcamid == camera)
    if imgui.small_button(icons_fontawesome_6.ICON_FA_EYE):
        scope.lenses.choose(camera)
    imgui.end_disabled()
    imgui.pop_style_color()
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        imgui.set_tooltip("Look through this camera")
