"""The Hierarchy as a person has it: what is clicked and typed, and what follows."""

from typing import Any, cast

import mujoco
import numpy as np
import pytest
from imgui_bundle import ImVec2, imgui

from studio_nb.app.controls import Controls
from studio_nb.app.lenses import Lenses
from studio_nb.app.panel import Scope
from studio_nb.app.panels import elements
from studio_nb.app.panels.elements import Element
from studio_nb.app.panels.hierarchy import Hierarchy
from studio_nb.ui import DrawListEncoder, UiContext, UiInput

WIDTH, HEIGHT = 340, 620
OBJ = mujoco.mjtObj
BODY, GEOM, JOINT = (int(o) for o in (OBJ.mjOBJ_BODY, OBJ.mjOBJ_GEOM, OBJ.mjOBJ_JOINT))
CAMERA, MOTOR = int(OBJ.mjOBJ_CAMERA), int(OBJ.mjOBJ_ACTUATOR)
WATCHED = ("selectable", "text_link", "tree_node_ex", "menu_item_simple", "button",
           "input_text_with_hint", "text_unformatted", "text_disabled")  # fmt: skip

MODEL = """
<mujoco>
  <asset><material name="steel" rgba=".2 .4 .6 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" axis="0 1 0" range="-90 90"/>
      <geom name="bone" type="capsule" size=".05" fromto="0 0 0 .5 0 0"
            material="steel" mass="2"/>
      <body name="hand" pos=".5 0 0"><geom name="palm" size=".1"/>
        <camera name="eye" pos="0 0 .2"/></body>
    </body>
    <body name="ball" pos="0 1 .1"><freejoint/><geom size=".1" mass="1"/></body>
  </worldbody>
  <actuator><motor name="lift" joint="elbow"/></actuator>
</mujoco>
"""
LONGER = MODEL.replace('<body name="arm"', '<body name="new"/><body name="arm"')


def crowd(size: int) -> str:
    """A model of many bodies."""
    many = f"<replicate count='{size}'><body><geom size='.1'/></body></replicate>"
    apart = "<option><flag contact='disable'/></option>"
    return f"<mujoco>{apart}<worldbody>{many}</worldbody></mujoco>"


def loaded(model: str | mujoco.MjModel) -> mujoco.MjModel:
    if isinstance(model, str):
        return mujoco.MjModel.from_xml_string(model)
    return model


class Desk:
    """The window with the viewer's buffers, and a person before it."""

    def __init__(self, model: mujoco.MjModel, height: float) -> None:
        self.height = height
        self.places: dict[str, tuple[float, ...]] = {}
        self.perturb = mujoco.MjvPerturb()
        self.camera = mujoco.MjvCamera()
        self.sent: list[Any] = []
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        self.send_to_sim = self.sent.append
        viewer = cast("Any", self)
        self.scope = Scope(viewer, Controls(viewer), Lenses(viewer))
        self.panel = Hierarchy()
        self.load(model)

    def load(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        self.panel.on_model(self.scope)
        self.frames()

    def frame(self) -> None:
        self.places.clear()
        with self.ui.frame(WIDTH, self.height, 1, 1 / 60), self.ui.guard("panel"):
            imgui.set_next_window_pos(ImVec2(0, 0))
            imgui.set_next_window_size(ImVec2(WIDTH, self.height))
            imgui.begin("hierarchy", flags=imgui.WindowFlags_.no_decoration)
            self.panel.update(self.scope)
            self.panel.draw(self.scope)
            imgui.end()

    def frames(self, count: int = 4) -> None:
        for _ in range(count):
            self.frame()

    def do(self, *events: dict[str, Any]) -> None:
        self.input.apply(events)
        self.frames(len(events) + 3)

    def rows(self) -> list[str]:
        """The IDs of the rows that can be seen, from the top."""
        shown = [label for label in self.places if label.startswith("###")]
        return [label[3:] for label in shown if label[3:4].islower()]

    def click(self, label: str, *, dx: float = 60, b: int = 0, times: int = 1) -> None:
        """Clicks what is labelled so, `dx` from its left edge."""
        full = next(known for known in self.places if known.endswith(label))
        low_x, low_y, _, high_y = self.places[full]
        x, y = low_x + dx, (low_y + high_y) / 2
        self.do({"t": "move", "x": x, "y": y})
        for _ in range(times):
            where = {"b": b, "x": x, "y": y, "m": 0}
            self.do({"t": "down", **where}, {"t": "up", **where})

    def choose(self, row: str, **how: Any) -> None:
        self.click(f"###{row}", **how)

    def type(self, text: str) -> None:
        self.click("##search", dx=20)
        self.do({"t": "text", "s": text})

    def press(self, *codes: str) -> None:
        for code in codes:
            key = {"t": "key", "code": code, "key": code, "m": 0}
            self.do({**key, "d": 1}, {**key, "d": 0})

    def id(self, kind: int, name: str) -> int:
        return mujoco.mj_name2id(self.model, kind, name)


@pytest.fixture
def desk(monkeypatch):
    made: list[Desk] = []

    def watch(name):
        draw = getattr(imgui, name)

        def drawn(label, *args, **kwargs):
            result = draw(label, *args, **kwargs)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            if made:
                made[-1].places[label] = (low.x, low.y, high.x, high.y)
            return result

        monkeypatch.setattr(imgui, name, drawn)

    for name in WATCHED:
        watch(name)

    def make(model=MODEL, height=HEIGHT):
        here = Desk(loaded(model), height)
        made.append(here)
        here.frames()
        return here

    yield make
    for each in made:
        each.ui.close()


def test_the_world_is_open_and_the_rest_is_not(desk):
    assert desk().rows() == [
        "body 0", "geom 0", "body 1", "body 3", "actuator -1", "material -1",
    ]  # fmt: skip


def test_the_arrow_opens_and_closes_without_selecting(desk):
    here = desk()
    here.choose("body 1", dx=18)
    assert "geom 1" in here.rows()
    assert "joint 0" in here.rows()
    assert here.panel.selected is None
    here.choose("body 1", dx=18)
    assert "geom 1" not in here.rows()


def test_a_click_on_a_body_selects_it_in_the_view(desk):
    here = desk()
    here.choose("body 1")
    assert here.perturb.select == 1
    assert here.panel.selected == (BODY, 1)


def test_an_element_of_a_body_selects_that_body_in_the_view(desk):
    here = desk()
    here.choose("body 1", dx=18)
    here.choose("joint 0")
    assert here.panel.selected == (JOINT, 0)
    assert here.perturb.select == 1
    here.frames()
    assert here.panel.selected == (JOINT, 0)


def test_what_is_of_no_body_leaves_the_view_s_selection(desk):
    here = desk()
    here.choose("body 1")
    here.choose("actuator -1")
    here.choose("actuator 0")
    assert here.panel.selected == (MOTOR, 0)
    assert here.perturb.select == 1


def test_a_selection_in_the_view_opens_what_is_above_its_row(desk):
    here = desk()
    hand = here.id(BODY, "hand")
    here.perturb.select = hand
    here.frames()
    assert f"body {hand}" in here.rows()
    assert here.panel.selected == (BODY, hand)


def test_a_selection_in_the_view_scrolls_to_its_row(desk):
    here = desk(crowd(500))
    assert "body 400" not in here.rows()
    here.perturb.select = 400
    here.frames()
    assert "body 400" in here.rows()
    low, high = here.places["###body 400"][1::2]
    assert 0 < low < high < HEIGHT / 2


def test_only_rows_in_sight_are_drawn(desk):
    here = desk(crowd(2000))
    here.click("###Open all", dx=5)
    assert 10 < len(here.rows()) < 40


def test_deselecting_in_the_view_deselects_here(desk):
    here = desk()
    here.choose("body 1")
    here.perturb.select = 0
    here.frames()
    assert here.panel.selected is None


def test_a_selection_in_the_view_ends_a_search_that_hides_it(desk):
    here = desk()
    here.type("ball")
    here.perturb.select = 1
    here.frames()
    assert "body 1" in here.rows()
    assert "actuator -1" in here.rows()


def test_the_search_leaves_matches_with_what_is_above_them(desk):
    here = desk()
    here.type("PALM")
    assert here.rows() == ["body 0", "body 1", "body 2", "geom 2"]


def test_the_search_can_ask_for_a_kind(desk):
    here = desk()
    here.type("type:camera")
    assert here.rows() == ["body 0", "body 1", "body 2", "camera 0"]


def test_a_search_without_a_match_says_so(desk):
    here = desk()
    here.type("no such thing")
    assert here.rows() == []


def test_all_can_be_opened_and_closed(desk):
    here = desk()
    here.click("###Open all", dx=5)
    assert "camera 0" in here.rows()
    assert "material 0" in here.rows()
    here.click("###Close all", dx=5)
    assert here.rows()[:4] == ["body 0", "geom 0", "body 1", "body 3"]


def test_the_arrows_walk_open_and_close_and_enter_selects(desk):
    here = desk()
    here.choose("geom 0")
    here.press("ArrowDown", "ArrowRight", "ArrowRight", "Enter")
    assert here.panel.selected == (JOINT, 0)
    here.press("ArrowLeft", "ArrowLeft")
    assert "joint 0" not in here.rows()
    here.press("Home", "Enter")
    assert here.panel.selected == (BODY, 0)


def test_the_arrows_are_the_tree_s_only_while_a_person_works_in_it(desk):
    here = desk()
    here.scope.taken_keys = frozenset()
    here.choose("geom 0")
    assert imgui.Key.left_arrow in here.scope.taken_keys
    assert imgui.Key.space not in here.scope.taken_keys
    here.do({"t": "leave"})
    here.scope.taken_keys = frozenset()
    here.do({"t": "leave"})
    assert not here.scope.taken_keys


def test_a_double_click_looks_at_a_body(desk):
    here = desk()
    here.camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
    here.choose("body 3", times=2)
    assert here.camera.type == mujoco.mjtCamera.mjCAMERA_FREE
    assert here.camera.lookat.tolist() == here.data.xpos[3].tolist()


def test_a_double_click_looks_through_a_camera(desk):
    here = desk()
    here.type("eye")
    here.choose("camera 0", dx=120, times=2)
    assert here.camera.type == mujoco.mjtCamera.mjCAMERA_FIXED
    assert here.camera.fixedcamid == 0


def test_the_menu_tracks_a_body(desk):
    here = desk()
    here.choose("body 3", b=1)
    here.click("Track with the camera", dx=10)
    assert here.camera.type == mujoco.mjtCamera.mjCAMERA_TRACKING
    assert here.camera.trackbodyid == 3


def test_the_menu_copies_the_path(desk):
    here = desk()
    here.type("palm")
    here.choose("geom 2", dx=120, b=1)
    here.click("Copy path", dx=10)
    assert here.input.take_clipboard() == "world/arm/hand/palm"


def test_an_edit_keeps_what_is_open_and_selected_by_name(desk):
    here = desk()
    here.choose("body 1", dx=18)
    here.choose("geom 1")
    here.perturb.select = 2  # as the viewer follows the body by its name
    here.load(loaded(LONGER))
    assert here.panel.selected == (GEOM, here.id(GEOM, "bone"))
    assert "joint 0" in here.rows()


def test_another_model_leaves_nothing_behind(desk):
    here = desk()
    here.choose("body 1", dx=18)
    here.choose("joint 0")
    here.perturb.select = 0
    here.load(loaded("<mujoco/>"))
    assert here.panel.selected is None
    assert here.rows() == ["body 0"]


def test_a_model_without_anything_is_no_trouble(desk):
    here = desk("<mujoco/>")
    here.choose("body 0")
    assert here.panel.selected == (BODY, 0)
    assert here.perturb.select == 0


def test_the_properties_lead_to_other_elements(desk):
    here = desk()
    here.choose("body 1", dx=18)
    here.choose("geom 1")
    here.click("Pose", dx=30)  # folded, so that what is below comes into sight
    here.click("State", dx=30)
    link = next(label for label in here.places if label.startswith("arm##"))
    here.click(link, dx=5)
    assert here.panel.selected == (BODY, 1)


def test_groups_of_properties_fold_and_that_is_remembered(desk):
    here = desk()
    here.choose("body 1")
    assert "xpos" in here.places
    here.click("State", dx=30)
    assert "xpos" not in here.places
    kept = here.panel.keeps()
    assert "State" in kept["folded"]
    fresh = Hierarchy()
    fresh.restore(kept)
    assert fresh.keeps() == kept
    fresh.restore({"folded": 7})
    fresh.restore({"folded": [None, "no such group"]})
    assert fresh.keeps() == {"folded": []}


def test_a_field_can_be_copied_as_code(desk):
    here = desk()
    here.choose("body 1")
    here.click("xpos", dx=5, b=1)
    here.click("Copy data.xpos[1]###code", dx=10)
    assert here.input.take_clipboard() == "data.xpos[1]"
    here.click("xpos", dx=5, b=1)
    here.click("Copy value", dx=10)
    assert here.input.take_clipboard() == "[0.0, 0.0, 1.0]"


def test_live_values_follow_the_simulation(desk):
    here = desk()
    here.choose("body 3")
    before = set(here.places)
    here.data.xpos[3] = 7.25
    here.frames()
    moved = [label for label in set(here.places) - before if "7.250" in label]
    assert len(moved) == 1
    assert moved[0].endswith(" m")


def test_looking_sends_nothing(desk):
    here = desk()
    for kind in elements.KINDS:
        if elements.count(here.model, kind):
            here.panel.choose(here.scope, Element(kind, 0))
            here.frames()
    assert here.sent == []


def test_values_that_move_differ_in_few_bytes(desk):
    here = desk()
    here.choose("body 1")
    encoder = DrawListEncoder(here.ui)
    sizes = []
    for i in range(40):
        for _ in range(20):
            mujoco.mj_step(here.model, here.data)
        here.frame()
        sizes.append(len(encoder.encode(full=i == 0) or b""))
    assert 0 < np.median(sizes[5:]) < 1500


@pytest.mark.parametrize(
    "path",
    [
        "humanoid/humanoid.xml", "car/car.xml", "cube/cube_3x3x3.xml",
        "flex/pulley.xml", "flex/trampoline.xml", "replicate/tendon.xml",
        "slider_crank/slider_crank.xml", "surfacevel/carousel.xml", "mug/mug.xml",
    ],
)  # fmt: skip
def test_all_of_real_models_can_be_read(desk, path, shared_models):
    """Draws every line about the first and the last element of each kind."""
    model = mujoco.MjModel.from_xml_path(str(shared_models / path))
    here = desk(model, height=12000)
    here.panel.properties.restore({"folded": []})
    for obj in elements.KINDS:
        count = elements.count(model, obj)
        for i in {0, count - 1} if count else ():
            element = Element(obj, i)
            here.panel.choose(here.scope, element)
            here.frames(2)
            for line in here.panel.properties.lines(here.scope, element):
                assert not line.label or line.label in here.places
