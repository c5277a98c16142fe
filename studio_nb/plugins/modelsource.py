"""A function as a model source: what `@studio.model_source` makes of it.

The function is called in the cell's thread when it is defined, so that a mistake
is told in the cell, and on the sim thread when the model is reloaded.
"""

import pathlib
from typing import TYPE_CHECKING

from mujoco.studio import messages, plugin

from studio_nb.errors import StudioError
from studio_nb.plugins.forms import Function, FunctionPlugin, takes
from studio_nb.sim import keeping
from studio_nb.spec import sources

if TYPE_CHECKING:
    from studio_nb.sim.handle import SimHandle
    from studio_nb.sim.loading import Loader

# A session has one model, and so one source of it.
_IDENTITY = frozenset({("model source",)})


class ModelSource(FunctionPlugin, plugin.SimPlugin):
    """Answers a reload with what the function returns."""

    handle: "SimHandle"  # ty: ignore[incompatible-property-override] - always ours

    def __init__(self, fn: Function, loader: "Loader") -> None:
        """Wraps `fn()`, which returns an MjSpec, an MjModel, a path or XML.

        Args:
            fn: The function.
            loader: Shows the model; to be used on the sim thread.

        Raises:
            TypeError: If the function takes arguments.
        """
        takes(fn, "model_source", ())
        super().__init__(fn, _IDENTITY, "model source")
        self._loader = loader
        self._path = ""

    def load(self) -> sources.Source:
        """Calls the function, and loads what it returns.

        Raises:
            StudioError: If that is no model.
        """
        made = self.fn()
        if made is None:
            msg = f"model_source {self.plugin_name} returned None: return a model"
            raise StudioError(msg)
        return sources.load(made)

    def show(self, source: sources.Source, *, keep: bool = False) -> None:
        """Goes on with a loaded model. Sim thread only.

        Args:
            source: What `load` returned.
            keep: Whether to go on in the state of the model before.
        """
        self._path = source.path
        handle = self.handle
        if not keep or handle.model is None or source.data is not None:
            self._loader.show(source)
            return
        source.data = keeping.carried(handle.model, handle.data, source.model)
        with handle.editing():
            self._loader.show(source)

    # Another file that a person opens is none of this.
    @messages.handler
    def on_load_model(self, event: messages.LoadModelEvent) -> bool:
        """Calls the function again; what it raises leaves the model as it is."""
        if event.path and not self._is_mine(event.path):
            return False
        try:
            self.show(self.load())
        except Exception as error:  # noqa: BLE001 - the function is the person's
            self.handle.load_error = error
            self.handle.report_error(self.plugin_name, error)
        return True

    def _is_mine(self, path: str) -> bool:
        return bool(self._path) and pathlib.Path(path) == pathlib.Path(self._path)
