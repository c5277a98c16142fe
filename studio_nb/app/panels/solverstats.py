"""What MuJoCo's solver says of its last run: `mjData.solver` and its kin.

Pure functions of an `MjData`, for the Profiler and the Info.
"""

import math

import mujoco
import numpy as np
import numpy.typing as npt

_KEPT = int(mujoco.mjNSOLVER)
# mjMINVAL of mjtnum.h: what is less counts as this in a logarithm.
_LEAST = 1e-15


def islands(data: mujoco.MjData) -> int:
    """Returns of how many islands there are statistics, at least one."""
    return max(1, min(int(data.nisland), len(data.solver_niter)))


def iterations(data: mujoco.MjData) -> int:
    """Returns the iterations of all islands together."""
    return int(np.sum(data.solver_niter[: islands(data)]))


def curve(data: mujoco.MjData, name: str, island: int) -> npt.NDArray[np.float64]:
    """Returns a figure of each iteration of an island, shape (n,).

    Args:
        data: After a step.
        name: A field of mjSolverStat.
        island: Which island.
    """
    count = min(int(data.solver_niter[island]), _KEPT)
    first = island * _KEPT
    values = getattr(data.solver, name)[first : first + count]
    return np.asarray(values, np.float64)


def total(data: mujoco.MjData, name: str) -> npt.NDArray[np.float64]:
    """Returns a count of each iteration, summed over the islands, shape (n,).

    Args:
        data: After a step.
        name: A field of mjSolverStat. Of nactive, which is a state, islands that
            are done keep their last number; the others count what happened.
    """
    curves = [curve(data, name, island) for island in range(islands(data))]
    summed = np.zeros(max(map(len, curves)))
    for one in curves:
        summed[: len(one)] += one
        if name == "nactive" and len(one):
            summed[len(one) :] += one[-1]
    return summed


def error(data: mujoco.MjData) -> float | None:
    """Returns log10 of how far from solved the worst island ended; None: not run.

    As Studio's InfoGui: the smaller of improvement and gradient, or the larger
    where that is 0, of the last iteration.
    """
    worst = None
    for island in range(islands(data)):
        ends = [curve(data, name, island)[-1:] for name in ("improvement", "gradient")]
        if len(ends[0]):
            both = float(ends[0][0]), float(ends[1][0])
            worst = max(worst or 0.0, min(both) or max(both))
    return None if worst is None else logarithm(worst)


def logarithm(value: float) -> float:
    """Returns log10 of a number that may be too small for one."""
    return math.log10(max(value, _LEAST))
