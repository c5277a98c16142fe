"""Going back in the history: what a timeline sends, and what it is told.

`Scrubber` lives on the sim thread beside the recorder. Rows are numbered as the
recorder numbers them, so a wish means the same however far the simulation has gone
meanwhile. Going on from an earlier row loses nothing: the rows to come are appended.
Studio's own timeline, which counts back from the head, is answered too.
"""

import bisect
import dataclasses
import time

from mujoco.studio import messages, plugin, sim_history
from mujoco.studio.sim import PauseState

from studio_nb.errors import StudioError
from studio_nb.sim.frames import FrameRequest
from studio_nb.sim.marks import Mark
from studio_nb.sim.recorder import Recorder
from studio_nb.sim.stepping import Stepper

# While the simulation runs the timeline is told this often, as panels are built.
_PUBLISH_SEC = 1 / 15
# More marks than these a timeline of a few hundred pixels cannot show.
_MAX_MARKS = 256


@dataclasses.dataclass(frozen=True)
class TimelineSnapshot(messages.Snapshot):
    """What is recorded, and where in it the simulation is; from the sim.

    Attributes:
        recording: Which recording it is; another one begins when it is cleared.
            Negative where the sim's history is Studio's own, which has no numbers.
        first: Number of the oldest row that is there.
        size: How many rows there are.
        index: The row that the simulation is at, counted back from the newest: 0 or
            negative.
        first_time: Of the oldest row, seconds.
        head_time: Of the newest row, seconds.
        time: Of the row that the simulation is at, seconds.
        marks: The latest rows that do not follow from the one before by a step.
    """

    recording: int = -1
    first: int = 0
    size: int = 0
    index: int = 0
    first_time: float = 0.0
    head_time: float = 0.0
    time: float = 0.0
    marks: tuple[Mark, ...] = ()

    @property
    def numbered(self) -> bool:
        """Whether rows go by their number, and not by their distance to the newest."""
        return self.recording >= 0

    @property
    def row(self) -> int:
        """The row that the simulation is at, from 0 for the oldest."""
        return self.size - 1 + self.index

    def time_at(self, row: int) -> float:
        """Returns the time of a row in seconds, as if all timesteps were the same.

        Args:
            row: From 0 for the oldest.
        """
        after = bisect.bisect_right(self.marks, row, key=lambda mark: mark.row)
        begin, began = 0, self.first_time
        if after:
            begin, began = self.marks[after - 1].row, self.marks[after - 1].began
        end, ended = self.size - 1, self.head_time
        if after < len(self.marks):
            end, ended = self.marks[after].row - 1, self.marks[after].ended
        if row <= begin or end <= begin:
            return began
        return began + (ended - began) * (row - begin) / (end - begin)


@dataclasses.dataclass(frozen=True)
class ScrubSnapshot(messages.Snapshot):
    """Pauses the simulation and puts it into the state of a row; from the viewer.

    Attributes:
        recording: The recording that is meant; a wish for another one is dropped.
        row: Number of the row; the nearest that is there is taken.
    """

    recording: int
    row: int


@dataclasses.dataclass(frozen=True)
class ScrubStepEvent(messages.Event):
    """Pauses the simulation and goes some steps back or forth; from the viewer.

    Attributes:
        rows: Negative goes back in time; positive goes along what was recorded, and
            steps on from its end.
    """

    rows: int


class Scrubber(plugin.SimPlugin):
    """Puts the simulation back to recorded rows, and tells the viewer of them."""

    def __init__(self, recorder: Recorder, stepper: Stepper) -> None:
        """Starts with nothing told.

        Args:
            recorder: Has the rows.
            stepper: Has the noise that is in the controls.
        """
        self._recorder = recorder
        self._stepper = stepper
        self._told: tuple[int, ...] = ()
        self._told_at = 0.0
        self._asked = False

    def back(self, n: int) -> None:
        """Pauses, and goes `n` steps back.

        Raises:
            StudioError: If there are not that many; then nothing has changed.
        """
        recorder = self._recorder
        self._keep()
        row = recorder.back(n)
        if row < recorder.first:
            there = n - (recorder.first - row)
            msg = (
                f"step_back({n}): only {max(there, 0)} earlier steps are recorded"
                if there > 0
                else f"step_back({n}): there is no earlier step recorded"
            )
            raise StudioError(msg)
        self.go(row)

    def go(self, row: int) -> None:
        """Pauses, and puts the simulation into the state of a row.

        Args:
            row: Its number; the nearest that is there is taken.
        """
        recorder = self._recorder
        model, data = self.handle.model, self.handle.data
        if model is None or data is None or recorder.end == recorder.first:
            return
        self.handle.dispatch(
            messages.RequestPauseEvent(pause_state=PauseState.NORMAL_PAUSED)
        )
        self._keep()
        row = min(max(row, recorder.first), recorder.end - 1)
        self._stepper.restore_noise(data, recorder.load(row, model, data))

    def _keep(self) -> None:
        """Adds a row for what somebody has set, so that it is not lost."""
        model, data = self.handle.model, self.handle.data
        if model is not None and data is not None:
            self._recorder.keep(model, data)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_scrub(self, snapshot: ScrubSnapshot) -> bool:
        if snapshot.recording == self._recorder.recording:
            self.go(snapshot.row)
        return True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_scrub_step(self, event: ScrubStepEvent) -> bool:
        recorder = self._recorder
        if event.rows < 0:
            self._keep()
            self.go(recorder.back(-event.rows))
            return True
        along = min(event.rows, recorder.end - 1 - recorder.at)
        if along:
            self.go(recorder.at + along)
        for _ in range(event.rows - along):
            self.handle.dispatch(messages.SingleStepEvent())
        return True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_studios_scrub(self, snapshot: sim_history.SimHistorySnapshot) -> bool:
        self.go(self._recorder.end - 1 + min(snapshot.index, 0))
        return True

    @messages.handler(priority=messages.Priority.INTERNAL + 1)
    def _on_request(self, _: FrameRequest) -> None:
        self._asked = True

    # Before the frame is copied, so that both arrive together.
    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_step(self, _: messages.PostStepEvent) -> None:
        if not self._asked:
            return
        recorder = self._recorder
        at = recorder.at
        state = (recorder.recording, recorder.end, at, recorder.mark_count)
        if state == self._told:
            return
        now = time.perf_counter()
        running = at == recorder.end - 1 and not self._stepper.paused
        if running and now - self._told_at < _PUBLISH_SEC:
            return
        self._told, self._told_at, self._asked = state, now, False
        self._publish()

    def _publish(self) -> None:
        recorder = self._recorder
        first_time, head_time, present = recorder.times()
        size = recorder.end - recorder.first
        index = recorder.at - recorder.end + 1
        self.handle.send_to_viewer(
            TimelineSnapshot(
                recorder.recording,
                recorder.first,
                size,
                index,
                first_time,
                head_time,
                present,
                tuple(recorder.latest_marks(_MAX_MARKS)),
            )
        )
        self.handle.send_to_viewer(
            sim_history.SimHistorySnapshot(
                size=size, index=index, head_time=head_time, tail_time=first_time
            )
        )
