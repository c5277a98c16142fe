"""The section Controls: every actuator's ctrl to set, its act and force to see.

`App` draws it in the Inspector, on the viewer thread.
"""

import dataclasses

import mujoco
from imgui_bundle import imgui

from studio_nb.app.panel import Scope
from studio_nb.app.panels import listing
from studio_nb.app.panels.edits import Edits
from studio_nb.app.panels.filtered import Filtered

_CTRL = int(mujoco.mjtState.mjSTATE_CTRL)
_MENU = "control"
_FORMAT = "%+.3f"
# Shares of the width: name, ctrl, act where the model has any, force.
_SHARES = (0.36, 0.42, 0.22)
_SHARES_ACT = (0.30, 0.34, 0.18, 0.18)
# `mjOption.disableactuator` is a mask of as many groups.
_DISABLEABLE_GROUPS = 31


@dataclasses.dataclass(frozen=True, slots=True)
class _Row:
    """A line of the list: some actuators have several inputs, states or outputs.

    Attributes:
        actuator: Which actuator.
        name: Its name, with a number where it has several lines.
        ctrl: Place in ctrl, or None.
        act: Place in act, or None.
        force: Place in actuator_force, or None.
    """

    actuator: int
    name: str
    ctrl: int | None
    act: int | None
    force: int | None


def lines(model: mujoco.MjModel) -> list[_Row]:
    """Returns the lines of all actuators."""
    names = listing.names(model, mujoco.mjtObj.mjOBJ_ACTUATOR, model.nactuator)
    places = zip(
        names,
        zip(model.actuator_ctrladr, model.actuator_ctrlnum, strict=True),
        zip(model.actuator_actadr, model.actuator_actnum, strict=True),
        zip(model.actuator_outadr, model.actuator_outnum, strict=True),
        strict=True,
    )
    rows = []
    for actuator, (name, *parts) in enumerate(places):
        count = max(1, *(int(number) for _, number in parts))
        for k in range(count):
            at = [int(start) + k if k < number else None for start, number in parts]
            words = name if count == 1 else f"{name}[{k}]"
            rows.append(_Row(actuator, words, *at))
    return rows


class Controls(Filtered):
    """Every actuator of the groups that are shown."""

    title = "Controls"

    def __init__(self) -> None:
        """Starts without a filter."""
        super().__init__()
        self._all: list[_Row] | None = None
        self._rows: list[_Row] = []
        self._rows_for: object = None
        self._menu_of: _Row | None = None
        self._edits = Edits()

    def on_model(self, scope: Scope) -> None:
        """Forgets the actuators that were."""
        del scope
        self._all = self._rows_for = self._menu_of = None
        self._edits.clear()

    def update(self, scope: Scope) -> None:
        """Keeps what was set from jumping back."""
        self._edits.refresh(scope)

    def draw(self, scope: Scope) -> None:
        """Draws the button, the filter, and the actuators that pass it."""
        model = scope.model
        if not model.nactuator:
            listing.say("This model has no actuators.")
            return
        if imgui.button("Zero all"):
            for index, value in enumerate(neutral(model, scope.data)):
                self._edits.set(scope, _CTRL, index, value)
        imgui.set_item_tooltip("Sets every ctrl to 0, quaternions to the identity")
        imgui.same_line()
        self._draw_filter()
        rows = self._visible_rows(scope)
        if not rows:
            listing.say("No actuator passes the filter and the visible groups.")
        shares = _SHARES_ACT if model.na else _SHARES
        menu = False
        with listing.table("controls", shares, len(rows)) as visible:
            for i in visible:
                menu |= self._draw_row(scope, rows[i])
        self._draw_menu(scope, opened=menu)
        self._edits.flush(scope)

    def _visible_rows(self, scope: Scope) -> list[_Row]:
        """Returns the lines, made anew only when something of them changed."""
        groups = bytes(scope.viewer.vis_options.actuatorgroup)
        if self._all is None:
            self._all, self._rows_for = lines(scope.model), None
        if (groups, self._query) != self._rows_for:
            self._rows_for = groups, self._query
            of_group = scope.model.actuator_group.tolist()
            self._rows = [
                row
                for row in self._all
                if listing.group_shown(groups, of_group[row.actuator])
                and listing.matches(row.name, self._query)
            ]
        return self._rows

    def _draw_row(self, scope: Scope, row: _Row) -> bool:
        """Draws a line; returns whether it asks for the actuator's menu."""
        model, data = scope.model, scope.data
        disabled = is_disabled(model, row.actuator)
        touch = listing.name_cell(row.name, lambda: describe(model, row))
        if row.ctrl is not None:
            imgui.begin_disabled(disabled)
            changed, value = listing.slide(
                f"##{row.ctrl}",
                float(data.ctrl[row.ctrl]),
                ctrlrange(model, row.ctrl),
                _FORMAT,
            )
            imgui.end_disabled()
            if changed:
                self._edits.set(scope, _CTRL, row.ctrl, value)
            elif imgui.is_item_active():
                self._edits.hold(_CTRL, row.ctrl)
        if model.na:
            imgui.table_next_column()
            if row.act is not None:
                imgui.text_unformatted(listing.fixed(float(data.act[row.act])))
                imgui.set_item_tooltip("act, the actuator's activation")
        imgui.table_next_column()
        if row.force is not None:
            force = listing.fixed(float(data.actuator_force[row.force]), 2)
            imgui.text_disabled(force) if disabled else imgui.text_unformatted(force)
            imgui.set_item_tooltip("actuator_force, before the gear")
        if touch == "click":
            listing.select(scope, body_of(model, row.actuator))
        elif touch == "menu":
            self._menu_of = row
        return touch == "menu"

    def _draw_menu(self, scope: Scope, *, opened: bool) -> None:
        """Draws what the right button offers for an actuator."""
        if opened:
            imgui.open_popup(_MENU)
        if not imgui.begin_popup(_MENU):
            return
        row = self._menu_of
        if row is not None and row.ctrl is not None:
            imgui.text_disabled(row.name)
            value = neutral(scope.model, scope.data)[row.ctrl]
            if imgui.menu_item_simple(f"Reset to {value:g}"):
                self._edits.set(scope, _CTRL, row.ctrl, value)
        imgui.end_popup()


def is_disabled(model: mujoco.MjModel, actuator: int) -> bool:
    """Tells whether an actuator's group is switched off in mjOption."""
    group = int(model.actuator_group[actuator])
    mask = int(model.opt.disableactuator)
    return 0 <= group < _DISABLEABLE_GROUPS and bool(mask >> group & 1)


def neutral(model: mujoco.MjModel, data: mujoco.MjData) -> list[float]:
    """Returns each ctrl at rest: 0, and of a quaternion the identity."""
    present = data.ctrl.copy()
    mujoco.mj_resetCtrl(model, data)
    values = data.ctrl.tolist()
    data.ctrl[:] = present
    return values


def ctrlrange(model: mujoco.MjModel, ctrl: int) -> tuple[float, float] | None:
    """Returns an input's range, also where it is no limit; None: it has none."""
    low, high = model.actuator_ctrlrange[ctrl].tolist()
    return (low, high) if low < high else None


_TRN = mujoco.mjtTrn
# What kind of object `actuator_trnid` counts, by transmission.
_TARGETS = {
    int(_TRN.mjTRN_JOINT): mujoco.mjtObj.mjOBJ_JOINT,
    int(_TRN.mjTRN_JOINTINPARENT): mujoco.mjtObj.mjOBJ_JOINT,
    int(_TRN.mjTRN_TENDON): mujoco.mjtObj.mjOBJ_TENDON,
    int(_TRN.mjTRN_SITE): mujoco.mjtObj.mjOBJ_SITE,
    int(_TRN.mjTRN_SLIDERCRANK): mujoco.mjtObj.mjOBJ_SITE,
    int(_TRN.mjTRN_BODY): mujoco.mjtObj.mjOBJ_BODY,
}


def target_of(model: mujoco.MjModel, actuator: int) -> tuple[mujoco.mjtObj, int] | None:
    """Returns the kind and number of what an actuator acts on; None: unknown."""
    kind = _TARGETS.get(int(model.actuator_trntype[actuator]))
    index = int(model.actuator_trnid[actuator, 0])
    return (kind, index) if kind is not None and index >= 0 else None


def body_of(model: mujoco.MjModel, actuator: int) -> int:
    """Returns the body that an actuator acts on; 0 where it is not one."""
    kind, index = target_of(model, actuator) or (None, 0)
    if kind == mujoco.mjtObj.mjOBJ_JOINT:
        return int(model.jnt_bodyid[index])
    if kind == mujoco.mjtObj.mjOBJ_SITE:
        return int(model.site_bodyid[index])
    return index if kind == mujoco.mjtObj.mjOBJ_BODY else 0


def describe(model: mujoco.MjModel, row: _Row) -> str:
    """Returns what a tooltip tells of an actuator's line."""
    actuator = row.actuator
    lines = [f"actuator {actuator}, group {int(model.actuator_group[actuator])}"]
    if row.ctrl is not None:
        lines[0] += f", ctrl[{row.ctrl}]"
        if (bounds := ctrlrange(model, row.ctrl)) is not None:
            low, high = bounds
            hard = "" if model.actuator_ctrllimited[row.ctrl] else ", no limit"
            lines.append(f"ctrlrange {low:.4g} to {high:.4g}{hard}")
    if (target := target_of(model, actuator)) is not None:
        kind, index = target
        word = mujoco.mju_type2Str(int(kind))
        lines.append(f"acts on {word} {mujoco.mj_id2name(model, kind, index) or index}")
    if is_disabled(model, actuator):
        lines.append("switched off: its group is disabled in Physics")
    return "\n".join(lines)
