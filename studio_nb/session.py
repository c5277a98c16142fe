"""A session: one simulation, its two threads, and what passes between.

`Session` is made and closed by a cell's thread (through `Studio`) and owns the
sim thread and, where there is a view, the viewer thread. Everything that
changes the simulation goes through `send` or `call`.
"""

import contextlib
import gc
import logging
import threading
import time
import weakref
from collections.abc import Callable
from concurrent import futures
from typing import Any

import mujoco
from mujoco.studio import messages, plugin, viewer_handle, viewer_protocol

from studio_nb import channels, mjlog
from studio_nb.errors import SessionClosedError, StudioError
from studio_nb.link import Link
from studio_nb.sim.frames import FrameSource
from studio_nb.sim.handle import Caller, CallEvent, SimHandle
from studio_nb.sim.history import DEFAULT_BUDGET_BYTES, Recorder
from studio_nb.sim.loading import Loader
from studio_nb.sim.stepping import Stepper
from studio_nb.spec.sources import Source

logger = logging.getLogger(__name__)

# Starting waits this long for the sim thread, closing this long for each thread.
_START_SEC = 60.0
_JOIN_SEC = 5.0
# How often a waiting cell looks whether the session is still there.
_POLL_SEC = 0.2

_open: "weakref.WeakSet[Session]" = weakref.WeakSet()


class Session:
    """One running simulation.

    Attributes:
        link: The viewer's mailbox, or None without a view.
        stepper: Advances the simulation; to be used on the sim thread.
        recorder: Keeps the history; to be used on the sim thread.
        loader: Knows the current model's source; to be used on the sim thread.
        handle: The sim's handle while open; to be used on the sim thread.
        viewer: The viewer, or None; to be used on the viewer thread.
        errors: What went wrong since the start, newest last.
    """

    def __init__(  # noqa: PLR0913 - all by name, as the magic's options
        self,
        source: Source,
        *,
        link: Link | None = None,
        plugins: list[plugin.Plugin] | None = None,
        paused: bool = False,
        speed: float = 100.0,
        key: int | None = None,
        history_bytes: int = DEFAULT_BUDGET_BYTES,
    ) -> None:
        """Starts the threads and returns when the model is in place.

        Args:
            source: The model; the session takes it over.
            link: Where the view is, if there is one.
            plugins: The person's plugins, of both kinds.
            paused: Whether to start paused.
            speed: Percent of real time.
            key: Keyframe to start from.
            history_bytes: Memory for the history.

        Raises:
            StudioError: If a plugin cannot be started.
        """
        viewer_plugins, sim_plugins = plugin.split_plugins(plugins)
        self.link = link
        self.errors: list[str] = []
        self.viewer: Any = None
        self.handle: Any = None
        self._wake = threading.Event()
        self._closing = threading.Lock()
        self._closed = False
        self._waiting: set[futures.Future[Any]] = set()
        self._reporting = threading.Lock()
        self._reports: list[tuple[str, str]] = []
        self._viewed = threading.Event()
        self._started: futures.Future[None] = futures.Future()
        self._viewer_end, self._sim_end = channels.connect(
            self._wake, link.wake if link else None
        )
        self.stepper = Stepper(self._wake, paused=paused, speed=speed)
        self.recorder = Recorder(history_bytes)
        self.stepper.observers.append(self.recorder.record)
        self.loader = Loader(source, self.report)
        self._key = key
        self._viewer_thread: threading.Thread | None = None
        if link is not None:
            self._viewer_thread = self._thread(
                "viewer", self._run_viewer, link, viewer_plugins
            )
        self._sim_thread = self._thread("sim", self._run_sim, sim_plugins)
        _open.add(self)
        self._sim_thread.start()
        try:
            self._wait(self._started, _START_SEC)
        except BaseException:
            self.close()
            raise

    def _thread(self, name: str, target: Callable, *args: object) -> threading.Thread:
        return threading.Thread(
            target=target, args=args, name=f"studio-nb {name}", daemon=True
        )

    # -- the threads -----------------------------------------------------------

    def _run_sim(self, plugins: list[plugin.SimPlugin]) -> None:
        own = [self.loader, self.stepper, self.recorder, FrameSource(), Caller()]
        try:
            with mjlog.listening(self._on_warning):
                handle = SimHandle(
                    self._sim_end, plugins=plugins, own=own, on_error=self._on_error
                )
                self.handle = handle
                if self._viewer_thread is not None:
                    self._viewer_thread.start()
                self.loader.publish(self._key)
                self._started.set_result(None)
                viewer_handle.run_sim_loop(handle)
        except BaseException as error:  # noqa: BLE001 - told to whoever waits
            if not self._started.done():
                self._started.set_exception(error)
            else:
                self._on_error("the sim thread", error)
        finally:
            self._end_of_sim()

    def _end_of_sim(self) -> None:
        self._closed = True
        self._fail_waiting_calls()
        with contextlib.suppress(Exception):
            self._sim_end.send_to_viewer(messages.ExitEvent())

    def _run_viewer(self, link: Link, plugins: list[plugin.ViewerPlugin]) -> None:
        from studio_nb import ui  # noqa: PLC0415 - only with a view
        from studio_nb.viewer import NotebookViewer  # noqa: PLC0415 - only with a view

        if not ui.available():
            from studio_nb.app import App  # noqa: PLC0415 - needs imgui-bundle

            plugins = [App(), *plugins]

        try:
            with mjlog.listening(self._on_warning):
                viewer = NotebookViewer(
                    viewer_protocol.ViewerConfig(gfx="notebook"),
                    self._viewer_end,
                    link,
                    plugins=plugins,
                    on_error=self._on_error,
                )
                with self._reporting:
                    self.viewer = viewer
                    reports = list(self._reports)
                for level, text in reports:
                    viewer.note(level, text)
                self._viewed.set()
                viewer_protocol.run_viewer_loop(viewer)
        except Exception as error:  # noqa: BLE001 - told in the cell, the loop has closed the view
            self._viewed.set()
            self._on_error("the viewer", error)

    # -- what went wrong -------------------------------------------------------

    def report(self, level: str, text: str) -> None:
        """Tells the view, and keeps, one line; any thread."""
        if level != "info":
            self.errors.append(text)
        with self._reporting:
            self._reports.append((level, text))
            viewer = self.viewer
        if viewer is not None:
            viewer.note(level, text)

    def _on_warning(self, text: str) -> None:
        self.report("warning", text)

    def _on_error(self, where: str, error: BaseException) -> None:
        text = f"{where} raised {messages.describe_exception(error)}"
        logger.debug("%s", text, exc_info=error)
        self.report("error", text)

    # -- what others may do ----------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether it is over."""
        return self._closed

    def send(self, message: messages.Message) -> None:
        """Sends an Event or Snapshot to the sim; any thread.

        Raises:
            SessionClosedError: If the session is closed.
            TypeError: If it is neither.
        """
        self._check_open()
        self._viewer_end.send_to_sim(message)

    def call(
        self,
        fn: Callable[[mujoco.MjModel, mujoco.MjData], Any],
        timeout: float | None = None,
    ) -> Any:  # noqa: ANN401 - whatever fn returns
        """Runs a function on the sim thread, between two steps, and waits for it.

        Args:
            fn: Called with the live model and data. Return copies: the arrays of
                `MjData` go on changing.
            timeout: Seconds to wait, None for as long as it takes.

        Returns:
            What `fn` returned; what it raised is raised here.

        Raises:
            SessionClosedError: If the session is closed before `fn` has run.
            TimeoutError: If it took longer than `timeout`.
        """
        if threading.current_thread() is self._sim_thread:
            return fn(self.handle.model, self.handle.data)
        future: futures.Future[Any] = futures.Future()
        self._waiting.add(future)
        try:
            self.send(CallEvent(fn, future))
            return self._wait(future, timeout)
        finally:
            self._waiting.discard(future)

    def add(self, *plugins: plugin.Plugin) -> None:
        """Adds plugins while running, each on its own thread.

        Raises:
            TypeError: If one is neither a SimPlugin nor a ViewerPlugin.
            StudioError: If one is a ViewerPlugin and there is no view.
        """
        viewer_plugins, sim_plugins = plugin.split_plugins(plugins)
        for new in viewer_plugins:
            self._on_viewer(new, lambda viewer, new=new: viewer.add(new))
        for new in sim_plugins:
            self.call(lambda _model, _data, new=new: self.handle.add(new))

    def remove(self, *plugins: plugin.Plugin) -> None:
        """Removes plugins.

        Raises:
            StudioError: If one is not there.
        """
        viewer_plugins, sim_plugins = plugin.split_plugins(plugins)
        try:
            for old in viewer_plugins:
                self._on_viewer(old, lambda viewer, old=old: viewer.plugins.remove(old))
            for old in sim_plugins:
                self.call(lambda _model, _data, old=old: self.handle.remove(old))
        except ValueError:
            names = ", ".join(type(p).__name__ for p in plugins)
            msg = f"remove({names}): this session has no such plugin"
            raise StudioError(msg) from None

    def _on_viewer(self, new: plugin.ViewerPlugin, fn: Callable[[Any], object]) -> None:
        self._check_open()
        if self.link is not None:
            self._viewed.wait(_START_SEC)
        if self.viewer is None:
            msg = f"{type(new).__name__} is a ViewerPlugin and this session has no view"
            raise StudioError(msg)
        future: futures.Future[None] = futures.Future()
        self.viewer.soon(fn, future)
        self._wait(future, _START_SEC)

    def _wait(self, future: "futures.Future[Any]", timeout: float | None) -> Any:  # noqa: ANN401
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _POLL_SEC if end is None else min(_POLL_SEC, end - time.monotonic())
            done, _ = futures.wait([future], max(0.0, left))
            if done:
                return future.result()
            if not self._sim_thread.is_alive() and not future.done():
                self._check_open()
                msg = "the simulation's thread has ended: open the model again"
                raise SessionClosedError(msg)
            if end is not None and time.monotonic() >= end:
                future.cancel()
                msg = f"the simulation did not answer within {timeout:g} s"
                raise TimeoutError(msg)

    def wait(self, future: "futures.Future[Any]") -> Any:  # noqa: ANN401
        """Waits for a future that the sim thread will set, while it lives."""
        return self._wait(future, None)

    def _check_open(self) -> None:
        if self._closed:
            msg = "this session is closed: run %studio again, or studio_nb.open(...)"
            raise SessionClosedError(msg)

    def _fail_waiting_calls(self) -> None:
        for future in list(self._waiting):
            with contextlib.suppress(futures.InvalidStateError):
                future.set_exception(
                    SessionClosedError("the session was closed before this was done")
                )

    def close(self) -> None:
        """Ends both threads and frees everything; again is fine, from any thread."""
        with self._closing:
            already, self._closed = self._closed, True
            if not already:
                self._viewer_end.send_to_sim(messages.ExitEvent())
            me = threading.current_thread()
            for thread in (self._sim_thread, self._viewer_thread):
                if thread is not None and thread.ident and thread is not me:
                    self._wake.set()
                    thread.join(_JOIN_SEC)
                    if thread.is_alive():
                        logger.warning(
                            "%s does not end: a plugin blocks it", thread.name
                        )
            self._fail_waiting_calls()
            if self.link is not None:
                self.link.connect(None)
            if not already:
                self._free()

    def _free(self) -> None:
        """Lets go of models, data and history: a closed session may be kept."""
        self.recorder.clear()
        for own in (self.loader, self.stepper, self.recorder):
            own.handle = None
        self.handle = self.viewer = None
        # Plugins, handlers and handles refer to each other. Models and buffers are
        # megabytes that Python does not see, so it would be in no hurry.
        gc.collect()


def close_all() -> None:
    """Closes every session of this process, as at its end."""
    for session in list(_open):
        session.close()
