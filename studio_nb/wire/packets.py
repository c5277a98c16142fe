"""Packets: tagged, versioned, length-checked blocks in one binary buffer.

Pure functions without state, called from whichever thread builds or reads a
message. The layout is docs/wire.md's "Packets".
"""

import dataclasses
import enum
import struct
import zlib
from collections.abc import Iterable

MAGIC = 0x424E5453
VERSION = 1

FLAG_ZLIB = 1
FLAG_XOR = 2
ROW_MODE_SHIFT = 8

# A reader refuses to inflate more than this, so that a malformed or hostile
# packet cannot take the memory of the process that reads it.
MAX_INFLATED_BYTES = 1 << 29

# Below this size the zlib header and the CPU time cost more than they save.
_DEFLATE_MIN_BYTES = 256

# Ids of textures in draw lists: Dear ImGui's own count from 1, images that plugins
# uploaded and pictures that the page draws itself begin here.
FIRST_IMAGE = 1 << 24
FIRST_PICTURE = 1 << 25

_PACKET_HEADER = struct.Struct("<IHHI")
_BLOCK_HEADER = struct.Struct("<HHII")
_RAW_LENGTH = struct.Struct("<I")


class WireError(ValueError):
    """A buffer that is no packet of this version: truncated, padded or garbled."""


class Tag(enum.IntEnum):
    """What a block holds; see the tables of docs/wire.md."""

    FRAME = 1
    POSE = 2
    POSE_F32 = 3
    SIZE = 4
    RGBA = 5
    LOOK = 6
    LABEL = 7
    LIGHT = 8
    LIGHT_POSE = 9
    CAMERA = 10
    GLCAMERA = 11
    PICTURE = 12
    VISUAL = 13
    UI_FRAME = 32
    UI_LIST = 33
    UI_RECTS = 34
    UI_TEXTURE = 35
    UI_TEXTURE_GONE = 36
    MESH_POSITION = 64
    MESH_NORMAL = 65
    MESH_UV = 66
    MESH_INDEX = 67


# These keep a fixed head outside of their zlib stream and are inflated by
# their own readers, which know the head.
OWN_ZLIB = frozenset({Tag.UI_LIST, Tag.UI_TEXTURE})
_INFLATED = frozenset(Tag) - OWN_ZLIB


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """One tagged block.

    Attributes:
        tag: A `Tag`; readers skip the ones that they do not know.
        payload: The bytes as stored (or, from `read_packet`, inflated).
        count: Number of rows or elements, as the tag's table says.
        flags: `FLAG_ZLIB`, `FLAG_XOR`, and the row mode from bit 8 on.
    """

    tag: int
    payload: bytes
    count: int = 0
    flags: int = 0


def deflated(block: Block, level: int = 1, head: int = 0) -> Block:
    """Returns `block` with its payload compressed, where that makes it smaller.

    Args:
        block: A block whose payload is not compressed yet.
        level: zlib level, 1 (fast) to 9.
        head: Bytes at the payload's start that stay as they are.
    """
    size = len(block.payload) - head
    if size < _DEFLATE_MIN_BYTES:
        return block
    packed = zlib.compress(block.payload[head:], level)
    if len(packed) + _RAW_LENGTH.size >= size:
        return block
    payload = block.payload[:head] + _RAW_LENGTH.pack(size) + packed
    return dataclasses.replace(block, payload=payload, flags=block.flags | FLAG_ZLIB)


def inflate(payload: bytes | memoryview, head: int = 0) -> bytes:
    """Undoes `deflated` for one payload.

    Args:
        payload: The stored bytes: `head` raw bytes, u32 raw length, zlib stream.
        head: Bytes at the start that were not compressed; they are kept.

    Returns:
        The head and the inflated bytes, joined.

    Raises:
        WireError: If the stream is broken or its length is not the one promised.
    """
    if len(payload) < head + _RAW_LENGTH.size:
        msg = f"compressed payload of {len(payload)} bytes is shorter than its head"
        raise WireError(msg)
    (size,) = _RAW_LENGTH.unpack_from(payload, head)
    if size > MAX_INFLATED_BYTES:
        msg = f"compressed payload promises {size} bytes; at most {MAX_INFLATED_BYTES}"
        raise WireError(msg)
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(payload[head + _RAW_LENGTH.size :], size + 1)
    except zlib.error as error:
        msg = f"compressed payload is broken: {error}"
        raise WireError(msg) from error
    if len(raw) != size or not stream.eof:
        msg = f"compressed payload holds not the {size} bytes that it promises"
        raise WireError(msg)
    return bytes(payload[:head]) + raw


def write_packet(blocks: Iterable[Block]) -> bytes:
    """Returns the blocks as one packet, each padded to a multiple of 4 bytes."""
    parts: list[bytes] = [b""]
    count = 0
    for block in blocks:
        count += 1
        size = len(block.payload)
        parts.append(_BLOCK_HEADER.pack(block.tag, block.flags, block.count, size))
        parts.append(block.payload)
        parts.append(bytes(-size % 4))
    length = _PACKET_HEADER.size + sum(map(len, parts))
    parts[0] = _PACKET_HEADER.pack(MAGIC, VERSION, count, length)
    return b"".join(parts)


def read_packet(buffer: bytes | bytearray | memoryview) -> list[Block]:
    """Returns the blocks of a packet.

    Payloads come inflated, except those of `OWN_ZLIB` and of tags that this
    version does not know; flags stay as they were stored.

    Raises:
        WireError: If the buffer is not exactly one packet of this version.
    """
    data = memoryview(buffer).cast("B")
    if len(data) < _PACKET_HEADER.size:
        msg = f"packet of {len(data)} bytes is shorter than its header"
        raise WireError(msg)
    magic, version, count, length = _PACKET_HEADER.unpack_from(data)
    if magic != MAGIC:
        msg = f"packet starts with {magic:#010x}, not {MAGIC:#010x}"
        raise WireError(msg)
    if version != VERSION:
        msg = f"packet has version {version}, this reader {VERSION}: reload the page"
        raise WireError(msg)
    if length != len(data):
        msg = f"packet says {length} bytes but has {len(data)}"
        raise WireError(msg)
    blocks = []
    at = _PACKET_HEADER.size
    for index in range(count):
        if at + _BLOCK_HEADER.size > length:
            msg = f"block {index} of {count} starts past the packet's end"
            raise WireError(msg)
        tag, flags, rows, size = _BLOCK_HEADER.unpack_from(data, at)
        at += _BLOCK_HEADER.size
        if at + size > length:
            msg = (
                f"block {index} (tag {tag}) of {size} bytes runs past the packet's end"
            )
            raise WireError(msg)
        payload: bytes = bytes(data[at : at + size])
        if flags & FLAG_ZLIB and tag in _INFLATED:
            payload = inflate(payload)
        blocks.append(Block(tag, payload, rows, flags))
        at += size + -size % 4
    if at != length:
        msg = f"packet has {length - at} bytes after its last block"
        raise WireError(msg)
    return blocks
