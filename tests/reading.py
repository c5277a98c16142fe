"""A reader of `/state` frames written from docs/wire.md, for tests to compare with.

It is no part of the package: the real reader is TypeScript. Written apart from
the encoder, row by row, so that a mistake there shows here.
"""

import struct
from typing import Any

import numpy as np

from studio_nb.wire import packets, poses, rows
from studio_nb.wire.packets import Tag

LOOK_INTS = (
    "type", "dataid", "objtype", "objid", "category", "matid", "texid",
    "texuniform", "texcoord", "segid",
)  # fmt: skip
LOOK_FLOATS = ("emission", "specular", "shininess", "reflectance")


def quat_to_mat(quat: np.ndarray) -> np.ndarray:
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class StateReader:
    """The tables that a page would have after the frames it was given."""

    def __init__(self) -> None:
        self.geoms: list[dict[str, Any]] = []
        self.lights: list[dict[str, Any]] = []
        self.head: dict[str, Any] = {}
        self.camera: tuple = ()
        self.glcamera: tuple = ()
        self.pictures: dict[int, tuple] = {}
        self.visual: tuple = ()

    def apply(self, packet: bytes) -> None:
        blocks = packets.read_packet(packet)
        first = blocks[0]
        assert first.tag == Tag.FRAME
        names = ("time", "ngeom", "nlight", "render", "flags", "selected", "zero")
        self.head = dict(
            zip(names, struct.unpack("<dIIIIiI", first.payload), strict=True)
        )
        n = self.head["ngeom"]
        del self.geoms[n:]
        self.geoms += [{"label": ""} for _ in range(n - len(self.geoms))]
        del self.lights[self.head["nlight"] :]
        self.lights += [{} for _ in range(self.head["nlight"] - len(self.lights))]
        for block in blocks[1:]:
            self._block(block)

    def _block(self, block: packets.Block) -> None:
        tag = Tag(block.tag)
        if tag == Tag.CAMERA:
            self.camera = struct.unpack("<I4i6f", block.payload)
            return
        if tag == Tag.GLCAMERA:
            self.glcamera = struct.unpack("<15fi", block.payload)
            return
        if tag == Tag.PICTURE:
            fields = struct.iter_unpack("<4I15fi", block.payload)
            self.pictures = {row[0]: row[1:3] + row[4:] for row in fields}
            assert len(self.pictures) == block.count
            return
        if tag == Tag.VISUAL:
            self.visual = struct.unpack("<26f", block.payload)
            return
        table = self.lights if tag in (Tag.LIGHT, Tag.LIGHT_POSE) else self.geoms
        at, offset = rows.decode(block, len(table))
        data = block.payload[offset:]
        getattr(self, f"_{tag.name.lower()}")([table[i] for i in at], data)

    def _pose(self, items: list[dict], data: bytes) -> None:
        (unit,) = struct.unpack_from("<f", data)
        n = len(items)
        place = poses.unpack_positions(data[4 : 4 + 9 * n]) * np.float64(unit)
        codes = poses.unpack_rotations(data[4 + 9 * n : 4 + 15 * n])
        quats = poses.decode_rotations(codes)
        for item, pos, quat in zip(items, place, quats, strict=True):
            item["pos"], item["mat"] = pos, quat_to_mat(quat)

    def _pose_f32(self, items: list[dict], data: bytes) -> None:
        values = np.frombuffer(data, "<f4").reshape(len(items), 12)
        for item, row in zip(items, values, strict=True):
            item["pos"], item["mat"] = row[:3], row[3:].reshape(3, 3)

    def _floats(self, items: list[dict], data: bytes, name: str, width: int) -> None:
        values = np.frombuffer(data, "<f4").reshape(len(items), width)
        for item, row in zip(items, values, strict=True):
            item[name] = row

    def _size(self, items: list[dict], data: bytes) -> None:
        self._floats(items, data, "size", 3)

    def _rgba(self, items: list[dict], data: bytes) -> None:
        self._floats(items, data, "rgba", 4)

    def _look(self, items: list[dict], data: bytes) -> None:
        for i, item in enumerate(items):
            fields = struct.unpack_from("<10i6fBBH", data, 68 * i)
            item.update(zip(LOOK_INTS, fields[:10], strict=True))
            item.update(zip(LOOK_FLOATS, fields[10:14], strict=True))
            item["texrepeat"] = fields[14:16]
            item["castshadow"], item["transparent"] = fields[16:18]

    def _label(self, items: list[dict], data: bytes) -> None:
        at = 0
        for item in items:
            size = data[at]
            item["label"] = data[at + 1 : at + 1 + size].decode()
            at += 1 + size

    def _light(self, items: list[dict], data: bytes) -> None:
        for i, item in enumerate(items):
            fields = struct.unpack_from("<3iI24f", data, 112 * i)
            item.update(
                id=fields[0], type=fields[1], texid=fields[2],
                headlight=fields[3] & 1, castshadow=fields[3] >> 1 & 1,
                pos=fields[4:7], dir=fields[7:10], attenuation=fields[10:13],
                cutoff=fields[13], exponent=fields[14], ambient=fields[15:18],
                diffuse=fields[18:21], specular=fields[21:24],
                bulbradius=fields[24], intensity=fields[25], range=fields[26],
                softness=fields[27],
            )  # fmt: skip

    def _light_pose(self, items: list[dict], data: bytes) -> None:
        values = np.frombuffer(data, "<f4").reshape(len(items), 6)
        for item, row in zip(items, values, strict=True):
            item["pos"], item["dir"] = row[:3], row[3:]
