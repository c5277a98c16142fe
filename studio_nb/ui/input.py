"""What the person does in the page, for Dear ImGui; and what was copied, for the page.

The viewer thread gives `UiInput.apply` the `events` of each `/input` message
(docs/wire.md) before it opens a frame. Dear ImGui queues them and hands out one
change of a button or key a frame, so a click that arrives whole is still a click.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from imgui_bundle import imgui

from studio_nb.ui import keys
from studio_nb.ui.context import UiContext

# Where Dear ImGui wants a mouse that is nowhere (IsMousePosValid).
_NOWHERE = -imgui.FLT_MAX

# Far outside of any view, and exact in float32.
_MAX_COORDINATE = 1e6

# Dear ImGui's ImGuiMouseButton_COUNT.
_BUTTONS = 5

_CTRL, _SHIFT, _ALT, _META = 1, 2, 4, 8

# A longer text is a mistake, and Dear ImGui would lay all of it out in one frame
# while the view stands still.
_MAX_TEXT = 1 << 20

# Command: macOS keeps back the release of every other key that is let go while it
# is down.
_META_CODES = frozenset({"MetaLeft", "MetaRight"})

# Chords that paste. Their text comes as a `paste` event, which presses the chord
# itself once the clipboard holds the text.
_PASTE_CHORDS = frozenset(
    {(imgui.Key.v, _CTRL), (imgui.Key.v, _META), (imgui.Key.insert, _SHIFT)}
)

Event = Mapping[str, Any]


class UiInput:
    """Feeds one `UiContext` with the events of the page."""

    def __init__(self, context: UiContext) -> None:
        """Starts with nothing held.

        Args:
            context: Where events go.
        """
        self._context = context
        self._held: dict[str, imgui.Key] = {}
        self._handlers: dict[str, Callable[[Event], None]] = {
            "move": self._move,
            "leave": self._leave,
            "down": self._button,
            "up": self._button,
            "wheel": self._wheel,
            "key": self._key,
            "text": self._text,
            "paste": self._paste,
            "focus": self._focus,
        }

    def apply(self, events: Iterable[Event]) -> None:
        """Queues events for the next frames.

        Events that are not the panels' (`pick`, `perturb`) and keys that Dear ImGui
        does not know are passed over.

        Args:
            events: As docs/wire.md describes, in the order in which they happened.

        Raises:
            ValueError: If an event is malformed; it names the first such one. All
                others were queued.
        """
        if isinstance(events, str | bytes | Mapping) or not isinstance(
            events, Iterable
        ):
            msg = f"input events are {type(events).__name__}, not a list"
            raise ValueError(msg)  # noqa: TRY004, one error for whatever a page sends
        problem: ValueError | None = None
        with self._context.current():
            for index, event in enumerate(events):
                try:
                    self._apply_one(event)
                except ValueError as error:
                    problem = problem or ValueError(f"input event {index}: {error}")
            self._context.touch()
        if problem:
            raise problem

    def take_clipboard(self) -> str | None:
        """Returns the text that was copied since the last call, for the page."""
        return self._context.clipboard.take()

    def _apply_one(self, event: Event) -> None:
        if not isinstance(event, Mapping):
            msg = f"{event!r:.80} is no object"
            raise ValueError(msg)  # noqa: TRY004, one error for whatever a page sends
        kind = event.get("t")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            handler(event)

    def _move(self, event: Event) -> None:
        x, y = _number(event, "x"), _number(event, "y")
        imgui.get_io().add_mouse_pos_event(x, y)

    def _leave(self, _event: Event) -> None:
        imgui.get_io().add_mouse_pos_event(_NOWHERE, _NOWHERE)

    def _button(self, event: Event) -> None:
        button = _integer(event, "b")
        if not 0 <= button < _BUTTONS:
            msg = f"b of {event['t']!r} is {button}: expected 0 to {_BUTTONS - 1}"
            raise ValueError(msg)
        modifiers = _integer(event, "m", 0)
        self._move(event)
        _press_modifiers(modifiers)
        imgui.get_io().add_mouse_button_event(button, event["t"] == "down")

    def _wheel(self, event: Event) -> None:
        dx, dy = _number(event, "dx"), _number(event, "dy")
        self._move(event)
        imgui.get_io().add_mouse_wheel_event(dx, dy)

    def _key(self, event: Event) -> None:
        code = _string(event, "code")
        pressed = bool(_integer(event, "d"))
        modifiers = _integer(event, "m", 0)
        _press_modifiers(modifiers)
        io = imgui.get_io()
        if pressed:
            key = keys.find(code, event.get("key"))
            if key is not None and (key, modifiers) not in _PASTE_CHORDS:
                # Dear ImGui repeats held keys itself: a press of one that is down
                # changes nothing.
                self._held[code] = key
                io.add_key_event(key, down=True)
            return
        key = self._held.pop(code, None)
        if key is not None:
            io.add_key_event(key, down=False)
        if code in _META_CODES:
            self._release_held()

    def _text(self, event: Event) -> None:
        imgui.get_io().add_input_characters_utf8(_string(event, "s"))

    def _paste(self, event: Event) -> None:
        self._context.clipboard.text = _string(event, "s")
        io = imgui.get_io()
        for pressed in (True, False):
            io.add_key_event(imgui.Key.mod_ctrl, pressed)
            io.add_key_event(imgui.Key.v, pressed)

    def _focus(self, event: Event) -> None:
        gained = bool(_integer(event, "d"))
        if not gained:
            self._release_held()
            _press_modifiers(0)
        imgui.get_io().add_focus_event(gained)

    def _release_held(self) -> None:
        for key in self._held.values():
            imgui.get_io().add_key_event(key, down=False)
        self._held.clear()


def _press_modifiers(modifiers: int) -> None:
    """Queues the modifiers as they were when an event happened.

    Command counts as Ctrl: which of them a shortcut wants depends on where the
    browser runs, and Dear ImGui can ask for only one.
    """
    io = imgui.get_io()
    io.add_key_event(imgui.Key.mod_ctrl, bool(modifiers & (_CTRL | _META)))
    io.add_key_event(imgui.Key.mod_shift, bool(modifiers & _SHIFT))
    io.add_key_event(imgui.Key.mod_alt, bool(modifiers & _ALT))


def _number(event: Event, field: str) -> float:
    """Returns a finite number of moderate size from an event."""
    value = event.get(field)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not abs(value) <= _MAX_COORDINATE  # also false for NaN
    ):
        msg = f"{field} of {event['t']!r} is {value!r:.40}: expected a finite number"
        raise ValueError(msg)
    return float(value)


def _integer(event: Event, field: str, default: int | None = None) -> int:
    """Returns an integer, or a truth value as 0 or 1, from an event."""
    value = event.get(field, default)
    if not isinstance(value, int):
        msg = f"{field} of {event['t']!r} is {value!r:.40}: expected an integer"
        raise ValueError(msg)  # noqa: TRY004, one error for whatever a page sends
    return int(value)


def _string(event: Event, field: str) -> str:
    """Returns a text from an event, as Dear ImGui can take it."""
    value = event.get(field)
    if not isinstance(value, str):
        msg = f"{field} of {event['t']!r} is {value!r:.40}: expected a text"
        raise ValueError(msg)  # noqa: TRY004, one error for whatever a page sends
    if len(value) > _MAX_TEXT:
        size = len(value)
        msg = f"{field} of {event['t']!r} has {size} characters: at most {_MAX_TEXT}"
        raise ValueError(msg)
    # JSON can carry half of a surrogate pair, UTF-8 cannot.
    return value.encode("utf-8", "replace").decode("utf-8")
