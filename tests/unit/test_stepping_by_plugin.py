"""A plugin that consumes StepEvent steps the simulation: it counts as if we had."""

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages, plugin

import studio_nb
from studio_nb.errors import StudioError
from studio_nb.sim import stepping
from tests.unit.conftest import PENDULUM


class Own(plugin.SimPlugin):
    """Steps while the session runs, or always."""

    def __init__(self, *, stands: bool = False):
        self.stands = stands

    @messages.handler
    def on_step(self, event: messages.StepEvent) -> bool:
        if not self.stands:
            mujoco.mj_step(event.model, event.data)
        return True


@pytest.fixture
def studio():
    with studio_nb.open(PENDULUM, view=False, paused=True) as studio:
        yield studio


def test_its_steps_are_counted_and_recorded(studio):
    studio.add(Own())
    studio.step(5)
    studio.remove("Own")
    history = studio.history
    assert len(history) >= 5
    assert studio.stats()["steps"] == len(history)
    np.testing.assert_allclose(np.diff(history.time), 0.002)


def test_run_returns_when_it_got_there(studio):
    studio.add(Own())
    assert studio.run(0.1) >= 0.0999


def test_who_waits_for_one_that_stands_still_is_told(studio, monkeypatch):
    monkeypatch.setattr(stepping, "_STANDSTILL_SEC", 0.05)
    studio.add(Own(stands=True))
    with pytest.raises(StudioError, match="stands still"):
        studio.step(3)
    studio.remove("Own")
    studio.step(3)
    assert studio.time == pytest.approx(0.006)
