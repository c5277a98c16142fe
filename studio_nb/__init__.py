"""MuJoCo Studio inside a notebook cell.

::

    %load_ext studio_nb
    %studio robot.xml

or, from Python, `studio = studio_nb.open("robot.xml")`.
"""

from typing import TYPE_CHECKING

from studio_nb import shapes
from studio_nb._version import __version__
from studio_nb.errors import SessionClosedError, StudioError
from studio_nb.studio import Studio, open, sessions  # noqa: A004 - see studio.open

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = [
    "SessionClosedError",
    "Studio",
    "StudioError",
    "__version__",
    "load_ipython_extension",
    "open",
    "sessions",
    "shapes",
    "unload_ipython_extension",
]


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Registers `%studio`; called by `%load_ext studio_nb`."""
    from studio_nb import magics  # noqa: PLC0415 - IPython is there when it calls

    magics.load(shell)


def unload_ipython_extension(shell: "InteractiveShell") -> None:
    """Undoes a part of it; called by `%unload_ext studio_nb`. Sessions go on."""
    from studio_nb import magics  # noqa: PLC0415 - IPython is there when it calls

    magics.unload(shell)
