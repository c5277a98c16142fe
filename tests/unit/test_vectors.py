"""The two implementations of docs/wire.md, held to each other by files.

`tests/vectors/python` is what Python writes and the page's tests read;
`tests/vectors/js` the reverse. UPDATE_VECTORS=1 writes the former anew.
"""

import json
import os
import re
import types
import zlib
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from studio_nb.flow import Flow
from studio_nb.page import Page
from studio_nb.scene import assets, camera, frames, memory
from studio_nb.wire import packets, rows
from studio_nb.wire.packets import Block, Tag

VECTORS = Path(__file__).parents[1] / "vectors"
WIRE_TS = Path(__file__).parents[2] / "js" / "src" / "wire.ts"

# The blocks that open with a row set, and the table that it is of.
GEOM_TABLE = (Tag.POSE, Tag.POSE_F32, Tag.SIZE, Tag.RGBA, Tag.LOOK, Tag.LABEL)
LIGHT_TABLE = (Tag.LIGHT, Tag.LIGHT_POSE)


def synthetic_scene(ngeom: int, seed: int) -> Any:
    """A scene of made-up numbers: independent of any MuJoCo's arithmetic."""
    random = np.random.default_rng(seed)
    geoms = np.zeros(ngeom, memory.GEOM)
    geoms["type"] = np.arange(ngeom) % 8
    geoms["objid"] = np.arange(ngeom)
    geoms["pos"] = random.integers(-1000, 1000, (ngeom, 3)) / 128
    geoms["mat"] = np.eye(3)
    geoms["mat"][1::2] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    geoms["size"] = random.integers(1, 64, (ngeom, 3)) / 64
    geoms["rgba"] = random.integers(0, 16, (ngeom, 4)) / 16
    geoms["label"][::5] = "grün".encode()
    if ngeom:
        geoms["mat"][0] = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
    lights = np.zeros(2, memory.LIGHT)
    lights["headlight"] = [1, 0]
    lights["pos"] = [[0, 0, 1], [0, 0, 4]]
    return types.SimpleNamespace(
        geoms=geoms,
        lights=lights,
        scene=types.SimpleNamespace(flags=np.array([1, 0] * 6, np.uint8)),
    )


def frame_packets() -> dict[str, tuple[bytes, int]]:
    """Packets of a full frame and of what follows, with their number of geoms."""
    view = synthetic_scene(40, seed=1)
    encoder = frames.FrameEncoder(extent=4.0)
    cam = mujoco.MjvCamera()
    cam.distance, cam.azimuth, cam.elevation = 2.5, 90.0, -45.0
    out = {}

    def frame(name: str, *, full: bool = False) -> None:
        info = frames.FrameInfo(0.25, paused=True, selected=3, camera=cam, generation=7)
        packet = encoder.encode(view, info, full=full)
        assert packet is not None
        out[name] = (packet, len(view.geoms))

    frame("state_full", full=True)
    view.geoms["pos"][5] += 1
    frame("state_one_moved")
    view.geoms["pos"][::2] += 0.5
    view.lights["pos"][1] += 1
    frame("state_many_moved")
    view.geoms["size"][7:9] *= 2
    view.geoms["rgba"][30] = 0
    view.geoms["label"][1] = b"named"
    frame("state_looks")
    view.geoms = view.geoms[:10].copy()
    cam.azimuth = 120.0
    frame("state_fewer")
    return out


def other_packets() -> dict[str, bytes]:
    wedge = {
        "vert": np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32),
        "normal": np.array([[0, 0, -1], [1, 0, 0]], np.float32),
        "uv": np.array([[0, 0], [1, 0], [0, 1]], np.float32),
        "face": np.array([[0, 2, 1], [0, 1, 3]], np.int32),
        "facenormal": np.array([[0, 0, 0], [1, 1, 1]], np.int32),
        "faceuv": np.array([[0, 1, 2], [0, 1, 2]], np.int32),
    }
    mesh = zlib.decompress(assets.mesh_asset(wedge))
    wide = rows.encode(np.array([3, 69_999]), 70_000)
    return {
        "empty": packets.write_packet([]),
        "mesh": mesh,
        "zlib": packets.write_packet(
            [packets.deflated(Block(Tag.LABEL, bytes(range(256)) * 8, 5))]
        ),
        "unknown_tag": packets.write_packet(
            [Block(4095, b"?", 1), Block(Tag.SIZE, b"")]
        ),
        "wide_rows": packets.write_packet(
            [Block(Tag.SIZE, wide[1] + bytes(24), 2, wide[0])]
        ),
    }


def broken_packets() -> dict[str, bytes]:
    good = other_packets()["zlib"]
    body = bytearray(good)
    body[40] ^= 0xFF
    return {
        "broken_cut": good[:-1],
        "broken_long": good + bytes(4),
        "broken_magic": b"NOPE" + good[4:],
        "broken_version": good[:4] + b"\x02\x00" + good[6:],
        "broken_block": good[:20] + b"\xff\xff\xff\x7f" + good[24:],
        "broken_zlib": bytes(body),
        "broken_nothing": b"",
    }


def described(packet: bytes, ngeom: int = 0) -> list[dict[str, Any]]:
    out = []
    for block in packets.read_packet(packet):
        item: dict[str, Any] = {
            "tag": block.tag,
            "flags": block.flags,
            "count": block.count,
            "payload": block.payload.hex(),
        }
        size = ngeom if block.tag in GEOM_TABLE else 2
        if ngeom and block.tag in GEOM_TABLE + LIGHT_TABLE:
            at, offset = rows.decode(block, size)
            item |= {"table": size, "rows": at.tolist(), "offset": offset}
        out.append(item)
    return out


def everything() -> dict[str, tuple[bytes, dict[str, Any]]]:
    out: dict[str, tuple[bytes, dict[str, Any]]] = {
        name: (packet, {"blocks": described(packet, n)})
        for name, (packet, n) in frame_packets().items()
    }
    for name, packet in other_packets().items():
        out[name] = (packet, {"blocks": described(packet)})
    for name, packet in broken_packets().items():
        out[name] = (packet, {"error": True})
    return out


@pytest.mark.parametrize("name", everything())
def test_what_python_writes_is_what_the_page_was_tested_with(name):
    packet, says = everything()[name]
    file = VECTORS / "python" / f"{name}.bin"
    if os.environ.get("UPDATE_VECTORS"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(packet)
        file.with_suffix(".json").write_text(json.dumps(says, indent=1) + "\n")
    kept = json.loads(file.with_suffix(".json").read_text())
    assert kept == says
    # Another zlib may compress otherwise; what is read must be the same.
    if "error" not in says:
        tables = [block.get("table", 0) for block in says["blocks"]]
        assert described(file.read_bytes(), max([*tables, 0])) == says["blocks"]


def test_no_vector_is_left_over():
    names = {path.stem for path in (VECTORS / "python").iterdir()}
    assert names == set(everything())


JS_PACKETS = sorted(p.stem for p in (VECTORS / "js").glob("*.bin"))


@pytest.mark.parametrize("name", JS_PACKETS)
def test_what_the_page_writes_is_read_here(name):
    file = VECTORS / "js" / f"{name}.bin"
    says = json.loads(file.with_suffix(".json").read_text())["blocks"]
    blocks = packets.read_packet(file.read_bytes())
    assert [(b.tag, b.flags, b.count, b.payload.hex()) for b in blocks] == [
        (s["tag"], s["flags"], s["count"], s["payload"]) for s in says
    ]
    for block, said in zip(blocks, says, strict=True):
        if "table" in said:
            at, offset = rows.decode(block, said["table"])
            assert (at.tolist(), offset) == (said["rows"], said["offset"])


def heads(kind: str) -> list[dict[str, Any]]:
    file = VECTORS / "js" / "heads.json"
    return [head for head in json.loads(file.read_text()) if head["type"] == kind]


def test_the_page_writes_every_kind_of_head():
    for kind in ("ready", "view", "assets", "asset_ack", "input", "bye", "resync"):
        assert heads(kind), kind


def test_the_pages_ready_is_understood():
    page = Page()
    (ready,) = heads("ready")
    page.receive(ready)
    assert page.showing == ready["visible"]
    assert (page.look.width, page.look.height, page.look.dpr) == (400, 200, 1.5)


def test_the_pages_cameras_and_acks_are_understood():
    cam, sync, flow = mujoco.MjvCamera(), camera.CameraSync(), Flow()
    sent = [head["camera"] for head in heads("input") if "camera" in head]
    assert sent
    sync.generation = sent[0]["generation"]
    assert sync.adopt(cam, sent[0])
    acks = [head["ack"] for head in heads("input") if "ack" in head]
    assert acks
    assert all(isinstance(ack, int) for ack in acks)
    flow.acked(acks[0], 0.0)


def test_both_sides_have_the_same_version_and_tags():
    text = WIRE_TS.read_text()
    version = re.search(r"VERSION = (\d+)", text)
    assert version is not None
    assert int(version[1]) == packets.VERSION
    table = re.search(r"Tag = \{(.*?)\}", text, re.DOTALL)
    assert table is not None
    tags = {name: int(n) for name, n in re.findall(r"(\w+): (\d+)", table[1])}
    assert tags == {tag.name: int(tag) for tag in Tag}
