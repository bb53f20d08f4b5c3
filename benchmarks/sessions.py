"""What a session's log costs: ``python -m benchmarks.sessions [--quick] [--folder F]`` prints the tables.

The log is that of a foreach: five events an item (claimed, started, reported, verified, the item's end). Appends are
synced commits on the disk of ``folder``; every commit has its own ``writing`` block, as a step of a driver has.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.table import machine, print_table
from petri_cli.engine.tokens import Token
from petri_cli.session.events import (
    Claimed,
    Fired,
    Process,
    Reported,
    RevisionCommitted,
    SessionCreated,
    SessionEvent,
    Verified,
    WorkStarted,
)
from petri_cli.session.fold import apply, fold
from petri_cli.session.payload import decode_all, encode
from petri_cli.session.plan_text import plan_hash
from petri_cli.session.snapshot import due, state_from_text, state_to_text
from petri_cli.session.sqlite import SqliteEventStore
from petri_cli.session.state import State

SESSION = "bench"
BEGIN = 1_764_518_400_000_000
CHUNK = 2_000
SHELL = Process(4711, 8_812_345, "c6789785-645e-4602-a72a-6e8b8b9e6d7b", "host", 4711, "4026531836")

LOOK = """
import resource, sys, time
begun = time.perf_counter()
from petri_cli.session.sqlite import SqliteEventStore
store = SqliteEventStore(sys.argv[1])
state = store.state("bench", int(sys.argv[2]))
used = resource.getrusage(resource.RUSAGE_SELF)
print(f"{time.perf_counter() - begun:.2f} {time.process_time():.2f} {used.ru_maxrss}")
"""
"""A process that looks at a session: seconds, seconds of CPU (with the start of Python), memory in KiB."""


PLAN = "x" * 2_000


def log(items: int) -> Iterator[SessionEvent]:
    """The log of a foreach over so many items, 2 at a time."""
    start = Token(None, BEGIN)
    body = tuple(Token(None, BEGIN, str(k)) for k in range(1, items + 1))
    yield SessionCreated(BEGIN, SESSION)
    yield RevisionCommitted(BEGIN, 1, "yaml", PLAN, plan_hash(PLAN), {"p.start": (start,)})
    found = {"p.foreach.each.body": body, "p.foreach.each.open": body}
    yield Fired(BEGIN, "t.foreach.each.discover", {"p.start": (start,)}, found)
    for k, token in enumerate(body, 1):
        at, claim = BEGIN + k * 1_000, f"c{k}"
        done = Token(None, at, token.name)
        out = {"path": f".petri/work/{SESSION}/{claim}/stdout", "size": 120, "sha256": "0" * 64}
        waiting = {"p.foreach.each.body": (token,)}
        ended = {"p.foreach.each.done": (done,), "p.foreach.each.open": (token,)}
        yield Claimed(at, claim, "t.do", "do", waiting, 1, 60_000_000, at + 60_000_000, token.name, (), "shell", "d3")
        yield WorkStarted(at, claim, SHELL)
        yield Reported(at, claim, {"ok": True, "files": 3}, 0, {"stdout": out}, "", "shell")
        yield Verified(at, claim, {"p.foreach.each.done": (done,)}, "exit-code", {"status": 0})
        yield Fired(at, "t.foreach.each.item", ended, {})


def timed(run: Callable[[], object]) -> float:
    before = time.perf_counter()
    run()
    return time.perf_counter() - before


def computed(run: Callable[[], object]) -> float:
    """Seconds of CPU: what does not touch the disk is not to be measured by who else is at work."""
    before = time.process_time()
    run()
    return time.process_time() - before


def rate(events: int, seconds: float) -> str:
    return f"{events / seconds:,.0f}"


def chunks(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    return (lines[k : k + CHUNK] for k in range(0, len(lines), CHUNK))


def fold_rates(items: int) -> None:
    events = list(log(items))
    lines = [encode(e) for e in events]
    n = len(events)

    def whole() -> None:
        state = State()
        for chunk in chunks(lines):
            fold(decode_all(chunk), state)

    best = {
        "write as text": min(computed(lambda: [encode(e) for e in events]) for _ in range(3)),
        "read from text": min(computed(lambda: [decode_all(c) and None for c in chunks(lines)]) for _ in range(3)),
        "fold": min(computed(lambda: fold(events)) for _ in range(3)),
        "read and fold": min(computed(whole) for _ in range(3)),
    }
    rows = [(name, rate(n, seconds), f"{1e6 * seconds / n:.1f}") for name, seconds in best.items()]
    size = sum(len(line) for line in lines) / n
    print_table(f"{n:,} events of {size:.0f} bytes", ["", "events a second of CPU", "µs an event"], rows)


def _always(kind: str | None, path: Path) -> str | None:
    return kind


def append_rates(folder: Path, seconds: float) -> None:
    rows = []
    for network, journal in ((None, "write-ahead log"), ("nfs", "rollback journal")):
        for batch in (1, 10, 100):
            path = folder / f"append-{journal[:2]}-{batch}.db"
            store = SqliteEventStore(path, clock=lambda: BEGIN, network=partial(_always, network))
            store.create(SESSION)
            commits, end = 0, time.perf_counter() + seconds
            before = time.perf_counter()
            while time.perf_counter() < end:
                with store.writing(SESSION) as w:
                    w.append([WorkStarted(BEGIN + commits, "c1", SHELL)] * batch)
                commits += 1
            spent = time.perf_counter() - before
            store.close()
            rows.append((journal, str(batch), rate(commits * batch, spent), f"{1e3 * spent / commits:.2f}"))
    synced = folder / "sync"
    with synced.open("wb") as file:
        n, spent = 200, 0.0

        def sync() -> None:
            file.flush()
            os.fsync(file.fileno())

        for _ in range(n):
            file.write(b"x" * 4_096)
            spent += timed(sync)
    rows.append(("(4 KiB to a file, fsync)", "", "", f"{1e3 * spent / n:.2f}"))
    print_table("Appending", ["", "events a commit", "events a second", "ms a commit"], rows)


def million(folder: Path, items: int) -> None:
    """A log written in steps of 500 events, with snapshots when they are due; then what a look at it costs."""
    path = folder / "million.db"
    store = SqliteEventStore(path, clock=lambda: BEGIN)
    events, state = log(items), State()
    apply(state, next(events))
    store.create(SESSION)
    taken = size = kept = 0
    spent_on_snapshots = 0.0
    before = time.perf_counter()
    while step := list(islice(events, 500)):
        with store.writing(SESSION) as w:
            w.append(step)
        fold(step, state)
        if due(state.seq, taken, size):
            snap = time.perf_counter()
            taken, size, kept = state.seq, store.snapshot(SESSION, state), kept + 1
            spent_on_snapshots += time.perf_counter() - snap
    written = time.perf_counter() - before
    there = store.snapshots(SESSION)
    text = state_to_text(state)
    reading = computed(lambda: state_from_text(text, state.seq))
    last = store.last(SESSION)
    store.close()
    rows = []
    for what, upto in (("now", last), ("at 3/4", last * 3 // 4), ("at 1/2", last // 2), ("at 1/10", last // 10)):
        command = [sys.executable, "-c", LOOK, str(path), str(upto)]
        said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(3)]
        best = min(said, key=lambda s: float(s[0]))
        rows.append((what, f"{upto:,}", best[0], best[1], f"{int(best[2]) / 1024:.0f}"))
    print_table(f"The state of a log of {last:,} events", ["", "event", "s", "s of CPU", "MB of memory"], rows)
    facts = [
        ("written in", f"{written:.0f} s, of which {spent_on_snapshots:.0f} s for {kept} snapshots"),
        ("database", f"{path.stat().st_size / 1e6:.0f} MB"),
        ("snapshots kept", f"{len(there)}, together {sum(there.values()) / 1e6:.0f} MB"),
        ("latest snapshot", f"{len(text) / 1e6:.1f} MB, read in {reading:.2f} s"),
        ("largest step in memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"),
    ]
    print_table("Its keeping", ["", ""], facts)


def main(quick: bool = False, folder: Path | None = None) -> None:
    there = Path(tempfile.mkdtemp(prefix="petri-bench-", dir=folder))
    try:
        fold_rates(2_000 if quick else 20_000)
        append_rates(there, 0.3 if quick else 3)
        million(there, 2_000 if quick else 200_000)
    finally:
        shutil.rmtree(there)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    parser.add_argument("--folder", type=Path, help="where to write; the disk that is measured")
    asked = parser.parse_args()
    print(machine())
    main(asked.quick, asked.folder)
