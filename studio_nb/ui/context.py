"""A headless Dear ImGui and ImPlot context: one for each session.

The viewer thread of a session owns its `UiContext`, opens a frame with `frame`,
lets panels draw inside, and hands what came of it to a `DrawListEncoder`. Dear
ImGui knows one current context a process, so a lock of this module is held for
as long as one of them is current: contexts of several threads take turns, and a
panel must not wait for another thread while it draws.
"""

import contextlib
import threading
from collections.abc import Generator

from imgui_bundle import ImVec2, imgui, implot

from studio_nb.ui import fonts, lobby, recovery, theme
from studio_nb.ui.clipboard import Clipboard

# Held by the thread whose context is the current one.
CURRENT = threading.RLock()

# How long after a change Dear ImGui's settings are to be saved.
_SETTINGS_S = 0.5

# Dear ImGui wants time to pass between frames. An upper bound keeps what is
# animated from jumping after the view was hidden.
_MIN_DT_S = 1e-4
_MAX_DT_S = 0.25

# How long after the last input a frame can still differ by itself: the longest
# delay of a tooltip (style.hover_delay_normal, 0.4 s, after
# hover_stationary_delay, 0.15 s) and the frame in which it appears.
_SETTLING_S = 0.7


class _Thread(threading.local):
    """Whether this thread builds a frame."""

    drawing = False


_thread = _Thread()


def drawing() -> bool:
    """Tells whether this thread is building a frame of a `UiContext`."""
    return _thread.drawing


def is_current() -> bool:
    """Tells whether a `UiContext` is current; call it with `CURRENT` held."""
    return not lobby.is_current() and imgui.get_current_context() is not None


class PanelError(RuntimeError):
    """A panel left Dear ImGui's stacks open: a `begin` or `push` without its end."""


class UiContext:
    """Dear ImGui and ImPlot without a window.

    Attributes:
        clipboard: What was copied and pasted here.
        palette: The colours of the current theme.
        theme: Its name, "light" or "dark".
        takes_wheel: Whether the wheel belongs to who builds the panels, also where
            none of them is.
    """

    clipboard: Clipboard
    palette: theme.Palette
    theme: str

    def __init__(self, theme: str = "dark") -> None:
        """Makes the contexts, loads the fonts and applies a theme.

        Args:
            theme: "light" or "dark".

        Raises:
            ValueError: If there is no theme of that name.
        """
        self.clipboard = Clipboard()
        self._in_frame = False
        self.takes_wheel = False
        self._closing = False
        self._next_theme: str | None = None
        self._settling_s = _SETTLING_S
        self._view = (0.0, 0.0, 0.0)
        with _restoring_current():
            self._imgui: imgui.internal.Context | None = imgui.create_context()
            imgui.set_current_context(self._imgui)
            self._implot = implot.create_context()
            try:
                self._configure()
                self.set_theme(theme)
            except BaseException:
                self.close()
                raise

    def _configure(self) -> None:
        """Sets what a context without a window, files and asserts needs."""
        io = imgui.get_io()
        io.set_ini_filename(None)
        io.set_log_filename("")
        io.ini_saving_rate = _SETTINGS_S
        io.backend_flags |= int(
            imgui.BackendFlags_.renderer_has_textures
            | imgui.BackendFlags_.has_mouse_cursors
        )
        io.config_flags |= int(imgui.ConfigFlags_.docking_enable)
        io.config_docking_transparent_payload = True
        # A caret that blinks would send a frame twice a second for nothing.
        io.config_input_text_cursor_blink = False
        recovery.configure()
        Clipboard.install()
        fonts.load(io.fonts)

    @contextlib.contextmanager
    def current(self) -> Generator[imgui.internal.Context]:
        """Makes this the current context for the block; other threads wait.

        Yields:
            Dear ImGui's context.

        Raises:
            RuntimeError: If the context is closed.
        """
        with _restoring_current():
            if self._imgui is None:
                msg = "the UI context is closed: make a new one with UiContext()"
                raise RuntimeError(msg)
            imgui.set_current_context(self._imgui)
            implot.set_current_context(self._implot)
            with self.clipboard.current():
                yield self._imgui

    @contextlib.contextmanager
    def frame(
        self, width: float, height: float, scale: float, dt: float
    ) -> Generator[None]:
        """Opens a frame for the block and renders it, also when the block raises.

        Args:
            width: Of the view, CSS pixels.
            height: Of the view, CSS pixels.
            scale: Device pixels a CSS pixel; text is baked at this density.
            dt: Seconds since the last frame.

        Raises:
            RuntimeError: If a frame is open already, or the context is closed.
        """
        with self.current() as context:
            if self._in_frame:
                msg = "a UI frame is open already: leave it before the next"
                raise RuntimeError(msg)
            if (width, height, scale) != self._view:
                self._view = width, height, scale
                self.touch()
            io = imgui.get_io()
            io.display_size = ImVec2(max(width, 1.0), max(height, 1.0))
            io.display_framebuffer_scale = ImVec2(scale, scale)
            io.delta_time = min(max(dt, _MIN_DT_S), _MAX_DT_S)
            self._settling_s -= io.delta_time
            imgui.new_frame()
            self._in_frame = _thread.drawing = True
            start = recovery.Stacks.now()
            try:
                yield
            finally:
                self._in_frame = _thread.drawing = False
                # A body that ended the frame itself left nothing to end.
                if context.within_frame_scope:
                    recovery.recover(start)
                    imgui.render()
                if _any_hidden(context):
                    self.touch()
                if self._next_theme is not None:
                    self.set_theme(self._next_theme)
                if self._closing:
                    self.close()

    @contextlib.contextmanager
    def guard(self, name: str) -> Generator[None]:
        """Undoes what the block leaves half built, so that other panels stay whole.

        What the block raises goes on to the caller, with the panel's name noted.

        Args:
            name: Of the panel, for the error.

        Raises:
            PanelError: If the block ended well but left something open.
            RuntimeError: If no frame is open.
        """
        with self.current() as context:
            if not context.within_frame_scope:
                msg = f"panel {name!r} has no frame: draw it within UiContext.frame"
                raise RuntimeError(msg)
            start = recovery.Stacks.now()
            try:
                yield
            except Exception as error:
                error.add_note(f"while the panel {name!r} was drawn")
                raise
            finally:
                left = ""
                if context.within_frame_scope:
                    left = recovery.left_open(start)
                    recovery.recover(start)
            if not context.within_frame_scope:
                msg = f"panel {name!r} ended the frame: leave that to the viewer"
                raise PanelError(msg)
            if left:
                msg = (
                    f"panel {name!r} left {left} open: "
                    "close each begin or push with its end or pop"
                )
                raise PanelError(msg)

    @contextlib.contextmanager
    def part(self) -> Generator[None]:
        """Undoes what the block leaves half built when it raises.

        A light `guard` for parts of a panel, within the frame that is open.
        """
        start = recovery.Stacks.now()
        try:
            yield
        except BaseException:
            recovery.recover(start)
            raise

    def set_theme(self, name: str) -> None:
        """Changes the colours; within a frame, as soon as it ends.

        Args:
            name: "light" or "dark".

        Raises:
            ValueError: If there is no theme of that name.
        """
        with self.current():
            if self._in_frame and name in theme.NAMES:
                # A panel that has pushed a colour brings the old one back.
                self._next_theme = name
                return
            self._next_theme = None
            self.palette = theme.apply(name)
            self.theme = name
            self.touch()

    def touch(self) -> None:
        """Notes that something happened after which panels take a while to settle."""
        self._settling_s = _SETTLING_S

    @property
    def unsettled(self) -> bool:
        """Whether the next frame may differ although nothing new came in.

        True while input waits in Dear ImGui's queue (it hands out one change of a
        button or key a frame), while something is held, and shortly after input.
        """
        with self.current() as context:
            return (
                context.input_events_queue.size() > 0
                or context.active_id != 0
                or self._settling_s > 0
            )

    @property
    def wants_keyboard(self) -> bool:
        """Whether keys belong to a panel (an input has the focus), not to the view."""
        with self.current():
            return imgui.get_io().want_capture_keyboard

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._imgui is None

    def close(self) -> None:
        """Frees both contexts: once is enough, from any thread.

        Called by a panel while it draws, it frees them when the frame ends.
        """
        with _restoring_current(self._imgui, self._implot):
            if self._in_frame:
                self._closing = True
                return
            context, self._imgui = self._imgui, None
            if context is not None:
                imgui.set_current_context(context)
                implot.destroy_context(self._implot)
                imgui.destroy_context(context)


def _any_hidden(context: imgui.internal.Context) -> bool:
    """Tells whether a window was laid out unseen, to be shown by the next frame.

    So appears each window whose size is not known beforehand.
    """
    return any(w.active and w.hidden_frames_cannot_skip_items for w in context.windows)


@contextlib.contextmanager
def _restoring_current(*freed: object) -> Generator[None]:
    """Holds the lock, and afterwards makes current what was current before.

    If nothing was, the lobby is: calls outside of all frames do no harm there.

    Args:
        freed: Contexts that the block frees: not to be made current again.
    """
    with CURRENT:
        lobby.enter()
        outer, outer_plot = imgui.get_current_context(), implot.get_current_context()
        try:
            yield
        finally:
            if outer is not None and outer not in freed:
                imgui.set_current_context(outer)
            if outer_plot is not None and outer_plot not in freed:
                implot.set_current_context(outer_plot)
