"""The Studio app of the notebook viewer, as a plugin.

The viewer registers an `App` beside the other viewer plugins and dispatches
Studio's messages to it, all on the viewer thread. It opens the dock space before
any plugin draws, and draws its rows and windows within the viewer's frame.
"""

from collections.abc import Iterator
from typing import Any

import mujoco
from imgui_bundle import imgui
from mujoco.studio import messages, plugin

from studio_nb.app import bottombar, gizmo, keys, layout, overlays, row, toolbar
from studio_nb.app.controls import Controls
from studio_nb.app.lenses import FREE, Lenses
from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import (
    actuators,
    cameras,
    console,
    equality,
    groups,
    hierarchy,
    info,
    joints,
    noise,
    physics,
    profiler,
    rendering,
    sensors,
    simulation,
    state,
    tendons,
    visualization,
    watch,
)
from studio_nb.app.statusbar import StatusBar
from studio_nb.app.timeline import Timeline
from studio_nb.app.windows import Window, Windows
from studio_nb.registry import Offering
from studio_nb.sim.profile import ProfileSnapshot

_OPTIONS: tuple[type[Panel], ...] = (
    simulation.Simulation,
    physics.Physics,
    rendering.Rendering,
    groups.Groups,
    visualization.Visualization,
)
_INSPECTOR: tuple[type[Panel], ...] = (
    joints.Joints,
    actuators.Controls,
    sensors.Sensors,
    watch.Watch,
    state.State,
    equality.Equality,
    tendons.Tendons,
    noise.Noise,
)


def _windows(profiler_panel: profiler.Profiler, info_panel: info.Info) -> Windows:
    """Makes the windows as a newcomer finds them."""
    options = [panel() for panel in _OPTIONS]
    inspector = [panel() for panel in _INSPECTOR]
    return Windows(
        [
            Window(
                "Options",
                "left",
                options,
                open=True,
                keys="Tab",
                unfolded={"Simulation"},
            ),
            Window(
                "Inspector",
                "right",
                inspector,
                open=True,
                keys="Shift+Tab",
                unfolded={"Joints", "Sensors"},
            ),
            Window("Hierarchy", "right", [hierarchy.Hierarchy()], open=True),
            Window("Console", "bottom", [console.Console()], keys="F4"),
            Window("Profiler", "bottom", [profiler_panel], keys="F3"),
            Window("Info", "float", [info_panel], keys="F2", size=(20.0, 24.0)),
        ]
    )


class App(plugin.ViewerPlugin):
    """Rows, windows, keys and overlays of one viewer, a `NotebookViewer`.

    Attributes:
        windows: What the View menu opens and closes.
        timeline: The history, in the row at the bottom.
        status: What is measured, at the right end of that row.
        cameras: The windows that show other cameras' pictures.
        layout: Where the windows stand, and what they leave of the view.
        shows_gizmo: Whether the axes stand over the scene.
        theme: "light", "dark", or "auto" for the notebook's own.
    """

    viewer: Any

    def __init__(self) -> None:
        """Starts as a newcomer finds it."""
        self._profiler, self._info = profiler.Profiler(), info.Info()
        self.windows = _windows(self._profiler, self._info)
        self.timeline = Timeline()
        self.status = StatusBar()
        self.cameras = cameras.Cameras()
        self.shows_gizmo = True
        self.theme = "auto"
        self._scope: Scope | None = None
        self.layout = layout.Layout()
        self._loaded = -1
        self._wide = True
        self._folded: list[layout.Dock] = []

    # -- what panels, menus and keys work with ---------------------------------

    @property
    def scope(self) -> Scope:
        """What every panel works with."""
        if self._scope is None or self._scope.viewer is not self.viewer:
            viewer = self.viewer
            self._scope = Scope(viewer, Controls(viewer), Lenses(viewer))
        return self._scope

    @property
    def controls(self) -> Controls:
        """The actions on the simulation."""
        return self.scope.controls

    @property
    def lenses(self) -> Lenses:
        """The choice of the camera."""
        return self.scope.lenses

    @property
    def model(self) -> mujoco.MjModel:
        """The viewer's model."""
        return self.viewer.model

    @property
    def window_mode(self) -> str:
        """Whether the view is in its "cell", fills the "window" or the "screen"."""
        return self.viewer.page.look.mode

    def plugin_panels(self) -> Iterator[tuple[str, Any]]:
        """Yields what plugins have to open and close: a title, an object's `open`."""
        for other in self.viewer.plugins.plugins:
            if isinstance(other, Offering) and hasattr(other, "title"):
                yield other.title, other

    def fold(self, dock: layout.Dock) -> None:
        """Folds a side of the view with all that is there, or unfolds it."""
        others = [p for _, p in self.plugin_panels() if getattr(p, "dock", "") == dock]
        self.windows.fold(dock, others)

    def side_is_open(self, dock: layout.Dock) -> bool:
        """Tells whether any window of ours is open on a side."""
        return any(w.open for w in self.windows.all if w.dock == dock)

    def free_camera(self) -> None:
        """Lets go: of a camera of the model's, and of what is selected."""
        self.controls.deselect()
        if self.lenses.index != FREE:
            self.lenses.choose(FREE)

    def set_label(self, label: int) -> None:
        """Chooses what is labelled in the scene, an `mjtLabel`."""
        self.viewer.vis_options.label = label

    def set_frame(self, frame: int) -> None:
        """Chooses whose frames are drawn in the scene, an `mjtFrame`."""
        self.viewer.vis_options.frame = frame

    def set_theme(self, theme: str) -> None:
        """Chooses "light", "dark", or "auto" for the notebook's own."""
        self.theme = theme
        self.viewer.set_theme_choice(theme)

    def reset_layout(self) -> None:
        """Puts every window where a newcomer finds it."""
        self.windows.reset()
        self.layout.reset()

    def quit(self) -> None:
        """Closes the simulation."""
        self.viewer.dispatch(messages.ExitEvent())

    # -- messages --------------------------------------------------------------

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_step_control(self, event: messages.StepControlSnapshot) -> None:
        self.controls.follow(event)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_request_pause(self, event: messages.RequestPauseEvent) -> None:
        self.controls.follow_pause(event.pause_state)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_profile(self, event: ProfileSnapshot) -> None:
        self._profiler.take(event)
        self._info.take(event)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_model(self, _: messages.PostModelEvent) -> None:
        self.windows.on_model(self.scope, self._report)
        self.cameras.on_model(self.scope)
        self.timeline.on_model(self.scope)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_update(self, _: messages.UpdateEvent) -> None:
        # Dear ImGui takes its settings only while no frame is open.
        known = self.viewer.memory.loaded == self._loaded
        if not known and self.viewer.page.ready:
            with self.viewer.ui.current():
                self._recall()

    # Before any plugin's: their windows stand in the dock space.
    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_build_gui(self, _: messages.BuildGuiEvent) -> None:
        view = imgui.get_main_viewport().size
        height = max(view.y - row.HEIGHT_PX - bottombar.HEIGHT_PX, 1.0)
        self._fit(view.x)
        keys.handle(self)
        self.viewer.ui.takes_wheel = self.lenses.flying
        if self.lenses.fly():
            self.viewer.ui.touch()
        toolbar.draw(self)
        bottombar.draw(self)
        self.layout.begin(layout.Rect(0.0, row.HEIGHT_PX, view.x, height))
        self.windows.draw(self.scope, self._report)
        self.cameras.draw_windows(self.scope)
        if overlays.draw(self.scope, self.layout.free):
            hierarchy_window = self.windows["Hierarchy"]
            hierarchy_window.open = hierarchy_window.comes_up = True
        if self.shows_gizmo:
            gizmo.draw(self.scope, self.layout.free)
        self._remember()

    def _fit(self, width: float) -> None:
        """Folds the sides when the view becomes narrow, unfolds them when wide."""
        wide = width >= layout.WIDE_PX
        if wide == self._wide:
            return
        self._wide = wide
        if not wide:
            self._folded = [d for d in ("left", "right") if self.side_is_open(d)]
        for dock in self._folded:
            if self.side_is_open(dock) is not wide:
                self.fold(dock)

    def _report(self, where: str, error: BaseException) -> None:
        self.viewer.report_error(where, error)

    # -- memory ----------------------------------------------------------------

    def _recall(self) -> None:
        """Takes over what the notebook remembers."""
        memory = self.viewer.memory
        self._loaded = memory.loaded
        kept = memory.value
        if isinstance(kept.get("windows"), dict):
            self.windows.restore(kept["windows"], self._report)
        if isinstance(kept.get("cameras"), dict):
            self.cameras.restore(kept["cameras"])
        if isinstance(kept.get("gizmo"), bool):
            self.shows_gizmo = kept["gizmo"]
        if kept.get("theme") in ("auto", "light", "dark"):
            self.set_theme(kept["theme"])
        if isinstance(kept.get("layout"), str):
            self.layout.load(kept["layout"])

    def _remember(self) -> None:
        """Tells the notebook what to remember."""
        io = imgui.get_io()
        kept = {
            "windows": self.windows.keeps(() if self._wide else self._folded),
            "cameras": self.cameras.keeps(),
            "gizmo": self.shows_gizmo,
            "theme": self.theme,
            "layout": self.viewer.memory.value.get("layout"),
        }
        if io.want_save_ini_settings:
            io.want_save_ini_settings = False
            kept["layout"] = self.layout.save()
        self.viewer.memory.keep(kept)
