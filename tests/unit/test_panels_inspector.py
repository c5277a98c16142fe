"""The Inspector's sections as a person has them: what they do, the sim is told."""

import math

import mujoco
import numpy as np
import pytest

from studio_nb.app.panels import (
    actuators,
    equality,
    joints,
    noise,
    sensors,
    state,
    tendons,
    watch,
)
from tests.bench import EMPTY, MODEL, NAME, STATE, WIDTH, Bench

PANELS = (
    joints.Joints,
    actuators.Controls,
    sensors.Sensors,
    watch.Watch,
    state.State,
    equality.Equality,
    tendons.Tendons,
    noise.Noise,
)


@pytest.fixture
def bench():
    made = []

    def make(panel, xml=MODEL):
        made.append(Bench(panel(), xml))
        return made[-1]

    yield make
    for each in made:
        each.ui.close()


@pytest.mark.parametrize("panel", PANELS)
def test_a_model_without_anything_is_no_trouble(bench, panel):
    here = bench(panel, EMPTY)
    here.frames()
    assert here.sent == []


@pytest.mark.parametrize("panel", PANELS)
def test_an_exchanged_model_leaves_nothing_behind(bench, panel):
    here = bench(panel)
    here.model = mujoco.MjModel.from_xml_string(EMPTY)
    here.data, here.spare, here.sim = (mujoco.MjData(here.model) for _ in range(3))
    here.panel.on_model(here.scope)
    here.frames()
    assert here.sent == []


@pytest.mark.parametrize("panel", PANELS)
def test_what_is_kept_can_be_restored_and_rubbish_is_distrusted(bench, panel):
    here = bench(panel)
    kept = here.panel.keeps()
    fresh = panel()
    fresh.restore(kept)
    assert fresh.keeps() == kept
    for value in (None, 7, [None], {"a": 1}, ["x", 3]):
        fresh.restore(dict.fromkeys([*kept, "other"], value))
    here.panel = fresh
    here.frames()


@pytest.mark.parametrize("panel", PANELS)
def test_looking_sends_nothing(bench, panel):
    here = bench(panel)
    for _ in range(4):
        mujoco.mj_step(here.model, here.sim)
        here.deliver()
        here.frame()
    assert here.sent == []


def test_dragging_a_hinge_sets_its_qpos_within_its_range(bench):
    here = bench(joints.Joints)
    elbow = here.controls()[1]
    here.drag(elbow, 60)
    qpos = here.last_state(STATE.mjSTATE_QPOS)
    assert 0.1 < qpos[0] <= math.pi / 2
    assert qpos[1:].tolist() == here.sim.qpos[1:].tolist()


def test_degrees_show_the_same_angle(bench):
    here = bench(joints.Joints)
    here.click(here.controls(NAME)[1])
    assert here.panel.keeps()["degrees"] is True
    here.drag(here.controls()[1], 400)
    assert here.last_state(STATE.mjSTATE_QPOS)[0] == pytest.approx(math.pi / 2)


def test_a_hidden_group_is_not_listed(bench):
    here = bench(joints.Joints)
    before = len(here.controls())
    here.vis_options.jointgroup[3] = 1
    assert len(here.controls()) == before + 1


def test_the_filter_leaves_what_matches(bench):
    here = bench(joints.Joints)
    here.panel.restore({"query": "elb"})
    assert len(here.controls()) == 2
    here.panel.restore({"query": "no such joint"})
    assert len(here.controls()) == 1


def test_a_ball_folds_out_and_keeps_a_unit_quaternion(bench):
    here = bench(joints.Joints)
    here.panel.restore({"query": "socket"})
    here.click((18, here.controls(NAME)[-1][1]))
    qx = here.controls()[2]
    here.drag(qx, 80)
    quaternion = here.last_state(STATE.mjSTATE_QPOS)[2:6]
    assert quaternion[1] > 0.1
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)


def test_a_free_joint_moves_along_its_axes(bench):
    here = bench(joints.Joints)
    here.panel.restore({"query": "root"})
    here.click((18, here.controls(NAME)[-1][1]))
    here.drag(here.controls()[3], 50)
    qpos = here.last_state(STATE.mjSTATE_QPOS)
    assert qpos[8] != here.sim.qpos[8]
    assert qpos[9:].tolist() == here.sim.qpos[9:].tolist()


def test_clicking_a_joint_s_name_selects_its_body(bench):
    here = bench(joints.Joints)
    y = here.controls()[1][1]
    here.click((20, y))
    assert here.perturb.select == here.model.body("arm").id


def test_the_menu_puts_a_joint_back(bench):
    here = bench(joints.Joints)
    here.sim.qpos[0] = 1.0
    here.deliver()
    at = here.controls()[1]
    here.click((20, at[1]), b=1)
    here.click((60, at[1] + 40))
    assert here.last_state(STATE.mjSTATE_QPOS)[0] == 0.0


def test_ten_thousand_joints_draw_only_what_is_seen(bench):
    many = "".join(
        f"<body><joint name='j{i}'/><geom size='.1'/></body>" for i in range(2000)
    )
    here = bench(joints.Joints, f"<mujoco><worldbody>{many}</worldbody></mujoco>")
    assert len(here.controls()) < 30


def test_dragging_a_control_sets_ctrl(bench):
    here = bench(actuators.Controls)
    here.drag(here.controls(0.5)[1], 200)
    assert here.last_state(STATE.mjSTATE_CTRL).tolist() == [2.0, 0.0]


def test_zero_all_zeroes_all(bench):
    here = bench(actuators.Controls)
    here.sim.ctrl[:] = 1.0
    here.deliver()
    here.click(here.controls(NAME)[0])
    assert here.last_state(STATE.mjSTATE_CTRL).tolist() == [0.0, 0.0]


BALL = """
<mujoco>
  <worldbody>
    <body><joint name="j" type="ball"/><geom size="1"/></body>
    <body><joint name="k"/><geom size="1"/></body>
  </worldbody>
  <actuator>
    <orientation name="turn" joint="j" kp="1" input="quat"/>
    <motor name="soft" joint="k" ctrlrange="-2 2" ctrllimited="false"/>
    <motor name="free" joint="k"/>
  </actuator>
</mujoco>
"""


def test_zero_all_makes_the_identity_of_a_quaternion(bench):
    here = bench(actuators.Controls, BALL)
    here.sim.ctrl[:] = 0.5
    here.deliver()
    here.click(here.controls(NAME)[0])
    assert here.last_state(STATE.mjSTATE_CTRL).tolist() == [1, 0, 0, 0, 0, 0]


def test_what_is_at_rest_is_asked_of_mujoco_and_changes_nothing(bench):
    here = bench(actuators.Controls, BALL)
    here.data.ctrl[:] = 0.5
    assert actuators.neutral(here.model, here.data) == [1, 0, 0, 0, 0, 0]
    assert (here.data.ctrl == 0.5).all()


def test_a_range_that_is_no_limit_bounds_the_slider_all_the_same(bench):
    here = bench(actuators.Controls, BALL)
    assert not here.model.actuator_ctrllimited.any()
    assert actuators.ctrlrange(here.model, 4) == (-2.0, 2.0)
    assert actuators.ctrlrange(here.model, 5) is None
    here.drag(here.controls(0.5)[5], 400)
    assert here.last_state(STATE.mjSTATE_CTRL)[4] == 2.0


def test_a_disabled_actuator_cannot_be_moved(bench):
    here = bench(actuators.Controls)
    at = here.controls(0.5)[1]
    here.model.opt.disableactuator = 1
    here.drag(at, 50)
    assert here.sent == []


def test_an_actuator_with_several_inputs_has_a_line_for_each(bench):
    here = bench(actuators.Controls)
    rows = actuators.lines(here.model)
    assert [(row.name, row.ctrl, row.act) for row in rows] == [
        ("lift", 0, None),
        ("push", 1, 0),
    ]


def test_a_frame_that_was_on_its_way_does_not_undo_an_edit(bench):
    here = bench(actuators.Controls)
    here.drag(here.controls(0.5)[1], 200)
    here.deliver()
    here.frame()
    assert here.data.ctrl[0] == 2.0
    here.obey()
    here.deliver()
    here.frames()
    assert here.data.ctrl[0] == 2.0


def test_a_control_that_is_held_keeps_to_the_hand(bench):
    here = bench(actuators.Controls)
    at = here.controls(0.5)[1]
    here.press(at)
    here.do({"t": "move", "x": WIDTH, "y": at[1]})
    for _ in range(10):
        here.deliver()
        here.frame()
        assert here.data.ctrl[0] == 2.0
    here.release(at)


def test_what_the_simulation_sets_itself_is_shown_soon_after_an_edit(bench):
    here = bench(actuators.Controls)
    here.drag(here.controls(0.5)[1], 200)
    here.obey()
    here.sim.ctrl[0] = 0.5
    for _ in range(4):
        here.deliver()
        here.frame()
    assert here.data.ctrl[0] == 0.5


def test_a_checked_sensor_is_plotted_and_the_plot_goes_again(bench):
    here = bench(sensors.Sensors)
    boxes = here.controls(0.08)
    here.click(boxes[-2])
    assert here.panel.keeps()["plotted"] == ["shock"]
    assert here.controls(0.08)[-2][1] > boxes[-2][1]
    here.click(here.controls(0.08)[-2])
    assert here.panel.keeps()["plotted"] == []


def test_sensors_have_the_units_of_what_they_measure(bench):
    here = bench(sensors.Sensors)
    units = [sensors.unit_of(here.model, i) for i in range(3)]
    assert units == ["rad", "m/s\N{SUPERSCRIPT TWO}", "m"]


def test_every_type_of_sensor_has_a_word():
    for name, kind in mujoco.mjtSensor.__members__.items():
        assert mujoco.mjtSensor(int(kind)).name == name


@pytest.mark.parametrize("panel", [sensors.Sensors, watch.Watch])
def test_plots_that_move_differ_in_few_bytes(bench, panel):
    here = bench(panel)
    here.panel.restore({"plotted": ["angle"], "watches": [["qpos[0]", True]]})
    sizes = []
    here.sim.qvel[0] = 3.0
    for i in range(160):
        for _ in range(33):
            mujoco.mj_step(here.model, here.sim)
        here.deliver()
        here.frame()
        packet = here.encoder.encode(full=i == 0)
        sizes.append(len(packet or b""))
    assert 0 < np.median(sizes[110:]) < 700


def test_a_typed_field_is_watched(bench):
    here = bench(watch.Watch)
    here.type(here.controls()[0], "qpos[elbow]")
    here.sim.qpos[0] = 0.25
    here.deliver()
    here.frames()
    assert here.panel.keeps() == {"watches": [["qpos[elbow]", True]]}
    assert here.panel.values == {"qpos[elbow]": [0.25]}


def test_a_wrong_field_stays_to_be_mended(bench):
    here = bench(watch.Watch)
    here.type(here.controls()[0], "qposs[0]")
    assert here.panel.keeps() == {"watches": []}
    assert "did you mean qpos" in here.panel.problem


def test_tab_completes_a_field(bench):
    here = bench(watch.Watch)
    at = here.controls()[0]
    here.type(at, "sensord", code="Tab")
    here.key("Enter")
    assert here.panel.keeps() == {"watches": [["sensordata", True]]}


def test_a_suggestion_can_be_clicked(bench):
    here = bench(watch.Watch)
    at = here.controls()[0]
    here.click(at)
    here.do({"t": "text", "s": "sensord"})
    here.click((40, at[1] + 25))
    here.key("Enter")
    assert here.panel.keeps() == {"watches": [["sensordata", True]]}


def test_a_watch_can_be_removed(bench):
    here = bench(watch.Watch)
    here.panel.restore({"watches": [["time", False], ["ncon", False]]})
    here.click(here.controls(0.06)[1])
    assert here.panel.keeps() == {"watches": [["ncon", False]]}


def test_a_watch_of_another_model_says_why_it_is_empty(bench):
    here = bench(watch.Watch)
    here.panel.restore({"watches": [["xpos[no such body]", True]]})
    here.frames()
    assert here.panel.problems == {
        "xpos[no such body]": "there is no body 'no such body' in this model"
    }


def test_a_number_of_the_state_can_be_set(bench):
    here = bench(state.State)
    here.panel.restore({"parts": ["qvel"]})
    here.drag(here.controls(0.85)[-1], 60)
    qvel = here.last_state(STATE.mjSTATE_QVEL)
    assert np.count_nonzero(qvel) == 1


def test_every_part_of_the_state_is_offered(bench):
    here = bench(state.State)
    assert set(state.PARTS.values()) == {1 << i for i in range(int(STATE.mjNSTATE))}
    for part, bit in state.PARTS.items():
        here.panel.restore({"parts": [part]})
        here.frames(2)
        owners = state.owners(here.model, bit)
        assert len(owners) in (0, mujoco.mj_stateSize(here.model, bit))


def test_the_state_is_copied_as_python_that_makes_it(bench):
    here = bench(state.State)
    here.panel.restore({"parts": ["time", "qpos"]})
    here.sim.qpos[0] = 1 / 3
    here.deliver()
    copy = here.controls(NAME)[-1]
    here.click(copy)
    text = here.input.take_clipboard()
    assert text is not None
    copied = eval(text, {"np": np})  # noqa: S307 - our own text
    assert copied.tolist() == [here.sim.time, *here.sim.qpos.tolist()]


def test_owners_name_the_numbers(bench):
    model = bench(state.State).model
    qpos = state.owners(model, int(STATE.mjSTATE_QPOS))
    assert qpos[:3] == ["elbow", "reach", "socket[0]"]
    assert state.owners(model, int(STATE.mjSTATE_ACT)) == ["push"]


def test_a_constraint_can_be_switched(bench):
    here = bench(equality.Equality)
    glue, pin = here.controls(0.08)[1:3]
    here.click(glue)
    assert here.last_state(STATE.mjSTATE_EQ_ACTIVE).tolist() == [0.0, 0.0]
    here.click(pin)
    assert here.last_state(STATE.mjSTATE_EQ_ACTIVE).tolist() == [0.0, 1.0]


def test_the_violation_is_what_is_apart(bench):
    here = bench(equality.Equality)
    violations, forces = equality.measured(here.model, here.data)
    assert violations.shape == forces.shape == (2,)
    assert violations[1] == forces[1] == 0.0
    here.data.qpos[6] += 0.5
    mujoco.mj_forward(here.model, here.data)
    violations, forces = equality.measured(here.model, here.data)
    assert violations[0] == pytest.approx(0.5, abs=0.01)
    assert forces[0] > 0.0


def test_a_tendon_folds_out(bench):
    here = bench(tendons.Tendons)
    folded = here.controls(NAME)
    here.click((18, folded[1][1]))
    assert here.controls(NAME)[2][1] > folded[2][1] + 50


def test_noise_goes_with_the_step_control(bench):
    here = bench(noise.Noise)
    scale, rate = here.controls()
    here.drag(scale, 300)
    assert (here.sent[-1].noise_scale, here.sent[-1].noise_rate) == (1.0, 0.0)
    here.drag(rate, 300)
    assert (here.sent[-1].noise_scale, here.sent[-1].noise_rate) == (1.0, 4.0)
