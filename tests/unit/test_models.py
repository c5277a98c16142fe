"""The example models load without a word, run stably, and do what they are for."""

from __future__ import annotations

import importlib.util
import warnings

import mujoco
import numpy as np
import pytest

from studio_nb import models
from tests.conftest import ROOT


def load(name: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_path(str(models.path(name)))
    return model, mujoco.MjData(model)


def run(model: mujoco.MjModel, data: mujoco.MjData, seconds: float) -> None:
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)


def test_the_list_names_every_model_in_the_folder():
    found = {path.stem for path in models.path().parent.glob("*.xml")}
    assert found == set(models.NAMES)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="'robot': there are humanoid, dice"):
        models.path("robot")


@pytest.mark.parametrize("name", models.NAMES)
def test_a_model_loads_and_runs_without_warnings(name: str):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model, data = load(name)
    assert model.opt.timestep == 0.002
    run(model, data, seconds=10)
    assert np.isfinite(data.qpos).all()
    assert data.time == pytest.approx(10)
    assert [warning.number for warning in data.warning] == [0] * len(data.warning)


def test_the_humanoid_keeps_moving_and_keeps_standing():
    model, data = load("humanoid")
    hips = []
    for _ in range(20):
        run(model, data, seconds=0.6)
        hips.append(data.body("pelvis").xpos[2])
    assert min(hips) > 0.8
    assert max(hips) - min(hips) > 0.05


@pytest.mark.parametrize("force", [40, 400])
def test_the_humanoid_stands_a_nudge_and_falls_over_when_shoved(force: float):
    model, data = load("humanoid")
    run(model, data, seconds=1)
    data.body("torso").xfrc_applied[0] = force
    run(model, data, seconds=0.2)
    data.body("torso").xfrc_applied[0] = 0
    run(model, data, seconds=5)
    stands = data.body("head").xpos[2] > 1.2
    assert stands == (force < 100)


def test_the_keyframe_still_is_at_rest():
    model, data = load("humanoid")
    mujoco.mj_resetDataKeyframe(model, data, model.key("still").id)
    start = data.qpos.copy()
    run(model, data, seconds=5)
    assert np.abs(data.qpos - start).max() < 0.01


def test_the_dice_stay_in_the_drum_and_it_turns():
    model, data = load("dice")
    run(model, data, seconds=20)
    assert data.joint("drum").qpos[0] > np.pi
    middle = data.body("drum").xpos
    dice = [i for i in range(model.nbody) if model.body(i).name[-2:-1] == "_"]
    assert len(dice) == 15
    assert np.linalg.norm(data.xpos[dice] - middle, axis=1).max() < 0.4


def test_the_assets_of_the_dice_are_what_their_script_makes():
    script = ROOT / "tools" / "make_dice.py"
    spec = importlib.util.spec_from_file_location("make_dice", script)
    assert spec is not None
    assert spec.loader is not None
    make_dice = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_dice)
    assert (models.path().parent / "assets" / "die.obj").read_text() == make_dice.obj()
    image = make_dice.Image.open(make_dice.ASSETS / "die.png")
    assert np.array_equal(np.asarray(image), make_dice.texture())
