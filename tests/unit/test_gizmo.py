"""The axes over the scene as a person has them: what they show, what a click does."""

import math
from typing import Any, cast

import mujoco
import numpy as np
import pytest
from imgui_bundle import imgui

from studio_nb.app import gizmo, lenses, overlays
from studio_nb.app.controls import Controls
from studio_nb.app.gizmo import SIZE_PX, End
from studio_nb.app.layout import Rect
from studio_nb.app.lenses import Lenses
from studio_nb.app.panel import Scope
from studio_nb.ui import UiContext, UiInput

FREE = Rect(0, 0, 600, 400)
KINDS = mujoco.mjtCamera
MODEL = """
<mujoco><worldbody>
  <camera name="top" pos="0 0 5"/>
  <body name="box"><freejoint/><geom size=".1"/></body>
</worldbody></mujoco>
"""


class Sky:
    """A scene without panels, and a person before it."""

    def __init__(self) -> None:
        self.model = mujoco.MjModel.from_xml_string(MODEL)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        self.camera = mujoco.MjvCamera()
        self.camera.azimuth, self.camera.elevation, self.camera.distance = 60, -30, 2
        self.perturb = mujoco.MjvPerturb()
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        viewer = cast("Any", self)
        self.scope = Scope(viewer, Controls(viewer), Lenses(viewer))
        self.clicked = False

    def send_to_sim(self, message: object) -> None:
        raise AssertionError(message)

    def frame(self, free: Rect = FREE) -> None:
        with self.ui.frame(600, 400, 1, 1 / 60), self.ui.guard("gizmo"):
            gizmo.draw(self.scope, free)
            self.clicked |= overlays.draw(self.scope, free)

    def frames(self, count: int = 4) -> None:
        for _ in range(count):
            self.frame()

    def do(self, *events: dict[str, Any]) -> None:
        self.input.apply(events)
        self.frames(len(events) + 3)

    def middle(self) -> tuple[float, float]:
        window = imgui.internal.find_window_by_name("###gizmo")
        return window.pos.x + SIZE_PX / 2, window.pos.y + SIZE_PX / 2

    def click(self, x: float, y: float) -> None:
        self.frames(2)
        self.do({"t": "move", "x": x, "y": y})
        where = {"b": 0, "x": x, "y": y, "m": 0}
        self.do({"t": "down", **where}, {"t": "up", **where})

    def click_end(self, name: str) -> None:
        """Clicks an end, and waits until the camera has turned."""
        self.frames(2)
        seen = gizmo.ends(*lenses.axes(self.camera.azimuth, self.camera.elevation))
        end = next(end for end in seen if end.name == name)
        with self.ui.current():
            x, y = self.middle()
        self.click(x + end.x, y + end.y)
        self.frames(20)

    def click_middle(self) -> None:
        self.frames(2)
        with self.ui.current():
            x, y = self.middle()
        self.click(x, y)

    def seen(self) -> mujoco.MjvGLCamera:
        """The camera as MuJoCo draws with it."""
        scene = mujoco.MjvScene(self.model, 100)
        mujoco.mjv_updateScene(
            self.model, self.data, mujoco.MjvOption(), None, self.camera,
            mujoco.mjtCatBit.mjCAT_ALL, scene,
        )  # fmt: skip
        return mujoco.mjv_averageCamera(*scene.camera)


@pytest.fixture
def sky():
    here = Sky()
    yield here
    here.ui.close()


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [1, -1])
def test_a_click_on_an_end_looks_from_there(sky, axis, sign):
    sky.click_end(("-+"[sign > 0]) + "XYZ"[axis])
    expected = np.zeros(3)
    expected[axis] = -sign
    assert sky.seen().forward == pytest.approx(expected, abs=1e-6)


def test_from_above_the_picture_stands_square(sky):
    sky.click_end("+Z")
    assert sky.seen().up == pytest.approx([0, 1, 0], abs=1e-6)


def test_a_turn_goes_the_short_way_in_several_frames(sky):
    sky.camera.azimuth = 170
    sky.frames(2)
    passed = []
    with sky.ui.current():
        x, y = sky.middle()
    seen = gizmo.ends(*lenses.axes(170, -30))
    end = next(end for end in seen if end.name == "+Y")
    where = {"b": 0, "x": x + end.x, "y": y + end.y, "m": 0}
    sky.do({"t": "move", "x": where["x"], "y": where["y"]})
    sky.input.apply([{"t": "down", **where}, {"t": "up", **where}])
    for _ in range(30):
        sky.frame()
        passed.append(sky.camera.azimuth % 360)
    turned = sorted(set(passed))
    assert len(turned) > 5
    assert (turned[0], turned[-1]) == (170, 270)


def test_a_turn_ends_when_the_person_moves_the_camera(sky):
    sky.frames(2)
    sky.click_end("+X")
    sky.camera.azimuth, sky.camera.elevation = 10, -10
    motion = gizmo._MOTIONS[sky.scope]
    motion.start = motion.last = (0.0, 0.0)
    motion.passed, motion.goal = 0.0, (90.0, 0.0)
    sky.frames()
    assert (sky.camera.azimuth, sky.camera.elevation) == (10, -10)
    assert motion.start is None


def test_a_tracking_camera_turns_and_goes_on_tracking(sky):
    sky.camera.type, sky.camera.trackbodyid = KINDS.mjCAMERA_TRACKING, 1
    sky.click_end("+X")
    assert sky.camera.type == KINDS.mjCAMERA_TRACKING
    assert sky.seen().forward == pytest.approx([-1, 0, 0], abs=1e-6)


def test_a_fixed_camera_is_shown_and_left_alone(sky):
    sky.camera.type, sky.camera.fixedcamid = KINDS.mjCAMERA_FIXED, 0
    right, forward, up = gizmo._axes(sky.scope)
    assert forward == pytest.approx([0, 0, -1], abs=1e-9)
    assert (right @ [1, 0, 0], up @ [0, 1, 0]) == pytest.approx((1, 1))
    sky.click_end("+X")
    sky.click_middle()
    assert (sky.camera.azimuth, sky.camera.elevation) == (60, -30)
    assert not sky.camera.orthographic


def test_the_middle_changes_the_perspective_and_keeps_the_size(sky):
    fovy = sky.model.vis.global_.fovy
    half = sky.camera.distance * math.tan(math.radians(fovy) / 2)
    sky.click_middle()
    assert sky.camera.orthographic
    assert sky.seen().frustum_top == pytest.approx(half)
    sky.click_middle()
    assert not sky.camera.orthographic
    assert sky.model.vis.global_.fovy == pytest.approx(fovy)
    assert sky.camera.distance == pytest.approx(2)


def test_an_orthographic_view_can_be_zoomed(sky):
    sky.click_middle()
    before = sky.seen().frustum_top
    sky.camera.distance *= 3
    sky.frames()
    assert sky.seen().frustum_top == pytest.approx(3 * before)


def test_looking_along_an_axis_the_middle_is_still_the_middle(sky):
    sky.click_end("+X")
    sky.click_middle()
    assert sky.camera.orthographic


@pytest.mark.parametrize(("azimuth", "elevation"), [(0, 0), (60, -30), (200, 70)])
def test_the_ends_are_where_mujoco_sees_the_axes(sky, azimuth, elevation):
    sky.camera.azimuth, sky.camera.elevation = azimuth, elevation
    camera = sky.seen()
    forward, up = np.array(camera.forward), np.array(camera.up)
    right = np.cross(forward, up)
    for end in gizmo.ends(*lenses.axes(azimuth, elevation)):
        axis = np.eye(3)[end.axis] * end.sign
        reach = math.hypot(end.x, end.y) or 1.0
        seen = np.array([axis @ right, -(axis @ up)])
        assert np.array([end.x, end.y]) / reach * np.linalg.norm(seen) == (
            pytest.approx(seen, abs=1e-6)
        )
    depths = [end.depth for end in gizmo.ends(*lenses.axes(azimuth, elevation))]
    assert depths == sorted(depths, reverse=True)


def test_of_two_ends_in_one_place_the_near_one_is_meant():
    far, near = End(0, 1, 20, 0, 0.5), End(1, -1, 20, 0, -0.5)
    assert gizmo.pointed([far, near], 21, 1) is near
    assert gizmo.pointed([far, near], 0, 30) is None
    assert gizmo.pointed([far, near], 2, 2) == "middle"


def test_a_small_scene_is_not_covered(sky):
    sky.frame(Rect(0, 0, 150, 400))
    with sky.ui.current():
        assert imgui.internal.find_window_by_name("###gizmo") is None


def test_a_click_on_the_name_of_the_selected_body_asks_for_more(sky):
    sky.perturb.select = 1
    sky.frames()
    sky.click(20, 400 - 22)
    assert sky.clicked
    sky.clicked = False
    sky.perturb.select = 0
    sky.click(20, 400 - 22)
    assert not sky.clicked


def test_two_views_turn_by_themselves(sky):
    other = Sky()
    sky.click_end("+X")
    other.frames()
    assert (other.camera.azimuth, other.camera.elevation) == (60, -30)
    other.ui.close()
