"""What a person can do to the simulation from the panels, and what is known of it.

The toolbar and the keys call `Controls`; it turns each action into Studio's own
messages for the sim. It draws nothing. It lives on the viewer thread, in `App`,
which hands it the sim's snapshots.
"""

import bisect
import dataclasses
import functools
import math
from typing import Protocol

import mujoco
from mujoco.studio import messages, sim_history
from mujoco.studio.sim import PauseState

from studio_nb.app.panels import mjcf
from studio_nb.scene import camera
from studio_nb.sim.scrub import ScrubSnapshot, ScrubStepEvent, TimelineSnapshot

# Percent of real time; the last one runs as fast as it goes.
SPEEDS = (
    *(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0),
    *(200.0, 500.0, 1000.0, math.inf),
)

_INITIAL = "initial"


class ControlledViewer(Protocol):
    """What the actions need of a viewer."""

    model: mujoco.MjModel
    data: mujoco.MjData
    model_path: str
    camera: mujoco.MjvCamera
    perturb: mujoco.MjvPerturb

    def send_to_sim(self, message: messages.Message) -> None:
        """Sends a message to the simulation."""
        ...


@functools.cache
def speed_label(speed: float) -> str:
    """Returns a speed in percent of real time in words."""
    return "max" if math.isinf(speed) else f"{speed:.4g} %"


class Controls:
    """The actions of the app, for one viewer.

    Attributes:
        viewer: Whose model and data are shown.
        timeline: What is recorded, and where in it the simulation is.
        key: Keyframe that reset goes to; None is the model's initial state.
        help_toggled: Whether the help is to open, or to close if it is open; the
            one who draws it does so and clears this.
        threads: Worker threads that the simulation was given.
    """

    def __init__(self, viewer: ControlledViewer) -> None:
        """Starts from the sim's defaults until its first snapshot.

        Args:
            viewer: Gives the model, data, camera and perturbation, and takes the
                messages for the sim.
        """
        self.viewer = viewer
        self.timeline = TimelineSnapshot()
        self.key: int | None = None
        self.help_toggled = False
        self.threads = 0
        self._step_control = messages.StepControlSnapshot()
        self._model: mujoco.MjModel | None = None
        self._key_names: tuple[str, ...] = ()
        self._key_name = _INITIAL

    @property
    def running(self) -> bool:
        """Whether the simulation is not paused."""
        return self._step_control.pause_state == PauseState.UNPAUSED

    @property
    def speed(self) -> float:
        """The wanted speed, percent of real time; inf is as fast as it goes."""
        return self._step_control.speed

    @property
    def noise_scale(self) -> float:
        """Standard deviation of the noise on the controls."""
        return self._step_control.noise_scale

    @property
    def noise_rate(self) -> float:
        """How long the noise on the controls stays alike, seconds."""
        return self._step_control.noise_rate

    @property
    def real_time_factor(self) -> float | None:
        """Simulated seconds a second, as the sim measures it; None if unknown."""
        measured = self._step_control.speed_measured
        return measured / 100.0 if self.running and measured >= 0.0 else None

    @property
    def key_names(self) -> tuple[str, ...]:
        """The names of the model's keyframes; nameless ones go by their number."""
        model = self.viewer.model
        if model is not self._model:
            names = tuple(model.key(i).name or f"key {i}" for i in range(model.nkey))
            # A changed model keeps the choice where that keyframe is still there.
            if self.key is not None and names[self.key :][:1] != (self._key_name,):
                self.key, self._key_name = None, _INITIAL
            self._model, self._key_names = model, names
        return self._key_names

    @property
    def key_labels(self) -> tuple[str, ...]:
        """What reset can go to, in words: the initial state, then each keyframe."""
        return (_INITIAL, *self.key_names)

    @property
    def key_label(self) -> str:
        """What reset goes to, in words."""
        return self.key_labels[0 if self.key is None else self.key + 1]

    def follow(self, snapshot: messages.StepControlSnapshot) -> None:
        """Takes over how the sim steps."""
        self._step_control = snapshot

    def follow_pause(self, pause_state: PauseState) -> None:
        """Takes over that the simulation was paused, or goes on."""
        self._step_control = dataclasses.replace(
            self._step_control, pause_state=pause_state
        )

    def follow_timeline(self, snapshot: TimelineSnapshot) -> None:
        """Takes over what is recorded."""
        self.timeline = snapshot

    @property
    def scrubbed(self) -> bool:
        """Whether an earlier state is shown than the newest."""
        return not self.running and self.timeline.index < 0

    def toggle_run(self) -> None:
        """Pauses or goes on."""
        self._set_paused(paused=self.running)

    def step(self) -> None:
        """Takes one physics step; from an earlier state, goes to the next recorded.

        A running simulation is paused first.
        """
        if self.scrubbed:
            self._scrub_step(1)
            return
        if self.running:
            self._set_paused(paused=True)
        self.viewer.send_to_sim(messages.SingleStepEvent())

    def step_back(self) -> None:
        """Goes one recorded step back; a running simulation is paused first."""
        if self.running:
            self._set_paused(paused=True)
        self._scrub_step(-1)

    def scrub(self, row: int) -> None:
        """Shows a recorded state, and pauses there.

        Args:
            row: Its place among those that are there, from 0; the nearest is taken.
        """
        timeline = self.timeline
        if timeline.size == 0:
            return
        if self.running:
            self._set_paused(paused=True)
        row = min(max(row, 0), timeline.size - 1)
        # Shown without waiting for the sim's answer.
        index = row - timeline.size + 1
        self.timeline = dataclasses.replace(timeline, index=index)
        if timeline.numbered:
            wish = ScrubSnapshot(timeline.recording, timeline.first + row)
            self.viewer.send_to_sim(wish)
        else:
            self.viewer.send_to_sim(sim_history.SimHistorySnapshot(index=index))

    def scrub_by(self, share: float) -> None:
        """Goes along the recorded states by a share of them, -1 to 1."""
        timeline = self.timeline
        rows = math.copysign(max(1, abs(round(share * timeline.size))), share)
        self.scrub(timeline.row + int(rows))

    def _scrub_step(self, rows: int) -> None:
        if self.timeline.numbered:
            self.viewer.send_to_sim(ScrubStepEvent(rows))
        else:
            self.scrub(self.timeline.row + rows)

    def reset(self) -> None:
        """Goes back to the chosen keyframe, or to the initial state."""
        key = self.key if self.key_names else None
        self.viewer.send_to_sim(messages.ResetEvent(key=key))

    def reload(self) -> None:
        """Loads the model's source again."""
        self.viewer.send_to_sim(messages.LoadModelEvent(path=self.viewer.model_path))

    def choose_key(self, key: int | None) -> None:
        """Chooses the state that reset goes to, and goes there."""
        self.select_key(key)
        self.reset()

    def select_key(self, key: int | None) -> None:
        """Chooses the state that reset goes to, and `save_key` writes."""
        labels = self.key_labels
        self.key, self._key_name = key, labels[0 if key is None else key + 1]

    def save_key(self) -> None:
        """Writes the present state into the chosen keyframe, if one is chosen."""
        key, model = self.key, self.viewer.model
        if key is None or not self.key_names:
            return
        mujoco.mj_setKeyframe(model, self.viewer.data, key)
        if (event := messages.KeyframeEvent.from_model(model, key)) is not None:
            self.viewer.send_to_sim(event)

    def set_threads(self, count: int) -> None:
        """Gives the simulation this many worker threads; 0: none."""
        self.threads = count
        self.viewer.send_to_sim(messages.ThreadPoolEvent(nthread=count))

    def set_speed(self, speed: float) -> None:
        """Sets the speed, percent of real time; inf is as fast as it goes."""
        self._send_step_control(speed=speed)

    def set_noise(self, scale: float, rate: float) -> None:
        """Sets the noise on the controls.

        Args:
            scale: Standard deviation, in the unit of each control; 0 is none.
            rate: How long it stays alike, seconds.
        """
        self._send_step_control(noise_scale=scale, noise_rate=rate)

    def faster(self) -> None:
        """Takes the next higher speed of the list."""
        place = bisect.bisect_right(SPEEDS, self.speed)
        self.set_speed(SPEEDS[min(place, len(SPEEDS) - 1)])

    def slower(self) -> None:
        """Takes the next lower speed of the list."""
        place = bisect.bisect_left(SPEEDS, self.speed)
        self.set_speed(SPEEDS[max(place - 1, 0)])

    def align_camera(self) -> None:
        """Goes to the model's home camera, else looks at the whole model again."""
        camera.align(self.viewer.model, self.viewer.camera)

    def select(self, body: int) -> None:
        """Selects a body, unless the mouse holds one; the world stands for none."""
        perturb = self.viewer.perturb
        if perturb.active or perturb.active2:
            return
        perturb.select = max(body, 0)
        perturb.flexselect = perturb.skinselect = -1
        perturb.localpos[:] = 0

    def select_parent(self) -> None:
        """Selects the body that carries the selected one."""
        if (body := self.viewer.perturb.select) > 0:
            self.select(int(self.viewer.model.body_parentid[body]))

    def key_line(self) -> str:
        """Returns the present state as a keyframe's line of MJCF.

        It has the name of the chosen keyframe, so that it can take its place.
        """
        model, key = self.viewer.model, self.key
        name = model.key(key).name if key is not None and key < model.nkey else ""
        return mjcf.key(self.viewer.data, name)

    def deselect(self) -> None:
        """Selects no body."""
        perturb = self.viewer.perturb
        perturb.select = 0
        perturb.flexselect = -1
        perturb.skinselect = -1
        perturb.active = 0
        perturb.active2 = 0

    def toggle_help(self) -> None:
        """Opens or closes the help."""
        self.help_toggled = True

    def _set_paused(self, *, paused: bool) -> None:
        self._send_step_control(
            pause_state=PauseState.NORMAL_PAUSED if paused else PauseState.UNPAUSED
        )

    def _send_step_control(self, **changes: object) -> None:
        """Sends the step control with changes, and shows them without waiting."""
        self._step_control = dataclasses.replace(self._step_control, **changes)
        self.viewer.send_to_sim(
            dataclasses.replace(self._step_control, speed_measured=-1.0)
        )
