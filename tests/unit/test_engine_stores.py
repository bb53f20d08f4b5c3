"""Event stores: one behaviour for all that keep events, none kept by the other, live subscription, broken stores."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from petri_cli.engine import JsonlStore, MemoryStore, NoStore, VirtualExecutor, event_to_json, fork, read_events
from petri_cli.engine.events import Event
from petri_cli.net.builder import NetBuilder

NET = NetBuilder("net").transition("a", "p", "q").transition("b", "q", "r").marking(p=["x", "y"]).build()
ACTIONS = {"a": fork(), "b": fork()}


@pytest.fixture(params=["memory", "jsonl"])
def keeper(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Any, Callable[[], list[Event]]]]:
    """A store that keeps events, and how to read what it kept."""
    if request.param == "memory":
        store = MemoryStore()
        yield store, lambda: store.events
    else:
        with JsonlStore(tmp_path / "events.jsonl") as file:
            yield file, lambda: list(read_events(tmp_path / "events.jsonl"))


def test_a_store_keeps_every_event_in_order(keeper: tuple[Any, Callable[[], list[Event]]]) -> None:
    store, kept = keeper
    told: list[Event] = []
    store.subscribe(told.append)
    VirtualExecutor(NET, ACTIONS, store=store).run()
    assert [event_to_json(e) for e in kept()] == [event_to_json(e) for e in told]
    assert (told[0].type, told[-1].type) == ("ExecutionStarted", "ExecutionCompleted")
    assert len([e for e in told if e.type == "TransitionCompleted"]) == 4


def test_a_subscriber_hears_from_now_until_it_leaves(keeper: tuple[Any, Callable[[], list[Event]]]) -> None:
    store, kept = keeper
    told: list[Event] = []
    leave = store.subscribe(lambda e: (told.append(e), leave()) if e.type == "TransitionStarted" else None)
    VirtualExecutor(NET, ACTIONS, store=store).run()
    assert [e.type for e in told] == ["TransitionStarted"]
    assert len(kept()) > 10


def test_a_subscriber_that_throws_is_dropped_and_harms_nobody(
    keeper: tuple[Any, Callable[[], list[Event]]], caplog: pytest.LogCaptureFixture
) -> None:
    store, _ = keeper
    told: list[Event] = []
    store.subscribe(lambda e: 1 / 0)
    store.subscribe(told.append)
    with caplog.at_level(logging.ERROR, "petri_cli.engine"):
        result = VirtualExecutor(NET, ACTIONS, store=store).run()
    assert result.values == {"r": ["x", "y"]}
    assert result.store_error is None
    assert told[-1].type == "ExecutionCompleted"
    assert len(caplog.records) == 1


def test_where_nobody_keeps_events_none_are_made() -> None:
    class Nothing(NoStore):
        def append(self, event: Event, /) -> None:
            raise AssertionError("an event was made")

    for store in (Nothing(), None):
        assert VirtualExecutor(NET, ACTIONS, store=store).run().values == {"r": ["x", "y"]}


def test_a_file_can_be_appended_to_and_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for _ in range(2):
        with JsonlStore(path) as store:
            VirtualExecutor(NET, ACTIONS, store=store).run()
    whole = list(read_events(path))
    assert [e.type for e in whole].count("ExecutionStarted") == 2
    with path.open("a", encoding="utf-8") as file:
        file.write('{"type":"Execution')
    assert list(read_events(path)) == whole


def test_a_value_that_json_cannot_hold_is_written_as_text(tmp_path: Path) -> None:
    with JsonlStore(tmp_path / "events.jsonl") as store:
        VirtualExecutor(NET, ACTIONS, {"p": [{1, 2}, "\udc80 ß"]}, store=store).run()
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    values = [v["value"] for line in lines for v in json.loads(line).get("consumed", {}).get("p", [])]
    assert values == ["{1, 2}", "\udc80 ß"]


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def cycle() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "nan"),
        ([1, float("-inf")], "[1, -inf]"),
        ({("a", 1): 2}, "{('a', 1): 2}"),
        (cycle(), "[[...]]"),
        (10**5000, "<int>"),
        (Unprintable(), "<Unprintable>"),
        ([Unprintable()], "<list>"),
    ],
    ids=["nan", "infinity", "odd keys", "cycle", "too many digits", "repr throws", "repr throws inside"],
)
def test_no_value_breaks_a_line_or_the_run(value: Any, text: str, tmp_path: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    with JsonlStore(tmp_path / "events.jsonl") as store:
        result = VirtualExecutor(NET, {**ACTIONS, "a": lambda ctx: {"q": [value]}}, {"p": [7]}, store=store).run()
    assert (result.failures, result.store_error) == (0, None)
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line, parse_constant=refuse) for line in lines]
    assert [e["token"]["value"] for e in events if e["type"] == "TokenAdded"] == [text, text]
    assert events[-2]["marking"]["r"][0]["value"] == text


class Broken:
    """A store that throws at events of one type about one transition or place."""

    keeps = True

    def __init__(self, kind: str, subject: str) -> None:
        self.kind, self.subject = kind, subject
        self.events: list[Event] = []

    def append(self, event: Event, /) -> None:
        names = (getattr(event, "transition", None), getattr(event, "place", None))
        if event.type == self.kind and self.subject in names:
            raise OSError("disk full")
        self.events.append(event)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize(
    ("kind", "subject", "fired"),
    [
        ("TokenRemoved", "p", 0),
        ("TransitionStarted", "a", 0),
        ("TokenAdded", "q", 2),
        ("TransitionCompleted", "a", 2),
    ],
)
@pytest.mark.parametrize("priority", [0, 1])
def test_a_store_that_throws_fails_just_the_firing_it_was_told_about(
    kind: str, subject: str, fired: int, priority: int
) -> None:
    """On the fast and on the general path: the action of a firing that could not be recorded is not even called."""
    calls: list[str] = []

    def a(ctx: Any) -> dict[str, Any]:
        calls.append("a")
        return {"q": ctx.input("p")}

    net = (
        NetBuilder("net")
        .transition("a", "p", "q")
        .transition("b", "q", "r")
        .transition("c", "k", "o", priority=priority)
        .marking(p=["x", "y"], k=1)
        .build()
    )
    store = Broken(kind, subject)
    result = VirtualExecutor(net, {"a": a, "b": fork(), "c": fork()}, store=store).run()
    assert len(calls) == fired
    assert result.values == {"o": [None]}  # nothing of `a` was deposited, its tokens are lost, the rest went on
    assert isinstance(result.store_error, OSError)
    failed = [e for e in store.events if e.type == "TransitionFailed"]
    assert [(e.transition, e.error) for e in failed] == [("a", "OSError")] * 2
    assert result.failures == 2


def test_a_store_that_throws_at_the_start_and_the_end_does_not_stop_the_run() -> None:
    class Deaf(Broken):
        def append(self, event: Event, /) -> None:
            raise OSError("disk full")

        def flush(self) -> None:
            raise OSError("disk full")

    result = VirtualExecutor(NET, ACTIONS, store=Deaf("", "")).run()
    assert result.reason == "quiescent"
    assert result.values == {}
    assert isinstance(result.store_error, OSError)
