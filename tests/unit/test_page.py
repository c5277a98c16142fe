"""A session with a page: what is sent, when, and what comes back."""

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages

from studio_nb.flow import MAX_IN_FLIGHT
from studio_nb.link import Link
from studio_nb.session import Session
from studio_nb.spec import sources
from tests.fakepage import FakePage


def test_nothing_is_sent_before_the_page_is_ready(viewed):
    _, page = viewed
    page.during(0.3)
    assert page.heads == []


def test_a_ready_page_gets_the_model_and_frames_that_move(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 10)
    assert page.model["scene"]["name"] == "pendulum"
    assert page.frames[0]["base"] is None
    assert all(f["base"] == f["seq"] - 1 for f in page.frames[1:])
    first = page.state.geoms[1]["pos"].copy()
    page.until(lambda: np.abs(page.state.geoms[1]["pos"] - first).max() > 0.01)
    assert not session.errors


def test_a_paused_page_gets_no_frames_until_something_changes(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 3)
    session.call(lambda _m, _d: session.stepper.set_paused(True))
    page.until(lambda: page.state.head["flags"] == 1)
    page.during(0.8)
    n = len(page.frames)
    page.during(0.5)
    assert len(page.frames) == n
    session.send(messages.SingleStepEvent())
    page.until(lambda: len(page.frames) > n)


def test_a_hidden_page_gets_no_frames(viewed):
    _, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 3)
    page.send("view", visible=False)
    page.during(0.3)
    n = len(page.frames)
    page.during(0.5)
    assert len(page.frames) == n
    page.send("view", visible=True)
    page.until(lambda: len(page.frames) > n)


def test_a_page_that_lost_a_frame_gets_a_full_one(viewed):
    _, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 3)
    page.seq = -5
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n)
    assert page.frames[n]["base"] is None


def test_a_page_that_does_not_draw_gets_few_frames(viewed):
    _, page = viewed
    page.acking = False
    page.ready()
    page.during(1.0)
    assert 1 <= len(page.frames) <= MAX_IN_FLIGHT


def test_another_page_takes_over_with_the_model_and_a_full_frame(viewed):
    _, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 3)
    page.client, page.model, n = "page-2", None, len(page.frames)
    page.ready()
    page.until(lambda: page.model and len(page.frames) > n)
    assert page.frames[n]["base"] is None


def test_the_kernels_camera_follows_the_pages(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.state.camera)
    camera = {
        "generation": page.state.camera[0], "lookat": [1.0, 0.0, 0.0],
        "distance": 3.0, "azimuth": 45.0, "elevation": -10.0,
    }  # fmt: skip
    page.send("input", camera=camera)
    page.until(lambda: session.viewer.camera.azimuth == 45)
    assert session.viewer.camera.lookat.tolist() == [1, 0, 0]


GEOM = int(mujoco.mjtObj.mjOBJ_GEOM)


def pick(objid: int, point: list[float]) -> dict:
    return {
        "t": "pick", "objtype": GEOM, "objid": objid, "geom": objid,
        "point": point, "m": 0, "b": 0, "n": 2,
    }  # fmt: skip


def test_a_drag_pushes_the_picked_body_and_letting_go_ends_it(viewed):
    session, page = viewed
    session.call(lambda m, _: m.opt.gravity.__setitem__(slice(None), 0))
    page.ready()
    page.until(lambda: len(page.frames) > 3)
    page.send("input", events=[pick(2, [0, 1, 0])])
    page.until(lambda: page.state.head["selected"] == 2)
    start = {"t": "perturb", "a": "start", "mode": "translate_v"}
    move = {"t": "perturb", "a": "move", "dx": 0.2, "dy": 0.0}
    page.send("input", events=[start, move])

    def pushed():
        return session.call(lambda _, d: np.abs(d.xfrc_applied[2]).max())

    page.until(lambda: pushed() > 0)
    page.until(lambda: session.call(lambda _, d: np.abs(d.qvel[1:4]).max() > 0.01))
    page.send("input", events=[{"t": "perturb", "a": "end"}])
    page.until(lambda: pushed() == 0)


def test_a_drag_while_paused_moves_the_body_itself(viewed):
    session, page = viewed
    session.call(lambda _m, _d: session.stepper.set_paused(True))
    page.ready()
    page.until(lambda: len(page.frames) > 0)

    def place():
        return session.call(lambda _, d: d.joint("root").qpos[:3].copy())

    before = place()
    events = [
        pick(2, [0, 1, 0]),
        {"t": "perturb", "a": "start", "mode": "translate_v"},
        {"t": "perturb", "a": "move", "dx": 0.2, "dy": 0.0},
    ]
    page.send("input", events=events)
    page.until(lambda: np.abs(place() - before).max() > 0.01)


def test_picking_the_floor_selects_nothing(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 0)
    page.send("input", events=[pick(2, [0, 1, 0])])
    page.until(lambda: session.viewer.perturb.select == 2)
    page.send("input", events=[pick(0, [0, 0, -1])])
    page.until(lambda: session.viewer.perturb.select == 0)


@pytest.mark.parametrize(
    "head",
    [
        {}, {"type": 7}, {"type": "input", "events": "x"},
        {"type": "input", "events": [None, 3, {"t": []}, {"t": "pick"}]},
        {"type": "input", "ack": "x", "camera": 3, "stats": [1]},
        {"type": "assets", "need": 3}, {"type": "asset_ack", "hash": [1]},
        {"type": "input", "events": [{"t": "perturb", "a": "move", "dx": "x"}]},
        {"type": "input", "events": [pick(10**9, [0, 0])]},
        {"type": "input", "events": [{**pick(1, [0, 0, 0]), "b": 1, "m": "x"}]},
        {"type": "assets", "gen": 1, "need": [["x"], None, "nope"]},
    ],
)  # fmt: skip
def test_nonsense_of_a_page_changes_nothing(viewed, head):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 0)
    page._link.deliver(head)
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n + 3)
    assert not session.closed


def test_an_edit_sends_the_new_model_and_keeps_the_camera(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.state.camera)
    session.viewer.camera.azimuth = 12.5
    spec = session.loader.source.spec.copy()
    spec.body("bob").add_geom(size=[0.2, 0, 0])
    source = session.loader.source
    session.call(lambda _m, _d: session.loader.apply(spec, source))
    page.until(lambda: page.model["gen"] == 2 and len(page.state.geoms) == 4)
    assert session.viewer.camera.azimuth == 12.5


def test_a_mesh_travels_in_chunks_and_only_once(shared_models):
    link = Link()
    page = FakePage(link)
    path = str(shared_models / "mug" / "mug.xml")
    session = Session(sources.load(path), link=link)
    page.ready()

    def total():
        return sum(map(len, page.assets.values()))

    page.until(lambda: session.viewer and not session.viewer._scene._wanted and total())
    page.during(0.3)
    assert total() == session.viewer.figures()["asset_bytes"]
    page.client = "page-2"
    page.ready()
    page.during(0.3)
    assert session.viewer.figures()["asset_bytes"] == total()
    session.close()
