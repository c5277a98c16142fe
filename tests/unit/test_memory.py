"""What a notebook remembers of its panels."""

import pytest

from studio_nb import widget
from studio_nb.memory import LIMIT_BYTES, Memory


@pytest.fixture
def sent():
    return []


@pytest.fixture
def memory(sent):
    return Memory(sent.append)


def values(sent):
    return [head["value"] for head in sent]


def test_it_takes_what_the_first_page_had(memory):
    memory.meet({"theme": "dark"})
    assert (memory.value, memory.loaded) == ({"theme": "dark"}, 1)


@pytest.mark.parametrize("stored", [None, 3, "x", [1], {"x": "y" * LIMIT_BYTES}])
def test_what_a_page_has_wrongly_is_passed_over(memory, stored):
    memory.meet(stored)
    assert (memory.value, memory.loaded) == ({}, 0)


def test_a_later_page_gets_the_sessions_instead_of_its_own(memory, sent):
    memory.meet(None)
    memory.keep({"theme": "light"})
    memory.pump(10.0)
    memory.meet({"theme": "dark"})
    memory.pump(12.0)
    assert (memory.value, memory.loaded) == ({"theme": "light"}, 0)
    assert values(sent) == [{"theme": "light"}] * 2
    memory.meet({"theme": "light"})
    memory.pump(14.0)
    assert len(sent) == 2


def test_changes_are_sent_at_most_once_a_second_and_at_the_end(memory, sent):
    memory.meet(None)
    for tenth in range(25):
        memory.keep({"width": tenth})
        memory.pump(100 + tenth / 10)
    memory.close()
    memory.close()
    assert values(sent) == [{"width": width} for width in (0, 10, 20, 24)]


def test_what_is_the_same_is_not_sent_again(memory, sent):
    memory.meet({"open": ["Console"]})
    memory.keep({"open": ["Console"]})
    memory.pump(10.0)
    memory.close()
    assert sent == []


def test_what_the_caller_changes_afterwards_counts_only_when_kept(memory, sent):
    memory.meet(None)
    panels = {"Console": {"filter": "a"}}
    memory.keep({"windows": panels})
    panels["Console"]["filter"] = "b"
    assert memory.value == {"windows": {"Console": {"filter": "a"}}}
    memory.keep({"windows": panels})
    memory.pump(10.0)
    assert values(sent) == [{"windows": {"Console": {"filter": "b"}}}]


def test_nothing_is_sent_before_a_page_is_there(memory, sent):
    memory.keep({"theme": "dark"})
    memory.pump(10.0)
    memory.close()
    assert sent == []


@pytest.mark.parametrize(
    "value", [{"a": object()}, {"a": float("nan")}, {"a": "x" * LIMIT_BYTES}]
)
def test_what_can_not_be_kept_is_logged_once_and_the_last_stays(memory, value, caplog):
    memory.keep({"theme": "dark"})
    memory.keep(value)
    memory.keep(value)
    assert memory.value == {"theme": "dark"}
    assert len(caplog.records) == 1
    assert "not remembered" in caplog.text


def test_the_viewer_brings_memory_and_page_together(viewed):
    session, page = viewed
    page.ready(memory={"note": "mine"})
    page.until(lambda: session.viewer and session.viewer.memory.loaded == 1)
    page.until(lambda: any(head["type"] == "memory" for head in page.heads))
    assert session.viewer.memory.value


def test_the_key_is_of_the_notebook_and_the_session(monkeypatch, tmp_path):
    monkeypatch.setenv("JPY_SESSION_NAME", "work/a.ipynb")
    first = widget.memory_key("studio")
    assert first == widget.memory_key("studio")
    assert first != widget.memory_key("other")
    monkeypatch.setenv("JPY_SESSION_NAME", "work/b.ipynb")
    assert first != widget.memory_key("studio")
    monkeypatch.delenv("JPY_SESSION_NAME")
    folder = widget.memory_key("studio")
    monkeypatch.chdir(tmp_path)
    assert folder != widget.memory_key("studio")
    assert "work" not in first
