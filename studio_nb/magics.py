"""`%studio` and `%%studio`, loaded by `%load_ext studio_nb`."""

import argparse
import keyword
import math
import os
import shlex
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from studio_nb import shim
from studio_nb import studio as studio_module
from studio_nb.plugins import files


class _Parser(argparse.ArgumentParser):
    """Tells a mistake in one line instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        text = f"%studio: {message}\n{self.format_usage().strip()}"
        raise UsageError(text)


def _percent(text: str) -> float:
    value = math.inf if text == "max" else float(text)
    if not value > 0:
        raise ValueError
    return value


_percent.__name__ = "speed (percent of real time above 0, or max)"


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the magic's line."""
    out = _Parser(prog="%studio", add_help=False, allow_abbrev=False)
    out.add_argument("model", nargs="?", help="a model file, or a variable")
    out.add_argument("--name", default=studio_module.DEFAULT_NAME)
    out.add_argument("--height", type=int, default=studio_module.DEFAULT_HEIGHT_PX)
    out.add_argument("--paused", action="store_true")
    out.add_argument("--speed", type=_percent, default=100.0, metavar="PCT")
    out.add_argument("--key", default=None)
    out.add_argument("--plugins", default="", metavar="A.PY,B.PY")
    out.add_argument("--hot-reload", default="", metavar="all|plugins|model")
    return out


@magics_class
class StudioMagics(Magics):
    """The magics of one IPython shell."""

    @line_cell_magic
    def studio(self, line: str, cell: str | None = None) -> None:
        """Opens a live MuJoCo simulation under the cell.

        ::

            %studio [MODEL] [--name NAME] [--height PX] [--paused]
                    [--speed PCT] [--key N] [--plugins a.py,b.py]
                    [--hot-reload all|plugins|model]

        MODEL is a file (XML, URDF, MJB, MJZ, ZIP) or a variable that holds a
        path, an XML string, an MjSpec, an MjModel or a pair of MjModel and
        MjData; without it a demo opens. As `%%studio` the cell's text is the
        model (MJCF). The variable NAME, `studio` unless given, then holds the
        session. With --hot-reload what is saved is taken over: the files of
        plugins, the model's file with what it includes, or all of it.
        """
        args = parser().parse_args(_words(line))
        if not args.name.isidentifier() or keyword.iskeyword(args.name):
            msg = f"%studio: --name {args.name!r} cannot be a variable's name"
            raise UsageError(msg)
        if cell is not None and args.model is not None:
            msg = f"%%studio: the cell's text is the model; leave {args.model!r} out"
            raise UsageError(msg)
        if cell is not None and not cell.strip():
            msg = "%%studio: the cell has no MJCF: write <mujoco>...</mujoco> in it"
            raise UsageError(msg)
        namespace: dict[str, Any] = getattr(self.shell, "user_ns", {})
        model = cell if cell is not None else namespace.get(args.model, args.model)
        studio = studio_module.open(
            model,
            name=args.name,
            height=args.height,
            paused=args.paused,
            speed=args.speed,
            key=args.key,
            plugins=files.split(args.plugins),
            hot_reload=args.hot_reload,
        )
        namespace[args.name] = studio
        display(studio)


def _words(line: str) -> list[str]:
    try:
        # Backslashes separate folders on Windows and must stay.
        return shlex.split(line.replace("\\", "\\\\") if os.name == "nt" else line)
    except ValueError as error:
        msg = f"%studio: {error}: check the quotes in {line!r}"
        raise UsageError(msg) from None


def load(shell: InteractiveShell) -> None:
    """Registers the magics with a shell, and lets its cells import Studio's ImGui."""
    shell.register_magics(StudioMagics)
    shim.install_for_cells(shell)


def unload(shell: InteractiveShell) -> None:
    """Takes back what the cells of a shell import as Studio's ImGui."""
    shim.uninstall_for_cells(shell)
