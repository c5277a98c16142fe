"""What the app does with a simulation: the messages it sends, the state it keeps."""

import math

import mujoco
import pytest
from mujoco.studio import messages
from mujoco.studio.sim import PauseState

from studio_nb.app.controls import SPEEDS, Controls, speed_label

MODEL = """
<mujoco>
  <worldbody><body name="torso"><freejoint/><geom size="0.1"/></body></worldbody>
  <keyframe><key name="home"/><key/><key name="far" time="3"/></keyframe>
</mujoco>
"""

PAUSED = PauseState.NORMAL_PAUSED
UNPAUSED = PauseState.UNPAUSED


class Viewer:
    """What `Controls` needs of a viewer; it keeps what is sent to the sim."""

    def __init__(self, xml=MODEL):
        self.show(xml)
        self.camera = mujoco.MjvCamera()
        self.perturb = mujoco.MjvPerturb()
        self.sent = []

    def show(self, xml):
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)

    def send_to_sim(self, message):
        self.sent.append(message)


@pytest.fixture
def viewer():
    return Viewer()


@pytest.fixture
def controls(viewer):
    return Controls(viewer)


def test_run_and_pause_alternate(controls, viewer):
    controls.toggle_run()
    controls.toggle_run()
    assert [message.pause_state for message in viewer.sent] == [PAUSED, UNPAUSED]


def test_a_change_keeps_the_other_settings_of_the_sim(controls, viewer):
    known = messages.StepControlSnapshot(
        speed=50.0, noise_scale=0.1, noise_rate=0.2, speed_measured=49.0
    )
    controls.follow(known)
    controls.toggle_run()
    assert viewer.sent == [
        messages.StepControlSnapshot(
            pause_state=PAUSED, speed=50.0, noise_scale=0.1, noise_rate=0.2
        )
    ]


def test_what_the_sim_says_is_followed(controls):
    controls.follow(messages.StepControlSnapshot(pause_state=PAUSED, speed=25.0))
    assert not controls.running
    assert controls.speed == 25.0
    controls.follow_pause(UNPAUSED)
    assert controls.running
    assert controls.speed == 25.0


def test_a_step_while_paused_is_a_step(controls, viewer):
    controls.follow_pause(PAUSED)
    controls.step()
    assert viewer.sent == [messages.SingleStepEvent()]


def test_a_step_while_running_pauses_first(controls, viewer):
    controls.step()
    assert viewer.sent[0].pause_state == PAUSED
    assert viewer.sent[1:] == [messages.SingleStepEvent()]


def test_reset_goes_to_the_initial_state(controls, viewer):
    controls.reset()
    assert viewer.sent == [messages.ResetEvent(key=None)]


def test_a_chosen_keyframe_is_loaded_and_reset_returns_to_it(controls, viewer):
    controls.choose_key(2)
    controls.reset()
    assert viewer.sent == [messages.ResetEvent(key=2)] * 2
    assert controls.key_label == "far"


def test_keyframes_without_a_name_go_by_number(controls):
    assert controls.key_names == ("home", "key 1", "far")


def test_a_new_model_keeps_the_choice_where_that_keyframe_still_is(controls, viewer):
    controls.choose_key(2)
    viewer.show(MODEL.replace('"0.1"', '"0.2"'))
    assert controls.key_names[controls.key] == "far"


@pytest.mark.parametrize(
    "changed", ['<key name="other"/>', ""], ids=["renamed", "removed"]
)
def test_a_new_model_without_that_keyframe_forgets_the_choice(
    controls, viewer, changed
):
    controls.choose_key(2)
    viewer.show(MODEL.replace('<key name="far" time="3"/>', changed))
    controls.reset()
    assert controls.key is None
    assert viewer.sent[-1] == messages.ResetEvent(key=None)


def test_faster_and_slower_walk_the_list_and_stop_at_its_ends(controls, viewer):
    seen = []
    for _ in SPEEDS:
        controls.faster()
        seen.append(controls.speed)
    assert seen[:4] == [200.0, 500.0, 1000.0, math.inf]
    assert set(seen[4:]) == {math.inf}
    for _ in SPEEDS:
        controls.slower()
    assert controls.speed == SPEEDS[0] == 0.1
    assert viewer.sent[3].speed == math.inf


def test_a_speed_between_two_of_the_list_goes_to_its_neighbours(controls):
    controls.set_speed(33.0)
    controls.faster()
    assert controls.speed == 50.0
    controls.set_speed(33.0)
    controls.slower()
    assert controls.speed == 25.0


def test_the_real_time_factor_is_what_the_sim_measures_while_it_runs(controls):
    assert controls.real_time_factor is None
    controls.follow(messages.StepControlSnapshot(speed_measured=150.0))
    assert controls.real_time_factor == 1.5
    controls.follow_pause(PAUSED)
    assert controls.real_time_factor is None


def test_aligning_gives_the_free_camera_its_default_view(controls, viewer):
    viewer.camera.distance = 99.0
    controls.align_camera()
    expected = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(viewer.model, expected)
    assert viewer.camera.distance == expected.distance
    assert viewer.camera.azimuth == expected.azimuth


def test_aligning_goes_to_the_home_camera_where_the_model_names_one(controls, viewer):
    viewer.show(
        """<mujoco><visual><global cameraid="1"/></visual>
        <worldbody><camera/><camera/></worldbody></mujoco>"""
    )
    controls.align_camera()
    assert viewer.camera.type == mujoco.mjtCamera.mjCAMERA_FIXED
    assert viewer.camera.fixedcamid == 1
    viewer.model.vis.global_.cameraid = 7
    controls.align_camera()
    assert viewer.camera.type == mujoco.mjtCamera.mjCAMERA_FREE


def test_the_parent_of_the_selected_body_is_selected_up_to_none(controls, viewer):
    viewer.show(
        """<mujoco><worldbody><body><geom size="1"/><body><geom size="1"/></body>
        </body></worldbody></mujoco>"""
    )
    viewer.perturb.select, viewer.perturb.localpos[:] = 2, 1.0
    seen = []
    for _ in range(3):
        controls.select_parent()
        seen.append(viewer.perturb.select)
    assert seen == [1, 0, 0]
    assert not viewer.perturb.localpos.any()


def test_a_body_that_the_mouse_holds_stays_selected(controls, viewer):
    viewer.perturb.select, viewer.perturb.active = 1, 1
    controls.select_parent()
    assert viewer.perturb.select == 1


def test_the_keyframes_line_has_the_state_and_the_chosen_name(controls, viewer):
    viewer.data.qpos[2] = 0.25
    assert controls.key_line() == '<key qpos="0 0 0.25 1 0 0 0"/>'
    controls.select_key(0)
    assert controls.key_line() == '<key name="home" qpos="0 0 0.25 1 0 0 0"/>'


def test_deselecting_lets_go(controls, viewer):
    viewer.perturb.select = 1
    viewer.perturb.active = 1
    controls.deselect()
    assert viewer.perturb.select == 0
    assert viewer.perturb.active == 0


@pytest.mark.parametrize(
    ("speed", "words"),
    [
        *((0.1, "0.1 %"), (1.0, "1 %"), (1000.0, "1000 %"), (33.3, "33.3 %")),
        (math.inf, "max"),
    ],
)
def test_speeds_are_told_in_words(speed, words):
    assert speed_label(speed) == words
