"""`/model` and `/state` of one viewer: the scene, its frames, and its assets.

Viewer thread only. Owns the `MjvScene` that is drawn, and sends assets in
chunks between frames, as the page asks for them.
"""

import dataclasses
from typing import Any

import mujoco
from mujoco.studio import viewer_protocol

from studio_nb.link import Link
from studio_nb.page import Page
from studio_nb.scene import assets, camera, describe, frames, memory, pictures
from studio_nb.wire import packets

_CHUNK_BYTES = 256 << 10
_CHUNKS_IN_FLIGHT = 4

# Room for what is drawn beside the model's geoms: contacts, frames, tendons.
_SPARE_GEOMS = 1000
_MAX_GEOMS = 1 << 17


@dataclasses.dataclass
class _Transfer:
    """One asset on its way to the page."""

    data: bytes
    sent: int = 0
    received: int = 0


class SceneStream:
    """What the page draws of one model at a time.

    Attributes:
        gen: Counts the models; 0 before the first.
        scene: The `MjvScene` of the last `update`.
        pictures: What panels show of the scene from other cameras.
        asset_bytes: Bytes of assets sent so far.
    """

    def __init__(self, link: Link) -> None:
        """Starts without a model."""
        self._link = link
        self.gen = 0
        self.asset_bytes = 0
        self.pictures = pictures.Pictures()
        self._model: mujoco.MjModel | None = None
        self._store = assets.AssetStore()
        self._description: dict[str, Any] = {}
        self._wanted: list[str] = []
        self._transfers: dict[str, _Transfer] = {}
        self._allocate(mujoco.MjModel.from_xml_string("<mujoco/>"), 1)

    def _allocate(self, model: mujoco.MjModel, maxgeom: int) -> None:
        self.scene = mujoco.MjvScene(model, maxgeom=maxgeom)
        self._view = memory.SceneView(self.scene)

    def load(self, model: mujoco.MjModel, page: Page, panels: str) -> None:
        """Takes another model and introduces it to a page that is ready.

        Args:
            model: The viewer's own copy.
            page: Who to tell.
            panels: Why there are no panels, or "".
        """
        self.gen += 1
        self._model = model
        self.pictures.clear()
        self._store = assets.AssetStore()
        self._description = describe.describe(model, self._store)
        self._encoder = frames.FrameEncoder(model.stat.extent)
        listed = model.ngeom + model.nsite + model.ntendon + model.nbody
        self._allocate(model, 2 * listed + _SPARE_GEOMS)
        if page.ready:
            self.introduce(panels)

    def introduce(self, panels: str) -> None:
        """Tells a page which model is shown."""
        self._wanted, self._transfers = [], {}
        if self._model is not None:
            head = {
                "type": "model",
                "version": packets.VERSION,
                "gen": self.gen,
                "scene": self._description,
                "panels": panels,
            }
            self._link.send(head)

    # -- assets ----------------------------------------------------------------

    def want(self, head: dict[str, Any]) -> None:
        """Takes in an `assets` message: what the page does not have."""
        need = head.get("need")
        if head.get("gen") == self.gen and isinstance(need, list):
            self._wanted = [
                key for key in need if isinstance(key, str) and key in self._store
            ]
            self._transfers = {}

    def acked(self, head: dict[str, Any]) -> None:
        """Takes in an `asset_ack` message."""
        key, received = head.get("hash"), head.get("received")
        if not isinstance(key, str) or not isinstance(received, int):
            return
        if (transfer := self._transfers.get(key)) is None:
            return
        transfer.received = max(transfer.received, min(received, transfer.sent))
        if transfer.received >= len(transfer.data):
            del self._transfers[key]

    def pump(self, page: Page) -> None:
        """Sends the next chunks, as many as may be unacknowledged."""
        if not page.ready:
            return
        while self._transfers or self._wanted:
            waiting = sum(
                -(-(t.sent - t.received) // _CHUNK_BYTES)
                for t in self._transfers.values()
            )
            if waiting >= _CHUNKS_IN_FLIGHT:
                return
            unfinished = [
                (key, t) for key, t in self._transfers.items() if t.sent < len(t.data)
            ]
            if unfinished:
                self._send_chunk(*unfinished[0])
            elif self._wanted:
                key = self._wanted.pop(0)
                self._transfers[key] = _Transfer(self._store.bytes(key))
            else:
                return

    def _send_chunk(self, key: str, transfer: _Transfer) -> None:
        chunk = transfer.data[transfer.sent : transfer.sent + _CHUNK_BYTES]
        head = {
            "type": "asset",
            "hash": key,
            "offset": transfer.sent,
            "total": len(transfer.data),
        }
        transfer.sent += len(chunk)
        self.asset_bytes += len(chunk)
        self._link.send(head, [chunk])

    # -- frames ----------------------------------------------------------------

    def update(self, viewer: viewer_protocol.Viewer) -> None:
        """Lists what is drawn, from the viewer's model, data, camera and options."""
        camera.make_valid(viewer.model, viewer.camera)
        if not 0 <= viewer.perturb.select < viewer.model.nbody:
            viewer.perturb.select = viewer.perturb.active = 0
        if viewer.perturb.flexselect >= viewer.model.nflex:
            viewer.perturb.flexselect = -1
        if viewer.perturb.skinselect >= viewer.model.nskin:
            viewer.perturb.skinselect = -1
        while True:
            scene = self.scene
            mujoco.mjv_updateScene(
                viewer.model, viewer.data, viewer.vis_options, viewer.perturb,
                viewer.camera, mujoco.mjtCatBit.mjCAT_ALL, scene,
            )  # fmt: skip
            if not scene.status or scene.maxgeom >= _MAX_GEOMS:
                break
            self._allocate(viewer.model, 2 * scene.maxgeom)
        scene.flags[:] = viewer.render_flags.flags
        room = scene.maxgeom - scene.ngeom
        extra = [*viewer.extra_geoms, *getattr(viewer, "overlay_geoms", ())]
        if extra and room:
            self._view.append(extra[:room])

    def encode(
        self, viewer: viewer_protocol.Viewer, generation: int, *, full: bool
    ) -> bytes | None:
        """Returns the `/state` packet, or None when only the time has passed.

        Args:
            viewer: What to draw.
            generation: Of the viewer's camera.
            full: Whether the page has nothing to build on.
        """
        if self._model is None:
            return None
        self.update(viewer)
        fixed = viewer.camera.type == mujoco.mjtCamera.mjCAMERA_FIXED
        info = frames.FrameInfo(
            time=viewer.data.time,
            paused=getattr(viewer, "paused", False),
            selected=int(viewer.perturb.select),
            camera=viewer.camera,
            generation=generation,
            fixed=camera.middle(self.scene) if fixed else None,
            pictures=self.pictures.rows(viewer.model, viewer.data),
            visual=describe.visual(viewer.model),
        )
        return self._encoder.encode(self._view, info, full=full)
