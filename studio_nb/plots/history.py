"""Recorded columns over time, as a matplotlib figure. Cell's thread only."""

import fnmatch
import functools
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studio_nb.errors import StudioError
from studio_nb.sim.history import COLUMNS, History

if TYPE_CHECKING:
    import matplotlib.figure

_PLOTTED = tuple(name for name in COLUMNS if name != "time")

# A figure is about a thousand pixels wide: more buckets than this show nothing.
_BUCKETS = 2000
# A longer legend hides the curves; then the axes' title says how many they are.
_MAX_LEGEND = 12
_WIDTH_IN, _HEIGHT_IN = 9.0, 2.6
# Pixels of the picture for each that it is shown at: crisp on dense displays.
_DENSITY = 2


def plot(history: History, columns: Sequence[str]) -> "matplotlib.figure.Figure":
    """Draws one axes for each column.

    Args:
        history: What was recorded.
        columns: Column names, each optionally followed by ":" and a pattern that
            the labels of its elements must match, as in "qpos:right_*".

    Raises:
        StudioError: If a column or an element does not exist, nothing was
            recorded, or matplotlib is not installed.
    """
    chosen = [_choose(history, column) for column in columns]
    if not len(history):
        msg = "nothing was recorded yet: let the simulation run, or studio.step()"
        raise StudioError(msg)
    height = _HEIGHT_IN * len(chosen) + 0.4
    figure = _figure_class()(figsize=(_WIDTH_IN, height), layout="constrained")
    rows = figure.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, elements) in zip(rows, chosen, strict=True):
        values = getattr(history, name)
        labels, units = history.labels(name), history.units(name)
        for i in elements:
            axes.plot(*decimate(history.time, values[:, i]), lw=1.2, label=labels[i])
        shown = sorted({units[i] for i in elements} - {""})
        axes.set_ylabel(f"{name} ({', '.join(shown)})" if shown else name)
        axes.grid(alpha=0.3)
        axes.margins(x=0)
        if len(elements) <= _MAX_LEGEND:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        else:
            axes.set_title(f"{len(elements)} elements", fontsize="small", loc="right")
    rows[-1].set_xlabel("time (s)")
    return figure


@functools.cache
def _figure_class() -> "type[matplotlib.figure.Figure]":
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional and slow
    except ImportError:
        msg = "plots need matplotlib: run 'pip install matplotlib'"
        raise StudioError(msg) from None

    class InlineFigure(Figure):
        """Shows itself in a cell, whether or not pyplot and its backend are loaded."""

        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png", dpi=_DENSITY * self.dpi)
            width, height = (
                round(inches * self.dpi) for inches in self.get_size_inches()
            )
            return buffer.getvalue(), {"width": width, "height": height}

    return InlineFigure


def _choose(history: History, column: str) -> tuple[str, list[int]]:
    name, _, pattern = column.partition(":")
    if name not in _PLOTTED:
        msg = f"there is no column {name!r} to plot: there are {', '.join(_PLOTTED)}"
        raise StudioError(msg)
    labels = history.labels(name) if len(history) else ()
    elements = [
        i
        for i, label in enumerate(labels)
        if not pattern
        or fnmatch.fnmatchcase(label, pattern)
        or label.split(" ")[0] == pattern
    ]
    if pattern and len(history) and not elements:
        some = ", ".join(labels[:8])
        msg = f"no element of {name} is called {pattern!r}: there are {some}, ..."
        raise StudioError(msg)
    if len(history) and not elements:
        msg = f"this model has no {name} to plot"
        raise StudioError(msg)
    return name, elements


def decimate(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Thins a curve out to what a figure can show, peaks kept.

    Each bucket of samples gives its least and its greatest, in order of time.

    Args:
        x: (n,) ascending but for resets.
        y: (n,); NaN stays a gap.

    Returns:
        At most 2 * 2000 + 2 samples of the curve, the first and last among them.
    """
    n = len(y)
    if n <= 2 * _BUCKETS:
        return x, y
    size = -(-n // _BUCKETS)
    whole = n // size * size
    buckets = y[:whole].reshape(-1, size)
    start = np.arange(len(buckets)) * size
    low = start + np.argmin(buckets, axis=1)
    high = start + np.argmax(buckets, axis=1)
    keep = np.unique(np.concatenate([low, high, np.arange(whole, n), [0, n - 1]]))
    return x[keep], y[keep]
