"""The section Sensors: what every sensor measures, and plots of the last seconds.

`App` draws it in the Inspector, on the viewer thread.
"""

from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui, implot

from studio_nb.app import widgets
from studio_nb.app.panel import Scope
from studio_nb.app.panels import listing, series
from studio_nb.app.panels.filtered import Filtered

_SENSOR = mujoco.mjtSensor
_SHARES = (0.44, 0.56)
_PLOT_EM = 6.5
_OVERVIEW_EM = 6.0
# More bars than pixels show nothing; more curves or numbers nobody can read.
_MOST_BARS = 300
_MOST_CURVES = 8
_MOST_NUMBERS = 4
_MOST_PLOTS = 12
_BAR_WIDTH = 0.8

_BARS = int(
    implot.Flags_.no_title
    | implot.Flags_.no_legend
    | implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_mouse_text
    | implot.Flags_.no_inputs
)

# The units of the types of sensors, from the XML reference's chapter on sensors.
# Those of joints, tendons, actuators and contacts depend on what they measure.
_UNITS = {
    "TOUCH": "N",
    "ACCELEROMETER": "m/s\N{SUPERSCRIPT TWO}",
    "VELOCIMETER": "m/s",
    "GYRO": "rad/s",
    "FORCE": "N",
    "TORQUE": "N\N{MIDDLE DOT}m",
    "RANGEFINDER": "m",
    "CAMPROJECTION": "px",
    "TENDONPOS": "m",
    "TENDONVEL": "m/s",
    "TENDONACTFRC": "N",
    "BALLANGVEL": "rad/s",
    "TENDONLIMITPOS": "m",
    "TENDONLIMITVEL": "m/s",
    "TENDONLIMITFRC": "N",
    "FRAMEPOS": "m",
    "FRAMELINVEL": "m/s",
    "FRAMEANGVEL": "rad/s",
    "FRAMELINACC": "m/s\N{SUPERSCRIPT TWO}",
    "FRAMEANGACC": "rad/s\N{SUPERSCRIPT TWO}",
    "SUBTREECOM": "m",
    "SUBTREELINVEL": "m/s",
    "SUBTREEANGMOM": "kg\N{MIDDLE DOT}m\N{SUPERSCRIPT TWO}/s",
    "GEOMDIST": "m",
    "GEOMFROMTO": "m",
    "E_POTENTIAL": "J",
    "E_KINETIC": "J",
    "CLOCK": "s",
}
# The units at a hinge and at a slide joint.
_JOINT_UNITS = {
    "JOINTPOS": ("rad", "m"),
    "JOINTVEL": ("rad/s", "m/s"),
    "JOINTACTFRC": ("N\N{MIDDLE DOT}m", "N"),
    "JOINTLIMITPOS": ("rad", "m"),
    "JOINTLIMITVEL": ("rad/s", "m/s"),
    "JOINTLIMITFRC": ("N\N{MIDDLE DOT}m", "N"),
}


def type_of(model: mujoco.MjModel, sensor: int) -> str:
    """Returns a sensor's type in MuJoCo's words, as "jointpos"."""
    return _SENSOR(int(model.sensor_type[sensor])).name.removeprefix("mjSENS_").lower()


def unit_of(model: mujoco.MjModel, sensor: int) -> str:
    """Returns a sensor's unit; "" where it has none, or one that is not known."""
    word = type_of(model, sensor).upper()
    if word in _JOINT_UNITS:
        joint = int(model.sensor_objid[sensor])
        slides = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE
        return _JOINT_UNITS[word][bool(slides)]
    return _UNITS.get(word, "")


class Sensors(Filtered):
    """An overview of all sensors, their values, and a plot of each checked one."""

    title = "Sensors"

    def __init__(self) -> None:
        """Starts with the overview and no plot."""
        super().__init__()
        self._checked: dict[str, series.Series] = {}
        self._names: list[str] | None = None
        self._places: dict[str, int] = {}
        self._units: list[str] = []
        self._bars: list[tuple[str, slice, npt.NDArray[np.float64]]] = []
        self._cutoff: npt.NDArray[np.float64] = np.ones(0)
        self._rows: list[int] = []
        self._rows_for: str | None = None
        self._limits = (-1.0, 1.0)

    def keeps(self) -> dict[str, Any]:
        """Returns the filter, and which sensors are plotted."""
        return {**super().keeps(), "plotted": list(self._checked)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over the filter, and which sensors are plotted."""
        super().restore(kept)
        if isinstance(plotted := kept.get("plotted"), list):
            names = [name for name in plotted if isinstance(name, str)]
            self._checked = {name: series.Series() for name in names[:_MOST_PLOTS]}

    def on_model(self, scope: Scope) -> None:
        """Forgets the sensors; `_learn` asks for them when they are drawn."""
        del scope
        self._names = None
        for curve in self._checked.values():
            curve.clear()

    def _learn(self, model: mujoco.MjModel) -> None:
        self._names = listing.names(model, mujoco.mjtObj.mjOBJ_SENSOR, model.nsensor)
        self._places = {name: i for i, name in enumerate(self._names)}
        self._units = [unit_of(model, i) for i in range(model.nsensor)]
        self._rows_for = None
        self._limits = (-1.0, 1.0)
        cutoff = np.where(model.sensor_cutoff > 0, model.sensor_cutoff, 1.0)
        self._cutoff = np.repeat(cutoff, model.sensor_dim)
        types = np.repeat(model.sensor_type, model.sensor_dim)[:_MOST_BARS]
        starts = np.flatnonzero(np.diff(types, prepend=-1))
        ends = np.append(starts[1:], len(types))[: len(starts)]
        self._bars = [
            (f"##{start}", slice(start, end), np.arange(start, end, dtype=np.float64))
            for start, end in zip(starts, ends, strict=True)
        ]

    def update(self, scope: Scope) -> None:
        """Samples the sensors that are plotted."""
        if not self._checked:
            return
        if self._names is None:
            self._learn(scope.model)
        for name, curve in self._checked.items():
            sensor = self._places.get(name)
            if sensor is not None:
                curve.add(scope.data.time, self._values(scope, sensor, _MOST_CURVES))

    def _values(self, scope: Scope, sensor: int, most: int) -> npt.NDArray[np.float64]:
        start = int(scope.model.sensor_adr[sensor])
        count = min(int(scope.model.sensor_dim[sensor]), most)
        return scope.data.sensordata[start : start + count]

    def draw(self, scope: Scope) -> None:
        """Draws the overview, the plots, and the list."""
        if not scope.model.nsensor:
            listing.say("This model has no sensors.")
            return
        if self._names is None:
            self._learn(scope.model)
        self._draw_overview(scope)
        for name, curve in self._checked.items():
            if (sensor := self._places.get(name)) is not None:
                self._draw_plot(scope, sensor, name, curve)
        self._draw_filter()
        rows = self._visible_rows(scope.model)
        if not rows:
            listing.say("No sensor passes the filter.")
        with listing.table("sensors", _SHARES, len(rows)) as visible:
            for i in visible:
                self._draw_row(scope, rows[i])

    def _visible_rows(self, model: mujoco.MjModel) -> list[int]:
        """Returns the sensors to list, made anew only when that changed."""
        if self._query != self._rows_for:
            self._rows_for = self._query
            self._rows = [
                i
                for i, name in enumerate(self._names or ())
                if listing.matches(f"{name} {type_of(model, i)}", self._query)
            ]
        return self._rows

    def _draw_overview(self, scope: Scope) -> None:
        """Draws a bar for each number, in the colour of its type's run."""
        with np.errstate(over="ignore"):
            values = scope.data.sensordata[:_MOST_BARS] / self._cutoff[:_MOST_BARS]
        values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
        low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
        self._limits = series.fitted(low, high, self._limits)
        count = len(values)
        height = _OVERVIEW_EM * scope.em
        across = -1.0, float(max(count, 1))
        if not series.begin_plot("##overview", height, _BARS, across, self._limits):
            return
        for label, part, places in self._bars:
            implot.plot_bars(label, places, values[part], _BAR_WIDTH)
        implot.end_plot()
        if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
            imgui.set_tooltip(
                "Each bar is a number of sensordata, divided by the sensor's cutoff "
                "where it has one; a colour is a run of sensors of one type."
                + (
                    f"\nThe first {count} of {scope.model.nsensordata}."
                    if count < scope.model.nsensordata
                    else ""
                )
            )

    def _draw_plot(
        self, scope: Scope, sensor: int, name: str, curve: series.Series
    ) -> None:
        unit = self._units[sensor]
        imgui.text_disabled(f"{name} ({unit})" if unit else name)
        count = min(int(scope.model.sensor_dim[sensor]), _MOST_CURVES)
        labels = [str(i) for i in range(count)]
        height = _PLOT_EM * scope.em
        series.plot(f"##{sensor}", curve, labels, scope.palette, height)

    def _draw_row(self, scope: Scope, sensor: int) -> None:
        name = self._names[sensor] if self._names else ""
        imgui.table_next_row()
        imgui.table_next_column()
        on = name in self._checked
        changed, wanted = imgui.checkbox(f"{widgets.plain(name)}##{sensor}", on)
        listing.touched(name, lambda: self._describe(scope.model, sensor))
        if changed and wanted:
            if len(self._checked) >= _MOST_PLOTS:
                del self._checked[next(iter(self._checked))]
            self._checked[name] = series.Series()
        elif changed:
            self._checked.pop(name, None)
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        values = self._values(scope, sensor, _MOST_NUMBERS).tolist()
        digits = 3 if len(values) == 1 else 2
        words = " ".join([listing.fixed(value, digits) for value in values])
        hidden = int(scope.model.sensor_dim[sensor]) - len(values)
        more = f" +{hidden}" if hidden > 0 else ""
        imgui.text_unformatted(f"{words}{more} {self._units[sensor]}")

    def _describe(self, model: mujoco.MjModel, sensor: int) -> str:
        dim = int(model.sensor_dim[sensor])
        start = int(model.sensor_adr[sensor])
        lines = [f"sensor {sensor}, {type_of(model, sensor)}"]
        kind, index = int(model.sensor_objtype[sensor]), int(model.sensor_objid[sensor])
        if kind > 0 and index >= 0:
            target = mujoco.mj_id2name(model, kind, index) or index
            lines.append(f"of {mujoco.mju_type2Str(kind)} {target}")
        end = f":{start + dim}" if dim > 1 else ""
        lines.append(f"sensordata[{start}{end}]")
        if (cutoff := float(model.sensor_cutoff[sensor])) > 0:
            lines.append(f"cutoff {cutoff:.4g}")
        lines.append("Check it to plot it.")
        return "\n".join(lines)
