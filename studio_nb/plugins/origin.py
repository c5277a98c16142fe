"""Where things come from: the cell that runs now, the line that raised.

Called by a cell's thread when it adds plugins, and by whichever thread tells an
error. Works without IPython too.
"""

import contextlib
import dataclasses
import pathlib
import sys
import sysconfig
import traceback
from typing import Any

import mujoco

_LIBRARIES = tuple(
    str(pathlib.Path(file).resolve().parent)
    for file in (mujoco.__file__, str(pathlib.Path(__file__).parent))
)
# What a person's code calls, and does not write.
_PATHS = ("stdlib", "platstdlib", "purelib", "platlib")
_INSTALLED = tuple({sysconfig.get_path(name) for name in _PATHS})


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """Where a plugin came from.

    Attributes:
        text: For people: "In[3]", or a file's name.
        cell: What the notebook calls the cell, which stays when it runs again; ""
            where that is not known.
        run: The number of the cell's run; 0 outside a notebook.
    """

    text: str
    cell: str = ""
    run: int = 0

    def is_rerun_of(self, earlier: object) -> bool:
        """Tells whether this is the same cell, run again."""
        return (
            isinstance(earlier, Origin)
            and bool(self.cell)
            and self.cell == earlier.cell
            and self.run != earlier.run
        )


def here() -> Origin:
    """Returns the cell that is running, or else the program."""
    if (shell := _shell()) is None:
        return Origin("Python")
    cell, run = "", int(shell.execution_count)
    with contextlib.suppress(AttributeError, TypeError):
        # IPython counts a cell before it runs or after, by its version; it is listed
        # before.
        run = len(shell.history_manager.input_hist_parsed) - 1
    with contextlib.suppress(AttributeError, TypeError):
        # JupyterLab and VS Code name the cell in the request that runs it.
        cell = shell.kernel.get_parent("shell")["metadata"].get("cellId") or ""
    return Origin(f"In[{run}]", str(cell), run)


def of_file(path: str) -> Origin:
    """Returns a plugin file as an origin."""
    return Origin(pathlib.Path(path).name)


def place(error: BaseException) -> str:
    """Returns where in a person's own code an error was raised: "In[3], line 7".

    Returns:
        "" when nothing of the person's was running.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_name(error.filename)}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    others = [f for f in frames if not f.filename.startswith((*_LIBRARIES, "<frozen"))]
    # A package of the person's may be installed, too.
    mine = [f for f in others if not f.filename.startswith(_INSTALLED)] or others
    return f"{_name(mine[-1].filename)}, line {mine[-1].lineno}" if mine else ""


def _name(filename: str) -> str:
    """Returns a source as people know it: a cell's number, or a file's name."""
    if (shell := _shell()) is not None:
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            if told := shell.compile.format_code_name(filename):
                return str(told[1])
    return pathlib.Path(filename).name


def _shell() -> Any:  # noqa: ANN401 - IPython may be missing
    """Returns IPython's shell where this process has one, without importing it."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None
