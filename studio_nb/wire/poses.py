"""Poses on the wire: a position in 9 bytes, a rotation in 6.

Pure, vectorised functions. Positions are 24-bit multiples of a unit that is a
power of two, so they are as fine as float32 is at the farthest of them.
Rotations are "smallest three" quaternions: the error of an angle is at most
about 1e-4 rad, a thirtieth of a pixel at 560 rows of a 45 degree view.
"""

import numpy as np
import numpy.typing as npt

POSITION_BYTES = 9
ROTATION_BYTES = 6

I24_MAX = (1 << 23) - 1
# The finest unit, about a nanometre: finer ones would only carry noise.
MIN_UNIT = 2.0**-30

_STEPS = 32766
_SQRT2 = np.sqrt(2.0)
# How far from orthonormal a matrix may be and still count as a rotation; the
# float32 matrices of MuJoCo are within 1e-6.
_ORTHONORMAL_TOLERANCE = 1e-4

# For each index of the left-out component, the other three in order.
_OTHERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])


def unit_for(limit: float) -> float:
    """Returns the smallest unit (metres) whose 24-bit range holds `limit`."""
    return float(max(MIN_UNIT, 2.0 ** np.ceil(np.log2(max(limit, 1e-30) / I24_MAX))))


def is_rotation(mat: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Tells which of (N, 3, 3) matrices are proper rotations (NaN: no)."""
    gram = np.einsum("nij,nkj->nik", mat, mat)
    error = np.abs(gram - np.eye(3, dtype=mat.dtype)).max(axis=(1, 2), initial=0.0)
    det = np.einsum("ni,ni->n", mat[:, 0], np.cross(mat[:, 1], mat[:, 2]))
    return (error < _ORTHONORMAL_TOLERANCE) & (det > 0)


def quaternions(mat: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Returns unit quaternions (N, 4), w first, of rotation matrices (N, 3, 3).

    The largest component is positive. Uses that 4 q q^T is linear in the
    matrix: the row of the largest diagonal element is a multiple of q.
    """
    m = mat.astype(np.float64)
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    outer = np.empty((len(m), 4, 4))
    outer[:, 0, 0] = 1 + xx + yy + zz
    outer[:, 1, 1] = 1 + xx - yy - zz
    outer[:, 2, 2] = 1 - xx + yy - zz
    outer[:, 3, 3] = 1 - xx - yy + zz
    outer[:, 0, 1] = outer[:, 1, 0] = m[:, 2, 1] - m[:, 1, 2]
    outer[:, 0, 2] = outer[:, 2, 0] = m[:, 0, 2] - m[:, 2, 0]
    outer[:, 0, 3] = outer[:, 3, 0] = m[:, 1, 0] - m[:, 0, 1]
    outer[:, 1, 2] = outer[:, 2, 1] = m[:, 1, 0] + m[:, 0, 1]
    outer[:, 1, 3] = outer[:, 3, 1] = m[:, 0, 2] + m[:, 2, 0]
    outer[:, 2, 3] = outer[:, 3, 2] = m[:, 2, 1] + m[:, 1, 2]
    largest = np.argmax(np.einsum("nii->ni", outer), axis=1)
    row = outer[np.arange(len(m)), largest]
    return row / np.linalg.norm(row, axis=1, keepdims=True)


def encode_rotations(quat: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """Packs unit quaternions (N, 4) into 48-bit codes (N,) uint64."""
    n = np.arange(len(quat))
    largest = np.argmax(np.abs(quat), axis=1)
    sign = np.where(quat[n, largest] < 0, -1.0, 1.0)
    others = quat[n[:, None], _OTHERS[largest]] * sign[:, None]
    steps = np.rint((others * _SQRT2 + 1) / 2 * _STEPS).clip(0, _STEPS)
    fields = steps.astype(np.uint64)
    return (
        largest.astype(np.uint64)
        | fields[:, 0] << np.uint64(2)
        | fields[:, 1] << np.uint64(17)
        | fields[:, 2] << np.uint64(32)
    )


def decode_rotations(codes: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Returns the unit quaternions (N, 4), w first, of 48-bit codes."""
    shifts = np.array([2, 17, 32], np.uint64)
    fields = (codes[:, None] >> shifts) & np.uint64(0x7FFF)
    others = (fields.astype(np.float64) / _STEPS * 2 - 1) / _SQRT2
    largest = (codes & np.uint64(3)).astype(np.intp)
    quat = np.empty((len(codes), 4))
    n = np.arange(len(codes))
    quat[n[:, None], _OTHERS[largest]] = others
    quat[n, largest] = np.sqrt(np.maximum(0, 1 - np.sum(others**2, axis=1)))
    return quat


def pack_rotations(codes: npt.NDArray[np.uint64]) -> bytes:
    """Returns 48-bit codes as N x 6 bytes."""
    return codes.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :6].tobytes()


def unpack_rotations(data: bytes) -> npt.NDArray[np.uint64]:
    """Returns the codes (N,) of N x 6 bytes."""
    wide = np.zeros((len(data) // ROTATION_BYTES, 8), np.uint8)
    wide[:, :6] = np.frombuffer(data, np.uint8).reshape(-1, 6)
    return wide.view("<u8")[:, 0].astype(np.uint64)


def pack_positions(steps: npt.NDArray[np.int32]) -> bytes:
    """Returns (N, 3) integers within +-I24_MAX as N x 9 bytes."""
    return steps.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def unpack_positions(data: bytes) -> npt.NDArray[np.int32]:
    """Returns the (N, 3) integers of N x 9 bytes."""
    wide = np.zeros((len(data) // 3, 4), np.uint8)
    wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
    return (wide.view("<i4")[:, 0] >> 8).reshape(-1, 3)
