"""A session with a page: what is sent, when, and what comes back."""

from concurrent import futures

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages

from studio_nb import page as page_module
from studio_nb.flow import MAX_IN_FLIGHT
from studio_nb.link import Link
from studio_nb.page import Page
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


def _drawn(view: str, **more) -> dict:
    return {
        "type": "view", "client": view.partition(".")[0], "view": view, "width": 900,
        "height": 560, "dpr": 1, "theme": "light", "visible": True, "mode": "cell",
        **more,
    }  # fmt: skip


def _ready(view: str, **more) -> dict:
    return {**_drawn(view, **more), "type": "ready"}


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when a test says so."""

    class Clock:
        now = 1000.0

        def pass_by(self, page: Page, seconds: float, *heard: str) -> None:
            """Lets time pass in turns of the loop, while some pages say something."""
            for _ in range(int(seconds * 2)):
                self.now += 0.5
                for client in heard:
                    page.receive({"type": "ping", "client": client})
                page.settle()

    clock = Clock()
    monkeypatch.setattr(page_module.time, "monotonic", lambda: clock.now)
    return clock


def test_a_view_that_is_alone_controls_and_is_not_told():
    page = Page()
    page.receive(_ready("a.1", width=500))
    assert (page.control, page.look.width) == ("a.1", 500)
    page.receive({"type": "view", "client": "a", "view": "a.1", "gone": True})
    page.receive(_drawn("a.2"))
    assert page.control == "a.2"
    assert page.announcement() is None


def test_a_second_view_watches_until_it_takes_control():
    page = Page()
    page.receive(_ready("a.1"))
    assert page.receive(_ready("b.1", width=500, theme="dark")) == ""
    assert page.announcement() == {"type": "control", "view": "a.1"}
    assert page.announcement() is None
    take = {**_drawn("b.1", width=500, theme="dark"), "type": "take"}
    assert page.receive(take) == "theme"
    assert page.announcement() == {"type": "control", "view": "b.1"}
    assert page.look.width == 500
    assert page.controls({"client": "b"})
    assert not page.controls({"client": "a"})


@pytest.mark.parametrize(
    "end",
    [
        {"type": "bye", "client": "a"},
        {"type": "view", "client": "a", "view": "a.1", "gone": True},
        _drawn("a.1", visible=False),
    ],
    ids=["page", "view", "sight"],
)
def test_a_controlling_view_that_goes_leaves_control_to_one_that_is_seen(end):
    page = Page()
    page.receive(_ready("a.1"))
    page.receive(_ready("b.1", visible=False))
    page.receive(_ready("c.1"))
    page.receive(_ready("d.1", visible=False))
    page.announcement()
    page.receive(end)
    assert page.announcement() == {"type": "control", "view": "c.1"}


def test_a_hidden_view_keeps_control_while_nobody_else_is_seen():
    page = Page()
    page.receive(_ready("a.1"))
    page.receive(_ready("b.1", visible=False))
    page.receive(_drawn("a.1", visible=False))
    assert page.control == "a.1"
    assert not page.showing


def test_a_page_that_falls_silent_loses_control_and_may_come_back(clock):
    page = Page()
    page.receive(_ready("a.1"))
    page.receive(_ready("b.1"))
    page.receive(_drawn("a.1"))
    clock.pass_by(page, 6, "b")
    assert page.control == "a.1"
    clock.pass_by(page, 4, "b")
    assert page.control == "b.1"
    page.receive({"type": "ping", "client": "a"})
    assert page.control == "b.1"
    page.receive({"type": "bye", "client": "b"})
    assert page.control == "a.1"


def test_a_dead_page_loses_control_soon_when_another_comes(clock):
    page = Page()
    page.receive(_ready("a.1"))
    clock.pass_by(page, 4)
    page.receive(_ready("b.1"))
    assert page.announcement() == {"type": "control", "view": "a.1"}
    clock.pass_by(page, 3, "b")
    assert page.announcement() == {"type": "control", "view": "b.1"}


def test_a_living_page_keeps_control_when_another_comes(clock):
    page = Page()
    page.receive(_ready("a.1"))
    page.receive(_ready("b.1"))
    clock.now += 0.1
    page.receive(_drawn("a.1"))
    clock.pass_by(page, 3, "b")
    assert page.control == "a.1"


def test_a_kernel_that_was_busy_takes_nobody_for_dead(clock):
    page = Page()
    page.receive(_ready("a.1"))
    page.receive(_ready("b.1"))
    page.receive(_drawn("a.1"))
    clock.now += 60
    page.settle()
    page.receive({"type": "ping", "client": "b"})
    page.settle()
    assert page.control == "a.1"


def test_a_page_that_wrongly_believes_to_control_is_told_once_a_second(clock):
    page = Page()
    page.receive(_ready("a.1"))
    page.receive(_ready("b.1"))
    page.announcement()
    said = {"type": "input", "client": "b", "events": []}
    assert not page.controls({"type": "input", "client": "b", "ack": 3})
    assert page.announcement() is None
    assert not page.controls(said)
    assert page.announcement() == {"type": "control", "view": "a.1"}
    assert not page.controls(said)
    assert page.announcement() is None
    clock.now += 2
    page.controls(said)
    assert page.announcement() is not None


def test_frames_go_on_while_any_view_is_seen_and_only_the_controlling_one_counts(
    viewed,
):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 3)
    page._link.deliver(_ready("b.1"))
    page.until(lambda: {"type": "control", "view": "page-1"} in page.heads)
    azimuth = session.viewer.camera.azimuth
    camera = {
        "generation": page.state.camera[0], "lookat": [0.0, 0.0, 0.0],
        "distance": 3.0, "azimuth": 45.0, "elevation": -10.0,
    }  # fmt: skip
    page._link.deliver({"type": "input", "client": "b", "camera": camera})
    page.send("view", visible=False)
    page.until(lambda: session.viewer.page.control == "b.1")
    assert session.viewer.camera.azimuth == azimuth
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n)


def test_who_takes_control_brings_a_free_camera(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.state.camera)
    viewer = session.viewer
    viewer.camera.type = mujoco.mjtCamera.mjCAMERA_TRACKING
    viewer.camera.trackbodyid = 1
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n + 1)
    camera = {
        "generation": page.state.camera[0], "lookat": [1.0, 0.0, 0.0], "free": True,
        "distance": 3.0, "azimuth": 45.0, "elevation": -10.0,
    }  # fmt: skip
    page.send("input", camera=camera)
    page.until(lambda: viewer.camera.azimuth == 45)
    assert viewer.camera.type == mujoco.mjtCamera.mjCAMERA_FREE
    assert viewer.camera.lookat.tolist() == [1, 0, 0]


def test_the_controlling_view_is_asked_to_fill_the_window(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 0)
    session.viewer.set_window_mode("window")
    asked = {"type": "window", "view": "page-1", "mode": "window"}
    page.until(lambda: asked in page.heads)
    page.send("view", mode="window")
    page.until(lambda: session.viewer.page.look.mode == "window")
    with pytest.raises(ValueError, match="'wall': give 'cell', 'window' or 'screen'"):
        session.viewer.set_window_mode("wall")


def test_a_chosen_theme_stays_when_the_notebooks_changes(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 0)
    viewer = session.viewer

    def theme() -> str:
        return viewer.ui.theme

    assert theme() == "light"
    page.send("view", theme="dark")
    page.until(lambda: theme() == "dark")
    run(session, lambda viewer: viewer.set_theme_choice("light"))
    page.send("view", theme="light")
    page.send("view", theme="dark")
    page.until(lambda: viewer.page.look.theme == "dark")
    assert theme() == "light"
    run(session, lambda viewer: viewer.set_theme_choice("auto"))
    assert theme() == "dark"
    with pytest.raises(ValueError, match="theme 'pink': give"):
        viewer.set_theme_choice("pink")


def run(session: Session, fn) -> None:
    """Runs a function on the viewer thread and waits for it."""
    future: futures.Future[None] = futures.Future()
    session.viewer.soon(fn, future)
    future.result(10)


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


@pytest.mark.parametrize(
    "event",
    [
        {"t": "command", "name": []}, {"t": "perturb", "a": "start", "mode": []},
        {"t": "pick", "b": 1, "m": "x", "objtype": GEOM, "objid": 1,
         "point": [0, 0, 0]},
        {"t": "pick", "point": [10**400, 0, 0], "objtype": GEOM, "objid": 1},
    ],
)  # fmt: skip
def test_a_malformed_event_takes_nothing_from_the_others(viewed, event):
    session, page = viewed
    page.ready()
    page.until(lambda: len(page.frames) > 0)
    page.send("input", events=[pick(1, [0, 0, 0])])
    page.until(lambda: session.viewer.perturb.select == 1)
    page.send("input", events=[event, {"t": "command", "name": "pause"}])
    page.until(lambda: session.stepper.paused)


def test_a_time_that_is_no_number_is_shown_as_none(viewed):
    session, page = viewed
    published = []
    page._link.connect(lambda *_: None, published.append)
    session.call(lambda _model, data: setattr(data, "time", np.nan))
    page.ready()
    page.until(lambda: any(values.get("time") == 0.0 for values in published))
    assert not any(np.isnan(values.get("time", 0.0)) for values in published)


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
