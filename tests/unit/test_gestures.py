"""What a person does on the scene itself: from the page's events to the viewer."""

import mujoco
import numpy as np
import pytest

from studio_nb.link import Link
from studio_nb.session import Session
from studio_nb.spec import sources
from tests.fakepage import FakePage

# Seen from the camera that looks along +y, a cloth and a skin stand before a wall.
MODEL = """
<mujoco>
  <option gravity="0 0 0"/>
  <visual><global cameraid="0"/></visual>
  <worldbody>
    <camera name="front" pos="0 -4 0" xyaxes="1 0 0 0 0 1"/>
    <geom name="wall" type="box" size="4 .1 4" pos="0 2 0"/>
    <body name="bob" pos="0 0 -1"><joint/><geom name="knob" size=".2"/></body>
    <flexcomp name="cloth" type="grid" count="3 3 1" spacing=".5 .5 .5" dim="2"
      pos="-1 0 .5" euler="90 0 0"/>
  </worldbody>
  <deformable>
    <skin name="hide" vertex=".5 0 0  1.5 0 0  1 0 1" face="0 1 2">
      <bone body="bob" bindpos="0 0 -1" bindquat="1 0 0 0" vertid="0 1 2"
        vertweight="1 1 1"/>
    </skin>
  </deformable>
</mujoco>
"""
# The fake page's.
WIDTH, HEIGHT = 900.0, 560.0
GEOM = int(mujoco.mjtObj.mjOBJ_GEOM)
LEFT, RIGHT, CTRL = 0, 1, 1
NOTHING = {"objtype": 0, "objid": -1, "geom": -1, "point": [0, 0, 0]}
WALL = {"objtype": GEOM, "objid": 0, "geom": 0, "point": [0, 1.9, 0]}
KNOB = {"objtype": GEOM, "objid": 1, "geom": 1, "point": [0, -0.2, -1]}


@pytest.fixture
def view():
    """Returns a viewer and a page, paused and looking through the front camera."""
    link = Link()
    session = Session(sources.load(MODEL), link=link, paused=True)
    page = FakePage(link)
    page.ready()
    page.until(lambda: page.frames)
    yield session.viewer, page
    session.close()


def double_click(view, seen, at, button=LEFT, held=0):
    """Double-clicks where the page sees something; ends when it has taken effect."""
    viewer, page = view
    x, y = place(viewer, at)
    event = {"t": "pick", "x": x, "y": y, "m": held, "b": button, "n": 2, **seen}
    frames = len(page.frames)
    page.send("input", events=[event])
    page.until(lambda: len(page.frames) > frames)


def place(viewer, point):
    """Returns where the front camera sees a point, CSS pixels."""
    half = np.tan(np.radians(viewer.model.cam_fovy[0]) / 2) * (point[1] + 4)
    scale = HEIGHT / 2 / half
    return WIDTH / 2 + scale * point[0], HEIGHT / 2 - scale * point[2]


ON_CLOTH, ON_HIDE = (-1.1, 0.0, 0.6), (1.0, 0.0, 0.3)
ON_KNOB, ON_WALL = (0.0, -0.2, -1.0), (0.0, 1.9, 2.0)


def test_the_view_begins_with_the_models_home_camera(view):
    viewer, page = view
    assert viewer.camera.type == mujoco.mjtCamera.mjCAMERA_FIXED
    assert viewer.camera.fixedcamid == viewer.model.camera("front").id
    kind, fixed, *_ = page.until(lambda: page.state.camera)[1:]
    assert (kind, fixed) == (mujoco.mjtCamera.mjCAMERA_FIXED, 0)


def test_a_flex_is_selected_where_the_page_sees_what_is_behind(view):
    viewer = view[0]
    double_click(view, WALL, ON_CLOTH)
    assert viewer.perturb.flexselect == 0
    assert viewer.perturb.skinselect == -1
    assert viewer.perturb.select in viewer.model.flex_vertbodyid
    held = viewer.data.xpos[viewer.perturb.select] + viewer.perturb.localpos
    assert np.linalg.norm(held - ON_CLOTH) < 0.5


def test_a_skin_is_selected_where_the_page_sees_nothing(view):
    viewer = view[0]
    double_click(view, NOTHING, ON_HIDE)
    assert viewer.perturb.skinselect == 0
    assert viewer.perturb.flexselect == -1
    assert viewer.perturb.select == viewer.model.body("bob").id


def test_a_body_is_selected_beside_them_and_lets_the_flex_go(view):
    viewer = view[0]
    double_click(view, WALL, ON_CLOTH)
    double_click(view, KNOB, ON_KNOB)
    assert viewer.perturb.flexselect == -1
    assert viewer.perturb.select == viewer.model.body("bob").id
    assert viewer.perturb.localpos == pytest.approx([0, -0.2, 0])


def test_the_world_and_nothing_select_nothing(view):
    viewer = view[0]
    for seen in (WALL, NOTHING):
        double_click(view, KNOB, ON_KNOB)
        assert viewer.perturb.select > 0
        double_click(view, seen, ON_WALL)
        assert viewer.perturb.select == 0


def test_the_right_button_looks_at_a_flex_and_beside_all_stays(view):
    viewer = view[0]
    double_click(view, WALL, ON_CLOTH, RIGHT)
    assert viewer.camera.lookat == pytest.approx(ON_CLOTH, abs=0.3)
    before = viewer.camera.lookat.copy()
    double_click(view, NOTHING, (3.9, 2.0, 3.9), RIGHT)
    assert (viewer.camera.lookat == before).all()


def test_the_right_button_with_ctrl_tracks_the_body_of_a_skin(view):
    viewer = view[0]
    double_click(view, NOTHING, ON_HIDE, RIGHT, CTRL)
    assert viewer.camera.type == mujoco.mjtCamera.mjCAMERA_TRACKING
    assert viewer.camera.trackbodyid == viewer.model.body("bob").id


@pytest.mark.parametrize(
    ("mode", "axis"),
    [("rotate_v", [0, 0, 1]), ("rotate_h", [0, 1, 0])],
)
def test_a_drag_to_the_side_turns_about_the_axis_of_its_mode(view, mode, axis):
    viewer, page = view
    double_click(view, KNOB, ON_KNOB)
    frames = len(page.frames)
    start = {"t": "perturb", "a": "start", "mode": mode}
    move = {"t": "perturb", "a": "move", "dx": 0.05, "dy": 0.0}
    page.send("input", events=[start, move])
    page.until(lambda: len(page.frames) > frames)
    turned = np.zeros(3)
    mujoco.mju_quat2Vel(turned, viewer.perturb.refquat, 1.0)
    assert np.abs(turned / np.linalg.norm(turned)) == pytest.approx(axis, abs=1e-6)


def test_a_selected_flex_that_an_edit_deletes_is_let_go(view):
    viewer, page = view
    double_click(view, WALL, ON_CLOTH)
    viewer.perturb.flexselect = 5
    viewer.touch()
    page.until(lambda: viewer.perturb.flexselect == -1)
