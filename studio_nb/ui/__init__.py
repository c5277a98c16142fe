"""Panels without a window: Dear ImGui laid out here, drawn by the notebook cell.

The viewer and the panels of `app` use this package, each session from its own
viewer thread. Importing it needs no imgui-bundle: that is loaded with the first
name taken from here, and `available` tells beforehand whether it can be.
"""

import importlib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studio_nb.ui.context import PanelError, UiContext
    from studio_nb.ui.draw_lists import DrawListEncoder
    from studio_nb.ui.images import Images
    from studio_nb.ui.input import UiInput

__all__ = [
    "DrawListEncoder",
    "Images",
    "PanelError",
    "UiContext",
    "UiInput",
    "available",
]

_HOMES = {
    "DrawListEncoder": "draw_lists",
    "Images": "images",
    "PanelError": "context",
    "UiContext": "context",
    "UiInput": "input",
}

# The system libraries that imgui-bundle's Linux wheel links but does not carry,
# with their Debian and Fedora packages.
_SYSTEM_PACKAGES = {
    "libX11": ("libx11-6", "libX11"),
    "libstdc++": ("libstdc++6", "libstdc++"),
    "libz": ("zlib1g", "zlib"),
}


def available() -> str:
    """Tells whether panels can be drawn on this machine.

    Returns:
        An empty string when they can; otherwise one line that says why not and
        what to install.
    """
    try:
        importlib.import_module("imgui_bundle")
    except ImportError as error:
        return _advice(error)
    return ""


def _advice(error: ImportError) -> str:
    """Returns the line for a person whose imgui-bundle does not load."""
    if isinstance(error, ModuleNotFoundError) and error.name == "imgui_bundle":
        return "no panels: imgui-bundle is missing: run 'pip install imgui-bundle'"
    missing = re.search(r"(lib[\w+-]+)\.so", str(error))
    packages = _SYSTEM_PACKAGES.get(missing.group(1)) if missing else None
    if missing and packages:
        debian, fedora = packages
        return (
            f"no panels: the system library {missing.group(1)} is missing: run "
            f"'apt-get install {debian}' (Debian, Ubuntu) or 'dnf install {fedora}' "
            "(Fedora), then restart the kernel"
        )
    reason = " ".join(str(error).split())
    return (
        f"no panels: imgui-bundle does not load ({reason}): run "
        "'pip install --force-reinstall imgui-bundle', then restart the kernel"
    )


def __getattr__(name: str) -> Any:  # noqa: ANN401, PEP 562 hands out any object
    """Loads a public name, and imgui-bundle with it, when it is first asked for."""
    home = _HOMES.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
