"""A store in memory, for tests and for runs that leave nothing behind. It keeps what a file would keep: text."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from petri_cli.errors import PetriError
from petri_cli.session.clock import Clock, wall_clock
from petri_cli.session.events import SessionCreated, SessionEvent
from petri_cli.session.fold import fold
from petri_cli.session.naming import free_id, unknown_session
from petri_cli.session.payload import decode, decode_all, encode
from petri_cli.session.snapshot import state_from_text, state_to_text, thin
from petri_cli.session.state import State
from petri_cli.session.store import Entry, in_order, no_such_state, revision_conflict
from petri_cli.version import __version__


@dataclass(slots=True)
class _Log:
    lines: list[str] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    snapshots: dict[int, str] = field(default_factory=dict)


class _Writing:
    def __init__(self, log: _Log, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self.lines: list[str] = []
        self.times: list[int] = []

    @property
    def last(self) -> int:
        return len(self._log.lines) + len(self.lines)

    def tail(self, after: int) -> list[Entry]:
        return [Entry(k, event) for k, event in enumerate(decode_all(self._log.lines[after:]), after + 1)]

    def append(self, events: Sequence[SessionEvent]) -> int:
        latest = self._latest()
        lines = [encode(e) for e in in_order(events, latest)]
        self.lines += lines
        self.times += [e.at for e in events]
        return self.last

    def now(self) -> int:
        return max(self._clock(), self._latest())

    def _latest(self) -> int:
        return self.times[-1] if self.times else self._log.times[-1]


class MemoryEventStore:
    """Logs in this process. Threads may share it; a writer waits ``timeout`` seconds for another one."""

    def __init__(self, *, clock: Clock = wall_clock, timeout: float = 30.0) -> None:
        self._clock = clock
        self._timeout = timeout
        self._logs: dict[str, _Log] = {}
        self._lock = threading.Lock()
        self._commits = 0

    def create(self, name: str, objective: str = "") -> str:
        with self._locked():
            session = free_id(name, self._logs.__contains__)
            event = SessionCreated(self._clock(), session, objective, __version__)
            self._logs[session] = _Log([encode(event)], [event.at])
            self._commits += 1
        return session

    def sessions(self) -> list[str]:
        with self._locked():
            return sorted(self._logs, key=lambda s: (self._logs[s].times[0], s))

    @contextmanager
    def writing(self, session: str) -> Iterator[_Writing]:
        with self._locked():
            log = self._log(session)
            writing = _Writing(log, self._clock)
            yield writing
            if writing.lines:
                log.lines += writing.lines
                log.times += writing.times
                self._commits += 1

    def append(self, session: str, expected: int, events: Sequence[SessionEvent]) -> int:
        with self.writing(session) as writing:
            if writing.last != expected:
                raise revision_conflict(session, expected, writing.last)
            return writing.append(events)

    def read(self, session: str, after: int = 0, upto: int | None = None) -> Iterator[Entry]:
        log = self._log(session)
        last = len(log.lines) if upto is None else min(upto, len(log.lines))
        return (Entry(seq, decode(log.lines[seq - 1])) for seq in range(after + 1, last + 1))

    def last(self, session: str) -> int:
        return len(self._log(session).lines)

    def seq_at(self, session: str, at: int) -> int:
        return bisect_right(self._log(session).times, at)

    def state(self, session: str, upto: int | None = None) -> State:
        log = self._log(session)
        upto = len(log.lines) if upto is None else min(upto, len(log.lines))
        state = None
        for seq in sorted((s for s in log.snapshots if s <= upto), reverse=True):
            state = state_from_text(log.snapshots[seq], seq)
            if state is not None:
                break
        state = State() if state is None else state
        return fold((e.event for e in self.read(session, state.seq, upto)), state)

    def snapshot(self, session: str, state: State) -> int:
        text = state_to_text(state)
        with self._locked():
            log = self._log(session)
            if log.times[state.seq - 1 : state.seq] != [state.at]:
                raise no_such_state(session, state.seq)
            kept = log.snapshots
            kept[state.seq] = text
            for seq in thin(kept):
                del kept[seq]
        return len(text)

    def snapshots(self, session: str) -> dict[int, int]:
        return {seq: len(text) for seq, text in sorted(self._log(session).snapshots.items())}

    def drop_snapshots(self, session: str) -> None:
        with self._locked():
            self._log(session).snapshots.clear()

    def changed(self) -> int:
        return self._commits

    def close(self) -> None:
        pass

    def _log(self, session: str) -> _Log:
        log = self._logs.get(session)
        if log is None:
            raise unknown_session(session, sorted(self._logs))
        return log

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=self._timeout):
            raise PetriError("PETRI_STORE_BUSY", f"another writer has held the store for {self._timeout:g} s")
        try:
            yield
        finally:
            self._lock.release()
