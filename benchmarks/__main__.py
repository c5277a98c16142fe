"""`python -m benchmarks`: opens both viewers in turn, measures, prints the table."""

import argparse
import dataclasses
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import machine, ours, peer, reader, report
from benchmarks.browser import VIEW_HEIGHT, VIEW_WIDTH, running_browser
from benchmarks.figures import Figures, Plan
from studio_nb import models
from tests.browser.lab import running_lab

ROOT = Path(__file__).resolve().parent.parent

NOTES = f"""
- Both views are {VIEW_WIDTH} x {VIEW_HEIGHT} CSS pixels in the same Chromium, one after
  the other, each in a context with nothing stored.
- The first picture counts from the page's navigation (web viewer, its server up) or
  from the run of the `%studio` cell (JupyterLab open, extension loaded) to the moment
  when the model, its textures on it, reaches the screen. "Opened again" is a fresh page
  of the same browser.
- Bytes are what the page received until then: HTTP and WebSockets of the web viewer; of
  ours all messages of the kernel's WebSocket, with JSON, Jupyter's framing and its own
  messages, and what scripts JupyterLab loads for the widget.
- Frames are those that reached the screen. studio_nb lowers resolution, shadows and
  shading while frames are slow, and draws a still picture at full quality.
- Panels are each one's own by default; the web viewer's have more in them.
- Processor time of the web viewer is its server's, physics included; of ours the
  kernel's, and beside it that of JupyterLab's server, which passes the messages on.
- "The page is elsewhere": a reader that answers the kernel and draws nothing.
"""


def parser() -> argparse.ArgumentParser:
    """The options."""
    out = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    out.add_argument(
        "--model", type=Path, default=models.path("humanoid"), help="a model file"
    )
    out.add_argument("--rounds", type=int, default=3, help="of both; the median counts")
    out.add_argument("--quick", action="store_true", help="one short round, to try it")
    out.add_argument("--json", type=Path, help="a file for all figures of all rounds")
    return out


def main() -> int:
    """Measures and prints."""
    options = parser().parse_args()
    model = options.model.resolve()
    if not model.is_file():
        print(f"--model {options.model}: there is no such file", file=sys.stderr)
        return 2
    if options.quick:
        rounds, plan = 1, Plan(model, warm_up_s=1.0, window_s=3.0)
        physics_rounds, physics_s = 3, 0.5
    else:
        rounds, plan = max(1, options.rounds), Plan(model, warm_up_s=5.0, window_s=10.0)
        physics_rounds, physics_s = 9, 2.0

    say(f"the physics alone, {physics_rounds} rounds")
    read, _ = reader.physics(model, ROOT, physics_rounds, physics_s)
    theirs: list[Figures] = []
    mine: list[Figures] = []
    loads = [machine.load()]
    with (
        tempfile.TemporaryDirectory(prefix="studio_nb-bench-") as name,
        running_lab(Path(name) / "lab") as lab,
        running_browser() as browser,
    ):
        about = machine.describe(browser)
        for number in range(rounds):
            say(f"round {number + 1} of {rounds}: the web viewer")
            folder = Path(name) / f"round-{number}"
            folder.mkdir()
            theirs.append(peer.measure(browser, plan, folder))
            loads.append(machine.load())
            say(f"round {number + 1} of {rounds}: studio_nb")
            with ours.running_bench(browser, lab, plan) as bench:
                mine.append(bench.measure())
                parts = bench.parts
                loads.append(machine.load())
                if number == rounds - 1:
                    say("the physics beside a page that draws")
                    drawn = bench.physics(ROOT, physics_rounds, physics_s)
    lines = report.rows(Figures.median(theirs), Figures.median(mine))
    print(report.heading(model.name, about, loads, rounds))
    print(report.table(lines))
    print()
    print(report.physics_table({"is elsewhere": read, "draws beside it": drawn}))
    print("\nTo the first picture of studio_nb:", report.parts(parts[0]))
    print("Opened again:", report.parts(parts[1]))
    print(NOTES)
    if options.json:
        result: dict[str, Any] = {
            "model": str(model),
            "machine": about,
            "load": loads,
            "web_viewer": [dataclasses.asdict(figures) for figures in theirs],
            "studio_nb": [dataclasses.asdict(figures) for figures in mine],
            "studio_nb_parts": parts,
            "physics_page_elsewhere": read,
            "physics_page_draws": drawn,
        }
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


def say(text: str) -> None:
    """Tells the person what goes on; the table alone goes to standard output."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
