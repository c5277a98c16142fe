"""Plugin files: loaded as Studio loads them, anew each time.

Called in a cell's thread by `studio_nb.open` and `%studio --plugins`. Studio loads
a file once a process; a notebook's kernel lives on while files change.
"""

import os
import pathlib
import sys
from collections.abc import Iterable

from mujoco.studio import hot_reload_utils, plugin

from studio_nb import shim
from studio_nb.errors import StudioError
from studio_nb.plugins import origin
from studio_nb.registry import describe


def load(path: str | os.PathLike[str]) -> list[plugin.Plugin]:
    """Returns an instance of every plugin class that a file defines.

    Args:
        path: A `.py` file. What is beside it, it can import.

    Raises:
        StudioError: If it is not there, does not run, or defines none; the message
            names file and line.
    """
    file = pathlib.Path(path).expanduser().resolve()
    if not file.is_file():
        msg = f"plugin file {file} not found: give the path of a .py file"
        raise StudioError(msg)
    try:
        with shim.active():
            _refresh(file)
            return plugin.load_plugins([str(file)])
    # A script may end itself with SystemExit.
    except (Exception, SystemExit) as error:
        where = origin.place(error) or file.name
        msg = f"plugin file {file}: {describe(error)} ({where})"
        raise StudioError(msg) from error


def _refresh(file: pathlib.Path) -> None:
    """Runs a file that was loaded before once more, after what it imports from beside.

    A module whose code fails now stays as it was.
    """
    module = sys.modules.get(f"{plugin.PLUGIN_PACKAGE}.{file.stem}")
    if module is None or hot_reload_utils.source_path(module) != os.path.realpath(file):
        return
    graph: dict[str, set[str]] = {}
    waiting = [module]
    while waiting:
        each = waiting.pop()
        if each.__name__ not in graph:
            beside = hot_reload_utils.local_imports(each)
            graph[each.__name__] = {other.__name__ for other in beside}
            waiting += beside
    for name in hot_reload_utils.reload_order(graph, graph):
        hot_reload_utils.reload_module(sys.modules[name])


def split(paths: str) -> Iterable[str]:
    """Returns the paths of a list with commas."""
    return [path.strip() for path in paths.split(",") if path.strip()]
