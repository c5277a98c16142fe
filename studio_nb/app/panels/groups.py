"""The section Groups of the Options: which groups of elements are drawn.

One row a kind of element, one column a group. What is chosen is the viewer's own.
Viewer thread only.
"""

import functools

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui

from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import structs

_SUFFIX = "group"
# The model's arrays are named after the element, but for joints.
_PREFIXES = {"joint": "jnt"}

_TABLE = (
    imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.no_saved_settings
    | imgui.TableFlags_.no_pad_outer_x
)
_TOOLTIP = imgui.HoveredFlags_.for_tooltip


class Groups(Panel):
    """The section."""

    title = "Groups"

    def draw(self, scope: Scope) -> None:
        """Draws the matrix of boxes."""
        options = scope.viewer.vis_options
        columns = mujoco.mjNGROUP + 1
        if not imgui.begin_table("groups", columns, _TABLE):
            return
        imgui.table_setup_column("kind", imgui.TableColumnFlags_.width_stretch)
        _headers()
        for kind in kinds():
            _row(scope.model, kind, getattr(options, kind + _SUFFIX))
        imgui.end_table()


@functools.cache
def kinds() -> tuple[str, ...]:
    """Returns the kinds of elements that have groups, as mjvOption names them."""
    fields = structs.names(mujoco.MjvOption())
    found = [name.removesuffix(_SUFFIX) for name in fields if name.endswith(_SUFFIX)]
    # Geoms and sites have keys, and are changed most.
    return tuple(sorted(found, key=lambda kind: (kind not in {"geom", "site"}, kind)))


def count(model: mujoco.MjModel, kind: str, group: int) -> int:
    """Returns how many elements of a kind are in a group, as it is drawn."""
    of_elements = getattr(model, f"{_PREFIXES.get(kind, kind)}_group", np.empty(0))
    # A group out of range is drawn as the nearest (mjv_addGeoms).
    within = np.clip(of_elements, 0, mujoco.mjNGROUP - 1)
    return int(np.count_nonzero(within == group))


def _headers() -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    inset = imgui.get_frame_height() / 2
    for group in range(mujoco.mjNGROUP):
        imgui.table_next_column()
        digit = str(group)
        middle = inset - imgui.calc_text_size(digit).x / 2
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + middle)
        imgui.text_disabled(digit)


def _row(model: mujoco.MjModel, kind: str, shown: npt.NDArray[np.uint8]) -> None:
    """Draws the boxes of one kind; its name shows all groups, or hides all."""
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    if imgui.selectable(f"{kind}s" if kind != "flex" else "flexes", False)[0]:  # noqa: FBT003 - never selected
        shown[:] = not shown.all()
    if imgui.is_item_hovered(_TOOLTIP):
        imgui.set_tooltip("Click to show all groups, or to hide all.")
    imgui.push_id(kind)
    for group in range(mujoco.mjNGROUP):
        imgui.table_next_column()
        changed, on = imgui.checkbox(f"##{group}", bool(shown[group]))
        if changed:
            shown[group] = on
        if imgui.is_item_hovered(_TOOLTIP):
            number = count(model, kind, group)
            imgui.set_tooltip(f"{number} in {kind} group {group}")
    imgui.pop_id()
