"""What a panel of the app is, and what it works with.

A panel draws the contents of one window, or of one foldable section of a window;
`App` owns the panels and begins and ends those around them. Viewer thread only.
"""

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import mujoco
from imgui_bundle import imgui
from mujoco.studio import messages, viewer_protocol

from studio_nb.app.controls import ControlledViewer, Controls
from studio_nb.console import Console
from studio_nb.memory import Memory
from studio_nb.page import Page
from studio_nb.registry import GuardedRegistry
from studio_nb.scene.pictures import Pictures
from studio_nb.ui import UiContext, theme

if TYPE_CHECKING:
    # It lists names as the panels do.
    from studio_nb.app.lenses import Lenses


class PanelViewer(ControlledViewer, Protocol):
    """What a viewer has for panels; `NotebookViewer` is one."""

    vis_options: mujoco.MjvOption
    render_flags: viewer_protocol.ux.RenderFlags
    plugins: GuardedRegistry
    console: Console
    memory: Memory
    page: Page

    @property
    def ui(self) -> UiContext:
        """Where panels are built."""
        ...

    @property
    def paused(self) -> bool:
        """Whether the simulation stands still."""
        ...

    @property
    def pictures(self) -> Pictures:
        """Shows the scene from other cameras."""
        ...

    def dispatch(self, message: messages.Message) -> None:
        """Dispatches a message to the viewer's own plugins."""
        ...

    def report_error(self, where: str, error: BaseException) -> None:
        """Tells that something in the view raised."""
        ...

    def figures(self) -> dict[str, float]:
        """Returns totals of the streams."""
        ...

    def set_theme_choice(self, name: str) -> None:
        """Chooses "auto", "light" or "dark"."""
        ...

    def set_window_mode(self, mode: str) -> None:
        """Fills the "cell", the "window" or the "screen"."""
        ...


class Scope:
    """What every panel of one viewer works with.

    Attributes:
        viewer: Whose panels these are.
        controls: The actions on the simulation, and what is known of it.
        lenses: The choice of the camera.
        taken_keys: Keys that a panel used in this frame; the next one's shortcuts
            leave them alone.
    """

    def __init__(
        self, viewer: PanelViewer, controls: Controls, lenses: "Lenses"
    ) -> None:
        """Binds them."""
        self.viewer = viewer
        self.controls = controls
        self.lenses = lenses
        self.taken_keys: frozenset[imgui.Key] = frozenset()

    @property
    def model(self) -> mujoco.MjModel:
        """The viewer's own copy of the model."""
        return self.viewer.model

    @property
    def data(self) -> mujoco.MjData:
        """The viewer's own data: the state of the last frame."""
        return self.viewer.data

    @property
    def palette(self) -> theme.Palette:
        """The colours of the current theme."""
        return self.viewer.ui.palette

    @property
    def em(self) -> float:
        """The size of the text, CSS pixels."""
        return imgui.get_font_size()


class Panel:
    """The contents of one window or section.

    Attributes:
        title: Of the window or section; unique.
    """

    title: ClassVar[str] = ""

    def draw(self, scope: Scope) -> None:
        """Draws the contents. Not called while they cannot be seen."""
        raise NotImplementedError

    def update(self, scope: Scope) -> None:
        """Is called once a built frame, also while nothing of it can be seen."""

    def on_model(self, scope: Scope) -> None:
        """Is called when the model was exchanged: forget IDs, sizes, selections."""

    def keeps(self) -> dict[str, Any]:
        """Returns what is to be remembered with the notebook: small, and JSON."""
        return {}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over what an earlier `keeps` returned; distrusts it."""
