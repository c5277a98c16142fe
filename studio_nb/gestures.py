"""What a person does on the scene itself: selecting, dragging, and the plain buttons.

`NotebookViewer` hands in the page's events, on the viewer thread.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from mujoco.studio import messages
from mujoco.studio.sim import PauseState

from studio_nb.scene import perturb
from studio_nb.scene.pick import Pick

if TYPE_CHECKING:
    from mujoco.studio import viewer_protocol

logger = logging.getLogger(__name__)

_RIGHT_BUTTON = 1
_CTRL = 1


class Gestures:
    """Turns the page's events into selections, forces, camera moves and messages."""

    def __init__(
        self,
        viewer: "viewer_protocol.Viewer",
        perturber: perturb.Perturber,
        pick: Callable[[float, float], Pick | None],
    ) -> None:
        """Binds them.

        Args:
            viewer: Whose model, data and camera they are.
            perturber: Drags its bodies.
            pick: Finds what it shows at a place, CSS pixels from its top left.
        """
        self._viewer = viewer
        self._perturber = perturber
        self._pick_at = pick

    def receive(self, event: dict[str, Any], scene: mujoco.MjvScene) -> bool:
        """Takes in one event of the page.

        Args:
            event: As docs/wire.md has it; what is malformed is passed over.
            scene: What is drawn now.

        Returns:
            Whether it was one of these.
        """
        try:
            return self._take(event, scene)
        except (TypeError, ValueError, OverflowError):
            logger.debug("malformed event of the page: %r", event, exc_info=True)
            return True

    def _take(self, event: dict[str, Any], scene: mujoco.MjvScene) -> bool:
        viewer = self._viewer
        match event.get("t"):
            case "pick":
                self._pick(event)
            case "perturb":
                self._perturber.drag(viewer.model, viewer.data, scene, event)
            case "command":
                self._command(event.get("name"))
            case _:
                return False
        return True

    def _pick(self, event: dict[str, Any]) -> None:
        """Left selects; right looks at the point; with Ctrl, right tracks the body."""
        viewer = self._viewer
        hit = self._soft_hit(event) or self._geom_hit(event)
        if event.get("b") != _RIGHT_BUTTON:
            self._perturber.select(viewer.model, viewer.data, hit)
        elif hit is not None and hit.body and event.get("m", 0) & _CTRL:
            viewer.camera.type = mujoco.mjtCamera.mjCAMERA_TRACKING
            viewer.camera.trackbodyid = hit.body
        elif hit is not None:
            viewer.camera.lookat[:] = hit.point

    def _geom_hit(self, event: dict[str, Any]) -> Pick | None:
        """Returns what the page says that the pointer hit, None for nothing."""
        point, objid = event.get("point"), event.get("objid")
        if not perturb.is_point(point) or not perturb.is_number(objid) or objid < 0:
            return None
        body = perturb.body_of(self._viewer.model, event.get("objtype"), objid)
        return Pick(body, -1, -1, -1, np.array(point, np.float64))

    def _soft_hit(self, event: dict[str, Any]) -> Pick | None:
        """Returns the flex or skin at the pointer, None where another is nearer.

        The page knows where each geom is, but not the triangles of these.
        """
        model, x, y = self._viewer.model, event.get("x"), event.get("y")
        if not (model.nflex or model.nskin):
            return None
        if not (perturb.is_number(x) and perturb.is_number(y)):
            return None
        hit = self._pick_at(x, y)
        return hit if hit is not None and max(hit.flex, hit.skin) >= 0 else None

    def _command(self, name: object) -> None:
        """Answers the plain buttons that stand in for panels."""
        send = self._viewer.send_to_sim
        if name in {"run", "pause"}:
            state = PauseState.NORMAL_PAUSED if name == "pause" else PauseState.UNPAUSED
            send(messages.RequestPauseEvent(pause_state=state))
        elif name == "step":
            send(messages.SingleStepEvent())
        elif name == "reset":
            send(messages.ResetEvent())
