"""Single numbers set while the simulation runs: the others are left alone."""

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages, plugin

from studio_nb.sim.patch import StatePatchEvent
from tests.unit.conftest import PENDULUM

QPOS, CTRL = int(mujoco.mjtState.mjSTATE_QPOS), int(mujoco.mjtState.mjSTATE_CTRL)


@pytest.fixture
def session(viewed):
    session, _ = viewed
    session.call(lambda _m, _d: session.stepper.set_paused(True))
    return session


def qpos(session):
    return session.call(lambda _m, d: d.qpos.copy())


def test_only_the_named_numbers_are_set(session):
    before = qpos(session)
    state = np.full(len(before), 99.0)
    state[1] = 0.25
    session.send(StatePatchEvent(state, QPOS, (1,)))
    after = qpos(session)
    assert after[1] == 0.25
    assert (np.delete(after, 1) == np.delete(before, 1)).all()


def test_parts_of_several_kinds_go_in_one_patch(session):
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    state = np.zeros(model.nq + model.nu)
    state[0], state[model.nq] = 0.5, 0.75
    session.send(StatePatchEvent(state, QPOS | CTRL, (0, model.nq)))
    values = session.call(lambda _m, d: (d.qpos[0], d.ctrl[0]))
    assert values == (0.5, 0.75)


def test_a_patch_for_another_model_is_passed_over(session):
    before = qpos(session)
    session.send(StatePatchEvent(np.ones(3), QPOS, (0,)))
    assert (qpos(session) == before).all()


def test_plugins_see_it_as_studios_state_event(session):
    seen = []

    class Watcher(plugin.SimPlugin):
        @messages.handler
        def on_state(self, event: messages.StateEvent) -> None:
            seen.append(event.state.copy())

    session.plugins.add(Watcher())
    state = np.zeros(len(qpos(session)))
    session.send(StatePatchEvent(state, QPOS, (0,)))
    qpos(session)
    assert len(seen) == 1
    assert seen[0][0] == 0.0
