"""Finds the Chromium that the browser tests drive, and installs one where none is.

`python tools/chromium.py` prints its path; with `--install` it fetches one first if
need be: Debian's package as root on Debian, Playwright's build elsewhere. The Makefile
hands the path to the tests of both languages as CHROMIUM_PATH; the Python tests ask
`find`.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

VARIABLE = "CHROMIUM_PATH"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


def starts(path: str) -> bool:
    """Whether the program runs: Ubuntu's /usr/bin/chromium-browser may be a stub."""
    try:
        command = [path, "--version"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def playwright_build() -> str | None:
    """Where Playwright keeps, or would keep, its own build."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - may be absent
    except ImportError:
        return None
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def find() -> str | None:
    """The first Chromium that starts: the variable's, the system's, Playwright's.

    Raises:
        FileNotFoundError: The variable names a program that does not start.
    """
    if named := os.environ.get(VARIABLE):
        if starts(named):
            return named
        message = f"{VARIABLE} is {named!r}, which does not start: correct or unset it"
        raise FileNotFoundError(message)
    system = [path for path in map(shutil.which, NAMES) if path]
    for path in [*system, *MACOS]:
        if starts(path):
            return path
    own = playwright_build()
    return own if own and starts(own) else None


def install() -> None:
    """Installs Chromium in the way that suits the machine."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    linux = platform.system() == "Linux"
    system = platform.freedesktop_os_release() if linux else {}
    # Ubuntu's package of that name only starts a snap, which containers lack.
    if root and system.get("ID") == "debian" and shutil.which("apt-get"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        packages = ["chromium", "fonts-dejavu-core"]
        commands = [
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
        ]
    else:
        env = dict(os.environ)
        extra = ["--with-deps"] if root and linux else []
        playwright = [sys.executable, "-m", "playwright"]
        commands = [[*playwright, "install", "chromium", *extra]]
    for command in commands:
        # What it says is for the person: our standard output holds the path alone.
        subprocess.run(command, env=env, check=True, stdout=sys.stderr)


def main() -> int:
    """Prints the path; with --install, installs first where nothing is found."""
    path = find()
    if path is None and "--install" in sys.argv[1:]:
        install()
        path = find()
    if path is None:
        program = Path(__file__).name
        print(f"no Chromium: run `python tools/{program} --install`", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
