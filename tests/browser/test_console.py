"""Console, Profiler and Info: what went wrong, where time goes, how much there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.person import BOTTOM, Person, person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext

    from tests.browser.lab import Lab

OPEN = "%studio --height 600"
# The cell behind `OPEN`, for what each test does in a cell.
FREE_CELL = 3
CONSOLE, PROFILER, INFO = "Console", "Profiler", "Info"

FAULTY = """
from mujoco.studio import messages

@studio.on(messages.PreStepEvent)
def wobble(event):
    raise KeyError("no such leg")
"""
LOGGED = "import logging; logging.getLogger('gait').warning('left foot slips')"
WARNED = "import warnings; warnings.warn('gains are high', RuntimeWarning)"
ENDED = """
import threading

def walk():
    raise OSError("lost the leash")

thread = threading.Thread(target=walk, name="walker")
thread.start()
thread.join()
"""
UNSTABLE = """
def break_it(model, data):
    data.qpos[:] = float("nan")

studio.call(break_it)
studio.play()
"""


@pytest.fixture(scope="module")
def shared(context: BrowserContext, lab: Lab) -> Iterator[Person]:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    with person(context, lab, "console", [OPEN, "pass"]) as someone:
        yield someone


@pytest.fixture
def someone(shared: Person) -> Person:
    """A person before an empty Console that is closed, and a running simulation."""
    shared.starts_anew("viewer().console.clear()", "studio.play()")
    return shared


def cell(someone: Person, source: str) -> None:
    """Runs a cell."""
    someone.notebook.set_source(FREE_CELL, source)
    someone.notebook.run(FREE_CELL)


def opens(someone: Person, key: str, title: str) -> None:
    """Opens a window by its key."""
    someone.focus()
    someone.press(key)
    someone.waits_for_window(title)


def test_a_plugin_that_raises_is_counted_and_shown_with_its_traceback(
    someone: Person,
):
    cell(someone, FAULTY)
    someone.click("error", BOTTOM)
    someone.waits_for_window("Console")
    someone.click(someone.waits_to_see("KeyError: 'no such leg'", CONSOLE), CONSOLE)
    someone.waits_to_see("Traceback (most recent call last)", CONSOLE)
    someone.notebook.keep_screenshot("console traceback")
    # Who has looked is not told again.
    someone.notebook.poll(
        lambda: someone.ask("find('console', '###bottom')"), "button without a count"
    )


@pytest.mark.parametrize(
    ("source", "level", "words"),
    [
        (LOGGED, "warning", "left foot slips"),
        (WARNED, "warning", "RuntimeWarning: gains are high"),
        (ENDED, "error", "OSError: lost the leash"),
        (UNSTABLE, "warning", "Nan, Inf or huge value"),
    ],
    ids=["logging", "warnings", "thread", "mujoco"],
)
def test_what_the_kernel_says_is_counted_and_shown(
    someone: Person, source: str, level: str, words: str
):
    cell(someone, source)
    someone.item(level, BOTTOM)
    opens(someone, "F4", "Console")
    someone.waits_to_see(words, CONSOLE)


def test_the_list_is_filtered_copied_and_cleared(someone: Person):
    cell(someone, f"{LOGGED}\n{WARNED}")
    opens(someone, "F4", "Console")
    someone.waits_to_see("left foot slips", CONSOLE)
    someone.waits_to_see("gains are high", CONSOLE)
    someone.notebook.keep_screenshot("console list")

    someone.click("filter", CONSOLE)
    someone.wait("viewer().ui.wants_keyboard")
    someone.page.keyboard.type("FOOT")
    someone.notebook.poll(
        lambda: not any("gains" in text for text in someone.texts(CONSOLE)),
        "list without what does not match",
    )
    someone.click("copy", CONSOLE)
    someone.notebook.poll(
        lambda: "left foot slips" in clipboard(someone), "text in the clipboard"
    )
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d WARNING gait: left foot slips", clipboard(someone)
    )

    someone.click("filter", CONSOLE)
    someone.wait("viewer().ui.wants_keyboard")
    someone.press("Control+a", "Delete")
    someone.waits_to_see("gains are high", CONSOLE)
    someone.click("warning", CONSOLE)
    someone.notebook.poll(
        lambda: not any("gains" in text for text in someone.texts(CONSOLE)),
        "list without warnings",
    )
    someone.click("warning", CONSOLE)
    someone.waits_to_see("gains are high", CONSOLE)

    someone.click("clear", CONSOLE)
    someone.notebook.poll(
        lambda: not any("gains" in text for text in someone.texts(CONSOLE)),
        "empty list",
    )
    assert someone.ask("viewer().console.records()") == []


def clipboard(someone: Person) -> str:
    return someone.page.evaluate("navigator.clipboard.readText()")


def test_the_profiler_tells_the_time_of_a_step_and_of_its_parts(someone: Person):
    opens(someone, "F3", "Profiler")

    def step() -> float:
        texts = someone.texts(PROFILER)
        found = [re.fullmatch(r"Step: +([\d.]+) µs", text) for text in texts]
        return next((float(match[1]) for match in found if match), 0.0)

    someone.notebook.poll(step, "time of a step")
    parts = someone.ask("app()._profiler._parts()")
    assert all(parts[name] > 0 for name in ("position", "velocity", "solver"))
    someone.waits_to_see("Convergence", PROFILER)
    someone.notebook.poll(
        lambda: len(someone.ask("app()._profiler._times.known().tolist()")) > 30,
        "curves",
    )
    someone.notebook.keep_screenshot("profiler")
    assert someone.ask("[record.text for record in viewer().console.records()]") == []


def test_info_shows_sizes_and_rates(someone: Person):
    opens(someone, "F2", "Info")
    someone.waits_to_see("Real-time factor", INFO)
    someone.hover("Real-time factor", INFO)
    sizes = someone.ask("{n: getattr(viewer().model, n) for n in ('nv', 'nbody')}")
    for name, size in sizes.items():

        def scrolled(name: str = name) -> bool:
            someone.page.mouse.wheel(0, 100)
            return name in someone.texts(INFO)

        someone.notebook.poll(scrolled, f"row {name}")
        texts = someone.texts(INFO)
        assert texts[texts.index(name) + 1] == str(size)
    someone.notebook.keep_screenshot("info")
