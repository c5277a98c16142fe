"""The Profiler: where a physics step spends its time, and how the solver does.

`App` draws it in a window of its own and hands it the sim's answers, all on the
viewer thread. The sim times its steps only while this window can be seen.
"""

import time
from collections.abc import Sequence

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui, implot

from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import series, solverstats
from studio_nb.sim.profile import TIMERS, ProfileRequest, ProfileSnapshot

_PLOT_EM = 9.0
_LEAST_PLOT_EM = 12.0
_PLOTS = 4
# Narrower, a legend would cover the plot: then the tooltip alone tells the parts.
_LEGEND_EM = 20.0
# Of the times of a step, what the axis has room for.
_MOST_MEDIANS = 3.0
# How long an answer is waited for before it is asked for again.
_PATIENCE_SEC = 1.0

# The parts that make up a step, with the timers that they are the sum of.
_PARTS = {
    "collision": ("POS_COLLISION",),
    "position": ("POS_KINEMATICS", "POS_INERTIA"),
    "constraint setup": ("POS_MAKE", "POS_PROJECT"),
    "velocity": ("VELOCITY",),
    "actuation": ("ACTUATION",),
    "solver": ("CONSTRAINT",),
    "integration": ("ADVANCE",),
}
_COUNTS = ("ncon", "nefc", "solver_niter")
# Of mjSolverStat: what is measured of an iteration, and what is counted in it.
_MEASURED = ("improvement", "gradient", "lineslope")
_COUNTED = ("nactive", "nchange", "neval", "nupdate")
_MICRO = 1e6
# Between these, as powers of ten, the convergence of a solver is drawn.
_LOWEST, _HIGHEST = -15.0, 3.0

_PLOT = (
    implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_mouse_text
)


class Profiler(Panel):
    """Step times, solver convergence, counts and memory over the last seconds."""

    title = "Profiler"

    def __init__(self) -> None:
        """Starts without samples."""
        self._times = series.Series()
        self._counts = series.Series()
        self._last: npt.NDArray[np.float64] | None = None
        self._asked_at = 0.0

    def on_model(self, scope: Scope) -> None:
        """Forgets the samples."""
        del scope
        self.__init__()

    def take(self, snapshot: ProfileSnapshot) -> None:
        """Takes in the times of a batch of steps."""
        self._asked_at = 0.0
        self._last = snapshot.seconds * _MICRO
        self._times.add(snapshot.time, np.array([*self._parts().values()]))

    def _parts(self) -> dict[str, float]:
        """Returns microseconds of a step by part; what no timer covers is "other"."""
        assert self._last is not None  # noqa: S101 - called with an answer there
        of = dict(zip(TIMERS, np.nan_to_num(self._last), strict=True))
        parts = {name: sum(of.get(t, 0.0) for t in ts) for name, ts in _PARTS.items()}
        return {**parts, "other": max(of["STEP"] - sum(parts.values()), 0.0)}

    def draw(self, scope: Scope) -> None:
        """Draws the plots, beside each other where there is room."""
        now = time.perf_counter()
        if now - self._asked_at > _PATIENCE_SEC:
            self._asked_at = now
            scope.viewer.send_to_sim(ProfileRequest())
        data = scope.data
        counts = data.ncon, data.nefc, solverstats.iterations(data)
        self._counts.add(data.time, np.array(counts, np.float64))
        room = imgui.get_content_region_avail()
        columns = max(1, min(_PLOTS, int(room.x // (_LEAST_PLOT_EM * scope.em))))
        in_one_line = columns == _PLOTS
        height = max(_PLOT_EM * scope.em, room.y - 4.0 if in_one_line else 0.0)
        if not imgui.begin_table("plots", columns, imgui.TableFlags_.no_saved_settings):
            return
        imgui.table_next_column()
        self._draw_times(height)
        imgui.table_next_column()
        _draw_convergence(data, height)
        imgui.table_next_column()
        _draw_iterations(data, height)
        imgui.table_next_column()
        self._draw_counts(scope, height)
        imgui.end_table()

    def _draw_times(self, height: float) -> None:
        if self._last is None:
            imgui.text_disabled("Step times come while the simulation runs.")
            return
        line = imgui.get_text_line_height_with_spacing()
        parts = self._parts()
        imgui.text_unformatted(f"Step: {self._last[0]:8.1f} µs")
        size = height - line
        across = (0.0, series.POINTS - 1.0)
        limits = self._stacked_limits()
        if series.begin_plot("##parts", size, _legend_flags(), across, limits):
            implot.setup_legend(implot.Location_.north_west)
            self._draw_stack([*parts])
            implot.end_plot()
        if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
            lines = [f"{value:8.1f} µs  {name}" for name, value in parts.items()]
            imgui.set_tooltip("Means of the last steps\n" + "\n".join(lines))

    def _stacked_limits(self) -> tuple[float, float]:
        total = self._times.known().sum(axis=1)
        # One slow step, held up by another process say, does not flatten the rest.
        top = min(total.max(), _MOST_MEDIANS * np.median(total)) if len(total) else 1.0
        low, high = series.fitted(0.0, float(top), self._times.limits)
        self._times.limits = (max(low, 0.0), high)
        return self._times.limits

    def _draw_stack(self, names: list[str]) -> None:
        """Draws the parts on top of each other."""
        below = np.zeros(series.POINTS + 1)
        for column, name in enumerate(names):
            places, values = self._times.curve(column)
            above = below + values
            for part in (
                slice(0, self._times.head + 1),
                slice(self._times.head + 1, None),
            ):
                implot.plot_shaded(name, places[part], below[part], above[part])
            below = above

    def _draw_counts(self, scope: Scope, height: float) -> None:
        data = scope.data
        imgui.text_unformatted(
            f"Contacts {data.ncon:4d}   constraints {data.nefc:4d}   "
            f"iterations {solverstats.iterations(data):3d}"
        )
        size = height - imgui.get_text_line_height_with_spacing()
        series.plot("##counts", self._counts, _COUNTS, scope.palette, size)


def _draw_convergence(data: mujoco.MjData, height: float) -> None:
    """Draws how the solver came nearer in its last step, as powers of ten."""
    islands = range(solverstats.islands(data))
    of = f", {len(islands)} islands" if len(islands) > 1 else ""
    imgui.text_unformatted(f"Convergence, log10{of}")
    tip = "improvement, gradient and lineslope of each iteration of the last step"
    imgui.set_item_tooltip(tip)
    curves = [(n, solverstats.curve(data, n, i)) for n in _MEASURED for i in islands]
    powers = [(n, np.log10(np.maximum(y, 10.0**_LOWEST))) for n, y in curves]
    _plot_iterations("##convergence", height, powers, (_LOWEST, _HIGHEST))


def _draw_iterations(data: mujoco.MjData, height: float) -> None:
    """Draws what the solver did in each iteration of its last step."""
    imgui.text_unformatted("Counts of an iteration")
    imgui.set_item_tooltip("nactive, nchange, neval and nupdate of the last step")
    curves = [(name, solverstats.total(data, name)) for name in _COUNTED]
    most = max(float(values.max(initial=1.0)) for _, values in curves)
    _plot_iterations("##iterations", height, curves, (0.0, _round_up(most)))


def _legend_flags() -> int:
    """Returns the flags of a plot that has no room for a legend, or has."""
    wide = imgui.get_content_region_avail().x >= _LEGEND_EM * imgui.get_font_size()
    return int(_PLOT) | (0 if wide else int(implot.Flags_.no_legend))


def _plot_iterations(
    ident: str,
    height: float,
    curves: Sequence[tuple[str, npt.NDArray[np.float64]]],
    limits: tuple[float, float],
) -> None:
    """Draws curves over the iterations of the solver, from 1 on.

    Args:
        ident: The plot's ID.
        height: Of the line above and the plot, CSS pixels.
        curves: Their names and values; those of one name look alike.
        limits: Of the vertical axis.
    """
    size = height - imgui.get_text_line_height_with_spacing()
    most = _round_up(max(2.0, *(len(values) for _, values in curves)))
    across = (0.5, most + 0.5)
    if not series.begin_plot(ident, size, _legend_flags(), across, limits):
        return
    # Solvers come nearer from the upper left to the lower right.
    implot.setup_legend(implot.Location_.north_east)
    # A solver that needs one iteration only leaves a point, not a line.
    spec = implot.Spec(marker=implot.Marker_.circle, marker_size=2.0)
    for name, values in curves:
        implot.plot_line(name, np.arange(1.0, len(values) + 1.0), values, spec)
    implot.end_plot()


def _round_up(most: float) -> float:
    """Returns the next power of two: limits that change rarely."""
    return float(2.0 ** np.ceil(np.log2(most)))
