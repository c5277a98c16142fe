"""The last seconds of some numbers, and their plot.

A section adds a sample with each frame, in `Panel.update`, and draws the plot when
it can be seen. The plot runs as on an oscilloscope: the newest sample overwrites the
oldest, at a line that wanders from left to right. So from frame to frame a plot
differs in a few points and not in all, and few bytes go to the page. Viewer thread
only.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui, implot

from studio_nb.ui import theme

# What is kept, in simulated seconds, and how finely: panels are drawn 15 times a
# second while the simulation runs, so a finer raster would hold nothing more.
SPAN_S = 5.0
POINTS = 101
_STEP_S = SPAN_S / POINTS
# The gap between the newest and the oldest sample, in points.
_GAP = 2
# Times beyond this have no place on the raster.
_LARGEST_S = 1e12

# Beyond this a plot's arithmetic overflows.
_LARGEST = 1e300

# A range is kept until the curve fills less than this share of it.
_LEAST_FILL = 0.25
# What does not differ by more than this, or this share of its size, is flat.
_FLAT = 1e-9
_FLAT_SHARE = 1e-3
# What is left free at both ends of a new range, as a share of it.
_ROOM = 0.1

_PLOT = (
    implot.Flags_.no_title
    | implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_mouse_text
    | implot.Flags_.no_inputs
)
_MARKS = 3
_AXIS = implot.AxisFlags_.no_menus | implot.AxisFlags_.no_highlight
_BARE = implot.AxisFlags_.no_decorations


class Series:
    """Numbers over simulated time, on a ring of `POINTS` over `SPAN_S`.

    Attributes:
        limits: Of the plot's vertical axis.
        head: Place of the newest sample in the ring.
    """

    def __init__(self) -> None:
        """Starts empty."""
        self.limits = (0.0, 1.0)
        self.head = 0
        self._ring: npt.NDArray[np.float64] = np.zeros((POINTS, 0))
        self._count = 0
        self._slot = 0

    def __len__(self) -> int:
        """Returns how many places of the ring are known."""
        return self._count

    def clear(self) -> None:
        """Forgets all."""
        self._count = 0
        self.limits = (0.0, 1.0)

    def add(self, time: float, values: npt.NDArray[np.float64]) -> None:
        """Adds a sample; time that goes back starts anew.

        Args:
            time: Simulated seconds.
            values: Shape (n,); another n than before starts anew.
        """
        slot = math.floor(time / _STEP_S) if abs(time) < _LARGEST_S else 0
        steps = slot - self._slot
        if len(values) != self._ring.shape[1]:
            self._ring = np.zeros((POINTS, len(values)))
            self._count = 0
        if not self._count or steps < 0:
            self.clear()
            self._count = 1
            self._ring[slot % POINTS] = values
        elif steps == 0:
            self._ring[self.head] = values
        else:
            self._fill(steps, values)
        self._slot, self.head = slot, slot % POINTS

    def _fill(self, steps: int, values: npt.NDArray[np.float64]) -> None:
        """Writes the next places; those between two samples lie on the line."""
        last = self._ring[self.head]
        last = np.where(np.isfinite(last), last, values)
        passed = np.arange(max(0, steps - POINTS), steps) + 1
        places = (self._slot + passed) % POINTS
        with np.errstate(over="ignore", invalid="ignore"):
            self._ring[places] = last + (passed / steps)[:, None] * (values - last)
        self._ring[places[-1]] = values
        self._count = min(self._count + len(passed), POINTS)

    def curve(
        self, column: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Returns a number's curve as two arrays of `POINTS` + 1: places and values.

        A line up to `head` and another from the place after it have the same number
        of points together, always. Places in the gap and those before the first
        sample fall together with the next known one.

        Args:
            column: Which of the numbers.
        """
        source = self._sources()
        return source.astype(np.float64), self._ring[source, column]

    def _sources(self) -> npt.NDArray[np.intp]:
        """Returns the place in the ring that each point is taken from."""
        places = np.minimum(np.arange(POINTS + 1), POINTS - 1)
        first = (self.head - self._count + 1) % POINTS
        unknown = (places - self.head - 1) % POINTS < POINTS - self._count
        places[unknown] = first
        if self._count == POINTS:
            end = min(self.head + 1 + _GAP, POINTS - 1)
            places[self.head + 1 : end] = end
        return places

    def known(self) -> npt.NDArray[np.float64]:
        """Returns the samples, oldest first, shape (count, n)."""
        order = np.arange(self.head - self._count + 1, self.head + 1) % POINTS
        return self._ring[order]

    def fit(self) -> tuple[float, float]:
        """Returns limits for the vertical axis, which change as rarely as possible."""
        known = self.known()
        finite = known[np.isfinite(known)]
        if len(finite):
            self.limits = fitted(float(finite.min()), float(finite.max()), self.limits)
        return self.limits


def fitted(low: float, high: float, old: tuple[float, float]) -> tuple[float, float]:
    """Returns round limits around two numbers; the old ones while these serve.

    Args:
        low: The least number.
        high: The greatest number.
        old: The limits before.
    """
    low, high = (min(max(end, -_LARGEST), _LARGEST) for end in (low, high))
    size = max(abs(low), abs(high))
    span = max(high - low, _FLAT, _FLAT_SHARE * size)
    inside = old[0] <= low and high <= old[1]
    if inside and span >= _LEAST_FILL * (old[1] - old[0]):
        return old
    # Round to half a power of ten of the span, and leave room to move in.
    step = 10.0 ** math.floor(math.log10(span)) / 2
    room = _ROOM * span
    return (
        math.floor((low - room) / step) * step,
        math.ceil((high + room) / step) * step,
    )


def begin_plot(
    ident: str,
    height: float,
    flags: int,
    across: tuple[float, float],
    limits: tuple[float, float],
) -> bool:
    """Opens a plot over the width there is, with three marks at its left.

    Args:
        ident: The plot's ID.
        height: Of the plot, CSS pixels.
        flags: `implot.Flags_`.
        across: Limits of the horizontal axis, which has no marks.
        limits: Limits of the vertical axis.

    Returns:
        Whether it can be seen; then call `implot.end_plot`.
    """
    implot.push_style_var(implot.StyleVar_.plot_min_size, ImVec2(1.0, 1.0))
    implot.push_style_var(implot.StyleVar_.plot_padding, ImVec2(2.0, 8.0))
    is_open = implot.begin_plot(ident, ImVec2(-1.0, height), flags)
    implot.pop_style_var(2)
    if is_open:
        implot.setup_axes("", "", _BARE, _AXIS)
        implot.setup_axis_format(implot.ImAxis_.y1, "%g")
        implot.setup_axis_ticks(implot.ImAxis_.y1, *limits, _MARKS)
        implot.setup_axes_limits(*across, *limits, implot.Cond_.always)
    return is_open


def plot(
    ident: str,
    series: Series,
    labels: Sequence[str],
    palette: theme.Palette,
    height: float,
) -> None:
    """Draws a series over the width there is.

    Args:
        ident: The plot's ID.
        series: What to draw.
        labels: One for each of its numbers; a single one needs no legend.
        palette: Colours of the theme.
        height: Of the plot, CSS pixels.
    """
    alone = len(labels) == 1
    flags = int(_PLOT) | (int(implot.Flags_.no_legend) if alone else 0)
    if not begin_plot(ident, height, flags, (0.0, POINTS - 1.0), series.fit()):
        return
    if not alone:
        implot.setup_legend(implot.Location_.north_west, implot.LegendFlags_.horizontal)
    if len(series):
        _draw_curves(series, labels, palette)
    implot.end_plot()
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
        imgui.set_tooltip(f"The last {SPAN_S:g} s of simulation; the line is now.")


def _draw_curves(series: Series, labels: Sequence[str], palette: theme.Palette) -> None:
    now = series.head
    line = implot.Spec(line_color=theme.rgba(palette.border))
    implot.plot_inf_lines("##now", np.array([float(now)]), line)
    alone = len(labels) == 1
    for column, label in enumerate(labels):
        places, values = series.curve(column)
        for part in (slice(0, now + 1), slice(now + 1, None)):
            if alone:
                spec = implot.Spec(line_color=theme.rgba(palette.brand))
                implot.plot_line(label, places[part], values[part], spec)
            else:
                implot.plot_line(label, places[part], values[part])
