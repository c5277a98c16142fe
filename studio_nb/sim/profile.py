"""How long the parts of a physics step take, asked for by the Profiler.

MuJoCo fills `MjData.timer` only while it is given a clock, a process-wide callback
that costs some microseconds a step. So the sim thread gives it one for the batch of
steps after a request, and answers with that batch's means.
"""

import dataclasses
import time

import mujoco
import numpy as np
import numpy.typing as npt
from mujoco.studio import messages, plugin

TIMERS = [name.removeprefix("mjTIMER_") for name in mujoco.mjtTimer.__members__][
    : int(mujoco.mjtTimer.mjNTIMER)
]


@dataclasses.dataclass(frozen=True)
class ProfileRequest(messages.Snapshot):
    """Asks for the times of the next batch of steps."""


@dataclasses.dataclass(frozen=True, eq=False)
class ProfileSnapshot(messages.Snapshot):
    """The times of a batch of steps.

    Attributes:
        time: Simulation time at its end, seconds.
        seconds: Shape (mjNTIMER,), means of one call of each part; nan for one that
            was not called.
    """

    time: float
    seconds: npt.NDArray[np.float64]


class StepProfiler(plugin.SimPlugin):
    """Answers `ProfileRequest`; one of the session's own plugins."""

    def __init__(self) -> None:
        """Starts without a clock."""
        self._wanted = False
        self._start: npt.NDArray[np.float64] | None = None

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_request(self, _: ProfileRequest) -> bool:
        self._wanted = True
        return True

    # After every other handler, so that only the steps themselves are timed.
    @messages.handler(priority=messages.Priority.INTERNAL - 1)
    def _on_pre_step(self, event: messages.PreStepEvent) -> None:
        # A clock that a person gave MuJoCo is theirs, and counts in their unit.
        if self._wanted and mujoco.get_mjcb_time() is None:
            self._start = _read(event.data)
            mujoco.set_mjcb_time(time.perf_counter)

    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_post_step(self, event: messages.PostStepEvent) -> None:
        if self._start is None:
            return
        mujoco.set_mjcb_time(None)
        (durations, numbers), self._start = _read(event.data) - self._start, None
        # A reset, or no step at all: the next batch will tell.
        if not (numbers[0] > 0 and (numbers >= 0).all()):
            return
        self._wanted = False
        called = numbers > 0
        seconds = np.full(len(numbers), np.nan)
        seconds[called] = durations[called] / numbers[called]
        self.handle.send_to_viewer(ProfileSnapshot(event.data.time, seconds))

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_exit(self, _: messages.ExitEvent) -> None:
        if self._start is not None:
            self._start = None
            mujoco.set_mjcb_time(None)


def _read(data: mujoco.MjData) -> npt.NDArray[np.float64]:
    """Returns the timers' durations and counts so far, shape (2, mjNTIMER)."""
    timers = [data.timer[i] for i in range(len(TIMERS))]
    return np.array([[t.duration for t in timers], [t.number for t in timers]], float)
