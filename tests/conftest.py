"""What all tests share: folders, and the rule for what a machine may lack."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[1]


def unavailable(reason: str) -> NoReturn:
    """Skips a test that this machine can't run; under CI that is a failure."""
    if os.environ.get("CI"):
        pytest.fail(f"under CI every test must run: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """Further models: `../shared/models`, where it is beside the checkout."""
    folder = ROOT.parent / "shared" / "models"
    if not folder.is_dir():
        pytest.skip(f"no further test models: {folder} is not there")
    return folder
