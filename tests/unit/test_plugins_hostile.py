"""Plugins that do what none should: nothing of it takes the session down."""

import json
import logging
import threading

import numpy as np
import pytest
from imgui_bundle import imgui
from mujoco.studio import messages, plugin

import studio_nb
from studio_nb import session as session_module
from studio_nb import shapes
from studio_nb.app.app import App
from studio_nb.errors import StudioError
from studio_nb.plugins import forms, gui, origin
from tests.fakepage import until
from tests.unit.conftest import PENDULUM
from tests.unit.plugged import Cells, viewed_studio


@pytest.fixture
def studio():
    """A running session without a view."""
    with studio_nb.open(PENDULUM, view=False) as opened:
        yield opened


@pytest.fixture
def looked_at():
    """A session with a view, and its page."""
    opened, page = viewed_studio()
    yield opened, page
    opened.close()


def goes_on(studio):
    """Tells whether steps are still taken and cells still answered."""
    before = studio.stats()["steps"]
    until(lambda: studio.stats()["steps"] > before)
    return studio.call(lambda _model, data: bool(np.isfinite(data.time)), timeout=5)


# -- what handlers return and raise --------------------------------------------


def test_an_error_whose_text_raises_is_told_all_the_same(studio):
    class WorseError(Exception):
        def __str__(self):
            msg = "no text"
            raise RuntimeError(msg)

    @studio.on(messages.PreStepEvent)
    def worse(_event):
        raise WorseError

    until(lambda: studio.plugins["worse"].state == "off")
    assert goes_on(studio)
    assert "WorseError" in studio.errors[0]


def test_an_endless_error_is_one_line(studio):
    @studio.on(messages.ResetEvent)
    def endless(_event):
        raise ValueError("x" * 1_000_000)

    studio.reset()
    assert len(studio.errors[-1]) < 1000
    assert len(studio._session.console.records()[-1].text) < 100_000


@pytest.mark.parametrize("result", [np.ones(3), np.ones(1), np.zeros(0)])
def test_an_array_that_a_handler_returns_ends_no_dispatch(studio, result):
    studio.on(messages.PreStepEvent)(lambda _event: result)
    calls = []
    studio.on(messages.PreStepEvent, priority=1)(lambda _event: calls.append(1))
    until(lambda: calls)
    assert goes_on(studio)
    assert studio.errors == []


def test_async_functions_are_refused(studio):
    async def later(_event):
        """Does nothing, later."""

    with pytest.raises(TypeError, match="without async"):
        studio.on(messages.StepEvent)(later)


def test_a_handler_that_would_never_run_is_named_and_takes_no_step(studio):
    class Later(plugin.SimPlugin):
        @messages.handler
        async def on_step(self, _: messages.StepEvent) -> None:
            """Does nothing, later."""

    class Yielding(plugin.SimPlugin):
        @messages.handler
        def on_step(self, _: messages.StepEvent):
            yield 1

    studio.add(Later(), Yielding())
    until(lambda: all(state.state == "off" for state in studio.plugins))
    assert goes_on(studio)
    assert all("without async and yield" in text for text in studio.errors)


def test_an_error_that_comes_and_goes_with_another_text_is_told_once(studio):
    calls = []

    @studio.on(messages.PreStepEvent)
    def flaps(_event):
        calls.append(1)
        if len(calls) % 2:
            msg = f"at {len(calls)}"
            raise ValueError(msg)

    until(lambda: len(calls) > 20)
    assert len(studio.errors) == 1


# -- what must reach the session -----------------------------------------------


def test_a_plugin_that_takes_everything_shuts_nobody_out():
    class Greedy(plugin.SimPlugin):
        @messages.handler(priority=messages.Priority.CRITICAL + 9)
        def on_any(self, _: messages.Message) -> bool:
            return True

    opened, page = viewed_studio()
    greedy = Greedy()
    opened.add(greedy)
    assert opened.call(lambda _model, _data: 7, timeout=5) == 7
    opened.remove(greedy)
    assert goes_on(opened)
    frames = len(page.frames)
    page.until(lambda: len(page.frames) > frames)
    opened.add(greedy)
    opened.close()
    assert not opened._session._sim_thread.is_alive()


@pytest.mark.parametrize(
    "event", [messages.PostModelEvent, messages.PostStepEvent, messages.ExitEvent]
)
def test_news_that_one_takes_reach_the_session_but_no_other_plugin(event):
    opened, page = viewed_studio()
    heard = []
    opened.on(event, priority=1, side="sim")(lambda _event: heard.append(1))
    opened.on(event, side="sim")(lambda _event: True)
    opened.call(lambda _model, _data: heard.clear())
    with opened.edit() as spec:
        spec.worldbody.add_geom(size=[0.1, 0.1, 0.1])
    frames = len(page.frames)
    page.until(lambda: len(page.frames) > frames)
    assert len(opened.history.qpos[0]) == 8
    opened.close()
    assert not opened._session._sim_thread.is_alive()
    assert heard == []
    assert opened.errors == []


def test_one_that_another_removes_is_not_called_after_its_exit(studio):
    class Victim(plugin.SimPlugin):
        def __init__(self):
            self.calls = []

        @messages.handler
        def on_exit(self, _: messages.ExitEvent) -> None:
            self.calls.append("exit")

        @messages.handler
        def on_reset(self, _: messages.ResetEvent) -> None:
            self.calls.append("reset")

    victim = Victim()
    studio.add(victim)
    studio.on(messages.ResetEvent, priority=500)(lambda _event: studio.remove(victim))
    studio.reset()
    assert victim.calls == ["exit"]


def test_one_may_bring_another_as_it_goes(studio):
    class Successor(plugin.SimPlugin):
        """Comes when the other goes."""

    class Going(plugin.SimPlugin):
        @messages.handler
        def on_exit(self, _: messages.ExitEvent) -> None:
            studio.add(Successor())

    going = Going()
    studio.add(going)
    studio.remove(going)
    assert [type(s.plugin) for s in studio.plugins] == [Successor]


# -- attributes, names and titles ----------------------------------------------


def test_attributes_of_a_persons_class_mean_nothing_to_the_view(looked_at):
    class Busy(plugin.ViewerPlugin):
        key_help = "press x"
        overlay_geoms = 3
        title = 7
        fn = None
        identity = frozenset({("model source",)})

        @property
        def plugin_name(self):
            raise RuntimeError

        def open(self):
            """Opens nothing."""

    studio, page = looked_at
    studio.add(Busy())
    frames = len(page.frames)
    page.until(lambda: len(page.frames) > frames + 5)
    page.until(lambda: studio._session.viewer._last_traits > 0)
    plugins = studio._session.viewer.plugins.plugins
    app = next(each for each in plugins if isinstance(each, App))
    assert not any(app.plugin_panels())
    assert studio.errors == []
    assert studio.plugins[0].title is None


def test_none_and_the_same_twice_are_no_harm(studio):
    class Plain(plugin.SimPlugin):
        """Does nothing."""

    plain = Plain()
    studio.add(plain)
    with pytest.raises(StudioError, match="no such plugin"):
        studio.remove(None)
    assert len(studio.plugins) == 1
    studio.remove(plain, plain)
    assert len(studio.plugins) == 0


def test_a_name_goes_before_a_title(looked_at):
    studio, _page = looked_at
    studio.panel("second")(lambda: imgui.text("x"))

    @studio.panel("First")
    def second():
        imgui.text("y")

    assert studio.plugins["second"].plugin.fn is second


def test_the_titles_of_the_apps_windows_are_taken(looked_at):
    studio, _page = looked_at
    windows = {window.title for window in App().windows.all}
    assert windows == gui._TAKEN
    with pytest.raises(StudioError, match="the app has a window of this title"):
        studio.panel("Inspector")(lambda: None)


def test_attributes_that_cannot_be_copied_or_compared_are_left_alone(studio):
    class Locked(dict):
        def __init__(self):
            super().__init__(gain=1)
            self.lock = threading.Lock()

    class Odd(plugin.SimPlugin):
        def __init__(self):
            self.endless = []
            self.endless.append(self.endless)
            self.locked = Locked()

    studio.add(Odd())
    assert [state.name.rpartition(".")[2] for state in studio.plugins] == ["Odd"]


# -- several decorators on one function ----------------------------------------

_STACK = """
@studio.on(messages.PreStepEvent)
@studio.on(messages.PostStepEvent)
def both(event):
    heard.add((RUN, type(event).__name__))
"""


def test_decorators_of_one_function_stand_beside_each_other(studio, monkeypatch):
    cells = Cells(monkeypatch)
    heard = set()
    cells.namespace.update(studio=studio, messages=messages, heard=heard)
    cells.run(_STACK.replace("RUN", "1"))
    until(lambda: len(heard) == 2)
    cells.run(_STACK.replace("RUN", "2"))
    assert len(studio.plugins) == 2
    heard.clear()
    until(lambda: len(heard) == 2)
    assert {run for run, _ in heard} == {2}
    studio.remove(cells.namespace["both"])
    assert len(studio.plugins) == 0


_FORMS = """
@studio.overlay
def drawn(model, data):
    heard.add((RUN, "overlay"))
    return []

@studio.panel("Mine")
def shown():
    heard.add((RUN, "panel"))

@studio.key("Ctrl+KEY")
def pressed():
    pass
"""


def test_what_a_cell_defines_again_is_what_runs_in_every_form(looked_at, monkeypatch):
    studio, page = looked_at
    cells = Cells(monkeypatch)
    heard = set()
    cells.namespace.update(studio=studio, heard=heard)
    cells.run(_FORMS.replace("RUN", "1").replace("KEY", "K"))
    page.until(lambda: len(heard) == 2)
    cells.run(_FORMS.replace("RUN", "2").replace("KEY", "J"))
    studio._session.reach("viewer", lambda _viewer: heard.clear())
    page.until(lambda: len(heard) == 2)
    assert {run for run, _ in heard} == {2}
    assert studio.plugins["pressed"].plugin.chord.label == "Ctrl+J"
    assert [s.plugin.fn for s in studio.plugins] == [
        cells.namespace[name] for name in ("drawn", "shown", "pressed")
    ]


def test_a_window_that_was_closed_stays_closed_when_its_cell_runs_again(looked_at):
    studio, _page = looked_at

    def mine():
        """Draws nothing."""

    studio.panel("Mine")(mine)
    studio.plugins["Mine"].plugin.open = False
    studio.panel("Mine")(mine)
    assert studio.plugins["Mine"].plugin.open is False


# -- those that do not return ---------------------------------------------------


def test_a_view_that_a_plugin_holds_is_named_while_it_does(monkeypatch):
    monkeypatch.setattr(session_module, "_STUCK_SEC", 0.05)
    opened, page = viewed_studio()
    release = threading.Event()

    class Stuck(plugin.ViewerPlugin):
        @messages.handler
        def on_update(self, _: messages.UpdateEvent) -> None:
            release.wait(30)

    opened.add(Stuck())
    said = "Stuck.on_update does not return, and the view waits for it"
    until(lambda: any(said in text for text in opened.errors))
    page.until(lambda: any(said in h.get("text", "") for h in page.heads))
    assert sum(said in text for text in opened.errors) == 1
    release.set()
    opened.close()


def test_what_keeps_a_session_from_ending_is_named(monkeypatch, caplog):
    monkeypatch.setattr(session_module, "_JOIN_SEC", 0.1)
    opened = studio_nb.open(PENDULUM, view=False)
    entered, release = threading.Event(), threading.Event()

    @opened.on(messages.PreStepEvent)
    def stuck(_event):
        entered.set()
        release.wait(30)

    assert entered.wait(10)
    with caplog.at_level(logging.WARNING):
        opened.close()
    assert "stuck does not return" in caplog.text
    release.set()
    opened._session._sim_thread.join(10)
    assert not opened._session._sim_thread.is_alive()


def test_an_overlay_without_end_is_named(looked_at, monkeypatch):
    monkeypatch.setattr(forms, "_MOST_GEOMS", 100)
    studio, page = looked_at

    @studio.overlay
    def endless(_model, _data):
        while True:
            yield shapes.sphere((0, 0, 0))

    page.until(lambda: studio.errors)
    assert "yields more than 100 geoms" in studio.errors[0]


# -- texts and numbers ----------------------------------------------------------


def test_texts_that_are_no_utf_8_are_shown_as_far_as_they_are(looked_at):
    studio, page = looked_at
    logging.getLogger("elsewhere").warning("file \udc80\ud800 and \0")
    studio._session.report("error", "bad \ud800")
    page.until(lambda: any("bad" in h.get("text", "") for h in page.heads))
    texts = [record.text for record in studio._session.console.records()]
    assert all(text.encode() for text in [*texts, *studio.errors])
    assert r"file \udc80\ud800 and" in texts[-2]


@pytest.mark.parametrize(
    ("field", "value"),
    [("time", np.nan), ("time", np.inf), ("time", 1e17), ("timestep", 0.0),
     ("timestep", -1.0), ("timestep", np.nan)],
)  # fmt: skip
def test_time_that_cannot_go_on_pauses_and_says_so(studio, field, value):
    def spoil(model, data):
        setattr(data if field == "time" else model.opt, field, value)

    studio.call(spoil)
    until(lambda: studio.paused)
    for ask in (lambda: studio.step(1), lambda: studio.run(0.01)):
        with pytest.raises(StudioError, match="time cannot go on from"):
            ask()
    marks = studio._session.recorder.mark_count
    studio.play()
    until(lambda: studio.paused)
    assert studio._session.recorder.mark_count == marks
    studio.call(lambda model, _data: setattr(model.opt, "timestep", 0.002))
    studio.reset()
    studio.play()
    assert goes_on(studio)


@pytest.mark.parametrize("scale", [np.nan, np.inf, -1.0])
def test_noise_that_is_no_number_is_none(studio, scale):
    studio.send(messages.StepControlSnapshot(noise_scale=scale, noise_rate=scale))
    until(lambda: studio._session.stepper._sent is not None)
    assert goes_on(studio)
    state = studio.call(lambda _model, data: (data.ctrl.copy(), data.qpos.copy()))
    assert np.isfinite(np.concatenate(state)).all()
    assert studio.errors == []


def test_steps_that_failed_are_not_tried_again(studio):
    studio.pause()
    studio.call(lambda model, _data: setattr(model.opt, "timestep", 0.0))
    for _ in range(3):
        studio.send(messages.SingleStepEvent())
    until(lambda: studio.errors)
    assert studio.call(lambda _model, _data: studio._session.stepper._singles) == 0


def test_an_error_that_a_library_raised_names_the_person_s_own_line():
    with pytest.raises(ValueError, match="Expecting") as raised:
        json.loads("{")
    assert origin.place(raised.value).startswith("test_plugins_hostile.py, line ")
