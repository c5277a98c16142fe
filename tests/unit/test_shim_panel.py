"""One large panel, drawn with Studio's compiled modules and with their stand-ins.

It calls every function of both modules once a frame at least. Studio's run in a
process of their own, as a mistake there would end this one; both sides note what
each call returned, and the notes are compared.
"""

import importlib
import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np

from tests.shimpanel import HEIGHT, PARTS, WIDTH

FRAMES = 2

# What differs from machine to machine, or between fonts: the type is compared.
_INEXACT = {
    "imgui.DockBuilderAddNode",
    "imgui.DockBuilderSplitNode",
    "imgui.DockSpace",
    "imgui.DockSpaceOverMainViewport",
    "imgui.GetColorU32",
    "imgui.GetCurrentContext",
    "imgui.GetFrameCount",
    "imgui.GetClipboardText",
    "imgui.GetStyleColorVec4",
    "imgui.GetWindowDockID",
    "imgui.IsRectVisible",
}


class Recorder:
    """Notes what each function of a module returned."""

    def __init__(self, module: Any, label: str, notes: list[list[Any]]):
        self._module = module
        self._label = label
        self._notes = notes

    def __getattr__(self, name: str) -> Any:
        """Returns a function that notes, or a class."""
        found = getattr(self._module, name)
        if isinstance(found, type):
            return found

        def call(*args: Any, **names: Any) -> Any:
            result = found(*args, **names)
            label = f"{self._label}.{name}"
            value = kind(result) if label in _INEXACT else plain(result)
            self._notes.append([label, value])
            return result

        return call


def kind(value: Any) -> Any:
    """Returns the type of a result, of each part of a tuple."""
    if isinstance(value, tuple):
        return [kind(part) for part in value]
    if isinstance(value, bool | int | float | str | type(None)):
        return type(value).__name__
    return "object"


def plain(value: Any) -> Any:
    """Returns what of a result is the same on both sides."""
    if isinstance(value, tuple):
        return ["tuple", *map(plain, value)]
    if isinstance(value, list):
        return ["list", *(round(v, 5) for v in value)]
    if isinstance(value, bool | int | str):
        return value
    return kind(value)


def draw(imgui: Any, implot: Any) -> None:
    """Draws all windows of the panel."""
    for i, part in enumerate(PARTS):
        imgui.SetNextWindowPos(imgui.Vec2(400 * (i % 4), 500 * (i // 4)))
        imgui.SetNextWindowSize(imgui.Vec2(400, 500))
        imgui.Begin(part.__name__)
        part(imgui)
        imgui.End()
    imgui.SetNextWindowPos(imgui.Vec2(400, 1000))
    imgui.SetNextWindowSize(imgui.Vec2(1100, 600))
    if imgui.Begin("plots", True, int(imgui.WindowFlags.NoCollapse))[0]:
        plots(imgui, implot)
        tools(imgui, implot)
    imgui.End()


def plots(imgui: Any, implot: Any) -> None:
    size = imgui.Vec2(500, 260)
    white = imgui.Vec4(1, 1, 1, 1)
    steps = range(4)
    implot.SetNextAxesLimits(0, 4, 0, 4)
    implot.SetNextAxisLimits(implot.Axis.X1, 0, 5, implot.Cond.Always)
    implot.SetNextAxisToFit(implot.Axis.Y1)
    implot.SetNextAxesToFit()
    flags = implot.Flags.NoInputs.value | implot.Flags.NoMenus.value
    if implot.BeginPlot("plot", size, flags=flags):
        implot.SetupAxes("x", None, implot.AxisFlags.NoGridLines)
        implot.SetupAxis(implot.Axis.Y2, "second", implot.AxisFlags.AuxDefault)
        implot.SetupAxisLimits(implot.Axis.X1, 0, 4, cond=implot.Cond.Always)
        implot.SetupAxesLimits(0, 4, 0, 4)
        implot.SetupAxisTicks(implot.Axis.X1, np.array([0, 2]), ["a", "b"])
        implot.SetupAxisTicks(implot.Axis.Y1, [0.0, 2.0], [], True)
        implot.SetupAxisFormat(implot.Axis.Y1, "%.1f")
        implot.SetupAxisScale(implot.Axis.Y1, implot.Scale.ImPlotScale_Linear)
        implot.SetupAxisLimitsConstraints(implot.Axis.X1, -10, 10)
        implot.SetupAxisZoomConstraints(implot.Axis.X1, 0.1, 100)
        implot.SetupLegend(implot.Location.NorthEast, implot.LegendFlags.Horizontal)
        implot.SetupMouseText(implot.Location.SouthEast)
        implot.SetupFinish()
        implot.SetAxis(implot.Axis.Y2)
        implot.SetAxes(implot.Axis.X1, implot.Axis.Y1)
        implot.PlotLine("line", steps, [1, 2, 3, 4])
        implot.PlotLine("ring", np.arange(4), np.ones(4, np.float32), 0, 2)
        implot.PlotLine("column", steps, np.ones((4, 2))[:, 1])
        implot.PlotLine("empty", [], [])
        implot.PlotScatter("points", steps, steps)
        implot.PlotStairs("stairs", steps, steps, implot.StairsFlags.Shaded)
        implot.PlotShaded("shaded", steps, steps)
        implot.PlotShaded("to", steps, steps, 1.0, 0, 1)
        implot.PlotShaded("between", steps, steps, [2, 3, 4, 5])
        implot.PlotShaded("named", steps, ys1=steps, ys2=steps)
        implot.PlotBars("bars", steps, steps, 0.5)
        implot.PlotErrorBars("errors", steps, steps, [1, 1, 1, 1])
        implot.PlotErrorBars("apart", steps, steps, [1] * 4, [2] * 4)
        implot.PlotStems("stems", steps, steps, ref=1)
        implot.PlotDigital("digital", steps, [0, 1, 0, 1])
        implot.PlotText("text %", 1, 1)
        implot.HideNextItem()
        implot.PlotDummy("dummy")
        implot.Annotation(1, 1, white, imgui.Vec2(0, 0), True)
        implot.Annotation(1, 1, white, imgui.Vec2(0, 0), False, "note %")
        implot.TagX(1, white)
        implot.TagX(1, white, "tag %")
        implot.TagY(1, white, round=True)
        implot.TagY(1, white, txt="tag %")
        implot.DragLineX(1, 0.5, white)
        implot.DragLineY(2, 0.5, white, 2, 0, False, False, False)
        implot.DragPoint(3, 0.5, 0.5, white)
        implot.DragRect(4, 0.1, 0.1, 0.5, 0.5, white)
        implot.GetPlotPos()
        implot.GetPlotSize()
        implot.GetPlotMousePos()
        implot.PixelsToPlot(imgui.Vec2(1, 2))
        implot.PixelsToPlot(1, 2)
        implot.PlotToPixels(implot.Point(1, 2))
        implot.PlotToPixels(1, 2, implot.Axis.X1, implot.Axis.Y1)
        implot.PushPlotClipRect()
        implot.PopPlotClipRect()
        implot.IsPlotHovered()
        implot.IsAxisHovered(implot.Axis.X1)
        implot.IsPlotSelected()
        implot.CancelPlotSelection()
        implot.IsLegendEntryHovered("line")
        implot.BeginLegendPopup("line")
        implot.EndPlot()


def tools(imgui: Any, implot: Any) -> None:
    implot.PushStyleVar(implot.StyleVar.PlotPadding, imgui.Vec2(1, 1))
    implot.PushStyleVar(implot.StyleVar.PlotBorderSize, 1)
    implot.PushStyleVar(implot.StyleVar.MinorAlpha, 0.5)
    implot.PushStyleColor(implot.Col.PlotBg, imgui.Vec4(0, 0, 0, 1))
    implot.PushStyleColor(implot.Col.AxisGrid, 0xFF808080)
    small = imgui.Vec2(120, 120)
    if implot.BeginAlignedPlots("aligned", np.bool_(True)):
        imgui.SameLine()
        if implot.BeginPlot("target", small):
            implot.BeginDragDropSourcePlot()
            implot.BeginDragDropSourceAxis(implot.Axis.X1)
            implot.BeginDragDropSourceItem("line")
            implot.BeginDragDropTargetPlot()
            implot.BeginDragDropTargetAxis(implot.Axis.Y1)
            implot.BeginDragDropTargetLegend()
            implot.EndPlot()
        implot.EndAlignedPlots()
    imgui.SameLine()
    if implot.BeginSubplots("subplots", 1, 2, imgui.Vec2(240, 120), 0, 0.5, 0.5):
        implot.IsSubplotsHovered()
        implot.EndSubplots()
    implot.PopStyleColor(2)
    implot.PopStyleVar(3)


def main() -> None:
    """Draws with Studio's own modules and prints the notes."""
    dear_imgui: Any = importlib.import_module("mujoco.studio.dear_imgui.dear_imgui")
    implot: Any = importlib.import_module("mujoco.studio.implot.implot")
    notes: list[list[Any]] = []
    context = dear_imgui.CreateContext()
    implot.set_imgui_context(context)
    implot.set_implot_context(implot.CreateContext())
    io = dear_imgui.GetIO()
    io.BackendFlags = int(dear_imgui.BackendFlags.RendererHasTextures)
    io.ConfigFlags = int(dear_imgui.ConfigFlags.DockingEnable)
    io.DisplaySize = dear_imgui.Vec2(WIDTH, HEIGHT)
    for _ in range(FRAMES):
        notes.clear()
        dear_imgui.NewFrame()
        draw(Recorder(dear_imgui, "imgui", notes), Recorder(implot, "implot", notes))
        dear_imgui.Render()
    sys.stdout.write(f"\n{json.dumps(notes)}\n")


def run_studios() -> list[list[Any]]:
    """Returns the notes of Studio's modules."""
    root = pathlib.Path(__file__).parents[2]
    code = f"import sys; sys.path.insert(0, {str(root)!r})\n"
    code += "from tests.unit import test_shim_panel; test_shim_panel.main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def run_ours() -> list[list[Any]]:
    """Returns the notes of the stand-ins."""
    from studio_nb.shim import dear_imgui, implot
    from studio_nb.ui import UiContext

    notes: list[list[Any]] = []
    context = UiContext()
    try:
        for _ in range(FRAMES):
            notes.clear()
            with context.frame(WIDTH, HEIGHT, 1.0, 0.02), context.guard("panel"):
                draw(
                    Recorder(dear_imgui, "imgui", notes),
                    Recorder(implot, "implot", notes),
                )
    finally:
        context.close()
    return json.loads(json.dumps(notes))


def test_each_call_returns_what_it_returns_in_studio():
    ours, studios = run_ours(), run_studios()
    assert [name for name, _ in ours] == [name for name, _ in studios]
    differing = {
        name: (mine, theirs)
        for (name, mine), (_, theirs) in zip(ours, studios, strict=True)
        if mine != theirs
    }
    assert differing == {}
