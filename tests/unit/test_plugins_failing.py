"""Plugins that raise or block, and the table that tells how all of them stand."""

import time

import pytest
from mujoco.studio import messages, plugin

import studio_nb
from studio_nb import registry
from studio_nb.errors import StudioError
from tests.unit.conftest import PENDULUM
from tests.unit.plugged import Cells, viewed_studio


@pytest.fixture
def studio():
    """A paused session without a view."""
    with studio_nb.open(PENDULUM, view=False, paused=True) as opened:
        yield opened


@pytest.fixture
def cells(monkeypatch):
    """A notebook's cells."""
    made = Cells(monkeypatch)
    made.run("import mujoco\nfrom mujoco.studio import messages, plugin", "imports")
    return made


class Faulty(plugin.SimPlugin):
    """Raises while it is told to."""

    def __init__(self):
        self.calls = 0
        self.broken = True

    @messages.handler
    def on_reset(self, _: messages.ResetEvent) -> None:
        self.calls += 1
        if self.broken:
            msg = f"fault {self.calls}"
            raise ValueError(msg)


def test_one_that_raises_three_times_running_is_switched_off(studio):
    faulty = Faulty()
    studio.add(faulty)
    state = studio.plugins["Faulty"]
    for expected in ("failing", "failing", "off", "off"):
        studio.reset()
        assert state.state == expected
    assert faulty.calls == 3
    assert "ValueError: fault 1" in state.error
    assert "in on_reset" in state.error
    assert "test_plugins_failing.py, line" in studio.errors[0]
    faulty.broken = False
    state.enable()
    studio.reset()
    assert (faulty.calls, state.state) == (4, "running")


def test_one_that_succeeds_in_between_stays_on(studio):
    faulty = Faulty()
    studio.add(faulty)
    for turn in range(8):
        faulty.broken = turn % 3 != 2
        studio.reset()
    assert faulty.calls == 8
    assert studio.plugins[0].state == "failing"


def test_one_that_is_switched_off_by_hand_is_not_called(studio):
    faulty = Faulty()
    studio.add(faulty)
    studio.plugins["Faulty"].disable()
    studio.reset()
    assert faulty.calls == 0
    studio.plugins["Faulty"].enable()
    studio.reset()
    assert faulty.calls == 1


def test_a_controller_that_is_switched_on_again_is_called_before_each_step(studio):
    class Controller(plugin.SimPlugin):
        def __init__(self):
            self.times = set()

        @messages.handler
        def on_pre_step(self, event: messages.PreStepEvent) -> None:
            self.times.add(event.data.time)

    controller = Controller()
    studio.add(controller)
    studio.plugins[0].disable()
    studio.step(20)
    assert controller.times <= {0.0}
    studio.plugins[0].enable()
    studio.step(20)
    assert len(controller.times) >= 20


def test_a_mended_plugin_starts_with_a_clean_slate(studio, cells):
    cells.namespace["studio"] = studio
    source = """
class Wobble(plugin.SimPlugin):
    @messages.handler
    def on_reset(self, event: messages.ResetEvent) -> None:
        {body}
studio.add(Wobble())
"""
    cells.run(source.format(body="nonsense"))
    for _ in range(4):
        studio.reset()
    assert studio.plugins["Wobble"].state == "off"
    cells.run(source.format(body="pass"))
    studio.reset()
    assert (studio.plugins["Wobble"].state, studio.plugins["Wobble"].error) == (
        "running",
        "",
    )


def test_being_switched_off_is_told_on_the_view():
    class Drawer(plugin.ViewerPlugin):
        @messages.handler
        def on_update(self, _: messages.UpdateEvent) -> None:
            msg = "no such site"
            raise KeyError(msg)

    studio, page = viewed_studio()
    studio.add(Drawer())
    told = page.until(
        lambda: [h for h in page.heads if "switched off" in h.get("text", "")]
    )
    assert "Drawer" in told[0]["text"]
    assert "no such site" in told[0]["text"]
    assert len(studio.errors) == 1
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n)
    studio.close()


class Busy(plugin.SimPlugin):
    """Takes its time."""

    seconds = 0.0

    @messages.handler
    def on_pre_step(self, _: messages.PreStepEvent) -> None:
        end = time.perf_counter() + self.seconds
        while time.perf_counter() < end:
            pass


def test_one_that_blocks_is_named_once_until_it_is_quick_again(monkeypatch):
    monkeypatch.setattr(registry, "BLOCKING_SEC", 0.02)
    told = []
    busy = Busy()
    guarded = registry.GuardedRegistry(
        [busy], on_notice=told.append, frame=messages.PreStepEvent
    )
    event = messages.PreStepEvent(model=None, data=None)
    for seconds in (0.0, 0.05, 0.05, 0.0, 0.0, 0.05):
        busy.seconds = seconds
        guarded.dispatch(event)
    assert len(told) == 2
    assert all("Busy took 0.0" in text for text in told)
    (record,) = guarded.records
    assert record.frames == 6
    assert record.longest >= 0.05


def test_the_sessions_own_plugins_are_named_but_never_switched_off():
    faulty, told = Faulty(), []
    guarded = registry.GuardedRegistry(
        [faulty], lambda where, _error: told.append(where), own=[faulty]
    )
    for _ in range(5):
        guarded.dispatch(messages.ResetEvent())
    assert faulty.calls == 5
    assert told == ["Faulty.on_reset"]


def test_the_table_tells_what_is_there(studio):
    studio.add(Faulty(), Busy())
    studio.reset()
    studio.step()
    table = studio.plugins
    assert [state.name for state in table] == ["Faulty", "Busy"]
    faulty, busy = table
    assert (faulty.kind, busy.kind) == ("sim", "sim")
    assert faulty.handlers == ["ResetEvent: on_reset"]
    assert 0 < busy.mean_ms <= busy.max_ms
    lines = repr(table).splitlines()
    assert lines[0].split()[:3] == ["name", "kind", "state"]
    assert lines[1].split()[:3] == ["Faulty", "sim", "failing"]
    shown = table._repr_html_()
    assert shown.count("<tr") == 3
    assert "ValueError: fault 1" in shown
    assert "fault 1" in repr(faulty)
    with pytest.raises(KeyError, match="no plugin 'Fualty': there are Faulty, Busy"):
        table["Fualty"]


def test_removing_by_name_and_what_is_not_there(studio):
    studio.add(Faulty())
    with pytest.raises(StudioError, match="no plugin 'Gone'"):
        studio.remove("Faulty", "Gone")
    assert len(studio.plugins) == 1
    studio.remove("Faulty")
    assert repr(studio.plugins) == "no plugins"
