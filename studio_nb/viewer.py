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
from mujoco.studio import endpoints, messages, viewer_protocol
from mujoco.studio.sim import PauseState

from studio_nb import registry
from studio_nb.flow import Flow
from studio_nb.link import Link
from studio_nb.page import Page
from studio_nb.panels import Panels, StudioImguiSink
from studio_nb.scene import camera, follow, perturb
from studio_nb.scene.stream import SceneStream
from studio_nb.sim.frames import FrameRequest, FrameSnapshot

if TYPE_CHECKING:
    from concurrent import futures

logger = logging.getLogger(__name__)

# How long panels wait for the frame that was asked for, to travel with it.
_PATIENCE_SEC = 0.02
# How often values in panels move while the simulation runs.
_PANEL_SEC = 1 / 15
# How often the loop turns with nothing to do, to notice a closed session.
_IDLE_SEC = 0.5
# How often the traits that mirror the simulation are brought up to date.
_TRAIT_SEC = 0.5

_MAX_NOTICES = 50


class NotebookViewer(viewer_protocol.Viewer):
    """Draws a session into the page at the other end of a `Link`.

    Attributes:
        notices: What went wrong lately, newest last: (level, text), level one of
            "info", "warning", "error".
        page: What the page said of itself.
    """

    def __init__(
        self,
        config: viewer_protocol.ViewerConfig,
        endpoint: endpoints.ViewerEndpoint,
        link: Link,
        *,
        plugins: list[Any] | None = None,
        on_error: registry.ErrorHook | None = None,
        **visual: Any,  # noqa: ANN401 - passed through as they are
    ) -> None:
        """Starts with an empty scene; nothing is sent before the page is ready.

        Args:
            config: Studio's configuration; `title` names the view.
            endpoint: The viewer's end of the channels.
            link: The page's mailbox.
            plugins: Viewer plugins.
            on_error: Called with "Plugin.handler" and what it raised.
            **visual: Initial camera, vis_options, perturb, render_flags,
                extra_geoms and model, see `viewer_protocol.Viewer`.
        """
        super().__init__(config, endpoint, plugins=plugins, **visual)
        self.notices: collections.deque[tuple[str, str]] = collections.deque(
            maxlen=_MAX_NOTICES
        )
        self._on_error = on_error or self.note_error
        self.plugins: registry.GuardedRegistry = registry.GuardedRegistry(
            self.plugins.plugins, self._on_error
        )
        self.page = Page()
        self._link = link
        self._flow = Flow()
        self._scene = SceneStream(link)
        self._cameras = camera.CameraSync()
        self._followed = follow.Followed(self.perturb, self.camera)
        self._perturber = perturb.Perturber(self.perturb, self.send_to_sim)
        self._sink = StudioImguiSink()
        self._panels = Panels(link, self.page.look.theme)
        self._calls: collections.deque[
            tuple[Callable[[NotebookViewer], object], futures.Future[Any]]
        ] = collections.deque()
        self._paused = False
        self._sim_model: mujoco.MjModel | None = None
        self._spare: mujoco.MjData | None = None
        self._asked = False
        self._scene_dirty = self._panels_dirty = True
        self._asked_at = 0.0
        self._copies = False
        self._last_frame = self._last_panels = self._last_traits = 0.0
        self._seen_path: str | None = None
        self._frames = self._state_bytes = self._ui_bytes = 0
        self._frame_cost = 0.0
        if self._panels.why_not:
            self.note("warning", self._panels.why_not)
        self.dispatch(viewer_protocol.ViewerInitEvent(viewer=self))

    @property
    def ui(self) -> Any:  # noqa: ANN401 - its class needs imgui-bundle to be named
        """The `ui.UiContext` that panels are built in; None where it cannot load."""
        return self._panels.context

    # -- notices ---------------------------------------------------------------

    def note(self, level: str, text: str) -> None:
        """Shows one line on the view.

        Args:
            level: "info", "warning" or "error".
            text: What to say.
        """
        self.notices.append((level, text))
        self._panels_dirty = True
        if self.page.ready:
            self._tell(level, text)

    def _tell(self, level: str, text: str) -> None:
        self._link.send({"type": "status", "level": level, "text": text})

    def note_error(self, where: str, error: BaseException) -> None:
        """Shows that a handler raised."""
        self.note("error", f"{where}: {registry.describe(error)}")

    def add(self, new: object) -> None:
        """Adds a plugin while running; it gets the events of a start, in order."""
        self.plugins.add(new)
        alone = registry.GuardedRegistry([new], self._on_error)
        alone.dispatch(viewer_protocol.ViewerInitEvent(viewer=self))
        alone.dispatch(
            messages.PostModelEvent(
                model=self.model, data=self.data, path=self.model_path
            )
        )
        self._panels_dirty = True

    def soon(
        self,
        fn: "Callable[[NotebookViewer], object]",
        future: "futures.Future[Any]",
    ) -> None:
        """Runs `fn(viewer)` in the loop's next turn; any thread may ask."""
        self._calls.append((fn, future))
        self._link.wake.set()

    def _run_calls(self) -> None:
        while self._calls:
            fn, future = self._calls.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(fn(self))
            except BaseException as error:  # noqa: BLE001 - it belongs to who asked
                future.set_exception(error)

    # -- the loop's turn -------------------------------------------------------

    def prepare_next_frame(self) -> bool:
        """Waits until there is something to do; tells whether to build a frame."""
        self._link.wake.wait(self._wait_sec())
        self._link.wake.clear()
        self._run_calls()
        for head, _ in self._link.take():
            try:
                self._receive(head)
            except (TypeError, ValueError, OverflowError):
                logger.debug("malformed message of the page: %r", head, exc_info=True)
        now = time.perf_counter()
        self._publish_traits(now)
        self._scene.pump(self.page)
        if self._flow.stalled:
            self._perturber.release(self.model, self.data)
        ready = self._may_send(now)
        if ready and not self._scene_dirty:
            self._ask_for_frame(now)
        return ready and self._has_news(now)

    def _may_send(self, now: float) -> bool:
        return (
            self.page.showing
            and now - self._last_frame >= 1 / self._flow.fps
            and self._flow.can_send(now)
        )

    def _has_news(self, now: float) -> bool:
        if self._scene_dirty or self._perturber.active or self._flow.need_full:
            return True
        # While the simulation runs panels ride along with its frames.
        alone = self._paused or now - self._asked_at >= _PATIENCE_SEC
        return alone and self._panels_due(now)

    def _panels_due(self, now: float) -> bool:
        if self._panels.context is None:
            return False
        if self._panels.unsettled:
            return True
        moving = self._panels_dirty or not self._paused
        return moving and now - self._last_panels >= _PANEL_SEC

    def _wait_sec(self) -> float:
        """How long the loop may sleep when nothing wakes it."""
        now = time.perf_counter()
        if not self.page.showing or not self._flow.can_send(now):
            # An ack, or the page's return, wakes the loop.
            return _IDLE_SEC
        slot = max(0.0, self._last_frame + 1 / self._flow.fps - now)
        urgent = self._scene_dirty or self._perturber.active or self._flow.need_full
        if urgent or (slot and not self._asked):
            return slot
        if self._panels.unsettled:
            return slot if self._paused else max(slot, _PATIENCE_SEC)
        if self._panels.context and (self._panels_dirty or not self._paused):
            return max(slot, _PATIENCE_SEC, self._last_panels + _PANEL_SEC - now)
        return _IDLE_SEC

    def _ask_for_frame(self, now: float) -> None:
        """Lends the sim a buffer, to come back when there is something new."""
        if self._asked or self._sim_model is None:
            return
        buffer, self._spare = self._spare, None
        if buffer is None:
            buffer = mujoco.MjData(self.model)
        self._asked, self._asked_at = True, now
        self.send_to_sim(FrameRequest(self._sim_model, buffer))

    def dispatch(self, message: messages.Message) -> None:
        """Dispatches a message; builds the panels only at their own pace."""
        if not isinstance(message, messages.BuildGuiEvent):
            super().dispatch(message)
            return
        now = time.perf_counter()
        if self._flow.need_full or self._panels_due(now):
            dt, self._last_panels = now - self._last_panels, now
            self._panels_dirty = False
            self._panels.build(self.page, dt, self._build_gui)

    def _build_gui(self, guard: Callable[[str], Any]) -> None:
        self.plugins.around = guard
        try:
            with self._sink.frame(self.note):
                super().dispatch(messages.BuildGuiEvent())
        finally:
            self.plugins.around = None

    def sync(self) -> None:
        """Sends a frame; one that fails is told, and the next one stands alone."""
        try:
            self._send_frame()
        except Exception as error:
            self._last_frame = time.perf_counter()
            self._scene_dirty = False
            self._flow.restart()
            text = f"this frame could not be drawn: {registry.describe(error)}"
            if ("error", text) not in self.notices:
                logger.exception("a frame failed")
                self.note("error", text)

    def _send_frame(self) -> None:
        start = time.perf_counter()
        full = self._flow.need_full
        self._perturber.apply(self.model, self.data, paused=self._paused)
        state = self._scene.encode(self, self._cameras.update(self.camera), full=full)
        ui = self._panels.encode(full=full)
        self._scene_dirty = False
        self._last_frame = start
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
        self._frames += 1
        self._state_bytes += len(state or b"")
        self._ui_bytes += len(ui or b"")
        self._frame_cost += time.perf_counter() - start

    def figures(self) -> dict[str, float]:
        """Returns totals of the streams since the start.

        Returns:
            `frames` sent; `state_bytes`, `ui_bytes`, `asset_bytes` sent;
            `frame_sec`, viewer-thread seconds spent on them; `round_trip`, median
            seconds from sending a frame to its being drawn; `fps`, `draw_ms` and
            `scale`, as the page measured them last.
        """
        return {
            "frames": self._frames,
            "state_bytes": self._state_bytes,
            "ui_bytes": self._ui_bytes,
            "asset_bytes": self._scene.asset_bytes,
            "frame_sec": self._frame_cost,
            "round_trip": self._flow.round_trip,
            **self.page.stats,
        }

    def _publish_traits(self, now: float) -> None:
        if now - self._last_traits >= _TRAIT_SEC:
            self._last_traits = now
            self._link.publish(
                time=self.data.time,
                paused=self._paused,
                selected_body=int(self.perturb.select),
            )

    # -- what the page says ----------------------------------------------------

    def _receive(self, head: dict[str, Any]) -> None:
        changed = self.page.receive(head)
        self._flow.heard()
        match head.get("type"):
            case "ready":
                self._flow.restart()
                self._scene.introduce(self._panels.why_not)
                for level, text in list(self.notices)[-1:]:
                    self._tell(level, text)
            case "resync":
                self._flow.restart()
            case "assets":
                self._scene.want(head)
            case "asset_ack":
                self._scene.acked(head)
            case "ping":
                self._link.send({"type": "pong", "t": head.get("t")})
            case "input":
                self._receive_input(head)
        if not self.page.showing:
            self._perturber.release(self.model, self.data)
        self._panels_dirty |= bool(changed)
        if changed == "theme":
            self._follow_theme()

    def _follow_theme(self) -> None:
        self._panels.set_theme(self.page.look.theme)
        theme = viewer_protocol.ux.GuiTheme
        chosen = theme.LIGHT if self.page.look.theme == "light" else theme.DARK
        self.dispatch(viewer_protocol.ThemeEvent(theme=chosen))

    def _receive_input(self, head: dict[str, Any]) -> None:
        seq = head.get("ack")
        if isinstance(seq, int):
            self._flow.acked(seq, time.perf_counter())
        if isinstance(head.get("stats"), dict) and "fps" in self.page.stats:
            self._flow.draws(self.page.stats["fps"])
        sent = head.get("camera")
        if isinstance(sent, dict) and self._cameras.adopt(self.camera, sent):
            self._scene_dirty = True
        events = head.get("events")
        if not isinstance(events, list) or not events:
            return
        for event in events:
            if isinstance(event, dict):
                self._receive_event(event)
        self._panels.input(events)
        self._panels_dirty = True

    def _receive_event(self, event: dict[str, Any]) -> None:
        kind = event.get("t")
        if kind == "pick":
            self._pick(event)
        elif kind == "perturb":
            self._scene.update(self)
            self._perturber.drag(self.model, self.data, self._scene.scene, event)
        elif kind == "command":
            self._command(event.get("name"))
        else:
            return
        self._scene_dirty = True

    def _pick(self, event: dict[str, Any]) -> None:
        """Left selects; right looks at the point; with Ctrl, right tracks the body."""
        if event.get("b") != 1:
            self._perturber.select(self.model, self.data, event)
            return
        body = perturb.body_of(self.model, event.get("objtype"), event.get("objid"))
        if body and event.get("m", 0) & 1:
            self.camera.type = mujoco.mjtCamera.mjCAMERA_TRACKING
            self.camera.trackbodyid = body
        elif perturb.is_point(point := event.get("point")):
            self.camera.lookat[:] = point

    def _command(self, name: object) -> None:
        """Answers the plain buttons that stand in for panels."""
        if name in {"run", "pause"}:
            state = PauseState.NORMAL_PAUSED if name == "pause" else PauseState.UNPAUSED
            self.send_to_sim(messages.RequestPauseEvent(pause_state=state))
        elif name == "step":
            self.send_to_sim(messages.SingleStepEvent())
        elif name == "reset":
            self.send_to_sim(messages.ResetEvent())

    # -- what the sim says -----------------------------------------------------

    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_frame(self, snapshot: FrameSnapshot) -> None:
        self._asked = False
        self._copies = True
        if snapshot.model is not self._sim_model:
            return
        self._spare, self.data = self.data, snapshot.data
        self._scene_dirty = True

    # The base recomputes each state with mj_forward. A sim thread of ours sends
    # copies instead; only one that does not is shown that way.
    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_state(self, event: messages.StateSnapshot) -> None:
        if not self._copies:
            super()._on_state(event)
            self._scene_dirty = True

    @messages.handler(priority=messages.Priority.CRITICAL)
    def _on_step_control(self, event: messages.StepControlSnapshot) -> None:
        self._paused = event.pause_state != PauseState.UNPAUSED
        self._panels_dirty = self._scene_dirty = True
        speed = event.speed if math.isfinite(event.speed) else 0.0
        self._link.publish(paused=self._paused, speed=speed)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_pause(self, event: messages.RequestPauseEvent) -> None:
        self._paused = event.pause_state != PauseState.UNPAUSED
        self._panels_dirty = self._scene_dirty = True

    @messages.handler(priority=messages.Priority.CRITICAL)
    def _before_model(self, event: messages.ModelEvent) -> None:
        self._followed.remember(self.model)
        self._sim_model = event.model
        self._spare, self._asked = None, False

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_model(self, event: messages.PostModelEvent) -> None:
        self._perturber.release(self.model, self.data)
        self._followed.find(event.model)
        if event.path != self._seen_path:
            self._seen_path = event.path
            self.perturb.select = 0
            mujoco.mjv_defaultFreeCamera(event.model, self.camera)
        self._scene.load(event.model, self.page, self._panels.why_not)
        self._flow.restart()
        self._scene_dirty = self._panels_dirty = True

    # -- the rest of Studio's interface ----------------------------------------

    @property
    def paused(self) -> bool:
        """Whether the simulation stands still, as the sim said last."""
        return self._paused

    def get_drop_file(self) -> str:
        """Returns "": files cannot be dropped on the view yet."""
        return ""

    def upload_image(
        self, tex_id: int, img: str | bytes, width: int, height: int, bpp: int
    ) -> int:
        """Does nothing yet and returns 0, which draws as no image."""
        del tex_id, img, width, height, bpp
        return 0

    def close(self) -> None:
        """Tells the page and the sim that it is over, and frees the panels."""
        if self.page.ready:
            reason = self.exit_reason or "The simulation was closed."
            self._link.send({"type": "closed", "text": reason})
            self.page.leave()
        self._panels.close()
        super().close()
