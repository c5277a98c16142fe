"""What holds for the project as a whole: its files, its notebooks, its build hook."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SOURCES = sorted(
    path
    for folder, pattern in (
        ("studio_nb", "**/*.py"),
        ("tests", "**/*.py"),
        ("benchmarks", "**/*.py"),
        ("tools", "**/*.py"),
        ("js/src", "**/*.ts"),
        ("js/test", "**/*.ts"),
    )
    for path in (ROOT / folder).glob(pattern)
)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_committed_without_outputs(path: Path):
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs"), f"clear the outputs of {path.name}"
        assert cell.get("execution_count") is None


def test_there_is_a_quickstart():
    assert "quickstart.ipynb" in [path.name for path in NOTEBOOKS]


def test_the_list_of_notebooks_has_each_of_them():
    text = (ROOT / "notebooks" / "README.md").read_text()
    listed = re.findall(r"\]\((\w+\.ipynb)\)", text)
    assert sorted(listed) == [path.name for path in NOTEBOOKS]


def test_no_source_file_is_long():
    long = {path.name: len(path.read_text().splitlines()) for path in SOURCES}
    assert {name: n for name, n in long.items() if n > 500} == {}


def test_every_lint_rule_that_is_off_says_why():
    text = (ROOT / "pyproject.toml").read_text()
    lint = text[text.index("[tool.ruff.lint]") : text.index("[tool.ty")]
    rules = [line for line in lint.splitlines() if re.match(r'\s+"[A-Z]+\d*",', line)]
    assert rules
    assert [line for line in rules if "#" not in line] == []


def test_the_readme_names_targets_that_are_there():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"(?m)^([a-z]+):", makefile))
    for page in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"(?m)(?:^|`)make ([a-z]+)", (ROOT / page).read_text()))
        assert named
        assert named <= targets


def test_links_of_the_pages_lead_to_files():
    for page in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text()
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / link).exists(), f"{page} links to {link}"


def test_the_lock_file_names_no_registry():
    packages = json.loads((ROOT / "js/package-lock.json").read_text())["packages"]
    assert [name for name, entry in packages.items() if "resolved" in entry] == []


def test_the_package_and_the_project_have_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["version"]["path"] == "studio_nb/_version.py"
    assert "version" not in project["project"]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    """The build hook, which is no part of the package."""
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hook", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path, hook: ModuleType) -> Path:
    """A checkout with sources, and a bundle that is newer."""
    source = tmp_path / "js" / "src" / "scene" / "scene.ts"
    source.parent.mkdir(parents=True)
    source.write_text("")
    os.utime(source, (1000, 1000))
    static = tmp_path / "studio_nb" / "static"
    static.mkdir(parents=True)
    for name in hook.BUNDLE:
        (static / name).write_text("")
        os.utime(static / name, (2000, 2000))
    return tmp_path


class Application:
    """Stands for hatchling's: keeps the warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_warning(self, message: str) -> None:
        self.warnings.append(message)


def bundle_hook(hook: ModuleType, tree: Path) -> tuple[Any, Application]:
    application = Application()
    target = hook.BundleHook(str(tree), {}, None, None, "", "wheel", application)
    return target, application


def test_a_fresh_bundle_is_taken_as_it_is(hook: ModuleType, tree: Path):
    assert hook.bundle_is_fresh(tree)
    target, application = bundle_hook(hook, tree)
    assert target.dependencies() == []
    target.initialize("standard", {})
    assert application.warnings == []


def test_a_source_that_is_newer_or_a_missing_file_makes_it_stale(
    hook: ModuleType, tree: Path
):
    source = tree / "js" / "src" / "scene" / "scene.ts"
    os.utime(source, (3000, 3000))
    assert not hook.bundle_is_fresh(tree)
    os.utime(source, (1000, 1000))
    (tree / "studio_nb" / "static" / hook.BUNDLE[0]).unlink()
    assert not hook.bundle_is_fresh(tree)


def test_without_npm_the_hook_asks_for_node_as_a_package(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
):
    (tree / "studio_nb" / "static" / hook.BUNDLE[0]).unlink()
    monkeypatch.setenv("PATH", str(tree))
    target, _ = bundle_hook(hook, tree)
    assert target.dependencies() == [hook.NODE_WHEEL]


def test_an_old_node_counts_as_none(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
):
    (tree / "studio_nb" / "static" / hook.BUNDLE[0]).unlink()
    for name, says in (("npm", "10.0.0"), ("node", "v18.19.0")):
        program = tree / name
        program.write_text(f"#!/bin/sh\necho {says}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tree))
    target, _ = bundle_hook(hook, tree)
    assert target.dependencies() == [hook.NODE_WHEEL]
    (tree / "node").write_text("#!/bin/sh\necho v20.11.1\n")
    assert target.dependencies() == []


def test_where_nothing_builds_a_wheel_fails_and_an_editable_install_warns(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
):
    (tree / "studio_nb" / "static" / hook.BUNDLE[0]).unlink()

    def no_npm() -> None:
        message = "npm is not on PATH"
        raise FileNotFoundError(message)

    monkeypatch.setattr(hook, "npm_command", no_npm)
    target, application = bundle_hook(hook, tree)
    with pytest.raises(RuntimeError, match="npm run build"):
        target.initialize("standard", {})
    target.initialize("editable", {})
    assert len(application.warnings) == 1
    assert "npm is not on PATH" in application.warnings[0]
