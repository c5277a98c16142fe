"""Plugins of a session: the order of their events, their coming, and their going."""

import pytest
from mujoco.studio import messages, plugin

import studio_nb
from studio_nb.errors import StudioError
from tests.fakepage import until
from tests.unit.conftest import PENDULUM
from tests.unit.plugged import (
    SIM_EVENTS,
    VIEWER_EVENTS,
    Cells,
    firsts,
    noting,
    viewed_studio,
)


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


# -- the order of events -------------------------------------------------------


def test_a_sim_plugin_gets_its_events_in_studios_order():
    noted = noting(plugin.SimPlugin, SIM_EVENTS)()
    with studio_nb.open(PENDULUM, view=False, plugins=[noted]) as studio:
        studio.step()
        studio.reload()
        until(lambda: "LoadModel" in noted.seen)
    seen = firsts(noted.seen)
    steps = ["PreStep", "Step", "PostStep"]
    assert seen == ["SimInit", "Model", "PostModel", *steps, "LoadModel", "Exit"]
    again = noted.seen[noted.seen.index("LoadModel") :]
    assert again[:3] == ["LoadModel", "Model", "PostModel"]
    turns = [name for name in noted.seen if name in steps]
    assert turns[:6] == [*steps, *steps]


def test_a_viewer_plugin_gets_its_events_in_studios_order():
    noted = noting(plugin.ViewerPlugin, VIEWER_EVENTS)()
    studio, page = viewed_studio([noted])
    page.until(lambda: "BuildGui" in noted.seen)
    studio.close()
    order = ["ViewerInit", "Model", "PostModel", "Update", "BuildGui", "Exit"]
    assert firsts(noted.seen) == order
    assert noted.seen.count("ViewerInit") == noted.seen.count("Exit") == 1


def test_a_plugin_that_comes_late_gets_the_events_of_a_start():
    studio, page = viewed_studio()
    sim = noting(plugin.SimPlugin, SIM_EVENTS)()
    view = noting(plugin.ViewerPlugin, VIEWER_EVENTS)()
    studio.add(sim, view)
    studio.step()
    page.until(lambda: "BuildGui" in view.seen)
    assert firsts(sim.seen)[:5] == [
        "SimInit", "PostModel", "PreStep", "Step", "PostStep",
    ]  # fmt: skip
    assert firsts(view.seen) == ["ViewerInit", "PostModel", "Update", "BuildGui"]
    assert sim.handle.model.nbody == view.viewer.model.nbody == 3
    studio.close()


def test_a_plugin_that_is_removed_gets_an_exit_of_its_own(studio):
    gone, stays = (noting(plugin.SimPlugin, SIM_EVENTS)() for _ in range(2))
    studio.add(gone, stays)
    studio.remove(gone)
    studio.step()
    assert gone.seen[-1] == "Exit"
    assert "Exit" not in stays.seen
    assert [state.plugin for state in studio.plugins] == [stays]


def test_higher_priorities_go_first_and_true_ends_the_dispatch(studio):
    calls = []

    def control(name, priority, result=None):
        def on_reset(_self, _: messages.ResetEvent):
            calls.append(name)
            return result

        handler = messages.handler(on_reset, priority=priority)
        return type(name, (plugin.SimPlugin,), {"on_reset": handler})()

    studio.add(control("low", 10), control("high", 200), control("mid", 100))
    studio.reset()
    assert calls == ["high", "mid", "low"]
    calls.clear()
    studio.add(control("first", 500, result=True))
    studio.call(lambda _m, d: d.qpos.__setitem__(0, 0.25))
    studio.reset()
    assert calls == ["first"]
    assert studio.call(lambda _m, d: d.qpos[0]) == 0.25


def test_what_a_sim_plugin_changes_of_the_options_reaches_the_view():
    class Gravity(plugin.SimPlugin):
        @messages.handler
        def on_pre_step(self, event: messages.PreStepEvent) -> None:
            event.model.opt.gravity[2] = -1.5

    studio, page = viewed_studio()
    viewer = studio._session.viewer
    assert viewer.model.opt.gravity[2] == -9.81
    studio.add(Gravity())
    page.until(lambda: viewer.model.opt.gravity[2] == -1.5)
    studio.close()


def test_what_a_viewer_plugin_changes_is_sent_once():
    class Slider(plugin.ViewerPlugin):
        def __init__(self):
            self.wanted = 100.0

        @messages.handler
        def on_build_gui(self, _: messages.BuildGuiEvent) -> None:
            with self.viewer.send_if_changes(
                lambda: messages.StepControlSnapshot(speed=self.wanted)
            ):
                self.wanted = 50.0

    studio, page = viewed_studio()
    studio.add(Slider())
    page.until(lambda: studio.speed == 50)
    # Not sent again: what the person sets now stays.
    studio.speed = 70
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n + 3)
    assert studio.speed == 70
    studio.close()


# -- coming and going ----------------------------------------------------------


def test_a_class_instead_of_an_instance_is_told(studio):
    class Gains(plugin.SimPlugin):
        pass

    with pytest.raises(TypeError, match=r"pass .*Gains\(\) instead"):
        studio.add(Gains)
    with pytest.raises(TypeError, match="must subclass"):
        studio.add(3)
    assert not len(studio.plugins)


GAINS = """
class Gains(plugin.SimPlugin):
    def __init__(self, kp):
        self.kp = kp
        self.count = 0
        self.trace = []

    @messages.handler
    def on_pre_step(self, event: messages.PreStepEvent) -> None:
        self.count += 1
        self.trace.append(event.data.time)

result = studio.add(Gains({kp}))
"""


def test_a_cell_that_runs_again_replaces_its_plugin_and_keeps_the_state(studio, cells):
    cells.namespace["studio"] = studio
    cells.run(GAINS.format(kp=1.0))
    (before,) = (state.plugin for state in studio.plugins)
    studio.step(5)
    before.kp = 7.5
    count = before.count
    result = cells.run(GAINS.format(kp=1.0))
    (after,) = (state.plugin for state in studio.plugins)
    assert after is not before
    assert type(after) is not type(before)
    assert (after.kp, after.count >= count) == (7.5, True)
    assert after.trace[: len(before.trace)] == before.trace
    assert repr(result) == "Gains: replaced the one of In[2]; kept kp, count, trace"
    assert studio.plugins["Gains"].origin == "In[3]"
    studio.step()
    assert after.count > count


def test_what_the_person_changed_in_the_cell_is_what_counts(studio, cells):
    cells.namespace["studio"] = studio
    cells.run(GAINS.format(kp=1.0))
    studio.step(3)
    cells.run(GAINS.format(kp=2.0))
    (after,) = (state.plugin for state in studio.plugins)
    assert after.kp == 2.0
    assert after.count >= 3


def test_an_attribute_of_another_type_or_shape_is_not_kept(studio, cells):
    cells.namespace["studio"] = studio
    source = """
import numpy as np
class Memory(plugin.SimPlugin):
    def __init__(self):
        self.table = np.zeros({size})
        self.mode = {mode}
        self.same = 0
result = studio.add(Memory())
"""
    (before,) = cells.run(source.format(size=3, mode="'a'"))
    before.record.plugin.table[:] = before.record.plugin.same = 5
    (change,) = cells.run(source.format(size=4, mode="1"))
    after = change.record.plugin
    assert change.kept == ("same",)
    assert (after.table.shape, after.mode, after.same) == ((4,), 1, 5)


def test_one_that_is_replaced_keeps_its_place_and_gets_no_exit(studio, cells):
    cells.namespace.update(studio=studio, order=[])
    source = """
class {name}(plugin.SimPlugin):
    ended = False
    events = ()
    @messages.handler
    def on_reset(self, event: messages.ResetEvent) -> None:
        order.append("{name}{version}")
    @messages.handler
    def on_exit(self, event: messages.ExitEvent) -> None:
        type(self).ended = True
    @messages.handler
    def on_reload(self, event: messages.HotReloadEvent) -> None:
        self.events = (*self.events, self in event.plugins)
result = studio.add({name}())
"""
    cells.run(source.format(name="First", version=1), "a")
    cells.run(source.format(name="Second", version=1), "b")
    old = studio.plugins["First"].plugin
    cells.run(source.format(name="First", version=2), "a")
    studio.reset()
    assert cells.namespace["order"] == ["First2", "Second1"]
    assert not type(old).ended
    assert studio.plugins["First"].plugin.events == (True,)
    assert studio.plugins["Second"].plugin.events == (False,)


def test_two_of_one_class_stay_two_when_their_cell_runs_again(studio, cells):
    cells.namespace["studio"] = studio
    cells.run("class Ghost(plugin.SimPlugin): pass", "class")
    add = "studio.add(Ghost(), Ghost())"
    for _ in range(3):
        cells.run(add, "add")
    assert [state.name for state in studio.plugins] == ["Ghost", "Ghost 2"]
    cells.run("studio.add(Ghost())", "another")
    assert len(studio.plugins) == 3
    cells.run("class Ghost(plugin.SimPlugin): pass", "class")
    cells.run(add, "add")
    assert len(studio.plugins) == 3


def test_a_message_class_that_was_defined_again_still_finds_its_handlers(studio, cells):
    cells.namespace.update(studio=studio, got=[])
    kick = """
import dataclasses
@dataclasses.dataclass(frozen=True)
class Kick(messages.Event):
    force: float
"""
    cells.run(kick, "message")
    cells.run(
        """
class Kicker(plugin.SimPlugin):
    @messages.handler
    def on_kick(self, event: Kick) -> None:
        got.append(event.force)
@studio.on(Kick)
def kicked(event):
    got.append(-event.force)
studio.add(Kicker())
""",
        "handler",
    )
    first = cells.namespace["Kick"]
    cells.run(kick, "message")
    assert cells.namespace["Kick"] is not first
    cells.run("studio.send(Kick(3.0))", "send")
    until(lambda: sorted(cells.namespace["got"]) == [-3.0, 3.0])


def test_when_one_of_several_cannot_start_none_is_added():
    class Stubborn(plugin.SimPlugin):
        @messages.handler
        def on_init(self, _: plugin.SimInitEvent) -> None:
            msg = "no gripper"
            raise RuntimeError(msg)

    studio, _ = viewed_studio()
    view = noting(plugin.ViewerPlugin, VIEWER_EVENTS)()
    sim = noting(plugin.SimPlugin, SIM_EVENTS)()
    with pytest.raises(StudioError, match=r"Stubborn could not start.*no gripper"):
        studio.add(view, sim, Stubborn())
    assert not len(studio.plugins)
    assert view.seen[-1] == sim.seen[-1] == "Exit"
    studio.add(view, sim)
    assert len(studio.plugins) == 2
    studio.close()


def test_a_view_plugin_without_a_view_leaves_nothing_behind(studio):
    sim = noting(plugin.SimPlugin, SIM_EVENTS)()
    view = noting(plugin.ViewerPlugin, VIEWER_EVENTS)()
    with pytest.raises(StudioError, match="no view"):
        studio.add(sim, view)
    assert not len(studio.plugins)
    assert not sim.seen


def test_a_replacement_that_cannot_start_leaves_the_one_before(studio, cells):
    cells.namespace["studio"] = studio
    source = """
class Walker(plugin.SimPlugin):
    steps = 0
    @messages.handler
    def on_init(self, event: plugin.SimInitEvent) -> None:
        {body}
    @messages.handler
    def on_pre_step(self, event: messages.PreStepEvent) -> None:
        self.steps += 1
studio.add(Walker())
"""
    cells.run(source.format(body="pass"))
    with pytest.raises(StudioError, match="Walker could not start"):
        cells.run(source.format(body="1 / 0"))
    (state,) = studio.plugins
    steps = state.plugin.steps
    studio.step()
    assert (state.origin, state.plugin.steps > steps) == ("In[2]", True)
