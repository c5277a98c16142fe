"""Draw lists and textures of a rendered frame, as packets of the `/ui` stream.

The viewer thread calls `DrawListEncoder.encode` after each `UiContext.frame`. A
list goes out when it changed, as its difference to what the page has, which for a
clock that ticks is a few dozen bytes. The layout is docs/wire.md's "/ui".
"""

import ctypes
import dataclasses
import struct
import zlib
from collections.abc import Iterator

import numpy as np
from imgui_bundle import imgui

from studio_nb.ui.context import UiContext
from studio_nb.wire import packets

_FRAME = struct.Struct("<3fIiI")
_COMMAND = struct.Struct("<4f4I")
_LIST_HEAD = struct.Struct("<4I")
_TEXTURE_HEAD = struct.Struct("<8I")
_RECT = struct.Struct("<4f")

_VERTEX_BYTES = 20
_MAX_U16_VERTICES = 65535
_FORMAT_RGBA = 0
_FORMAT_ALPHA = 1

_WANTS_MOUSE = 1
_WANTS_KEYBOARD = 2
_WANTS_TEXT = 4

# Below this share of changed bytes the difference compresses better than the
# list itself; above it the list changed altogether (it was scrolled, say).
_XOR_WORTH = 0.5

_INDEX_TYPE = {2: "<u2", 4: "<u4"}[imgui.INDEX_SIZE]

if imgui.VERTEX_SIZE != _VERTEX_BYTES:
    _MSG = (
        f"imgui-bundle has vertices of {imgui.VERTEX_SIZE} bytes, this reads "
        f"{_VERTEX_BYTES}: install a version of it that studio_nb names"
    )
    raise ImportError(_MSG)


@dataclasses.dataclass(frozen=True, slots=True)
class _List:
    """A draw list as the wire has it: its fixed head and its body."""

    head: bytes
    body: bytes


class DrawListEncoder:
    """Turns rendered frames of one `UiContext` into `/ui` packets for one reader."""

    def __init__(self, context: UiContext) -> None:
        """Starts with a reader that has nothing.

        Args:
            context: Whose frames to encode.
        """
        self._context = context
        self._sent: dict[int, _List] = {}
        self._sent_frame = b""
        self._next_texture = 1

    def encode(self, full: bool) -> bytes | None:  # noqa: FBT001, the stream's own word
        """Returns what the reader lacks of the last rendered frame.

        Call it only for a frame that will be sent: what it returns counts as read,
        until a full frame starts anew.

        Args:
            full: Whether the reader has nothing: every list and texture is sent.

        Returns:
            A packet, or None if nothing changed since the last one.
        """
        with self._context.current() as context:
            data = imgui.get_draw_data()
            if data is None or not data.valid:
                return None
            if full:
                self._sent = {}
                self._sent_frame = b""
            blocks = [*self._textures(full=full)]
            lists = _read_lists(data)
            for list_id, fresh in lists.items():
                old = self._sent.get(list_id)
                if fresh != old:
                    blocks.append(_list_block(fresh, old))
            # A list that is not drawn now is sent whole when it comes back: the
            # reader may have forgotten it.
            self._sent = lists
            frame = _frame_block(data, lists)
            rects = _rects_block(data, context)
            state = frame.payload + rects.payload
            if not blocks and state == self._sent_frame:
                return None
            self._sent_frame = state
            return packets.write_packet([frame, *blocks, rects])

    def _textures(self, *, full: bool) -> Iterator[packets.Block]:
        """Answers Dear ImGui's requests about textures, and yields them for the wire.

        Args:
            full: Whether to send textures that asked for nothing, too.
        """
        gone = []
        for texture in imgui.get_platform_io().textures:
            status = texture.status
            if status == imgui.ImTextureStatus.want_destroy:
                if texture.tex_id:
                    gone.append(texture.tex_id)
                texture.set_tex_id(0)
                texture.set_status(imgui.ImTextureStatus.destroyed)
                continue
            if status == imgui.ImTextureStatus.want_create:
                texture.set_tex_id(self._next_texture)
                self._next_texture += 1
            if status == imgui.ImTextureStatus.destroyed:
                continue
            if full or status == imgui.ImTextureStatus.want_create:
                yield _texture_block(texture, 0, 0, texture.width, texture.height)
            elif status == imgui.ImTextureStatus.want_updates:
                for rect in _dirty_rects(texture):
                    yield _texture_block(texture, rect.x, rect.y, rect.w, rect.h)
            texture.set_status(imgui.ImTextureStatus.ok)
        if gone:
            payload = struct.pack(f"<{len(gone)}I", *gone)
            yield packets.Block(packets.Tag.UI_TEXTURE_GONE, payload, len(gone))


def _read_lists(data: imgui.ImDrawData) -> dict[int, _List]:
    """Returns the frame's draw lists by id, in drawing order."""
    lists: dict[int, _List] = {}
    for draw_list in data.cmd_lists:
        list_id = zlib.crc32(draw_list._owner_name.encode())  # noqa: SLF001, its only name
        while list_id in lists:
            list_id = (list_id + 1) & 0xFFFFFFFF
        fresh = _read_list(list_id, draw_list)
        if fresh is not None:
            lists[list_id] = fresh
    return lists


def _read_list(list_id: int, draw_list: imgui.ImDrawList) -> _List | None:
    """Copies a draw list out of Dear ImGui's memory; None if it draws nothing."""
    commands = [
        _COMMAND.pack(
            *command.clip_rect,
            command.get_tex_id() & 0xFFFFFFFF,
            command.vtx_offset,
            command.idx_offset,
            command.elem_count,
        )
        for command in draw_list.cmd_buffer
        if command.elem_count
    ]
    if not commands:
        return None
    vertices = draw_list.vtx_buffer.size()
    indices = draw_list.idx_buffer.size()
    index_bytes = ctypes.string_at(
        draw_list.idx_buffer.data_address(), indices * imgui.INDEX_SIZE
    )
    wanted = "<u2" if vertices <= _MAX_U16_VERTICES else "<u4"
    if wanted != _INDEX_TYPE:
        index_bytes = np.frombuffer(index_bytes, _INDEX_TYPE).astype(wanted).tobytes()
    vertex_bytes = ctypes.string_at(
        draw_list.vtx_buffer.data_address(), vertices * _VERTEX_BYTES
    )
    head = _LIST_HEAD.pack(list_id, vertices, indices, len(commands))
    return _List(head, b"".join((*commands, vertex_bytes, index_bytes)))


def _list_block(fresh: _List, old: _List | None) -> packets.Block:
    """Returns a list for a reader that has `old`, as the smaller of its two forms."""
    body, flags = fresh.body, 0
    if old is not None:
        shared = min(len(old.body), len(body))
        difference = np.bitwise_xor(
            np.frombuffer(body, np.uint8, shared),
            np.frombuffer(old.body, np.uint8, shared),
        )
        if np.count_nonzero(difference) < _XOR_WORTH * shared:
            body = difference.tobytes() + body[shared:]
            flags = packets.FLAG_XOR
    block = packets.Block(packets.Tag.UI_LIST, fresh.head + body, 1, flags)
    return packets.deflated(block, head=_LIST_HEAD.size)


def _frame_block(data: imgui.ImDrawData, lists: dict[int, _List]) -> packets.Block:
    """Returns the block that names the lists and says what ImGui wants."""
    io = imgui.get_io()
    flags = (
        _WANTS_MOUSE * io.want_capture_mouse
        + _WANTS_KEYBOARD * io.want_capture_keyboard
        + _WANTS_TEXT * io.want_text_input
    )
    payload = _FRAME.pack(
        *data.display_size,
        data.framebuffer_scale.x,
        flags,
        imgui.get_mouse_cursor(),
        0,
    ) + struct.pack(f"<{len(lists)}I", *lists)
    return packets.Block(packets.Tag.UI_FRAME, payload, len(lists))


def _rects_block(
    data: imgui.ImDrawData, context: imgui.internal.Context
) -> packets.Block:
    """Returns the areas where the pointer is ImGui's.

    While a popup is open that is everywhere, for a press outside closes it.
    """
    if context.open_popup_stack.size():
        rects = [_RECT.pack(0.0, 0.0, *data.display_size)]
    else:
        rects = [*_window_rects(context)]
    return packets.Block(packets.Tag.UI_RECTS, b"".join(rects), len(rects))


def _window_rects(context: imgui.internal.Context) -> Iterator[bytes]:
    """Yields the rectangle of each window that takes the mouse, grips included."""
    grip = context.windows_border_hover_padding
    for window in context.windows:
        flags = window.flags
        if (
            not window.active
            or window.hidden
            or flags & imgui.WindowFlags_.child_window
            or flags & imgui.WindowFlags_.no_mouse_inputs
        ):
            continue
        fixed = flags & (
            imgui.WindowFlags_.no_resize | imgui.WindowFlags_.always_auto_resize
        )
        margin = 0.0 if fixed else grip
        low, high = window.pos, window.size
        yield _RECT.pack(
            low.x - margin,
            low.y - margin,
            low.x + high.x + margin,
            low.y + high.y + margin,
        )


def _dirty_rects(texture: imgui.ImTextureData) -> list[imgui.ImTextureRect]:
    """Returns what changed of a texture: each part, or one around them if tight.

    A few new glyphs lie side by side in the atlas; one block for all of them then
    has less to say than one for each.
    """
    parts = list(texture.updates)
    around = texture.update_rect
    if around.w * around.h <= 2 * sum(part.w * part.h for part in parts):
        return [around]
    return parts


def _texture_block(
    texture: imgui.ImTextureData, x: int, y: int, w: int, h: int
) -> packets.Block:
    """Returns the pixels of a part of a texture."""
    depth = texture.bytes_per_pixel
    pixels = texture.get_pixels_array().reshape(texture.height, texture.width, depth)
    form = _FORMAT_ALPHA if depth == 1 else _FORMAT_RGBA
    head = _TEXTURE_HEAD.pack(
        texture.tex_id, texture.width, texture.height, x, y, w, h, form
    )
    part = pixels[y : y + h, x : x + w].tobytes()
    block = packets.Block(packets.Tag.UI_TEXTURE, head + part, 1)
    return packets.deflated(block, head=_TEXTURE_HEAD.size)
