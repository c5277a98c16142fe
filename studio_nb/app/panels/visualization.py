"""The section Visualization of the Options: the camera, mjVisual and mjStatistic.

All of it is the viewer's own: a change is in the next picture, and the simulation
does not hear of it. Viewer thread only.
"""

import dataclasses
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import mujoco
from imgui_bundle import ImVec2, imgui

from studio_nb.app import widgets
from studio_nb.app.lenses import FREE, TRACK, Lenses
from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import mjcf, structs, visual_fields
from studio_nb.app.panels.structs import Line

_FIXED = mujoco.mjtCamera.mjCAMERA_FIXED
_CAMERA = "Camera"
_COPY_AS = ("MJCF", "Python")
_TOOLTIP = imgui.HoveredFlags_.for_tooltip


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Fields of one struct.

    Attributes:
        title: Of the group.
        struct: Whose fields: a view of the model's memory.
        lines: Their rows.
    """

    title: str
    struct: object
    lines: tuple[Line, ...]


class Visualization(Panel):
    """The section."""

    title = "Visualization"

    def __init__(self) -> None:
        """Starts with the camera and the headlight unfolded."""
        self._folds = structs.Folds(_CAMERA, "Headlight")
        self._model: mujoco.MjModel | None = None
        self._groups: tuple[Group, ...] = ()
        self._camera = structs.lines(mujoco.MjvCamera(), visual_fields.CAMERA)

    def keeps(self) -> dict[str, Any]:
        """Returns what is unfolded."""
        return self._folds.keeps()

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over what was unfolded."""
        self._folds.restore(kept)

    def draw(self, scope: Scope) -> None:
        """Draws the camera and all fields in groups."""
        if self._model is not scope.model:
            self._model, self._groups = scope.model, groups(scope.model)
        self._folds.search()
        self._draw_camera(scope)
        for group in self._groups:
            self._folds.edit(group.title, group.struct, group.lines)

    def _draw_camera(self, scope: Scope) -> None:
        labels = ["camera", "fovy", "copy", *(line.label for line in self._camera)]
        shown = self._folds.matching(_CAMERA, labels)
        with self._folds.group(_CAMERA, shown) as unfolded:
            if not unfolded:
                return
            viewer = scope.viewer
            fixed = viewer.camera.type == _FIXED
            with widgets.rows("lens") as visible:
                if visible:
                    _choose(scope.lenses, scope.lenses.names)
                    _fovy(scope.model, viewer.camera)
            # A camera of the model's goes where its body goes.
            imgui.begin_disabled(fixed)
            structs.edit("pose", viewer.camera, self._camera)
            imgui.end_disabled()
            _copy_buttons(scope)


def groups(model: mujoco.MjModel) -> tuple[Group, ...]:
    """Returns all fields of a model's mjVisual and mjStatistic; none is left out."""
    vis, found = model.vis, []
    for title, (part, known) in visual_fields.PARTS.items():
        struct = getattr(vis, part)
        lines = structs.lines(struct, known) + structs.others(struct, known)
        found.append(Group(title, struct, lines))
    colours = visual_fields.colours(model)
    found.append(Group("Colours", colours, visual_fields.colour_lines(colours)))
    found += [
        Group(part.strip("_").capitalize(), struct, structs.others(struct, ()))
        for part, struct in _other_parts(vis)
    ]
    stat, known = model.stat, visual_fields.STATISTIC
    lines = structs.lines(stat, known) + structs.others(stat, known)
    return (*found, Group("Statistic", stat, lines))


def _other_parts(vis: mujoco.MjVisual) -> list[tuple[str, object]]:
    """Returns parts of mjVisual that a newer MuJoCo has."""
    known = {"rgba", *(part for part, _ in visual_fields.PARTS.values())}
    return [
        (part, getattr(vis, part))
        for part in dir(vis)
        if not part.startswith("_")
        and part not in known
        and not callable(getattr(vis, part))
    ]


def _choose(lenses: Lenses, names: Sequence[str]) -> None:
    """Draws the choice of the camera.

    Args:
        lenses: What chooses it.
        names: Of the cameras from `FREE` on.
    """
    # To fly is the choice of the toolbar, whose keys do it.
    shown = [names[0], *names[TRACK - FREE :]]
    place = lenses.index
    changed, at = widgets.choice(
        "camera",
        0 if place == FREE else place - TRACK + 1,
        shown,
        tip="type, trackbodyid and fixedcamid: what is looked through.",
    )
    if changed:
        lenses.choose(at + TRACK - 1 if at else FREE)


def _fovy(model: mujoco.MjModel, camera: mujoco.MjvCamera) -> None:
    """Draws the field of view: the free camera's, or that of the model's own."""
    fixed = camera.type == _FIXED
    is_flat = model.cam_projection[camera.fixedcamid] if fixed else camera.orthographic
    field = visual_fields.FOVY_ORTHOGRAPHIC if is_flat else visual_fields.FOVY
    here = SimpleNamespace(fovy=mjcf.fovy(model, camera))
    if not structs.draw_row(here, Line("fovy", "fovy", field)):
        return
    if fixed:
        model.cam_fovy[camera.fixedcamid] = here.fovy
    else:
        model.vis.global_.fovy = here.fovy


def _copy_buttons(scope: Scope) -> None:
    room = imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x
    size = ImVec2(room / len(_COPY_AS), 0.0)
    camera = scope.viewer.camera
    for place, language in enumerate(_COPY_AS):
        if place:
            imgui.same_line()
        if imgui.button(f"Copy {language}", size):
            imgui.set_clipboard_text(
                mjcf.camera_xml(scope.model, scope.data, camera)
                if language == "MJCF"
                else mjcf.camera_python(camera)
            )
        if imgui.is_item_hovered(_TOOLTIP):
            imgui.set_tooltip(f"What is seen, as {language}.")
