"""The wire format of docs/wire.md: what is written can be read, and only that."""

import contextlib
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_nb.wire import packets, poses, rows
from studio_nb.wire.packets import FLAG_ZLIB, Block, Tag, WireError


def test_a_packet_gives_back_its_blocks():
    blocks = [Block(Tag.FRAME, b"abc", 1), Block(Tag.SIZE, b"", 0, 0x200)]
    assert packets.read_packet(packets.write_packet(blocks)) == blocks


def test_blocks_start_at_multiples_of_four():
    packet = packets.write_packet([Block(1, b"x"), Block(2, b"y")])
    assert len(packet) == 12 + 2 * (12 + 4)


def test_a_large_payload_is_deflated_and_comes_back_inflated():
    block = packets.deflated(Block(Tag.LOOK, bytes(5000), 7))
    assert block.flags & FLAG_ZLIB
    assert len(block.payload) < 100
    (read,) = packets.read_packet(packets.write_packet([block]))
    assert read == Block(Tag.LOOK, bytes(5000), 7, FLAG_ZLIB)


@pytest.mark.parametrize("payload", [b"short", np.random.default_rng(0).bytes(4000)])
def test_a_payload_that_would_not_shrink_stays_as_it_is(payload):
    block = Block(Tag.LOOK, payload)
    assert packets.deflated(block) is block


def test_the_head_of_a_deflated_payload_stays_readable():
    block = packets.deflated(Block(Tag.UI_LIST, b"HEAD" + bytes(5000)), head=4)
    assert block.payload[:4] == b"HEAD"
    assert packets.inflate(block.payload, head=4) == b"HEAD" + bytes(5000)


def test_an_unknown_tag_is_handed_on():
    (block,) = packets.read_packet(packets.write_packet([Block(9999, b"new")]))
    assert block.tag == 9999


def good_packet() -> bytes:
    return packets.write_packet(
        [Block(1, b"12345", 1), packets.deflated(Block(2, bytes(999), 2))]
    )


@pytest.mark.parametrize("at", range(len(good_packet())))
def test_a_packet_cut_anywhere_raises(at):
    with pytest.raises(WireError):
        packets.read_packet(good_packet()[:at])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda p: b"XXXX" + p[4:], "starts with"),
        (lambda p: p[:4] + struct.pack("<H", 2) + p[6:], "version 2"),
        (lambda p: p + b"more", "says"),
        (lambda p: p[:6] + struct.pack("<H", 1) + p[8:], "after its last block"),
        (lambda p: p[:20] + struct.pack("<I", 1 << 30) + p[24:], "runs past"),
    ],
)
def test_a_garbled_header_says_what_is_wrong(change, says):
    with pytest.raises(WireError, match=says):
        packets.read_packet(change(good_packet()))


@pytest.mark.parametrize(
    "payload",
    [
        b"\x00",
        struct.pack("<I", 10) + b"no zlib stream",
        packets.deflated(Block(1, bytes(999))).payload[:-3],
        struct.pack("<I", 1 << 31) + packets.deflated(Block(1, bytes(999))).payload[4:],
        struct.pack("<I", 998) + packets.deflated(Block(1, bytes(999))).payload[4:],
        struct.pack("<I", 1000) + packets.deflated(Block(1, bytes(999))).payload[4:],
    ],
)
def test_a_broken_stream_raises(payload):
    with pytest.raises(WireError):
        packets.read_packet(packets.write_packet([Block(1, payload, 0, FLAG_ZLIB)]))


@given(st.binary(max_size=200))
def test_noise_never_does_more_than_raise(noise):
    header = struct.pack("<IHHI", packets.MAGIC, packets.VERSION, 3, 12 + len(noise))
    for buffer in (noise, header + noise):
        with contextlib.suppress(WireError):
            packets.read_packet(buffer)


@given(st.data(), st.integers(1, 70_000))
def test_any_set_of_rows_comes_back(data, size):
    wanted = data.draw(st.sets(st.integers(0, size - 1), max_size=50))
    chosen = np.array(sorted(wanted), np.intp)
    flags, head = rows.encode(chosen, size)
    assert len(head) % 4 == 0
    block = Block(Tag.SIZE, head + b"rest", len(chosen), flags)
    read, offset = rows.decode(block, size)
    assert read.tolist() == chosen.tolist()
    assert block.payload[offset:] == b"rest"


@pytest.mark.parametrize(
    ("chosen", "size", "mode"),
    [
        (range(10), 10, rows.ALL),
        (range(3), 10, rows.ALL),
        (range(0, 100, 2), 100, rows.MASK),
        ([7], 1000, rows.LIST_U16),
        ([70_001], 100_000, rows.LIST_U32),
    ],
)
def test_rows_take_the_shortest_form(chosen, size, mode):
    flags, _ = rows.encode(np.array(list(chosen)), size)
    assert flags >> packets.ROW_MODE_SHIFT == mode


@pytest.mark.parametrize(
    ("mode", "head", "count"),
    [
        (rows.ALL, b"", 11),
        (rows.MASK, b"\x01", 1),
        (rows.MASK, b"\x01\x00\x00\x00", 2),
        (rows.MASK, b"\x00\xff\x00\x00", 8),
        (rows.LIST_U16, b"\x01", 1),
        (rows.LIST_U16, b"\x02\x00\x01\x00", 2),
        (rows.LIST_U16, b"\x0a\x00\x00\x00", 1),
        (7, b"\x00\x00\x00\x00", 1),
    ],
)
def test_rows_that_cannot_be_raise(mode, head, count):
    block = Block(Tag.SIZE, head, count, mode << packets.ROW_MODE_SHIFT)
    with pytest.raises(WireError):
        rows.decode(block, 10)


def random_quaternions(n: int) -> np.ndarray:
    quats = np.random.default_rng(0).normal(size=(n, 4))
    return quats / np.linalg.norm(quats, axis=1, keepdims=True)


def test_a_rotation_survives_within_a_hundredth_of_a_degree():
    quats = random_quaternions(10_000)
    packed = poses.pack_rotations(poses.encode_rotations(quats))
    assert len(packed) == 6 * len(quats)
    read = poses.decode_rotations(poses.unpack_rotations(packed))
    angles = 2 * np.arccos(np.abs((quats * read).sum(axis=1)).clip(0, 1))
    assert np.rad2deg(angles).max() < 0.01


@pytest.mark.parametrize("quat", np.eye(4).tolist())
def test_a_rotation_by_nothing_or_a_half_turn_is_exact(quat):
    codes = poses.encode_rotations(np.array([quat]))
    assert poses.decode_rotations(codes)[0].tolist() == quat


def test_quaternions_of_matrices_are_mujocos():
    mujoco = pytest.importorskip("mujoco")
    for quat in random_quaternions(100):
        mat = np.zeros(9)
        mujoco.mju_quat2Mat(mat, quat)
        (read,) = poses.quaternions(mat.reshape(1, 3, 3).astype(np.float32))
        assert abs(abs(read @ quat) - 1) < 1e-6


def test_only_rotations_count_as_rotations():
    eye = np.eye(3, dtype=np.float32)
    shear = eye.copy()
    shear[0, 1] = 0.01
    mats = np.array([eye, -eye, 2 * eye, 0 * eye, eye * np.nan, shear])
    assert poses.is_rotation(mats).tolist() == [True, False, False, False, False, False]


@given(st.floats(1e-6, 1e6))
def test_a_unit_holds_its_limit_as_finely_as_float32(limit):
    unit = poses.unit_for(limit)
    assert limit <= unit * poses.I24_MAX
    assert unit == poses.MIN_UNIT or limit > unit / 2 * poses.I24_MAX


def test_positions_survive_to_the_step():
    steps = np.array([[0, 1, -1], [poses.I24_MAX, -poses.I24_MAX, 12345]], np.int32)
    packed = poses.pack_positions(steps)
    assert len(packed) == 9 * len(steps)
    assert poses.unpack_positions(packed).tolist() == steps.tolist()
