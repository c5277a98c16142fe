"""Faults that were found once: each as the kind that it was, with the right value."""

import collections
import contextlib
import importlib
import threading
import time
from concurrent import futures

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages, plugin

import studio_nb
from studio_nb import mjlog
from studio_nb.errors import SessionClosedError, StudioError
from studio_nb.link import Link
from studio_nb.session import Session
from studio_nb.spec import sources
from tests.fakepage import FakePage, until
from tests.unit.conftest import PENDULUM

GEOM = int(mujoco.mjtObj.mjOBJ_GEOM)


@pytest.fixture
def studio():
    with studio_nb.open(PENDULUM, view=False, paused=True) as opened:
        yield opened


def looked_at(xml: str) -> tuple[Session, FakePage]:
    link = Link()
    page = FakePage(link)
    session = Session(sources.load(xml), link=link)
    page.ready()
    page.until(lambda: page.frames)
    return session, page


def edit(session: Session, change) -> None:
    source = session.loader.source
    assert source.spec is not None
    spec = source.spec.copy()
    change(spec)
    session.call(lambda _m, _d: session.loader.apply(spec, source))


# -- models that change under a view -------------------------------------------


def pick(geom: int, **more) -> dict:
    return {
        "t": "pick", "objtype": GEOM, "objid": geom, "point": [0, 1, 0], "m": 0, "b": 0,
        **more,
    }  # fmt: skip


def test_deleting_the_tracked_body_frees_the_camera(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    page.send("input", events=[pick(2, b=1, m=1)])
    page.until(lambda: session.viewer.camera.trackbodyid == 2)
    edit(session, lambda spec: spec.delete(spec.body("free")))
    page.until(lambda: page.model["gen"] == 2 and len(page.state.geoms) == 2)
    assert session.viewer.camera.type == mujoco.mjtCamera.mjCAMERA_FREE


def test_the_selection_follows_its_body_by_name(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    page.send("input", events=[pick(2)])
    page.until(lambda: session.viewer.perturb.select == 2)
    edit(session, lambda spec: spec.delete(spec.body("bob")))
    page.until(lambda: page.model["gen"] == 2 and page.state.head["selected"] == 1)
    edit(session, lambda spec: spec.delete(spec.body("free")))
    page.until(lambda: page.model["gen"] == 3 and page.state.head["selected"] == 0)


@pytest.mark.parametrize(
    "xml",
    [
        "<mujoco/>",
        (
            "<mujoco><visual><headlight active='0'/></visual><worldbody>"
            "<geom size='.1'/></worldbody></mujoco>"
        ),
    ],
)
def test_a_scene_without_geoms_or_lights_is_drawn(xml):
    session, page = looked_at(xml)
    assert page.state.head["ngeom"] <= 1
    assert not session.errors
    session.close()


def test_a_camera_out_of_all_bounds_is_put_back(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    for nonsense in (1e39, float("nan")):
        session.viewer.camera.distance = nonsense
        n = len(page.frames)
        page.until(lambda n=n: len(page.frames) > n + 3)
        assert session.viewer.camera.distance < 100
    assert not session.closed


def test_a_model_sent_as_an_event_reaches_the_view(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    model = mujoco.MjModel.from_xml_string("<mujoco model='other'/>")
    session.send(messages.ModelEvent(model=model))
    page.until(lambda: page.model["scene"]["name"] == "other")


def test_two_edits_at_once_do_not_lose_one_silently(studio):
    outer = studio.edit()
    outer.__enter__()
    with studio.edit() as inner:
        inner.worldbody.add_body(name="inner")
    with pytest.raises(StudioError, match="replaced while it was edited"):
        outer.__exit__(None, None, None)
    assert studio.call(lambda m, _: m.body("inner").name) == "inner"


def test_a_model_that_a_plugin_published_is_the_one_that_is_edited(studio):
    other = mujoco.MjSpec.from_string("<mujoco model='b'><worldbody/></mujoco>")
    studio.call(lambda _m, _d: studio._session.handle.set_model(other))
    with studio.edit() as spec:
        spec.worldbody.add_body(name="added")
    assert studio.call(lambda m, _: (m.nbody, m.nq)) == (2, 0)


def test_history_of_another_model_is_not_continued(studio):
    studio.step(5)
    other = mujoco.MjSpec.from_string(PENDULUM)
    studio.call(lambda _m, _d: studio._session.handle.set_model(other))
    studio.step(2)
    assert len(studio.history) == 2


# -- what is shown is what is --------------------------------------------------


def test_a_paused_view_shows_what_was_written(viewed):
    session, page = viewed
    session.call(lambda _m, _d: session.stepper.set_paused(True))
    page.ready()
    page.until(lambda: page.frames)
    session.call(lambda _m, d: d.joint("root").qpos.__setitem__(2, 5.0))
    page.until(lambda: abs(page.state.geoms[2]["pos"][2] - 5) < 1e-3)


def test_a_push_ends_with_the_drag_however_it_ends(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    start = {"t": "perturb", "a": "start", "mode": "translate_v"}
    move = {"t": "perturb", "a": "move", "dx": 0.2, "dy": 0.0}

    def pushed() -> float:
        return session.call(lambda _, d: float(np.abs(d.xfrc_applied).max()))

    def drag() -> None:
        page.send("input", events=[pick(2), start, move])
        page.until(lambda: pushed() > 0)

    drag()
    # As Escape does in the app.
    session.viewer.soon(
        lambda viewer: setattr(viewer.perturb, "active", 0), futures.Future()
    )
    page.until(lambda: pushed() == 0)
    drag()
    page.send("view", visible=False)
    page.until(lambda: pushed() == 0)


# -- stepping ------------------------------------------------------------------


class Controller(plugin.SimPlugin):
    """Counts how often it could control."""

    calls = 0

    @messages.handler
    def on_pre_step(self, _: messages.PreStepEvent) -> None:
        self.calls += 1


def test_a_controller_is_called_before_each_step_that_is_asked_for(studio):
    controller = Controller()
    studio.add(controller)
    controller.calls = 0
    studio.step(50)
    assert controller.calls >= 50


def test_the_same_plugin_is_not_added_twice(studio):
    controller = Controller()
    studio.add(controller)
    with pytest.raises(StudioError, match="there already"):
        studio.add(controller)


class Unwieldy(plugin.SimPlugin):
    """Ends the process, if it may."""

    @messages.handler
    def on_pre_step(self, _: messages.PreStepEvent) -> None:
        raise SystemExit(3)


def test_a_plugin_cannot_end_the_session(studio):
    studio.add(Unwieldy())
    studio.step(3)
    assert any("SystemExit" in text for text in studio.errors)


def test_running_from_a_call_is_refused(studio):
    with pytest.raises(StudioError, match="cannot wait"):
        studio.call(lambda _m, _d: studio.run(1))


def test_an_unstable_model_ends_its_run():
    xml = PENDULUM.replace('timestep="0.002"', 'timestep="0.5"').replace(
        "<actuator>", '<actuator><velocity joint="hinge" kv="1e9" name="v"/>'
    )
    with studio_nb.open(xml, view=False, paused=True) as studio:
        studio.call(lambda _m, d: d.ctrl.__setitem__(slice(None), 1e6))
        with pytest.raises(StudioError, match="unstable"):
            studio.run(1e6)


def test_a_call_that_timed_out_before_it_began_does_not_happen_later(studio):
    begun, ran = threading.Event(), []
    blocker = threading.Thread(
        target=studio.call, args=(lambda _m, _d: (begun.set(), time.sleep(0.5)),)
    )
    blocker.start()
    begun.wait()
    with pytest.raises(TimeoutError):
        studio.call(lambda _m, _d: ran.append(1), timeout=0.05)
    blocker.join()
    assert studio.call(lambda m, _: m.nq) == 8
    assert ran == []


def test_noise_that_is_turned_off_is_gone(studio):
    stepper = studio._session.stepper
    studio.call(lambda _, d: d.ctrl.__setitem__(0, 3.0))
    for scale in (0.5, 0.0):
        studio.send(
            messages.StepControlSnapshot(
                pause_state=messages.sim.PauseState.NORMAL_PAUSED,
                noise_scale=scale,
                noise_rate=0.01,
            )
        )
        until(lambda scale=scale: stepper.snapshot().noise_scale == scale)
        studio.step(10)
    assert studio.call(lambda _, d: d.ctrl[0]) == pytest.approx(3)


# -- the end -------------------------------------------------------------------


def test_closing_from_a_call_tells_the_page_and_ends_all(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    start = time.monotonic()
    with contextlib.suppress(SessionClosedError):
        session.call(lambda _m, _d: session.close())
    page.until(lambda: page.heads[-1]["type"] == "closed")
    page.until(lambda: session.handle is None)
    assert time.monotonic() - start < 4


def test_an_exit_sent_as_an_event_frees_everything(viewed):
    session, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    session.send(messages.ExitEvent())
    page.until(lambda: session.handle is None and session.viewer is None)
    assert page.heads[-1]["type"] == "closed"
    session.close()


def test_one_of_two_pages_that_leaves_does_not_stop_the_other(viewed):
    _, page = viewed
    page.ready()
    page.until(lambda: page.frames)
    first = page.client
    page.client = "page-2"
    page.ready()
    page.send("bye")
    page.client = first
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n + 3)


# -- the process ---------------------------------------------------------------


def test_the_warning_handler_survives_being_loaded_again():

    mjlog.install()
    importlib.reload(mjlog)
    mjlog.install()
    mjlog._on_warning("twice loaded, once told")


def test_data_of_another_model_with_equal_nq_is_refused():
    body = "<body><freejoint/><geom size='.1'/></body>"
    one = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    )
    geoms = 50 * "<geom size='.1'/>"
    many = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{body}{geoms}</worldbody></mujoco>"
    )
    with pytest.raises(StudioError, match="does not belong"):
        sources.load((many, mujoco.MjData(one)))


@pytest.mark.parametrize(
    "options",
    [{"history_mb": -5}, {"history_mb": float("nan")}, {"name": 7}, {"speed": 10**400}],
)
def test_odd_options_are_named(options):
    with pytest.raises(StudioError, match=next(iter(options))):
        studio_nb.open(PENDULUM, view=False, **options)


@pytest.mark.parametrize("path", ["x" * 300 + ".xml", "~nobody-here/x.xml", "a\0b.xml"])
def test_odd_paths_are_named(path):
    with pytest.raises(StudioError):
        sources.load(path)


def test_panels_drawn_with_studios_own_imgui_are_shown():
    imgui = pytest.importorskip("mujoco.studio.dear_imgui.dear_imgui")

    class Foreign(plugin.ViewerPlugin):
        calls = 0

        @messages.handler
        def on_gui(self, _: messages.BuildGuiEvent) -> None:
            if imgui.Begin("mine")[0]:
                imgui.Text("hello")
                self.calls += 1
            imgui.End()

    link, foreign = Link(), Foreign()
    page = FakePage(link)
    session = Session(sources.load(PENDULUM), link=link, plugins=[foreign])
    page.ready()
    page.until(lambda: foreign.calls > 3)
    assert session.errors == collections.deque()
    session.close()


def test_studios_own_app_gives_way_to_ours_once():
    from mujoco.studio import app

    link = Link()
    page = FakePage(link)
    session = Session(sources.load(PENDULUM), link=link, plugins=[app.App()])
    page.ready()
    page.until(lambda: session.viewer is not None)
    apps = [p for p in session.viewer.plugins.plugins if type(p).__name__ == "App"]
    assert [type(p).__module__ for p in apps] == ["studio_nb.app.app"]
    session.close()
