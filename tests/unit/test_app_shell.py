"""The app around its panels: keys, docks, menus, memory, and panels that fail."""

import re
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from imgui_bundle import imgui
from mujoco.studio import messages

from studio_nb.app import bottombar, help_popup, keys, lenses, row
from studio_nb.app.layout import WIDE_PX, dock_next_window
from studio_nb.app.panels import hierarchy
from studio_nb.app.panels.elements import Element
from studio_nb.ui.draw_lists import _window_rects
from studio_nb.ui.keys import KEYS
from tests.person import Viewer

MODEL = """
<mujoco>
  <worldbody>
    <camera name="front" pos="0 -3 1"/><camera pos="3 0 1"/>
    <body name="torso"><freejoint/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""
CODES = {key: code for code, key in KEYS.items()}
SHIFT, CTRL = 2, 1
VIS, RND = mujoco.mjVISSTRING, mujoco.mjRNDSTRING


@pytest.fixture
def make():
    made = []

    def make(**options):
        made.append(Viewer(**{"xml": MODEL, "height": 560, **options}))
        return made[-1]

    yield make
    for viewer in made:
        viewer.ui.close()


@pytest.fixture
def viewer(make):
    return make()


def press(viewer, binding):
    key, modifiers = binding.chords[0]
    held = (SHIFT if modifiers & imgui.Key.mod_shift else 0) | (
        CTRL if modifiers & imgui.Key.mod_ctrl else 0
    )
    viewer.press(CODES[key], held)


def binding_of(label):
    return next(binding for binding in keys.BINDINGS if binding.label == label)


@pytest.mark.parametrize("index", [i for i, s in enumerate(VIS) if s[2]])
def test_a_key_flips_each_visualization_flag_that_mujoco_has_one_for(viewer, index):
    before = viewer.vis_options.flags.copy()
    press(viewer, binding_of(VIS[index][2]))
    assert [*np.flatnonzero(viewer.vis_options.flags != before)] == [index]


@pytest.mark.parametrize(
    "index", [i for i, s in enumerate(RND) if s[2] and s[2] != ","]
)
def test_a_key_flips_each_render_flag_that_mujoco_has_one_for(viewer, index):
    before = np.array(viewer.render_flags.flags)
    press(viewer, binding_of(RND[index][2]))
    assert [*np.flatnonzero(viewer.render_flags.flags != before)] == [index]


@pytest.mark.parametrize("group", range(mujoco.mjNGROUP))
def test_digits_flip_geom_groups_and_with_shift_site_groups(viewer, group):
    geoms, sites = viewer.vis_options.geomgroup, viewer.vis_options.sitegroup
    was = geoms[group], sites[group]
    press(viewer, binding_of(f"{group}"))
    assert (geoms[group], sites[group]) == (not was[0], was[1])
    press(viewer, binding_of(f"Shift+{group}"))
    assert (geoms[group], sites[group]) == (not was[0], not was[1])


def test_f6_and_f7_go_through_frames_and_labels(viewer):
    seen = set()
    for _ in range(int(mujoco.mjtFrame.mjNFRAME)):
        press(viewer, binding_of("F6"))
        seen.add(viewer.vis_options.frame)
    assert seen == set(range(int(mujoco.mjtFrame.mjNFRAME)))
    press(viewer, binding_of("F7"))
    assert viewer.vis_options.label == 1


@pytest.mark.parametrize(
    ("label", "title"),
    [
        ("Tab", "Options"),
        ("Shift+Tab", "Inspector"),
        ("F2", "Info"),
        ("F3", "Profiler"),
        ("F4", "Console"),
    ],
)
def test_a_key_opens_and_closes_each_window(viewer, label, title):
    was = title in viewer.windows()
    press(viewer, binding_of(label))
    assert (title in viewer.windows()) is not was
    press(viewer, binding_of(label))
    assert (title in viewer.windows()) is was


@pytest.mark.parametrize("label", ["Tab", "Shift+Tab"])
def test_tab_goes_into_no_text_field_of_a_panel_that_was_used(viewer, label):
    viewer.app.windows["Inspector"].comes_up = True
    viewer.frames()
    press(viewer, binding_of(label))
    with viewer.ui.current():
        assert not imgui.get_io().want_text_input


def test_ctrl_l_asks_for_the_model_again(viewer):
    viewer.model_path = "robot.xml"
    press(viewer, binding_of("Ctrl+L"))
    assert viewer.sent == [messages.LoadModelEvent(path="robot.xml")]


def test_brackets_go_through_the_cameras_and_come_round(viewer):
    seen = [viewer.app.lenses.name]
    for _ in range(5):
        press(viewer, binding_of("]"))
        seen.append(viewer.app.lenses.name)
    names = ["Free", "Fly (WASD)", "Track body", "front", "camera 1", "Free"]
    assert seen == names
    press(viewer, binding_of("["))
    assert viewer.app.lenses.name == "camera 1"


def test_escape_lets_go_of_camera_and_selection(viewer):
    viewer.app.lenses.choose(0)
    viewer.perturb.select = 1
    press(viewer, binding_of("Esc"))
    assert viewer.app.lenses.name == "Free"
    assert viewer.perturb.select == 0


@pytest.mark.parametrize(
    ("key", "axis", "sign"),
    [("w", 1, 1), ("s", 1, -1), ("d", 0, 1), ("a", 0, -1), ("q", 2, 1), ("e", 2, -1)],
)
def test_held_keys_fly_the_camera_along_its_own_axes(viewer, key, axis, sign):
    viewer.app.lenses.choose(lenses.FLY)
    before, flags = viewer.camera.lookat.copy(), viewer.vis_options.flags.copy()
    render = viewer.render_flags.flags
    code = f"Key{key.upper()}"
    viewer.do({"t": "key", "code": code, "key": key, "m": 0, "d": 1})
    moved = viewer.camera.lookat - before
    along = np.array(lenses.axes(viewer.camera.azimuth, viewer.camera.elevation))
    np.testing.assert_allclose(
        np.sign(np.round(along @ moved, 9)), sign * np.eye(3)[axis]
    )
    assert (viewer.vis_options.flags == flags).all()
    assert viewer.render_flags.flags == render


def test_the_wheel_makes_a_flying_camera_faster_and_slower(viewer):
    def flown(notches):
        if notches:
            at = {"x": 450.0, "y": 280.0}
            viewer.do({"t": "wheel", "dx": 0, "dy": notches, **at})
        before = viewer.camera.lookat.copy()
        key = {"t": "key", "code": "KeyW", "key": "w", "m": 0}
        viewer.do({**key, "d": 1})
        viewer.do({**key, "d": 0})
        return np.linalg.norm(viewer.camera.lookat - before)

    viewer.app.lenses.choose(lenses.FLY)
    plain = flown(0)
    assert flown(2) == pytest.approx(1.25**2 * plain, rel=0.2)
    assert flown(-4) == pytest.approx(1.25**-2 * plain, rel=0.2)


def test_the_wheel_is_asked_for_only_while_flying(viewer):
    viewer.frame()
    assert not viewer.ui.takes_wheel
    viewer.app.lenses.choose(lenses.FLY)
    viewer.frame()
    assert viewer.ui.takes_wheel


def test_ctrl_c_copies_the_state_as_a_keyframe(viewer):
    viewer.data.qpos[2] = 0.5
    press(viewer, binding_of("Ctrl+C"))
    assert viewer.input.take_clipboard() == '<key qpos="0 0 0.5 1 0 0 0"/>'


def test_page_up_selects_the_parent(viewer):
    viewer.perturb.select = 1
    press(viewer, binding_of("PgUp"))
    assert viewer.perturb.select == 0


def test_a_flying_camera_stays_where_the_free_one_was(viewer):
    def eye():
        _, forward, _ = lenses.axes(viewer.camera.azimuth, viewer.camera.elevation)
        return viewer.camera.lookat - viewer.camera.distance * forward

    before = eye()
    viewer.app.lenses.choose(lenses.FLY)
    np.testing.assert_allclose(eye(), before)
    viewer.app.lenses.choose(lenses.FREE)
    np.testing.assert_allclose(eye(), before)


def test_a_camera_chosen_in_a_panel_ends_the_flight(viewer):
    app = viewer.app
    app.lenses.choose(lenses.FLY)
    hierarchy._look_at(app.scope, Element(mujoco.mjtObj.mjOBJ_CAMERA, 0))
    assert app.lenses.name == "front"
    app.scope.lenses.choose(lenses.FREE)
    assert app.lenses.name == "Free"
    assert not app.lenses.flying


@pytest.mark.parametrize(("azimuth", "elevation"), [(90, -45), (0, 0), (215, 30)])
def test_axes_are_those_of_mujocos_camera(azimuth, elevation):
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation = azimuth, elevation
    scene = mujoco.MjvScene(model, maxgeom=10)
    mujoco.mjv_updateScene(
        model, data, mujoco.MjvOption(), mujoco.MjvPerturb(), camera, 7, scene
    )
    _, forward, up = lenses.axes(azimuth, elevation)
    np.testing.assert_allclose(scene.camera[0].forward, forward, atol=1e-6)
    np.testing.assert_allclose(scene.camera[0].up, up, atol=1e-6)


def test_a_wide_view_opens_with_both_sides_and_a_narrow_one_without(make):
    wide = make(width=int(WIDE_PX))
    assert {"Options", "Inspector"} <= wide.windows().keys()
    free = wide.app.layout.free
    assert free.width < wide.size[0] - 400
    narrow = make(width=int(WIDE_PX) - 1)
    assert not {"Options", "Inspector", "Hierarchy"} & narrow.windows().keys()
    assert narrow.app.layout.free.width == narrow.size[0]


def test_the_sides_fold_while_the_view_is_narrow(viewer):
    wide, narrow = viewer.size, (int(WIDE_PX) - 1, viewer.size[1])
    viewer.app.windows["Hierarchy"].open = False
    viewer.size = narrow
    viewer.frames()
    assert viewer.app.layout.free.width == narrow[0]
    viewer.press("Tab")
    assert "Options" in viewer.windows()
    viewer.size = wide
    viewer.frames()
    assert {"Options", "Inspector"} <= viewer.windows().keys()
    assert not viewer.app.windows["Hierarchy"].open


@pytest.mark.parametrize("dock", ["left", "right", "bottom"])
def test_a_persons_window_joins_a_side_that_was_never_open(make, dock):
    narrow = make(width=400)
    for _ in range(3):
        narrow.frame(lambda: own_window(dock))
    with narrow.ui.current():
        window = imgui.internal.find_window_by_name("Mine")
        assert window.dock_node is not None


def own_window(dock):
    dock_next_window("Mine", dock)
    imgui.begin("Mine")
    imgui.end()


def test_the_rows_and_docks_leave_the_middle_to_the_scene(viewer):
    width, height = viewer.size
    free = viewer.app.layout.free
    assert free.y == row.HEIGHT_PX
    assert free.y + free.height == height - bottombar.HEIGHT_PX
    with viewer.ui.current() as context:
        rects = [np.frombuffer(r, "<f4") for r in _window_rects(context)]
    middle = free.x + free.width / 2, free.y + free.height / 2

    def covered(x, y):
        return any(r[0] <= x < r[2] and r[1] <= y < r[3] for r in rects)

    assert not covered(*middle)
    assert covered(20, height / 2)
    assert covered(width - 20, height / 2)
    assert covered(width / 2, 5)


def test_the_inspector_stands_before_its_neighbour(viewer):
    windows = viewer.windows()
    assert "Inspector" in windows
    assert "Hierarchy" not in windows


def test_what_is_open_and_where_is_remembered(make):
    first = make()
    first.app.windows["Console"].open = True
    first.app.windows["Options"].open = False
    first.app.windows["Inspector"].unfolded = {"Watch"}
    first.app.shows_gizmo = False
    first.frames(400)
    kept = first.memory.value
    again = make(kept=kept)
    assert "Console" in again.windows()
    assert "Options" not in again.windows()
    assert again.app.windows["Inspector"].unfolded == {"Watch"}
    assert not again.app.shows_gizmo
    assert "[Docking]" in kept["layout"]


@pytest.mark.parametrize(
    "kept",
    [
        {"windows": 3, "cameras": [], "gizmo": "no", "theme": "pink", "layout": 7},
        {"windows": {"open": {"a": 1}, "unfolded": 1, "panels": [1]}, "layout": "[x"},
        {"windows": {"open": [None], "panels": {"Watch": {"watched": 7}}}},
        {"windows": {"open": [[]], "unfolded": [[], {}]}, "theme": [], "layout": "["},
    ],
)
def test_nonsense_that_was_remembered_is_passed_over(make, kept):
    viewer = make(kept=kept)
    assert "###toolbar" in viewer.windows()
    assert viewer.errors == []


def test_a_damaged_layout_is_passed_over(make):
    """Dear ImGui would take docks that contain themselves, and never end."""
    first = make()
    first.frames(400)
    layout = first.memory.value["layout"]
    assert layout.count("Parent=") > 1
    damaged = re.sub("Parent=0x[0-9A-F]+", "Parent=0x00000001", layout)
    again = make(kept={"layout": damaged})
    assert "Options" in again.windows()
    assert again.app.layout.free == first.app.layout.free


def test_a_side_unfolds_after_what_was_folded_there_has_gone(viewer):
    windows = viewer.app.windows
    for window in windows.all:
        window.open = False
    of_plugin = SimpleNamespace(open=True)
    windows.fold("right", [of_plugin])
    windows.fold("right")
    assert windows["Inspector"].open


def test_a_panel_that_fails_beside_its_drawing_is_switched_off(viewer, monkeypatch):
    panel = next(p for p in viewer.app.windows.panels() if p.title == "Simulation")
    monkeypatch.setattr(panel, "update", lambda _: 1 / 0, raising=False)
    viewer.frames(10)
    assert [where for where, _ in viewer.errors] == ["the panel Simulation"]


def test_a_side_folded_for_want_of_room_is_remembered_as_open(make):
    narrow = make(width=400)
    again = make(kept=narrow.memory.value)
    assert {"Options", "Inspector"} <= again.windows().keys()


def test_all_windows_can_be_put_back(viewer):
    viewer.app.windows["Options"].open = False
    viewer.app.windows["Console"].open = True
    viewer.app.windows["Hierarchy"].comes_up = True
    viewer.frames()
    assert "Inspector" not in viewer.windows()
    viewer.app.reset_layout()
    viewer.frames()
    assert {"Options", "Inspector"} <= viewer.windows().keys()
    assert "Console" not in viewer.windows()


def test_menus_open_by_a_click_and_follow_the_mouse(viewer):
    x, y = viewer.find("View")
    viewer.click(*viewer.find("File"))
    assert viewer.popup_of("File")
    viewer.do({"t": "move", "x": x, "y": y})
    assert viewer.popup_of("View")
    assert not viewer.popup_of("File")


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_help_has_columns_of_about_the_same_length(count):
    sections = [(title, [*keys.lines(of)]) for title, of in keys.SECTIONS.items()]
    columns = help_popup.columns(sections, count)
    assert len(columns) == count
    lengths = [sum(len(lines) + 1 for _, lines in column) for column in columns]
    assert max(lengths) - min(lengths) <= 2 * count
    shown = [line for column in columns for _, lines in column for line in lines]
    assert shown == [line for _, lines in sections for line in lines]


def test_the_file_menu_closes_the_simulation(viewer):
    ended = []
    viewer.dispatch = ended.append
    viewer.app.quit()
    assert ended == [messages.ExitEvent()]


class TestFailingPanel:
    """A panel that raises whenever it is drawn."""

    @pytest.fixture
    def panel(self, viewer, monkeypatch):
        panel = viewer.app.windows["Options"].panels[0]

        def draw(_):
            imgui.begin_group()
            msg = "no such thing"
            raise KeyError(msg)

        monkeypatch.setattr(panel, "draw", draw)
        return panel

    def test_it_is_told_once_and_takes_nothing_else_down(self, viewer, panel):
        viewer.frames(10)
        assert [where for where, _ in viewer.errors] == [f"the panel {panel.title}"]
        assert "Inspector" in viewer.windows()

    def test_it_is_off_after_three_frames_until_it_is_wanted_back(self, viewer, panel):
        calls = []
        failing = panel.draw
        panel.draw = lambda scope: (calls.append(1), failing(scope))
        viewer.frames(10)
        assert len(calls) == 3
        viewer.app.windows.revive(panel)
        viewer.frames(1)
        assert len(calls) == 4
