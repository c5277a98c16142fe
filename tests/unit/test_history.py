"""Rows within a budget, and a simulation put back to one of them, bit for bit."""

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages

import studio_nb
from studio_nb import models
from studio_nb.errors import StudioError
from studio_nb.sim import keeping
from studio_nb.sim.columns import Layout
from studio_nb.sim.rows import Chunk, RowStore
from tests.unit.conftest import PENDULUM

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)

MUSCLES = """
<mujoco>
  <worldbody>
    <body name="arm"><joint name="elbow" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/></body>
  </worldbody>
  <actuator>
    <general name="lag" joint="elbow" dyntype="filter" dynprm=".05" gainprm="3"/>
    <motor name="direct" joint="elbow"/>
  </actuator>
</mujoco>
"""
HELD = """
<mujoco>
  <worldbody>
    <body name="hand" mocap="true" pos="0 0 1"><geom size=".02"/></body>
    <body name="load" pos="0 0 .8"><freejoint/><geom size=".05"/></body>
    <body name="other" pos="1 0 .8"><freejoint/><geom size=".05"/></body>
  </worldbody>
  <equality><connect name="grip" body1="hand" body2="load" anchor="0 0 -.1"/></equality>
</mujoco>
"""
CLOTH = """
<mujoco>
  <option solver="CG" tolerance="1e-6" timestep=".001"/>
  <worldbody>
    <geom type="sphere" size=".1" pos="0 0 .1"/>
    <flexcomp name="cloth" type="grid" dim="2" count="5 5 1" spacing=".06 .06 .06"
        pos="0 0 .3" mass=".2" radius=".005"><edge equality="true"/></flexcomp>
  </worldbody>
</mujoco>
"""
SLEEPERS = """
<mujoco>
  <option><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="low" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="high" pos="1 0 3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
</mujoco>
"""


def state(studio):
    def read(model, data):
        values = np.empty(mujoco.mj_stateSize(model, STATE))
        mujoco.mj_getState(model, data, values, STATE)
        return values.tobytes()

    return studio.call(read)


def drive(model, data):
    """Sets inputs that differ at each step and depend on the time alone."""
    phase = 40 * data.time
    data.ctrl[:] = np.sin(phase + np.arange(model.nu))
    data.mocap_pos[:, 0] = 0.1 * np.sin(phase)
    data.xfrc_applied[-1, 0] = np.cos(phase)
    data.qfrc_applied[:1] = 0.1 * np.sin(3 * phase)
    if model.neq:
        data.eq_active[0] = np.sin(phase) > -0.5


def steps(studio, count):
    states = []
    for _ in range(count):
        studio.call(drive)
        studio.step()
        states.append(state(studio))
    return states


def kinds(studio):
    recorder = studio._session.recorder
    return studio.call(lambda _m, _d: [(m.row, m.kind) for m in recorder.marks])


@pytest.fixture
def studio():
    with studio_nb.open(PENDULUM, view=False, paused=True) as opened:
        yield opened


# -- rows ----------------------------------------------------------------------


def filled(budget, width, count, *, rng=None):
    rng = rng or np.random.default_rng(0)
    store = RowStore(budget)
    store.begin(width, "a")
    rows = rng.standard_normal((count, width))
    rows[:, ::2] = 1.0
    for row in rows:
        if store.used == store.capacity:
            store.seal()
        store.buffer[store.used] = row
        store.used += 1
    return store, rows


def test_rows_come_back_as_they_went_in():
    store, rows = filled(1 << 22, 40, 3000)
    assert (store.first, store.end) == (0, 3000)
    for number in (0, 1, store.capacity - 1, store.capacity, 2999):
        tag, row = store.at(number)
        assert tag == "a"
        np.testing.assert_array_equal(row, rows[number])
    columns = np.concatenate([c.columns(slice(3, 9)) for c in store.chunks()])
    np.testing.assert_array_equal(columns, rows[:, 3:9])


def test_columns_that_stand_still_cost_nothing():
    still, _ = filled(1 << 22, 40, 3000)
    moving = 3000 * 20 * 8
    assert still.nbytes < 1.2 * moving + still.buffer.nbytes


def test_signs_of_zeros_and_what_is_not_a_number_are_kept():
    rows = np.array([[0.0, 1.0, np.nan], [-0.0, 1.0, np.nan], [0.0, 1.0, np.nan]])
    chunk = Chunk.pack(None, 5, rows)
    assert chunk.varying.tolist() == [0]
    assert b"".join(chunk.row(5 + i).tobytes() for i in range(3)) == rows.tobytes()


def test_the_oldest_rows_go_first():
    store, rows = filled(200_000, 40, 3000)
    assert store.nbytes <= 200_000
    assert 0 < store.first < 3000
    assert len(store) == 3000 - store.first
    np.testing.assert_array_equal(store.at(store.first)[1], rows[store.first])
    for gone in (store.first - 1, 3000):
        with pytest.raises(IndexError, match=str(gone)):
            store.at(gone)


def test_rows_wider_than_the_budget_are_kept_one_by_one():
    store, rows = filled(1000, 400, 7)
    np.testing.assert_array_equal(store.at(6)[1], rows[6])
    assert len(store) >= 1


def test_what_was_taken_does_not_change_with_what_comes():
    store, rows = filled(1 << 22, 10, 5)
    taken = store.chunks()
    store.buffer[:] = 7
    np.testing.assert_array_equal(taken[0].columns(slice(0, 10)), rows)


# -- exactness -----------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [models.path(), PENDULUM, MUSCLES, HELD, CLOTH, SLEEPERS],
    ids=["humanoid", "pendulum", "activations", "mocap", "flex", "sleep"],
)
def test_going_on_from_a_row_repeats_what_was_recorded(model):
    with studio_nb.open(model, view=False, paused=True) as studio:
        recorded = steps(studio, 60)
        for back in (1, 17, 42):
            studio.step_back(back)
            now = 59 - back
            assert state(studio) == recorded[now]
            assert steps(studio, back) == recorded[now + 1 :]


def test_trees_that_slept_sleep_again():
    with studio_nb.open(SLEEPERS, view=False, paused=True) as studio:
        asleep = lambda _m, data: (data.tree_asleep >= 0).tolist()  # noqa: E731
        for _ in range(100):
            studio.step(20)
            if studio.call(asleep) == [True, False]:
                break
        assert studio.call(asleep) == [True, False]
        then = state(studio)
        studio.step(5)
        later = state(studio)
        studio.run(3)
        assert studio.call(asleep) == [True, True]
        steps_now = studio.stats()["steps"]
        studio.step_back(steps_now - len_before(studio, then))
        assert state(studio) == then
        assert studio.call(asleep) == [True, False]
        studio.step(5)
        assert state(studio) == later


def len_before(studio, wanted):
    """Returns how many steps led to the state."""
    time = np.frombuffer(wanted)[0]
    return int(np.flatnonzero(studio.history.time == time)[0]) + 1


def test_activations_are_a_column():
    with studio_nb.open(MUSCLES, view=False, paused=True) as studio:
        studio.call(lambda _m, data: data.ctrl.fill(1.0))
        studio.step(30)
        history = studio.history
        assert history.act.shape == (30, 1)
        assert history.labels("act") == ("lag",)
        assert (np.diff(history.act[:, 0]) > 0).all()


def test_the_push_of_a_hand_that_let_go_is_not_put_back(studio):
    def push(model, data, force):
        data.xfrc_applied[1, 2] = force
        signature = int(mujoco.mjtState.mjSTATE_XFRC_APPLIED)
        values = np.empty(mujoco.mj_stateSize(model, signature))
        mujoco.mj_getState(model, data, values, signature)
        handle = studio._session.handle
        handle.dispatch(messages.PerturbSnapshot(values, state_sig=signature))

    applied = lambda _m, data: data.xfrc_applied.tolist()  # noqa: E731
    studio.call(lambda _m, data: data.xfrc_applied[2].fill(0.5))
    studio.call(lambda model, data: push(model, data, 9.0))
    studio.step(5)
    studio.call(lambda model, data: push(model, data, 0.0))
    wind = studio.call(applied)
    studio.step(5)
    studio.step_back(7)
    assert studio.call(applied) == wind


def test_noise_is_taken_back_from_controls_that_were_put_back(studio):
    studio.call(lambda _m, data: data.ctrl.fill(3.0))
    stepper = studio._session.stepper
    paused = messages.StepControlSnapshot(
        pause_state=stepper.snapshot().pause_state, noise_scale=0.5, noise_rate=0.1
    )
    dispatch = studio._session.handle.dispatch
    studio.call(lambda _m, _d: dispatch(paused))
    studio.step(20)
    assert (studio.history.ctrl != 3).all()
    studio.step_back(10)
    row = studio.history.ctrl[9]
    assert (studio.call(lambda _m, data: data.ctrl.copy()) == row).all()
    studio.call(lambda _m, _d: dispatch(messages.StepControlSnapshot()))
    ctrl = studio.call(lambda _m, data: data.ctrl.copy())
    assert ctrl == pytest.approx(3.0)


# -- what is recorded, and marks -----------------------------------------------


def test_going_on_from_an_earlier_step_loses_nothing(studio):
    studio.step(10)
    before = studio.history
    studio.step_back(6)
    assert studio.time == pytest.approx(0.008)
    studio.step(3)
    history = studio.history
    np.testing.assert_array_equal(history.qpos[:10], before.qpos)
    np.testing.assert_array_equal(history.qpos[10:], before.qpos[4:7])
    # The start and ten steps, and what the branch began with.
    assert kinds(studio) == [(11, "scrub")]


def test_a_step_back_over_a_branch_goes_back_in_time(studio):
    studio.step(10)
    studio.step_back(6)
    studio.step(2)
    studio.step_back(1)
    assert studio.time == pytest.approx(0.010)
    studio.step_back(2)
    assert studio.time == pytest.approx(0.006)


def test_a_step_back_comes_before_the_first_step_too(studio):
    studio.step()
    studio.step_back()
    assert studio.time == 0


def test_a_step_back_pauses_what_runs(studio):
    studio.step(100)
    studio.play()
    studio.step_back(10)
    assert studio.paused
    time = studio.time
    studio.step()
    assert studio.time == pytest.approx(time + 0.002)


@pytest.mark.parametrize("n", [-1, 1.5, True, "2"])
def test_steps_back_are_counted(studio, n):
    with pytest.raises(StudioError, match=r"step_back\(.*\): give the number"):
        studio.step_back(n)


def test_more_steps_back_than_there_are_are_refused(studio):
    with pytest.raises(StudioError, match="no earlier step"):
        studio.step_back()
    studio.step(3)
    with pytest.raises(StudioError, match="only 3 earlier steps"):
        studio.step_back(4)
    assert studio.time == pytest.approx(0.006)


def test_a_reset_is_marked_and_can_be_undone(studio):
    studio.step(4)
    moved = state(studio)
    studio.reset()
    studio.reset()
    assert kinds(studio) == [(5, "reset")]
    studio.step_back()
    assert state(studio) == moved
    assert len(studio.history) == 4


def test_a_state_that_a_cell_set_is_marked_and_kept(studio):
    studio.step(4)
    studio.call(lambda _m, data: data.qpos.__setitem__(0, 1.0))
    set_state = state(studio)
    studio.step(2)
    assert kinds(studio) == [(5, "state")]
    studio.step_back(2)
    assert state(studio) == set_state
    assert len(studio.history) == 6


def test_what_was_set_and_not_stepped_on_is_kept_when_going_back(studio):
    studio.step(4)
    studio.call(lambda _m, data: data.qpos.__setitem__(0, 1.0))
    set_state = state(studio)
    studio.step_back()
    assert studio.call(lambda _m, data: data.qpos[0]) != 1.0
    recorder, scrubber = studio._session.recorder, studio._session.scrubber
    studio.call(lambda _m, _d: scrubber.go(recorder.end - 1))
    assert state(studio) == set_state


def test_reading_and_controls_make_no_marks(studio):
    studio.step(4)
    studio.call(lambda _m, data: data.ctrl.fill(1.0))
    assert studio.time > 0
    studio.step(4)
    assert kinds(studio) == []


def test_a_reset_by_mujoco_itself_is_marked(studio):
    studio.step(4)
    studio.call(lambda _m, data: data.qvel.fill(np.nan))
    with pytest.raises(StudioError, match="unstable"):
        studio.step()
    assert (5, "state") in kinds(studio)
    assert "reset" in [kind for _, kind in kinds(studio)]
    assert studio.time < 0.004


def test_an_edit_of_the_same_columns_goes_on_in_the_same_history(studio):
    studio.step(5)
    before = studio.call(lambda _m, data: data.qpos.copy())
    with studio.edit() as spec:
        spec.worldbody.add_body(name="wall").add_geom(size=[0.1, 0, 0])
    studio.step(5)
    assert kinds(studio) == [(6, "model")]
    assert len(studio.history) == 10
    # The rows before had no force for the new body; the rest of them fits.
    studio.step_back(6)
    np.testing.assert_array_equal(
        studio.call(lambda _m, data: data.qpos.copy()), before
    )
    studio.step()
    assert len(studio.history) == 11
    assert studio.errors == []


def test_an_edit_of_other_columns_begins_anew(studio):
    studio.step(5)
    recording = studio._session.recorder.recording
    with studio.edit() as spec:
        body = spec.worldbody.add_body(name="more")
        body.add_joint(name="slider", type=mujoco.mjtJoint.mjJNT_SLIDE)
        body.add_geom(size=[0.1, 0, 0])
    studio.step(2)
    assert len(studio.history) == 2
    assert kinds(studio) == []
    assert studio._session.recorder.recording != recording
    assert studio.errors == []


def test_marks_move_with_the_rows_that_are_dropped():
    with studio_nb.open(PENDULUM, view=False, paused=True, history_mb=0.1) as studio:
        studio.run(4)
        studio.reset()
        studio.step(10)
        recorder = studio._session.recorder
        assert recorder.first > 0
        ((row, kind),) = kinds(studio)
        assert kind == "reset"
        assert row == recorder.end - recorder.first - 11
        studio.run(20)
        assert kinds(studio) == []
        history = studio.history
        assert len(history) + history.dropped == 2000 + 10 + 10_000
        with pytest.raises(StudioError, match=r"only \d+ earlier"):
            studio.step_back(11_000)


def test_sleep_that_is_switched_on_later_is_recorded(studio):
    def enable(model, _):
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)

    studio.step(5)
    studio.call(enable)
    studio.step(5)
    assert studio._session.recorder._layout.sleeps
    assert len(studio.history) == 10


def test_a_layout_has_every_part_of_the_state():
    model = mujoco.MjModel.from_xml_string(HELD)
    layout = Layout.of(model)
    assert layout.state.stop == mujoco.mj_stateSize(model, STATE)
    size = mujoco.mj_stateSize(model, int(mujoco.mjtState.mjSTATE_XFRC_APPLIED))
    part = layout.parts["xfrc_applied"]
    assert part.stop - part.start == size


INPUTS = """
<mujoco>
  <worldbody>
    <body><joint name="j" type="ball"/><geom size="1"/></body>
    <body><joint name="k"/><geom size="1"/></body>
  </worldbody>
  <actuator>
    <orientation name="turn" joint="j" kp="1" input="quat"/>
    <motor joint="k"/>
  </actuator>
</mujoco>
"""


def test_an_actuator_of_several_inputs_has_a_column_for_each():
    with studio_nb.open(INPUTS, view=False, paused=True) as studio:
        studio.step(3)
        history = studio.history
    assert len(history) == 3
    names = ("turn[0]", "turn[1]", "turn[2]", "turn[3]", "actuator 1")
    assert history.labels("ctrl") == names


def test_controls_are_carried_over_by_their_actuators_whatever_their_inputs():
    old = mujoco.MjModel.from_xml_string(INPUTS)
    motor = "<actuator><motor name='new' joint='k'/><orientation name='turn'"
    new = mujoco.MjModel.from_xml_string(
        INPUTS.replace('<actuator>\n    <orientation name="turn"', motor)
    )
    data = mujoco.MjData(old)
    data.ctrl[:] = 0.1, 0.2, 0.3, 0.4, 0.5
    out = keeping.carried(old, data, new)
    assert out.ctrl.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
