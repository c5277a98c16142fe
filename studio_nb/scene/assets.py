"""Meshes and textures as the page wants them: by content hash, built on demand.

An `AssetStore` belongs to one viewer thread. What it builds is kept for the
whole process, in the order of use and within a bound, so that a second viewer
of the same model builds nothing again.
"""

import collections
import hashlib
import struct
import threading
import zlib
from collections.abc import Callable

import mujoco
import numpy as np
import numpy.typing as npt

from studio_nb.wire import packets
from studio_nb.wire.packets import Block, Tag

# Level 6 is three times slower than 1 and saves a tenth on real meshes; an
# asset is built once and may cross a slow line.
_ZLIB_LEVEL = 6
_CACHE_BYTES = 64 << 20
_SNORM16 = 32767

_built: collections.OrderedDict[str, bytes] = collections.OrderedDict()
_built_lock = threading.Lock()


class AssetStore:
    """The assets of one model, each named by the hash of what it is made from."""

    def __init__(self) -> None:
        """Starts empty."""
        self._makers: dict[str, Callable[[], bytes]] = {}

    def add(
        self, kind: str, parts: list[npt.NDArray], make: Callable[[], bytes]
    ) -> str:
        """Registers an asset and returns its hash (32 hex digits).

        Args:
            kind: What and in which form it is made; part of the hash.
            parts: The arrays it is made from.
            make: Builds its bytes; called at most when someone needs them.
        """
        digest = hashlib.blake2b(kind.encode(), digest_size=16)
        for part in parts:
            digest.update(repr((part.shape, part.dtype.str)).encode())
            digest.update(np.ascontiguousarray(part).data)
        key = digest.hexdigest()
        self._makers[key] = make
        return key

    def __contains__(self, key: str) -> bool:
        """Tells whether an asset of this hash belongs to the model."""
        return key in self._makers

    def bytes(self, key: str) -> bytes:
        """Returns the asset, building it on first use.

        Raises:
            KeyError: If the model has no asset of this hash.
        """
        make = self._makers[key]
        with _built_lock:
            if key in _built:
                _built.move_to_end(key)
                return _built[key]
        data = make()
        with _built_lock:
            _built[key] = data
            while len(_built) > 1 and sum(map(len, _built.values())) > _CACHE_BYTES:
                _built.popitem(last=False)
        return data


def mesh_parts(model: mujoco.MjModel, mesh: int) -> dict[str, npt.NDArray]:
    """Returns the slices of `model` that make up one mesh.

    Args:
        model: A compiled model.
        mesh: Mesh id.

    Returns:
        `vert` (nv, 3), `normal` (nn, 3), `uv` (nt, 2) float32, and `face`,
        `facenormal`, `faceuv` (nf, 3) int32 indices into them; `uv` and
        `faceuv` are empty for a mesh without texture coordinates.
    """

    def part(name: str, adr: npt.NDArray, num: npt.NDArray) -> npt.NDArray:
        return getattr(model, name)[adr[mesh] : adr[mesh] + num[mesh]]

    has_uv = model.mesh_texcoordadr[mesh] >= 0
    face = (model.mesh_faceadr, model.mesh_facenum)
    none = np.zeros((0, 3), np.int32)
    return {
        "vert": part("mesh_vert", model.mesh_vertadr, model.mesh_vertnum),
        "normal": part("mesh_normal", model.mesh_normaladr, model.mesh_normalnum),
        "uv": part("mesh_texcoord", model.mesh_texcoordadr, model.mesh_texcoordnum)
        if has_uv
        else np.zeros((0, 2), np.float32),
        "face": part("mesh_face", *face),
        "facenormal": part("mesh_facenormal", *face),
        "faceuv": part("mesh_facetexcoord", *face) if has_uv else none,
    }


def mesh_asset(parts: dict[str, npt.NDArray]) -> bytes:
    """Builds the asset of one mesh from `mesh_parts` (docs/wire.md, "Assets").

    MuJoCo indexes positions, normals and texture coordinates apart; WebGL wants
    one index. Each combination in use becomes a vertex.
    """
    corners = [parts["face"].ravel().astype(np.int64)]
    corners.append(parts["facenormal"].ravel().astype(np.int64))
    if len(parts["uv"]):
        corners.append(parts["faceuv"].ravel().astype(np.int64))
    key = corners[0]
    for corner in corners[1:]:
        key = key * (int(corner.max(initial=0)) + 1) + corner
    _, first, index = np.unique(key, return_index=True, return_inverse=True)
    vert = parts["vert"][corners[0][first]]
    normal = np.zeros((len(first), 4), "<i2")
    normal[:, :3] = np.rint(parts["normal"][corners[1][first]] * _SNORM16)
    wide = len(first) > np.iinfo(np.uint16).max
    blocks = [
        Block(Tag.MESH_POSITION, vert.astype("<f4").tobytes(), len(first)),
        Block(Tag.MESH_NORMAL, normal.tobytes(), len(first)),
        Block(
            Tag.MESH_INDEX,
            index.astype("<u4" if wide else "<u2").tobytes(),
            len(parts["face"]),
        ),
    ]
    if len(parts["uv"]):
        uv = parts["uv"][corners[2][first]].astype("<f4")
        blocks.insert(2, Block(Tag.MESH_UV, uv.tobytes(), len(first)))
    return zlib.compress(packets.write_packet(blocks), _ZLIB_LEVEL)


def texture_pixels(model: mujoco.MjModel, texture: int) -> npt.NDArray[np.uint8]:
    """Returns the pixels (height, width, channels) of one texture, a view."""
    width, height = int(model.tex_width[texture]), int(model.tex_height[texture])
    channels = int(model.tex_nchannel[texture])
    adr = int(model.tex_adr[texture])
    pixels = model.tex_data[adr : adr + width * height * channels]
    return pixels.reshape(height, width, channels)


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Encodes pixels (height, width, 1 to 4) as a PNG (ISO/IEC 15948).

    Browsers decode PNG natively and off the main thread. Rows are filtered by
    difference to the one above, which makes checkers and gradients vanish.
    """
    height, width, channels = pixels.shape
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    up = pixels.reshape(height, width * channels).copy()
    up[1:] -= pixels.reshape(height, -1)[:-1]
    filtered = np.full((height, 1 + up.shape[1]), 2, np.uint8)
    filtered[:, 1:] = up

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", head),
            chunk(b"IDAT", zlib.compress(filtered.tobytes(), _ZLIB_LEVEL)),
            chunk(b"IEND", b""),
        ]
    )
