"""What stands over the scene: the selected body's name.

`App` draws it once a frame, on the viewer thread. It takes no input.
"""

import mujoco
from imgui_bundle import ImVec2, imgui

from studio_nb.app.controls import ControlledViewer

_EDGE_PX = 8.0

_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_inputs
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.always_auto_resize
)


def draw_selection(viewer: ControlledViewer) -> None:
    """Names the selected body at the bottom left; draws nothing without one."""
    body = viewer.perturb.select
    if not 0 < body < viewer.model.nbody:
        return
    name = mujoco.mj_id2name(viewer.model, mujoco.mjtObj.mjOBJ_BODY, body)
    view = imgui.get_main_viewport().size
    imgui.set_next_window_pos(
        ImVec2(_EDGE_PX, view.y - _EDGE_PX), pivot=ImVec2(0.0, 1.0)
    )
    imgui.begin("###selection", flags=_FLAGS)
    imgui.text_unformatted(name or "body")
    imgui.same_line()
    imgui.text_disabled(f"id {body}")
    imgui.end()
