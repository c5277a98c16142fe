"""Turns the figures into a markdown table with ratios, and into JSON."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence

from benchmarks import physics
from benchmarks.figures import Figures


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table; less is better unless `more_is_better`."""

    what: str
    theirs: float | None
    ours: float | None
    show: Callable[[float], str]
    more_is_better: bool = False
    #: Whether a ratio says something.
    compared: bool = True

    def cells(self) -> list[str]:
        """The line's text."""
        values = [
            "" if value is None else self.show(value)
            for value in (self.theirs, self.ours)
        ]
        return [self.what, *values, self.ratio()]

    def ratio(self) -> str:
        """How many times better or worse ours is, in words; empty where one lacks."""
        if not self.compared or self.theirs is None or self.ours is None:
            return ""
        if self.theirs == self.ours:
            return "the same"
        more = self.ours > self.theirs
        word = "more" if more else "less"
        verdict = "" if more == self.more_is_better else ", worse"
        low, high = sorted((self.theirs, self.ours))
        if low <= 0:
            return f"{'from' if more else 'to'} nothing{verdict}"
        return f"{number(high / low)} x {word}{verdict}"


def number(value: float) -> str:
    """Two significant digits, or all before the point."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    # Rounded first: 0.996 has one digit before the point then.
    digits = 1 - math.floor(math.log10(abs(float(f"{value:.2g}"))))
    return f"{value:,.{max(0, digits)}f}"


def size(value: float) -> str:
    """Bytes in decimal units."""
    for unit, name in ((1e6, "MB"), (1e3, "kB")):
        if value >= unit:
            return f"{number(value / unit)} {name}"
    return f"{value:.0f} B"


def seconds(value: float) -> str:
    """Seconds."""
    return f"{value:.2f} s"


def milliseconds(value: float) -> str:
    """Seconds as milliseconds."""
    return f"{number(1000 * value)} ms"


def percent(value: float) -> str:
    """A share as percent."""
    return f"{number(100 * value)} %"


def rate(value: float) -> str:
    """Bytes a second."""
    return f"{size(value)}/s"


def rows(theirs: Figures, ours: Figures) -> list[Row]:
    """The lines that compare the two viewers."""

    def row(
        what: str,
        name: str,
        show: Callable[[float], str],
        **options: bool,
    ) -> Row:
        return Row(what, getattr(theirs, name), getattr(ours, name), show, **options)

    return [
        row("time to the first picture", "picture_s", seconds),
        row("bytes to the first picture", "picture_bytes", size),
        row("time, opened again", "again_s", seconds),
        row("bytes, opened again", "again_bytes", size),
        row("before that: its server starts, `%load_ext`", "start_s", seconds),
        row("frames a second", "fps", number, more_is_better=True),
        row("browser's processor time, a frame", "browser_frame_s", milliseconds),
        row(
            "drawn at, of the view's resolution", "drawn_scale", percent, compared=False
        ),
        row("scene, a frame", "scene_frame_bytes", size),
        row(
            "a frame's message, its panels and framing included",
            "frame_message_bytes",
            size,
        ),
        row("panels while it runs", "ui_second_bytes", rate),
        row("all streams while it runs", "socket_second_bytes", rate),
        row("all streams while it is paused", "paused_second_bytes", rate),
        row("HTTP requests a second while it runs", "requests_second", number),
        row("server or kernel while it runs, of a core", "cpu_running", percent),
        row("JupyterLab's server while it runs", "relay_cpu_running", percent),
        row("server or kernel while it is paused", "cpu_paused", percent),
        row("JupyterLab's server while it is paused", "relay_cpu_paused", percent),
    ]


def table(lines: Sequence[Row]) -> str:
    """The markdown table."""
    head = ["", "Studio's web viewer", "studio_nb", "ratio"]
    body = [head, ["---", "---:", "---:", "---:"], *(line.cells() for line in lines)]
    return _markdown(body)


def physics_table(measured: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """The table of the physics: as fast as it goes, against a bare loop.

    Args:
        measured: What the page does, and the rounds measured meanwhile.
    """
    lines = [["physics steps a second", "bare `mj_step` loop", "studio_nb", "ratio"]]
    lines.append(["---", "---:", "---:", "---:"])
    for page, paces in measured.items():
        bare, viewed, ratio = physics.medians(paces)
        what = f"with view and history; the page {page}"
        lines.append([what, f"{bare:,.0f}", f"{viewed:,.0f}", percent(ratio)])
    return _markdown(lines)


def parts(counted: Mapping[str, int], most: int = 6) -> str:
    """Says in a line what bytes were for, the most first."""
    named = [f"{name} {size(value)}" for name, value in counted.items()]
    rest = sum(list(counted.values())[most:])
    more = [f"the rest {size(rest)}"] if rest else []
    return ", ".join(named[:most] + more)


def heading(
    model: str, about: Mapping[str, str], loads: Sequence[float], rounds: int
) -> str:
    """The lines above the tables: what was measured where."""
    where = ", ".join(f"{name} {value}" for name, value in about.items())
    load = f"{min(loads):.1f} to {max(loads):.1f}"
    median = f"medians of {rounds} rounds" if rounds > 1 else "one round"
    return f"{model}, {median}; load average {load}.\n{where}.\n"


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
