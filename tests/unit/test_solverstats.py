"""What is told of the solver, against a run of it."""

import mujoco
import numpy as np
import pytest

from studio_nb.app.panels import solverstats

ONE = """<body pos="{x} 0 .09"><freejoint/><geom size=".1"/></body>"""
MODEL = """
<mujoco>
  <worldbody><geom type="plane" size="9 9 .1"/>{bodies}</worldbody>
</mujoco>
"""
FIELDS = ("improvement", "gradient", "lineslope", "nactive", "neval")


def run(count):
    bodies = "".join(ONE.format(x=x) for x in range(count))
    model = mujoco.MjModel.from_xml_string(MODEL.format(bodies=bodies))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    return data


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("name", FIELDS)
def test_a_curve_is_that_of_its_island(count, name):
    data = run(count)
    assert solverstats.islands(data) == count
    for island in range(count):
        first, niter = island * int(mujoco.mjNSOLVER), data.solver_niter[island]
        assert niter > 0
        expected = [getattr(data.solver[first + i], name) for i in range(niter)]
        assert solverstats.curve(data, name, island).tolist() == expected


def test_counts_of_islands_add_up():
    data = run(3)
    curves = [solverstats.curve(data, "neval", i) for i in range(3)]
    assert solverstats.total(data, "neval").sum() == np.concatenate(curves).sum()
    ends = sum(solverstats.curve(data, "nactive", i)[-1] for i in range(3))
    assert solverstats.total(data, "nactive")[-1] == ends
    assert solverstats.iterations(data) == sum(map(len, curves))


def test_the_error_is_that_of_the_worst_island():
    data = run(3)
    last = [
        (
            solverstats.curve(data, "improvement", i)[-1],
            solverstats.curve(data, "gradient", i)[-1],
        )
        for i in range(3)
    ]
    worst = max(min(pair) or max(pair) for pair in last)
    assert solverstats.error(data) == pytest.approx(np.log10(max(worst, 1e-15)))


def test_more_islands_than_are_kept_are_no_trouble():
    data = run(30)
    assert data.nisland == 30
    assert solverstats.islands(data) == len(data.solver_niter)
    assert solverstats.error(data) is not None


def test_without_a_run_there_is_no_error():
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    data = mujoco.MjData(model)
    assert solverstats.error(data) is None
    assert solverstats.iterations(data) == 0
    assert len(solverstats.total(data, "nactive")) == 0
