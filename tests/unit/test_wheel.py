"""What is built from the checkout works without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BUNDLE = ["loader.js", "widget.css", "widget.js"]

SCRIPT = """
import pathlib, sys
import studio_nb
from studio_nb import models
assert pathlib.Path(studio_nb.__file__).is_relative_to(sys.argv[1]), studio_nb
with studio_nb.open(models.path("dice")) as studio:
    studio.pause()
    before = studio.time
    studio.step(5)
    print(round(studio.time - before, 6))
"""


def build(kind: str, folder: Path) -> Path:
    """Builds a wheel or an sdist with the hatchling that is here."""
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.iterdir())


def test_a_wheel_brings_all_that_the_package_needs(tmp_path: Path):
    wheel = build("wheel", tmp_path / "dist")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "zipfile", "-e", wheel, site]
    subprocess.run(install, check=True)
    static = site / "studio_nb" / "static"
    assert sorted(path.name for path in static.iterdir()) == BUNDLE
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, site],
        env={**os.environ, "PYTHONPATH": str(site)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "0.01"


def test_an_sdist_brings_bundle_and_sources_but_nothing_installed(tmp_path: Path):
    with tarfile.open(build("sdist", tmp_path / "dist")) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {f"studio_nb/static/{name}" for name in BUNDLE} <= set(names)
    assert "js/src/wire.ts" in names
    assert "hatch_build.py" in names
    assert [name for name in names if "node_modules" in name or ".venv" in name] == []
