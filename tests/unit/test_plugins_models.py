"""Model sources: functions of cells that make the model."""

import mujoco
import numpy as np
import pytest
from mujoco.studio import messages

import studio_nb
from studio_nb.errors import StudioError
from tests.fakepage import until
from tests.unit.conftest import PENDULUM
from tests.unit.plugged import Cells

BODIES = """
<mujoco><worldbody>{}</worldbody></mujoco>
"""
BALL = "<body name='{0}'><freejoint name='{0}'/><geom size='.1'/></body>"


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


def names(studio):
    """Returns the names of the model's bodies but the world."""
    return studio.call(lambda m, _: [m.body(i).name for i in range(1, m.nbody)])


def test_a_model_source_is_the_model_at_once_and_on_reload(studio):
    bodies = ["a", "b"]

    @studio.model_source
    def scene():
        return mujoco.MjSpec.from_string(
            BODIES.format("".join(map(BALL.format, bodies)))
        )

    assert names(studio) == ["a", "b"]
    studio.step(5)
    bodies.append("c")
    studio.reload()
    assert names(studio) == ["a", "b", "c"]
    assert studio.time == 0
    assert [s.name for s in studio.plugins] == ["scene"]


def test_a_model_source_that_runs_again_keeps_the_state_by_name(studio, cells):
    cells.namespace["studio"] = studio
    source = """
@studio.model_source
def scene():
    spec = mujoco.MjSpec()
    for i, name in enumerate({names}):
        body = spec.worldbody.add_body(name=name, pos=[i, 0, 1])
        body.add_freejoint()
        body.add_geom(size=[.1, .1, .1])
    return spec
"""
    cells.run(source.format(names=["a", "b"]))
    studio.step(20)
    before = studio.call(lambda _m, d: (d.time, d.qpos[7:14].copy(), d.qvel[6:].copy()))
    assert before[2][2] < 0
    cells.run(source.format(names=["new", "b"]))
    time, qpos, qvel = studio.call(lambda _m, d: (d.time, d.qpos.copy(), d.qvel.copy()))
    assert time == before[0]
    np.testing.assert_array_equal(qpos[7:], before[1])
    np.testing.assert_array_equal(qvel[6:], before[2])
    np.testing.assert_array_equal(qpos[:3], (0, 0, 1))
    assert len(studio.plugins) == 1


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        ("None", "returned None"),
        ("3", "cannot be made from a int"),
        ("1/0", "division"),
    ],
)
def test_a_model_source_that_fails_at_first_changes_nothing(
    studio, cells, returned, says
):
    cells.namespace["studio"] = studio
    before = names(studio)
    with pytest.raises((StudioError, ZeroDivisionError), match=says):
        cells.run(f"@studio.model_source\ndef scene(): return {returned}")
    assert names(studio) == before
    assert not len(studio.plugins)


def test_a_model_source_that_fails_on_reload_leaves_the_model(studio):
    broken = []

    @studio.model_source
    def scene():
        if broken:
            msg = "no mesh"
            raise OSError(msg)
        return BODIES.format(BALL.format("only"))

    broken.append(1)
    with pytest.raises(StudioError, match="OSError: no mesh"):
        studio.reload()
    assert names(studio) == ["only"]
    assert any("scene raised OSError" in text for text in studio.errors)
    broken.clear()
    studio.reload()


def test_another_file_ends_the_source_until_it_runs_again(studio, tmp_path):
    (tmp_path / "other.xml").write_text(BODIES.format(BALL.format("other")))
    studio.model_source(lambda: BODIES.format(BALL.format("made")))
    studio.send(messages.LoadModelEvent(path=str(tmp_path / "other.xml")))
    until(lambda: names(studio) == ["other"])
    studio.reload()
    assert names(studio) == ["other"]


def test_a_source_may_return_a_path(studio, tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(BODIES.format(BALL.format("one")))
    calls = []

    @studio.model_source
    def robot():
        calls.append(1)
        return file

    file.write_text(BODIES.format(BALL.format("two")))
    studio.reload()
    assert names(studio) == ["two"]
    assert len(calls) == 2
    assert studio.model_path == str(file)


def test_state_is_kept_where_there_are_no_names(studio, cells):
    cells.namespace["studio"] = studio
    source = """
@studio.model_source
def scene():
    return '''<mujoco><worldbody>
      <body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
        <body pos=".5 0 0"><joint axis="0 1 0"/><geom size="{size}"/></body></body>
    </worldbody></mujoco>'''
"""
    cells.run(source.format(size=".1"))
    studio.step(50)
    before = studio.call(lambda _m, d: d.qpos.copy())
    assert np.abs(before).max() > 0
    cells.run(source.format(size=".2"))
    np.testing.assert_array_equal(studio.call(lambda _m, d: d.qpos.copy()), before)
