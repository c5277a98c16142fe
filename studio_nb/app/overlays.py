"""What stands over the scene: the selected body's name.

`App` draws it once a frame, on the viewer thread.
"""

import mujoco
from imgui_bundle import ImVec2, imgui

from studio_nb.app.layout import Rect
from studio_nb.app.panel import Scope

_EDGE_PX = 8.0

_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.always_auto_resize
)


def draw(scope: Scope, free: Rect) -> bool:
    """Names what is selected at the lower left of the free scene, if anything is.

    Args:
        scope: What panels work with.
        free: What the docks leave of the view.

    Returns:
        Whether the name was clicked: it wants to be shown in the Hierarchy.
    """
    found = _selected(scope)
    if found is None:
        return False
    kind, index = found
    word = mujoco.mju_type2Str(int(kind))
    name = mujoco.mj_id2name(scope.model, int(kind), index)
    corner = ImVec2(free.x + _EDGE_PX, free.y + free.height - _EDGE_PX)
    imgui.set_next_window_pos(corner, pivot=ImVec2(0.0, 1.0))
    imgui.begin("###selection", flags=_FLAGS)
    imgui.begin_group()
    imgui.text_unformatted(name or word)
    imgui.same_line()
    is_body = kind == mujoco.mjtObj.mjOBJ_BODY
    imgui.text_disabled(f"id {index}" if is_body else f"{word} {index}")
    imgui.end_group()
    imgui.set_cursor_screen_pos(imgui.get_item_rect_min())
    clicked = imgui.invisible_button("###show", imgui.get_item_rect_size())
    if imgui.is_item_hovered():
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        imgui.set_tooltip("Show it in the Hierarchy")
    imgui.end()
    return clicked


def _selected(scope: Scope) -> tuple[mujoco.mjtObj, int] | None:
    """Returns the kind and number of the selected flex or skin, else of the body."""
    perturb, model = scope.viewer.perturb, scope.model
    if 0 <= perturb.flexselect < model.nflex:
        return mujoco.mjtObj.mjOBJ_FLEX, int(perturb.flexselect)
    if 0 <= perturb.skinselect < model.nskin:
        return mujoco.mjtObj.mjOBJ_SKIN, int(perturb.skinselect)
    if 0 < perturb.select < model.nbody:
        return mujoco.mjtObj.mjOBJ_BODY, int(perturb.select)
    return None
