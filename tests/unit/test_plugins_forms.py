"""The short forms of plugins: functions as handlers, overlays, panels, keys, models."""

import mujoco
import numpy as np
import pytest
from imgui_bundle import imgui
from mujoco.studio import messages, plugin

import studio_nb
from studio_nb import shapes
from studio_nb.errors import StudioError
from studio_nb.plugins import chords
from studio_nb.scene import memory
from tests.unit.conftest import PENDULUM
from tests.unit.plugged import Cells, viewed_studio


def press(page, code, mods=0):
    """Presses and releases a key, as the page tells it."""
    key = {"t": "key", "code": code, "key": "", "m": mods}
    page.send("input", events=[{**key, "d": 1}, {**key, "d": 0, "m": 0}])


@pytest.fixture
def studio():
    """A paused session without a view."""
    with studio_nb.open(PENDULUM, view=False, paused=True) as opened:
        yield opened


@pytest.fixture
def looked_at():
    """A session that a page looks at, and the page."""
    studio, page = viewed_studio()
    yield studio, page
    studio.close()


@pytest.fixture
def cells(monkeypatch):
    """A notebook's cells."""
    made = Cells(monkeypatch)
    made.run("import mujoco\nfrom mujoco.studio import messages, plugin", "imports")
    return made


# -- on ------------------------------------------------------------------------


def test_a_function_handles_what_it_is_asked_for(studio):
    seen = []

    @studio.on(messages.PreStepEvent)
    def push(event):
        event.data.ctrl[0] = 2
        seen.append(event.data.time)

    studio.step(10)
    assert len(set(seen)) >= 10
    assert studio.call(lambda _m, d: d.ctrl[0]) == 2
    assert push.__name__ == "push"
    (state,) = studio.plugins
    assert (state.name, state.kind) == ("push", "sim")
    assert state.handlers == ["PreStepEvent: push"]
    studio.remove(push)
    n = len(seen)
    studio.step(3)
    assert len(seen) == n


def test_it_gets_its_host_when_it_asks_for_one(looked_at):
    studio, page = looked_at
    hosts = {}

    @studio.on(messages.PreStepEvent)
    def of_sim(_event, handle):
        hosts["sim"] = handle

    @studio.on(messages.PostModelEvent)
    def of_viewer(_event, viewer):
        hosts["viewer"] = viewer

    page.until(lambda: len(hosts) == 2)
    assert hosts["sim"] is studio._session.handle
    assert hosts["viewer"] is studio._session.viewer


@pytest.mark.parametrize(
    ("event", "side", "chosen"),
    [
        (messages.PreStepEvent, None, "sim"),
        (messages.LoadModelEvent, None, "sim"),
        (messages.PostModelEvent, None, "sim"),
        (messages.PostModelEvent, "viewer", "viewer"),
        (messages.UpdateEvent, None, "viewer"),
        (plugin.ThemeEvent, None, "viewer"),
        (messages.StepControlSnapshot, None, "sim"),
    ],
)
def test_the_side_follows_from_the_message(looked_at, event, side, chosen):
    studio, _ = looked_at
    studio.on(event, side=side)(lambda _event: None)
    assert [state.kind for state in studio.plugins] == [chosen]


def test_what_cannot_be_handled_is_told(studio):
    def two(_event, _other):
        pass

    def none():
        pass

    with pytest.raises(TypeError, match="give a type of message"):
        studio.on("PreStepEvent")
    with pytest.raises(TypeError, match=r"two\(_event, _other\) cannot be called as"):
        studio.on(messages.PreStepEvent)(two)
    with pytest.raises(TypeError, match=r"none\(\) cannot be called as fn\(event\)"):
        studio.on(messages.PreStepEvent)(none)
    with pytest.raises(StudioError, match="side 'viewer' alone"):
        studio.on(messages.BuildGuiEvent, side="sim")(lambda _event: None)
    with pytest.raises(StudioError, match="side 'both'"):
        studio.on(messages.ResetEvent, side="both")(lambda _event: None)
    with pytest.raises(StudioError, match="no view"):
        studio.on(messages.UpdateEvent)(lambda _event: None)
    assert not len(studio.plugins)


def test_a_function_that_is_defined_again_takes_its_own_place(studio, cells):
    cells.namespace.update(studio=studio, calls=[])
    source = """
@studio.on(messages.{event}, priority={priority})
def note(event):
    calls.append("{word}")
@studio.on(messages.ResetEvent)
def _(event):
    calls.append("_")
@studio.on(messages.PostStepEvent)
def _(event):
    pass
"""
    cells.run(source.format(event="ResetEvent", priority=100, word="one"))
    cells.run(source.format(event="ResetEvent", priority=50, word="two"))
    studio.reset()
    assert cells.namespace["calls"] == ["_", "two"]
    cells.run(source.format(event="LoadModelEvent", priority=100, word="three"))
    assert [state.name for state in studio.plugins] == ["note", "_", "_ 2"]
    studio.reset()
    assert cells.namespace["calls"] == ["_", "two", "_"]


def test_a_function_that_changes_sides_leaves_the_other(looked_at, cells):
    studio, _ = looked_at
    cells.namespace["studio"] = studio
    source = "@studio.on(messages.{})\ndef follow(event): pass"
    cells.run(source.format("PreStepEvent"))
    cells.run(source.format("UpdateEvent"))
    assert [(s.name, s.kind) for s in studio.plugins] == [("follow", "viewer")]


def test_a_function_that_raises_is_named_by_its_own_name(studio):
    @studio.on(messages.ResetEvent)
    def divide(_event):
        return 1 / 0

    for _ in range(4):
        studio.reset()
    (error,) = studio.errors
    assert error.startswith("divide raised ZeroDivisionError")
    assert "test_plugins_forms.py, line" in error
    assert studio.plugins["divide"].state == "off"


# -- overlays and shapes -------------------------------------------------------


def test_overlays_draw_beside_each_other_and_beside_plugins(looked_at):
    studio, page = looked_at
    base = page.state.head["ngeom"]

    class Clears(plugin.ViewerPlugin):
        @messages.handler
        def on_update(self, _: messages.UpdateEvent) -> None:
            self.viewer.extra_geoms.clear()
            self.viewer.extra_geoms.append(shapes.box((0, 0, 3)))

    @studio.overlay
    def tip(_model, data):
        yield shapes.sphere(data.xpos[1], 0.02, (1, 0, 0))
        yield shapes.label(data.xpos[1], "tip")

    @studio.overlay
    def path(viewer):
        return [shapes.line(viewer.data.xpos[1], (0, 0, 2))]

    studio.add(Clears())
    page.until(lambda: page.state.head["ngeom"] == base + 4)
    studio.plugins["path"].disable()
    page.until(lambda: page.state.head["ngeom"] == base + 3)
    studio.remove(tip)
    page.until(lambda: page.state.head["ngeom"] == base + 1)


def test_an_overlay_is_drawn_while_the_simulation_stands_still(looked_at):
    studio, page = looked_at
    studio.pause()
    base = page.state.head["ngeom"]
    studio.overlay(lambda _model, _data: shapes.sphere((0, 0, 1)))
    page.until(lambda: page.state.head["ngeom"] == base + 1)


def test_an_overlay_that_raises_or_yields_nonsense_is_named(looked_at):
    studio, page = looked_at

    @studio.overlay
    def odd(_model, _data):
        yield "a sphere"

    page.until(lambda: studio.plugins["odd"].state == "off")
    assert "overlay odd made a str: yield MjvGeoms" in studio.errors[0]
    with pytest.raises(TypeError, match="cannot be called as"):
        studio.overlay(lambda: None)


@pytest.mark.parametrize(
    ("geom", "kind"),
    [
        (shapes.sphere((1, 2, 3), 0.1, np.array([1, 0, 0, 0.5])), "SPHERE"),
        (shapes.box(np.ones(3), (1, 2, 3), (0, 1, 0)), "BOX"),
        (shapes.capsule((0, 0, 0), (0, 0, 2), 0.1), "CAPSULE"),
        (shapes.arrow((0, 0, 0), (0, 0, 2), 0.1), "ARROW"),
        (shapes.line([0, 0, 0], [0, 0, 2]), "LINE"),
        (shapes.label((0, 0, 1), "naïve"), "LABEL"),
        (shapes.arrow((1, 1, 1), (1, 1, 1)), "SPHERE"),
    ],
)
def test_shapes_are_mujocos(geom, kind):
    assert geom.type == getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")
    assert np.isfinite(geom.mat).all()
    assert np.linalg.det(geom.mat.astype(float)) == pytest.approx(1, abs=1e-5)


def test_shapes_are_where_they_were_asked_to_be():
    sphere = shapes.sphere((1, 2, 3), 0.1, (1, 0, 0))
    np.testing.assert_allclose(sphere.pos, (1, 2, 3))
    np.testing.assert_allclose(sphere.rgba, (1, 0, 0, 1))
    arrow = shapes.arrow((0, 1, 0), (0, 1, 2), 0.1)
    np.testing.assert_allclose(arrow.pos, (0, 1, 0))
    np.testing.assert_allclose(arrow.mat[:, 2], (0, 0, 1), atol=1e-6)
    assert arrow.size[2] == pytest.approx(2)
    turned = shapes.box((0, 0, 0), mat=np.arange(9.0))
    np.testing.assert_allclose(turned.mat.ravel(), np.arange(9))
    assert len(shapes.label((0, 0, 0), "é" * 80).label.encode()) <= 99
    assert shapes.label((0, 0, 0), "a\0b \ud800 100%s").label == "a b ? 100%s"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: shapes.sphere((1, 2)), "pos is .*give 3 finite numbers"),
        (lambda: shapes.sphere((1, 2, np.nan)), "pos is"),
        (lambda: shapes.sphere((1, 2, 3), rgba=(1, 2)), "rgba is"),
        (lambda: shapes.arrow((0, 0, 0), (1,)), "end is"),
        (lambda: shapes.arrow((-1e300, 1e300, 0), (0, 0, 0)), "start is"),
        (lambda: shapes.sphere((1e30, 0, 0)), "pos is .*up to 1e\\+10"),
        (lambda: shapes.capsule((0, 0, 0), (1, 0, 0), np.nan), "size is"),
    ],
)
def test_shapes_that_cannot_be_are_told(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_listed_geoms_are_copied_to_the_last_field():
    scene = mujoco.MjvScene(mujoco.MjModel.from_xml_string("<mujoco/>"), maxgeom=4)
    view = memory.SceneView(scene)
    label = shapes.label((1, 2, 3), "here")
    label.transparent = 1
    geoms = [shapes.box((0, 0, 1)), label]
    view.append(geoms)
    assert scene.ngeom == 2
    for listed, geom in zip(scene.geoms[:2], geoms, strict=True):
        for name in memory.GEOM.names or ():
            assert np.array_equal(getattr(listed, name), getattr(geom, name)), name


# -- panels --------------------------------------------------------------------


def windows(studio):
    """Returns the names of the windows that are there."""
    ui = studio._session.viewer.ui
    with ui.current() as context:
        return {w.name for w in context.windows if w.active}


def test_a_panel_is_drawn_until_it_is_closed(looked_at):
    studio, page = looked_at
    calls = []

    @studio.panel("Gains")
    def gains(viewer):
        imgui.text("kp")
        calls.append(viewer)

    page.until(lambda: calls)
    assert calls[0] is studio._session.viewer
    assert "Gains" in windows(studio)
    panel = studio.plugins["Gains"].plugin
    assert (panel.title, panel.open) == ("Gains", True)
    panel.open = False
    page.until(lambda: "Gains" not in windows(studio))
    panel.open = True
    page.until(lambda: "Gains" in windows(studio))


def test_a_panel_that_leaves_something_open_hurts_no_other(looked_at):
    studio, page = looked_at
    drawn = []

    @studio.panel("Broken", dock="float")
    def broken():
        imgui.begin_child("inner")
        imgui.push_id(3)

    @studio.panel("Whole", dock="float")
    def whole():
        drawn.append(imgui.button("go"))

    page.until(lambda: studio.plugins["broken"].state == "off")
    n = len(drawn)
    page.until(lambda: len(drawn) > n)
    assert "panel 'Broken' left" in studio.errors[0]


def test_a_panel_with_the_title_of_another_replaces_it(looked_at, cells):
    studio, _ = looked_at
    cells.namespace["studio"] = studio
    cells.run("@studio.panel('Gains')\ndef one(): pass", "a")
    cells.run("@studio.panel('Gains')\ndef two(): pass", "b")
    cells.run("@studio.panel('More')\ndef two(): pass", "b")
    assert [(s.name, s.plugin.title) for s in studio.plugins] == [("two", "More")]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda s: s.panel("")(lambda: None), "give the window's title"),
        (lambda s: s.panel("A", dock="top")(lambda: None), "dock 'top': give one of"),
    ],
)
def test_a_panel_that_cannot_be_is_told(looked_at, make, says):
    studio, _ = looked_at
    with pytest.raises(StudioError, match=says):
        make(studio)


# -- keys ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "label", "key", "modifiers"),
    [
        ("Ctrl+R", "Ctrl+R", imgui.Key.r, imgui.Key.mod_ctrl),
        ("shift + ctrl + f8", "Ctrl+Shift+F8", imgui.Key.f8, None),
        ("7", "7", imgui.Key._7, 0),
        ("Cmd+ArrowUp", "Cmd+Up", imgui.Key.up_arrow, imgui.Key.mod_super),
        ("Alt+Space", "Alt+Space", imgui.Key.space, imgui.Key.mod_alt),
        ("Ctrl++", "Ctrl++", imgui.Key.equal, imgui.Key.mod_ctrl),
        ("+", "+", imgui.Key.equal, 0),
    ],
)
def test_a_chord_is_read(text, label, key, modifiers):
    chord = chords.parse(text)
    assert (chord.label, chord.key) == (label, key)
    if modifiers is not None:
        assert chord.modifiers == int(modifiers)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Ctrl+Foo", "there is no key 'Foo'"),
        ("Crtl+R", "did you mean Ctrl"),
        ("Ctrl", "a key is missing after Ctrl"),
        ("A+B", "A cannot be held"),
        ("Esc", "gives the keyboard back"),
        ("", "give a chord"),
        (3, "give a chord"),
    ],
)
def test_what_is_no_chord_is_named(text, says):
    with pytest.raises(StudioError, match=says):
        chords.parse(text)


def test_a_key_calls_its_function_once_a_press(looked_at):
    studio, page = looked_at
    calls = []

    @studio.key("Ctrl+K")
    def kick():
        """Kicks the bob."""
        calls.append(1)

    page.send("input", events=[{"t": "focus", "d": 1}])
    press(page, "KeyK", 1)
    page.until(lambda: calls)
    press(page, "KeyK")
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n + 5)
    assert calls == [1]
    assert studio.plugins["kick"].plugin.key_help == ("Ctrl+K", "Kicks the bob")


def test_a_key_of_the_apps_is_taken_over_and_that_is_told(looked_at, cells):
    studio, page = looked_at
    cells.namespace.update(studio=studio, calls=[])
    source = "@studio.key('Space')\ndef jump(): calls.append(1)"
    cells.run(source)
    notices = studio._session.viewer.notices
    page.until(lambda: any("app's for: Run or pause" in text for _, text in notices))
    cells.run(source)
    assert sum("Run or pause" in text for _, text in notices) == 1
    paused = studio.paused
    page.send("input", events=[{"t": "focus", "d": 1}])
    press(page, "Space")
    page.until(lambda: cells.namespace["calls"])
    n = len(page.frames)
    page.until(lambda: len(page.frames) > n + 3)
    assert studio.paused is paused
    studio.remove("jump")
    press(page, "Space")
    page.until(lambda: studio.paused is not paused)
