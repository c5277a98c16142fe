"""The timeline: what the sim tells of its history, and what a person does with it."""

import dataclasses
from types import SimpleNamespace
from typing import Any

import mujoco
import pytest
from imgui_bundle import ImVec2, imgui
from mujoco.studio import messages, sim_history
from mujoco.studio.sim import PauseState

import studio_nb
from studio_nb.app import keys, row
from studio_nb.app.controls import Controls
from studio_nb.app.timeline import KEYS, Timeline, seconds_text
from studio_nb.sim.frames import FrameRequest, FrameSnapshot
from studio_nb.sim.marks import Mark
from studio_nb.sim.scrub import ScrubSnapshot, ScrubStepEvent, TimelineSnapshot
from studio_nb.ui import DrawListEncoder, UiContext, UiInput, theme
from tests.fakepage import until
from tests.unit.conftest import PENDULUM

WIDTH, HEIGHT = 700, 28
TIMELINE = TimelineSnapshot(
    recording=3,
    first=100,
    size=1001,
    first_time=1.0,
    head_time=2.0,
    time=2.0,
    marks=(Mark(501, "reset", 2.0, 0.0),),
)
PAUSED = messages.StepControlSnapshot(pause_state=PauseState.NORMAL_PAUSED)


# -- the sim's side ------------------------------------------------------------


@pytest.fixture
def studio():
    with studio_nb.open(PENDULUM, view=False, paused=True) as opened:
        yield opened


@pytest.fixture
def told(studio):
    """What the sim sends to the viewer, which asks for frames."""
    sent = []
    session = studio._session

    def listen(model, data):
        session.handle.send_to_viewer = sent.append
        session.handle.dispatch(FrameRequest(model, mujoco.MjData(model)))
        return data.time

    studio.call(listen)
    return sent


def ask(studio, told):
    """Asks for a frame, and returns what was told of the timeline before it came."""
    count = len(told)

    def dispatch(model, _):
        studio._session.handle.dispatch(
            FrameRequest(model, mujoco.MjData(model), now=True)
        )

    studio.call(dispatch)
    until(lambda: any(isinstance(m, FrameSnapshot) for m in told[count:]))
    return [m for m in told if isinstance(m, TimelineSnapshot)][-1]


def test_a_wished_row_is_put_back_and_pauses(studio):
    studio.step(10)
    studio.play()
    recording = studio._session.recorder.recording
    studio.send(ScrubSnapshot(recording, 4))
    until(lambda: studio.paused)
    assert studio.time == pytest.approx(0.008)


def test_the_nearest_row_is_taken(studio):
    studio.step(10)
    recording = studio._session.recorder.recording
    for row_number, expected in ((-5, 0.0), (900, 0.020)):
        studio.send(ScrubSnapshot(recording, row_number))
        until(lambda expected=expected: studio.time == pytest.approx(expected))


def test_a_wish_for_another_recording_is_dropped(studio):
    studio.step(10)
    recorder = studio._session.recorder
    studio.send(ScrubSnapshot(recorder.recording - 1, 4))
    assert studio.time == pytest.approx(0.020)


def test_the_latest_wish_wins(studio):
    studio.step(50)
    recording = studio._session.recorder.recording
    for wished in range(50, 10, -1):
        studio.send(ScrubSnapshot(recording, wished))
    until(lambda: studio.time == pytest.approx(0.022))


def test_studios_own_timeline_counts_from_the_newest(studio):
    studio.step(10)
    studio.send(sim_history.SimHistorySnapshot(index=-3))
    until(lambda: studio.time == pytest.approx(0.014))
    studio.send(sim_history.SimHistorySnapshot(index=0))
    until(lambda: studio.time == pytest.approx(0.020))


def test_steps_go_along_what_is_recorded_and_then_on(studio):
    studio.step(10)
    studio.send(ScrubStepEvent(-4))
    until(lambda: studio.time == pytest.approx(0.012))
    studio.send(ScrubStepEvent(3))
    until(lambda: studio.time == pytest.approx(0.018))
    assert studio.stats()["steps"] == 10
    studio.send(ScrubStepEvent(2))
    until(lambda: studio.time == pytest.approx(0.022))
    assert studio.stats()["steps"] == 11
    assert len(studio.history) == 11


def test_steps_back_end_at_the_oldest(studio):
    studio.step(3)
    studio.send(ScrubStepEvent(-10))
    until(lambda: studio.time == 0)


def test_the_viewer_is_told_of_rows_times_and_marks(studio, told):
    studio.step(4)
    studio.reset()
    studio.step(3)
    studio.step_back()
    snapshot = ask(studio, told)
    assert (snapshot.size, snapshot.index, snapshot.row) == (9, -1, 7)
    times = snapshot.first_time, snapshot.head_time, snapshot.time
    assert times == pytest.approx((0.0, 0.006, 0.004))
    assert snapshot.marks == (Mark(5, "reset", snapshot.marks[0].ended, 0.0),)
    assert snapshot.marks[0].ended == pytest.approx(0.008)
    studios = [m for m in told if isinstance(m, sim_history.SimHistorySnapshot)][-1]
    assert (studios.size, studios.index) == (9, -1)


def test_nothing_is_told_unasked_or_twice(studio, told):
    def count():
        assert studio.time >= 0  # the turns before are over
        return len([m for m in told if isinstance(m, TimelineSnapshot)])

    start = count()
    studio.step(4)
    assert count() == start
    assert ask(studio, told).size == 5
    studio.step_back()
    assert count() == start + 1
    assert ask(studio, told).index == -1
    ask(studio, told)
    assert count() == start + 2


def test_time_begins_again_at_a_mark():
    assert TIMELINE.time_at(0) == 1.0
    assert TIMELINE.time_at(250) == pytest.approx(1.5)
    assert TIMELINE.time_at(500) == 2.0
    assert TIMELINE.time_at(501) == 0.0
    assert TIMELINE.time_at(1000) == 2.0
    assert TimelineSnapshot(size=1, first_time=3.0).time_at(0) == 3.0


# -- the panel -----------------------------------------------------------------


class Page:
    """A timeline in a row of its own, with a mouse."""

    def __init__(self, width=WIDTH):
        model = mujoco.MjModel.from_xml_string("<mujoco/>")
        self.sent = []
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        self.encoder = DrawListEncoder(self.ui)
        self.width = width
        viewer: Any = SimpleNamespace(
            model=model,
            data=mujoco.MjData(model),
            send_to_sim=self.sent.append,
            ui=self.ui,
        )
        self.controls = Controls(viewer)
        self.scope: Any = SimpleNamespace(
            viewer=viewer, controls=self.controls, palette=theme.PALETTES["dark"]
        )
        self.timeline = Timeline()
        self.timeline._viewer = viewer
        self.controls.follow(PAUSED)
        self.tell(TIMELINE)
        self.frame()

    def tell(self, snapshot):
        self.timeline._on_timeline(snapshot)

    def frame(self):
        with self.ui.frame(max(self.width, 1), 100, 1, 1 / 60), self.ui.guard("row"):
            imgui.set_next_window_pos(ImVec2(0, 0))
            imgui.set_next_window_size(ImVec2(self.width, HEIGHT))
            with row.window("###bottom"):
                self.timeline.draw(self.scope, self.width)
        return self.encoder.encode(full=False)

    def do(self, *events):
        self.input.apply(events)
        for _ in range(4):
            self.frame()

    def x(self, share):
        """Returns where a share of the track is, between its two times."""
        with self.ui.current():
            text = imgui.calc_text_size("0.000 s").x
        left, right = 12 + text + 14, self.width - text - 14
        return left + share * (right - left)

    def press(self, share):
        self.do({"t": "move", "x": self.x(share), "y": HEIGHT / 2})
        self.do({"t": "down", "b": 0, "x": self.x(share), "y": HEIGHT / 2, "m": 0})

    def move(self, share):
        self.do({"t": "move", "x": self.x(share), "y": HEIGHT / 2})

    def release(self, share):
        self.do({"t": "up", "b": 0, "x": self.x(share), "y": HEIGHT / 2, "m": 0})

    def wishes(self):
        return [m.row for m in self.sent if isinstance(m, ScrubSnapshot)]


@pytest.fixture
def page():
    return Page()


def test_a_click_goes_to_the_step_under_the_pointer(page):
    page.press(0.25)
    page.release(0.25)
    (wished,) = page.wishes()
    assert wished == pytest.approx(100 + 250, abs=3)
    assert page.controls.timeline.row == wished - 100


def test_a_drag_asks_for_each_step_once_and_stays_on_the_track(page):
    page.press(0.5)
    for share in (0.4, 0.3, 0.3, -0.5):
        page.move(share)
    page.release(-0.5)
    wishes = page.wishes()
    assert len(wishes) == 4
    assert wishes == sorted(wishes, reverse=True)
    assert wishes[-1] == 100


def test_a_drag_pauses_what_runs(page):
    page.controls.follow(messages.StepControlSnapshot())
    page.press(0.5)
    first, second = page.sent
    assert first.pause_state == PauseState.NORMAL_PAUSED
    assert isinstance(second, ScrubSnapshot)


def test_what_the_sim_says_of_a_step_before_does_not_move_the_drag(page):
    page.press(0.5)
    shown = page.timeline._wanted
    page.tell(dataclasses.replace(TIMELINE, index=-900))
    page.frame()
    assert page.timeline._wanted == shown
    assert len(page.wishes()) == 1


def test_a_double_click_goes_to_the_newest(page):
    page.press(0.25)
    page.release(0.25)
    page.press(0.25)
    page.move(0.26)
    page.release(0.26)
    assert page.wishes()[-1] == 100 + 1000


def test_nothing_recorded_takes_no_clicks(page):
    page.tell(TimelineSnapshot())
    page.press(0.5)
    page.release(0.5)
    assert page.sent == []


@pytest.mark.parametrize("width", [0, 40, 100, 170, 419, 420, 700, 4000])
def test_it_is_drawn_at_every_width(width):
    assert Page(width).controls.timeline is TIMELINE


def test_while_it_runs_few_bytes_change(page):
    page.controls.follow(messages.StepControlSnapshot())
    sizes = []
    for i in range(20):
        head = 2.0 + i * 0.0667
        grown = dataclasses.replace(
            TIMELINE, size=1001 + 33 * i, head_time=head, time=head
        )
        page.tell(grown)
        sizes.append(len(page.frame() or b""))
    assert max(sizes[3:]) < 400


def test_a_paused_view_is_drawn_anew_when_it_is_told(page):
    page.ui._settling_s = 0.0
    assert not page.ui.unsettled
    page.tell(dataclasses.replace(TIMELINE, index=-1))
    assert page.ui.unsettled


def test_a_sim_with_studios_own_history_is_scrubbed_too():
    page = Page()
    page.timeline = Timeline()
    page.timeline._viewer = page.scope.viewer
    page.timeline.on_model(page.scope)
    page.timeline._on_studios_history(
        sim_history.SimHistorySnapshot(size=11, head_time=1.0)
    )
    page.controls.step_back()
    page.controls.scrub(2)
    indices = [m.index for m in page.sent]
    assert indices == [-1, -8]


# -- the keys ------------------------------------------------------------------


def test_the_keys_are_bindings(page):
    app: Any = SimpleNamespace(controls=page.controls)
    for entry in KEYS:
        keys.Binding(*entry).run(app)
    back, step, tenth_back, tenth_on, oldest, newest = page.sent
    assert back == ScrubStepEvent(-1)
    assert step == messages.SingleStepEvent()
    assert (tenth_back.row, tenth_on.row) == (1000, 1100)
    assert (oldest.row, newest.row) == (100, 1100)


def test_a_step_from_an_earlier_state_is_the_next_recorded(page):
    page.controls.scrub(7)
    page.controls.step()
    assert page.sent[-1] == ScrubStepEvent(1)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.000 s"),
        (12.3456, "12.346 s"),
        (2e6, "2000000.0 s"),
        (1e300, "1e+300 s"),
        (float("-inf"), "-inf s"),
        (float("nan"), "nan s"),
    ],
)
def test_times_have_fixed_decimals(seconds, text):
    assert seconds_text(seconds) == text


def test_the_tooltip_tells_time_and_step(page, monkeypatch):
    told = []
    monkeypatch.setattr(imgui, "set_tooltip", told.append)
    page.move(1.0)
    assert told[-1].splitlines() == ["2.000 s", "step 1100 of 1100"]
    page.move(0.0)
    assert told[-1].splitlines() == ["1.000 s", "step 100 of 1100"]
