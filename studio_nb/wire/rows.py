"""Row sets: which rows of a table a block updates, in as few bytes as possible.

Pure functions; the layout is docs/wire.md's "Rows".
"""

import numpy as np
import numpy.typing as npt

from studio_nb.wire.packets import ROW_MODE_SHIFT, Block, WireError

ALL, MASK, LIST_U16, LIST_U32 = range(4)

_U16_ROWS = 1 << 16


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def encode(rows: npt.NDArray[np.intp], size: int) -> tuple[int, bytes]:
    """Encodes a set of rows.

    Args:
        rows: Row numbers, ascending, each below `size`.
        size: Number of rows of the table.

    Returns:
        The bits for `Block.flags` and the bytes that open the payload (a
        multiple of 4).
    """
    n = len(rows)
    if n == size or (n and rows[-1] == n - 1):
        return ALL << ROW_MODE_SHIFT, b""
    wide = size > _U16_ROWS
    if (size + 7) // 8 <= n * (4 if wide else 2):
        mask = np.zeros(size, np.bool_)
        mask[rows] = True
        packed = np.packbits(mask, bitorder="little").tobytes()
        return MASK << ROW_MODE_SHIFT, _padded(packed)
    if wide:
        return LIST_U32 << ROW_MODE_SHIFT, rows.astype("<u4").tobytes()
    return LIST_U16 << ROW_MODE_SHIFT, _padded(rows.astype("<u2").tobytes())


def decode(block: Block, size: int) -> tuple[npt.NDArray[np.intp], int]:
    """Reads the row set of a block.

    Args:
        block: A block of a table with `size` rows.
        size: Number of rows of the table.

    Returns:
        The row numbers, ascending, and the offset of the data behind them.

    Raises:
        WireError: If the set is truncated, unordered, or names other rows.
    """
    n = block.count
    mode = block.flags >> ROW_MODE_SHIFT
    if n > size:
        msg = f"block {block.tag} names {n} rows of a table of {size}"
        raise WireError(msg)
    if mode == ALL:
        return np.arange(n), 0
    if mode not in (MASK, LIST_U16, LIST_U32):
        msg = f"block {block.tag} has row mode {mode}; 0 to 3 are known"
        raise WireError(msg)
    width = {MASK: (size + 7) // 8, LIST_U16: 2 * n, LIST_U32: 4 * n}[mode]
    if len(block.payload) < width:
        msg = f"block {block.tag} ends within its row set"
        raise WireError(msg)
    raw = block.payload[:width]
    if mode == MASK:
        bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
        rows = np.flatnonzero(bits)
    else:
        rows = np.frombuffer(raw, "<u2" if mode == LIST_U16 else "<u4").astype(np.intp)
    if len(rows) != n or (n and rows[-1] >= size) or np.any(np.diff(rows) <= 0):
        msg = f"block {block.tag} names rows that are not {n} ascending below {size}"
        raise WireError(msg)
    return rows, width + -width % 4
