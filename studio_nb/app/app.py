"""The Studio app of the notebook viewer, as a plugin.

The viewer registers an `App` beside the other viewer plugins and dispatches
Studio's messages to it, all on the viewer thread; it builds its panels within the
viewer's frame.
"""

from typing import Protocol, cast

from mujoco.studio import messages, plugin

from studio_nb.app import keys, overlays, toolbar
from studio_nb.app.controls import Controls
from studio_nb.ui import UiContext


class PanelViewer(Protocol):
    """What the app asks of a viewer beside what every viewer of Studio has.

    Attributes:
        ui: Where its panels are built.
    """

    @property
    def ui(self) -> UiContext: ...  # noqa: D102, described above


class App(plugin.ViewerPlugin):
    """Toolbar, keys and overlays of one viewer.

    The viewer is a `PanelViewer`.
    """

    _controls: Controls | None = None

    @property
    def controls(self) -> Controls:
        """The actions of the toolbar and the keys."""
        if self._controls is None or self._controls.viewer is not self.viewer:
            self._controls = Controls(self.viewer)
        return self._controls

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_step_control(self, event: messages.StepControlSnapshot) -> None:
        self.controls.follow(event)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_request_pause(self, event: messages.RequestPauseEvent) -> None:
        self.controls.follow_pause(event.pause_state)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_build_gui(self, _: messages.BuildGuiEvent) -> None:
        palette = cast("PanelViewer", self.viewer).ui.palette
        keys.handle(self.controls)
        toolbar.draw(self.controls, palette)
        overlays.draw_selection(self.viewer)
