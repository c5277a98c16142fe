"""The section Visualization as a person has it, and what of it the page is told."""

import struct
from types import SimpleNamespace
from typing import Any, cast

import mujoco
import numpy as np
import pytest

from studio_nb.app.panels import mjcf, structs, visual_fields, visualization
from studio_nb.link import Link
from studio_nb.page import Page
from studio_nb.scene import describe
from studio_nb.scene.stream import SceneStream
from studio_nb.wire import packets
from studio_nb.wire.packets import Tag
from tests.reading import StateReader
from tests.unit.optioned import Bench
from tests.unit.test_panels_options import EMPTY, MODEL


@pytest.fixture
def here(monkeypatch):
    bench = Bench(visualization.Visualization(), MODEL, monkeypatch)
    yield bench
    bench.ui.close()


def test_every_field_is_shown(here):
    wanted = {"camera", "fovy", "lookat (m)", "distance", "orthographic"}
    vis = here.model.vis
    parts = [p for p in dir(vis) if p[0] != "_" and not callable(getattr(vis, p))]
    assert len(parts) >= 6
    for part in (*(getattr(vis, p) for p in parts), here.model.stat):
        wanted.update(structs.names(part))
    for group in visualization.groups(here.model):
        if group.title not in here.panel.keeps()["unfolded"]:
            here.unfold(group.title)
    shown = {text.split(" (")[0] for text in here.places} | set(here.places)
    assert wanted <= shown


def test_every_field_of_the_camera_has_a_place():
    fields = set(structs.names(mujoco.MjvCamera()))
    shown = {*visual_fields.CAMERA, *visual_fields.CAMERA_CHOICE}
    # The type is an enum in the bindings of some versions.
    assert fields | {"type"} == shown


def test_the_headlight_is_changed_in_the_viewer_s_model_alone(here):
    here.choose("active", "no")
    assert here.model.vis.headlight.active == 0
    assert here.sent == []


def test_a_number_is_typed_and_kept_in_its_range(here):
    here.unfold("Map")
    here.type(here.value("znear"), "0.5")
    assert here.model.vis.map.znear == pytest.approx(0.5)
    here.type(here.value("znear"), "-3")
    assert here.model.vis.map.znear > 0


def test_statistics_are_the_model_s(here):
    here.unfold("Statistic")
    here.type(here.value("meansize"), "0.75")
    assert here.model.stat.meansize == 0.75


def test_the_free_camera_s_pose_and_field_are_set(here):
    here.type(here.value("distance"), "7")
    here.type(here.value("fovy"), "60")
    assert here.camera.distance == 7.0
    assert here.model.vis.global_.fovy == 60.0


def test_a_camera_of_the_model_is_chosen_and_has_its_own_field(here):
    here.choose("camera", "side")
    assert here.camera.type == mujoco.mjtCamera.mjCAMERA_FIXED
    here.type(here.value("fovy"), "80")
    assert here.model.cam_fovy[0] == 80.0
    assert here.model.vis.global_.fovy == 45.0
    distance = here.camera.distance
    here.drag(here.value("distance"), 50)
    assert here.camera.distance == distance


def test_a_body_is_tracked_and_let_go(here):
    here.choose("camera", "Track body")
    assert here.camera.trackbodyid == 1
    here.choose("camera", "Free")
    assert here.camera.type == mujoco.mjtCamera.mjCAMERA_FREE


@pytest.mark.parametrize("index", [None, 0, 1])
def test_a_copied_camera_sees_the_same(here, index):
    if index is not None:
        here.camera.type, here.camera.fixedcamid = (
            mujoco.mjtCamera.mjCAMERA_FIXED,
            index,
        )
        here.frames()
    here.click(here.place("Copy MJCF"))
    text = f"<mujoco><worldbody>{here.copied()}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    copy = mujoco.MjvCamera()
    copy.type, copy.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    there = mujoco.mjv_camera2GLCamera(model, data, copy)
    seen = mujoco.mjv_camera2GLCamera(here.model, here.data, here.camera)
    for name in ("pos", "forward", "up"):
        np.testing.assert_allclose(getattr(there, name), getattr(seen, name), atol=1e-5)
    assert mjcf.fovy(model, copy) == mjcf.fovy(here.model, here.camera)
    assert there.orthographic == seen.orthographic


@pytest.mark.parametrize(
    "change",
    [
        {"azimuth": 12.5, "orthographic": 1},
        {"type": mujoco.mjtCamera.mjCAMERA_TRACKING, "trackbodyid": 1},
        {"type": mujoco.mjtCamera.mjCAMERA_FIXED, "fixedcamid": 1},
    ],
)
def test_copied_python_makes_the_same_camera(here, change):
    for name, value in change.items():
        setattr(here.camera, name, value)
    here.frames()
    here.click(here.place("Copy Python"))
    made: dict[str, Any] = {"mujoco": mujoco}
    exec(here.copied(), made)  # noqa: S102 - what a person pastes
    for name in change:
        assert getattr(made["camera"], name) == getattr(here.camera, name)


def test_colours_are_those_of_the_model_all_of_them():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><visual><rgba bv='.1 .2 .3 .4' bvactive='.5 .6 .7 .8' "
        "frustum='.9 .8 .7 .6' fog='.5 .4 .3 .2'/></visual></mujoco>"
    )
    found = visual_fields.colours(model)
    assert found.bv == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert found.bvactive == pytest.approx([0.5, 0.6, 0.7, 0.8])
    assert found.frustum == pytest.approx([0.9, 0.8, 0.7, 0.6])
    found.fog[:] = 1.0
    assert model.vis.rgba.fog.tolist() == [1.0] * 4


def test_colours_that_lie_elsewhere_are_not_guessed_at(here):
    model = mujoco.MjModel.from_xml_string(EMPTY)

    class Rgba:
        fog = np.zeros(4, np.float32)
        bv = np.zeros(0, np.float32)

    class Other:
        vis = type("Vis", (), {"rgba": Rgba()})
        stat = model.stat

    other: Any = Other()
    found = visual_fields.colours(other)
    assert found.bv.size == 0
    here.panel._groups = (
        visualization.Group("Headlight", found, visual_fields.colour_lines(found)),
    )
    here.frames()
    assert here.shows("bv")


class Told:
    """A viewer's stream, and a page that reads it."""

    def __init__(self, xml=MODEL):
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.viewer: Any = SimpleNamespace(
            model=self.model,
            data=mujoco.MjData(self.model),
            camera=mujoco.MjvCamera(),
            perturb=mujoco.MjvPerturb(),
            vis_options=mujoco.MjvOption(),
            render_flags=SimpleNamespace(flags=mujoco.MjvScene().flags),
            extra_geoms=[],
        )
        self.stream = SceneStream(Link())
        self.stream.load(self.model, Page(), "")
        self.reader = StateReader()

    def frame(self, *, full=False):
        """Sends a frame; returns the tags in it."""
        packet = self.stream.encode(self.viewer, 0, full=full)
        if packet is None:
            return set()
        self.reader.apply(packet)
        return {Tag(block.tag) for block in packets.read_packet(packet)}


def test_a_full_frame_says_what_the_description_says():
    told = Told()
    assert Tag.VISUAL in told.frame(full=True)
    scene = describe.describe(told.model, cast("Any", SimpleNamespace(add=None)))
    values = told.reader.visual
    assert values[0] == pytest.approx(scene["extent"])
    assert values[1:4] == pytest.approx(scene["center"])
    assert values[4:6] == (scene["fovy"], float(scene["orthographic"]))
    assert values[14:18] == pytest.approx(scene["fog_rgba"])
    assert values[-4:] == (
        scene["shadowsize"],
        scene["numslices"],
        scene["numstacks"],
        scene["numquads"],
    )


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("stat.extent", 0),
        ("vis.global_.fovy", 4),
        ("vis.map.znear", 6),
        ("vis.map.zfar", 7),
        ("vis.map.fogend", 9),
        ("vis.map.haze", 10),
        ("vis.map.shadowclip", 11),
        ("vis.global_.linewidth", 13),
    ],
)
def test_a_change_is_told_once_also_while_nothing_moves(path, place):
    told = Told()
    told.frame(full=True)
    assert told.frame() == set()
    *parts, name = path.split(".")
    owner: Any = told.model
    for part in parts:
        owner = getattr(owner, part)
    setattr(owner, name, 0.375)
    assert Tag.VISUAL in told.frame()
    assert told.reader.visual[place] == 0.375
    assert told.frame() == set()


def test_a_changed_colour_of_the_fog_is_told():
    told = Told()
    told.frame(full=True)
    told.model.vis.rgba.fog[:] = 0.25, 0.5, 0.75, 1.0
    assert told.frame() == {Tag.FRAME, Tag.VISUAL}
    assert told.reader.visual[14:18] == (0.25, 0.5, 0.75, 1.0)
    assert len(describe.visual(told.model)) == struct.calcsize("<26f")
