"""The images that plugins upload to show them in panels.

A viewer's `upload_image` keeps them here, on the viewer thread; the
`DrawListEncoder` sends what the page lacks of those that a frame draws. Needs no
imgui-bundle.
"""

import numpy as np
import numpy.typing as npt

from studio_nb.wire import packets

Pixels = npt.NDArray[np.uint8]
# x, y, width, height in pixels.
Rect = tuple[int, int, int, int]

_GREY, _RGB, _RGBA = 1, 3, 4
_DEPTHS = (_GREY, _RGB, _RGBA)

# What WebGL takes everywhere that a notebook is likely to be shown, and an amount
# that does not hold up the frames around it for seconds.
MAX_SIDE = 8192
MAX_PIXELS = 1 << 24


class Images:
    """Uploaded images by texture ID, which no texture of Dear ImGui's has.

    Attributes:
        changed: Whether an upload changed anything since this was last set False.
    """

    def __init__(self) -> None:
        """Starts with none."""
        self.changed = False
        self._images: dict[int, Pixels] = {}
        self._next = packets.FIRST_IMAGE

    def upload(
        self,
        tex_id: int,
        img: str | bytes | bytearray | memoryview | npt.NDArray[np.uint8] | None,
        width: int,
        height: int,
        bpp: int,
    ) -> int:
        """Makes, changes or frees an image, as Studio's `upload_image`.

        Args:
            tex_id: 0 for a new image, or what an earlier call returned. The size may
                differ from the last one's.
            img: The pixels: rows from the top, `bpp` bytes each. Of a string, each
                character is a byte. None, or nothing in it, frees the image.
            width: Pixels.
            height: Pixels.
            bpp: Bytes a pixel: 3 for RGB, 4 for RGBA (not premultiplied), 1 for grey.

        Returns:
            The ID to draw it with; 0 when it was freed.

        Raises:
            TypeError: If `img` is an array of something else than bytes.
            ValueError: If the size, `bpp` and the number of bytes do not fit, or
                `tex_id` is not one of an image.
        """
        data = _bytes(img)
        if not len(data):
            self.changed |= self._images.pop(tex_id, None) is not None
            return 0
        pixels = _pixels(data, width, height, bpp)
        if tex_id == 0:
            tex_id, self._next = self._next, self._next + 1
        elif not packets.FIRST_IMAGE <= tex_id < self._next:
            msg = (
                f"texture {tex_id} is no image: pass 0 to make one, or an ID that "
                "upload_image returned in this session"
            )
            raise ValueError(msg)
        old = self._images.get(tex_id)
        if old is None or not np.array_equal(old, pixels):
            self._images[tex_id] = pixels
            self.changed = True
        return tex_id

    def get(self, tex_id: int) -> Pixels | None:
        """Returns the pixels, shape (height, width, 3 or 4); None where none are.

        The array of an ID is never written to: it is another one after a change.
        """
        return self._images.get(tex_id)


def changed_part(old: Pixels, new: Pixels) -> Rect | None:
    """Returns what differs between two images of one shape.

    Returns:
        x, y, width and height around all pixels that differ; None if none does.
    """
    height, width, depth = new.shape
    # Flat rows: NumPy is slow at reducing an axis as short as a pixel.
    differs = new.reshape(height, -1) != old.reshape(height, -1)
    rows = np.flatnonzero(differs.any(axis=1))
    if not len(rows):
        return None
    top, end = int(rows[0]), int(rows[-1]) + 1
    columns = differs[top:end].any(axis=0).reshape(width, depth).any(axis=1)
    across = np.flatnonzero(columns)
    left = int(across[0])
    return left, top, int(across[-1]) + 1 - left, end - top


def _bytes(img: object) -> Pixels:
    """Returns any kind of pixels as flat bytes, not copied where that is possible."""
    if img is None:
        return np.zeros(0, np.uint8)
    if isinstance(img, str):
        # As Studio's WebViewer takes them: binary data that came as text.
        img = img.encode("latin-1")
    if isinstance(img, np.ndarray):
        if img.dtype.itemsize != 1:
            msg = (
                f"an image is of bytes, this array of {img.dtype}: convert it, "
                "for 0 to 1 with (255 * img).astype(numpy.uint8)"
            )
            raise TypeError(msg)
        return np.ascontiguousarray(img).view(np.uint8).reshape(-1)
    return np.frombuffer(img, np.uint8)  # ty: ignore[no-matching-overload] - says so itself


def _pixels(data: Pixels, width: int, height: int, bpp: int) -> Pixels:
    """Returns a copy of the bytes in the shape of an image, grey ones as RGB."""
    if bpp not in _DEPTHS:
        msg = (
            f"an image of {bpp} bytes a pixel: 3 (RGB), 4 (RGBA) or 1 (grey) are known"
        )
        raise ValueError(msg)
    if min(width, height) < 1 or max(width, height) > MAX_SIDE:
        msg = f"an image of {width} x {height} pixels: each side is 1 to {MAX_SIDE}"
        raise ValueError(msg)
    if width * height > MAX_PIXELS:
        msg = (
            f"an image of {width} x {height} pixels: at most {MAX_PIXELS} in all are "
            "sent, scale it down"
        )
        raise ValueError(msg)
    wanted = width * height * bpp
    if len(data) != wanted:
        msg = (
            f"an image of {width} x {height} pixels, {bpp} bytes each, has {wanted} "
            f"bytes, not {len(data)}"
        )
        raise ValueError(msg)
    shaped = data.reshape(height, width, bpp)
    return np.repeat(shaped, _RGB, axis=2) if bpp == _GREY else shaped.copy()
