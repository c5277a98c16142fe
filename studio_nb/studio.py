"""`Studio`: what a cell holds. Everything a person does to a session is here.

Its methods run in the cell's thread. Those that change something return when
it has taken effect, and raise when it could not.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent import futures
from typing import TYPE_CHECKING, Any, Self

import mujoco
from mujoco.studio import messages, plugin

from studio_nb.errors import StudioError
from studio_nb.link import Link
from studio_nb.plugins import files, origin
from studio_nb.plugins.cells import CellForms
from studio_nb.registry import describe
from studio_nb.session import Session
from studio_nb.sim.history import History
from studio_nb.spec import sources

if TYPE_CHECKING:
    import matplotlib.figure

    from studio_nb.widget import StudioWidget

DEFAULT_NAME = "studio"
DEFAULT_HEIGHT_PX = 560
MIN_HEIGHT_PX, MAX_HEIGHT_PX = 120, 4000
_MAX_HISTORY_MB = 1 << 20

_sessions: "dict[str, Studio]" = {}
_lock = threading.Lock()


class Studio(CellForms):
    """A live simulation, and its view where there is one.

    Made by `studio_nb.open` or `%studio`. In a notebook its last expression in a
    cell shows the view.
    """

    def __init__(
        self,
        session: Session,
        name: str = DEFAULT_NAME,
        widget: "StudioWidget | None" = None,
    ) -> None:
        """Wraps a running session; use `studio_nb.open` instead."""
        self._session = session
        self._widget = widget
        self.name = name

    # -- running ---------------------------------------------------------------

    def play(self) -> None:
        """Lets the simulation run."""
        self._on_sim(lambda stepper: stepper.set_paused(False))

    def pause(self) -> None:
        """Stops the simulation where it is."""
        self._on_sim(lambda stepper: stepper.set_paused(True))

    def step(self, n: int = 1) -> None:
        """Takes `n` physics steps, and stays paused or running as it was.

        Raises:
            StudioError: If `n` is no whole number from 0 on.
        """
        _check_steps("step", n)
        self._work(lambda stepper, future: stepper.step(n, future))

    def step_back(self, n: int = 1) -> None:
        """Goes `n` recorded steps back, and pauses there.

        The state is put back to the last bit. Going on from there appends to the
        history: nothing of it is lost.

        Raises:
            StudioError: If `n` is no whole number from 0 on, or not that many earlier
                steps are recorded; then nothing has changed.
        """
        _check_steps("step_back", n)
        scrubber = self._session.scrubber
        self._session.call(lambda _model, _data: scrubber.back(n))

    def reset(self, key: int | str | None = None) -> None:
        """Goes back to the start, or to a keyframe.

        Args:
            key: Keyframe number or name; None for the model's initial state.

        Raises:
            StudioError: If there is no such keyframe.
        """

        def reset(model: mujoco.MjModel, _: mujoco.MjData) -> None:
            number = None if key is None else find_key(model, key)
            self._session.handle.dispatch(messages.ResetEvent(key=number))

        self._session.call(reset)

    def run(self, seconds: float) -> float:
        """Runs as fast as it goes, and returns when it has.

        Args:
            seconds: Simulation time to cover.

        Returns:
            The simulation time reached, seconds; less than asked for when it was
            paused or reset on the way.
        """
        if not seconds >= 0:
            msg = f"run({seconds!r}): give simulation seconds, 0 or more"
            raise StudioError(msg)
        return self._work(lambda stepper, future: stepper.run(seconds, future))

    def _work(self, begin: Callable[[Any, "futures.Future[float]"], object]) -> float:
        future: futures.Future[float] = futures.Future()
        try:
            self._on_sim(lambda stepper: begin(stepper, future))
            return self._session.wait(future)
        except BaseException:
            if not future.done() or future.cancelled():
                with contextlib.suppress(StudioError):
                    self._on_sim(lambda stepper: stepper.stop())
            raise

    @property
    def paused(self) -> bool:
        """Whether the simulation stands still."""
        return self._session.stepper.paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._on_sim(lambda stepper: stepper.set_paused(bool(value)))

    @property
    def speed(self) -> float:
        """Wanted speed, percent of real time; `math.inf` for as fast as it goes."""
        return self._session.stepper.speed

    @speed.setter
    def speed(self, percent: float) -> None:
        if not _is_speed(percent):
            msg = f"speed = {percent!r}: give percent of real time, above 0"
            raise StudioError(msg)
        self._on_sim(lambda stepper: stepper.set_speed(float(percent)))

    @property
    def time(self) -> float:
        """Simulation time, seconds."""
        return self._session.call(lambda _, data: data.time)

    @property
    def model_path(self) -> str:
        """The model's file, absolute; "" for a model made in Python."""
        handle = self._session.handle
        return handle.model_path if handle is not None else ""

    def _on_sim(self, fn: Callable[[Any], object]) -> None:
        stepper = self._session.stepper
        self._session.call(lambda _model, _data: fn(stepper))

    # -- reaching in -----------------------------------------------------------

    def call(
        self,
        fn: Callable[[mujoco.MjModel, mujoco.MjData], Any],
        timeout: float | None = None,
    ) -> Any:  # noqa: ANN401 - whatever fn returns
        """Runs `fn(model, data)` on the sim thread between two steps.

        Args:
            fn: Gets the live model and data. Return copies, such as
                `data.qpos.copy()`: the arrays go on changing.
            timeout: Seconds to wait, None for as long as it takes.

        Returns:
            What `fn` returned; what it raised is raised here.
        """
        return self._session.call(fn, timeout)

    def send(self, message: messages.Message) -> None:
        """Sends one of Studio's messages, or your own, to the sim's plugins."""
        self._session.send(message)

    # -- the model -------------------------------------------------------------

    @contextlib.contextmanager
    def edit(self) -> Generator[mujoco.MjSpec]:
        """Edits the model while it runs.

        What was changed in the compiled model itself, by `call`, is not in the spec
        and is gone after an edit.

        Yields:
            A copy of the model's spec. When the block ends it is compiled and goes
            on in place of the old one, with the state of all that stayed; an
            exception, in the block or from the compiler, changes nothing.

        Raises:
            StudioError: If the model has no spec, or the changed one does not
                compile.
        """
        loader = self._session.loader
        source = self._session.call(lambda _model, _data: loader.source)
        if source.spec is None:
            msg = (
                "this model came compiled (MJB or MjModel) and has no spec to edit: "
                "open it from XML or from an MjSpec"
            )
            raise StudioError(msg)
        spec = source.spec.copy()
        yield spec
        self._session.call(lambda _model, _data: loader.apply(spec, source))

    def reload(self) -> None:
        """Loads the model again: its file, or what a plugin makes of it.

        Raises:
            StudioError: If that fails by now; the model goes on.
        """

        def reload(_model: mujoco.MjModel, _data: mujoco.MjData) -> Exception | None:
            handle = self._session.handle
            handle.load_error = None
            handle.reload()
            return handle.load_error

        error = self._session.call(reload)
        if isinstance(error, StudioError):
            raise error
        if error is not None:
            msg = f"the model could not be loaded again: {describe(error)}"
            raise StudioError(msg) from error

    # -- what happened ---------------------------------------------------------

    @property
    def history(self) -> History:
        """A copy of what was recorded: one row for every physics step.

        In the order in which they were taken: after a reset, or a `step_back` that
        was gone on from, time begins again at an earlier one.
        """
        recorder = self._session.recorder
        return self._session.call(lambda _model, _data: recorder.taken())()

    def plot(self, *columns: str) -> "matplotlib.figure.Figure":
        """Plots recorded columns over time.

        Args:
            *columns: Names such as "qpos", or "qpos:right_*" for the elements
                whose labels match. Without any, "qpos".

        Returns:
            A matplotlib figure, one axes a column.

        Raises:
            StudioError: If there is no such column or element, or matplotlib is
                not installed.
        """
        from studio_nb.plots.history import plot  # noqa: PLC0415 - matplotlib is slow to load

        return plot(self.history, columns or ("qpos",))

    @property
    def errors(self) -> list[str]:
        """What went wrong since the start, newest last."""
        return list(self._session.errors)

    def stats(self) -> dict[str, float]:
        """Returns figures of the simulation and its streams.

        Returns:
            `steps` taken; and with a view what `NotebookViewer.figures` says.
        """
        viewer = self._session.viewer
        figures = viewer.figures() if viewer is not None else {"frames": 0}
        return {"steps": self._session.stepper.steps, **figures}

    # -- the view --------------------------------------------------------------

    @property
    def widget(self) -> "StudioWidget":
        """The view, an anywidget.

        Raises:
            StudioError: If this session has none.
        """
        if self._widget is None:
            msg = "this session has no view: open it in a notebook, or with view=True"
            raise StudioError(msg)
        return self._widget

    def _ipython_display_(self) -> None:
        if self._widget is None:
            print(repr(self))  # noqa: T201 - IPython's way to show an object
            return
        from IPython.display import display  # noqa: PLC0415 - there when IPython asks

        display(self._widget)

    def close(self) -> None:
        """Ends the simulation and frees everything; again is fine."""
        self._session.close()
        if self._widget is not None:
            self._widget.retire()
        with _lock:
            if _sessions.get(self.name) is self:
                del _sessions[self.name]

    @property
    def closed(self) -> bool:
        """Whether it is over."""
        return self._session.closed

    def __enter__(self) -> Self:
        """Returns itself; the block's end closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def __repr__(self) -> str:
        """Says which model it is and how it stands."""
        if self.closed:
            return f"<Studio {self.name!r}: closed>"
        state = "paused" if self.paused else "running"
        path = self.model_path or "a model made in Python"
        return f"<Studio {self.name!r}: {path}, {state}>"


def find_key(model: mujoco.MjModel, key: int | str) -> int:
    """Returns the number of a keyframe given by number or name.

    Raises:
        StudioError: If the model has no such keyframe.
    """
    names = [model.key(i).name or str(i) for i in range(model.nkey)]
    if isinstance(key, str) and key in names:
        return names.index(key)
    if str(key).isdecimal() and int(key) < model.nkey:
        return int(key)
    have = ", ".join(names[:10]) if names else "none"
    msg = f"the model has no keyframe {key!r}: it has {have}"
    raise StudioError(msg)


def in_notebook() -> bool:
    """Tells whether this process is a Jupyter kernel."""
    try:
        from IPython import get_ipython  # noqa: PLC0415 - not needed outside
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def open(  # noqa: A001, PLR0913 - the name people look for, as in PIL and zarr
    model: sources.ModelSource | None = None,
    *,
    name: str = DEFAULT_NAME,
    height: int = DEFAULT_HEIGHT_PX,
    paused: bool = False,
    speed: float = 100.0,
    key: int | str | None = None,
    plugins: "Plugins" = (),
    hot_reload: str = "",
    history_mb: float = 256,
    view: bool | None = None,
) -> Studio:
    """Opens a live simulation.

    Args:
        model: A path (XML, URDF, MJB, MJZ or ZIP), an XML string, an MjSpec, an
            MjModel or an (MjModel, MjData) pair, all of which are copied; None
            for a demo.
        name: Another session of this name is closed, once the model has loaded.
        height: Of the view, CSS pixels.
        paused: Whether to start paused.
        speed: Percent of real time; `math.inf` for as fast as it goes.
        key: Keyframe to start from, by number or name.
        plugins: Studio plugins, of both kinds; or paths of files that define some.
        hot_reload: What to take over when it is saved: "plugins" (their files),
            "model" (its file, with what that includes), "all" of it, or names of plugin
            classes.
        history_mb: Memory for the history, MB; the oldest steps go first.
        view: Whether to make a view; None: in a notebook.

    Returns:
        The session; as a cell's last expression it shows its view.

    Raises:
        StudioError: If the model or a plugin file cannot be opened. A session of that
            name goes on.
    """
    from studio_nb import models  # noqa: PLC0415 - only for the demo

    _check(name, height, speed, history_mb)
    source = sources.load(models.path() if model is None else model)
    number = None if key is None else find_key(source.model, key)
    added, origins = _loaded(plugins)
    widget = link = None
    if in_notebook() if view is None else view:
        from studio_nb.widget import StudioWidget  # noqa: PLC0415 - needs a notebook

        link = Link()
        widget = StudioWidget(link, name, height=height)
    try:
        session = Session(
            source,
            link=link,
            plugins=added,
            origins=origins,
            hot_reload=hot_reload,
            paused=paused,
            speed=float(speed),
            key=number,
            history_bytes=int(history_mb * (1 << 20)),
        )
    except BaseException:
        if widget is not None:
            widget.close()
        raise
    studio = Studio(session, name, widget)
    with _lock:
        old, _sessions[name] = _sessions.get(name), studio
    if old is not None:
        old.close()
    return studio


# One, or several, each an instance or the path of a file.
_Plugin = plugin.Plugin | str | os.PathLike[str]
Plugins = _Plugin | Iterable[_Plugin]


def _loaded(
    plugins: Plugins,
) -> tuple[list[plugin.Plugin], dict[int, origin.Origin]]:
    """Returns plugins, those of files among them, and where each came from."""
    one = isinstance(plugins, (plugin.Plugin, str, os.PathLike))
    loaded: list[plugin.Plugin] = []
    origins: dict[int, origin.Origin] = {}
    for each in [plugins] if one else plugins:
        if not isinstance(each, (str, os.PathLike)):
            loaded.append(each)
            continue
        of_file = files.load(each)
        loaded += of_file
        origins |= {id(p): origin.of_file(os.fspath(each)) for p in of_file}
    return loaded, origins


def _check(name: str, height: int, speed: float, history_mb: float) -> None:
    if not isinstance(name, str) or not name:
        msg = f"name={name!r}: give the session's name, a str"
        raise StudioError(msg)
    if not isinstance(height, int) or not MIN_HEIGHT_PX <= height <= MAX_HEIGHT_PX:
        msg = f"height={height!r}: give {MIN_HEIGHT_PX} to {MAX_HEIGHT_PX} CSS pixels"
        raise StudioError(msg)
    if not _is_speed(speed):
        msg = f"speed={speed!r}: give percent of real time, above 0"
        raise StudioError(msg)
    if not isinstance(history_mb, (int, float)) or not 0 < history_mb < _MAX_HISTORY_MB:
        msg = f"history_mb={history_mb!r}: give megabytes, above 0"
        raise StudioError(msg)


def _check_steps(call: str, n: object) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        msg = f"{call}({n!r}): give the number of physics steps, 0 or more"
        raise StudioError(msg)


def _is_speed(value: object) -> bool:
    try:
        return isinstance(value, (int, float)) and float(value) > 0
    except OverflowError:
        return False


def sessions() -> dict[str, Studio]:
    """Returns the open sessions by name."""
    with _lock:
        return {name: s for name, s in _sessions.items() if not s.closed}
