"""A session: stepping, calls, frames to a page, and its end."""

import gc
import math
import threading
import time

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages, plugin
from mujoco.studio.sim import PauseState

import studio_nb
from studio_nb.errors import SessionClosedError, StudioError
from studio_nb.link import Link
from studio_nb.session import Session
from studio_nb.spec import sources
from tests.fakepage import FakePage, until
from tests.unit.conftest import PENDULUM


def studio_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name.startswith("studio-nb")]


@pytest.fixture
def studio():
    with studio_nb.open(PENDULUM, view=False, paused=True) as opened:
        yield opened


# -- stepping ------------------------------------------------------------------


def test_real_time_is_kept_within_two_percent(studio):
    studio.play()
    until(lambda: studio.time > 0.1)

    # Clock and simulation time are read together, on the sim thread.
    def read():
        return studio.call(lambda _, d: (time.perf_counter(), d.time))

    wall, start = read()
    time.sleep(2)
    wall_end, end = read()
    assert (end - start) / (wall_end - wall) == pytest.approx(1, abs=0.02)


def test_speed_is_kept(studio):
    studio.speed = 25
    studio.play()

    def read():
        return studio.call(lambda _, d: (time.perf_counter(), d.time))

    wall, start = read()
    time.sleep(1)
    wall_end, end = read()
    assert (end - start) / (wall_end - wall) == pytest.approx(0.25, abs=0.02)


def test_it_can_run_faster_than_real_time(studio):
    studio.speed = math.inf
    studio.play()
    until(lambda: studio.time > 20)


def test_stepping_counts_every_step(studio):
    studio.step(10)
    assert studio.stats()["steps"] == 10
    assert studio.time == pytest.approx(0.02)
    assert len(studio.history) == 10


def test_steps_are_mujocos_own_to_the_bit(studio):
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    rows = []
    for _ in range(200):
        mujoco.mj_step(model, data)
        rows.append(data.qpos.copy())
    studio.step(100)
    studio.run(0.2)
    np.testing.assert_array_equal(studio.history.qpos, rows)


def test_run_covers_the_time_asked_for_and_stays_paused(studio):
    assert studio.run(1.5) == pytest.approx(1.5)
    assert studio.paused
    assert studio.time == pytest.approx(1.5)
    assert studio.stats()["steps"] == 750


def test_studios_own_messages_work(studio):
    paused = PauseState.NORMAL_PAUSED
    studio.send(messages.StepControlSnapshot(pause_state=paused, speed=50))
    until(lambda: studio.speed == 50)
    studio.send(messages.SingleStepEvent())
    until(lambda: studio.stats()["steps"] == 1)
    studio.send(messages.RequestPauseEvent(pause_state=PauseState.UNPAUSED))
    until(lambda: not studio.paused)
    studio.send(messages.RequestPauseEvent(pause_state=paused))
    until(lambda: studio.paused)
    studio.send(messages.ResetEvent(key=0))
    until(lambda: studio.call(lambda _, d: d.qpos[0]) == 1)


def test_noise_wanders_around_the_controls_that_were_set(studio):
    studio.call(lambda _, d: d.ctrl.__setitem__(0, 3.0))
    studio.send(
        messages.StepControlSnapshot(
            pause_state=PauseState.NORMAL_PAUSED, noise_scale=0.1, noise_rate=0.01
        )
    )
    until(lambda: studio._session.stepper.snapshot().noise_scale == 0.1)
    studio.run(20)
    ctrl = studio.history.ctrl[1000:, 0]
    assert ctrl.mean() == pytest.approx(3, abs=0.03)
    assert ctrl.std() == pytest.approx(0.1, rel=0.2)


def test_reset_takes_a_keyframe_by_name_or_number(studio):
    studio.step(5)
    for key in ("up", 0, "0"):
        studio.reset(key)
        assert studio.call(lambda _, d: d.qpos[0]) == 1
    studio.reset()
    assert studio.time == 0


@pytest.mark.parametrize("key", ["down", 1, -1])
def test_a_keyframe_that_is_not_there_is_named(studio, key):
    with pytest.raises(StudioError, match="it has up"):
        studio.reset(key)


@pytest.mark.parametrize("n", [-1, 1.5, "3", True])
def test_steps_that_make_no_sense_are_refused(studio, n):
    with pytest.raises(StudioError, match="number of physics steps"):
        studio.step(n)
    assert studio.time == 0


# -- reaching in ---------------------------------------------------------------


def test_a_call_returns_or_raises_here(studio):
    assert studio.call(lambda m, d: (m.nq, d.time)) == (8, 0.0)
    with pytest.raises(KeyError, match="hing"):
        studio.call(lambda m, _: m.joint("hing"))
    assert studio.call(lambda m, _: m.nv) == 7


def test_a_call_within_a_call_runs_at_once(studio):
    assert studio.call(lambda _m, _d: studio.call(lambda m, _: m.nq)) == 8


def test_a_call_can_time_out_and_leaves_the_session_going(studio):
    with pytest.raises(TimeoutError):
        studio.call(lambda _m, _d: time.sleep(0.5), timeout=0.05)
    assert studio.call(lambda m, _: m.nq) == 8


class Pusher(plugin.SimPlugin):
    """Drives the hinge and notes when it was called."""

    def __init__(self):
        self.calls = []

    @messages.handler
    def on_pre_step(self, event: messages.PreStepEvent) -> None:
        self.calls.append(event.data.time)
        event.data.ctrl[0] = 2.0


def test_a_plugin_that_controls_is_called_before_every_step(studio):
    pusher = Pusher()
    studio.add(pusher)
    studio.run(0.1)
    stepped = np.unique(pusher.calls)
    np.testing.assert_allclose(stepped[:50], np.arange(50) * 0.002, atol=1e-9)
    assert (studio.history.ctrl[1:] == 2).all()
    studio.remove(pusher)
    n = len(pusher.calls)
    studio.run(0.1)
    assert len(pusher.calls) == n


class Broken(plugin.SimPlugin):
    """Raises in every step."""

    @messages.handler
    def on_post_step(self, _: messages.PostStepEvent) -> None:
        msg = "my controller is wrong"
        raise RuntimeError(msg)


def test_a_plugin_that_raises_is_named_once_and_takes_nothing_down(studio):
    studio.add(Broken())
    studio.run(0.1)
    assert studio.time == pytest.approx(0.1)
    (error,) = studio.errors
    assert "Broken.on_post_step" in error
    assert "my controller is wrong" in error


def test_removing_what_is_not_there_is_an_error(studio):
    with pytest.raises(StudioError, match="Pusher"):
        studio.remove(Pusher())


def test_a_warning_of_mujoco_is_kept_and_leaves_no_file(studio, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    studio.call(lambda _, d: d.qpos.__setitem__(0, np.nan))
    studio.step()
    assert any("Nan" in text for text in studio.errors)
    assert list(tmp_path.iterdir()) == []


# -- editing and history -------------------------------------------------------


def test_an_edit_goes_on_with_the_state_of_what_stayed(studio):
    studio.run(0.5)
    before = studio.call(lambda _, d: (d.time, d.qpos.copy(), d.qvel.copy()))
    with studio.edit() as spec:
        body = spec.worldbody.add_body(name="new", pos=[0, 2, 0])
        body.add_joint(name="slide", type=mujoco.mjtJoint.mjJNT_SLIDE)
        body.add_geom(size=[0.1, 0, 0])
    after = studio.call(lambda _, d: (d.time, d.qpos.copy(), d.qvel.copy()))
    assert after[0] == before[0]
    np.testing.assert_array_equal(after[1][:8], before[1])
    np.testing.assert_array_equal(after[2][:7], before[2])
    assert after[1][8] == 0
    assert studio.paused


def test_an_edit_can_remove_what_comes_first(studio):
    studio.run(0.2)
    free = studio.call(lambda _, d: d.joint("root").qpos.copy())
    with studio.edit() as spec:
        spec.delete(spec.body("bob"))
    names, kept = studio.call(
        lambda m, d: (
            [m.joint(i).name for i in range(m.njnt)],
            d.joint("root").qpos.copy(),
        )
    )
    assert names == ["root"]
    np.testing.assert_array_equal(kept, free)


def test_an_edit_that_does_not_compile_changes_nothing(studio):
    studio.run(0.1)
    with (
        pytest.raises(StudioError, match="size 0 must be positive"),
        studio.edit() as spec,
    ):
        spec.body("bob").add_geom(type=mujoco.mjtGeom.mjGEOM_BOX)
    assert studio.call(lambda m, d: (m.ngeom, d.time)) == (3, pytest.approx(0.1))
    with studio.edit() as spec:
        assert len(spec.body("bob").geoms) == 1


def break_off_after(body):
    body.pos = [9, 9, 9]
    raise KeyError


def test_an_exception_in_the_block_changes_nothing(studio):
    with pytest.raises(KeyError), studio.edit() as spec:
        break_off_after(spec.body("bob"))
    assert studio.call(lambda m, _: m.body("bob").pos.tolist()) == [0, 0, 0]


def test_a_model_that_came_compiled_says_why_it_cannot_be_edited():
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    with studio_nb.open(model, view=False) as opened:
        with pytest.raises(StudioError, match="no spec to edit"), opened.edit():
            pass
        assert opened.time >= 0


def test_history_holds_every_step_with_names_and_units(studio):
    studio.step(3)
    history = studio.history
    np.testing.assert_allclose(history.time, [0.002, 0.004, 0.006])
    assert history.qpos.shape == (3, 8)
    assert history.labels("qpos")[:3] == ("hinge", "root x", "root y")
    assert history.units("qpos")[:2] == ("rad", "m")
    assert history.units("qvel")[:2] == ("rad/s", "m/s")
    assert history.labels("ctrl") == ("drive",)
    # MuJoCo measures at the start of a step.
    np.testing.assert_array_equal(history.sensordata[1:, 0], history.qpos[:-1, 0])
    history.qpos[:] = 7
    assert (studio.history.qpos != 7).all()


def test_history_survives_an_edit_that_keeps_the_columns(studio):
    studio.step(5)
    with studio.edit() as spec:
        spec.geom("rod").rgba = [1, 0, 0, 1]
    studio.step(5)
    assert len(studio.history) == 10


def test_history_stays_within_its_budget():
    with studio_nb.open(PENDULUM, view=False, paused=True, history_mb=0.1) as opened:
        opened.run(20)
        history = opened.history
        assert opened._session.recorder.nbytes <= 0.1 * 2**20
        assert len(history) + history.dropped == 10_000
        assert history.time[-1] == pytest.approx(20)


def test_a_plot_has_names_units_and_legend(studio):
    pytest.importorskip("matplotlib")
    studio.run(0.1)
    figure = studio.plot("qpos:hinge", "ctrl", "qpos:root")
    first, second, third = figure.axes
    assert first.get_ylabel() == "qpos (rad)"
    assert [t.get_text() for t in first.get_legend().get_texts()] == ["hinge"]
    assert second.get_ylabel() == "ctrl"
    assert len(third.lines) == 7
    assert third.get_xlabel() == "time (s)"


def test_a_plot_shows_itself_in_a_cell_without_pyplot(studio):
    pytest.importorskip("matplotlib")
    studio.run(0.1)
    png, size = studio.plot("qpos")._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert size == {"width": 900, "height": 300}


@pytest.mark.parametrize(
    ("column", "says"),
    [
        ("qpas", "there are qpos"),
        ("qpos:hing", "there are hinge"),
        ("time", "no column"),
    ],
)
def test_a_plot_of_what_is_not_there_says_what_is(studio, column, says):
    studio.step()
    with pytest.raises(StudioError, match=says):
        studio.plot(column)


def test_a_plot_before_anything_ran_says_so(studio):
    with pytest.raises(StudioError, match="nothing was recorded"):
        studio.plot()


# -- the end -------------------------------------------------------------------


def test_closing_tells_the_page_and_leaves_no_thread(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 0)
    session.close()
    session.close()
    page.pump()
    assert page.heads[-1]["type"] == "closed"
    assert not studio_threads()


def test_a_closed_session_says_so():
    opened = studio_nb.open(PENDULUM, view=False)
    opened.close()
    assert opened.closed
    with pytest.raises(SessionClosedError, match="closed"):
        opened.pause()
    assert "closed" in repr(opened)


def test_a_call_that_waits_when_the_session_closes_is_told():
    opened = studio_nb.open(PENDULUM, view=False, paused=True)
    entered = threading.Event()
    opened._session._waiting  # noqa: B018 - documents what is failed
    results = []

    def wait():
        try:
            opened.call(lambda _m, _d: (entered.set(), time.sleep(0.3)))
            opened.run(1e9)
        except SessionClosedError as error:
            results.append(error)

    waiter = threading.Thread(target=wait)
    waiter.start()
    entered.wait()
    time.sleep(0.6)
    opened.close()
    waiter.join(5)
    assert not waiter.is_alive()


def test_twenty_sessions_leave_no_thread_behind():
    for i in range(20):
        link = Link()
        page = FakePage(link)
        session = Session(sources.load(PENDULUM), link=link)
        if i % 2:
            page.ready()
            page.until(lambda page=page: page.frames)
        session.close()
    gc.collect()
    assert not studio_threads()


def test_opening_a_name_again_closes_the_old_one():
    first = studio_nb.open(PENDULUM, view=False, name="arm")
    second = studio_nb.open(PENDULUM, view=False, name="arm")
    assert first.closed
    assert studio_nb.sessions() == {"arm": second}
    second.close()
    assert studio_nb.sessions() == {}


def test_a_mistake_leaves_the_session_of_that_name_running():
    with studio_nb.open(PENDULUM, view=False, name="arm") as first:
        with pytest.raises(StudioError):
            studio_nb.open("<mujoco><wrong/></mujoco>", view=False, name="arm")
        assert not first.closed
        assert studio_nb.sessions() == {"arm": first}
