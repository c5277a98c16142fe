"""Physics steps a second: a session that runs as fast as it goes, and a bare loop.

Runs in the kernel that holds the session, so that both have the same process, model and
moment. Rounds alternate, and both take the same steps from the same state: they must
end in the same one.
"""

import copy
import statistics
import time
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

# Long enough for the page to draw its still picture, which takes the processor.
PAUSE_S = 1.5
_PROBE_STEPS = 200


def steps_a_second(model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> float:
    """Takes steps in a bare loop and returns its pace."""
    begin = time.perf_counter()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return steps / (time.perf_counter() - begin)


def compare(
    studio: Any,  # noqa: ANN401 - a `studio_nb.Studio`
    rounds: int,
    seconds: float,
    pause_s: float = PAUSE_S,
) -> list[tuple[float, float]]:
    """Compares a session with a bare loop.

    Args:
        studio: A session; it is paused and reset first.
        rounds: How often.
        seconds: How long each half of a round takes, about.
        pause_s: Rest after each half of a round.

    Returns:
        For each round, the steps a second of the bare loop and of the session.

    Raises:
        RuntimeError: They ended in different states, so the paces mean nothing.
    """
    studio.pause()
    studio.reset()
    model = studio.call(lambda model, _: copy.copy(model))

    def state() -> mujoco.MjData:
        return studio.call(lambda _, data: copy.copy(data))

    pace = steps_a_second(model, state(), _PROBE_STEPS)
    steps = max(1, round(pace * seconds))
    paces = []
    for number in range(rounds):
        data = state()
        # Which of the two comes first alternates: a machine drifts.
        bare = steps_a_second(model, data, steps) if number % 2 else 0.0
        time.sleep(pause_s)
        viewed = _session_pace(studio, steps, model.opt.timestep)
        time.sleep(pause_s)
        bare = bare or steps_a_second(model, data, steps)
        if not np.array_equal(data.qpos, state().qpos):
            message = (
                f"after {steps} steps the session is not where the bare loop is: "
                "is the model disturbed or random?"
            )
            raise RuntimeError(message)
        paces.append((bare, viewed))
    return paces


def _session_pace(studio: Any, steps: int, timestep: float) -> float:  # noqa: ANN401
    before = studio.stats()["steps"]
    begin = time.perf_counter()
    studio.run(steps * timestep)
    seconds = time.perf_counter() - begin
    taken = studio.stats()["steps"] - before
    if taken != steps:
        message = f"the session took {taken} steps for {steps} timesteps"
        raise RuntimeError(message)
    return taken / seconds


def medians(paces: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Medians of the bare loop, of the session, and of the ratio of each round."""
    bare, viewed = zip(*paces, strict=True)
    ratios = [v / b for b, v in paces]
    return (
        statistics.median(bare),
        statistics.median(viewed),
        statistics.median(ratios),
    )
