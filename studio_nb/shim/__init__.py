"""Runs plugins that were written for Studio's own Dear ImGui and ImPlot.

Those plugins import `mujoco.studio.dear_imgui` and `mujoco.studio.implot`, which
are compiled and draw where a notebook can't look. `install` puts stand-ins in their
places: `dear_imgui` and `implot` have the same names, arguments and results, drawn
with imgui-bundle. Importing this package loads neither imgui-bundle nor MuJoCo.
"""

import contextlib
import importlib
import types
from collections.abc import Generator
from typing import Any


@contextlib.contextmanager
def active() -> Generator[None]:
    """Keeps the stand-ins in place for the block, where imgui-bundle loads."""
    install = _install()
    if install is None:
        yield
        return
    with install.active():
        yield


def install_for_cells(shell: Any) -> None:  # noqa: ANN401, IPython's shell
    """Keeps them in place for all cells of a shell, where imgui-bundle loads."""
    install = _install()
    if install is not None:
        install.install_for_cells(shell)


def _install() -> types.ModuleType | None:
    """Returns the module that does it; None without imgui-bundle."""
    try:
        return importlib.import_module("studio_nb.shim.install")
    except ImportError:
        return None
