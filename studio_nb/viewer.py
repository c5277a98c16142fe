"""The notebook viewer: Studio's `Viewer` whose window is a notebook cell.

Owned by the viewer thread of a session, which runs
`viewer_protocol.run_viewer_loop` on it. Each turn of the loop takes in what the
page said, what the sim said, and, when the page is ready for more, sends one
frame of `/state` and `/ui`. The thread sleeps until there is something to do.
"""

import collections
import logging
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mujoco
from mujoco.studio import endpoints, messages, plugin_registry, viewer_protocol
from mujoco.studio.sim import PauseState

from studio_nb import gestures, registry
from studio_nb.appearance import Appearance
from studio_nb.calls import CallQueue
from studio_nb.console import Console
from studio_nb.flow import Flow
from studio_nb.link import Link
from studio_nb.memory import Memory
from studio_nb.pacing import Pacing
from studio_nb.page import Page
from studio_nb.panels import Panels
from studio_nb.scene import camera, follow, perturb, pick
from studio_nb.scene.pictures import Pictures
from studio_nb.scene.stream import SceneStream
from studio_nb.sim.frames import FrameLoan, FrameSnapshot
from studio_nb.tally import Tally

if TYPE_CHECKING:
    from concurrent import futures

    import numpy as np
    import numpy.typing as npt

logger = logging.getLogger(__name__)

# How often the traits that mirror the simulation are brought up to date.
_TRAIT_SEC = 0.5

_MAX_NOTICES = 50


class NotebookViewer(viewer_protocol.Viewer):
    """Draws a session into the page at the other end of a `Link`.

    Attributes:
        notices: What went wrong lately, newest last: (level, text), level one of
            "info", "warning", "error".
        page: What the pages said of their views.
        memory: What the notebook remembers of the panels.
        console: What was said and what went wrong; its session's, if it has one.
        before_turn: Called at the start of each turn of the loop, outside any handler.
    """

    def __init__(  # noqa: PLR0913 - the base's, and all others by name
        self,
        config: viewer_protocol.ViewerConfig,
        endpoint: endpoints.ViewerEndpoint,
        link: Link,
        *,
        plugins: list[Any] | None = None,
        on_error: registry.ErrorHook | None = None,
        on_notice: registry.NoticeHook | None = None,
        **visual: Any,  # noqa: ANN401 - passed through as they are
    ) -> None:
        """Starts with an empty scene; nothing is sent before the page is ready.

        Args:
            config: Studio's configuration; `title` names the view.
            endpoint: The viewer's end of the channels.
            link: The page's mailbox.
            plugins: Viewer plugins.
            on_error: Called with "Plugin.handler" and what it raised.
            on_notice: Called with a line when a plugin is switched off or blocks.
            **visual: Initial camera, vis_options, perturb, render_flags,
                extra_geoms and model, see `viewer_protocol.Viewer`.
        """
        super().__init__(config, endpoint, plugins=plugins, **visual)
        self.notices: collections.deque[tuple[str, str]] = collections.deque(
            maxlen=_MAX_NOTICES
        )
        self._on_error = on_error or self._note_error
        self.plugins: registry.GuardedRegistry = registry.GuardedRegistry(
            self.plugins.plugins,
            self._on_error,
            on_notice or (lambda text: self.note("warning", text)),
            own=[p for p in self.plugins.plugins if p is self or _is_own(p)],
            frame=messages.UpdateEvent,
        )
        self.before_turn: list[Callable[[], object]] = []
        self.console = Console()
        self.page = Page()
        self.memory = Memory(link.send)
        self._link = link
        self._flow = Flow()
        self._pace = Pacing(self._flow)
        self._scene = SceneStream(link)
        self._cameras = camera.CameraSync()
        self._followed = follow.Followed(self.perturb, self.camera)
        self._perturber = perturb.Perturber(self.perturb, self.send_to_sim)
        self._gestures = gestures.Gestures(self, self._perturber, self.pick)
        self._panels = Panels(link, self.page.look.theme)
        self._appearance = Appearance(link, self.page, self._panels, self.dispatch)
        self._calls = CallQueue()
        self._loan = FrameLoan()
        self._copies = False
        self._last_traits = 0.0
        self._seen_path: str | None = None
        self._tally = Tally()
        self._said_exit = False
        if self._panels.why_not:
            self.note("warning", self._panels.why_not)
        self.plugins.on_change = self.touch
        self.dispatch(viewer_protocol.ViewerInitEvent(viewer=self))

    @property
    def ui(self) -> Any:  # noqa: ANN401 - its class needs imgui-bundle to be named
        """The `ui.UiContext` that panels are built in; None where it cannot load."""
        return self._panels.context

    @property
    def pictures(self) -> Pictures:
        """Shows the scene from other cameras in panels, see `Pictures.show`."""
        return self._scene.pictures

    def pick(self, x: float, y: float) -> pick.Pick | None:
        """Returns what stands `x`, `y` CSS pixels from the view's top left, if any."""
        look = self.page.look
        return pick.pick(self, x, y, look.width, look.height)

    # -- notices ---------------------------------------------------------------

    def note(self, level: str, text: str) -> None:
        """Shows one line on the view.

        Args:
            level: "info", "warning" or "error".
            text: What to say.
        """
        self.notices.append((level, text))
        self._pace.panels = True
        if self.page.ready:
            self._link.status(level, text)

    def _note_error(self, where: str, error: BaseException) -> None:
        self.note("error", f"{where}: {registry.describe(error)}")

    def report_error(self, where: str, error: BaseException) -> None:
        """Tells that something in the view raised, as of a plugin's handler."""
        self._on_error(where, error)

    def greet(self, new: object) -> None:
        """Gives a plugin that comes late its `ViewerInitEvent`; lets it raise."""
        event = viewer_protocol.ViewerInitEvent(viewer=self)
        plugin_registry.PluginRegistry([new]).dispatch(event)

    def introduce(self, new: object) -> None:
        """Gives a registered plugin that came late the current model."""
        event = messages.PostModelEvent(
            model=self.model, data=self.data, path=self.model_path
        )
        self.plugins.tell(new, event)

    def touch(self) -> None:
        """Has the next turn draw anew, for what plugins show; any thread."""
        self._pace.touch()
        self._link.wake.set()

    @property
    def overlay_geoms(self) -> list[mujoco.MjvGeom]:
        """What overlays draw over the scene, beside `extra_geoms`."""
        offered = self.plugins.offered("overlay_geoms")
        return [geom for geoms in offered for geom in geoms]

    def soon(
        self,
        fn: "Callable[[NotebookViewer], object]",
        future: "futures.Future[Any]",
    ) -> None:
        """Runs `fn(viewer)` in the loop's next turn; any thread may ask."""
        self._calls.put(fn, future)
        self._link.wake.set()

    # -- the loop's turn -------------------------------------------------------

    def prepare_next_frame(self) -> bool:
        """Waits until there is something to do; tells whether to build a frame."""
        for each in self.before_turn:
            each()
        now = time.perf_counter()
        self._link.wake.wait(
            self._pace.wait_sec(
                now, showing=self.page.showing, unsettled=self._panels.unsettled
            )
        )
        self._link.wake.clear()
        self._calls.run(self)
        for head, _ in self._link.take():
            try:
                self._receive(head)
            except (TypeError, ValueError, OverflowError):
                logger.debug("malformed message of the page: %r", head, exc_info=True)
        self._follow_page(self.page.settle())
        now = time.perf_counter()
        self.memory.pump(now)
        self._publish_traits(now)
        self._scene.pump(self.page)
        if self._flow.stalled:
            self._perturber.release(self.model, self.data)
        self._pace.dragging = bool(self._perturber.active)
        ready = self.page.showing and self._pace.may_send(now)
        if ready and not self._pace.scene and not self._pace.asked:
            self._ask_for_frame(now)
        unsettled = self._panels.unsettled
        return ready and self._pace.has_news(now, unsettled=unsettled)

    def _ask_for_frame(self, now: float) -> None:
        """Lends the sim a buffer, to come back when there is something new."""
        if (request := self._loan.request(self.model)) is not None:
            self._pace.asked, self._pace.asked_at = True, now
            self.send_to_sim(request)

    def dispatch(self, message: messages.Message) -> None:
        """Dispatches a message; builds the panels only at their own pace."""
        if isinstance(message, messages.ExitEvent):
            # Both sides say it, as either may end first; plugins hear it once.
            if self._said_exit:
                return
            self._said_exit = True
        if isinstance(message, messages.UpdateEvent):
            # As in Studio, plugins may ask for keys and the mouse then.
            with self._panels.current():
                super().dispatch(message)
            return
        if not isinstance(message, messages.BuildGuiEvent):
            super().dispatch(message)
            return
        now = time.perf_counter()
        if self._pace.panels_due(now, unsettled=self._panels.unsettled):
            dt, self._pace.built_at = now - self._pace.built_at, now
            self._pace.panels = False
            self._panels.build(self.page, dt, self._build_gui)

    def _build_gui(self, guard: Callable[[str], Any]) -> None:
        self.plugins.around = guard
        try:
            pictures = self.pictures.asked(self.model, self.page.look.dpr)
            with pictures:
                super().dispatch(messages.BuildGuiEvent())
        finally:
            self.plugins.around = None

    def sync(self) -> None:
        """Sends a frame; one that fails is told, and the next one stands alone."""
        try:
            self._send_frame()
        except Exception as error:
            self._pace.sent_at = time.perf_counter()
            self._pace.scene = False
            self._flow.restart()
            text = f"this frame could not be drawn: {registry.describe(error)}"
            if ("error", text) not in self.notices:
                logger.exception("a frame failed")
                self.note("error", text)

    def _send_frame(self) -> None:
        start = time.perf_counter()
        full = self._flow.need_full
        self._perturber.apply(self.model, self.data, paused=self._pace.paused)
        state = self._scene.encode(self, self._cameras.update(self.camera), full=full)
        ui = self._panels.encode(full=full)
        self._pace.scene = False
        self._pace.sent_at = start
        if state is None and ui is None:
            return
        streams = {"state": state, "ui": ui}
        sent = {name: packet for name, packet in streams.items() if packet is not None}
        seq, base = self._flow.sent(start)
        head = {
            "type": "frame",
            "gen": self._scene.gen,
            "seq": seq,
            "base": base,
            "streams": list(sent),
        }
        self._link.send(head, list(sent.values()))
        self._tally.add(state, ui, time.perf_counter() - start)

    def figures(self) -> dict[str, float]:
        """Returns totals of the streams since the start.

        Returns:
            `frames` sent; `state_bytes`, `ui_bytes`, `asset_bytes` sent;
            `frame_sec`, viewer-thread seconds spent on them; `round_trip`, median
            seconds from sending a frame to its being drawn; `fps`, `draw_ms` and
            `scale`, as the page measured them last.
        """
        return {
            **self._tally.figures(),
            "asset_bytes": self._scene.asset_bytes,
            "round_trip": self._flow.round_trip,
            **self.page.stats,
        }

    def _publish_traits(self, now: float) -> None:
        if now - self._last_traits >= _TRAIT_SEC:
            self._last_traits = now
            self._link.publish(
                time=self.data.time if math.isfinite(self.data.time) else 0.0,
                paused=self._pace.paused,
                selected_body=int(self.perturb.select),
                _chords=[keys for keys, _ in self.plugins.offered("key_help")],
            )

    # -- what the page says ----------------------------------------------------

    def _receive(self, head: dict[str, Any]) -> None:
        self._follow_page(self.page.receive(head))
        self._flow.heard()
        match head.get("type"):
            case "ready":
                self.memory.meet(head.get("memory"))
                self._flow.restart()
                self._scene.introduce(self._panels.why_not)
                for level, text in list(self.notices)[-1:]:
                    self._link.status(level, text)
            case "resync":
                self._flow.restart()
            case "assets":
                self._scene.want(head)
            case "asset_ack":
                self._scene.acked(head)
            case "ping":
                self._link.send({"type": "pong", "t": head.get("t")})
            case "input" if self.page.controls(head):
                self._receive_input(head)
        if not self.page.showing:
            self._perturber.release(self.model, self.data)

    def _follow_page(self, changed: str) -> None:
        """Tells who controls, and lays the panels out for that view."""
        if (told := self.page.announcement()) is not None:
            self._link.send(told)
            # What was held down in the view before is let go of.
            self._perturber.release(self.model, self.data)
            self._panels.input([{"t": "focus", "d": 0}, {"t": "leave"}])
            self._flow.restart()
        self._pace.panels |= bool(changed or told)
        if changed == "theme":
            self._appearance.follow_theme()

    def set_theme_choice(self, name: str) -> None:
        """Chooses the panels' colours, see `Appearance.choose_theme`."""
        self._appearance.choose_theme(name)
        self._pace.panels = True

    def set_window_mode(self, mode: str) -> None:
        """Fills the cell, the window or the screen, see `Appearance.ask_for_mode`."""
        self._appearance.ask_for_mode(mode)

    def _receive_input(self, head: dict[str, Any]) -> None:
        seq = head.get("ack")
        if isinstance(seq, int):
            self._flow.acked(seq, time.perf_counter())
        if isinstance(head.get("stats"), dict) and "fps" in self.page.stats:
            self._flow.draws(self.page.stats["fps"])
        sent = head.get("camera")
        if isinstance(sent, dict) and self._cameras.adopt(self.camera, sent):
            # Panels show the camera, too.
            self._pace.touch()
        events = head.get("events")
        if not isinstance(events, list) or not events:
            return
        if any(isinstance(e, dict) and e.get("t") == "perturb" for e in events):
            self._scene.update(self)
        for event in events:
            if isinstance(event, dict) and self._gestures.receive(
                event, self._scene.scene
            ):
                self._pace.scene = True
        self._panels.input(events)
        self._pace.panels = True

    # -- what the sim says -----------------------------------------------------

    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_frame(self, snapshot: FrameSnapshot) -> None:
        self._pace.asked = False
        self._copies = True
        if (data := self._loan.take(snapshot, self.data)) is not None:
            self.data = data
            self._pace.scene = True

    # The base recomputes each state with mj_forward. A sim thread of ours sends
    # copies instead; only one that does not is shown that way.
    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_state(self, event: messages.StateSnapshot) -> None:
        if not self._copies:
            super()._on_state(event)
            self._pace.scene = True

    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_step_control(self, event: messages.StepControlSnapshot) -> None:
        self._pace.paused = event.pause_state != PauseState.UNPAUSED
        self._pace.touch()
        speed = event.speed if math.isfinite(event.speed) else 0.0
        self._link.publish(paused=self._pace.paused, speed=speed)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_pause(self, event: messages.RequestPauseEvent) -> None:
        self._pace.paused = event.pause_state != PauseState.UNPAUSED
        self._pace.touch()

    @messages.handler(priority=messages.Priority.CRITICAL)
    def _before_model(self, event: messages.ModelEvent) -> None:
        self._followed.remember(self.model)
        self._loan.show(event.model)
        self._pace.asked = False

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_model(self, event: messages.PostModelEvent) -> None:
        self._perturber.release(self.model, self.data)
        self._followed.find(event.model)
        if event.path != self._seen_path:
            self._seen_path = event.path
            self.perturb.select = 0
            camera.align(event.model, self.camera)
        self._scene.load(event.model, self.page, self._panels.why_not)
        self._flow.restart()
        self._pace.touch()

    # -- the rest of Studio's interface ----------------------------------------

    @property
    def paused(self) -> bool:
        """Whether the simulation stands still, as the sim said last."""
        return self._pace.paused

    def get_drop_file(self) -> str:
        """Returns "": files cannot be dropped on the view yet."""
        return ""

    def upload_image(
        self,
        tex_id: int,
        img: "str | bytes | npt.NDArray[np.uint8] | None",
        width: int,
        height: int,
        bpp: int,
    ) -> int:
        """Makes, changes or frees an image for panels, see `ui.Images.upload`.

        Returns:
            The ID for `imgui.image(imgui.ImTextureRef(...), ...)`; 0 when freed.
        """
        tex_id = self._panels.images.upload(tex_id, img, width, height, bpp)
        self._pace.panels |= self._panels.images.changed
        self._panels.images.changed = False
        return tex_id

    def close(self) -> None:
        """Tells the page and the sim that it is over, and frees the panels."""
        self.memory.close()
        if self.page.ready:
            reason = self.exit_reason or "The simulation was closed."
            self._link.send({"type": "closed", "text": reason})
            self.page.leave()
        self._panels.close()
        super().close()


def _is_own(registered: object) -> bool:
    """Tells whether a plugin is the app, which every view has."""
    return type(registered).__module__.startswith("studio_nb.app")
