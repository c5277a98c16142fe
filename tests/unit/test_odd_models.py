"""Models whose names and numbers are odd: shown as they are, and no panel fails."""

import collections
import contextlib

import mujoco
import numpy as np
import pytest
from imgui_bundle import imgui

from studio_nb.app import lenses, row, widgets
from studio_nb.app.panels import (
    actuators,
    equality,
    joints,
    listing,
    sensors,
    series,
    state,
    tendons,
    watch,
)
from studio_nb.ui import UiContext
from tests.bench import MODEL, Bench
from tests.person import Viewer

PANELS = (
    joints.Joints,
    actuators.Controls,
    sensors.Sensors,
    watch.Watch,
    state.State,
    equality.Equality,
    tendons.Tendons,
)
ARRAYS = ("qpos", "qvel", "ctrl", "act", "sensordata", "ten_length", "actuator_force")
FAR = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body><geom size=".1" mass="1"/>
      <joint name="a##b" type="slide" range="-1e40 1e40" limited="true"/>
      <joint name="a##c" axis="0 1 0" range="-1e308 1e308" limited="true"/></body>
  </worldbody>
  <actuator>
    <motor name="100%s" joint="a##b" ctrlrange="-1e300 1e300" ctrllimited="true"/>
    <motor name="%n" joint="a##b" ctrlrange="-inf inf" ctrllimited="true"/>
  </actuator>
  <tendon><fixed name="###" range="-1e300 1e300" limited="true">
    <joint joint="a##b" coef="1"/></fixed></tendon>
  <sensor>
    <user dim="2" name="u##"/><clock cutoff="1e-320"/><user dim="0" name="none"/>
  </sensor>
</mujoco>
"""


@contextlib.contextmanager
def bench(panel, xml):
    here = Bench(panel(), xml)
    yield here
    here.ui.close()


@contextlib.contextmanager
def view(xml, **options):
    viewer = Viewer(xml, **options)
    yield viewer
    viewer.ui.close()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "value", [np.nan, np.inf, -np.inf, 1e308, 1.7e308, 1e39, 5e-324]
)
@pytest.mark.parametrize("xml", [MODEL, FAR])
@pytest.mark.parametrize("panel", PANELS)
def test_no_number_is_too_much_for_a_section(panel, xml, value):
    with bench(panel, xml) as here:
        fields = here.panel.keeps().keys() & {"plots", "watches", "parts", "degrees"}
        odd = {
            "plots": ["angle", "shock", "u##"],
            "watches": [["qpos", True], ["sensordata", True], ["time", True]],
            "parts": [*state.PARTS],
            "degrees": True,
        }
        here.panel.restore({field: odd[field] for field in fields})
        for data in (here.data, here.spare, here.sim):
            for name in ARRAYS:
                getattr(data, name)[:] = value
                getattr(data, name)[::2] *= -1
        here.frames()


@pytest.mark.parametrize("ends", [(-1e308, 1e308), (1e308, 1.7e308), (5e-324, 5e-324)])
def test_a_plot_of_any_numbers_has_finite_limits(ends):
    low, high = series.fitted(*ends, (0.0, 1.0))
    assert -np.inf < low < high < np.inf


@pytest.mark.parametrize("name", ["a##b", "###", "#", "a#b", "100%s", "%n##%d", ""])
def test_a_label_shows_the_whole_name(name):
    context = UiContext()
    with context.frame(400, 300, 1, 1 / 60):
        shown = imgui.calc_text_size(
            widgets.plain(name), hide_text_after_double_hash=True
        )
        assert shown.x == imgui.calc_text_size(name).x
    context.close()


def test_no_two_elements_go_by_the_same_name():
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><sensor><clock name="sensor 1"/><clock/><clock/></sensor></mujoco>'
    )
    found = listing.names(model, mujoco.mjtObj.mjOBJ_SENSOR, model.nsensor)
    assert found == ["sensor 1", "sensor 1 (no name)", "sensor 2"]


def test_the_next_camera_follows_on_a_body_that_does_not_move():
    with view(
        '<mujoco><worldbody><body><geom size=".1"/></body></worldbody></mujoco>'
    ) as viewer:
        viewer.camera.type = mujoco.mjtCamera.mjCAMERA_TRACKING
        viewer.camera.trackbodyid = 1
        viewer.press("BracketRight")
        assert viewer.app.lenses.index == lenses.FLY


def test_a_camera_that_is_gone_counts_as_free():
    with view("<mujoco/>") as viewer:
        viewer.camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        viewer.camera.fixedcamid = 7
        viewer.frames(1)
        assert viewer.app.lenses.name == "Free"


class Counted(collections.UserList):
    """A list that counts how often an element of it was asked for."""

    asked = 0

    def __getitem__(self, i):
        """Counts."""
        self.asked += 1
        return self.data[i]

    def __iter__(self):
        """Goes over all without counting."""
        return iter(self.data)


@pytest.mark.parametrize("value", [9_000, -1])
def test_of_a_long_list_only_what_is_seen_is_laid_out(value):
    options = Counted([(f"key {i}", i) for i in range(10_000)])
    choice = row.Choice("key", "", "key", value, options, lambda _: None, 80.0, 0, 0)
    context = UiContext()
    for _ in range(3):
        with context.frame(400, 300, 1, 1 / 60):
            imgui.begin("window")
            choice._draw_options()
            imgui.end()
    context.close()
    assert 0 < options.asked < 1000
