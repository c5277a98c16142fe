"""What `pick` finds is what MuJoCo draws at that place."""

import math
from concurrent import futures
from types import SimpleNamespace
from typing import Any, cast

import mujoco
import numpy as np
import pytest

from studio_nb.scene.pick import pick

WIDTH, HEIGHT = 900.0, 600.0
DISTANCE = 4.0
KINDS = mujoco.mjtCamera

MODEL = """
<mujoco>
  <statistic center="0 0 0" extent="2"/>
  <worldbody>
    <camera name="fixed" pos="0 -4 0" xyaxes="1 0 0 0 0 1" fovy="45"/>
    <geom name="left" size=".1" pos="-1 0 0"/>
    <body name="right" pos="1 0 0"><geom name="ball" size=".1" group="2"/></body>
    <geom name="above" size=".1" pos="0 0 1"/>
    <flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2"
              mass="1" pos="1 0 -1" euler="90 0 0"/>
  </worldbody>
</mujoco>
"""
PLACES = {"left": (-1.0, 0.0), "ball": (1.0, 0.0), "above": (0.0, 1.0)}


@pytest.fixture
def viewer() -> Any:
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation, camera.distance = 90, 0, DISTANCE
    options = mujoco.MjvOption()
    return cast(
        "Any",
        SimpleNamespace(model=model, data=data, camera=camera, vis_options=options),
    )


def place(viewer: Any, x: float, z: float) -> tuple[float, float]:
    """Where a point of the plane y = 0 is in the view, from the front."""
    if viewer.camera.orthographic:
        half = viewer.model.vis.global_.fovy / 2
    else:
        half = DISTANCE * math.tan(math.radians(45) / 2)
    scale = HEIGHT / 2 / half
    return WIDTH / 2 + x * scale, HEIGHT / 2 - z * scale


@pytest.fixture(params=["free", "orthographic", "fixed", "tracking"])
def any_camera(request, viewer):
    camera = viewer.camera
    if request.param == "orthographic":
        camera.orthographic, viewer.model.vis.global_.fovy = 1, 3
    elif request.param == "fixed":
        camera.type, camera.fixedcamid = KINDS.mjCAMERA_FIXED, 0
    elif request.param == "tracking":
        # The view is about the body that is tracked, one metre to the right.
        camera.type, camera.trackbodyid = KINDS.mjCAMERA_TRACKING, 1
        viewer.data.xpos[1] = viewer.data.subtree_com[1] = 0, 0, 0
    return viewer


@pytest.mark.parametrize("name", PLACES)
def test_each_geom_is_found_where_it_is_seen(any_camera, name):
    viewer = any_camera
    found = pick(viewer, *place(viewer, *PLACES[name]), WIDTH, HEIGHT)
    assert found is not None
    geom = viewer.model.geom(name)
    assert (found.geom, found.body) == (geom.id, geom.bodyid[0])
    assert (found.flex, found.skin) == (-1, -1)
    away = np.linalg.norm(found.point - viewer.data.geom_xpos[geom.id])
    assert away == pytest.approx(0.1, abs=1e-6)


def test_where_nothing_is_nothing_is_found(any_camera):
    at = place(any_camera, 0.5, 0.5)
    assert pick(any_camera, *at, WIDTH, HEIGHT) is None


def test_a_flex_is_found(viewer):
    found = pick(viewer, *place(viewer, 1.05, -1.05), WIDTH, HEIGHT)
    assert found is not None
    assert (found.geom, found.flex) == (-1, 0)


def test_what_is_hidden_is_not_found(viewer):
    viewer.vis_options.geomgroup[2] = 0
    assert pick(viewer, *place(viewer, *PLACES["ball"]), WIDTH, HEIGHT) is None


def test_places_outside_of_the_view_show_nothing(viewer):
    for x, y in ((-1, 10), (10, -1), (WIDTH + 1, 10), (10, HEIGHT + 1)):
        assert pick(viewer, x, y, WIDTH, HEIGHT) is None


def test_a_view_without_a_size_is_an_error_that_says_so(viewer):
    with pytest.raises(ValueError, match="0 x 0"):
        pick(viewer, 0, 0, 0, 0)


def test_a_camera_that_is_gone_does_not_end_the_process(viewer):
    viewer.camera.type, viewer.camera.fixedcamid = KINDS.mjCAMERA_FIXED, 7
    pick(viewer, 10, 10, WIDTH, HEIGHT)
    assert viewer.camera.type == KINDS.mjCAMERA_FREE


def test_the_viewer_picks_in_its_page_s_size(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)

    def middle(viewer):
        viewer.camera.type = KINDS.mjCAMERA_FREE
        viewer.camera.lookat[:] = 0, 0, -1
        viewer.camera.distance = 0.5
        return viewer.pick(450, 280)

    asked: futures.Future[Any] = futures.Future()
    session.viewer.soon(middle, asked)
    page.until(asked.done)
    found = asked.result()
    assert found.geom == 0
    assert found.point == pytest.approx([0, 0, -1], abs=1e-6)
