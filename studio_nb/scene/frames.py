"""`/state` frames: what changed in an `MjvScene` since the last frame sent.

One `FrameEncoder` a client stream, on the viewer thread. It remembers the
table that the page has (docs/wire.md, "/state") and packs only the rows that
differ from it.
"""

import dataclasses
import struct
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from studio_nb.scene import camera, memory
from studio_nb.wire import packets, poses, rows
from studio_nb.wire.packets import Block, Tag

PAUSED = 1

_FRAME = struct.Struct("<dIIIIiI")
_CAMERA = struct.Struct("<I4i6f")

_LOOK: np.dtype[Any] = np.dtype(
    [
        *[
            (name, "<i4")
            for name in (
                "type", "dataid", "objtype", "objid", "category", "matid",
                "texid", "texuniform", "texcoord", "segid",
            )
        ],
        *[
            (name, "<f4")
            for name in ("emission", "specular", "shininess", "reflectance")
        ],
        ("texrepeat", "<f4", (2,)),
        ("castshadow", "u1"),
        ("transparent", "u1"),
        ("pad", "<u2"),
    ]
)  # fmt: skip

_LIGHT: np.dtype[Any] = np.dtype(
    [
        ("id", "<i4"), ("type", "<i4"), ("texid", "<i4"), ("bits", "<u4"),
        ("pos", "<f4", (3,)), ("dir", "<f4", (3,)), ("attenuation", "<f4", (3,)),
        ("cutoff", "<f4"), ("exponent", "<f4"), ("ambient", "<f4", (3,)),
        ("diffuse", "<f4", (3,)), ("specular", "<f4", (3,)),
        ("bulbradius", "<f4"), ("intensity", "<f4"), ("range", "<f4"),
        ("softness", "<f4"),
    ]
)  # fmt: skip

# Beyond this many times the scene's extent a position is sent as float32, so
# that one body flying off does not coarsen the unit of all the others.
_FAR_EXTENTS = 64


@dataclasses.dataclass(frozen=True, slots=True)
class FrameInfo:
    """What a frame says beside the scene.

    Attributes:
        time: Simulation time, seconds.
        paused: Whether the simulation is paused.
        selected: Selected body, 0 for none.
        camera: The viewer's camera.
        generation: Counts the kernel's own changes of the camera.
        fixed: The eye while a fixed camera is shown, else None.
        pictures: Rows of the PICTURE block.
        visual: The VISUAL block, see `describe.visual`; empty: none.
    """

    time: float
    paused: bool
    selected: int
    camera: mujoco.MjvCamera
    generation: int
    fixed: mujoco.MjvGLCamera | None = None
    pictures: tuple[bytes, ...] = ()
    visual: bytes = b""


class FrameEncoder:
    """Packs frames of one model's scenes, each relative to the one before."""

    def __init__(self, extent: float) -> None:
        """Starts with an empty table.

        Args:
            extent: `mjStatistic.extent` of the model, metres.
        """
        self._far = _FAR_EXTENTS * max(extent, 1e-6)
        self._forget()

    def _forget(self) -> None:
        """Makes the next frame a full one."""
        self._geoms = np.zeros(0, memory.GEOM)
        self._steps = np.zeros((0, 3), np.int32)
        self._codes = np.zeros(0, np.uint64)
        self._unit = 0.0
        self._lights = np.zeros(0, _LIGHT)
        self._camera = self._glcamera = b""
        self._pictures: tuple[bytes, ...] = ()
        self._visual = b""
        self._head: tuple[float | int, ...] = ()

    def encode(
        self, view: memory.SceneView, info: FrameInfo, *, full: bool
    ) -> bytes | None:
        """Returns the packet for the scene as it stands.

        Args:
            view: The scene, after `mjv_updateScene`.
            info: What the frame says beside it.
            full: Whether the reader has nothing to build on.

        Returns:
            A packet, or None when nothing but the time differs from the last.
        """
        if full:
            self._forget()
        geoms = view.geoms
        lights = _pack_lights(view.lights)
        flags = int(np.packbits(view.scene.flags, bitorder="little").view("<u2")[0])
        head = (
            len(geoms), len(lights), flags,
            PAUSED if info.paused else 0, info.selected, 0,
        )  # fmt: skip
        blocks = [
            *self._geom_blocks(geoms),
            *self._light_blocks(lights),
            *self._camera_blocks(info),
            *self._picture_blocks(info.pictures),
            *self._visual_blocks(info.visual),
        ]
        if not blocks and head == self._head:
            return None
        self._head = head
        frame = Block(Tag.FRAME, _FRAME.pack(info.time, *head))
        if full:
            blocks = [packets.deflated(block) for block in blocks]
        return packets.write_packet([frame, *blocks])

    def _geom_blocks(self, geoms: npt.NDArray[np.void]) -> list[Block]:
        last, n = self._geoms, len(geoms)
        known = min(n, len(last))
        if n != len(last):
            self._geoms = np.zeros(n, memory.GEOM)
            self._geoms[:known] = last[:known]
            last = self._geoms
        fresh = np.zeros(n, np.bool_)
        fresh[known:] = True

        def differs(*names: str) -> npt.NDArray[np.bool_]:
            out = fresh.copy()
            for name in names:
                out |= _rows_differ(geoms[name], last[name])
            return out

        blocks = self._pose_blocks(geoms, differs("pos", "mat"), known)
        for tag, name in ((Tag.SIZE, "size"), (Tag.RGBA, "rgba")):
            at = np.flatnonzero(differs(name))
            if len(at):
                payload = geoms[name][at].astype("<f4").tobytes()
                blocks.append(_row_block(tag, at, n, payload))
        at = np.flatnonzero(differs(*[f for f in _LOOK.names or () if f != "pad"]))
        if len(at):
            look = np.zeros(len(at), _LOOK)
            for name in _LOOK.names or ():
                if name != "pad":
                    look[name] = geoms[name][at]
            blocks.append(_row_block(Tag.LOOK, at, n, look.tobytes()))
        at = np.flatnonzero(geoms["label"] != last["label"])
        if len(at):
            texts = [bytes(text) for text in geoms["label"][at]]
            payload = b"".join(bytes([len(text)]) + text for text in texts)
            blocks.append(_row_block(Tag.LABEL, at, n, payload))
        last[:] = geoms
        return blocks

    def _pose_blocks(
        self, geoms: npt.NDArray[np.void], moved: npt.NDArray[np.bool_], known: int
    ) -> list[Block]:
        n = len(geoms)
        if n != len(self._codes):
            steps, codes = self._steps, self._codes
            self._steps = np.zeros((n, 3), np.int32)
            self._codes = np.zeros(n, np.uint64)
            self._steps[:known] = steps[:known]
            self._codes[:known] = codes[:known]
        at = np.flatnonzero(moved)
        if not len(at):
            return []
        pos, mat = geoms["pos"][at], geoms["mat"][at]
        reach = np.abs(pos).max(axis=1)
        exact = poses.is_rotation(mat) & (reach <= self._far)
        blocks = []
        if not exact.all():
            odd = ~exact
            payload = np.concatenate(
                [pos[odd], mat[odd].reshape(-1, 9)], axis=1
            ).astype("<f4")
            blocks.append(_row_block(Tag.POSE_F32, at[odd], n, payload.tobytes()))
            # No code equals this, so the row is sent when it turns ordinary.
            self._codes[at[odd]] = np.uint64(2**63)
            at, pos, mat, reach = at[exact], pos[exact], mat[exact], reach[exact]
        if not len(at):
            return blocks
        unit = max(self._unit, poses.unit_for(float(reach.max())))
        steps = np.rint(pos.astype(np.float64) / unit).astype(np.int32)
        codes = poses.encode_rotations(poses.quaternions(mat))
        if unit == self._unit:
            # Moves below the wire's resolution are none.
            send = (codes != self._codes[at]) | (steps != self._steps[at]).any(axis=1)
            send |= at >= known
            at, steps, codes = at[send], steps[send], codes[send]
        else:
            # The others keep the place that the page has; in the new unit.
            self._steps = np.rint(self._steps * (self._unit / unit)).astype(np.int32)
            self._unit = unit
        if not len(at):
            return blocks
        self._steps[at], self._codes[at] = steps, codes
        payload = (
            struct.pack("<f", unit)
            + poses.pack_positions(steps)
            + poses.pack_rotations(codes)
        )
        blocks.append(_row_block(Tag.POSE, at, n, payload))
        return blocks

    def _light_blocks(self, lights: npt.NDArray[np.void]) -> list[Block]:
        last, n = self._lights, len(lights)
        self._lights = lights
        if n != len(last):
            return [_row_block(Tag.LIGHT, np.arange(n), n, lights.tobytes())]
        moves = ("pos", "dir")
        moved, changed = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        for name in _LIGHT.names or ():
            differs = _rows_differ(lights[name], last[name])
            if name in moves:
                moved |= differs
            else:
                changed |= differs
        # The page places a headlight itself: it sits at the camera.
        moved &= (lights["bits"] & 1) == 0
        moved &= ~changed
        blocks = []
        if changed.any():
            at = np.flatnonzero(changed)
            blocks.append(_row_block(Tag.LIGHT, at, n, lights[at].tobytes()))
        if moved.any():
            at = np.flatnonzero(moved)
            pose = np.concatenate([lights["pos"][at], lights["dir"][at]], axis=1)
            payload = pose.astype("<f4").tobytes()
            blocks.append(_row_block(Tag.LIGHT_POSE, at, n, payload))
        return blocks

    def _camera_blocks(self, info: FrameInfo) -> list[Block]:
        view, blocks = info.camera, []
        payload = _CAMERA.pack(
            info.generation, int(view.type), view.fixedcamid, view.trackbodyid,
            int(view.orthographic), *view.lookat, view.distance,
            view.azimuth, view.elevation,
        )  # fmt: skip
        if payload != self._camera:
            self._camera = payload
            blocks.append(Block(Tag.CAMERA, payload))
        if info.fixed is None:
            self._glcamera = b""
            return blocks
        payload = camera.packed(info.fixed)
        if payload != self._glcamera:
            self._glcamera = payload
            blocks.append(Block(Tag.GLCAMERA, payload))
        return blocks

    def _picture_blocks(self, pictures: tuple[bytes, ...]) -> list[Block]:
        if pictures == self._pictures:
            return []
        self._pictures = pictures
        return [Block(Tag.PICTURE, b"".join(pictures), len(pictures))]

    def _visual_blocks(self, visual: bytes) -> list[Block]:
        if visual == self._visual:
            return []
        self._visual = visual
        return [Block(Tag.VISUAL, visual)]


def _rows_differ(new: npt.NDArray[Any], old: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    differs = new != old
    return differs.any(axis=tuple(range(1, differs.ndim)))


def _row_block(tag: Tag, at: npt.NDArray[np.intp], size: int, data: bytes) -> Block:
    mode, head = rows.encode(at, size)
    return Block(tag, head + data, len(at), mode)


def _pack_lights(lights: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    packed = np.zeros(len(lights), _LIGHT)
    for name in _LIGHT.names or ():
        if name != "bits":
            packed[name] = lights[name]
    packed["bits"] = (lights["headlight"] != 0) | (lights["castshadow"] != 0) << 1
    return packed
