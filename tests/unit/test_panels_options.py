"""The sections of the Options as a person has them: what they do, and to whom."""

import math
import os
import re
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages
from mujoco.studio.sim import PauseState

from studio_nb.app.panels import (
    groups,
    physics,
    rendering,
    simulation,
    structs,
    visualization,
)
from tests.unit.optioned import Bench

MODEL = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1" group="3"/>
    <camera name="side" pos="0 -2 1" xyaxes="1 0 0 0 .5 1" fovy="30"/>
    <camera name="flat" pos="0 0 3" projection="orthographic" fovy="2"/>
    <body name="bob" pos="0 0 1"><freejoint/><geom size=".1"/></body>
    <body name="hand" mocap="true" pos="0 0 2"><geom size=".05"/></body>
  </worldbody>
  <keyframe><key name="up" qpos="0 0 2 1 0 0 0"/><key/></keyframe>
</mujoco>
"""
EMPTY = "<mujoco/>"
PANELS = (
    simulation.Simulation,
    physics.Physics,
    rendering.Rendering,
    groups.Groups,
    visualization.Visualization,
)
RENDER_FLAGS_TS = Path(__file__).parents[2] / "js" / "src" / "scene" / "description.ts"


@pytest.fixture
def bench(monkeypatch):
    made = []

    def make(panel, xml=MODEL, **options):
        made.append(Bench(panel(), xml, monkeypatch, **options))
        return made[-1]

    yield make
    for each in made:
        each.ui.close()


@pytest.mark.parametrize("xml", [MODEL, EMPTY])
@pytest.mark.parametrize("panel", PANELS)
def test_looking_changes_nothing(bench, panel, xml):
    here = bench(panel, xml)
    here.frames()
    assert here.sent == []
    assert here.model.opt == mujoco.MjModel.from_xml_string(xml).opt


@pytest.mark.parametrize("panel", PANELS)
def test_an_exchanged_model_leaves_nothing_behind(bench, panel):
    here = bench(panel)
    here.model = mujoco.MjModel.from_xml_string(EMPTY)
    here.data = mujoco.MjData(here.model)
    here.panel.on_model(here.scope)
    here.frames()
    assert here.sent == []


@pytest.mark.parametrize("panel", PANELS)
def test_what_is_kept_can_be_restored_and_rubbish_is_distrusted(bench, panel):
    here = bench(panel)
    kept = here.panel.keeps()
    fresh = panel()
    fresh.restore(kept)
    assert fresh.keeps() == kept
    for value in (None, 7, [None], {"a": 1}, ["x", 3]):
        fresh.restore(dict.fromkeys([*kept, "other"], value))
    here.panel = fresh
    here.frames()


@pytest.mark.parametrize(
    "panel", [physics.Physics, rendering.Rendering, visualization.Visualization]
)
def test_only_what_is_seen_is_drawn(bench, panel):
    here = bench(panel)
    whole = len(here.places)
    here.height = 60
    here.frames()
    assert 0 < len(here.places) < whole


class TestSimulation:
    """Run, step, speed, keyframes, threads."""

    @pytest.fixture
    def here(self, bench):
        return bench(simulation.Simulation)

    def test_run_pauses_and_goes_on(self, here):
        here.click(here.place("Pause"))
        assert here.sent[-1].pause_state == PauseState.NORMAL_PAUSED
        here.click(here.place("Run"))
        assert here.sent[-1].pause_state == PauseState.UNPAUSED

    def test_step_pauses_and_steps(self, here):
        here.click(here.place("Step"))
        assert here.sent[0].pause_state == PauseState.NORMAL_PAUSED
        assert isinstance(here.sent[1], messages.SingleStepEvent)

    def test_reset_and_reload(self, here):
        here.click(here.place("Reset"))
        here.click(here.place("Reload"))
        assert here.sent == [
            messages.ResetEvent(key=None),
            messages.LoadModelEvent(path="model.xml"),
        ]

    def test_align_looks_at_the_whole_model(self, here):
        here.camera.distance = 999.0
        here.click(here.place("Align"))
        assert here.camera.distance < 10

    def test_the_speed_is_chosen_and_one_that_is_not_listed_is_shown(self, here):
        here.choose("speed", "25 %")
        assert here.sent[-1].speed == 25.0
        here.scope.controls.follow(messages.StepControlSnapshot(speed=33.0))
        here.frames()
        here.choose("speed", "max")
        assert math.isinf(here.sent[-1].speed)

    def test_the_measured_speed_keeps_its_length(self, here, monkeypatch):
        shown = []
        monkeypatch.setattr(
            simulation.widgets,
            "text",
            lambda name, value, *_: shown.append(value) if name == "measured" else 0,
        )
        for measured in (-1.0, 8.0, 99.96, 1000.0):
            state = messages.StepControlSnapshot(speed_measured=measured)
            here.scope.controls.follow(state)
            here.frame()
        assert [text.strip() for text in shown] == [
            "\N{EN DASH} %",
            "8.0 %",
            "100.0 %",
            "1000.0 %",
        ]
        assert len({len(text) for text in shown}) == 1

    def test_choosing_a_keyframe_does_not_go_there(self, here):
        here.choose("keyframe", "up")
        assert here.sent == []
        here.click(here.place("Load"))
        assert here.sent == [messages.ResetEvent(key=0)]

    def test_save_writes_the_state_into_the_chosen_keyframe(self, here):
        here.data.qpos[0] = 0.25
        here.click(here.place("Save"))
        assert here.sent == []
        here.choose("keyframe", "key 1")
        here.click(here.place("Save"))
        (event,) = here.sent
        assert isinstance(event, messages.KeyframeEvent)
        assert event.key == 1
        assert here.model.key_qpos[1, 0] == 0.25

    def test_copy_gives_a_key_that_mujoco_reads_back(self, here):
        here.data.qpos[:3] = 1 / 3, -2e-9, 4.0
        here.data.time = 0.1
        here.data.mocap_pos[0, 0] = 7.0
        here.choose("keyframe", "up")
        here.click(here.place("Copy"))
        line = here.copied()
        text = re.sub("<key name.*?/>", line.replace("\\", r"\\"), MODEL, count=1)
        key = mujoco.MjModel.from_xml_string(text).key("up")
        assert key.qpos.tolist() == here.data.qpos.tolist()
        assert key.mpos.tolist() == here.data.mocap_pos[0].tolist()
        assert key.time == 0.1

    def test_a_model_without_keyframes_has_nothing_to_save_into(self, bench):
        here = bench(simulation.Simulation, EMPTY)
        here.click(here.place("Save"))
        assert here.sent == []

    @pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="has one core")
    def test_threads_are_given_to_each_model(self, here):
        here.type(here.value("threads"), "2")
        assert here.sent == [messages.ThreadPoolEvent(nthread=2)]
        here.panel.on_model(here.scope)
        assert here.sent[1:] == [messages.ThreadPoolEvent(nthread=2)]


class TestPhysics:
    """All of mjOption."""

    @pytest.fixture
    def here(self, bench):
        return bench(physics.Physics)

    def test_every_field_is_shown(self, here):
        for title in physics.FIELDS:
            if title not in here.panel.keeps()["unfolded"]:
                here.unfold(title)
        fields = set(structs.names(here.model.opt)) - set(physics.BITS)
        shown = {text.split(" ")[0] for text in here.places}
        assert len(fields) > 20
        assert fields <= shown

    def test_every_flag_is_shown(self, here):
        for title in ("Features", "Extras", "Actuator groups"):
            here.unfold(title)
        assert all(here.shows(f) for f in ("constraint", "multiccd", "energy", "5"))
        bits = {1 << box.index for box in physics.FEATURES}
        assert bits == {1 << i for i in range(int(mujoco.mjtDisableBit.mjNDISABLE))}
        names = {
            name.removeprefix("mjENBL_").lower()
            for name in mujoco.mjtEnableBit.__members__
            if name.startswith("mjENBL_")
        }
        assert {box.label for box in physics.EXTRAS} == names

    def test_a_typed_timestep_is_sent(self, here):
        here.type(here.value("timestep"), "0.004")
        assert here.options().timestep == 0.004
        assert here.model.opt.timestep == 0.004

    @pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "", "x"])
    def test_a_timestep_that_makes_no_sense_cannot_be_entered(self, here, text):
        here.type(here.value("timestep"), text)
        for message in here.sent:
            assert 0 < message.opt.timestep <= 1
        assert 0 < here.model.opt.timestep <= 1

    def test_what_is_sent_is_not_changed_by_the_next_edit(self, here):
        here.type(here.value("timestep"), "0.004")
        here.type(here.value("timestep"), "0.005")
        assert here.sent[0].opt.timestep == 0.004

    @pytest.mark.parametrize(
        ("field", "name", "value"),
        [
            ("integrator", "rk4", mujoco.mjtIntegrator.mjINT_RK4),
            ("cone", "elliptic", mujoco.mjtCone.mjCONE_ELLIPTIC),
            ("jacobian", "sparse", mujoco.mjtJacobian.mjJAC_SPARSE),
            ("solver", "pgs", mujoco.mjtSolver.mjSOL_PGS),
        ],
    )
    def test_an_algorithm_is_chosen(self, here, field, name, value):
        here.choose(field, name)
        assert getattr(here.options(), field) == value

    def test_a_vector_is_dragged(self, here):
        here.drag(here.value("gravity (m/s\N{SUPERSCRIPT TWO})", 0.95), 60)
        x, y, z = here.options().gravity
        assert (x, y) == (0.0, 0.0)
        assert z > -9.81

    def test_the_numbers_of_a_long_array_have_rows_of_their_own(self, here):
        here.unfold("Contact override")
        here.type(here.value("o_solimp width"), "0.005")
        assert here.options().o_solimp.tolist() == [0.9, 0.95, 0.005, 0.5, 2.0]

    def test_an_unchecked_feature_is_disabled(self, here):
        here.unfold("Features")
        here.click(here.place("gravity", 0.1))
        bit = mujoco.mjtDisableBit.mjDSBL_GRAVITY
        assert here.options().disableflags == bit
        here.click(here.place("gravity", 0.1))
        assert here.options().disableflags == 0

    def test_a_checked_extra_is_enabled(self, here):
        here.unfold("Extras")
        here.click(here.place("energy", 0.1))
        assert here.options().enableflags == mujoco.mjtEnableBit.mjENBL_ENERGY

    def test_what_needs_the_integrator_discrete_goes_with_it(self, here):
        here.unfold("Extras")
        here.click(here.place("ipc", 0.1))
        assert here.sent == []
        here.choose("integrator", "discrete")
        here.click(here.place("ipc", 0.1))
        assert here.options().enableflags == mujoco.mjtEnableBit.mjENBL_IPC
        here.choose("integrator", "euler")
        assert here.options().enableflags == 0

    def test_posing_takes_gravity_and_springs_away_and_gives_them_back(self, here):
        at = here.place("viscous posing mode", 0.1)
        before = here.model.opt.viscosity
        here.click(at)
        posing = here.options()
        bits = mujoco.mjtDisableBit
        assert posing.disableflags == bits.mjDSBL_GRAVITY | bits.mjDSBL_SPRING
        assert posing.viscosity == before + 10.0
        here.click(at)
        assert here.options().disableflags == 0
        assert here.options().viscosity == before

    def test_posing_leaves_off_what_was_off_before(self, here):
        gravity = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        here.model.opt.disableflags = gravity
        at = here.place("viscous posing mode", 0.1)
        here.click(at)
        here.click(at)
        assert here.options().disableflags == gravity

    def test_posing_that_the_model_came_with_goes_off_as_a_whole(self, here):
        bits = mujoco.mjtDisableBit
        opt = here.model.opt
        opt.disableflags = int(bits.mjDSBL_GRAVITY | bits.mjDSBL_SPRING)
        opt.viscosity = 12.0
        here.click(here.place("viscous posing mode", 0.1))
        assert here.options().disableflags == 0
        assert here.options().viscosity == 2.0

    def test_an_unchecked_group_of_actuators_is_disabled(self, here):
        here.unfold("Actuator groups")
        here.click(here.place("4", 0.2))
        assert here.options().disableactuator == 1 << 4

    def test_the_filter_finds_what_is_folded(self, here):
        assert not here.shows("ccd_tolerance")
        here.click((150, here.place("Integration")[1] - 24))
        here.do({"t": "text", "s": "ccd"})
        assert here.shows("ccd_tolerance")
        assert here.shows("nativeccd")
        assert not here.shows("timestep")


class NewOption:
    """A struct of a MuJoCo to come."""

    def __init__(self):
        self.timestep = 0.1
        self.novelty = 3
        self.strength = 0.5
        self.matrix = np.arange(6.0)


def test_a_field_that_no_table_knows_is_shown_all_the_same(bench):
    here = bench(physics.Physics)
    here.panel._groups = physics.groups(NewOption())
    struct: Any = NewOption()
    titles = physics.groups(struct)[physics.UNKNOWN]
    labels = [line.label for line in titles]
    assert labels == [*(f"matrix {i}" for i in range(6)), "novelty", "strength"]


class TestRendering:
    """Labels, frames, flags."""

    @pytest.fixture
    def here(self, bench):
        return bench(rendering.Rendering)

    def test_every_flag_has_a_box(self):
        boxes = [box.index for part in rendering.vis_groups().values() for box in part]
        assert sorted(boxes) == list(range(int(mujoco.mjtVisFlag.mjNVISFLAG)))
        indices = [box.index for box in rendering.RND]
        assert indices == list(range(int(mujoco.mjtRndFlag.mjNRNDFLAG)))

    def test_a_box_flips_its_flag(self, here):
        before = here.vis_options.flags.copy()
        here.click(here.place("Contact point", 0.1))
        (index,) = np.flatnonzero(here.vis_options.flags != before)
        assert index == mujoco.mjtVisFlag.mjVIS_CONTACTPOINT

    def test_a_render_flag_is_flipped(self, here):
        here.click(here.place("Shadow", 0.1))
        assert here.render_flags.flags[mujoco.mjtRndFlag.mjRND_SHADOW] == 0

    def test_what_the_view_cannot_draw_cannot_be_clicked(self, here):
        before = here.render_flags.flags
        here.click(here.place("Depth", 0.1))
        assert here.render_flags.flags == before

    def test_what_cannot_be_drawn_is_what_the_page_has_no_flag_for(self):
        source = RENDER_FLAGS_TS.read_text()
        table = re.search(r"RenderFlag = \{(.*?)\}", source, re.DOTALL)
        assert table is not None
        drawn = set(re.findall(r"(\w+): 1 <<", table[1]))
        names = {name for name, _ in structs.flags(mujoco.mjtRndFlag, "mjRND_")}
        assert names - drawn == names & rendering.NOT_DRAWN

    def test_the_key_stands_in_the_tip(self):
        (shadow,) = (box for box in rendering.RND if box.label == "Shadow")
        assert "Key: S" in shadow.tip

    def test_label_and_frame_are_chosen(self, here):
        here.choose("label", "Geom")
        here.choose("frame", "World")
        assert here.vis_options.label == mujoco.mjtLabel.mjLABEL_GEOM
        assert here.vis_options.frame == mujoco.mjtFrame.mjFRAME_WORLD

    def test_depths_are_set(self, here):
        here.unfold("Levels")
        here.type(here.value("bvh_depth"), "5")
        here.type(here.value("flex_layer"), "2")
        assert (here.vis_options.bvh_depth, here.vis_options.flex_layer) == (5, 2)

    def test_every_other_field_of_mjvoption_has_a_place(self):
        fields = set(structs.names(mujoco.MjvOption())) - {"flags"}
        grouped = {f"{kind}group" for kind in groups.kinds()}
        shown = {line.name for line in rendering.Rendering()._choices}
        shown |= {line.name for line in rendering.Rendering()._depths}
        assert fields == grouped | shown


class TestGroups:
    """The matrix."""

    def test_a_box_shows_a_group(self, bench):
        here = bench(groups.Groups)
        y = here.place("geoms")[1]
        boxes = [r for t, r in here.places.items() if t == "##3" and r[1] < y < r[3]]
        assert not boxes
        rows = [
            here.place(f"{kind}s" if kind != "flex" else "flexes")[1]
            for kind in groups.kinds()
        ]
        assert rows == sorted(rows)
        x = here.places["##3"][0] + 5
        here.click((x, y))
        assert here.vis_options.geomgroup.tolist() == [1, 1, 1, 1, 0, 0]
        assert here.vis_options.sitegroup.tolist() == [1, 1, 1, 0, 0, 0]

    def test_a_name_shows_all_then_hides_all(self, bench):
        here = bench(groups.Groups)
        here.click(here.place("tendons"))
        assert here.vis_options.tendongroup.all()
        here.click(here.place("tendons"))
        assert not here.vis_options.tendongroup.any()

    def test_elements_are_counted(self, bench):
        here = bench(groups.Groups)
        assert groups.count(here.model, "geom", 0) == 2
        assert groups.count(here.model, "geom", 3) == 1
        assert groups.count(here.model, "joint", 0) == 1
        for kind in groups.kinds():
            assert groups.count(here.model, kind, 5) == 0
