"""A reader of `/ui` packets written from docs/wire.md, for tests to look into.

It is no part of the package: the real reader is TypeScript.
"""

import struct
import zlib

import numpy as np

from studio_nb.wire import packets

ZLIB, XOR = 1, 2

# Bytes a pixel, by the format of a UI_TEXTURE.
DEPTHS = {0: 4, 1: 1, 2: 3}


class UiReader:
    """A page's side of `/ui`, as docs/wire.md describes it."""

    def __init__(self):
        self.bodies = {}
        self.heads = {}
        self.textures = {}
        self.named = ()
        self.rects = ()
        self.last_tags = []
        self.pixels_sent = 0

    def read(self, packet):
        blocks = packets.read_packet(packet)
        self.last_tags = [block.tag for block in blocks]
        for block in blocks:
            getattr(self, f"_read_{packets.Tag(block.tag).name.lower()}")(block)
        for gone in set(self.bodies) - set(self.named):
            del self.bodies[gone], self.heads[gone]

    def _read_ui_frame(self, block):
        self.width, self.height, self.scale, self.flags, self.cursor, _ = (
            struct.unpack_from("<3fIiI", block.payload)
        )
        self.named = struct.unpack_from(f"<{block.count}I", block.payload, 24)

    def _read_ui_list(self, block):
        list_id, *head = struct.unpack_from("<4I", block.payload)
        body = inflated(block, 16)
        if block.flags & XOR:
            old = parts(self.heads[list_id], self.bodies[list_id])
            commands, vertices, indices = parts(head, body)
            whole = np.frombuffer(vertices, np.uint8).reshape(20, -1).T.tobytes()
            new = commands, whole, indices
            body = b"".join(map(mixed, new, old))
        self.heads[list_id], self.bodies[list_id] = head, body

    def _read_ui_rects(self, block):
        self.rects = [
            struct.unpack_from("<4f", block.payload, 16 * i) for i in range(block.count)
        ]

    def _read_ui_texture(self, block):
        texture, width, height, x, y, w, h, form = struct.unpack_from(
            "<8I", block.payload
        )
        depth = DEPTHS[form]
        part = np.frombuffer(inflated(block, 32), np.uint8).reshape(h, w, depth)
        blank = np.zeros((height, width, depth), np.uint8)
        if self.textures.get(texture, blank).shape != blank.shape:
            self.textures[texture] = blank
        self.textures.setdefault(texture, blank)[y : y + h, x : x + w] = part
        self.pixels_sent += w * h

    def _read_ui_texture_gone(self, block):
        for texture in struct.unpack(f"<{block.count}I", block.payload):
            del self.textures[texture]

    def drawn(self, list_id):
        """Returns commands, vertices and indices of a list."""
        vertices, indices, commands = self.heads[list_id]
        body = self.bodies[list_id]
        at = 32 * commands
        kind = "<u2" if vertices <= 65535 else "<u4"
        assert len(body) == at + 20 * vertices + int(kind[-1]) * indices
        return (
            [struct.unpack_from("<4f4I", body, 32 * i) for i in range(commands)],
            body[at : at + 20 * vertices],
            np.frombuffer(body, kind, indices, at + 20 * vertices),
        )


def parts(head, body):
    """Returns commands, vertices and indices of a list's body."""
    vertices, _, commands = head
    at = 32 * commands
    return body[:at], body[at : at + 20 * vertices], body[at + 20 * vertices :]


def mixed(new, old):
    """Returns bytes XORed with others, over the shorter of the two."""
    shared = min(len(new), len(old))
    return bytes(a ^ b for a, b in zip(new, old, strict=False)) + new[shared:]


def inflated(block, head):
    body = block.payload[head:]
    if not block.flags & ZLIB:
        return body
    (size,) = struct.unpack_from("<I", body)
    raw = zlib.decompress(body[4:])
    assert len(raw) == size
    return raw
