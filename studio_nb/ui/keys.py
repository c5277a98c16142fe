"""Which of Dear ImGui's keys a key of the browser is.

`input` asks `find`. The codes are those of the W3C's "UI Events KeyboardEvent code
Values"; they name places on a keyboard by what a US layout has there. Shortcuts
are known by what is printed on the key, so letters, plus and minus go by what the
person's own layout has there.
"""

import string

from imgui_bundle import imgui

_Key = imgui.Key

_NAMED = {
    "AltLeft": _Key.left_alt,
    "AltRight": _Key.right_alt,
    "ArrowDown": _Key.down_arrow,
    "ArrowLeft": _Key.left_arrow,
    "ArrowRight": _Key.right_arrow,
    "ArrowUp": _Key.up_arrow,
    "Backquote": _Key.grave_accent,
    "Backslash": _Key.backslash,
    "Backspace": _Key.backspace,
    "BracketLeft": _Key.left_bracket,
    "BracketRight": _Key.right_bracket,
    "BrowserBack": _Key.app_back,
    "BrowserForward": _Key.app_forward,
    "CapsLock": _Key.caps_lock,
    "Comma": _Key.comma,
    "ContextMenu": _Key.menu,
    "ControlLeft": _Key.left_ctrl,
    "ControlRight": _Key.right_ctrl,
    "Delete": _Key.delete,
    "End": _Key.end,
    "Enter": _Key.enter,
    "Equal": _Key.equal,
    "Escape": _Key.escape,
    "Home": _Key.home,
    "Insert": _Key.insert,
    "IntlBackslash": _Key.oem102,
    "MetaLeft": _Key.left_super,
    "MetaRight": _Key.right_super,
    "Minus": _Key.minus,
    "NumLock": _Key.num_lock,
    "NumpadAdd": _Key.keypad_add,
    "NumpadDecimal": _Key.keypad_decimal,
    "NumpadDivide": _Key.keypad_divide,
    "NumpadEnter": _Key.keypad_enter,
    "NumpadEqual": _Key.keypad_equal,
    "NumpadMultiply": _Key.keypad_multiply,
    "NumpadSubtract": _Key.keypad_subtract,
    "PageDown": _Key.page_down,
    "PageUp": _Key.page_up,
    "Pause": _Key.pause,
    "Period": _Key.period,
    "PrintScreen": _Key.print_screen,
    "Quote": _Key.apostrophe,
    "ScrollLock": _Key.scroll_lock,
    "Semicolon": _Key.semicolon,
    "ShiftLeft": _Key.left_shift,
    "ShiftRight": _Key.right_shift,
    "Slash": _Key.slash,
    "Space": _Key.space,
    "Tab": _Key.tab,
}

KEYS: dict[str, imgui.Key] = {
    **_NAMED,
    **{f"Key{letter}": _Key[letter.lower()] for letter in string.ascii_uppercase},
    **{f"Digit{digit}": _Key[f"_{digit}"] for digit in string.digits},
    **{f"Numpad{digit}": _Key[f"keypad{digit}"] for digit in string.digits},
    **{f"F{number}": _Key[f"f{number}"] for number in range(1, 25)},
}

# Characters that shortcuts are known by, wherever a layout has them.
_PRINTED = {
    **{letter: _Key[letter] for letter in string.ascii_lowercase},
    "+": _Key.equal,
    "-": _Key.minus,
}

# The places that type characters; the keypad's have keys of their own.
_PUNCTUATION = {
    *("Backquote", "Backslash", "BracketLeft", "BracketRight", "Comma", "Equal"),
    *("IntlBackslash", "Minus", "Period", "Quote", "Semicolon", "Slash"),
}
_TYPING_CODES = _PUNCTUATION | {c for c in KEYS if c.startswith(("Key", "Digit"))}


def find(code: str, typed: object = None) -> imgui.Key | None:
    """Returns Dear ImGui's key, or None if it has none for this one.

    Args:
        code: `KeyboardEvent.code`.
        typed: `KeyboardEvent.key`, if known.
    """
    if code in _TYPING_CODES and isinstance(typed, str):
        printed = _PRINTED.get(typed.lower())
        if printed is not None:
            return printed
    return KEYS.get(code)
