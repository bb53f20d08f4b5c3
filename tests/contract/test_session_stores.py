"""What every store of logs does, whatever it is made of."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from petri_cli.engine.tokens import Token
from petri_cli.errors import PetriError
from petri_cli.session.events import Noted, RevisionCommitted, SessionCreated
from petri_cli.session.fold import fold
from petri_cli.session.memory import MemoryEventStore
from petri_cli.session.plan_text import plan_hash
from petri_cli.session.sqlite import SqliteEventStore
from petri_cli.session.store import Entry, EventStore


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.time = 1_000

    def __call__(self) -> int:
        return self.time


class Place(Protocol):
    """Where a store is; every call of ``open`` gives a handle on the same logs, as another process would have it."""

    def open(self) -> EventStore: ...


class InMemory:
    def __init__(self, clock: Clock) -> None:
        self.store = MemoryEventStore(clock=clock, timeout=0.2)

    def open(self) -> EventStore:
        return self.store


class InFile:
    def __init__(self, clock: Clock, folder: Path) -> None:
        self.clock, self.path, self.opened = clock, folder / "petri.db", list[EventStore]()

    def open(self) -> EventStore:
        self.opened.append(SqliteEventStore(self.path, clock=self.clock, timeout=0.2))
        return self.opened[-1]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def place(request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> Iterator[Place]:
    if request.param == "memory":
        yield InMemory(clock)
    else:
        there = InFile(clock, tmp_path)
        yield there
        for store in there.opened:
            store.close()


@pytest.fixture
def store(place: Place) -> EventStore:
    return place.open()


def note(at: int, text: str = "x") -> Noted:
    return Noted(at, "info", text)


def texts(entries: list[Entry]) -> list[str]:
    return [e.event.message for e in entries if isinstance(e.event, Noted)]


# Sessions


def test_a_new_session_has_one_event_that_names_it(store: EventStore) -> None:
    assert store.create("demo", "show it") == "demo"
    [entry] = store.read("demo")
    assert entry.seq == 1 and isinstance(entry.event, SessionCreated)
    assert (entry.event.at, entry.event.name, entry.event.objective) == (1_000, "demo", "show it")
    assert entry.event.petri


def test_a_second_session_of_a_name_gets_the_next_number(store: EventStore) -> None:
    assert [store.create("demo") for _ in range(3)] == ["demo", "demo-2", "demo-3"]
    assert store.state("demo-2").name == "demo-2"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../etc", "a b", "-x", "x" * 101, ".hidden", "a\n", "ü"])
def test_a_name_that_would_make_a_bad_folder_is_refused(store: EventStore, name: str) -> None:
    with pytest.raises(PetriError, match="PETRI_BAD_SESSION_ID"):
        store.create(name)
    assert store.sessions() == []


def test_sessions_are_listed_oldest_first(store: EventStore, clock: Clock) -> None:
    assert store.sessions() == []
    for name in ("zebra", "ant", "moth"):
        store.create(name)
        clock.time += 1
    assert store.sessions() == ["zebra", "ant", "moth"]


@pytest.mark.parametrize("gone", ["gone", "", "\udcff", "../here", "x" * 100_000])
def test_a_session_that_is_not_there_is_said_to_be_unknown(store: EventStore, gone: str) -> None:
    for _ in range(2):
        for ask in (
            lambda: store.last(gone),
            lambda: store.read(gone),
            lambda: store.state(gone),
            lambda: store.seq_at(gone, 5),
            lambda: store.append(gone, 0, [note(1)]),
            lambda: store.writing(gone).__enter__(),
        ):
            with pytest.raises(PetriError, match="PETRI_UNKNOWN_SESSION"):
                ask()
        store.create("here")
    assert store.last("here") == 1


# Appending


def test_appended_events_are_numbered_without_gaps(store: EventStore) -> None:
    store.create("demo")
    assert store.append("demo", 1, [note(1_000, "a"), note(1_000, "b")]) == 3
    assert store.append("demo", 3, [note(1_001, "c")]) == 4
    assert [e.seq for e in store.read("demo")] == [1, 2, 3, 4]
    assert texts(list(store.read("demo"))) == ["a", "b", "c"]
    assert store.last("demo") == 4


def test_an_append_that_expects_another_log_writes_nothing(store: EventStore) -> None:
    store.create("demo")
    store.append("demo", 1, [note(1_000)])
    for expected in (0, 1, 3):
        with pytest.raises(PetriError, match="PETRI_REVISION_CONFLICT"):
            store.append("demo", expected, [note(1_000, "lost")])
    assert store.last("demo") == 2


def test_logs_of_two_sessions_do_not_touch(store: EventStore) -> None:
    store.create("a")
    store.create("b")
    store.append("a", 1, [note(1_000, "of a")])
    store.append("b", 1, [note(1_000, "of b")])
    assert texts(list(store.read("a"))) == ["of a"]
    assert texts(list(store.read("b"))) == ["of b"]


def test_a_part_of_a_log_can_be_read(store: EventStore) -> None:
    store.create("demo")
    store.append("demo", 1, [note(1_000, str(k)) for k in range(2, 11)])
    assert texts(list(store.read("demo", 3, 6))) == ["4", "5", "6"]
    assert texts(list(store.read("demo", 8))) == ["9", "10"]
    assert list(store.read("demo", 10)) == list(store.read("demo", 99)) == list(store.read("demo", 5, 4)) == []
    assert texts(list(store.read("demo", 8, 99))) == ["9", "10"]


def test_a_long_log_is_read_in_order(store: EventStore) -> None:
    store.create("demo")
    store.append("demo", 1, [note(1_000, str(k)) for k in range(2, 5_002)])
    assert texts(list(store.read("demo"))) == [str(k) for k in range(2, 5_002)]


def test_reading_goes_on_while_others_write(store: EventStore, place: Place) -> None:
    store.create("demo")
    store.append("demo", 1, [note(1_000, "a")])
    reading = store.read("demo")
    next(reading)
    place.open().append("demo", 2, [note(1_000, "b")])
    assert texts(list(reading)) == ["a"], "what was there when the reading began"


def test_text_of_every_kind_comes_back(store: EventStore) -> None:
    store.create("demo")
    for text in ("", "ä€𝄞", "\0\x1b\n", '"\\', "\ud800 half a pair", "x" * 300_000):
        seq = store.append("demo", store.last("demo"), [note(1_000, text)])
        assert texts(list(store.read("demo", seq - 1))) == [text]


def test_values_of_every_kind_come_back(store: EventStore) -> None:
    store.create("demo")
    value = {"a": [1, 2.5, None, True, {"deep": []}], "big": 2**70, "e": 1e300}
    event = RevisionCommitted(1_000, 1, "yaml", "…", plan_hash("…"), {"p.start": (Token(value, 1_000, "each[1]"),)})
    store.append("demo", 1, [event])
    assert [e.event for e in store.read("demo", 1)] == [event]


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), float("inf"), b"bytes", object()])
def test_what_json_cannot_say_is_refused_and_nothing_is_written(store: EventStore, value: object) -> None:
    store.create("demo")
    event = RevisionCommitted(1_000, 1, "yaml", "…", plan_hash("…"), {"p.start": (Token(value),)})
    with pytest.raises(PetriError, match="PETRI_NOT_JSON"):
        store.append("demo", 1, [note(1_000), event])
    assert store.last("demo") == 1


# One writer at a time


def test_all_that_a_block_appends_is_there_when_it_ends(store: EventStore, place: Place) -> None:
    store.create("demo")
    with store.writing("demo") as w:
        assert (w.last, w.append([note(1_000, "a")]), w.append([note(1_000, "b")]), w.last) == (1, 2, 3, 3)
        assert store.last("demo") == place.open().last("demo") == 1
    assert store.last("demo") == place.open().last("demo") == 3


def test_a_block_that_fails_leaves_nothing(store: EventStore) -> None:
    store.create("demo")
    with pytest.raises(ZeroDivisionError), store.writing("demo") as w:
        w.append([note(1_000)])
        raise ZeroDivisionError
    assert store.last("demo") == 1
    assert store.append("demo", 1, [note(1_000)]) == 2, "and the store goes on"


def test_the_tail_of_a_block_is_what_others_wrote(store: EventStore, place: Place) -> None:
    store.create("demo")
    place.open().append("demo", 1, [note(1_000, "foreign")])
    with store.writing("demo") as w:
        w.append([note(1_000, "own")])
        assert texts(w.tail(1)) == ["foreign"]
        assert w.tail(2) == w.tail(3) == []


def test_a_second_writer_waits_and_then_says_busy(store: EventStore, place: Place) -> None:
    store.create("demo")
    other, said = place.open(), []

    def write() -> None:
        try:
            other.append("demo", 1, [note(1_000)])
        except PetriError as e:
            said.append(e.code)

    with store.writing("demo"):
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert list(store.read("demo")), "readers never wait"
    assert said == ["PETRI_STORE_BUSY"] and store.last("demo") == 1


def test_threads_that_race_for_the_next_number_never_share_one(store: EventStore, place: Place) -> None:
    store.create("demo")
    won: dict[int, list[str]] = {}
    barrier = threading.Barrier(2)

    def race(name: str) -> None:
        mine = place.open()
        for expected in range(1, 51):
            barrier.wait()
            try:
                won.setdefault(mine.append("demo", expected, [note(1_000, name)]), []).append(name)
            except PetriError as e:
                assert e.code == "PETRI_REVISION_CONFLICT"

    threads = [threading.Thread(target=race, args=(name,)) for name in "ab"]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(won) == list(range(2, 52)) and all(len(winners) == 1 for winners in won.values())
    assert texts(list(store.read("demo"))) == [won[seq][0] for seq in sorted(won)]


# Time


def test_store_time_never_goes_back(store: EventStore, clock: Clock) -> None:
    store.create("demo")
    clock.time = 5_000
    store.append("demo", 1, [note(5_000)])
    clock.time = 10
    with store.writing("demo") as w:
        assert w.now() == 5_000
        w.append([note(7_000)])
        assert w.now() == 7_000
        clock.time = 9_000
        assert w.now() == 9_000


def test_an_event_that_is_earlier_than_the_last_one_is_refused(store: EventStore) -> None:
    store.create("demo")
    for events in ([note(999)], [note(2_000), note(1_999)]):
        with pytest.raises(ValueError, match="cannot follow"):
            store.append("demo", 1, events)
    assert store.last("demo") == 1


def test_a_time_is_looked_up_in_the_log(store: EventStore) -> None:
    store.create("demo")
    store.append("demo", 1, [note(t) for t in (1_000, 1_500, 1_500, 1_500, 3_000)])
    assert [store.seq_at("demo", t) for t in (0, 999, 1_000, 1_499, 1_500, 2_999, 3_000, 9_999)] == [
        0, 0, 2, 2, 5, 5, 6, 6,
    ]  # fmt: skip


def test_a_change_by_others_is_noticed(store: EventStore, place: Place) -> None:
    other = place.open()
    seen = [store.changed()]
    other.create("demo")
    seen.append(store.changed())
    other.append("demo", 1, [note(1_000)])
    seen.append(store.changed())
    store.append("demo", 2, [note(1_000)])
    store.changed()
    other.append("demo", 3, [note(1_000)])
    seen.append(store.changed())
    assert len(set(seen)) == len(seen)
    assert store.changed() == store.changed()


# Snapshots


def test_the_state_is_the_same_with_and_without_snapshots(store: EventStore) -> None:
    store.create("demo")
    store.append("demo", 1, [note(1_000 + k) for k in range(50)])
    whole = fold(e.event for e in store.read("demo"))
    assert store.state("demo") == whole
    sizes = {seq: store.snapshot("demo", store.state("demo", seq)) for seq in (10, 30, 51)}
    assert store.snapshots("demo") == sizes and min(sizes.values()) > 100
    assert store.state("demo") == whole
    for seq in range(1, 52):
        assert store.state("demo", seq) == fold(e.event for e in store.read("demo", 0, seq))
    store.drop_snapshots("demo")
    assert store.snapshots("demo") == {} and store.state("demo") == whole


def test_a_snapshot_is_really_used(store: EventStore) -> None:
    store.create("demo")
    store.append("demo", 1, [note(1_000)])
    state = store.state("demo")
    state.objective = "only the snapshot knows"
    store.snapshot("demo", state)
    store.append("demo", 2, [note(1_000)])
    assert store.state("demo").objective == "only the snapshot knows"
    assert store.state("demo", 1).objective == ""


def test_a_snapshot_of_what_was_never_committed_is_refused(store: EventStore) -> None:
    store.create("demo")
    state = store.state("demo")
    state.seq, state.at = 2, 1_000
    with pytest.raises(ValueError, match="no event 2"):
        store.snapshot("demo", state)


def test_few_snapshots_are_kept_the_latest_among_them(store: EventStore) -> None:
    store.create("demo")
    for _ in range(100):
        store.append("demo", store.last("demo"), [note(1_000) for _ in range(10)])
        store.snapshot("demo", store.state("demo"))
    kept = list(store.snapshots("demo"))
    assert kept[-1] == 1_001 and kept[0] < 500 and len(kept) < 20


def test_a_closed_store_can_be_closed_again(store: EventStore) -> None:
    store.create("demo")
    store.close()
    store.close()
