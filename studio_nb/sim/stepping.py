"""Stepping: single physics steps, in real time or faster, on the sim thread.

Answers Studio's `StepControlSnapshot`, `SingleStepEvent` and
`RequestPauseEvent` in place of `mujoco.studio.step_control.StepControl`, which
batches steps out of Python's sight and stops at real time. Every step is
counted and shown to `observers`.
"""

import dataclasses
import math
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import mujoco
import numpy as np
import numpy.typing as npt
from mujoco.studio import messages, plugin
from mujoco.studio.sim import PauseState

from studio_nb.errors import StudioError
from studio_nb.sim.handle import SimHandle

if TYPE_CHECKING:
    from concurrent import futures

Observer = Callable[[mujoco.MjModel, mujoco.MjData], None]

# Slower than this, in percent of real time, is standing still.
_MIN_SPEED = 1e-3
# A batch ends after this long, so that messages and frame requests are answered
# within a fraction of a display frame.
_BATCH_SEC = 0.008
# Without anything to do the loop still turns this often, for plugins that poll.
_IDLE_SEC = 0.05
# A plugin that steps in our place and has not for so long does not serve who waits.
_STANDSTILL_SEC = 2.0
# Being late by more than this is not made up for: the machine is too slow, or
# was asleep, and a burst of steps would only make the lag felt.
_MAX_LAG_SEC = 0.1
# Over how long the achieved speed is measured, and how much (in percent of real
# time) it must move to be told again; a slow one by a tenth of itself.
_MEASURE_SEC = 0.5
_MEASURE_DEADBAND, _MEASURE_DEADBAND_SHARE = 1.0, 0.1


@dataclasses.dataclass(slots=True)
class _Job:
    """A request to step as fast as it goes, for a while.

    Attributes:
        until: Simulation time at which it is done, seconds.
        left: Steps after which it is done.
        future: Gets the simulation time reached.
    """

    until: float
    left: float
    future: "futures.Future[float]"


class Stepper(plugin.SimPlugin):
    """Advances the simulation; the only one that calls `mj_step`.

    Attributes:
        paused: Whether time stands still.
        speed: Wanted speed in percent of real time; `math.inf` is as fast as
            it goes.
        steps: Physics steps taken since the start, of all models together.
        starters: Called before the first step of each batch.
        observers: Called after each step, before any message is handled.
        upsets: Called when MuJoCo has reset an unstable simulation in a step.
    """

    handle: SimHandle  # ty: ignore[incompatible-property-override] - always ours

    def __init__(
        self, wake: threading.Event, *, paused: bool = False, speed: float = 100.0
    ) -> None:
        """Starts with these settings.

        Args:
            wake: Set by whoever sends to the sim; ends a wait early.
            paused: Whether to start paused.
            speed: Percent of real time, above 0.
        """
        self._wake = wake
        self.paused = paused
        self.speed = speed
        self.steps = 0
        self.starters: list[Observer] = []
        self.observers: list[Observer] = []
        self.upsets: list[Callable[[], None]] = []
        self._noise_scale = self._noise_rate = 0.0
        self._noise = np.zeros(0)
        self._random = np.random.default_rng()
        self._path: str | None = None
        self._job: _Job | None = None
        self._singles = 0
        self._went_back = False
        self._mine = False
        self._was = 0.0
        self._moved_at = 0.0
        self._anchor = (0.0, 0.0)
        self._mark = (0.0, 0.0)
        self._measured = self._reported = -1.0
        self._sent: messages.StepControlSnapshot | None = None

    def step(self, n: int, future: "futures.Future[float]") -> None:
        """Takes `n` physics steps, paused or not. Sim thread only.

        Args:
            n: How many.
            future: Gets the simulation time that was reached.
        """
        self._begin(_Job(math.inf, n, future))

    def run(self, seconds: float, future: "futures.Future[float]") -> None:
        """Runs `seconds` of simulation time as fast as it goes. Sim thread only.

        Args:
            seconds: Simulation time to cover.
            future: Gets the simulation time that was reached.
        """
        # Half a step early is there: time is a sum of rounded timesteps.
        model = self.handle.model
        half = 0.5 * model.opt.timestep if model is not None else 0.0
        self._begin(_Job(self._time + seconds - half, math.inf, future))

    def stop(self) -> None:
        """Ends a `step` or `run` early. Sim thread only."""
        self._end_job()

    @property
    def _time(self) -> float:
        """Simulation time, seconds; 0 before there is a model."""
        data = self._handle.data if self._handle is not None else None
        return data.time if data is not None else 0.0

    def _step(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        if self._noise_scale > 0:
            self._add_noise(model, data)
        mujoco.mj_step(model, data)
        self.steps += 1
        for observe in self.observers:
            observe(model, data)

    def _add_noise(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Moves the controls by an Ornstein-Uhlenbeck process.

        The noise of the step before is taken back, so that it wanders around the
        controls that were set: with rate r = exp(-timestep / noise_rate),
        noise' = r noise + noise_scale sqrt(1 - r^2) N(0, 1).
        """
        if len(self._noise) != model.nu:
            self._noise = np.zeros(model.nu)
        rate = math.exp(-model.opt.timestep / max(self._noise_rate, 1e-9))
        fresh = self._random.standard_normal(model.nu) * self._noise_scale
        noise = rate * self._noise + math.sqrt(1 - rate * rate) * fresh
        data.ctrl += noise - self._noise
        self._noise = noise

    @property
    def noise(self) -> npt.NDArray[np.float64] | None:
        """The noise that is in the controls: (nu,), at first (0,); None for none."""
        return self._noise if self._noise_scale > 0 else None

    def restore_noise(
        self, data: mujoco.MjData, noise: npt.NDArray[np.float64]
    ) -> None:
        """Takes over controls that were put back, and the noise that is in them."""
        self._noise = noise
        if self._noise_scale <= 0:
            self._drop_noise(data)

    def _drop_noise(self, data: mujoco.MjData) -> None:
        """Gives back the controls as they were set."""
        if len(self._noise) == len(data.ctrl):
            data.ctrl -= self._noise
        self._noise = np.zeros(0)

    def _begin(self, job: _Job) -> None:
        self._moved_at = time.perf_counter()
        self._end_job()
        self._job = job

    def _end_job(self, error: Exception | None = None) -> None:
        if (job := self._job) is None:
            return
        self._job = None
        if not job.future.done():
            if error is None:
                job.future.set_result(self._time)
            else:
                job.future.set_exception(error)
        self._resync()

    def _resync(self) -> None:
        """Makes now the moment from which real time is counted."""
        self._anchor = self._mark = (time.perf_counter(), self._time)

    def snapshot(self) -> messages.StepControlSnapshot:
        """Returns the settings and the achieved speed as Studio's message."""
        moved = abs(self._measured - self._reported)
        share = _MEASURE_DEADBAND_SHARE * abs(self._reported)
        if moved > 0.0 and moved >= min(_MEASURE_DEADBAND, share):
            self._reported = self._measured
        state = PauseState.NORMAL_PAUSED if self.paused else PauseState.UNPAUSED
        return messages.StepControlSnapshot(
            pause_state=state,
            speed=self.speed,
            noise_scale=self._noise_scale,
            noise_rate=self._noise_rate,
            speed_measured=self._reported,
        )

    def _report(self) -> None:
        now = self.snapshot()
        if now != self._sent:
            self._sent = now
            self.handle.send_to_viewer(now)

    def set_paused(self, paused: bool) -> None:  # noqa: FBT001 - the one thing it says
        """Pauses or goes on. Sim thread only."""
        if paused != self.paused:
            self.paused = paused
            self._resync()
        if paused:
            self._end_job()

    def set_speed(self, speed: float) -> None:
        """Sets the wanted speed, percent of real time. Sim thread only."""
        if speed > 0 and speed != self.speed:
            self.speed = max(speed, _MIN_SPEED)
            self._resync()

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_model(self, event: messages.PostModelEvent) -> None:
        if self._path is not None and event.path != self._path:
            # Another scene starts afresh; the same one reloaded goes on as it was.
            self.paused, self.speed = False, 100.0
            self._noise_scale = self._noise_rate = 0.0
        self._path = event.path
        self._noise = np.zeros(0)
        self._singles = 0
        self._end_job(StudioError("the model was replaced before this was done"))
        self._resync()

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_step_control(self, event: messages.StepControlSnapshot) -> bool:
        paused = event.pause_state != PauseState.UNPAUSED
        if paused != self.paused:
            self.set_paused(paused)
        self.set_speed(event.speed)
        self._noise_scale = _usable(event.noise_scale)
        self._noise_rate = _usable(event.noise_rate)
        if self._noise_scale <= 0 and self.handle.data is not None:
            self._drop_noise(self.handle.data)
        return True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_pause(self, event: messages.RequestPauseEvent) -> bool:
        self.set_paused(event.pause_state != PauseState.UNPAUSED)
        return True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_single_step(self, _: messages.SingleStepEvent) -> bool:
        self._singles += 1
        return True

    # After the handle's own handler has reset the data.
    @messages.handler(priority=messages.Priority.INTERNAL - 1)
    def _on_reset(self, _: messages.ResetEvent) -> None:
        self._end_job()
        self._noise = np.zeros(0)
        self._resync()

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_exit(self, _: messages.ExitEvent) -> None:
        self._end_job()

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_step(self, event: messages.StepEvent) -> None:
        self._mine = True
        try:
            self._turn(event.model, event.data)
        except Exception as error:
            # What makes one step fail makes the next one fail.
            self._end_job(error)
            self._singles = 0
            self.set_paused(True)
            raise
        finally:
            self._report()

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_pre_step(self, event: messages.PreStepEvent) -> None:
        self._was = event.data.time

    # A plugin that consumes StepEvent steps in our place.
    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_step(self, event: messages.PostStepEvent) -> None:
        mine, self._mine = self._mine, False
        if mine:
            return
        now, moved = time.perf_counter(), event.data.time != self._was
        if moved:
            self._moved_at = now
            self.steps += 1
            for observe in self.observers:
                observe(event.model, event.data)
            self._measure(event.data)
        self._singles = 0
        self._serve(event.data, moved=moved, now=now)
        self._report()

    def _serve(self, data: mujoco.MjData, *, moved: bool, now: float) -> None:
        """Counts a plugin's step for who waits; gives up when it takes none."""
        if (job := self._job) is None:
            self._moved_at = now
            return
        job.left -= moved
        if data.time >= job.until or job.left <= 0:
            self._end_job()
        elif now - self._moved_at > _STANDSTILL_SEC:
            msg = (
                "a plugin that consumes StepEvent steps this simulation, and it "
                f"stands still at {data.time:.4g} s: let it go on, or disable it"
            )
            self._end_job(StudioError(msg))

    def _turn(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        if self.paused and self._job is None and not self._singles:
            self._report()
            self._wait(_IDLE_SEC)
            return
        _check_time(model, data)
        if self._job is not None:
            self._work(model, data, self._job)
        elif self._singles:
            self._singles -= self._advance(model, data, math.inf, self._singles)
            self._resync()
        elif math.isinf(self.speed):
            self._advance(model, data, math.inf)
        else:
            self._keep_pace(model, data)

    def _work(self, model: mujoco.MjModel, data: mujoco.MjData, job: _Job) -> None:
        start = data.time
        due = job.until + model.opt.timestep
        job.left -= self._advance(model, data, due, job.left)
        if self._went_back:
            msg = (
                f"the simulation became unstable at {start:.4g} s and MuJoCo reset it: "
                "a smaller timestep or weaker gains may help"
            )
            self._end_job(StudioError(msg))
        elif data.time >= job.until or job.left <= 0:
            self._end_job()

    def _keep_pace(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Takes the steps that are due, or waits until one is."""
        rate = self.speed / 100
        wall, start = self._anchor
        due = start + (time.perf_counter() - wall) * rate
        # The next step ends at time + timestep; it is taken when that is due.
        wait = (data.time + model.opt.timestep - due) / rate
        if wait > 0:
            self._wait(min(wait, _IDLE_SEC))
            return
        self._advance(model, data, due)
        lag = (start + (time.perf_counter() - wall) * rate - data.time) / rate
        if lag > _MAX_LAG_SEC or data.time < start:
            self._anchor = (time.perf_counter(), data.time)

    def _advance(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        due: float,
        most: float = math.inf,
    ) -> int:
        """Steps while a whole step fits before `due`, or until the batch's end.

        Args:
            model: The model.
            data: Its data.
            due: Simulation time, seconds.
            most: How many steps to take at the most.

        Returns:
            How many steps it took.
        """
        clock, step = time.perf_counter, self._step
        end = clock() + _BATCH_SEC
        last = due - model.opt.timestep
        if self.handle.has_step_handlers:
            most = min(most, 1)
        now, taken, self._went_back = data.time, 0, False
        if now <= last:
            for start in self.starters:
                start(model, data)
        while now <= last and taken < most:
            before = now
            step(model, data)
            taken += 1
            now = data.time
            if now <= before:
                # MuJoCo resets a simulation that has become unstable.
                self._went_back = True
                for upset in self.upsets:
                    upset()
                break
            if clock() >= end:
                break
        self._measure(data)
        return taken

    def _measure(self, data: mujoco.MjData) -> None:
        wall, start = self._mark
        now = time.perf_counter()
        if data.time < start:
            self._mark = (now, data.time)
        elif now - wall >= _MEASURE_SEC:
            self._measured = 100 * (data.time - start) / (now - wall)
            self._mark = (now, data.time)

    def _wait(self, seconds: float) -> None:
        self._wake.wait(seconds)
        self._wake.clear()


def _usable(number: float) -> float:
    """Returns a number of the noise, or 0 for one that is none."""
    return number if 0 < number < math.inf else 0.0


def _check_time(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Checks that a step will take the time on.

    Raises:
        StudioError: If it will not: one of them is not a number, the timestep is not
            above 0, or the time so large that a step is lost in its rounding.
    """
    now, timestep = data.time, model.opt.timestep
    if not now + timestep > now:
        msg = (
            f"time cannot go on from {now:g} s in steps of {timestep:g} s: reset the "
            "simulation, or give model.opt.timestep a value above 0"
        )
        raise StudioError(msg)
