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
import numpy.typing as npt
from imgui_bundle import imgui

from studio_nb.ui.context import UiContext
from studio_nb.ui.images import Images, Pixels, Rect, changed_part
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
_FORMAT_RGB = 2
_FORMATS = {1: _FORMAT_ALPHA, 3: _FORMAT_RGB, 4: _FORMAT_RGBA}

_WANTS_MOUSE = 1
_WANTS_KEYBOARD = 2
_WANTS_TEXT = 4
_POPUP_OPEN = 8
_TAKES_WHEEL = 16

# Below this share of changed bytes the difference compresses better than the
# list itself; above it the list changed altogether (it was scrolled, say).
_XOR_WORTH = 0.5
# A difference is mostly zeros, over which zlib's better levels are as quick.
_WHOLE_LEVEL, _DIFFERENCE_LEVEL = 1, 6

_INDEX_TYPE = {2: "<u2", 4: "<u4"}[imgui.INDEX_SIZE]

if imgui.VERTEX_SIZE != _VERTEX_BYTES:
    _MSG = (
        f"imgui-bundle has vertices of {imgui.VERTEX_SIZE} bytes, this reads "
        f"{_VERTEX_BYTES}: install a version of it that studio_nb names"
    )
    raise ImportError(_MSG)


@dataclasses.dataclass(frozen=True, slots=True)
class _List:
    """A draw list as the wire has it: its fixed head and its body.

    Attributes:
        images: IDs of the textures that it draws and Dear ImGui does not own.
    """

    head: bytes
    body: bytes
    images: frozenset[int]

    def parts(self) -> list[npt.NDArray[np.uint8]]:
        """Returns the bytes of commands, vertices and indices."""
        _, vertices, _, commands = _LIST_HEAD.unpack(self.head)
        start = commands * _COMMAND.size
        end = start + vertices * _VERTEX_BYTES
        return np.split(np.frombuffer(self.body, np.uint8), [start, end])


class DrawListEncoder:
    """Turns rendered frames of one `UiContext` into `/ui` packets for one reader."""

    def __init__(self, context: UiContext, images: Images | None = None) -> None:
        """Starts with a reader that has nothing.

        Args:
            context: Whose frames to encode.
            images: What the frames may draw beside Dear ImGui's own textures.
        """
        self._context = context
        self._images = images or Images()
        self._sent_images: dict[int, Pixels] = {}
        self._sent: dict[int, _List] = {}
        self._sent_frame = b""
        self._sent_rects: bytes | None = None
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
                self._sent_images = {}
                self._sent_frame = b""
                self._sent_rects = None
            blocks = [*self._textures(full=full)]
            lists = _read_lists(data)
            for list_id, fresh in lists.items():
                old = self._sent.get(list_id)
                if fresh != old:
                    blocks.append(_list_block(fresh, old))
            # A list that is not drawn now is sent whole when it comes back: the
            # reader may have forgotten it.
            self._sent = lists
            drawn = frozenset[int]().union(*(one.images for one in lists.values()))
            blocks += self._image_blocks(drawn)
            frame = _frame_block(data, context, lists, self._context.takes_wheel)
            rects = _rects_block(data, context)
            if rects.payload != self._sent_rects:
                self._sent_rects = rects.payload
                blocks.append(rects)
            if not blocks and frame.payload == self._sent_frame:
                return None
            self._sent_frame = frame.payload
            return packets.write_packet([frame, *blocks])

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
            whole = 0, 0, texture.width, texture.height
            if full or status == imgui.ImTextureStatus.want_create:
                yield _texture_block(texture.tex_id, _pixels(texture), whole)
            elif status == imgui.ImTextureStatus.want_updates:
                for rect in _dirty_rects(texture):
                    part = rect.x, rect.y, rect.w, rect.h
                    yield _texture_block(texture.tex_id, _pixels(texture), part)
            texture.set_status(imgui.ImTextureStatus.ok)
        if gone:
            yield _gone_block(gone)

    def _image_blocks(self, drawn: frozenset[int]) -> Iterator[packets.Block]:
        """Yields what the reader lacks of the images that the frame draws."""
        sent = self._sent_images
        for tex_id in sorted(drawn):
            pixels, old = self._images.get(tex_id), sent.get(tex_id)
            if pixels is None or pixels is old:
                continue
            sent[tex_id] = pixels
            height, width, _ = pixels.shape
            part: Rect | None = (0, 0, width, height)
            if old is not None and old.shape == pixels.shape:
                part = changed_part(old, pixels)
            if part is not None:
                yield _texture_block(tex_id, pixels, part)
        gone = [tex_id for tex_id in sent if self._images.get(tex_id) is None]
        if gone:
            for tex_id in gone:
                del sent[tex_id]
            yield _gone_block(gone)


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
    commands = []
    images = set()
    for command in draw_list.cmd_buffer:
        if not command.elem_count:
            continue
        texture = command.get_tex_id() & 0xFFFFFFFF
        if texture >= packets.FIRST_IMAGE:
            images.add(texture)
        commands.append(
            _COMMAND.pack(
                *command.clip_rect,
                texture,
                command.vtx_offset,
                command.idx_offset,
                command.elem_count,
            )
        )
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
    body = b"".join((*commands, vertex_bytes, index_bytes))
    return _List(head, body, frozenset(images))


def _list_block(fresh: _List, old: _List | None) -> packets.Block:
    """Returns a list for a reader that has `old`, as the smaller of its two forms."""
    payload, flags, level = fresh.head + fresh.body, 0, _WHOLE_LEVEL
    if old is not None and (difference := _difference(fresh, old)) is not None:
        payload, flags, level = (
            fresh.head + difference,
            packets.FLAG_XOR,
            _DIFFERENCE_LEVEL,
        )
    block = packets.Block(packets.Tag.UI_LIST, payload, 1, flags)
    return packets.deflated(block, level, head=_LIST_HEAD.size)


def _difference(fresh: _List, old: _List) -> bytes | None:
    """Returns a body as its difference to another, or None if that is worth nothing.

    Commands, vertices and indices are each XORed with the same part of the other
    body, over the shorter of the two. Where a value moves, the same few bytes of
    neighbouring vertices differ: byte by byte, not vertex by vertex, these stand
    together, and deflate finds more to save.
    """
    parts = []
    changed = 0
    for new, before in zip(fresh.parts(), old.parts(), strict=True):
        mixed = new.copy()
        shared = min(len(new), len(before))
        mixed[:shared] ^= before[:shared]
        changed += np.count_nonzero(mixed[:shared])
        parts.append(mixed)
    if changed >= _XOR_WORTH * min(len(fresh.body), len(old.body)):
        return None
    commands, vertices, indices = parts
    planes = vertices.reshape(-1, _VERTEX_BYTES).T
    return commands.tobytes() + planes.tobytes() + indices.tobytes()


def _frame_block(
    data: imgui.ImDrawData,
    context: imgui.internal.Context,
    lists: dict[int, _List],
    takes_wheel: bool,  # noqa: FBT001 - one of the flags
) -> packets.Block:
    """Returns the block that names the lists and says what ImGui wants."""
    io = imgui.get_io()
    flags = (
        _WANTS_MOUSE * io.want_capture_mouse
        + _WANTS_KEYBOARD * io.want_capture_keyboard
        + _WANTS_TEXT * io.want_text_input
        + _POPUP_OPEN * (context.open_popup_stack.size() > 0)
        + _TAKES_WHEEL * takes_wheel
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
        docked = window.dock_node is not None
        if (
            not window.active
            or window.hidden
            or window.hit_test_hole_size.x
            or (flags & imgui.WindowFlags_.child_window and not docked)
            or flags & imgui.WindowFlags_.no_mouse_inputs
        ):
            continue
        fixed = flags & (
            imgui.WindowFlags_.no_resize | imgui.WindowFlags_.always_auto_resize
        )
        # What is docked is resized by its neighbours' borders.
        margin = grip if docked or not fixed else 0.0
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


def _pixels(texture: imgui.ImTextureData) -> Pixels:
    """Returns a texture's pixels, shape (height, width, depth)."""
    depth = texture.bytes_per_pixel
    return texture.get_pixels_array().reshape(texture.height, texture.width, depth)


def _texture_block(tex_id: int, pixels: Pixels, part: Rect) -> packets.Block:
    """Returns a part of a texture, of which `pixels` is the whole."""
    height, width, depth = pixels.shape
    x, y, w, h = part
    head = _TEXTURE_HEAD.pack(tex_id, width, height, x, y, w, h, _FORMATS[depth])
    data = pixels[y : y + h, x : x + w].tobytes()
    block = packets.Block(packets.Tag.UI_TEXTURE, head + data, 1)
    return packets.deflated(block, head=_TEXTURE_HEAD.size)


def _gone_block(gone: list[int]) -> packets.Block:
    """Returns the block that tells which textures are no more."""
    payload = struct.pack(f"<{len(gone)}I", *gone)
    return packets.Block(packets.Tag.UI_TEXTURE_GONE, payload, len(gone))
