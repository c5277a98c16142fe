"""Chords of keys by name: "Ctrl+Shift+R".

`gui.Key` reads what a person wrote, in a cell's thread.
"""

import dataclasses
import difflib
import string

from imgui_bundle import imgui

from studio_nb.errors import StudioError

_Key = imgui.Key

_MODIFIERS = {
    "Ctrl": int(_Key.mod_ctrl),
    "Shift": int(_Key.mod_shift),
    "Alt": int(_Key.mod_alt),
    "Cmd": int(_Key.mod_super),
}
_KEYS = {
    **{letter: _Key[letter.lower()] for letter in string.ascii_uppercase},
    **{digit: _Key[f"_{digit}"] for digit in string.digits},
    **{f"F{number}": _Key[f"f{number}"] for number in range(1, 13)},
    "Left": _Key.left_arrow,
    "Right": _Key.right_arrow,
    "Up": _Key.up_arrow,
    "Down": _Key.down_arrow,
    "Space": _Key.space,
    "Enter": _Key.enter,
    "Tab": _Key.tab,
    "Esc": _Key.escape,
    "Backspace": _Key.backspace,
    "Delete": _Key.delete,
    "Insert": _Key.insert,
    "Home": _Key.home,
    "End": _Key.end,
    "PageUp": _Key.page_up,
    "PageDown": _Key.page_down,
    ",": _Key.comma,
    ".": _Key.period,
    "/": _Key.slash,
    ";": _Key.semicolon,
    "'": _Key.apostrophe,
    "[": _Key.left_bracket,
    "]": _Key.right_bracket,
    "\\": _Key.backslash,
    "`": _Key.grave_accent,
    "-": _Key.minus,
    "=": _Key.equal,
    "+": _Key.equal,
}
# What the view itself does with a key before the panels hear of it.
_OF_THE_PAGE = {
    "Esc": "gives the keyboard back to the notebook",
    "F11": "has the view fill the window",
}
_OTHER_NAMES = {
    "control": "Ctrl",
    "option": "Alt",
    "command": "Cmd",
    "meta": "Cmd",
    "super": "Cmd",
    "win": "Cmd",
    "escape": "Esc",
    "return": "Enter",
    "del": "Delete",
    "spacebar": "Space",
    "arrowleft": "Left",
    "arrowright": "Right",
    "arrowup": "Up",
    "arrowdown": "Down",
    "plus": "+",
    "minus": "-",
}
_NAMES = {
    **{name.lower(): name for name in (*_MODIFIERS, *_KEYS)},
    **_OTHER_NAMES,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Chord:
    """A key, and what is held with it.

    Attributes:
        label: In words, always spelled the same: "Ctrl+Shift+R".
        name: The key's own part of it: "R".
        key: Dear ImGui's key.
        modifiers: Dear ImGui's modifiers, or-ed.
    """

    label: str
    name: str
    key: imgui.Key
    modifiers: int

    def pressed(self) -> bool:
        """Tells whether it was pressed in this frame, for the view and no panel."""
        io = imgui.get_io()
        if io.want_capture_keyboard or io.key_mods != self.modifiers:
            return False
        return imgui.is_key_pressed(self.key, False)  # noqa: FBT003 - does not repeat


def parse(text: str) -> Chord:
    """Reads a chord such as "Ctrl+R", "F8", "Shift+Up" or "Ctrl++".

    Raises:
        StudioError: If it is none; the message names the part that is not known.
    """
    if not isinstance(text, str) or not text.strip():
        msg = f"key {text!r}: give a chord by name, such as 'Ctrl+R'"
        raise StudioError(msg)
    words = text.replace(" ", "")
    plus = words == "+" or words.endswith("++")
    parts = words[:-1].split("+") if plus else words.split("+")
    *held, last = [*parts[:-1], "+"] if plus else parts
    modifiers = [_named(part, text) for part in held]
    key = _named(last, text)
    for modifier in modifiers:
        if modifier not in _MODIFIERS:
            msg = (
                f"key {text!r}: {modifier} cannot be held, only {', '.join(_MODIFIERS)}"
                " can, before one key"
            )
            raise StudioError(msg)
    if key in _MODIFIERS:
        msg = f"key {text!r}: a key is missing after {key}, such as '{key}+R'"
        raise StudioError(msg)
    if (does := _OF_THE_PAGE.get(key)) is not None:
        msg = f"key {text!r}: {key} {does}: choose another key"
        raise StudioError(msg)
    ordered = [name for name in _MODIFIERS if name in modifiers]
    return Chord(
        "+".join([*ordered, key]),
        key,
        _KEYS[key],
        sum(_MODIFIERS[name] for name in ordered),
    )


def _named(part: str, text: str) -> str:
    if (name := _NAMES.get(part.lower())) is not None:
        return name
    close = difflib.get_close_matches(part.lower(), _NAMES, n=1)
    hint = (
        f"did you mean {_NAMES[close[0]]}?"
        if close
        else "there are letters, digits, F1 to F12, arrows (Left, ...), Space, Enter, "
        "Tab, Esc, Backspace, Delete, Insert, Home, End, PageUp, PageDown"
    )
    msg = f"key {text!r}: there is no key {part!r}; {hint}"
    raise StudioError(msg)
