"""Flow control: few frames in flight, newest wins, a silent page gets none."""

from studio_nb.flow import MAX_IN_FLIGHT, STALL_SEC, Flow
from studio_nb.page import Page


def test_the_first_frame_stands_alone_and_the_next_build_on_it():
    flow = Flow()
    assert flow.sent(0.0) == (1, None)
    assert flow.sent(0.1) == (2, 1)


def test_without_acks_only_a_few_frames_go_out():
    flow = Flow()
    for _ in range(flow.limit):
        assert flow.can_send(0.0)
        flow.sent(0.0)
    assert not flow.can_send(0.1)
    flow.acked(1, 0.1)
    assert flow.can_send(0.1)


def test_an_ack_confirms_all_frames_before_it():
    flow = Flow()
    flow.sent(0.0)
    flow.sent(0.0)
    flow.acked(2, 0.1)
    flow.sent(0.1)
    assert flow.can_send(0.1)


def test_a_long_line_gets_more_frames_in_flight():
    near, far = Flow(), Flow()
    for flow, trip in ((near, 0.01), (far, 0.3)):
        flow.draws(20)
        seq, _ = flow.sent(0.0)
        flow.acked(seq, trip)
    assert near.limit < far.limit <= MAX_IN_FLIGHT
    assert far.round_trip == 0.3


def test_a_page_gets_little_more_than_it_draws():
    flow = Flow()
    flow.draws(25)
    assert 25 < flow.fps < 35
    flow.draws(58)
    assert flow.fps == 60


def test_a_page_that_had_nothing_to_draw_starts_at_a_fair_rate():
    flow = Flow()
    flow.draws(0)
    assert flow.fps == 15


def test_a_page_that_stops_answering_gets_no_frames_until_it_is_heard():
    flow = Flow()
    flow.sent(0.0)
    assert not flow.can_send(STALL_SEC + 0.1)
    assert flow.stalled
    assert not flow.can_send(STALL_SEC + 5)
    flow.heard()
    assert flow.can_send(STALL_SEC + 5)
    assert flow.sent(STALL_SEC + 5)[1] is None


def test_hearing_from_a_page_that_answers_restarts_nothing():
    flow = Flow()
    flow.sent(0.0)
    flow.heard()
    assert not flow.need_full


def test_restarting_sends_a_full_frame():
    flow = Flow()
    flow.sent(0.0)
    flow.restart()
    assert flow.sent(0.1) == (2, None)


def test_an_ack_of_a_frame_from_before_a_restart_confirms_nothing_new():
    flow = Flow()
    old, _ = flow.sent(0.0)
    flow.restart()
    for _ in range(flow.limit):
        flow.sent(0.1)
    flow.acked(old, 0.2)
    assert not flow.can_send(0.2)


READY = {
    "type": "ready", "client": "a", "width": 640, "height": 480, "dpr": 2,
    "theme": "dark", "visible": True,
}  # fmt: skip


def look(page: Page) -> tuple:
    return (page.look.width, page.look.height, page.look.dpr, page.look.theme)


def test_a_page_is_as_it_said():
    page = Page()
    assert not page.showing
    assert page.receive(READY) == "theme"
    assert page.showing
    assert look(page) == (640, 480, 2, "dark")
    assert page.receive({"type": "view", "client": "a", "width": 300}) == "size"
    assert page.receive({"type": "view", "client": "a", "visible": False}) == ""
    assert not page.showing


def test_a_page_that_said_goodbye_is_gone_unless_another_came():
    page = Page()
    page.receive(READY)
    page.receive({**READY, "client": "b"})
    page.receive({"type": "bye", "client": "a"})
    assert page.ready
    page.receive({"type": "bye", "client": "b"})
    assert not page.ready


def test_a_page_goes_on_being_shown_when_another_one_left():
    page = Page()
    page.receive(READY)
    page.receive({**READY, "client": "b", "width": 300})
    assert look(page)[0] == 640
    assert page.receive({"type": "bye", "client": "a"}) == "size"
    assert page.showing
    assert look(page)[0] == 300


def test_nonsense_leaves_a_page_as_it_was():
    page = Page()
    page.receive(READY)
    for wrong in (
        {"width": "wide"}, {"width": float("nan")}, {"height": True},
        {"dpr": None}, {"theme": "pink"}, {"visible": 1},
    ):  # fmt: skip
        assert page.receive({"type": "view", "client": "a", **wrong}) == ""
    assert look(page) == (640, 480, 2, "dark")
    assert page.showing


def test_sizes_stay_within_reason():
    page = Page()
    page.receive({**READY, "width": 0, "height": 1e9, "dpr": 1000})
    assert look(page)[:3] == (16, 16384, 8)
