"""The section Joints: every joint's position, to see and to set.

`App` draws it in the Inspector, on the viewer thread.
"""

import dataclasses
import math
from typing import Any

import mujoco
import numpy as np
from imgui_bundle import imgui

from studio_nb.app import widgets
from studio_nb.app.panel import Scope
from studio_nb.app.panels import listing
from studio_nb.app.panels.edits import Edits
from studio_nb.app.panels.filtered import Filtered
from studio_nb.ui import theme

_KIND = mujoco.mjtJoint
_HINGE, _SLIDE = int(_KIND.mjJNT_HINGE), int(_KIND.mjJNT_SLIDE)
_QPOS = int(mujoco.mjtState.mjSTATE_QPOS)
_WORDS = {
    int(_KIND.mjJNT_FREE): "free",
    int(_KIND.mjJNT_BALL): "ball",
    _SLIDE: "slide",
    _HINGE: "hinge",
}
# The numbers of a joint in qpos, by its type.
_PARTS = {
    int(_KIND.mjJNT_FREE): ("x", "y", "z", "qw", "qx", "qy", "qz"),
    int(_KIND.mjJNT_BALL): ("qw", "qx", "qy", "qz"),
}
_QUATERNION = 4
_SHARES = (0.42, 0.58)
_MENU = "joint"

_LENGTH = "%+.3f m"
_RADIANS = "%+.3f rad"
_DEGREES = "%+.1f\N{DEGREE SIGN}"

_FOLD = (
    imgui.TreeNodeFlags_.no_tree_push_on_open
    | imgui.TreeNodeFlags_.open_on_arrow
    | imgui.TreeNodeFlags_.span_avail_width
    | imgui.TreeNodeFlags_.frame_padding
)


@dataclasses.dataclass(frozen=True, slots=True)
class _Row:
    """A line of the list.

    Attributes:
        joint: Which joint.
        part: Which of its numbers; None: the joint, if it has several.
    """

    joint: int
    part: int | None


class Joints(Filtered):
    """Every joint of the groups that are shown."""

    title = "Joints"

    def __init__(self) -> None:
        """Starts with radians, as qpos holds them."""
        super().__init__()
        self._degrees = False
        self._unfolded: set[int] = set()
        self._names: list[str] | None = None
        self._rows: list[_Row] = []
        self._rows_for: object = None
        self._menu_of = 0
        self._edits = Edits()

    def keeps(self) -> dict[str, Any]:
        """Returns the filter and the unit of angles."""
        return {**super().keeps(), "degrees": self._degrees}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over the filter and the unit of angles."""
        super().restore(kept)
        self._degrees = kept.get("degrees") is True

    def on_model(self, scope: Scope) -> None:
        """Forgets the joints that were."""
        del scope
        self._names, self._rows_for = None, None
        self._unfolded.clear()
        self._edits.clear()

    def update(self, scope: Scope) -> None:
        """Keeps what was set from jumping back."""
        self._edits.refresh(scope)

    def draw(self, scope: Scope) -> None:
        """Draws the filter, and the joints that pass it."""
        if not scope.model.njnt:
            listing.say("This model has no joints.")
            return
        self._draw_filter()
        _, self._degrees = imgui.checkbox("degrees", self._degrees)
        rows = self._visible_rows(scope)
        if not rows:
            listing.say("No joint passes the filter and the visible joint groups.")
        menu = False
        with listing.table("joints", _SHARES, len(rows)) as visible:
            for i in visible:
                menu |= self._draw_row(scope, rows[i])
        self._draw_menu(scope, opened=menu)
        self._edits.flush(scope)

    def _visible_rows(self, scope: Scope) -> list[_Row]:
        """Returns the lines, made anew only when something of them changed."""
        groups = bytes(scope.viewer.vis_options.jointgroup)
        if self._names is None:
            model = scope.model
            self._names = listing.names(model, mujoco.mjtObj.mjOBJ_JOINT, model.njnt)
            self._rows_for = None
        wanted = (groups, self._query, frozenset(self._unfolded))
        if wanted != self._rows_for:
            self._rows_for = wanted
            self._rows = self._make_rows(scope.model, self._names, groups)
        return self._rows

    def _make_rows(
        self, model: mujoco.MjModel, names: list[str], groups: bytes
    ) -> list[_Row]:
        rows = []
        kinds, of_group = model.jnt_type.tolist(), model.jnt_group.tolist()
        for joint, name in enumerate(names):
            if not listing.group_shown(groups, of_group[joint]):
                continue
            if not listing.matches(name, self._query):
                continue
            parts = _PARTS.get(kinds[joint])
            rows.append(_Row(joint, 0 if parts is None else None))
            if parts is not None and joint in self._unfolded:
                rows += [_Row(joint, part) for part in range(len(parts))]
        return rows

    def _draw_row(self, scope: Scope, row: _Row) -> bool:
        """Draws a line; returns whether it asks for the joint's menu."""
        kind = int(scope.model.jnt_type[row.joint])
        if row.part is None:
            touch = self._draw_fold(scope, row.joint, _WORDS[kind])
        elif kind in _PARTS:
            touch = listing.name_cell(f"    {_PARTS[kind][row.part]}")
            self._draw_part(scope, row.joint, kind, row.part)
        else:
            name = self._name(row.joint)
            touch = listing.name_cell(
                name,
                lambda: self._describe(scope.model, row.joint),
                self._colour(scope, row.joint),
            )
            self._draw_scalar(scope, row.joint, kind)
        if touch == "click":
            listing.select(scope, int(scope.model.jnt_bodyid[row.joint]))
        elif touch == "menu":
            self._menu_of = row.joint
        return touch == "menu"

    def _draw_fold(self, scope: Scope, joint: int, word: str) -> listing.Touch:
        """Draws the line of a joint that folds out into its numbers."""
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.set_next_item_open(joint in self._unfolded)
        colour = self._colour(scope, joint)
        dim = imgui.get_style_color_vec4(imgui.Col_.text_disabled)
        tint = dim if colour is None else theme.rgba(colour)
        imgui.push_style_color(imgui.Col_.text, tint)
        name = self._name(joint)
        imgui.tree_node_ex(f"{widgets.plain(name)}###{joint}", _FOLD)
        imgui.pop_style_color()
        touch = listing.touched(name, lambda: self._describe(scope.model, joint))
        if imgui.is_item_toggled_open():
            self._unfolded ^= {joint}
            touch = ""
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(word)
        return touch

    def _draw_scalar(self, scope: Scope, joint: int, kind: int) -> None:
        model = scope.model
        address = int(model.jnt_qposadr[joint])
        factor, text_format = 1.0, _LENGTH
        if kind == _HINGE:
            factor = math.degrees(1.0) if self._degrees else 1.0
            text_format = _DEGREES if self._degrees else _RADIANS
        bounds = None
        if model.jnt_limited[joint]:
            low, high = model.jnt_range[joint].tolist()
            bounds = low * factor, high * factor
        value = float(scope.data.qpos[address]) * factor
        changed, value = listing.slide(f"##{joint}", value, bounds, text_format)
        if changed:
            self._edits.set(scope, _QPOS, address, value / factor)
        elif imgui.is_item_active():
            self._edits.hold(_QPOS, address)

    def _draw_part(self, scope: Scope, joint: int, kind: int, part: int) -> None:
        address = int(scope.model.jnt_qposadr[joint])
        turn = address + len(_PARTS[kind]) - _QUATERNION
        angular = address + part >= turn
        changed, value = widgets.drag(
            f"##{joint}.{part}",
            float(scope.data.qpos[address + part]),
            -1.0 if angular else None,
            1.0 if angular else None,
            "%+.4f" if angular else _LENGTH,
        )
        if not changed:
            if imgui.is_item_active():
                for index in range(turn, turn + _QUATERNION) if angular else ():
                    self._edits.hold(_QPOS, index)
                self._edits.hold(_QPOS, address + part)
            return
        if not angular:
            self._edits.set(scope, _QPOS, address + part, value)
            return
        quaternion = scope.data.qpos[turn : turn + _QUATERNION].copy()
        quaternion[address + part - turn] = value
        # MuJoCo's own: a quaternion of no length becomes the unit one.
        mujoco.mju_normalize4(quaternion)
        self._set(scope, turn, quaternion)

    def _set(self, scope: Scope, start: int, values: np.ndarray) -> None:
        for i, value in enumerate(values.tolist()):
            self._edits.set(scope, _QPOS, start + i, value)

    def _draw_menu(self, scope: Scope, *, opened: bool) -> None:
        """Draws what the right button offers for a joint."""
        if opened:
            imgui.open_popup(_MENU)
        if not imgui.begin_popup(_MENU):
            return
        joint = self._menu_of
        model = scope.model
        if joint < model.njnt:
            imgui.text_disabled(self._name(joint))
            start = int(model.jnt_qposadr[joint])
            count = len(_PARTS.get(int(model.jnt_type[joint]), ("value",)))
            if imgui.menu_item_simple("Reset to qpos0"):
                self._set(scope, start, model.qpos0[start : start + count])
        imgui.end_popup()

    def _name(self, joint: int) -> str:
        return self._names[joint] if self._names else ""

    def _colour(self, scope: Scope, joint: int) -> int | None:
        """Returns the colour of a name whose body is selected."""
        selected = scope.viewer.perturb.select
        on = selected > 0 and selected == scope.model.jnt_bodyid[joint]
        return scope.palette.brand if on else None

    def _describe(self, model: mujoco.MjModel, joint: int) -> str:
        kind = int(model.jnt_type[joint])
        body = mujoco.mj_id2name(
            model, mujoco.mjtObj.mjOBJ_BODY, int(model.jnt_bodyid[joint])
        )
        address = int(model.jnt_qposadr[joint])
        lines = [
            f"{_WORDS[kind]} joint {joint}, qpos[{address}]",
            f"body {body or int(model.jnt_bodyid[joint])}",
        ]
        if model.jnt_limited[joint]:
            low, high = model.jnt_range[joint].tolist()
            lines.append(f"range {low:.4g} to {high:.4g}")
        lines.append("Click to select the body, right-click for more.")
        return "\n".join(lines)
