"""The keys of the view: one table that is obeyed and that the help shows.

`App` calls `handle` once a frame, on the viewer thread, inside it.
"""

import dataclasses
from collections.abc import Callable, Iterable

from imgui_bundle import imgui

from studio_nb.app.controls import Controls

Lines = Iterable[tuple[str, str]]

_Key = imgui.Key
_NO_MODIFIER = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Binding:
    """Keys that do the same.

    Attributes:
        label: The keys in words.
        action: What they do, in words.
        run: What they do.
        chords: Each a key and the modifiers (`imgui.Key.mod_...`) held with it.
        repeats: Whether holding the key does it again and again.
    """

    label: str
    action: str
    run: Callable[[Controls], None]
    chords: tuple[tuple[imgui.Key, int], ...]
    repeats: bool = False

    def pressed(self) -> bool:
        """Whether one of the chords was pressed in this frame."""
        held = imgui.get_io().key_mods
        return any(
            held == modifiers and imgui.is_key_pressed(key, self.repeats)
            for key, modifiers in self.chords
        )


def _plain(*keys: imgui.Key) -> tuple[tuple[imgui.Key, int], ...]:
    return tuple((key, _NO_MODIFIER) for key in keys)


BINDINGS = (
    Binding("Space", "Run or pause", Controls.toggle_run, _plain(_Key.space)),
    Binding("Right", "One step", Controls.step, _plain(_Key.right_arrow), repeats=True),
    Binding("Backspace", "Reset", Controls.reset, _plain(_Key.backspace)),
    Binding(
        "+",
        "Faster",
        Controls.faster,
        (*_plain(_Key.equal, _Key.keypad_add), (_Key.equal, int(_Key.mod_shift))),
    ),
    Binding("-", "Slower", Controls.slower, _plain(_Key.minus, _Key.keypad_subtract)),
    Binding(
        "Ctrl+A",
        "Align the camera",
        Controls.align_camera,
        ((_Key.a, int(_Key.mod_ctrl)),),
    ),
    Binding("Esc", "Deselect", Controls.deselect, _plain(_Key.escape)),
    Binding("F1", "This help", Controls.toggle_help, _plain(_Key.f1)),
)

# What the page itself does with the mouse, for the help alone.
MOUSE = (
    ("Drag", "Orbit"),
    ("Right-drag", "Pan"),
    ("Wheel", "Zoom"),
    ("Double-click", "Select a body"),
    ("Ctrl+drag", "Turn the selected body"),
    ("Ctrl+right-drag", "Push the selected body"),
)


def handle(controls: Controls) -> None:
    """Does what the pressed keys say, unless a panel wants the keyboard.

    An open popup takes Escape, which closes it and does nothing else.
    """
    if imgui.get_io().want_capture_keyboard:
        return
    any_popup = imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level
    if imgui.is_popup_open("", any_popup) and imgui.is_key_pressed(_Key.escape):
        imgui.internal.close_popup_to_level(0, restore_focus_to_window_under_popup=True)
        return
    for binding in BINDINGS:
        if binding.pressed():
            binding.run(controls)
