"""The section Tendons: every tendon's length, and what there is to know of it.

`App` draws it in the Inspector, on the viewer thread.
"""

from collections.abc import Callable

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui

from studio_nb.app import widgets
from studio_nb.app.panel import Scope
from studio_nb.app.panels import listing
from studio_nb.app.panels.filtered import Filtered

_SHARES = (0.46, 0.54)
_FOLD = (
    imgui.TreeNodeFlags_.no_tree_push_on_open
    | imgui.TreeNodeFlags_.span_avail_width
    | imgui.TreeNodeFlags_.frame_padding
)


class Tendons(Filtered):
    """Every tendon of the groups that are shown; each folds out."""

    title = "Tendons"

    def __init__(self) -> None:
        """Starts with all folded."""
        super().__init__()
        self._names: list[str] | None = None
        self._unfolded: set[int] = set()
        self._rows: list[tuple[int, str]] = []
        self._rows_for: object = None

    def on_model(self, scope: Scope) -> None:
        """Forgets the tendons that were."""
        del scope
        self._names = self._rows_for = None
        self._unfolded.clear()

    def draw(self, scope: Scope) -> None:
        """Draws the filter, and the tendons that pass it."""
        if not scope.model.ntendon:
            listing.say("This model has no tendons.")
            return
        self._draw_filter()
        rows = self._visible_rows(scope)
        if not rows:
            listing.say("No tendon passes the filter and the visible tendon groups.")
        with listing.table("tendons", _SHARES, len(rows)) as visible:
            for i in visible:
                tendon, part = rows[i]
                if part:
                    listing.name_cell(f"    {part}")
                    imgui.text_unformatted(
                        _PARTS[part](scope.model, scope.data, tendon)
                    )
                else:
                    self._draw_fold(scope, tendon)

    def _visible_rows(self, scope: Scope) -> list[tuple[int, str]]:
        """Returns the lines: a tendon, and which of its properties or ""."""
        model = scope.model
        groups = bytes(scope.viewer.vis_options.tendongroup)
        if self._names is None:
            kind = mujoco.mjtObj.mjOBJ_TENDON
            self._names = listing.names(model, kind, model.ntendon)
            self._rows_for = None
        wanted = (groups, self._query, frozenset(self._unfolded))
        if wanted != self._rows_for:
            self._rows_for = wanted
            of_group = model.tendon_group.tolist()
            self._rows = [
                (tendon, part)
                for tendon, name in enumerate(self._names)
                if listing.group_shown(groups, of_group[tendon])
                and listing.matches(name, self._query)
                for part in ("", *(_PARTS if tendon in self._unfolded else ()))
            ]
        return self._rows

    def _draw_fold(self, scope: Scope, tendon: int) -> None:
        """Draws a tendon's own line: its name and its length."""
        name = self._names[tendon] if self._names else ""
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.set_next_item_open(tendon in self._unfolded)
        imgui.tree_node_ex(f"{widgets.plain(name)}###{tendon}", _FOLD)
        listing.touched(name, lambda: _describe(scope.model, tendon))
        if imgui.is_item_toggled_open():
            self._unfolded ^= {tendon}
        imgui.table_next_column()
        length = float(scope.data.ten_length[tendon])
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted(f"{listing.fixed(length, 4)} m")


def _describe(model: mujoco.MjModel, tendon: int) -> str:
    count = int(model.tendon_num[tendon])
    group = int(model.tendon_group[tendon])
    return f"tendon {tendon}, group {group}, {count} objects in its path"


def _limit(model: mujoco.MjModel, data: mujoco.MjData, tendon: int) -> str:
    """Tells whether a tendon's length is within its limits."""
    if not model.tendon_limited[tendon]:
        return "not limited"
    low, high = model.tendon_range[tendon].tolist()
    margin = float(model.tendon_margin[tendon])
    length = float(data.ten_length[tendon])
    if length - low < margin:
        return "at the lower limit"
    return "at the upper limit" if high - length < margin else "within"


def _interval(bounds: npt.NDArray[np.float64], *, point: str) -> str:
    low, high = bounds.tolist()
    return f"{low:.4g} to {high:.4g} m" if low < high else point.format(low)


# What a tendon folds out into: words, and how to tell its present value.
_PARTS: dict[str, Callable[[mujoco.MjModel, mujoco.MjData, int], str]] = {
    "range": lambda m, _, i: _interval(m.tendon_range[i], point="none"),
    "limit": _limit,
    "velocity": lambda _, d, i: f"{listing.fixed(float(d.ten_velocity[i]), 4)} m/s",
    "stiffness": lambda m, _, i: f"{float(m.tendon_stiffness[i]):.4g} N/m",
    "damping": lambda m, _, i: f"{float(m.tendon_damping[i]):.4g} N s/m",
    "springlength": lambda m, _, i: _interval(
        m.tendon_lengthspring[i], point="{:.4g} m"
    ),
    "width": lambda m, _, i: f"{float(m.tendon_width[i]):.4g} m",
}
