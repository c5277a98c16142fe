"""A session: one simulation, its two threads, and what passes between.

`Session` is made and closed by a cell's thread (through `Studio`) and owns the
sim thread and, where there is a view, the viewer thread. Everything that
changes the simulation goes through `send` or `call`.
"""

import collections
import contextlib
import gc
import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent import futures
from typing import Any

import mujoco
from mujoco.studio import messages, plugin, viewer_handle, viewer_protocol

from studio_nb import channels, console, mjlog, registry, shim
from studio_nb.errors import SessionClosedError, StudioError
from studio_nb.link import Link
from studio_nb.plugins import origin
from studio_nb.plugins.manager import Manager
from studio_nb.plugins.origin import Origin
from studio_nb.sim.frames import FrameSource
from studio_nb.sim.handle import Caller, CallEvent, SimHandle
from studio_nb.sim.loading import Loader
from studio_nb.sim.patch import Patcher
from studio_nb.sim.profile import StepProfiler
from studio_nb.sim.recorder import DEFAULT_BUDGET_BYTES, Recorder
from studio_nb.sim.scrub import Scrubber
from studio_nb.sim.stepping import Stepper
from studio_nb.spec.sources import Source

logger = logging.getLogger(__name__)

# Starting waits this long for the sim thread, closing this long for each thread.
_START_SEC = 60.0
_JOIN_SEC = 5.0
# How often a waiting cell looks whether the session is still there.
_POLL_SEC = 0.2
# A plugin that has not returned for this long is named by the other thread.
_STUCK_SEC = 2.0
# The oldest of what went wrong is forgotten beyond this.
_MAX_ERRORS = 200
# A thread that wants to run beside a cell of pure Python waits this long for its
# turn, once a physics step. With Python's 5 ms a busy cell would slow a model of
# 2 ms steps below real time.
_SWITCH_SEC = 0.0005


class Session:
    """One running simulation.

    Attributes:
        link: The viewer's mailbox, or None without a view.
        stepper: Advances the simulation; to be used on the sim thread.
        recorder: Keeps the history; to be used on the sim thread.
        scrubber: Goes back in the history; to be used on the sim thread.
        loader: Knows the current model's source; to be used on the sim thread.
        handle: The sim's handle while open; to be used on the sim thread.
        viewer: The viewer, or None; to be used on the viewer thread.
        plugins: Adds, replaces, removes and lists the person's plugins.
        errors: What went wrong since the start, newest last.
        console: The same and all that was said, with tracebacks.
    """

    def __init__(  # noqa: PLR0913 - all by name, as the magic's options
        self,
        source: Source,
        *,
        link: Link | None = None,
        plugins: list[plugin.Plugin] | None = None,
        origins: Mapping[int, Origin] | None = None,
        hot_reload: str = "",
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
            origins: Where each of them came from, by its `id`; else from here.
            hot_reload: What to reload when it is saved: "all", "plugins", "model",
                or names of plugin classes.
            paused: Whether to start paused.
            speed: Percent of real time.
            key: Keyframe to start from.
            history_bytes: Memory for the history.

        Raises:
            StudioError: If a plugin cannot be started, or nothing of the name can be
                reloaded.
        """
        viewer_plugins, sim_plugins = plugin.split_plugins(plugins)
        self.link = link
        self.plugins = Manager(
            self, self.report, plugins or (), origins or {}, hot_reload
        )
        self.errors: collections.deque[str] = collections.deque(maxlen=_MAX_ERRORS)
        self.console = console.Console()
        self._open = contextlib.ExitStack()
        self._open.enter_context(console.listening(self.console))
        self._open.enter_context(shim.active())
        self.viewer: Any = None
        self.handle: Any = None
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._closed = self._finished = False
        self._left = 1 if link is None else 2
        self._waiting: set[futures.Future[Any]] = set()
        self._reports: collections.deque[tuple[str, str]] = collections.deque(
            maxlen=_MAX_ERRORS
        )
        self._stuck: tuple[str, float] | None = None
        self._viewed = threading.Event()
        self._started: futures.Future[None] = futures.Future()
        self._viewer_end, self._sim_end = channels.connect(
            self._wake, link.wake if link else None
        )
        self.stepper = Stepper(self._wake, paused=paused, speed=speed)
        self.recorder = Recorder(history_bytes, lambda: self.stepper.noise)
        self.stepper.starters.append(self.recorder.prepare)
        self.stepper.observers.append(self.recorder.record)
        self.stepper.upsets.append(self.recorder.upset)
        self.scrubber = Scrubber(self.recorder, self.stepper)
        self.loader = Loader(source, self.report)
        self._key = key
        self._viewer_thread: threading.Thread | None = None
        if link is not None:
            self._viewer_thread = self._thread(
                "viewer", self._run_viewer, link, viewer_plugins
            )
        self._sim_thread = self._thread("sim", self._run_sim, sim_plugins)
        sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_SEC))
        self._sim_thread.start()
        try:
            self._wait(self._started, _START_SEC)
        except BaseException as error:
            self.close()
            if isinstance(error, StudioError) or not isinstance(error, Exception):
                raise
            msg = f"the session could not start: {registry.describe(error)}"
            raise StudioError(msg) from error

    def _thread(self, name: str, target: Callable, *args: object) -> threading.Thread:
        return threading.Thread(
            target=target, args=args, name=f"studio-nb {name}", daemon=True
        )

    # -- the threads -----------------------------------------------------------

    def _run_sim(self, plugins: list[plugin.SimPlugin]) -> None:
        frames = FrameSource(lambda: self.stepper.paused)
        own = [
            self.loader,
            self.stepper,
            self.recorder,
            self.scrubber,
            StepProfiler(),
            Patcher(),
            frames,
            Caller(),
        ]
        try:
            with mjlog.listening(self._on_warning):
                handle = SimHandle(
                    self._sim_end,
                    plugins=plugins,
                    own=own,
                    on_error=self._on_error,
                    on_notice=self._on_notice,
                )
                self.handle = handle
                self.plugins.begin(handle)
                handle.before_turn.append(lambda: self._watch(self.viewer, "the view"))
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
            if self._viewer_thread is not None and not self._viewer_thread.ident:
                self._thread_ended()
            self._thread_ended()

    def _run_viewer(self, link: Link, plugins: list[plugin.ViewerPlugin]) -> None:
        try:
            from studio_nb.panels import with_own_app  # noqa: PLC0415 - only with a view
            from studio_nb.viewer import NotebookViewer  # noqa: PLC0415 - only with a view

            plugins = with_own_app(plugins, wanted=True)
            with mjlog.listening(self._on_warning):
                viewer = NotebookViewer(
                    viewer_protocol.ViewerConfig(gfx="notebook"),
                    self._viewer_end,
                    link,
                    plugins=plugins,
                    on_error=self._on_error,
                    on_notice=self._on_notice,
                )
                self.plugins.begin(viewer)
                viewer.before_turn.append(
                    lambda: self._watch(self.handle, "the simulation")
                )
                viewer.console = self.console
                with self._lock:
                    self.viewer = viewer
                    reports = list(self._reports)
                for level, text in reports:
                    viewer.note(level, text)
                self._viewed.set()
                viewer_protocol.run_viewer_loop(viewer)
        except BaseException as error:  # noqa: BLE001 - told in the cell, the loop has closed the view
            text = f"The view ended: {registry.describe(error)}"
            self.report("error", text)
            link.send({"type": "closed", "text": text})
        finally:
            self._viewed.set()
            self._thread_ended()

    def _thread_ended(self) -> None:
        """Tells the other thread; the last one turns off the light."""
        with self._lock:
            self._left -= 1
            last = self._left == 0
        self._closed = True
        self._say_exit()
        self._fail_waiting_calls()
        if last:
            self._finish()

    def _say_exit(self) -> None:
        for send in (self._viewer_end.send_to_sim, self._sim_end.send_to_viewer):
            # One that has ended has closed its end.
            with contextlib.suppress(RuntimeError):
                send(messages.ExitEvent())

    # -- what went wrong -------------------------------------------------------

    def report(
        self,
        level: str,
        text: str,
        source: str = "studio_nb",
        detail: str = "",
        *,
        keep: bool = True,
    ) -> None:
        """Tells the view, and keeps, one line; any thread.

        Args:
            level: "info", "warning" or "error".
            text: The line.
            source: Who says it, for the Console.
            detail: What the Console says instead: more lines, such as a traceback.
            keep: Whether it is an error or a warning that `errors` keeps.
        """
        text = console.printable(text)
        self.console.add(level, source, detail or text)
        if keep and level != "info":
            self.errors.append(text)
        with self._lock:
            self._reports.append((level, text))
            viewer = self.viewer
        if viewer is not None:
            viewer.soon(lambda viewer: viewer.note(level, text), futures.Future())

    def _on_warning(self, text: str) -> None:
        self.report("warning", text, "MuJoCo")

    def _on_error(self, where: str, error: BaseException) -> None:
        place = origin.place(error)
        text = f"{where} raised {registry.describe(error)}"
        text += f" ({place})" if place else ""
        logger.debug("%s", text, exc_info=error)
        self.report("error", text, where, console.traceback_of(error))

    def _on_notice(self, text: str) -> None:
        # What it follows from is among the errors already.
        self.report("warning", text, "plugins", keep=False)

    def _watch(self, other: Any, held: str) -> None:  # noqa: ANN401 - a host
        """Names a plugin that holds up the other thread, which cannot say it."""
        calling = other.plugins.calling if other is not None else None
        if calling is None or calling is self._stuck:
            return
        if time.perf_counter() - calling[1] < _STUCK_SEC:
            return
        self._stuck = calling
        text = f"{calling[0]} does not return, and {held} waits for it"
        self.report("error", text, calling[0])
        if self.link is not None:
            self.link.status("error", text)

    def _held_by(self, thread: threading.Thread) -> str:
        """Returns in words what keeps a thread from ending."""
        host = self.handle if thread is self._sim_thread else self.viewer
        calling = host.plugins.calling if host is not None else None
        return f"{calling[0]} does not return" if calling else "something blocks it"

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
        self.send(CallEvent(fn, future))
        return self._wait(future, timeout)

    def reach(self, side: str, task: Callable[[Any], Any]) -> Any:  # noqa: ANN401
        """Runs `task(host)` where a side's plugins run, and waits for it.

        Args:
            side: "sim" or "viewer".
            task: Gets the `SimHandle` or the `NotebookViewer`.

        Returns:
            What `task` returned; what it raised is raised here.

        Raises:
            StudioError: If there is no view.
            SessionClosedError: If the session is closed before it was done.
        """
        if side == "sim":
            return self.call(lambda _model, _data: task(self.handle))
        self._check_open()
        viewer = self.host("viewer")
        if viewer is None:
            msg = "this session has no view for viewer plugins: open it in a notebook"
            raise StudioError(msg)
        if threading.current_thread() is self._viewer_thread:
            return task(viewer)
        future: futures.Future[Any] = futures.Future()
        viewer.soon(task, future)
        return self._wait(future, _START_SEC)

    def host(self, side: str) -> Any:  # noqa: ANN401 - a SimHandle or NotebookViewer
        """Returns who runs a side's plugins, once it has begun; None for nobody."""
        if side == "sim":
            return self.handle
        own = threading.current_thread() is self._viewer_thread
        if self.link is not None and not own:
            self._viewed.wait(_START_SEC)
        return self.viewer

    def wait(self, future: "futures.Future[Any]") -> Any:  # noqa: ANN401
        """Waits for a future that the sim thread will set, while it lives.

        Raises:
            StudioError: On the sim thread itself, which would wait for ever.
            SessionClosedError: If the session is closed before.
        """
        if threading.current_thread() is self._sim_thread:
            msg = "a plugin or call cannot wait for the simulation that runs it"
            raise StudioError(msg)
        return self._wait(future, None)

    def _wait(self, future: "futures.Future[Any]", timeout: float | None) -> Any:  # noqa: ANN401
        end = None if timeout is None else time.monotonic() + timeout
        self._waiting.add(future)
        try:
            if self._closed:
                self._fail_waiting_calls()
            while True:
                left = _POLL_SEC if end is None else end - time.monotonic()
                done, _ = futures.wait([future], max(0.0, min(_POLL_SEC, left)))
                if done:
                    return future.result()
                if end is not None and time.monotonic() >= end:
                    msg = f"the simulation did not answer within {timeout:g} s"
                    raise TimeoutError(msg)  # noqa: TRY301
        except BaseException:
            # Interrupted or timed out: what has not begun must not happen later.
            future.cancel()
            raise
        finally:
            self._waiting.discard(future)

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
        """Ends both threads and frees everything; again is fine, from any thread.

        Called on one of the session's own threads it does not wait: the last of
        them to end does the rest.
        """
        self._closed = True
        self._say_exit()
        self._wake.set()
        threads = [self._sim_thread, self._viewer_thread]
        if threading.current_thread() in threads:
            return
        for thread in threads:
            if thread is not None and thread.ident:
                thread.join(_JOIN_SEC)
                if thread.is_alive():
                    logger.warning(
                        "%s does not end: %s", thread.name, self._held_by(thread)
                    )
        self._fail_waiting_calls()
        self._finish()

    def _finish(self) -> None:
        """Lets go of models, data and history: a closed session may be kept."""
        with self._lock:
            if self._finished:
                return
            self._finished = True
        if self.link is not None:
            self.link.connect(None)
        self._open.close()
        self.recorder.clear()
        self.plugins.end()
        for own in (self.loader, self.stepper, self.recorder, self.scrubber):
            own.handle = None  # ty: ignore[invalid-assignment]
        self.handle = self.viewer = None
        # Plugins, handlers and handles refer to each other. Models and buffers are
        # megabytes that Python does not see, so it would be in no hurry.
        gc.collect()
