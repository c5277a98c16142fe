"""Stands for `mujoco.studio.implot.implot`: its names, over imgui-bundle's ImPlot.

As `dear_imgui`, which tells how and on which thread; the functions that differ come
from `plots`.
"""

import importlib
from typing import Any

from studio_nb.shim import names

MODULE = "mujoco.studio.implot.implot"

BETWEEN_FRAMES: frozenset[str] = frozenset()
ANYTIME: frozenset[str] = frozenset()

# The same function by another spelling.
_SPELT = names.words(
    """
    BeginDragDropSourceAxis BeginDragDropSourceItem BeginDragDropSourcePlot
    BeginDragDropTargetAxis BeginDragDropTargetLegend BeginDragDropTargetPlot
    BeginLegendPopup BeginPlot CancelPlotSelection EndAlignedPlots EndDragDropSource
    EndDragDropTarget EndLegendPopup EndPlot EndSubplots GetPlotLimits
    GetPlotMousePos GetPlotPos GetPlotSelection GetPlotSize IsAxisHovered
    IsLegendEntryHovered IsPlotHovered IsPlotSelected IsSubplotsHovered PixelsToPlot
    PlotToPixels PopPlotClipRect PopStyleColor PopStyleVar PushPlotClipRect
    PushStyleColor PushStyleVar SetAxes SetAxis SetNextAxesLimits SetNextAxesToFit
    SetNextAxisLimits SetNextAxisToFit SetupAxesLimits SetupAxis SetupAxisFormat
    SetupAxisLimits SetupAxisLimitsConstraints SetupAxisScale
    SetupAxisZoomConstraints SetupFinish SetupLegend SetupMouseText
    """
)

_ENUMERATIONS = names.words(
    """
    Axis AxisFlags BarGroupsFlags BarsFlags Col ColormapScaleFlags Cond DigitalFlags
    DragToolFlags DummyFlags ErrorBarsFlags Flags HeatmapFlags HistogramFlags
    ImageFlags InfLinesFlags ItemFlags LegendFlags LineFlags Location Marker
    MouseTextFlags PieChartFlags Scale ScatterFlags ShadedFlags StairsFlags
    StemsFlags StyleVar SubplotFlags TextFlags
    """
)

_SOURCES = {"Axis": "ImAxis_"}

# Members whose names follow no rule.
_MEMBERS: dict[str, dict[str, str | int]] = {
    "DigitalFlags": {"ImPlotNone": "none"},
    "LineFlags": {"SkipNaN": "skip_nan"},
    "Scale": {
        "ImPlotScale_Linear": "linear",
        "ImPlotScale_Time": "time",
        "ImPlotScale_Log10": "log10",
        "ImPlotScale_SymLog": "sym_log",
    },
}

_CLASSES = frozenset({"Point", "Range"})

_CONTEXTS = "each session's viewer has a context of its own, which it makes current"
_LINKS = (
    "an axis is linked to variables, which Python's numbers are not: set its limits "
    "with SetupAxisLimits, and read them with GetPlotLimits"
)

# What a notebook can't have, and why.
UNMAPPED = {
    "CreateContext": _CONTEXTS,
    "DestroyContext": _CONTEXTS,
    "SetNextAxisLinks": _LINKS,
    "SetupAxisLinks": _LINKS,
    "set_imgui_context": _CONTEXTS,
    "set_implot_context": _CONTEXTS,
}


def _make(name: str) -> Any:  # noqa: ANN401, functions and classes
    """Makes what a name stands for; None if it is not one of Studio's."""
    if name in UNMAPPED:
        return names.unmapped(f"implot.{name}", UNMAPPED[name])
    plots = importlib.import_module("studio_nb.shim.plots")
    found = vars(plots).get(name)
    if getattr(found, "__module__", None) == plots.__name__:
        return found
    implot = importlib.import_module("imgui_bundle").implot
    if name in _SPELT:
        return getattr(implot, names.snake(name))
    if name in _CLASSES:
        return getattr(implot, name)
    if name in _ENUMERATIONS:
        source = getattr(implot, _SOURCES.get(name, f"{name}_"))
        return names.constants(name, source, _MEMBERS.get(name, {}))
    return None


__getattr__ = names.on_first_use(MODULE, globals(), _make)
