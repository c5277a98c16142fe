"""What the Inspector's sections are made of: fields by name, edits, curves, lists."""

import math
from types import SimpleNamespace
from typing import Any, cast

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages

from studio_nb.app.panels import actuators, fields, listing, sensors, series
from studio_nb.app.panels.edits import Edits

CTRL = int(mujoco.mjtState.mjSTATE_CTRL)
QPOS = int(mujoco.mjtState.mjSTATE_QPOS)

MODEL = """
<mujoco>
  <worldbody>
    <body name="free"><freejoint name="root"/><geom size=".1"/></body>
    <body name="arm"><joint name="elbow" axis="0 1 0"/><geom name="upper" size=".1"/>
      <site name="tip" pos="0 0 .5"/></body>
    <body name="puppet" mocap="true" pos="1 2 3"/>
  </worldbody>
  <actuator>
    <motor name="lift" joint="elbow"/><motor name="idle" joint="elbow" group="2"/>
  </actuator>
  <sensor><framepos name="where" objtype="site" objname="tip"/></sensor>
  <keyframe><key name="up" ctrl="1 0"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def pair():
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    data.qpos[:] = np.arange(model.nq)
    data.qpos[3:7] = 1, 0, 0, 0
    data.qvel[:] = np.arange(model.nv)
    data.ctrl[:] = 0.5, 0.75
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time", [0.0]),
        ("qpos[2]", [2.0]),
        ("data.qpos[-1]", [7.0]),
        ("qpos[0:3]", [0.0, 1.0, 2.0]),
        ("qpos[root]", [0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0]),
        ("qpos[root][2]", [2.0]),
        ("qpos['elbow']", [7.0]),
        ("qvel[elbow]", [6.0]),
        ("dof_damping[elbow]", [0.0]),
        ("ctrl[idle]", [0.75]),
        ("xpos[free, 1]", [1.0]),
        ("data.xpos[1][1]", [1.0]),
        ("model.opt.timestep", [0.002]),
        ("opt.gravity[2]", [-9.81]),
        ("model.body_mocapid[puppet]", [0.0]),
        ("mocap_pos[puppet]", [1.0, 2.0, 3.0]),
        ("key_ctrl[up, 0]", [1.0]),
        ("actuator_group[idle]", [2.0]),
        ("model.nq", [8.0]),
        ("  qpos [ 2 ] ", [2.0]),
    ],
)
def test_a_field_is_read(pair, text, expected):
    model, data = pair
    assert fields.parse(text, model, data).read(model, data).tolist() == expected


def test_an_element_of_several_numbers_is_found_by_its_name(pair):
    model, data = pair
    where = fields.parse("sensordata[where]", model, data).read(model, data)
    assert where.tolist() == data.site("tip").xpos.tolist()
    same = fields.parse("site_xpos[tip]", model, data).read(model, data)
    assert same.tolist() == where.tolist()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "write a field and an index"),
        ("1 + 1", "write a field and an index"),
        (
            "qposs",
            "mjData has no field|mjModel has no field 'qposs': did you mean qpos",
        ),
        ("data.nq", "mjData has no field 'nq'"),
        ("data.__class__", "has no field '__class__'"),
        ("model.joint", "has no field 'joint'"),
        ("names", "names holds no numbers"),
        ("qpos[]", "the brackets are empty"),
        ("qpos[8]", r"there is no \[8\]: qpos has 8 elements"),
        ("xpos[0, 3]", r"there is no \[3\]: xpos has 3 elements"),
        ("qpos[0, 0]", "too many indices: qpos is 8"),
        ("time[0]", "too many indices: time is a single number"),
        ("xpos[nobody]", "there is no body 'nobody'"),
        ("qpos[nobody]", "there is no joint 'nobody'"),
        ("energy[kinetic]", "energy goes by numbers"),
        ("act[lift]", "the actuator 'lift' has no part of act"),
        ("mocap_pos[arm]", "the body 'arm' has no part of mocap_pos"),
    ],
)
def test_a_wrong_field_says_what_is_wrong(pair, text, problem):
    with pytest.raises(fields.FieldError, match=problem):
        fields.parse(text, *pair)


def test_a_field_that_shrinks_says_so_when_it_is_read(pair):
    model, _ = pair
    data = mujoco.MjData(model)
    field = fields.Field("data", ("efc_force",), ((5,),))
    with pytest.raises(fields.FieldError, match=r"no \[5\]: efc_force has 0 elements"):
        field.read(model, data)


def test_no_field_that_is_offered_raises_anything_else(pair):
    model, data = pair
    for name in fields.known():
        values = fields.parse(name, model, data).read(model, data)
        assert values.ndim == 1
        for element in ("elbow", "arm", "no such thing"):
            try:
                field = fields.parse(f"{name}[{element}]", model, data)
            except fields.FieldError:
                continue
            assert field.read(model, data).dtype == np.float64


def test_suggestions_complete_what_was_typed():
    assert fields.suggestions("qp")[0] == "qpos"
    assert fields.suggestions("model.opt.tim") == ["model.opt.timestep"]
    assert fields.suggestions("qpos") == []
    assert fields.suggestions("qpos[") == []
    assert fields.suggestions("  ") == []
    assert "qacc_warmstart" in fields.suggestions("warmst")


class Sim:
    """A scope with two buffers, and a clock that is set by hand."""

    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(MODEL)
        self.data, self.spare = mujoco.MjData(self.model), mujoco.MjData(self.model)
        self.sent: list[Any] = []
        self.viewer = SimpleNamespace(send_to_sim=self.sent.append)
        self.now = 0.0
        self.edits = Edits(clock=lambda: self.now)

    def deliver(self, ctrl):
        self.data, self.spare = self.spare, self.data
        self.data.ctrl[0] = ctrl
        self.edits.refresh(cast("Any", self))

    def set(self, value, bit=CTRL, index=0):
        self.edits.set(cast("Any", self), bit, index, value)
        self.edits.flush(cast("Any", self))


@pytest.fixture
def sim():
    sim: Any = Sim()
    sim.set(0.5)
    sim.edits.refresh(sim)
    return sim


def test_an_edit_is_sent_once(sim):
    assert [message.state.tolist() for message in sim.sent] == [[0.5, 0.0]]
    sim.edits.flush(sim)
    assert len(sim.sent) == 1


def test_edits_of_several_parts_go_as_one_message(sim):
    sim.edits.set(sim, CTRL, 1, 0.25)
    sim.edits.set(sim, QPOS, 7, 2.0)
    sim.edits.flush(sim)
    message = sim.sent[-1]
    assert isinstance(message, messages.StateEvent)
    assert message.state_sig == CTRL | QPOS
    assert message.state.tolist() == [*sim.data.qpos[:7], 2.0, 0.5, 0.25]


def test_an_old_frame_is_covered_and_a_new_one_ends_that(sim):
    sim.deliver(0.0)
    assert sim.data.ctrl[0] == 0.5
    sim.deliver(0.5)
    assert not sim.edits.pending
    sim.deliver(0.1)
    assert sim.data.ctrl[0] == 0.1


def test_the_second_frame_with_another_value_is_believed(sim):
    sim.deliver(0.0)
    sim.deliver(0.1)
    assert sim.data.ctrl[0] == 0.1


def test_an_edit_that_never_comes_back_is_given_up(sim):
    sim.now = 10.0
    sim.deliver(0.0)
    assert sim.data.ctrl[0] == 0.0
    assert not sim.edits.pending


def test_a_held_control_is_covered_all_along(sim):
    for i in range(20):
        sim.edits.hold(CTRL, 0)
        sim.now = float(i)
        sim.deliver(0.0)
        assert sim.data.ctrl[0] == 0.5


def test_an_edit_of_a_model_that_is_gone_is_forgotten(sim):
    sim.model = mujoco.MjModel.from_xml_string("<mujoco/>")
    sim.data = mujoco.MjData(sim.model)
    sim.edits.refresh(sim)
    assert not sim.edits.pending


def sampled(times, function):
    curve = series.Series()
    for time in times:
        curve.add(time, np.array([function(time)]))
    return curve


def test_a_curve_keeps_the_last_seconds_only():
    curve = sampled(np.arange(0.0, 20.0, 0.07), lambda t: t)
    known = curve.known()[:, 0]
    assert len(known) == series.POINTS
    assert known[-1] == pytest.approx(19.95, abs=0.1)
    assert known[0] == pytest.approx(known[-1] - series.SPAN_S, abs=0.15)


@pytest.mark.parametrize("step", [0.001, 0.05, 0.066, 0.4, 3.0, 70.0])
def test_a_curve_has_the_same_number_of_points_always(step):
    curve = series.Series()
    for time in np.arange(0.0, 60.0 + 200 * (step > 1), step):
        curve.add(time, np.array([math.sin(time)]))
        places, values = curve.curve(0)
        assert len(places) == len(values) == series.POINTS + 1
        lines = places[: curve.head + 1], places[curve.head + 1 :]
        assert all(
            (np.diff(line) >= 0).all() or len(curve) < series.POINTS for line in lines
        )


def test_from_frame_to_frame_few_points_of_a_curve_move():
    curve = sampled(np.arange(0.0, 12.0, 0.066), math.sin)
    before = curve.curve(0)
    curve.add(12.05, np.array([5.0]))
    after = curve.curve(0)
    moved = [(a != b).sum() for a, b in zip(before, after, strict=True)]
    assert max(moved) <= 6


def test_places_before_the_first_sample_show_no_line():
    curve = sampled([3.0, 3.1, 3.2], lambda t: t)
    places, values = curve.curve(0)
    assert len(np.unique(places)) == len(curve)
    assert set(values) <= set(curve.known()[:, 0])


def test_time_that_goes_back_starts_a_curve_anew():
    curve = sampled([1.0, 2.0, 3.0], lambda t: t)
    curve.add(0.0, np.array([7.0]))
    assert curve.known().tolist() == [[7.0]]


def test_another_number_of_numbers_starts_a_curve_anew():
    curve = sampled([1.0, 2.0], lambda t: t)
    curve.add(2.5, np.array([1.0, 2.0]))
    assert curve.known().tolist() == [[1.0, 2.0]]


def test_numbers_that_are_none_do_not_spoil_the_limits():
    curve = sampled([1.0, 2.0, 3.0], lambda t: math.nan if t == 2.0 else t)
    low, high = curve.fit()
    assert -1e3 < low <= 1.0
    assert 3.0 <= high < 1e3


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 0.0), (5.0, 5.0), (-1e9, 1e9), (1e-7, 2e-7), (-3.0, -2.9)]
)
def test_limits_lie_around_the_curve_and_stay(low, high):
    limits = series.fitted(low, high, (0.0, 1e-300))
    assert limits[0] <= low
    assert high <= limits[1]
    assert limits[0] < limits[1]
    assert series.fitted(low, high, limits) == limits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "+1.000"),
        (-1.0, "-1.000"),
        (-1e-5, "+0.000"),
        (1e6, "+1.000e+06"),
        (math.nan, "+nan"),
        (-math.inf, "-inf"),
    ],
)
def test_numbers_always_have_a_sign(value, text):
    assert listing.fixed(value) == text


def test_a_filter_wants_every_word():
    assert listing.matches("Left_Knee", "knee left")
    assert not listing.matches("left_hip", "knee left")
    assert listing.matches("anything", "")


def test_groups_out_of_range_go_to_the_nearest():
    groups = [0, 0, 0, 0, 0, 1]
    assert listing.group_shown(groups, 30)
    assert not listing.group_shown(groups, -3)


def test_disabled_groups_disable_their_actuators(pair):
    model, _ = pair
    model.opt.disableactuator = 1 << 2
    assert [actuators.is_disabled(model, i) for i in range(2)] == [False, True]
    model.opt.disableactuator = 0


def test_a_unit_is_known_for_sensors_of_every_kind_of_model(pair):
    model, _ = pair
    assert sensors.unit_of(model, 0) == "m"
    assert sensors.type_of(model, 0) == "framepos"
