"""Opens notebooks with sessions, and asks these by the names of their public API.

The camera alone is not part of it: it belongs to the viewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

# Under the free camera these follow the mouse.
CAMERA = "[camera.azimuth, camera.elevation, camera.distance, *camera.lookat]"


LOAD = "%load_ext studio_nb"


def opened(open_notebook: OpenNotebook, *cells: str) -> Notebook:
    """Opens a notebook that loads the extension and then runs `cells`."""
    notebook = open_notebook([LOAD, *cells])
    notebook.run_all()
    return notebook


class Session:
    """A session by the name of the variable that holds it."""

    def __init__(self, notebook: Notebook, name: str = "studio") -> None:
        """Names a session; it need not be there yet."""
        self.notebook = notebook
        self.name = name

    def ask(self, expression: str) -> Any:
        """The value of an expression in which `studio` is the session."""
        source = f"(lambda studio: {expression})({self.name})"
        return self.notebook.evaluate(source)

    def time(self) -> float:
        """Simulated seconds."""
        return self.ask("studio.time")

    def paused(self) -> bool:
        """Whether it is paused."""
        return self.ask("studio.paused")

    def qpos(self) -> list[float]:
        """The positions, between two steps."""
        return self.ask("studio.call(lambda m, d: d.qpos.tolist())")

    def camera(self) -> list[float]:
        """The kernel's camera: azimuth, elevation, distance, and the point looked at.

        Degrees and metres.
        """
        read = f"(lambda camera: [float(x) for x in {CAMERA}])"
        return self.ask(f"{read}(studio._session.viewer.camera)")

    def wait_until_paused(self, *, paused: bool) -> None:
        """Waits for the session to be paused, or to run."""
        self.notebook.poll(
            lambda: self.paused() is paused, f"session with paused = {paused}"
        )
