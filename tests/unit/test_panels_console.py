"""Console, profiler and info as a person uses them."""

from typing import Any

import mujoco
import numpy as np
import pytest
from imgui_bundle import imgui, implot

from studio_nb.app.panels import console as console_panel
from studio_nb.app.panels import info
from studio_nb.app.panels.info import Rates
from studio_nb.sim.profile import (
    TIMERS,
    ProfileRequest,
    ProfileSnapshot,
    StepProfiler,
)
from tests.person import Viewer

MODEL = """
<mujoco model="ball">
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .09"><freejoint/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""

TRACEBACK = """Traceback (most recent call last):
  File "gains.py", line 3, in on_gui
KeyError: 'kp'
while the panel 'Gains' was drawn"""


@pytest.fixture
def viewer():
    viewer = Viewer(xml=MODEL, height=560)
    yield viewer
    viewer.ui.close()


def rows_of(viewer):
    """Returns the lines that the Console lists."""
    (panel,) = viewer.app.windows["Console"].panels
    return [text for _, text, _ in panel._rows]


def open_window(viewer, title):
    viewer.app.windows[title].open = True
    viewer.app.windows[title].comes_up = True
    viewer.frames()
    return viewer.app.windows[title].panels[0]


def click_in(viewer, window, label):
    viewer.click(*viewer.centre_of(window, label))


class TestConsole:
    """The list of what was said."""

    @pytest.fixture
    def panel(self, viewer):
        viewer.console.add("info", "studio_nb", "loaded")
        viewer.console.add("warning", "MuJoCo", "Nan in QACC")
        viewer.console.add("error", "Gains.on_gui", TRACEBACK)
        return open_window(viewer, "Console")

    def test_it_lists_what_was_said(self, viewer, panel):
        assert panel.title in viewer.windows()
        assert rows_of(viewer) == ["loaded", "Nan in QACC", "KeyError: 'kp'"]

    def test_looking_at_it_resets_the_counts(self, viewer, panel):
        assert panel.title in viewer.windows()
        assert viewer.console.unseen("error") == 0

    def test_levels_are_hidden_and_remembered(self, viewer, panel):
        panel.shown = {"error"}
        viewer.frames()
        assert rows_of(viewer) == ["KeyError: 'kp'"]
        again = console_panel.Console()
        again.restore(panel.keeps())
        assert again.shown == {"error"}

    def test_the_filter_looks_at_source_and_text_whatever_the_case(self, viewer, panel):
        for query, found in (("mujoco", 1), ("KP", 1), ("nothing", 0), ("", 3)):
            panel.query = query
            viewer.frames()
            assert len(rows_of(viewer)) == found

    def test_a_traceback_unfolds_by_a_click(self, viewer, panel):
        record = viewer.console.records()[-1]
        panel._unfolded.add(record)
        viewer.frames()
        assert rows_of(viewer)[2:] == ["KeyError: 'kp'", *TRACEBACK.split("\n")]

    def test_what_unfolds_stays_in_sight_and_what_is_new_is_scrolled_to(self, viewer):
        for i in range(50):
            viewer.console.add("info", "loop", str(i))
        lines = "\n".join(["head", *map(str, range(50))])
        viewer.console.add("error", "loop", lines)
        panel = open_window(viewer, "Console")

        def scroll():
            with viewer.ui.current() as context:
                (table,) = (w for w in context.windows if "records" in w.name)
                return table.scroll.y, table.scroll_max.y

        at, most = scroll()
        assert at == most > 0
        panel._unfolded.add(viewer.console.records()[-1])
        viewer.frames()
        assert scroll()[0] == at
        assert scroll()[1] > most
        panel._unfolded.clear()
        viewer.frames()
        viewer.console.add("info", "loop", "last")
        viewer.frames()
        assert scroll()[0] == scroll()[1] > most

    def test_copy_takes_what_is_shown(self, viewer, panel):
        panel.query = "kp"
        viewer.frames()
        click_in(viewer, "Console", "copy")
        assert viewer.input.take_clipboard().endswith(
            f"ERROR Gains.on_gui: {TRACEBACK}"
        )

    def test_clear_empties_it(self, viewer, panel):
        assert rows_of(viewer)
        click_in(viewer, "Console", "clear")
        assert rows_of(viewer) == []
        assert viewer.console.records() == []
        assert panel.title in viewer.windows()

    def test_ten_thousand_entries_draw_only_what_is_seen(self, viewer, panel):
        for i in range(10_000):
            viewer.console.add("info", "loop", str(i))
        viewer.frames(3)
        assert len(rows_of(viewer)) == 10_000
        with viewer.ui.current():
            vertices = imgui.get_draw_data().total_vtx_count
        assert vertices < 20_000
        assert panel.title in viewer.windows()


class TestStatus:
    """The counts at the end of the bottom row."""

    def test_an_error_is_counted_and_opens_the_console(self, viewer):
        viewer.console.add("error", "x", "y")
        viewer.frames()
        viewer.click(*viewer.centre_of("###bottom", "###error"))
        assert "Console" in viewer.windows()

    @pytest.mark.parametrize(
        ("level", "tip"),
        [
            ("info", "3 messages in the Console"),
            ("warning", "3 warnings in the Console"),
            ("error", "3 errors in the Console"),
        ],
    )
    def test_each_level_is_counted(self, viewer, level, tip):
        for text in "abc":
            viewer.console.add(level, "x", text)
        scope, window = viewer.app.scope, viewer.app.windows["Console"]
        (entry,) = viewer.app.status._counts(scope, window)
        assert (entry.label, entry.text) == ("3", tip)
        viewer.frames()
        assert viewer.centre_of("###bottom", f"###{level}")

    def test_without_any_there_is_the_consoles_own_button(self, viewer):
        assert viewer.centre_of("###bottom", "###console")


class TestProfiler:
    """Times of the parts of a step."""

    def test_it_asks_only_while_it_can_be_seen(self, viewer):
        viewer.frames()
        assert not any(isinstance(m, ProfileRequest) for m in viewer.sent)
        open_window(viewer, "Profiler")
        assert sum(isinstance(m, ProfileRequest) for m in viewer.sent) == 1

    def test_an_answer_is_shown_and_the_next_asked_for(self, viewer):
        panel = open_window(viewer, "Profiler")
        seconds = np.arange(float(len(TIMERS))) * 1e-6
        viewer.dispatch(ProfileSnapshot(0.1, seconds))
        viewer.frames()
        assert panel._last == pytest.approx(np.arange(len(TIMERS)))
        assert sum(isinstance(m, ProfileRequest) for m in viewer.sent) == 2

    def test_the_parts_add_up_to_the_step(self, viewer):
        panel = open_window(viewer, "Profiler")
        seconds = np.full(len(TIMERS), 1e-6)
        seconds[TIMERS.index("STEP")] = 50e-6
        viewer.dispatch(ProfileSnapshot(0.1, seconds))
        assert sum(panel._parts().values()) == pytest.approx(50.0)

    def test_a_model_with_islands_and_one_without_are_drawn(self, viewer):
        for _ in range(50):
            mujoco.mj_step(viewer.model, viewer.data)
        open_window(viewer, "Profiler")
        assert viewer.errors == []

    def test_every_figure_of_an_iteration_is_drawn(self, monkeypatch):
        viewer = Viewer(xml=MODEL, width=2000, height=900)
        drawn = {}
        line = implot.plot_line

        def noting(name, *args):
            drawn[name] = args
            return line(name, *args)

        mujoco.mj_step(viewer.model, viewer.data)
        monkeypatch.setattr(implot, "plot_line", noting)
        open_window(viewer, "Profiler")
        names = {n for n in dir(viewer.data.solver) if not n.startswith("_")}
        assert drawn.keys() >= names
        iterations = viewer.data.solver_niter[0]
        assert iterations > 0
        assert len(drawn["neval"][1]) == iterations
        viewer.ui.close()


class TestStepProfiler:
    """The sim's side."""

    @pytest.fixture
    def sim(self):
        class Handle:
            def __init__(self):
                self.sent = []

            def send_to_viewer(self, message):
                self.sent.append(message)

        profiler: Any = StepProfiler()
        profiler.handle = Handle()
        yield profiler
        mujoco.set_mjcb_time(None)

    @pytest.fixture
    def physics(self):
        model = mujoco.MjModel.from_xml_string(MODEL)
        return model, mujoco.MjData(model)

    def turn(self, sim, physics, steps):
        from mujoco.studio import messages

        sim._on_pre_step(messages.PreStepEvent(*physics))
        for _ in range(steps):
            mujoco.mj_step(*physics)
        sim._on_post_step(messages.PostStepEvent(*physics))

    def test_it_times_a_batch_on_request_and_takes_the_clock_away(self, sim, physics):
        self.turn(sim, physics, 3)
        assert sim.handle.sent == []
        sim._on_request(ProfileRequest())
        self.turn(sim, physics, 3)
        (answer,) = sim.handle.sent
        step = answer.seconds[TIMERS.index("STEP")]
        assert 0 < answer.seconds[TIMERS.index("CONSTRAINT")] < step
        assert mujoco.get_mjcb_time() is None
        self.turn(sim, physics, 3)
        assert len(sim.handle.sent) == 1

    def test_a_batch_without_steps_is_waited_out(self, sim, physics):
        sim._on_request(ProfileRequest())
        self.turn(sim, physics, 0)
        assert sim.handle.sent == []
        self.turn(sim, physics, 1)
        assert len(sim.handle.sent) == 1

    def test_a_reset_on_the_way_is_no_answer(self, sim, physics):
        self.turn(sim, physics, 2)
        sim._on_request(ProfileRequest())
        mujoco.set_mjcb_time(None)
        from mujoco.studio import messages

        sim._on_pre_step(messages.PreStepEvent(*physics))
        mujoco.mj_step(*physics)
        mujoco.mj_resetData(*physics)
        sim._on_post_step(messages.PostStepEvent(*physics))
        assert sim.handle.sent == []

    def test_a_persons_own_clock_stays(self, sim, physics):
        def own():
            return 0.0

        mujoco.set_mjcb_time(own)
        sim._on_request(ProfileRequest())
        self.turn(sim, physics, 1)
        assert mujoco.get_mjcb_time() is own


def figures(viewer):
    """Returns what the Info says of the simulation, by its words."""
    scope, panel = viewer.app.scope, viewer.app._info
    return {
        words: value for words, value, _ in info._simulation(scope, panel._step_sec)
    }


class TestInfo:
    """Figures of model, simulation and streams."""

    def test_it_is_drawn_for_models_of_all_sizes(self, viewer):
        open_window(viewer, "Info")
        assert "Info" in viewer.windows()
        assert viewer.errors == []

    def test_it_asks_how_long_a_step_takes_while_it_can_be_seen(self, viewer):
        viewer.frames()
        assert not any(isinstance(m, ProfileRequest) for m in viewer.sent)
        open_window(viewer, "Info")
        assert any(isinstance(m, ProfileRequest) for m in viewer.sent)
        seconds = np.full(len(TIMERS), 1e-6)
        seconds[TIMERS.index("STEP")] = 0.00125
        viewer.dispatch(ProfileSnapshot(0.1, seconds))
        assert figures(viewer)["CPU"].strip() == "1.250 ms"

    def test_it_tells_the_solvers_error_and_forward_against_inverse(self, viewer):
        assert figures(viewer)["solver error"] == "\N{EN DASH}"
        assert "solver_fwdinv" not in figures(viewer)
        viewer.model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_FWDINV)
        mujoco.mj_step(viewer.model, viewer.data)
        assert viewer.data.solver_niter[0] > 0
        assert float(figures(viewer)["solver error"]) < 0
        assert len(figures(viewer)["solver_fwdinv"].split()) == 2

    def test_rates_are_changes_of_totals_over_time(self, monkeypatch):
        now = [100.0]
        monkeypatch.setattr("time.perf_counter", lambda: now[0])
        rates = Rates()
        rates.update({"bytes": 1000.0})
        now[0] += 2.0
        rates.update({"bytes": 5000.0})
        assert rates.of == {"bytes": 2000.0}
        now[0] += 0.1
        rates.update({"bytes": 9000.0})
        assert rates.of == {"bytes": 2000.0}
