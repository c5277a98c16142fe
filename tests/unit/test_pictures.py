"""Pictures from other cameras: what panels ask for is what the page is told."""

from types import SimpleNamespace
from typing import Any

import mujoco
import pytest
from imgui_bundle import imgui
from mujoco.studio import messages, plugin

from studio_nb.app.lenses import Lenses
from studio_nb.app.panels.cameras import Cameras, aspect
from studio_nb.link import Link
from studio_nb.scene.pictures import Pictures
from studio_nb.session import Session
from studio_nb.spec import sources
from studio_nb.ui import UiContext, UiInput
from studio_nb.wire import packets
from tests.fakepage import FakePage
from tests.reading import StateReader

CAMERAS = """
<mujoco model="eyes">
  <worldbody>
    <camera name="high" pos="1 2 3" ipd=".5"/>
    <body name="head" pos="0 0 1"><freejoint/><geom size=".1"/>
      <camera name="wide" resolution="640 320"/>
      <camera resolution="1000 1000" sensorsize=".02 .01" focal=".01 .01"/>
    </body>
  </worldbody>
</mujoco>
"""
BYTES = 80


def load(xml=CAMERAS):
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.fixture
def eyes():
    return load()


def read(rows):
    """Returns the pictures by ID: width, height, and the 16 fields of GLCAMERA."""
    reader = StateReader()
    head = packets.Block(packets.Tag.FRAME, bytes(32))
    block = packets.Block(packets.Tag.PICTURE, b"".join(rows), len(rows))
    reader.apply(packets.write_packet([head, block]))
    return reader.pictures


# -- what is asked for -----------------------------------------------------------------


def test_a_models_camera_is_shown_from_where_it_is(eyes):
    model, data = eyes
    pictures = Pictures()
    with pictures.asked(model, 1.0):
        tex_id = pictures.show(0, 320, 240)
    assert tex_id >= packets.FIRST_PICTURE
    shown = read(pictures.rows(model, data))[tex_id]
    assert shown[:2] == (320, 240)
    # Between the eyes, however far apart those are.
    assert shown[2:5] == pytest.approx((1, 2, 3))
    assert shown[5:8] == pytest.approx((0, 0, -1))
    assert shown[8:11] == pytest.approx((0, 1, 0))


def test_it_goes_with_the_body_that_carries_it(eyes):
    model, data = eyes
    pictures = Pictures()
    with pictures.asked(model, 1.0):
        tex_id = pictures.show(1, 10, 10)
    data.qpos[:3] = 5, 6, 7
    mujoco.mj_forward(model, data)
    assert read(pictures.rows(model, data))[tex_id][2:5] == pytest.approx((5, 6, 7))


def test_any_other_camera_can_be_shown_and_is_left_as_it_is(eyes):
    model, data = eyes
    camera = mujoco.MjvCamera()
    camera.type, camera.trackbodyid = mujoco.mjtCamera.mjCAMERA_TRACKING, 1
    camera.lookat[:], camera.distance, camera.elevation = (9, 9, 9), 2.0, -90.0
    pictures = Pictures()
    with pictures.asked(model, 1.0):
        tex_id = pictures.show(camera, 10, 10)
    shown = read(pictures.rows(model, data))[tex_id]
    assert shown[2:5] == pytest.approx((0, 0, 3), abs=1e-5)
    assert camera.lookat.tolist() == [9, 9, 9]


def test_sizes_are_device_pixels_with_a_bound_that_keeps_the_shape(eyes):
    pictures = Pictures()
    with pictures.asked(eyes[0], 2.0):
        small, large = pictures.show(0, 100, 50), pictures.show(1, 4000, 1000)
        nothing = pictures.show(2, 0, -3)
    shown = read(pictures.rows(*eyes))
    assert shown[small][:2] == (200, 100)
    assert shown[large][:2] == (2048, 512)
    assert shown[nothing][:2] == (1, 1)


def test_a_picture_keeps_its_id_whatever_else_is_shown(eyes):
    pictures = Pictures()
    with pictures.asked(eyes[0], 1.0):
        first, second = pictures.show(0, 10, 10), pictures.show(1, 10, 10)
    with pictures.asked(eyes[0], 1.0):
        assert pictures.show(1, 20, 20) == second
    assert list(read(pictures.rows(*eyes))) == [second]
    with pictures.asked(eyes[0], 1.0):
        assert pictures.show(0, 10, 10) not in {first, second}


def test_one_camera_may_be_shown_twice_in_two_sizes(eyes):
    pictures = Pictures()
    with pictures.asked(eyes[0], 1.0):
        ids = pictures.show(0, 10, 10), pictures.show(0, 30, 20)
    shown = read(pictures.rows(*eyes))
    assert [shown[tex_id][:2] for tex_id in ids] == [(10, 10), (30, 20)]


def test_a_camera_made_anew_in_each_frame_keeps_its_id(eyes):
    pictures = Pictures()
    ids = set()
    for _ in range(3):
        with pictures.asked(eyes[0], 1.0):
            ids.add(pictures.show(mujoco.MjvCamera(), 10, 10))
    assert len(ids) == 1


def test_what_no_panel_asks_for_any_more_is_gone(eyes):
    pictures = Pictures()
    with pictures.asked(eyes[0], 1.0):
        pictures.show(0, 10, 10)
    with pictures.asked(eyes[0], 1.0):
        pass
    assert pictures.rows(*eyes) == ()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ({"fixedcamid": 3}, "no camera 3 to show: the model has 3"),
        ({"fixedcamid": -1}, "no camera -1"),
        ({"type": "TRACKING", "trackbodyid": 2}, "no body 2 to track"),
        ({"type": "USER"}, "mjCAMERA_USER"),
    ],
)
def test_a_camera_that_is_not_there_is_refused_by_name(eyes, kind, words):
    camera = mujoco.MjvCamera()
    name = kind.pop("type", "FIXED")
    camera.type = getattr(mujoco.mjtCamera, f"mjCAMERA_{name}")
    for field, value in kind.items():
        setattr(camera, field, value)
    pictures = Pictures()
    with pictures.asked(eyes[0], 1.0), pytest.raises(ValueError, match=words):
        pictures.show(camera, 10, 10)


def test_a_number_that_is_none_is_refused_too(eyes):
    pictures = Pictures()
    with pictures.asked(eyes[0], 1.0):
        with pytest.raises(ValueError, match="no camera 7"):
            pictures.show(7, 10, 10)
        with pytest.raises(ValueError, match="finite"):
            pictures.show(0, float("nan"), 10)


def test_pictures_are_asked_for_by_panels_alone(eyes):
    with pytest.raises(RuntimeError, match="BuildGuiEvent"):
        Pictures().show(0, 10, 10)
    pictures = Pictures()
    with pictures.asked(eyes[0], 1.0):
        pass
    with pytest.raises(RuntimeError, match="BuildGuiEvent"):
        pictures.show(0, 10, 10)


def test_a_camera_that_went_with_its_model_does_no_harm(eyes):
    pictures = Pictures()
    with pictures.asked(eyes[0], 1.0):
        pictures.show(2, 10, 10)
    other = load("<mujoco/>")
    assert len(b"".join(pictures.rows(*other))) == BYTES
    pictures.clear()
    assert pictures.rows(*other) == ()


# -- what the page is told -------------------------------------------------------------


class Watcher(plugin.ViewerPlugin):
    """Shows pictures of cameras in a panel."""

    viewer: Any

    def __init__(self):
        self.cameras = []
        self.ids = []

    @messages.handler
    def _on_build_gui(self, _: messages.BuildGuiEvent) -> None:
        imgui.begin("watcher")
        self.ids = [self.viewer.pictures.show(c, 64, 48) for c in self.cameras]
        for tex_id in self.ids:
            imgui.image(imgui.ImTextureRef(tex_id), (64, 48))
        imgui.end()


@pytest.fixture
def watched():
    """Makes a session whose page is there, and what watches in it."""
    sessions = []

    def make(xml):
        link = Link()
        page, watcher = FakePage(link), Watcher()
        session = Session(sources.load(xml), link=link, plugins=[watcher])
        sessions.append(session)
        page.ready()
        page.until(lambda: page.frames)
        return page, watcher

    yield make
    for session in sessions:
        session.close()


def test_the_page_hears_of_pictures_with_the_frame_that_shows_them(watched):
    page, watcher = watched(CAMERAS)
    watcher.cameras = [0, mujoco.MjvCamera()]
    page.until(lambda: len(page.state.pictures) == 2)
    assert list(page.state.pictures) == watcher.ids
    watcher.cameras = []
    page.until(lambda: not page.state.pictures)


def test_a_reloaded_page_hears_of_them_again(watched):
    page, watcher = watched(CAMERAS)
    watcher.cameras = [0]
    page.until(lambda: page.state.pictures)
    page.state = StateReader()
    page.ready()
    page.until(lambda: page.state.pictures)


def test_a_camera_of_the_models_moves_with_it(watched):
    page, watcher = watched(CAMERAS)
    watcher.cameras = [1]
    first = page.until(lambda: page.state.pictures)[watcher.ids[0]]
    # It falls with the body that carries it.
    page.until(lambda: page.state.pictures[watcher.ids[0]][4] < first[4] - 0.1)


def test_the_views_own_fixed_camera_is_between_its_eyes_too(watched):
    page, watcher = watched(CAMERAS)
    camera = watcher.viewer.camera
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    page.until(lambda: page.state.glcamera)
    assert page.state.glcamera[:3] == pytest.approx((1, 2, 3))


# -- the windows of cameras ------------------------------------------------------------


@pytest.mark.parametrize(("camera", "wanted"), [(0, None), (1, 2.0), (2, 2.0)])
def test_a_window_has_the_shape_of_the_sensor_or_the_resolution(eyes, camera, wanted):
    assert aspect(eyes[0], camera) == (wanted and pytest.approx(wanted))


class Desk:
    """A view in which camera windows are open."""

    def __init__(self, ui, model):
        self.ui = ui
        self.input = UiInput(ui)
        self.cameras = Cameras()
        self.viewer: Any = SimpleNamespace(
            model=model, camera=mujoco.MjvCamera(), pictures=Pictures()
        )
        self.scope: Any = SimpleNamespace(
            viewer=self.viewer, model=model, em=15.0, lenses=Lenses(self.viewer)
        )

    def frame(self, body=lambda: None):
        pictures = self.viewer.pictures
        with (
            self.ui.frame(900, 560, 1.0, 1 / 60),
            pictures.asked(self.viewer.model, 1.0),
        ):
            self.cameras.draw_windows(self.scope)
            body()

    def click(self, x, y, body=lambda: None):
        at = {"b": 0, "x": x, "y": y, "m": 0}
        self.input.apply([{"t": "move", "x": x, "y": y}])
        self.frame(body)
        self.input.apply([{"t": "down", **at}, {"t": "up", **at}])
        for _ in range(3):
            self.frame(body)

    def change(self, model):
        self.viewer.model = self.scope.model = model
        self.cameras.on_model(self.scope)

    def shown(self):
        model = self.viewer.model
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        return list(read(self.viewer.pictures.rows(model, data)).values())


@pytest.fixture
def desk(eyes):
    ui = UiContext()
    yield Desk(ui, eyes[0])
    ui.close()


def test_an_open_window_shows_its_cameras_picture_in_its_shape(desk):
    desk.cameras.open("wide")
    desk.frame()
    desk.frame()
    (shown,) = desk.shown()
    assert shown[0] == pytest.approx(2 * shown[1], abs=2)
    assert shown[0] > 200
    desk.cameras.close("wide")
    desk.frame()
    assert desk.shown() == []


def test_the_menu_opens_and_closes_a_window(desk):
    places = []

    def menu():
        imgui.set_next_window_pos((600, 300))
        imgui.set_next_window_size((250, 200))
        imgui.begin("menu")
        start = imgui.get_cursor_screen_pos()
        desk.cameras.menu(desk.scope)
        step = (imgui.get_cursor_screen_pos().y - start.y) / desk.viewer.model.ncam
        places.append((start.x + 30, start.y + 1.5 * step))
        imgui.end()

    desk.frame(menu)
    desk.click(*places[-1], menu)
    assert desk.cameras.keeps() == {"open": ["wide"]}
    desk.click(*places[-1], menu)
    assert desk.cameras.keeps() == {"open": []}


def window_of(desk):
    """Returns the camera window's place and size."""
    with desk.ui.current() as context:
        (window,) = [w for w in context.windows if w.active and "###camera" in w.name]
        return window.pos.x, window.pos.y, window.size.x, window.title_bar_height


def test_the_button_on_a_picture_makes_the_view_look_through_its_camera(desk):
    desk.cameras.open("wide")
    desk.frame()
    desk.frame()
    x, y, _, title = window_of(desk)
    desk.click(x + 14, y + title + 11)
    camera = desk.viewer.camera
    assert camera.type == mujoco.mjtCamera.mjCAMERA_FIXED
    assert camera.fixedcamid == 1


def test_the_cross_closes_the_window(desk):
    desk.cameras.open("wide")
    desk.frame()
    desk.frame()
    x, y, width, title = window_of(desk)
    desk.click(x + width - title / 2 - 2, y + title / 2)
    assert desk.cameras.keeps() == {"open": []}


def test_cameras_are_found_again_by_their_names(desk):
    desk.cameras.open("wide")
    desk.cameras.open("camera 2")
    desk.frame()
    assert len(desk.shown()) == 2
    one = "<mujoco><worldbody><camera/><camera name='wide'/></worldbody></mujoco>"
    desk.change(load(one)[0])
    desk.frame()
    assert len(desk.shown()) == 1
    desk.change(load()[0])
    desk.frame()
    assert len(desk.shown()) == 2


def test_what_is_open_is_remembered_and_nonsense_is_not_taken(desk):
    desk.cameras.open("high")
    other = Cameras()
    other.restore(desk.cameras.keeps())
    assert other.keeps() == {"open": ["high"]}
    for nonsense in ({}, {"open": 3}, {"open": [1, None]}):
        other = Cameras()
        other.restore(nonsense)
        assert other.keeps() == {"open": []}
