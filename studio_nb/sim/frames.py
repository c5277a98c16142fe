"""Frames for the viewer: the simulation's data, copied when the viewer asks.

Studio's viewers get a state vector and run `mj_forward` on it, which costs as
much as a physics step. Here the viewer sends a buffer, the sim thread copies its
`MjData` into it between two steps, and the buffer goes back: it carries the
contacts and forces that the simulation really had.
"""

import dataclasses
from collections.abc import Callable

import mujoco
from mujoco.studio import messages, plugin


@dataclasses.dataclass(frozen=True, eq=False)
class FrameRequest(messages.Event):
    """Asks for the simulation's data, as soon as it differs from the last copy.

    Attributes:
        model: The sim's model that the viewer shows; a request for another one
            is dropped, since the viewer is about to hear of the new model.
        buffer: The data to copy into; it belongs to the sim until it comes back.
        now: Whether to answer even when nothing has changed.
    """

    model: mujoco.MjModel
    buffer: mujoco.MjData
    now: bool = False


@dataclasses.dataclass(frozen=True, eq=False)
class FrameSnapshot(messages.Snapshot):
    """A copy of the simulation's data.

    Attributes:
        model: The sim's model it belongs to.
        data: The request's buffer, filled.
    """

    model: mujoco.MjModel
    data: mujoco.MjData


class FrameLoan:
    """The viewer's side: the buffer that goes to the sim and comes back filled.

    Attributes:
        model: The sim's model that is shown; None before the first.
    """

    def __init__(self) -> None:
        """Starts without a model."""
        self.model: mujoco.MjModel | None = None
        self._spare: mujoco.MjData | None = None

    def show(self, model: mujoco.MjModel) -> None:
        """Takes another of the sim's models; buffers of the last one are no good."""
        self.model, self._spare = model, None

    def request(self, model: mujoco.MjModel) -> FrameRequest | None:
        """Returns a request with a buffer, made if there is none.

        Args:
            model: The viewer's own copy.
        """
        if self.model is None:
            return None
        buffer, self._spare = self._spare or mujoco.MjData(model), None
        return FrameRequest(self.model, buffer)

    def take(
        self, snapshot: FrameSnapshot, shown: mujoco.MjData
    ) -> mujoco.MjData | None:
        """Returns the data to show from now on; None if it is of an older model.

        Args:
            snapshot: What came back.
            shown: What was shown until now: the next buffer.
        """
        if snapshot.model is not self.model:
            return None
        self._spare = shown
        return snapshot.data


_LIFECYCLE = (messages.PreStepEvent, messages.StepEvent, messages.PostStepEvent)


class FrameSource(plugin.SimPlugin):
    """Answers `FrameRequest` between steps."""

    def __init__(self, paused: Callable[[], bool] = lambda: False) -> None:
        """Starts with nothing asked for.

        Args:
            paused: Tells whether the simulation stands still.
        """
        self._paused = paused
        self._request: FrameRequest | None = None
        self._dirty = True
        self._time = -1.0

    # Above every other handler, since one of them may consume the message.
    @messages.handler(priority=messages.Priority.CRITICAL + 2)
    def _on_any(self, message: messages.Message) -> None:
        # Whatever is dispatched between steps may change the data.
        if not isinstance(message, (*_LIFECYCLE, FrameRequest)):
            self._dirty = True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_request(self, event: FrameRequest) -> bool:
        self._request = event
        self._dirty |= event.now
        return True

    # After the handlers that observe the step, the person's among them.
    @messages.handler(priority=messages.Priority.INTERNAL - 1)
    def _on_post_step(self, event: messages.PostStepEvent) -> None:
        request = self._request
        if request is None:
            return
        if request.model is not event.model:
            self._request = None
            return
        changed = self._dirty or event.data.time != self._time
        if not changed and not getattr(self.handle, "has_step_handlers", False):
            return
        mujoco.mj_copyData(request.buffer, event.model, event.data)
        # A step leaves poses as they were at its start, and whoever writes qpos
        # leaves them as they are. What stands still is shown as it is, and only
        # the copy is computed anew.
        if self._paused() or event.data.time == self._time:
            mujoco.mj_forward(event.model, request.buffer)
        self._request, self._dirty, self._time = None, False, event.data.time
        self.handle.send_to_viewer(FrameSnapshot(event.model, request.buffer))
