"""Makes the checkout's virtual environment; the Makefile calls it with any Python.

Debian and Ubuntu ship Python without ensurepip, so that `python3 -m venv` fails there
until a further package is installed. This script then takes virtualenv or uv where one
is there, fetches virtualenv with pip where only pip is, and else says what to install.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OLDEST = (3, 11)  # the mujoco 4.0 wheels ask for it


def run(*command: str, **variables: str) -> bool:
    """Runs a command that speaks for itself; returns whether it succeeded."""
    env = {**os.environ, **variables}
    return subprocess.run(command, env=env, check=False).returncode == 0


def available(module: str) -> bool:
    """Whether this Python has the module."""
    return importlib.util.find_spec(module) is not None


def with_fetched_virtualenv(target: Path) -> bool:
    """Makes the environment with a virtualenv that pip puts into a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        fetch = ("pip", "install", "--quiet", "--target", folder, "virtualenv")
        return run(sys.executable, "-m", *fetch) and run(
            sys.executable,
            "-m",
            "virtualenv",
            "--quiet",
            str(target),
            PYTHONPATH=folder,
        )


def make(target: Path) -> bool:
    """Makes the environment by the first way that this machine offers."""
    if available("venv") and available("ensurepip"):
        return run(sys.executable, "-m", "venv", str(target))
    if available("virtualenv"):
        return run(sys.executable, "-m", "virtualenv", "--quiet", str(target))
    if uv := shutil.which("uv"):
        return run(uv, "venv", "--seed", "--python", sys.executable, str(target))
    return available("pip") and with_fetched_virtualenv(target)


def main() -> int:
    """Makes the environment named on the command line, unless it is there."""
    target = Path(sys.argv[1])
    version = "{}.{}".format(*sys.version_info)
    if sys.version_info < OLDEST:
        oldest = "{}.{}".format(*OLDEST)
        print(f"{sys.executable} is Python {version}, {oldest} or newer is needed:")
        print("install one and name it, as in `make demo PYTHON=python3.12`")
        return 1
    if (target / "bin" / "python").exists() or make(target):
        return 0
    print(f"no virtual environment could be made in {target} by {sys.executable}:")
    print(f"install Debian's python{version}-venv, or virtualenv, or uv")
    return 1


if __name__ == "__main__":
    sys.exit(main())
