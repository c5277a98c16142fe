"""The keys of the view: one table that is obeyed and that the help shows.

`App` calls `handle` once a frame, on the viewer thread, inside it. The keys are
those of MuJoCo's own viewers (`mjVISSTRING` and `mjRNDSTRING` name most of them)
and of Studio; a plugin's key goes before.
"""

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import mujoco
from imgui_bundle import imgui

from studio_nb.app import timeline
from studio_nb.app.controls import Controls
from studio_nb.app.layout import Dock
from studio_nb.app.lenses import Lenses
from studio_nb.registry import Offering

if TYPE_CHECKING:
    from studio_nb.app.app import App

Lines = Iterable[tuple[str, str]]
Chord = tuple[imgui.Key, int]

_Key = imgui.Key
_NO_MODIFIER = 0
_SHIFT, _CTRL = int(_Key.mod_shift), int(_Key.mod_ctrl)

_PUNCTUATION = {
    ",": _Key.comma,
    "'": _Key.apostrophe,
    ";": _Key.semicolon,
    "`": _Key.grave_accent,
    "\\": _Key.backslash,
    "/": _Key.slash,
}
# Names the app where Dear ImGui asks whose a key is.
_OWNER = 1
# Held to fly, they do nothing else meanwhile.
_FLYING = {_Key.w, _Key.a, _Key.s, _Key.d, _Key.q, _Key.e}


@dataclasses.dataclass(frozen=True, slots=True)
class Binding:
    """Keys that do the same.

    Attributes:
        label: The keys in words.
        action: What they do, in words.
        run: What they do, to the app.
        chords: Each a key and the modifiers (`imgui.Key.mod_...`) held with it.
        repeats: Whether holding the key does it again and again.
    """

    label: str
    action: str
    run: "Callable[[App], object]"
    chords: tuple[Chord, ...]
    repeats: bool = False


def _plain(*keys: imgui.Key) -> tuple[Chord, ...]:
    return tuple((key, _NO_MODIFIER) for key in keys)


def _ctrl(key: imgui.Key) -> tuple[Chord, ...]:
    return ((key, _CTRL),)


def _control(act: Callable[[Controls], None]) -> "Callable[[App], object]":
    return lambda app: act(app.controls)


def _lens(act: Callable[[Lenses], None]) -> "Callable[[App], object]":
    return lambda app: act(app.lenses)


def _side(dock: Dock) -> "Callable[[App], object]":
    return lambda app: app.fold(dock)


def _window(title: str) -> "Callable[[App], object]":
    return lambda app: app.windows[title].toggle()


_PLUS = (*_plain(_Key.equal, _Key.keypad_add), (_Key.equal, _SHIFT))
_MINUS = _plain(_Key.minus, _Key.keypad_subtract)


def _let_go(app: "App") -> None:
    app.free_camera()


def _copy_key(app: "App") -> None:
    # Panels that have text to copy want the keyboard then.
    imgui.set_clipboard_text(app.controls.key_line())


SIMULATION = (
    Binding("Space", "Run or pause", _control(Controls.toggle_run), _plain(_Key.space)),
    Binding("Backspace", "Reset", _control(Controls.reset), _plain(_Key.backspace)),
    Binding("+", "Faster", _control(Controls.faster), _PLUS),
    Binding("-", "Slower", _control(Controls.slower), _MINUS),
    Binding("Ctrl+L", "Reload the model", _control(Controls.reload), _ctrl(_Key.l)),
    Binding("Ctrl+C", "Copy the state as MJCF", _copy_key, _ctrl(_Key.c)),
    *itertools.starmap(Binding, timeline.KEYS),
)
CAMERA = (
    Binding("Esc", "Let camera and selection go", _let_go, _plain(_Key.escape)),
    Binding("[", "Previous camera", _lens(Lenses.previous), _plain(_Key.left_bracket)),
    Binding("]", "Next camera", _lens(Lenses.next), _plain(_Key.right_bracket)),
    Binding(
        "Ctrl+A", "Align the camera", _control(Controls.align_camera), _ctrl(_Key.a)
    ),
    Binding(
        "PgUp",
        "Select the parent body",
        _control(Controls.select_parent),
        _plain(_Key.page_up),
    ),
)
WINDOWS = (
    Binding("Tab", "Options", _side("left"), _plain(_Key.tab)),
    Binding("Shift+Tab", "Inspector", _side("right"), ((_Key.tab, _SHIFT),)),
    Binding("F1", "This help", _control(Controls.toggle_help), _plain(_Key.f1)),
    Binding("F2", "Info", _window("Info"), _plain(_Key.f2)),
    Binding("F3", "Profiler", _window("Profiler"), _plain(_Key.f3)),
    Binding("F4", "Console", _window("Console"), _plain(_Key.f4)),
)


def _next_frame(app: "App") -> None:
    options = app.viewer.vis_options
    options.frame = (options.frame + 1) % int(mujoco.mjtFrame.mjNFRAME)


def _next_label(app: "App") -> None:
    options = app.viewer.vis_options
    options.label = (options.label + 1) % int(mujoco.mjtLabel.mjNLABEL)


def flip(owner: Any, field: str, index: int) -> None:  # noqa: ANN401 - MuJoCo's or Studio's
    """Turns over one of the flags in a field."""
    # As a whole: Studio's RenderFlags hands out a copy.
    flags = getattr(owner, field)
    flags[index] = not flags[index]
    setattr(owner, field, flags)


def _flip(app: "App", owner: str, field: str, index: int) -> None:
    flip(getattr(app.viewer, owner), field, index)


def _flags(strings: Iterable[tuple[str, str, str]], owner: str) -> Iterator[Binding]:
    """Yields a binding for each flag that MuJoCo has a key for."""
    for index, (name, _, key) in enumerate(strings):
        if not key:
            continue
        code = _PUNCTUATION.get(key) or _Key[key.lower()]
        run = functools.partial(_flip, owner=owner, field="flags", index=index)
        yield Binding(key, name.capitalize(), run, _plain(code))


def _groups(kind: str, modifier: int, prefix: str) -> Iterator[Binding]:
    for group in range(mujoco.mjNGROUP):
        run = functools.partial(
            _flip, owner="vis_options", field=f"{kind}group", index=group
        )
        chord = (_Key[f"_{group}"], modifier)
        yield Binding(f"{prefix}{group}", f"Group of {kind}s", run, (chord,))


VISUALS = (
    Binding("F6", "Frames of the next kind", _next_frame, _plain(_Key.f6)),
    Binding("F7", "Labels of the next kind", _next_label, _plain(_Key.f7)),
    *_groups("geom", _NO_MODIFIER, ""),
    *_groups("site", _SHIFT, "Shift+"),
    *_flags(mujoco.mjVISSTRING, "vis_options"),
)
# The comma is Activation's; MuJoCo gives it to Segment, too.
RENDERING = tuple(
    binding
    for binding in _flags(mujoco.mjRNDSTRING, "render_flags")
    if binding.label != ","
)

SECTIONS = {
    "Simulation": SIMULATION,
    "Camera": CAMERA,
    "Windows": WINDOWS,
    "Rendering": RENDERING,
    "Visualization": VISUALS,
}
BINDINGS = tuple(itertools.chain.from_iterable(SECTIONS.values()))
_BY_CHORD = {chord: binding for binding in BINDINGS for chord in binding.chords}

# What the page itself does with the mouse, for the help alone.
MOUSE = (
    ("Drag", "Orbit"),
    ("Right-drag, Shift+drag", "Pan"),
    ("Shift+right-drag", "Pan over the ground"),
    ("Middle-drag, wheel", "Zoom"),
    ("Double-click", "Select a body, flex or skin"),
    ("Right double-click", "Look at a point"),
    ("Ctrl+right double-click", "Track a body"),
    ("Ctrl+drag", "Turn the body"),
    ("Ctrl+Shift+drag", "Turn it about level axes"),
    ("Ctrl+right-drag", "Push the body"),
    ("Ctrl+Shift+right-drag", "Push it over the ground"),
    ("Ctrl+Alt+drag", "As with the right button"),
)
# What moves the camera that is called Fly, for the help alone.
FLYING = (
    ("W, S, A, D", "Forward, back, left, right"),
    ("Q, E", "Up, down"),
    ("Shift", "Faster, while it is held"),
    ("Wheel", "Faster, slower"),
)


def lines(bindings: Iterable[Binding]) -> Iterator[tuple[str, str]]:
    """Yields keys and what they do; neighbours that do the same as one line."""
    for action, same in itertools.groupby(bindings, lambda binding: binding.action):
        labels = [binding.label for binding in same]
        more = f" to {labels[-1][-1]}" if len(labels) > 1 else ""
        yield labels[0] + more, action


def plugin_lines(plugins: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yields the keys that plugins answer, for the help."""
    for other in plugins:
        line = getattr(other, "key_help", None) if isinstance(other, Offering) else None
        if line is not None:
            yield line


def handle(app: "App") -> None:
    """Does what the pressed keys say, unless a panel wants the keyboard.

    An open popup takes Escape, which closes it and does nothing else.
    """
    io = imgui.get_io()
    if not io.want_text_input:
        # Else Dear ImGui would also go into a panel's next text field by it.
        imgui.internal.set_key_owner(_Key.tab, _OWNER)
    if io.want_capture_keyboard:
        return
    any_popup = imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level
    if imgui.is_popup_open("", any_popup) and imgui.is_key_pressed(_Key.escape):
        imgui.internal.close_popup_to_level(0, restore_focus_to_window_under_popup=True)
        return
    held = io.key_mods
    taken, app.scope.taken_keys = app.scope.taken_keys, frozenset()
    if app.lenses.flying and not held & _CTRL:
        taken |= _FLYING
    for chord, binding in _BY_CHORD.items():
        key, modifiers = chord
        if modifiers != held or key in taken:
            continue
        if imgui.is_key_pressed(key, binding.repeats):
            binding.run(app)
