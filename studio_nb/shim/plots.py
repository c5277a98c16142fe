"""Studio's functions for plots whose arguments or results differ from imgui-bundle's.

Studio's take sequences of numbers of any kind, and flags, offset and stride as
arguments of their own; imgui-bundle's take NumPy arrays and a `Spec`. Viewer thread,
while a frame is open.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, ImVec4, imgui, implot

_Series = npt.ArrayLike
_Array = npt.NDArray[np.float64]

# Studio's functions make lists of float64 of what they are given.
_STRIDE = 8
_UV0 = ImVec2(0.0, 0.0)
_UV1 = ImVec2(1.0, 1.0)
_WHITE = ImVec4(1.0, 1.0, 1.0, 1.0)


def PlotLine(
    label_id: str,
    xs: _Series,
    ys: _Series,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    implot.plot_line(
        label_id, *_arrays(label_id, xs, ys), _spec(label_id, flags, offset, stride)
    )


def PlotScatter(
    label_id: str,
    xs: _Series,
    ys: _Series,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    implot.plot_scatter(
        label_id, *_arrays(label_id, xs, ys), _spec(label_id, flags, offset, stride)
    )


def PlotStairs(
    label_id: str,
    xs: _Series,
    ys: _Series,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    implot.plot_stairs(
        label_id, *_arrays(label_id, xs, ys), _spec(label_id, flags, offset, stride)
    )


def PlotDigital(
    label_id: str,
    xs: _Series,
    ys: _Series,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    implot.plot_digital(
        label_id, *_arrays(label_id, xs, ys), _spec(label_id, flags, offset, stride)
    )


def PlotStems(
    label_id: str,
    xs: _Series,
    ys: _Series,
    ref: float = 0,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    x, y = _arrays(label_id, xs, ys)
    implot.plot_stems(label_id, x, y, ref, _spec(label_id, flags, offset, stride))


def PlotBars(
    label_id: str,
    xs: _Series,
    ys: _Series,
    bar_size: float,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    x, y = _arrays(label_id, xs, ys)
    implot.plot_bars(label_id, x, y, bar_size, _spec(label_id, flags, offset, stride))


def PlotShaded(
    label_id: str,
    xs: _Series,
    *args: Any,  # noqa: ANN401, two overloads
    **names: Any,  # noqa: ANN401, two overloads
) -> None:
    if "ys1" in names or "ys2" in names or (len(args) > 1 and np.ndim(args[1]) == 1):
        _shade_between(label_id, xs, *args, **names)
    else:
        _shade_to(label_id, xs, *args, **names)


def PlotErrorBars(
    label_id: str,
    xs: _Series,
    ys: _Series,
    *args: Any,  # noqa: ANN401, two overloads
    **names: Any,  # noqa: ANN401, two overloads
) -> None:
    if "neg" in names or "pos" in names or (len(args) > 1 and np.ndim(args[1]) == 1):
        _error_bars_apart(label_id, xs, ys, *args, **names)
    else:
        _error_bars(label_id, xs, ys, *args, **names)


def PlotImage(
    label_id: str,
    tex_ref: int,
    bounds_min: implot.Point,
    bounds_max: implot.Point,
    uv0: ImVec2 = _UV0,
    uv1: ImVec2 = _UV1,
    tint_col: ImVec4 = _WHITE,
    flags: int = 0,
) -> None:
    texture = imgui.ImTextureRef(int(tex_ref))
    implot.plot_image(
        label_id,
        texture,
        bounds_min,
        bounds_max,
        uv0,
        uv1,
        tint_col,
        _spec(label_id, flags),
    )


def PlotText(
    text: str, x: float, y: float, pix_offset: ImVec2 = _UV0, flags: int = 0
) -> None:
    implot.plot_text(text, x, y, pix_offset, _spec(text, flags))


def PlotDummy(label_id: str, flags: int = 0) -> None:
    implot.plot_dummy(label_id, _spec(label_id, flags))


def Annotation(
    x: float,
    y: float,
    col: ImVec4,
    pix_offset: ImVec2,
    clamp: bool,
    round: bool | str = False,
    *,
    txt: str | None = None,
) -> None:
    text = round if txt is None else txt
    shown = text if isinstance(text, str) else bool(text)
    implot.annotation(x, y, col, pix_offset, bool(clamp), shown)


def TagX(
    x: float, col: ImVec4, round: bool | str = False, *, txt: str | None = None
) -> None:
    text = round if txt is None else txt
    implot.tag_x(x, col, text if isinstance(text, str) else bool(text))


def TagY(
    y: float, col: ImVec4, round: bool | str = False, *, txt: str | None = None
) -> None:
    text = round if txt is None else txt
    implot.tag_y(y, col, text if isinstance(text, str) else bool(text))


def BeginAlignedPlots(group_id: str, vertical: bool = True) -> bool:
    return implot.begin_aligned_plots(group_id, bool(vertical))


def BeginSubplots(
    title_id: str,
    rows: int,
    cols: int,
    size: ImVec2,
    flags: int = 0,
    row_ratios: Any = None,  # noqa: ANN401, numbers of any kind
    col_ratios: Any = None,  # noqa: ANN401, numbers of any kind
) -> bool:
    # Studio's takes one number where one for each row is needed: no ratios then.
    ratios = None
    if np.ndim(row_ratios) == 1 or np.ndim(col_ratios) == 1:
        ratios = implot.SubplotsRowColRatios()
        ratios.row_ratios = _ratios(title_id, "row_ratios", row_ratios, rows)
        ratios.col_ratios = _ratios(title_id, "col_ratios", col_ratios, cols)
    return implot.begin_subplots(title_id, rows, cols, size, flags, ratios)


def SetupAxes(
    x_label: str | None, y_label: str | None, x_flags: int = 0, y_flags: int = 0
) -> None:
    implot.setup_axis(implot.ImAxis_.x1, x_label, x_flags)
    implot.setup_axis(implot.ImAxis_.y1, y_label, y_flags)


def SetupAxisTicks(
    axis: int, values: _Series, labels: Sequence[str], keep_default: bool = False
) -> None:
    places = np.asarray(values, np.float64).tolist()
    if labels and len(labels) != len(places):
        msg = f"axis {axis} has {len(places)} ticks and {len(labels)} labels"
        raise ValueError(msg)
    implot.setup_axis_ticks(axis, places, list(labels) or None, bool(keep_default))


def HideNextItem(hidden: bool = True, cond: int = 2) -> None:
    implot.hide_next_item(bool(hidden), cond)


def DragLineX(
    id: int,
    x: float,
    col: ImVec4,
    thickness: float = 1,
    flags: int = 0,
    out_clicked: bool | None = None,
    out_hovered: bool | None = None,
    out_held: bool | None = None,
) -> bool:
    return implot.drag_line_x(id, x, col, thickness, flags)[0]


def DragLineY(
    id: int,
    y: float,
    col: ImVec4,
    thickness: float = 1,
    flags: int = 0,
    out_clicked: bool | None = None,
    out_hovered: bool | None = None,
    out_held: bool | None = None,
) -> bool:
    return implot.drag_line_y(id, y, col, thickness, flags)[0]


def DragPoint(
    id: int,
    x: float,
    y: float,
    col: ImVec4,
    size: float = 4,
    flags: int = 0,
    out_clicked: bool | None = None,
    out_hovered: bool | None = None,
    out_held: bool | None = None,
) -> bool:
    return implot.drag_point(id, x, y, col, size, flags)[0]


def DragRect(
    id: int,
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    col: ImVec4,
    flags: int = 0,
    out_clicked: bool | None = None,
    out_hovered: bool | None = None,
    out_held: bool | None = None,
) -> bool:
    return implot.drag_rect(id, x1, y1, x2, y2, col, flags)[0]


def _shade_to(
    label_id: str,
    xs: _Series,
    ys: _Series,
    yref: float = 0,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    x, y = _arrays(label_id, xs, ys)
    implot.plot_shaded(label_id, x, y, yref, _spec(label_id, flags, offset, stride))


def _shade_between(
    label_id: str,
    xs: _Series,
    ys1: _Series,
    ys2: _Series,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    x, low, high = _arrays(label_id, xs, ys1, ys2)
    implot.plot_shaded(label_id, x, low, high, _spec(label_id, flags, offset, stride))


def _error_bars(
    label_id: str,
    xs: _Series,
    ys: _Series,
    err: _Series,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    x, y, error = _arrays(label_id, xs, ys, err)
    spec = _spec(label_id, flags, offset, stride)
    implot.plot_error_bars(label_id, x, y, error, spec)


def _error_bars_apart(
    label_id: str,
    xs: _Series,
    ys: _Series,
    neg: _Series,
    pos: _Series,
    flags: int = 0,
    offset: int = 0,
    stride: int = _STRIDE,
) -> None:
    x, y, low, high = _arrays(label_id, xs, ys, neg, pos)
    spec = _spec(label_id, flags, offset, stride)
    implot.plot_error_bars(label_id, x, y, low, high, spec)


def _arrays(label: str, *series: _Series) -> list[_Array]:
    """Returns series as arrays that ImPlot can read.

    Raises:
        ValueError: If one has more than one dimension, or they differ in length:
            ImPlot would read beyond the shorter one.
    """
    arrays = [np.ascontiguousarray(values, np.float64) for values in series]
    shapes = [array.shape for array in arrays]
    if arrays[0].ndim != 1 or any(shape != shapes[0] for shape in shapes):
        shown = " and ".join(str(shape) for shape in shapes)
        msg = f"plot item {label!r} has series of shapes {shown}: give equal lengths"
        raise ValueError(msg)
    return arrays


def _spec(
    label: str, flags: int, offset: int = 0, stride: int = _STRIDE
) -> implot.Spec:
    """Returns flags and offset as imgui-bundle takes them.

    Raises:
        NotImplementedError: If the stride is not that of a list of float64.
    """
    if stride != _STRIDE:
        msg = (
            f"plot item {label!r} has stride {stride}: series are copied, so that only "
            f"{_STRIDE} fits: give a part of the array instead, as in ys[::2]"
        )
        raise NotImplementedError(msg)
    spec = implot.Spec()
    spec.flags = int(flags)
    spec.offset = int(offset)
    return spec


def _ratios(title: str, name: str, values: Any, count: int) -> list[float]:  # noqa: ANN401, any sequence
    """Returns the shares of rows or columns, equal ones where none are given.

    Raises:
        ValueError: If there is not one for each.
    """
    if np.ndim(values) == 0:
        return [1.0] * count
    shares = [float(value) for value in values]
    if len(shares) != count:
        msg = f"subplots {title!r}: {name} has {len(shares)} numbers: give {count}"
        raise ValueError(msg)
    return shares
