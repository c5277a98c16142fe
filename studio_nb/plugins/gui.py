"""Functions as windows and keys: what `@studio.panel` and `@studio.key` make of them.

Imported late, by `Studio`: it needs imgui-bundle. Made in a cell's thread, drawn
and asked on the viewer thread, within a frame.
"""

from typing import Any

from imgui_bundle import imgui
from mujoco.studio import messages, plugin

from studio_nb.app import keys, layout
from studio_nb.errors import StudioError
from studio_nb.plugins import chords
from studio_nb.plugins.forms import Function, FunctionPlugin, identity, says, takes

_DOCKS = ("left", "right", "bottom", "float")
# Of the app's windows; one of the same title would be drawn into it.
_TAKEN = {"Info"}.union(*layout.ANCHORS.values())


class Panel(FunctionPlugin, plugin.ViewerPlugin):
    """A function that draws the contents of a window.

    Attributes:
        title: The window's.
        dock: The side where it stands at first.
        open: Whether it is there; the View menu and its close button change it.
    """

    viewer: Any

    def __init__(self, fn: Function, title: str, dock: layout.Dock) -> None:
        """Wraps `fn()` or `fn(viewer)`.

        Raises:
            TypeError: If the function takes other arguments.
            StudioError: If the title or the dock is none.
        """
        if not isinstance(title, str) or not title.strip():
            msg = (
                f"panel({title!r:.60}): give the window's title, @studio.panel('Gains')"
            )
            raise StudioError(msg)
        if title in _TAKEN:
            msg = f"panel({title!r}): the app has a window of this title: give another"
            raise StudioError(msg)
        if dock not in _DOCKS:
            msg = f"panel({title!r}): dock {dock!r}: give one of {', '.join(_DOCKS)}"
            raise StudioError(msg)
        self._takes = takes(fn, f"panel({title!r})", (), ("viewer",))
        known_by = identity(fn, "panel", title) | {("title", title)}
        super().__init__(fn, known_by, "panel", title)
        self.title = title
        self.dock = dock
        self.open = True

    def take_over(self, old: object) -> list[str]:
        """Stays closed if the window of the other was closed."""
        if not isinstance(old, Panel) or old.open:
            return []
        self.open = False
        return ["open"]

    @messages.handler
    def on_build_gui(self, _: messages.BuildGuiEvent) -> None:
        """Draws the window, and what is in it unless it is folded."""
        if not self.open:
            return
        layout.dock_next_window(self.title, self.dock)
        visible, is_open = imgui.begin(self.title, True)  # noqa: FBT003 - has a close button
        self.open = bool(is_open)
        if visible:
            with self.viewer.ui.guard(self.title):
                self.fn(*(self.viewer for _ in self._takes))
        imgui.end()


class Key(FunctionPlugin, plugin.ViewerPlugin):
    """A function that is called when a chord is pressed in the view.

    Attributes:
        chord: The keys.
        key_help: The keys and what they do, for the help.
    """

    viewer: Any

    def __init__(self, fn: Function, chord: str) -> None:
        """Wraps `fn()` or `fn(viewer)`.

        Raises:
            TypeError: If the function takes other arguments.
            StudioError: If there is no such chord.
        """
        self.chord = chords.parse(chord)
        self._takes = takes(fn, f"key({chord!r})", (), ("viewer",))
        label = self.chord.label
        super().__init__(fn, identity(fn, "key", label), "key", label)
        self.key_help = (label, says(fn))

    @property
    def instead_of(self) -> str:
        """What the app itself does with this chord, in words; "" for nothing."""
        mine = (self.chord.key, self.chord.modifiers)
        found = (each.action for each in keys.BINDINGS if mine in each.chords)
        return next(found, "")

    # Before the app, which obeys the keys that nobody has taken.
    @messages.handler(priority=messages.Priority.CRITICAL + 1)
    def on_build_gui(self, _: messages.BuildGuiEvent) -> None:
        """Calls the function if the chord was pressed, and takes it from the app."""
        if not self.chord.pressed():
            return
        imgui.internal.set_key_owner(
            self.chord.key,
            imgui.get_id(self.chord.label),
            int(imgui.internal.InputFlagsPrivate_.lock_this_frame),
        )
        self.fn(*(self.viewer for _ in self._takes))
