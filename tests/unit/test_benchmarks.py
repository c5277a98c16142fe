"""What the benchmark counts and how it prints it; never how long anything takes."""

from __future__ import annotations

import base64
import dataclasses
import io
from typing import Any

import numpy as np
import pytest
from mujoco.studio import messages, plugin
from PIL import Image

import studio_nb
from benchmarks import film, jupyter, physics, report
from benchmarks.figures import Figures
from benchmarks.traffic import Traffic, size
from tests.unit.conftest import PENDULUM

VIEW: Any = {"x": 10, "y": 20, "width": 200, "height": 100}


# -- Jupyter's messages --------------------------------------------------------


def on_the_socket(content: dict[str, Any], *buffers: bytes) -> bytes:
    """A comm message as JupyterLab's server writes it, by its own function."""
    base = pytest.importorskip("jupyter_server.services.kernels.connection.base")
    session = pytest.importorskip("jupyter_client.session").Session(key=b"")
    data = {"comm_id": "c", "data": {"method": "custom", "content": content}}
    message = session.msg("comm_msg", data)
    # Without the delimiter and the signature, which stay between server and kernel.
    parts = session.serialize(message)[2:]
    return base.serialize_msg_to_ws_v1([*parts, *buffers], "iopub")


def test_a_message_of_the_server_is_read():
    message = jupyter.read_message(on_the_socket({"type": "asset"}, b"abc", b""))
    assert message.kind == "comm_msg"
    assert message.custom == {"type": "asset"}
    assert message.buffers == [b"abc", b""]


@pytest.mark.parametrize(
    "payload", [b"", b"\xff" * 8, b"{}", b"\x01" + bytes(15), bytes(64)]
)
def test_what_is_no_message_is_told(payload: bytes):
    with pytest.raises(ValueError, match=f"{len(payload)} bytes is no Jupyter"):
        jupyter.read_message(payload)


def test_frames_are_counted_by_stream():
    both = on_the_socket({"type": "frame", "streams": ["state", "ui"]}, b"12345", b"12")
    panels = on_the_socket({"type": "frame", "streams": ["ui"]}, b"1234")
    other = on_the_socket({"type": "model", "gen": 1})
    counted = jupyter.count_streams([both, other, panels])
    assert counted == jupyter.Streams(
        frames=2, with_state=1, state=5, ui=6, whole=len(both) + len(panels)
    )


def test_parts_are_named_the_largest_first():
    frame = on_the_socket({"type": "frame", "streams": ["ui"]}, bytes(10))
    bundle = on_the_socket({"type": "bundle"}, bytes(5000))
    counted = jupyter.count_parts([frame, bundle, frame])
    assert list(counted.items()) == [("bundle", len(bundle)), ("frame", 2 * len(frame))]


# -- what the page received ----------------------------------------------------


class DevTools:
    """Stands for a session of DevTools: hands on what a test says happened."""

    def __init__(self) -> None:
        self.handlers: dict[str, Any] = {}

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    def send(self, *_: object) -> None:
        """Everything is enabled already."""

    def tell(self, event: str, **fields: Any) -> None:
        self.handlers[f"Network.{event}"](fields)


@pytest.fixture
def devtools():
    return DevTools()


@pytest.fixture
def traffic(devtools):
    traffic = Traffic(devtools)
    devtools.tell(
        "requestWillBeSent",
        requestId="1", loaderId="1", type="Document", timestamp=5.0, wallTime=1005.0,
        request={"url": "http://host/"},
    )  # fmt: skip
    return traffic


def tell_message(devtools: DevTools, at: float, opcode: int, data: str) -> None:
    response = {"opcode": opcode, "payloadData": data}
    devtools.tell(
        "webSocketFrameReceived", requestId="2", timestamp=at, response=response
    )


def test_a_response_counts_with_what_came_over_the_line(devtools, traffic):
    devtools.tell("loadingFinished", requestId="1", timestamp=6.0, encodedDataLength=70)
    assert traffic.opened_at == 1005
    assert size(traffic.files()) == 70
    assert size(traffic.files(["host"], until=1005.9)) == 0
    assert traffic.files(["elsewhere"]) == []


def test_binary_and_text_messages_count_with_their_bytes(devtools, traffic):
    devtools.tell("webSocketCreated", requestId="2", url="ws://host/state?sid=1")
    tell_message(devtools, 7, 2, base64.b64encode(b"\x00\x01\x02").decode())
    tell_message(devtools, 8, 1, "é")
    assert [m.payload for m in traffic.messages("/state")] == [
        b"\x00\x01\x02",
        b"\xc3\xa9",
    ]
    assert size(traffic.messages("/state", until=1007.5)) == 3
    assert traffic.messages("/ui") == []


def test_after_clearing_only_what_is_new_counts(devtools, traffic):
    devtools.tell("webSocketCreated", requestId="2", url="ws://host/ui")
    tell_message(devtools, 7, 1, "old")
    traffic.clear()
    tell_message(devtools, 8, 1, "new")
    assert [m.payload for m in traffic.messages("/ui")] == [b"new"]


# -- the first picture ---------------------------------------------------------


def picture(at: float, pixels: np.ndarray) -> film.Picture:
    page = np.full((140, 240, 3), 255, np.uint8)
    page[20:120, 10:210] = pixels
    file = io.BytesIO()
    Image.fromarray(page).save(file, "JPEG", quality=95)
    return film.Picture(at, file.getvalue())


def scene(seed: int = 0) -> np.ndarray:
    """A picture with many colours in patches, which JPEG keeps apart."""
    patches = np.random.default_rng(seed).integers(0, 255, (10, 20, 3), np.uint8)
    return patches.repeat(10, axis=0).repeat(10, axis=1)


def test_the_first_picture_is_the_first_that_shows_what_stays():
    blank = np.zeros((100, 200, 3), np.uint8)
    untextured = scene(1)
    moved = scene()
    moved[30:60, 80:120] = 128
    pictures = [
        picture(at, pixels)
        for at, pixels in enumerate([blank, untextured, moved, scene(), scene()])
    ]
    assert film.first_picture(pictures, VIEW) == 2


def test_a_picture_that_came_last_is_better_than_none():
    pictures = [picture(at, scene(at)) for at in range(3)]
    assert film.first_picture(pictures, VIEW) == 2


def test_loading_screens_have_too_few_colours():
    bar = np.zeros((100, 200, 3), np.uint8)
    bar[40:60, 50:150] = (60, 120, 200)
    assert not film.has_colours(bar)
    assert film.has_colours(scene())


# -- the table -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.996, "1.0"), (9.96, "10"), (0.0451, "0.045"), (12345.6, "12,346")],
)
def test_numbers_have_two_digits_or_all_before_the_point(value: float, text: str):
    assert report.number(value) == text


@pytest.mark.parametrize(
    ("theirs", "ours", "more", "text"),
    [
        (10, 5, False, "2.0 x less"),
        (10, 50, True, "5.0 x more"),
        (10, 50, False, "5.0 x more, worse"),
        (10, 5, True, "2.0 x less, worse"),
        (3, 0, False, "to nothing"),
        (0, 3, False, "from nothing, worse"),
        (4, 4, False, "the same"),
        (None, 4, False, ""),
    ],
)
def test_a_ratio_says_whether_ours_is_better(theirs, ours, more, text):
    row = report.Row("it", theirs, ours, report.number, more_is_better=more)
    assert row.ratio() == text


def figures(**some: float | None) -> Figures:
    """Figures that are all 1, but for some."""
    values: dict[str, Any] = {field.name: 1.0 for field in dataclasses.fields(Figures)}
    values.update(some)
    return Figures(**values)


def test_every_figure_has_its_line():
    rows = report.rows(figures(), figures(relay_cpu_paused=None))
    assert len(rows) == len(dataclasses.fields(Figures))
    lines = report.table(rows).splitlines()
    assert len(lines) == len(rows) + 2
    assert {line.count("|") for line in lines} == {5}


def test_the_rest_is_summed_up():
    assert report.parts(
        {"bundle": 2000, "frame": 300, "status": 20, "model": 1}, 2
    ) == ("bundle 2.0 kB, frame 300 B, the rest 21 B")


def test_the_median_of_each_figure_counts():
    rounds = [
        figures(fps=fps, relay_cpu_paused=relay)
        for fps, relay in ((3.0, None), (1.0, 1.0), (2.0, 2.0))
    ]
    median = Figures.median(rounds)
    assert median.fps == 2
    assert median.relay_cpu_paused is None


# -- the physics ---------------------------------------------------------------


class Pusher(plugin.SimPlugin):
    """Drives the hinge of the session, which the bare loop does not."""

    @messages.handler
    def on_pre_step(self, event: messages.PreStepEvent) -> None:
        event.data.ctrl[0] = 1 + event.data.time


def test_both_halves_of_a_round_take_the_same_steps():
    with studio_nb.open(PENDULUM, view=False) as studio:
        paces = physics.compare(studio, rounds=2, seconds=0.01, pause_s=0)
    assert len(paces) == 2
    assert all(bare > 0 and viewed > 0 for bare, viewed in paces)


def test_a_session_that_goes_elsewhere_is_told():
    with (
        studio_nb.open(PENDULUM, view=False, plugins=[Pusher()]) as studio,
        pytest.raises(RuntimeError, match="not where the bare loop is"),
    ):
        physics.compare(studio, rounds=1, seconds=0.01, pause_s=0)


def test_the_ratio_is_the_median_of_each_rounds_own():
    bare, viewed, ratio = physics.medians([(100, 90), (10, 9.5), (50, 20)])
    assert (bare, viewed) == (50, 20)
    assert ratio == pytest.approx(0.9)
