"""Each key of the view does what the help says, and no key goes astray."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import pytest

from studio_nb.app import keys
from tests.browser.person import EYES, Person, person
from tests.browser.session import LOAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext

    from tests.browser.lab import Lab

OPEN = "%studio --height 600"
FIRST_CELL = "first = 1"

WINDOW = "app().windows[{!r}].open"
LENS = "app().lenses.name"
ROW = "app().controls.timeline.row"
RECORDED = "app().controls.timeline.size"
TIME = "viewer().data.time"
SPEED = "app().controls.speed"

# What each key changes, as an expression in the kernel.
EFFECTS = {
    "Space": "viewer().paused",
    "Backspace": TIME,
    "+": SPEED,
    "-": SPEED,
    "Ctrl+L": "id(viewer().model)",
    "Ctrl+C": "viewer().ui.clipboard.text",
    "Left": ROW,
    "Right": ROW,
    "Shift+Left": ROW,
    "Shift+Right": ROW,
    "Home": ROW,
    "End": ROW,
    "Esc": LENS,
    "[": LENS,
    "]": LENS,
    "Ctrl+A": "viewer().camera.distance",
    "PgUp": "viewer().perturb.select",
    "Tab": WINDOW.format("Options"),
    "Shift+Tab": WINDOW.format("Inspector"),
    "F1": "popups()",
    "F2": WINDOW.format("Info"),
    "F3": WINDOW.format("Profiler"),
    "F4": WINDOW.format("Console"),
    "F6": "viewer().vis_options.frame",
    "F7": "viewer().vis_options.label",
    **{f"{n}": f"int(viewer().vis_options.geomgroup[{n}])" for n in range(6)},
    **{f"Shift+{n}": f"int(viewer().vis_options.sitegroup[{n}])" for n in range(6)},
    **{
        key: f"int(viewer().render_flags.flags[{index}])"
        for index, (_, _, key) in enumerate(mujoco.mjRNDSTRING)
        if key
    },
    # After the render flags: a key that MuJoCo gives to one of each is this one's.
    **{
        key: f"int(viewer().vis_options.flags[{index}])"
        for index, (_, _, key) in enumerate(mujoco.mjVISSTRING)
        if key
    },
}

# What must be so before a key can show what it does.
FIRST = {
    "Space": "studio.pause()",
    "Backspace": "studio.run(0.1)",
    "Left": f"({RECORDED} - 1)",
    "Right": "app().controls.scrub(0)",
    "Shift+Left": f"app().controls.scrub({RECORDED} - 1)",
    "Shift+Right": "app().controls.scrub(0)",
    "Home": f"app().controls.scrub({RECORDED} - 1)",
    "End": "app().controls.scrub(0)",
    "Esc": "app().lenses.choose(0)",
    "Ctrl+A": "setattr(viewer().camera, 'distance', 9.0)",
    "PgUp": "setattr(viewer().perturb, 'select', viewer().model.nbody - 1)",
}

NAMES = {
    "Esc": "Escape",
    "Left": "ArrowLeft",
    "Right": "ArrowRight",
    "PgUp": "PageUp",
    "Ctrl": "Control",
}


def pressable(label: str) -> str:
    """Names keys as Playwright does."""
    if label == "+":
        return label
    *modifiers, key = label.split("+")
    key = NAMES.get(key, key)
    if len(key) == 1 and key.isalpha():
        key = key.lower()
    if modifiers == ["Shift"] and key.isdigit():
        key = f"Digit{key}"
    return "+".join([*(NAMES.get(name, name) for name in modifiers), key])


@pytest.fixture(scope="module")
def shared(context: BrowserContext, lab: Lab) -> Iterator[Person]:
    with person(context, lab, "keys", [OPEN, FIRST_CELL]) as someone:
        someone.ask("[studio.run(0.2), studio.pause()][-1]")
        someone.wait(f"{RECORDED} > 20")
        yield someone


def test_every_key_of_the_help_does_what_it_says(shared: Person):
    assert EFFECTS.keys() == {binding.label for binding in keys.BINDINGS}
    shared.focus()
    silent = []
    for binding in keys.BINDINGS:
        effect, label = EFFECTS[binding.label], binding.label
        if not shared.has_focus():
            shared.focus()
        if label in FIRST:
            shared.ask(f"[{FIRST[label]}, 0][1]")
            shared.wait("not viewer().ui.unsettled")
        before = shared.ask(effect)
        shared.press(pressable(label))
        try:
            shared.wait(f"{effect} != {before!r}", 8)
        except AssertionError:
            silent.append((label, before))
        if label == "F1":
            shared.press("F1")
            shared.wait("popups() == 0")
    assert silent == []
    assert notebook_is_whole(shared)


def notebook_is_whole(someone: Person) -> bool:
    """Whether all cells are there, and none is being edited."""
    sources = [cell["source"] for cell in someone.notebook.cells()]
    mode = someone.notebook.script("return panel.content.mode;")
    return sources == [LOAD, EYES, OPEN, FIRST_CELL] and mode == "command"


def test_keys_of_a_notebook_s_cell_do_nothing_in_the_view(shared: Person):
    everything = f"[{', '.join(EFFECTS[b.label] for b in keys.BINDINGS)}]"
    shared.focus()
    shared.wait("not viewer().ui.unsettled")
    before = shared.ask(everything)
    editor = shared.page.locator(".jp-CodeCell .cm-content").last
    editor.click()
    shared.notebook.poll(lambda: not shared.has_focus(), "focus of the cell")
    typed = "shift wxyz '1' ; [2] 0 + 3"
    shared.page.keyboard.press("End")
    shared.page.keyboard.type(typed)
    shared.press("F2", "F6")
    shared.notebook.poll(
        lambda: typed in shared.notebook.cells()[-1]["source"], "text in the cell"
    )
    # What the view would have had by now: a later message has come through.
    shared.notebook.set_source(3, FIRST_CELL)
    shared.press("Escape")
    shared.focus()
    shared.wait("not viewer().ui.unsettled")
    assert shared.ask(everything) == before
    assert notebook_is_whole(shared)
