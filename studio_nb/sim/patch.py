"""Single numbers of the state, set from a panel while the simulation runs.

Studio's `StateEvent` carries whole vectors: by the time it arrives, the numbers
that nobody touched are old, and setting them would pull the simulation back.
Panels make the events, `Patcher` answers them on the sim thread.
"""

import dataclasses

import mujoco
import numpy as np
from mujoco.studio import messages, plugin


@dataclasses.dataclass(frozen=True, eq=False)
class StatePatchEvent(messages.StateEvent):
    """A `StateEvent` of which only some numbers are meant.

    Attributes:
        places: Of these numbers in `state`.
    """

    places: tuple[int, ...] = ()


class Patcher(plugin.SimPlugin):
    """Turns each patch into a `StateEvent` of the present state; the session's own."""

    # Before those who handle every StateEvent, of which this is one.
    @messages.handler(priority=messages.Priority.CRITICAL + 1)
    def _on_patch(self, event: StatePatchEvent) -> bool:
        model, data = self.handle.model, self.handle.data
        size = mujoco.mj_stateSize(model, event.state_sig)
        if size != len(event.state):
            # The model was exchanged while it was on its way.
            return True
        state = np.empty(size)
        mujoco.mj_getState(model, data, state, event.state_sig)
        places = list(event.places)
        state[places] = event.state[places]
        self.handle.dispatch(messages.StateEvent(state, event.state_sig))
        return True
