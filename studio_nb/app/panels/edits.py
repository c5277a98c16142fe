"""State that a person sets in a panel, until the simulation shows it.

Panels that edit the state hold an `Edits` each. What is set is sent as a
`StatePatchEvent`; a frame that was on its way at that moment does not know of it, so
its values are covered until the edit has come back. Viewer thread only.
"""

import dataclasses
import time
from collections.abc import Callable

import mujoco
import numpy as np
import numpy.typing as npt

from studio_nb.app.panel import Scope
from studio_nb.sim.patch import StatePatchEvent

# The viewer asks for one frame at a time, so at most one was on its way when the
# person moved: the second one that shows another value comes from after the edit.
_MOST_MISSES = 1
# An edit that the simulation never shows, because it is gone or refuses it.
_HOLD_SEC = 0.3


def read(
    model: mujoco.MjModel, data: mujoco.MjData, signature: int
) -> npt.NDArray[np.float64]:
    """Returns the parts of the state in `signature`, as `mj_getState` packs them."""
    state = np.empty(mujoco.mj_stateSize(model, signature))
    mujoco.mj_getState(model, data, state, signature)
    return state


@dataclasses.dataclass(slots=True)
class _Pending:
    """A number that was set.

    Attributes:
        value: What the person wants.
        until: When to give it up, seconds of the clock.
        data: Where it was written to last; a frame brings another `MjData`.
        held: Whether the person holds the control at this moment.
        misses: How many newer frames showed another value.
    """

    value: float
    until: float
    data: mujoco.MjData
    held: bool = True
    misses: int = 0


class Edits:
    """The edits of one panel: part of the state, place in it, number."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Starts with none.

        Args:
            clock: Tells seconds.
        """
        self._clock = clock
        self._pending: dict[int, dict[int, _Pending]] = {}
        self._due = 0

    @property
    def pending(self) -> bool:
        """Whether something was set that the simulation has yet to show."""
        return bool(self._pending)

    def clear(self) -> None:
        """Forgets all: the model was exchanged."""
        self._pending.clear()
        self._due = 0

    def set(self, scope: Scope, bit: int, index: int, value: float) -> None:
        """Sets one number; `flush` sends it.

        Args:
            scope: Whose state it is.
            bit: The part of the state, one bit of `mjtState`.
            index: The place in that part.
            value: The number.
        """
        until = self._clock() + _HOLD_SEC
        entries = self._pending.setdefault(int(bit), {})
        entries[index] = _Pending(value, until, scope.data)
        self._due |= int(bit)

    def hold(self, bit: int, index: int) -> None:
        """Notes that the person still holds the control of a number."""
        entry = self._pending.get(int(bit), {}).get(index)
        if entry is not None:
            entry.held, entry.misses = True, 0
            entry.until = self._clock() + _HOLD_SEC

    def refresh(self, scope: Scope) -> None:
        """Covers the values of the present frame; call it before drawing."""
        for bit in list(self._pending):
            entries = self._pending[bit]
            state = read(scope.model, scope.data, bit)
            for index, entry in list(entries.items()):
                if index >= len(state) or self._over(entry, state[index], scope.data):
                    del entries[index]
            if entries:
                self._write(scope, bit, state)
            else:
                del self._pending[bit]

    def flush(self, scope: Scope) -> None:
        """Sends what was set since the last time, as one message."""
        if not self._due:
            return
        due, self._due = self._due, 0
        places: list[int] = []
        start = 0
        # The parts stand in the state in the order of their bits.
        for bit in sorted(bit for bit in self._pending if due & bit):
            self._write(scope, bit, read(scope.model, scope.data, bit))
            places += [start + index for index in self._pending[bit]]
            start += mujoco.mj_stateSize(scope.model, bit)
        state = read(scope.model, scope.data, due)
        scope.viewer.send_to_sim(StatePatchEvent(state, due, tuple(places)))

    def _over(self, entry: _Pending, shown: float, data: mujoco.MjData) -> bool:
        """Tells whether a number need not be covered any longer."""
        held, entry.held = entry.held, False
        if held:
            return False
        if shown == entry.value:
            # In the data that was written to, this is our own value.
            return data is not entry.data or self._clock() > entry.until
        entry.misses += 1
        return entry.misses > _MOST_MISSES or self._clock() > entry.until

    def _write(self, scope: Scope, bit: int, state: npt.NDArray[np.float64]) -> None:
        for index, entry in self._pending[bit].items():
            state[index] = entry.value
            entry.data = scope.data
        mujoco.mj_setState(scope.model, scope.data, state, bit)
