"""Scene packing: the page's tables equal MuJoCo's scene, frame after frame."""

from typing import Any, ClassVar

import mujoco
import numpy as np
import pytest

from studio_nb.scene import camera, frames, memory
from studio_nb.wire import packets
from studio_nb.wire.packets import Tag
from tests.reading import LOOK_FLOATS, LOOK_INTS, StateReader

EVERYTHING = """
<mujoco>
  <visual><headlight ambient=".1 .2 .3"/></visual>
  <asset>
    <mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <texture name="grid" type="2d" builtin="checker" width="16" height="16"/>
    <material name="grid" texture="grid" texrepeat="3 5" reflectance=".2"/>
  </asset>
  <worldbody>
    <light pos="0 0 4" castshadow="true"/>
    <geom name="floor" type="plane" size="0 0 .1" material="grid"/>
    <body name="box" pos="0 0 1"><freejoint/>
      <light pos="0 0 1" mode="trackcom"/>
      <geom name="box" type="box" size=".1 .2 .3" rgba="1 0 0 .5"/>
      <site name="hook" pos=".1 0 0"/>
    </body>
    <body name="wedge" pos="1 0 1"><joint name="h" axis="0 1 0"/>
      <geom type="mesh" mesh="wedge"/><site name="tip" pos="0 0 1"/>
    </body>
    <body name="ball" pos="-1 0 .05"><freejoint/>
      <geom type="sphere" size=".1"/></body>
    <camera name="fixed" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
  </worldbody>
  <tendon><spatial name="line" width=".01">
    <site site="hook"/><site site="tip"/></spatial></tendon>
</mujoco>
"""


class World:
    """A model with its scene, an encoder, and a reader at the other end."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        mujoco.mj_forward(model, self.data)
        self.option, self.perturb = mujoco.MjvOption(), mujoco.MjvPerturb()
        self.camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(model, self.camera)
        self.scene = mujoco.MjvScene(model, maxgeom=20_000)
        self.view = memory.SceneView(self.scene)
        self.encoder = frames.FrameEncoder(model.stat.extent)
        self.reader = StateReader()
        self.full = True

    def frame(self, **info) -> bytes | None:
        mujoco.mjv_updateScene(
            self.model, self.data, self.option, self.perturb, self.camera,
            mujoco.mjtCatBit.mjCAT_ALL, self.scene,
        )  # fmt: skip
        said: dict[str, Any] = {"paused": False, "selected": 0, "generation": 0, **info}
        packet = self.encoder.encode(
            self.view,
            frames.FrameInfo(time=self.data.time, camera=self.camera, **said),
            full=self.full,
        )
        self.full = False
        if packet is not None:
            self.reader.apply(packet)
        return packet

    def step(self, n: int = 5) -> None:
        mujoco.mj_step(self.model, self.data, n)

    def check(self) -> None:
        """Compares the reader's tables with attribute access, row by row."""
        scene = self.scene
        assert len(self.reader.geoms) == scene.ngeom
        reach = max(np.abs(g.pos).max() for g in scene.geoms[: scene.ngeom])
        for row, geom in zip(self.reader.geoms, scene.geoms, strict=False):
            np.testing.assert_allclose(row["pos"], geom.pos, atol=1e-6 * (1 + reach))
            np.testing.assert_allclose(row["mat"], geom.mat, atol=2e-4)
            np.testing.assert_array_equal(row["size"], geom.size)
            np.testing.assert_array_equal(row["rgba"], geom.rgba)
            assert row["label"] == geom.label
            for name in LOOK_INTS:
                assert row[name] == getattr(geom, name), name
            for name in LOOK_FLOATS:
                assert row[name] == np.float32(getattr(geom, name)), name
            np.testing.assert_array_equal(row["texrepeat"], geom.texrepeat)
            assert row["castshadow"] == geom.castshadow
        assert len(self.reader.lights) == scene.nlight
        for row, light in zip(self.reader.lights, scene.lights, strict=False):
            for name in (
                "id", "type", "texid", "headlight", "castshadow", "cutoff",
                "exponent", "ambient", "diffuse", "specular", "attenuation",
                "bulbradius", "intensity", "range", "softness",
            ):  # fmt: skip
                np.testing.assert_array_equal(row[name], getattr(light, name), name)
            if not light.headlight:
                np.testing.assert_array_equal(row["pos"], light.pos)
                np.testing.assert_array_equal(row["dir"], light.dir)


@pytest.fixture
def world() -> World:
    return World(mujoco.MjModel.from_xml_string(EVERYTHING))


def test_the_assumed_memory_layout_is_this_mujocos():
    assert memory.layout_is_known()


def test_attributes_serve_where_the_layout_is_another(world, monkeypatch):
    monkeypatch.setattr(memory, "layout_is_known", lambda: False)
    world.view = memory.SceneView(world.scene)
    world.frame()
    world.check()
    world.step()
    world.frame()
    world.check()


def test_every_frame_equals_the_scene(world):
    for _ in range(30):
        world.step()
        world.frame()
        world.check()


@pytest.mark.parametrize(
    "path",
    [
        "humanoid/humanoid.xml", "humanoid/22_humanoids.xml", "car/car.xml",
        "cube/cube_3x3x3.xml", "flex/pulley.xml", "replicate/tendon.xml",
        "slider_crank/slider_crank.xml", "surfacevel/carousel.xml",
        "sleep/dominos.xml", "flex/trampoline.xml",
    ],
)  # fmt: skip
def test_real_models_equal_their_scenes(path, shared_models):
    world = World(mujoco.MjModel.from_xml_path(str(shared_models / path)))
    for flag in (mujoco.mjtVisFlag.mjVIS_CONTACTPOINT, mujoco.mjtVisFlag.mjVIS_TENDON):
        world.option.flags[flag] = 1
    for _ in range(5):
        world.step()
        world.frame()
        world.check()


def test_flags_that_come_and_go_change_the_number_of_rows(world):
    world.frame()
    before = len(world.reader.geoms)
    world.option.flags[mujoco.mjtVisFlag.mjVIS_JOINT] = 1
    world.option.label = mujoco.mjtLabel.mjLABEL_BODY
    world.frame()
    world.check()
    assert len(world.reader.geoms) > before
    world.option.flags[mujoco.mjtVisFlag.mjVIS_JOINT] = 0
    world.frame()
    world.check()
    world.option.label = mujoco.mjtLabel.mjLABEL_NONE
    world.frame()
    world.check()


def test_nothing_is_sent_when_nothing_changed(world):
    world.frame()
    # MuJoCo centres the infinite floor on the camera of the update before.
    world.frame()
    assert world.frame() is None


def test_only_what_moved_is_sent(world):
    world.frame()
    world.frame()
    world.data.qpos[0] += 0.1
    mujoco.mj_forward(world.model, world.data)
    blocks = {b.tag: b for b in packets.read_packet(world.frame())}
    # The box, its site, and the tendon that hangs on it.
    assert blocks[Tag.POSE].count == 3
    assert Tag.LOOK not in blocks
    world.check()


def test_a_full_frame_stands_alone(world):
    for _ in range(3):
        world.step()
        world.frame()
    world.reader, world.full = StateReader(), True
    world.frame()
    world.check()


def test_a_body_far_away_does_not_coarsen_the_others(world):
    world.frame()
    world.data.joint(0).qpos[:3] = [1e5, 0, 1]
    mujoco.mj_forward(world.model, world.data)
    world.frame()
    box = world.scene.geoms[1]
    np.testing.assert_allclose(world.reader.geoms[1]["pos"], box.pos)
    ball = next(i for i in range(world.scene.ngeom) if world.scene.geoms[i].type == 2)
    error = world.reader.geoms[ball]["pos"] - world.scene.geoms[ball].pos
    assert np.abs(error).max() < 1e-6
    world.data.joint(0).qpos[:3] = [0, 0, 1]
    mujoco.mj_forward(world.model, world.data)
    world.frame()
    world.check()


def test_poses_that_are_not_numbers_pass_through(world):
    world.frame()
    world.scene.geoms[1].pos[:] = np.nan
    packet = world.encoder.encode(
        world.view,
        frames.FrameInfo(
            0.0, paused=False, selected=0, camera=world.camera, generation=0
        ),
        full=False,
    )
    world.reader.apply(packet)
    assert np.isnan(world.reader.geoms[1]["pos"]).all()


def test_a_moving_light_is_sent_as_a_pose(world):
    world.frame()
    world.data.qpos[0] += 0.1
    mujoco.mj_forward(world.model, world.data)
    tags = {b.tag for b in packets.read_packet(world.frame())}
    assert Tag.LIGHT_POSE in tags
    assert Tag.LIGHT not in tags


def test_turning_the_camera_moves_no_headlight(world):
    world.frame()
    world.frame()
    world.camera.azimuth += 10
    tags = {b.tag for b in packets.read_packet(world.frame())}
    assert tags == {Tag.FRAME, Tag.CAMERA}
    assert world.reader.camera[-2] == pytest.approx(world.camera.azimuth)


def test_a_fixed_cameras_frustum_is_sent(world):
    world.camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
    world.camera.fixedcamid = 0
    world.frame(fixed=world.scene.camera[0])
    world.frame(fixed=world.scene.camera[0])
    np.testing.assert_allclose(world.reader.glcamera[:3], world.scene.camera[0].pos)


def test_a_humanoids_frame_is_below_a_kilobyte(shared_models):
    path = shared_models / "humanoid" / "humanoid.xml"
    world = World(mujoco.MjModel.from_xml_path(str(path)))
    world.frame()
    sizes = []
    for _ in range(50):
        world.step()
        sizes.append(len(world.frame() or b""))
    assert np.mean(sizes) <= 450


class TestCameraSync:
    """Who moves the camera, and whose move counts."""

    sent: ClassVar = {
        "generation": 0, "lookat": [1, 2, 3], "distance": 4, "azimuth": 5,
        "elevation": 6,
    }  # fmt: skip

    def test_a_camera_of_the_page_is_taken_and_starts_no_generation(self):
        cam, sync = mujoco.MjvCamera(), camera.CameraSync()
        assert sync.adopt(cam, self.sent)
        assert cam.lookat.tolist() == [1, 2, 3]
        assert (cam.distance, cam.azimuth, cam.elevation) == (4, 5, 6)
        assert sync.update(cam) == 0

    def test_a_change_of_the_kernels_starts_a_generation(self):
        cam, sync = mujoco.MjvCamera(), camera.CameraSync()
        sync.update(cam)
        cam.azimuth += 1
        assert sync.update(cam) == 1
        assert sync.update(cam) == 1

    def test_a_camera_that_builds_on_an_older_generation_is_dropped(self):
        cam, sync = mujoco.MjvCamera(), camera.CameraSync()
        sync.update(cam)
        cam.azimuth = 77
        assert not sync.adopt(cam, self.sent)
        assert cam.azimuth == 77

    @pytest.mark.parametrize(
        "wrong",
        [
            {"lookat": [1, 2]}, {"lookat": None}, {"distance": "near"},
            {"azimuth": float("nan")}, {"elevation": None}, {"generation": None},
        ],
    )  # fmt: skip
    def test_a_malformed_camera_is_dropped(self, wrong):
        cam, sync = mujoco.MjvCamera(), camera.CameraSync()
        assert not sync.adopt(cam, {**self.sent, **wrong})
        assert cam.distance == mujoco.MjvCamera().distance

    def test_the_lookat_that_mujoco_tracks_starts_no_generation(self):
        cam, sync = mujoco.MjvCamera(), camera.CameraSync()
        cam.type = mujoco.mjtCamera.mjCAMERA_TRACKING
        sync.update(cam)
        cam.lookat[:] = [9, 9, 9]
        assert sync.update(cam) == 0
