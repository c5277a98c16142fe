"""The section Equality: every equality constraint, on or off, and how it holds.

`App` draws it in the Inspector, on the viewer thread.
"""

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui

from studio_nb.app import widgets
from studio_nb.app.panel import Scope
from studio_nb.app.panels import listing
from studio_nb.app.panels.edits import Edits
from studio_nb.app.panels.filtered import Filtered

_ACTIVE = int(mujoco.mjtState.mjSTATE_EQ_ACTIVE)
_SHARES = (0.52, 0.24, 0.24)
_KINDS = {
    int(kind): name.removeprefix("mjEQ_").lower()
    for name, kind in mujoco.mjtEq.__members__.items()
}


class Equality(Filtered):
    """Every equality constraint: two lines each."""

    title = "Equality"

    def __init__(self) -> None:
        """Starts without a filter."""
        super().__init__()
        self._texts: list[tuple[str, str]] | None = None
        self._rows: list[int] = []
        self._rows_for: str | None = None
        self._edits = Edits()

    def on_model(self, scope: Scope) -> None:
        """Forgets the constraints that were."""
        del scope
        self._texts = self._rows_for = None
        self._edits.clear()

    def update(self, scope: Scope) -> None:
        """Keeps what was set from jumping back."""
        self._edits.refresh(scope)

    def draw(self, scope: Scope) -> None:
        """Draws the filter, and the constraints that pass it."""
        if not scope.model.neq:
            listing.say("This model has no equality constraints.")
            return
        self._draw_filter()
        rows = self._visible_rows(scope.model)
        if not rows:
            listing.say("No equality constraint passes the filter.")
        violations, forces = measured(scope.model, scope.data)
        with listing.table("equality", _SHARES, len(rows), lines=2) as visible:
            for i in visible:
                self._draw_row(scope, rows[i], violations, forces)
        self._edits.flush(scope)

    def _visible_rows(self, model: mujoco.MjModel) -> list[int]:
        """Returns the constraints to list, made anew only when that changed."""
        if self._texts is None:
            names = listing.names(model, mujoco.mjtObj.mjOBJ_EQUALITY, model.neq)
            self._texts = [(name, described(model, i)) for i, name in enumerate(names)]
            self._rows_for = None
        if self._query != self._rows_for:
            self._rows_for = self._query
            self._rows = [
                i
                for i, (name, objects) in enumerate(self._texts)
                if listing.matches(f"{name} {objects}", self._query)
            ]
        return self._rows

    def _draw_row(
        self,
        scope: Scope,
        index: int,
        violations: npt.NDArray[np.float64],
        forces: npt.NDArray[np.float64],
    ) -> None:
        name, objects = self._texts[index] if self._texts else ("", "")
        on = bool(scope.data.eq_active[index])
        imgui.table_next_row()
        imgui.table_next_column()
        changed, wanted = imgui.checkbox(f"{widgets.plain(name)}##{index}", on)
        listing.touched(name, lambda: f"equality {index}\n{objects}")
        if changed:
            self._edits.set(scope, _ACTIVE, index, float(wanted))
        imgui.text_disabled(objects)
        listing.touched(objects)
        for values, words in ((violations, "violation"), (forces, "force")):
            imgui.table_next_column()
            imgui.align_text_to_frame_padding()
            imgui.text_unformatted(listing.fixed(float(values[index])) if on else " -")
            imgui.text_disabled(words)


def described(model: mujoco.MjModel, index: int) -> str:
    """Returns a constraint's type and objects in words."""
    kind = int(model.eq_type[index])
    of = int(model.eq_objtype[index])
    objects = []
    for place in (int(model.eq_obj1id[index]), int(model.eq_obj2id[index])):
        if place >= 0:
            name = mujoco.mj_id2name(model, of, place)
            objects.append(name or f"{mujoco.mju_type2Str(of)} {place}")
    return f"{_KINDS.get(kind, kind)}: {', '.join(objects)}"


def measured(
    model: mujoco.MjModel, data: mujoco.MjData
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns each constraint's violation and force, norms over its rows.

    Args:
        model: The model.
        data: Its data; equality constraints come first among the rows of efc.

    Returns:
        Two arrays of shape (neq,); 0 where a constraint has no rows.
    """
    rows = data.efc_id[: data.ne]
    known = (rows >= 0) & (rows < model.neq)
    rows = rows[known]
    count = data.ne

    def norms(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        squares = values[:count][known] ** 2
        return np.sqrt(np.bincount(rows, squares, model.neq))

    return norms(data.efc_pos), norms(data.efc_force)
