"""Names the machine and the versions that the figures belong to."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from benchmarks.browser import renderer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_PACKAGES = ("mujoco", "imgui-bundle", "anywidget", "jupyterlab", "ipykernel")
_CPUINFO = Path("/proc/cpuinfo")


def cpu_name() -> str:
    """The processor's name, or the architecture where the system tells none."""
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def load() -> float:
    """How many processes wanted a core over the last minute, ours included."""
    return os.getloadavg()[0]


def describe(browser: "Browser") -> dict[str, str]:
    """What a reader of the figures has to know."""
    versions = {name: metadata.version(name) for name in _PACKAGES}
    return {
        "processor": cpu_name(),
        "cores": f"{psutil.cpu_count()}",
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "Chromium": browser.version,
        "WebGL": renderer(browser),
        **versions,
    }
