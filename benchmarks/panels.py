"""What the panels cost: viewer-thread time a frame, and bytes of `/ui` a second.

`python -m benchmarks.panels [MODEL]` builds the app without a page, over data that goes
on between frames as it does at 15 frames of panels a second, and prints a table.
"""

import argparse
import dataclasses
import statistics
import time
from pathlib import Path

import mujoco
from mujoco.studio import messages
from mujoco.studio.sim import PauseState

from benchmarks import report
from studio_nb import models
from tests.person import Viewer

# As `studio_nb.viewer` builds panels while the simulation runs.
FRAMES_A_SECOND = 15
_WARM_UP_FRAMES = 30


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one layout; times are medians over its frames."""

    build_s: float
    encode_s: float
    ui_second_bytes: float


def measure(model: Path, frames: int, *, opened: str) -> Cost:
    """Builds and encodes frames of a running simulation.

    Args:
        model: The model file.
        frames: How many.
        opened: "none", "default" or "all" windows and sections.
    """
    viewer = Viewer(model=mujoco.MjModel.from_xml_path(str(model)), height=560)
    try:
        _open(viewer, opened)
        running = messages.StepControlSnapshot(
            pause_state=PauseState.UNPAUSED, speed_measured=100.0
        )
        viewer.dispatch(running)
        steps = max(1, round(1 / FRAMES_A_SECOND / viewer.model.opt.timestep))
        builds, encodes, sent = [], [], 0
        for number in range(_WARM_UP_FRAMES + frames):
            mujoco.mj_step(viewer.model, viewer.data, nstep=steps)
            begin = time.perf_counter()
            viewer.frame()
            built = time.perf_counter()
            packet = viewer.encoder.encode(number == 0)
            done = time.perf_counter()
            if number >= _WARM_UP_FRAMES:
                builds.append(built - begin)
                encodes.append(done - built)
                sent += len(packet or b"")
    finally:
        viewer.ui.close()
    return Cost(
        statistics.median(builds),
        statistics.median(encodes),
        sent / frames * FRAMES_A_SECOND,
    )


def _open(viewer: Viewer, opened: str) -> None:
    for window in viewer.app.windows.all:
        if opened == "all":
            window.open = True
            window.unfolded = {panel.title for panel in window.panels}
        elif opened == "none":
            window.open = False


def table(costs: dict[str, Cost]) -> str:
    """The markdown table."""
    lines = [
        "| panels | built in | encoded in | /ui while it runs |",
        "| --- | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {name} | {report.milliseconds(cost.build_s)} | "
        f"{report.milliseconds(cost.encode_s)} | {report.rate(cost.ui_second_bytes)} |"
        for name, cost in costs.items()
    ]
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.panels")
    options.add_argument("model", type=Path, nargs="?", default=models.path("humanoid"))
    options.add_argument("--frames", type=int, default=300)
    chosen = options.parse_args()
    layouts = {"all folded": "none", "as they open": "default", "all open": "all"}
    costs = {
        name: measure(chosen.model, chosen.frames, opened=opened)
        for name, opened in layouts.items()
    }
    print(table(costs))


if __name__ == "__main__":
    main()
