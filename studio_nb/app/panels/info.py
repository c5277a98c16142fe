"""The Info window: figures of the model, the simulation and the streams.

`App` draws it in a window of its own, on the viewer thread.
"""

import time
from collections.abc import Iterator
from typing import Any

import imgui_bundle
import mujoco
from imgui_bundle import imgui

from studio_nb import _version
from studio_nb.app import widgets
from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import solverstats
from studio_nb.sim.profile import ProfileRequest, ProfileSnapshot

_SIZES = {
    "nq": "positions",
    "nv": "degrees of freedom",
    "nu": "actuators",
    "na": "activations",
    "nbody": "bodies, the world included",
    "njnt": "joints",
    "ngeom": "geoms",
    "nsite": "sites",
    "ncam": "cameras",
    "nlight": "lights",
    "nmesh": "meshes",
    "nhfield": "height fields",
    "nflex": "flexes",
    "nskin": "skins",
    "ntendon": "tendons",
    "neq": "equality constraints",
    "nsensor": "sensors",
    "nkey": "keyframes",
}
# Over how long rates are averaged, and how often a step's time is asked for.
_RATE_SEC = 1.0
_DASH = "\N{EN DASH}"


class Rates:
    """Rates of the totals that the viewer counts, in units a second.

    Attributes:
        of: Rate by the name of the total.
    """

    def __init__(self) -> None:
        """Starts with no rates known."""
        self.of: dict[str, float] = {}
        self._at = 0.0
        self._totals: dict[str, float] = {}

    def update(self, totals: dict[str, float]) -> None:
        """Measures anew when the last time is long enough ago."""
        now = time.perf_counter()
        passed = now - self._at
        if passed < _RATE_SEC:
            return
        if self._totals:
            old = self._totals
            self.of = {
                name: max(total - old.get(name, 0.0), 0.0) / passed
                for name, total in totals.items()
            }
        self._at, self._totals = now, dict(totals)


class Info(Panel):
    """Rows of figures, in groups."""

    title = "Info"

    def __init__(self) -> None:
        """Starts with no rates known."""
        self._rates = Rates()
        self._step_sec: float | None = None
        self._asked_at = 0.0

    def on_model(self, scope: Scope) -> None:
        """Forgets how long a step of the last model took."""
        del scope
        self._step_sec = None

    def take(self, snapshot: ProfileSnapshot) -> None:
        """Takes in how long a step takes."""
        self._step_sec = float(snapshot.seconds[0])

    def draw(self, scope: Scope) -> None:
        """Draws the groups, and asks at times how long a step takes."""
        now = time.perf_counter()
        if now - self._asked_at > _RATE_SEC:
            self._asked_at = now
            scope.viewer.send_to_sim(ProfileRequest())
        figures: dict[str, Any] = scope.viewer.figures()
        self._rates.update(figures)
        groups = {
            "Simulation": _simulation(scope, self._step_sec),
            "View": self._view(figures),
            "Model": _model(scope.model),
            "Versions": _versions(),
        }
        for name, lines in groups.items():
            imgui.separator_text(name)
            with widgets.rows(name) as visible:
                for words, value, tip in lines if visible else ():
                    widgets.text(words, value, tip)

    def _view(self, figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        rate = self._rates.of
        fps, draw = figures.get("fps", 0.0), figures.get("draw_ms", 0.0)
        yield "Frames", f"{fps:5.1f} /s", "As the page draws them"
        yield "Drawing", f"{draw:5.1f} ms", "Of one frame, in the page"
        yield "Resolution", f"{100 * figures.get('scale', 1.0):4.0f} %", "Of the scene"
        trip = 1000 * figures.get("round_trip", 0.0)
        yield "Round trip", f"{trip:5.0f} ms", "From sending a frame to its being drawn"
        for name in ("state", "ui"):
            kilobytes = rate.get(f"{name}_bytes", 0.0) / 1000
            yield f"/{name}", f"{kilobytes:7.1f} kB/s", f"The stream /{name}"


def _simulation(scope: Scope, step_sec: float | None) -> Iterator[tuple[str, str, str]]:
    data, controls = scope.data, scope.controls
    yield "Time", f"{data.time:.3f} s", "Simulated"
    yield "State", "running" if controls.running else "paused", ""
    factor = controls.real_time_factor
    yield "Real-time factor", "" if factor is None else f"{factor:6.2f}", ""
    cpu = _DASH if step_sec is None else f"{1000 * step_sec:.3f} ms"
    yield "CPU", cpu, "Of a physics step: the mean of the last ones"
    yield "ncon", f"{data.ncon:d}", "Contacts"
    yield "nefc", f"{data.nefc:d}", "Scalar constraints"
    yield "nisland", f"{data.nisland:d}", "Constraint islands"
    iterations = solverstats.iterations(data)
    yield "solver_niter", f"{iterations:d}", "Solver iterations, of all islands"
    error = solverstats.error(data)
    text = _DASH if error is None else f"{error:.1f}"
    tip = "log10 of improvement or gradient, at the last iteration"
    yield "solver error", text, tip
    enabled = scope.model.opt.enableflags
    if enabled & mujoco.mjtEnableBit.mjENBL_FWDINV:
        both = [f"{solverstats.logarithm(e):5.1f}" for e in data.solver_fwdinv]
        tip = "log10 of how far inverse dynamics differ: qfrc_constraint, applied force"
        yield "solver_fwdinv", "  ".join(both), tip
    if enabled & mujoco.mjtEnableBit.mjENBL_ENERGY:
        yield "energy", f"{data.energy[0]:.6g} J", "Potential"
        yield "", f"{data.energy[1]:.6g} J", "Kinetic"
    share = 100 * data.maxuse_arena / max(data.narena, 1)
    yield "maxuse_arena", f"{share:.1f} %", f"Of narena, {data.narena / 2**20:.1f} MB"


def _model(model: mujoco.MjModel) -> Iterator[tuple[str, str, str]]:
    yield (
        "names",
        model.names.split(b"\0", 1)[0].decode(errors="replace"),
        "Of the model",
    )
    for name, tip in _SIZES.items():
        if count := getattr(model, name):
            yield name, f"{count:d}", tip


def _versions() -> Iterator[tuple[str, str, str]]:
    yield "studio_nb", _version.__version__, ""
    yield "mujoco", mujoco.__version__, ""
    yield "imgui-bundle", imgui_bundle.__version__, ""
    yield "Dear ImGui", imgui.get_version(), ""
