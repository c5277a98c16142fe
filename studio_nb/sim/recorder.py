"""The recorder: every physics step's state, within a memory budget.

`Recorder` lives on the sim thread, writes one row a step and puts the simulation
back to a row.
"""

import dataclasses
import functools
from collections.abc import Callable

import mujoco
import numpy as np
import numpy.typing as npt
from mujoco.studio import messages, plugin

from studio_nb.sim.columns import MOVING_SIGNATURE, SIGNATURE, Layout, may_sleep
from studio_nb.sim.frames import FrameRequest
from studio_nb.sim.history import History
from studio_nb.sim.marks import Mark, Marks, Start
from studio_nb.sim.rows import RowStore

DEFAULT_BUDGET_BYTES = 256 << 20

# Messages after which the data is what it was: they need not be looked into.
_HARMLESS = (
    messages.PreStepEvent,
    messages.StepEvent,
    messages.PostStepEvent,
    FrameRequest,
)


class Recorder(plugin.SimPlugin):
    """Keeps a row for every physics step, and for what each run of steps began with.

    The stepper calls `prepare` before it takes steps, `record` after each one, and
    `upset` when MuJoCo has reset an unstable simulation. All on the sim thread.

    Attributes:
        recording: Counts the recordings; another one has nothing of those before.
    """

    def __init__(
        self,
        budget_bytes: int = DEFAULT_BUDGET_BYTES,
        noise: Callable[[], npt.NDArray[np.float64] | None] = lambda: None,
    ) -> None:
        """Starts empty.

        Args:
            budget_bytes: The most memory that rows may take; beyond it the
                oldest go.
            noise: Gives the noise that is in ctrl, shape (nu,), or (0,) when it has
                just begun; None while there is to be none.
        """
        self._rows = RowStore(budget_bytes)
        self._noise = noise
        self._layout: Layout | None = None
        self._marks = Marks()
        self._cursor: int | None = None
        self._suspect = self._pushed = self._noisy = False
        self.recording = 0
        self._cut()

    def _arrange(self, layout: Layout) -> None:
        """Goes on with rows of a layout."""
        self._layout = layout
        self._rows.begin(layout.width, layout)
        self._cut()

    def _cut(self) -> None:
        """Cuts the buffer into what `record` fills: slicing costs as much as that."""
        self._states: list[npt.NDArray[np.float64]] = []
        self._sensors: list[npt.NDArray[np.float64]] = []
        self._asleep: list[npt.NDArray[np.float64]] = []
        if (layout := self._layout) is not None:
            buffer = self._rows.buffer
            self._states = list(buffer[:, layout.state])
            sensors = buffer[:, layout.parts["sensordata"]]
            self._sensors = list(sensors) if sensors.size else []
            asleep = buffer[:, layout.parts["asleep"]]
            self._asleep = list(asleep) if layout.sleeps else []

    # -- writing ---------------------------------------------------------------

    def clear(self) -> None:
        """Forgets everything recorded, and the model."""
        self._rows.clear()
        self._marks = Marks()
        self._cursor, self._layout = None, None
        self.recording += 1
        self._cut()

    def record(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Adds a row for the step just taken."""
        rows = self._rows
        at = rows.used
        if at == rows.capacity:
            self._seal()
            at = 0
        mujoco.mj_getState(model, data, self._states[at], SIGNATURE)
        if self._sensors:
            self._sensors[at][:] = data.sensordata
        if self._asleep:
            self._asleep[at][:] = data.tree_asleep
        if self._pushed or self._noisy:
            self._note_passing(at)
        rows.used = at + 1

    def _note_passing(self, at: int) -> None:
        assert self._layout is not None  # noqa: S101 - a model came before its steps
        row, parts = self._rows.buffer[at], self._layout.parts
        row[parts["pushed"]] = self._pushed
        noise = self._noise()
        if noise is not None and noise.size:
            row[parts["noise"]] = noise

    def _seal(self) -> None:
        assert self._layout is not None  # noqa: S101 - a model came before its steps
        rows = self._rows
        rows.seal()
        rows.buffer[:, self._layout.passing] = 0
        self._marks.drop_before(rows.first)

    def prepare(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Notes what the steps to come start from, if it is not the last row."""
        self._noisy = self._noise() is not None
        if self._cursor is None and not self._suspect:
            return
        assert self._layout is not None  # noqa: S101 - a model came before its steps
        if (sleeps := may_sleep(model)) != self._layout.sleeps:
            self._arrange(dataclasses.replace(self._layout, sleeps=sleeps))
        self.keep(model, data)
        if self._cursor is not None:
            self._start("scrub", model, data, origin=self._cursor)

    def keep(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Adds a row for a state that somebody has set, and no step has recorded."""
        if self._suspect and len(self._rows):
            self._suspect = False
            if not self._is_at(self.at, model, data):
                self._start("state", model, data)

    def _is_at(self, number: int, model: mujoco.MjModel, data: mujoco.MjData) -> bool:
        """Tells whether a row has the present time, positions and velocities."""
        layout, row = self._rows.at(number)
        now = np.empty(mujoco.mj_stateSize(model, MOVING_SIGNATURE))
        mujoco.mj_getState(model, data, now, MOVING_SIGNATURE)
        # As bytes: what is not a number equals itself there.
        return now.tobytes() == row[layout.moving].tobytes()

    def upset(self) -> None:
        """Notes that the last step began with a reset by MuJoCo itself."""
        number = self._rows.end - 1
        self._mark(number, "reset", self._time(number), stepped=True)

    def _start(
        self,
        kind: str,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        origin: int | None = None,
    ) -> None:
        """Adds a row for a state that no step has led to."""
        self.record(model, data)
        self._cursor, self._suspect = None, False
        self._mark(self._rows.end - 1, kind, data.time, origin=origin)

    def _mark(
        self,
        number: int,
        kind: str,
        began: float,
        *,
        origin: int | None = None,
        stepped: bool = False,
    ) -> None:
        ended = self._time(number - 1) if number > self._rows.first else began
        self._marks.add(Start(number, kind, ended, began, origin, stepped))

    # -- reading ---------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """Memory held by rows, bytes."""
        return self._rows.nbytes

    @property
    def first(self) -> int:
        """Number of the oldest row that is there, counted since it began."""
        return self._rows.first

    @property
    def end(self) -> int:
        """The number that the next row gets."""
        return self._rows.end

    @property
    def at(self) -> int:
        """Number of the row that the simulation is at."""
        return self._rows.end - 1 if self._cursor is None else self._cursor

    def _time(self, number: int) -> float:
        layout, row = self._rows.at(number)
        return float(row[layout.parts["time"].start])

    def times(self) -> tuple[float, float, float]:
        """Returns the time of the first row, the last, and the present one.

        Zeros where nothing was recorded.
        """
        if not len(self._rows):
            return 0.0, 0.0, 0.0
        first, last, at = self.first, self.end - 1, self.at
        return self._time(first), self._time(last), self._time(at)

    @property
    def marks(self) -> list[Mark]:
        """The rows that do not follow from the one before by a step, in order."""
        return self.latest_marks(self._marks.count)

    def latest_marks(self, most: int) -> list[Mark]:
        """Returns the latest `most` of `marks`."""
        return self._marks.latest(most, self._rows.first)

    @property
    def mark_count(self) -> int:
        """How many marks there have been in this recording."""
        return self._marks.count

    def back(self, n: int) -> int:
        """Returns the number of the row `n` steps before the present one.

        Steps go back to where a branch left, not over what was left behind there.

        Returns:
            The row; less than `first` if there are not that many.
        """
        return self._marks.back(self.at, n)

    def load(
        self, number: int, model: mujoco.MjModel, data: mujoco.MjData
    ) -> npt.NDArray[np.float64]:
        """Puts the simulation back to a row, bit for bit.

        Returns:
            The noise that is in its ctrl, shape (nu,).

        Raises:
            IndexError: If the row is not there.
        """
        assert self._layout is not None  # noqa: S101 - a model came before its rows
        layout, row = self._rows.at(number)
        layout.put_back(row, model, data, self._layout)
        self._cursor = None if number == self._rows.end - 1 else number
        self._suspect = False
        return row[layout.parts["noise"]]

    def taken(self) -> Callable[[], History]:
        """Returns what makes a `History` of what is recorded. Sim thread only.

        Rows once packed do not change, so the work can be done, and the sim thread
        spared it, wherever the result is called.
        """
        layout, first = self._layout, self._rows.first
        if layout is None:
            return History.empty
        return functools.partial(
            History.of,
            layout,
            self._rows.chunks(),
            self._marks.others(first),
            first - self._marks.unstepped,
        )

    # -- what happens to the simulation ----------------------------------------

    # Above every other handler, since one of them may consume the message.
    @messages.handler(priority=messages.Priority.CRITICAL + 2)
    def _on_any(self, message: messages.Message) -> None:
        if isinstance(message, _HARMLESS):
            return
        if self._suspect and isinstance(message, messages.ResetEvent):
            model, data = self.handle.model, self.handle.data
            if model is not None and data is not None:
                self.keep(model, data)
        self._suspect = True

    # The mouse's force is told from those that belong to the simulation.
    @messages.handler(priority=messages.Priority.CRITICAL + 2)
    def _on_perturb(self, snapshot: messages.PerturbSnapshot) -> None:
        self._pushed = bool(snapshot.state.any())

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_model(self, event: messages.PostModelEvent) -> None:
        layout = Layout.of(event.model)
        before = self._layout
        # An edit that leaves the columns as they are goes on in the same table.
        goes_on = before is not None and before.continues(layout)
        if not (goes_on and getattr(self.handle, "is_edit", False)):
            self.clear()
        if layout != self._layout:
            self._arrange(layout)
        self._pushed = False
        self._start("model", event.model, event.data)

    # After the handle's own handler has reset the data.
    @messages.handler(priority=messages.Priority.INTERNAL - 1)
    def _on_reset(self, _: messages.ResetEvent) -> None:
        model, data = self.handle.model, self.handle.data
        if model is None or data is None or self._layout is None:
            return
        last = self._rows.end - 1
        # Again and again to the same state is one start.
        same = self._cursor is None and self._marks.begins(last)
        if not (same and self._is_at(last, model, data)):
            self._start("reset", model, data)
