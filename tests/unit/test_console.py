"""What the Console hears, of whom, and what it leaves as it was."""

import logging
import threading
import warnings

import pytest

from studio_nb import console
from studio_nb.console import Console, listening


@pytest.fixture
def heard():
    one = Console()
    with listening(one):
        yield one


def said(one):
    return [(r.level, r.source, r.text) for r in one.records()]


def test_an_entry_like_the_last_is_only_counted():
    one = Console()
    for _ in range(3):
        one.add("warning", "MuJoCo", "Nan in QACC")
    one.add("warning", "MuJoCo", "another")
    assert [(r.text, r.count) for r in one.records()] == [
        ("Nan in QACC", 3),
        ("another", 1),
    ]
    assert one.unseen("warning") == 4


def test_the_oldest_go_beyond_the_bound():
    one = Console()
    for i in range(console.MAX_RECORDS + 5):
        one.add("info", "x", str(i))
    texts = [r.text for r in one.records()]
    assert len(texts) == console.MAX_RECORDS
    assert texts[0] == "5"


def test_seen_and_clear_reset_the_counts():
    one = Console()
    one.add("error", "x", "y")
    one.seen()
    assert one.unseen("error") == 0
    one.add("error", "x", "z")
    one.clear()
    assert one.unseen("error") == 0
    assert one.records() == []


def test_logging_is_heard_by_its_level(heard):
    logger = logging.getLogger("robot")
    logger.setLevel(logging.DEBUG)
    logger.debug("no")
    logger.info("one")
    logger.warning("two %d", 2)
    logger.error("three")
    assert said(heard) == [
        ("info", "robot", "one"),
        ("warning", "robot", "two 2"),
        ("error", "robot", "three"),
    ]


def test_a_logged_exception_comes_with_its_traceback(heard):
    try:
        {}["no gripper"]
    except KeyError:
        logging.getLogger("robot").exception("grasp failed")
    (record,) = heard.records()
    assert record.text.startswith("grasp failed\nTraceback")
    assert record.text.endswith("KeyError: 'no gripper'")


def test_a_warning_is_heard_and_still_shown_as_before(heard, monkeypatch):
    shown = []
    monkeypatch.setattr(console._hub, "_show_warning", lambda *a: shown.append(a))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = console._hub._on_warning  # ty: ignore[invalid-assignment]
        warnings.warn("mind the gap", UserWarning, stacklevel=1)
    ((level, source, text),) = said(heard)
    assert (level, source) == ("warning", "warnings")
    assert text.startswith("UserWarning: mind the gap (")
    assert len(shown) == 1


def test_what_ends_a_thread_is_heard_with_its_traceback(heard, monkeypatch):
    told = []
    monkeypatch.setattr(console._hub, "_thread_ended", told.append)

    def fail():
        msg = "gone"
        raise RuntimeError(msg)

    thread = threading.Thread(target=fail, name="worker")
    thread.start()
    thread.join()
    ((level, source, text),) = said(heard)
    assert (level, source) == ("error", "thread worker")
    assert "RuntimeError: gone" in text
    assert len(told) == 1


def test_every_open_console_hears_and_a_closed_one_does_not():
    first, second = Console(), Console()
    with listening(first):
        with listening(second):
            logging.getLogger("x").warning("both")
        logging.getLogger("x").warning("first")
    logging.getLogger("x").warning("nobody")
    assert [text for _, _, text in said(first)] == ["both", "first"]
    assert [text for _, _, text in said(second)] == ["both"]


def test_all_hooks_are_taken_back_when_the_last_console_leaves():
    before = (warnings.showwarning, threading.excepthook, logging.root.handlers[:])
    with listening(Console()), listening(Console()):
        assert warnings.showwarning != before[0]
    after = (warnings.showwarning, threading.excepthook, logging.root.handlers[:])
    assert after == before


def test_a_hook_that_another_installed_meanwhile_stays():
    before = threading.excepthook

    def theirs(args):
        del args

    try:
        with listening(Console()):
            threading.excepthook = theirs
        assert threading.excepthook is theirs
    finally:
        threading.excepthook = before


def test_what_reaches_no_other_handler_is_still_printed(heard, monkeypatch):
    printed = []
    monkeypatch.setattr(
        logging, "lastResort", type("H", (), {"handle": printed.append})
    )
    monkeypatch.setattr(logging.root, "handlers", [console._hub._handler])
    logger = logging.getLogger("lonely")
    logger.warning("hear me")
    assert [record.getMessage() for record in printed] == ["hear me"]
    logger.addHandler(logging.NullHandler())
    logger.warning("again")
    assert len(printed) == 1
    assert len(heard.records()) == 2


def test_a_handler_that_logs_does_not_go_round(heard):
    class Echo(logging.Handler):
        def emit(self, record):
            if record.name != "echo":
                logging.getLogger("echo").warning("heard %s", record.getMessage())

    echo = Echo()
    logging.root.addHandler(echo)
    try:
        logging.getLogger("x").warning("once")
    finally:
        logging.root.removeHandler(echo)
    assert {text for _, _, text in said(heard)} == {"once", "heard once"}


def test_many_threads_lose_no_entry(heard):
    def talk(n):
        for i in range(200):
            logging.getLogger(f"t{n}").warning("%d %d", n, i)

    threads = [threading.Thread(target=talk, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(r.count for r in heard.records()) == 1600


def test_a_message_that_cannot_be_formatted_harms_nobody(heard, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logging.getLogger("x").warning("%d", "not a number")
    logging.getLogger("x").warning("fine")
    assert [text for _, _, text in said(heard)] == ["fine"]


def test_hooks_that_were_put_back_after_the_last_console_left_do_not_go_round(
    monkeypatch,
):
    shown, ended = [], []
    monkeypatch.setattr(warnings, "showwarning", lambda *args: shown.append(args[0]))
    monkeypatch.setattr(threading, "excepthook", ended.append)
    with listening(Console()):
        # As `warnings.catch_warnings` does, which may end after the session.
        ours = warnings.showwarning, threading.excepthook
    monkeypatch.setattr(warnings, "showwarning", ours[0])
    monkeypatch.setattr(threading, "excepthook", ours[1])
    with listening(Console()):
        warnings.showwarning("watch out", UserWarning, "file.py", 1)
        failing = threading.Thread(target=lambda: 1 / 0)
        failing.start()
        failing.join()
    assert shown == ["watch out"]
    assert len(ended) == 1


def test_an_endless_text_is_cut():
    one = Console()
    one.add("info", "someone", "x" * (console.MAX_TEXT + 1))
    assert one.records()[0].text.endswith(f"x... ({console.MAX_TEXT + 1} characters)")
