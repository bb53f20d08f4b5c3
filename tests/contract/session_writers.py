"""Processes that write to one store, and are killed: ``python -m tests.contract.session_writers WHAT FOLDER NUMBER``.

It is a program, because it forks: a test runner has threads, of which a fork copies one. It ends with 0 and a line that
says what was seen, or with a failed assertion.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from petri_cli.errors import PetriError
from petri_cli.session import sqlite_connections
from petri_cli.session.events import Noted
from petri_cli.session.sqlite import SqliteEventStore
from petri_cli.session.store import EventStore

SESSION = "demo"


def fork(work: Callable[[int], None]) -> tuple[int, int]:
    """(process, the end of a pipe to read from): ``work`` gets the other end. A child that raises ends with 1."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    code = 1
    try:
        os.close(reading)
        work(writing)
        code = 0
    except BaseException as e:  # to be said: an exit by os._exit prints nothing
        os.write(2, f"child: {e!r}\n".encode())
    finally:
        os._exit(code)


def text(batch: int, k: int, of: int) -> str:
    return f"batch {batch}, {k} of {of} {'x' * (batch * 37 % 900)}"


def append_batches(store: EventStore, rng: random.Random, acknowledge: int) -> None:
    """Append blocks of 1 to 12 events for ever. After each commit the number of its last event is acknowledged."""
    while True:
        with store.writing(SESSION) as w:
            batch, of = w.last + 1, rng.randint(1, 12)
            w.append([Noted(w.now(), "info", text(batch, k, of)) for k in range(1, of + 1)])
            last = w.last
        os.write(acknowledge, b"%12d" % last)


def check(store: EventStore, acknowledged: int) -> int:
    """The log is gapless, of whole blocks, and has everything acknowledged, and one block more at most."""
    entries = list(store.read(SESSION))
    assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
    at = 1
    while at < len(entries):
        event = entries[at].event
        assert isinstance(event, Noted)
        of = int(event.message.split()[4])
        block = [e.event for e in entries[at : at + of]]
        assert [e.message for e in block if isinstance(e, Noted)] == [text(at + 1, k, of) for k in range(1, of + 1)]
        assert at <= max(acknowledged, 1), "no more than one block was not acknowledged"
        at += of
    assert len(entries) >= acknowledged, (len(entries), acknowledged)
    return len(entries)


def kills(folder: Path, number: int, network: bool) -> str:
    """Kill a writer ``number`` times: while it opens, writes, commits, moves the log."""
    sqlite_connections.CHECKPOINT_BYTES = 48 << 10  # many of them
    rng = random.Random(number)  # noqa: S311 (a test)
    kind = (lambda p: "nfs") if network else (lambda p: None)
    before = first = unacknowledged = events = 0
    for round_ in range(number):
        if round_ % 8 == 0:  # a new store: the log is short, and the first child may die making it
            path, before = folder / f"{round_}.db", 0
        seed = rng.random()

        def work(pipe: int, seed: float = seed, path: Path = path) -> None:
            store = SqliteEventStore(path, network=kind)
            if not store.sessions():
                store.create(SESSION)
            append_batches(store, random.Random(seed), pipe)  # noqa: S311 (a test)

        pid, pipe = fork(work)
        acknowledged = before
        for _ in range(rng.choice((0, 0, 1, 2, 5, 20))):
            acknowledged = max(acknowledged, int(os.read(pipe, 12) or 0))
        end = time.perf_counter() + rng.random() * (0.004 if acknowledged > before else 0.03)
        while time.perf_counter() < end:
            pass
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while more := os.read(pipe, 12):
            acknowledged = max(acknowledged, int(more))
        os.close(pipe)
        store = SqliteEventStore(path, network=kind)
        if not store.sessions():
            assert not acknowledged
            first += 1
        else:
            events -= before
            before = check(store, acknowledged)
            events += before
            unacknowledged += before > acknowledged
            assert store.state(SESSION).seq == before
        if round_ % 5 == 0:
            store.close()
        if before and round_ % 8 == 7:
            with closing(sqlite3.connect(path)) as db:
                assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return f"{number} kills, {events} events, {first} before the session was there, {unacknowledged} with a block more"


def race(folder: Path, seconds: float) -> str:
    """Four processes append for so long, two by compare and set, two in blocks. Nobody fails, nothing is lost."""
    path = folder / "petri.db"
    with_one = SqliteEventStore(path)
    with_one.create(SESSION)
    with_one.close()

    def work(name: int, pipe: int) -> None:
        store = SqliteEventStore(path)
        end, k = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            k += 1
            if name < 2:
                with store.writing(SESSION) as w:
                    seq = w.append([Noted(w.now(), "info", f"{name} {k}")])
            else:
                last = store.last(SESSION)
                state_at = max(e.event.at for e in store.read(SESSION, last - 1))
                try:
                    now = max(state_at, time.time_ns() // 1_000)
                    seq = store.append(SESSION, last, [Noted(now, "info", f"{name} {k}")])
                except PetriError as e:
                    if e.code != "PETRI_REVISION_CONFLICT":
                        raise
                    k -= 1
                    continue
            os.write(pipe, b"%12d%12d%12d" % (seq, name, k))
        assert not store.warnings, store.warnings
        store.close()

    children = dict(fork(partial(work, name)) for name in range(4))
    acknowledged: dict[int, str] = {}
    pipes = set(children.values())
    while pipes:
        for pipe in select.select(list(pipes), [], [])[0]:
            said = os.read(pipe, 36)
            if not said:
                pipes.remove(pipe)
                continue
            seq = int(said[:12])
            assert seq not in acknowledged
            acknowledged[seq] = f"{int(said[12:24])} {int(said[24:])}"
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
    store = SqliteEventStore(path)
    kept = {e.seq: e.event.message for e in store.read(SESSION, 1) if isinstance(e.event, Noted)}
    assert kept == acknowledged and list(kept) == list(range(2, len(kept) + 2))
    each = [sum(m.startswith(f"{name} ") for m in kept.values()) for name in range(4)]
    assert min(each) > 0, each
    store.close()
    return f"{len(kept)} events in {seconds:g} s, of each process {each}"


def main() -> None:
    what, folder, number = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    match what:
        case "kills":
            said = kills(folder, int(number), network=False)
        case "kills-network":
            said = kills(folder, int(number), network=True)
        case "race":
            said = race(folder, number)
        case _:
            sys.exit(f"unknown: {what}")
    sys.stdout.write(f"{said}\n")


if __name__ == "__main__":
    main()
