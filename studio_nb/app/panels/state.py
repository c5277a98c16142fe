"""The section State: the state vector, number by number, to see, set and copy.

`App` draws it in the Inspector, on the viewer thread.
"""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import icons_fontawesome_6, imgui

from studio_nb.app import widgets
from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import listing
from studio_nb.app.panels.edits import Edits, read

_STATE = mujoco.mjtState
_OBJ = mujoco.mjtObj
_SHARES = (0.36, 0.28, 0.36)
_BOX_EM = 9.5
_FOLD = (
    imgui.TreeNodeFlags_.no_tree_push_on_open | imgui.TreeNodeFlags_.span_avail_width
)


def _single_bits() -> dict[str, int]:
    """Returns the parts that this MuJoCo knows: names in its words, and bits."""
    bits = {
        name.removeprefix("mjSTATE_").lower(): int(value)
        for name, value in _STATE.__members__.items()
        if name.startswith("mjSTATE_") and int(value).bit_count() == 1
    }
    return dict(sorted(bits.items(), key=lambda item: item[1]))


PARTS = _single_bits()
# The combinations that MuJoCo names.
_PRESETS = {
    "physics": int(_STATE.mjSTATE_PHYSICS),
    "fullphysics": int(_STATE.mjSTATE_FULLPHYSICS),
    "user": int(_STATE.mjSTATE_USER),
    "integration": int(_STATE.mjSTATE_INTEGRATION),
}


class State(Panel):
    """The parts of the state that are checked, as one list."""

    title = "State"

    def __init__(self) -> None:
        """Starts with what physics needs."""
        self._signature = _PRESETS["physics"]
        self._labels: dict[int, list[str]] = {}
        self._edits = Edits()

    def keeps(self) -> dict[str, Any]:
        """Returns the parts that are checked, by name."""
        return {"parts": [n for n, bit in PARTS.items() if self._signature & bit]}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over the parts that are checked."""
        if isinstance(parts := kept.get("parts"), list):
            self._signature = sum(bit for n, bit in PARTS.items() if n in parts)

    def on_model(self, scope: Scope) -> None:
        """Forgets whose numbers they were."""
        del scope
        self._labels.clear()
        self._edits.clear()

    def update(self, scope: Scope) -> None:
        """Keeps what was set from jumping back."""
        self._edits.refresh(scope)

    def draw(self, scope: Scope) -> None:
        """Draws the parts to choose from, and the numbers of the chosen ones."""
        self._draw_parts()
        state = read(scope.model, scope.data, self._signature)
        if not len(state):
            listing.say(
                "This model has none of the checked parts."
                if self._signature
                else "No part of the state is checked."
            )
            return
        icon = icons_fontawesome_6.ICON_FA_COPY
        if imgui.button(f"{icon} Copy {len(state)} numbers###copy"):
            imgui.set_clipboard_text(literal(state))
        imgui.set_item_tooltip("As a NumPy array, for mj_setState")
        spans = self._spans(scope.model)
        with listing.table("state", _SHARES, len(state)) as visible:
            for row in visible:
                name, bit, start = next(s for s in reversed(spans) if s[2] <= row)
                self._draw_row(scope, name, bit, row - start, float(state[row]))
        self._edits.flush(scope)

    def _draw_parts(self) -> None:
        style = imgui.get_style()
        room = imgui.get_content_region_avail().x
        taken = 0.0
        for name, signature in _PRESETS.items():
            width = imgui.calc_text_size(name).x + 2 * style.frame_padding.x
            taken += width + style.item_spacing.x
            if width < taken - style.item_spacing.x <= room:
                imgui.same_line()
            else:
                taken = width + style.item_spacing.x
            if imgui.small_button(name):
                on = self._signature == signature
                self._signature = 0 if on else signature
            imgui.set_item_tooltip(f"mjSTATE_{name.upper()}")
        if not imgui.tree_node_ex("parts", _FOLD):
            return
        bits = np.array([bool(self._signature & bit) for bit in PARTS.values()])
        changed = widgets.toggles("parts", list(PARTS), bits, least_em=_BOX_EM)
        if changed is not None:
            self._signature ^= list(PARTS.values())[changed]

    def _spans(self, model: mujoco.MjModel) -> list[tuple[str, int, int]]:
        """Returns the checked parts that have numbers: name, bit, first row."""
        spans, start = [], 0
        for name, bit in PARTS.items():
            size = mujoco.mj_stateSize(model, bit) if self._signature & bit else 0
            if size:
                spans.append((name, bit, start))
            start += size
        return spans

    def _draw_row(
        self, scope: Scope, name: str, bit: int, index: int, value: float
    ) -> None:
        label = "time" if bit == int(_STATE.mjSTATE_TIME) else f"{name}[{index}]"
        listing.name_cell(label)
        if bit not in self._labels:
            self._labels[bit] = owners(scope.model, bit)
        owner = self._labels[bit]
        words = owner[index] if index < len(owner) else ""
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted(words)
        listing.touched(words)
        imgui.table_next_column()
        imgui.set_next_item_width(-1.0)
        ident = f"##{bit}.{index}"
        if bit == int(_STATE.mjSTATE_EQ_ACTIVE):
            changed, on = imgui.checkbox(ident, bool(value))
            value = float(on)
        else:
            changed, value = widgets.drag(ident, value, None, None, "%+.4f")
        if changed:
            self._edits.set(scope, bit, index, value)
        elif imgui.is_item_active():
            self._edits.hold(bit, index)


def literal(state: npt.NDArray[np.float64]) -> str:
    """Returns a state as a line of Python that makes it, digit for digit."""
    return f"np.array([{', '.join(map(repr, state.tolist()))}])"


def owners(model: mujoco.MjModel, bit: int) -> list[str]:
    """Returns whose each number of a part of the state is; [] where nobody's.

    Args:
        model: The model.
        bit: The part, one bit of `mjtState`.
    """
    find = _OWNERS.get(bit)
    return find(model) if find is not None else []


def _spread(
    model: mujoco.MjModel,
    kind: mujoco.mjtObj,
    addresses: npt.NDArray[np.intc],
    size: int,
) -> list[str]:
    """Returns a name for each number, of elements that own some each.

    Args:
        model: The model.
        kind: Of the elements.
        addresses: Where each element's numbers start; negative where it has none.
        size: How many numbers there are.
    """
    names = listing.names(model, kind, len(addresses))
    with_any = sorted((int(at), i) for i, at in enumerate(addresses) if at >= 0)
    labels = [""] * size
    for (at, i), (end, _) in zip(with_any, [*with_any[1:], (size, 0)], strict=True):
        for k in range(at, end):
            labels[k] = names[i] if end - at == 1 else f"{names[i]}[{k - at}]"
    return labels


def _by_joint(model: mujoco.MjModel) -> list[str]:
    return _spread(model, _OBJ.mjOBJ_JOINT, model.jnt_dofadr, model.nv)


def _by_body(model: mujoco.MjModel) -> list[str]:
    """Returns names in the order of xfrc_applied: forces, then torques."""
    parts = ("fx", "fy", "fz", "tx", "ty", "tz")
    names = listing.names(model, _OBJ.mjOBJ_BODY, model.nbody)
    return [f"{name} {part}" for name in names for part in parts]


def _by_mocap(model: mujoco.MjModel, parts: str) -> list[str]:
    """Returns names in the order of the mocap bodies."""
    bodies = np.flatnonzero(model.body_mocapid >= 0).tolist()
    names = listing.names(model, _OBJ.mjOBJ_BODY, model.nbody)
    ordered = sorted(bodies, key=lambda body: int(model.body_mocapid[body]))
    return [f"{names[body]} {part}" for body in ordered for part in parts]


_OWNERS: dict[int, Callable[[mujoco.MjModel], list[str]]] = {
    int(_STATE.mjSTATE_QPOS): lambda m: _spread(
        m, _OBJ.mjOBJ_JOINT, m.jnt_qposadr, m.nq
    ),
    int(_STATE.mjSTATE_QVEL): _by_joint,
    int(_STATE.mjSTATE_WARMSTART): _by_joint,
    int(_STATE.mjSTATE_QFRC_APPLIED): _by_joint,
    int(_STATE.mjSTATE_ACT): lambda m: _spread(
        m, _OBJ.mjOBJ_ACTUATOR, m.actuator_actadr, m.na
    ),
    int(_STATE.mjSTATE_CTRL): lambda m: _spread(
        m, _OBJ.mjOBJ_ACTUATOR, m.actuator_ctrladr, m.nu
    ),
    int(_STATE.mjSTATE_XFRC_APPLIED): _by_body,
    int(_STATE.mjSTATE_EQ_ACTIVE): lambda m: listing.names(
        m, _OBJ.mjOBJ_EQUALITY, m.neq
    ),
    int(_STATE.mjSTATE_MOCAP_POS): lambda m: _by_mocap(m, "xyz"),
    int(_STATE.mjSTATE_MOCAP_QUAT): lambda m: _by_mocap(m, "wxyz"),
}
