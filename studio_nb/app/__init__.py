"""The Studio app: the panels of the notebook viewer, each a few files.

The viewer adds `App` to its plugins when `studio_nb.ui.available` says that panels
can be drawn. Importing this package needs no imgui-bundle; taking `App` from it
does.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studio_nb.app.app import App

__all__ = ["App"]


def __getattr__(name: str) -> Any:  # noqa: ANN401, PEP 562 hands out any object
    """Loads `App`, and imgui-bundle with it, when it is first asked for."""
    if name != "App":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return importlib.import_module("studio_nb.app.app").App
