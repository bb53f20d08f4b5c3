"""The store in one SQLite file: nothing to install, any number of processes of one machine.

What is written is written under the sidecar lock, in one synced commit a block; what is read is read without it.
Several threads may use one store, and so may a child after a fork.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from petri_cli.errors import PetriError, Problem
from petri_cli.session.clock import Clock, wall_clock
from petri_cli.session.events import RevisionCommitted, SessionCreated, SessionEvent
from petri_cli.session.filesystem import network_kind
from petri_cli.session.fold import fold
from petri_cli.session.naming import free_id, unknown_session
from petri_cli.session.payload import decode, decode_all, encode
from petri_cli.session.snapshot import state_from_text, state_to_text, thin
from petri_cli.session.sqlite_connections import Connections
from petri_cli.session.sqlite_errors import said_plainly
from petri_cli.session.state import State
from petri_cli.session.store import Entry, in_order, no_such_state, revision_conflict
from petri_cli.version import __version__

ROWS_A_TIME = 2_000
"""A reader takes this many events and lets go: none keeps the log from being moved while it thinks."""

_SESSIONS = "SELECT session FROM events WHERE seq = 1 ORDER BY at, session"
_LAST = "SELECT seq, at FROM events WHERE session = ? ORDER BY seq DESC LIMIT 1"
_AT = "SELECT at FROM events WHERE session = ? AND seq = ?"
_READ = "SELECT seq, at, type, payload FROM events WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
_EVENT = "SELECT payload FROM events WHERE session = ? AND seq = ?"
_INSERT = "INSERT INTO events (session, seq, at, type, payload) VALUES (?, ?, ?, ?, ?)"
_KEEP = "INSERT OR REPLACE INTO snapshots (session, seq, payload) VALUES (?, ?, ?)"
_KEPT = "SELECT seq, length(payload) FROM snapshots WHERE session = ? ORDER BY seq"
_BEST = "SELECT seq, payload FROM snapshots WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"
_DROP = "DELETE FROM snapshots WHERE session = ? AND seq = ?"
_DROP_ALL = "DELETE FROM snapshots WHERE session = ?"

Row = tuple[str, int, int, str, str]
Query = Callable[[str, Sequence[object]], list[Any]]
"""Runs a statement with values for its question marks; the rows it yields."""


class _Writing:
    def __init__(self, query: Query, session: str, clock: Clock) -> None:
        rows = _last(query, session)
        if not rows:
            raise unknown_session(session, [s for (s,) in query(_SESSIONS, ())])
        self._query, self._session, self._clock = query, session, clock
        self._base: int = rows[0][0]
        self._latest: int = rows[0][1]
        self.rows: list[Row] = []

    @property
    def last(self) -> int:
        return self._base + len(self.rows)

    def tail(self, after: int) -> list[Entry]:
        rows = self._query(_READ, (self._session, after, self._base, -1))
        return list(_entries(self._session, after, self._base, rows))

    def append(self, events: Sequence[SessionEvent]) -> int:
        lines = [(e, encode(e)) for e in in_order(events, self._latest)]
        for event, line in lines:
            self.rows.append((self._session, self.last + 1, event.at, event.type, line))
            self._latest = event.at
        return self.last

    def now(self) -> int:
        return max(self._clock(), self._latest)


class SqliteEventStore:
    """Logs in the database ``path``, which is made when something is first written.

    timeout: seconds that a writer waits for another one; warn: told of what is not as it should be, which ``warnings``
    keeps, too (``PETRI_STORE_NETWORK``, ``PETRI_STORE_JOURNAL``, ``PETRI_STORE_WAITING``, ``PETRI_STORE_NOT_MOVED``);
    network: the kind of the network file system that a path lies on, None for a local one.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        clock: Clock = wall_clock,
        timeout: float = 30.0,
        warn: Callable[[Problem], None] | None = None,
        network: Callable[[Path], str | None] = network_kind,
    ) -> None:
        self.path = _itself(Path(path))
        self.warnings: list[Problem] = []
        self._clock = clock
        tell = self.warnings.append if warn is None else _both(self.warnings.append, warn)
        self._connections = Connections(self.path, timeout, network, tell)
        # A store that is forgotten, or still open at the end of the process, is closed as it should be: under its lock.
        self._close = weakref.finalize(self, self._connections.close)

    # Writing

    def create(self, name: str, objective: str = "") -> str:
        with self._transaction() as query:
            session = free_id(name, lambda s: bool(query(_LAST, (s,))))
            event = SessionCreated(self._clock(), session, objective, __version__)
            query(_INSERT, (session, 1, event.at, event.type, encode(event)))
        return session

    @contextmanager
    def writing(self, session: str) -> Iterator[_Writing]:
        with self._connections.transaction() as db:
            writing = _Writing(self._on(db), session, self._clock)
            yield writing
            with said_plainly(self.path):
                db.executemany(_INSERT, writing.rows)

    def append(self, session: str, expected: int, events: Sequence[SessionEvent]) -> int:
        with self.writing(session) as writing:
            if writing.last != expected:
                raise revision_conflict(session, expected, writing.last)
            return writing.append(events)

    def snapshot(self, session: str, state: State) -> int:
        text = state_to_text(state).encode()  # as bytes, whose length SQLite knows without reading them
        with self._transaction() as query:
            if query(_AT, (session, state.seq)) != [(state.at,)]:
                raise no_such_state(session, state.seq)
            query(_KEEP, (session, state.seq, text))
            for seq in thin(seq for seq, _ in query(_KEPT, (session,))):
                query(_DROP, (session, seq))
        return len(text)

    def drop_snapshots(self, session: str) -> None:
        with self._transaction() as query:
            query(_DROP_ALL, (session,))

    # Reading

    def sessions(self) -> list[str]:
        return [s for (s,) in self._query(_SESSIONS, ())]

    def read(self, session: str, after: int = 0, upto: int | None = None) -> Iterator[Entry]:
        last = self.last(session)
        return self._read(session, after, last if upto is None else min(upto, last))

    def last(self, session: str) -> int:
        rows = _last(self._query, session)
        if not rows:
            raise unknown_session(session, self.sessions())
        return int(rows[0][0])

    def seq_at(self, session: str, at: int) -> int:
        low, high = 0, self.last(session)
        while low < high:  # times never go back within a log
            middle = (low + high + 1) // 2
            [(then,)] = self._query(_AT, (session, middle))
            low, high = (middle, high) if then <= at else (low, middle - 1)
        return low

    def state(self, session: str, upto: int | None = None) -> State:
        last = self.last(session)
        upto = last if upto is None else min(upto, last)
        state = self._from_snapshot(session, upto)
        return fold((e.event for e in self._read(session, state.seq, upto)), state)

    def snapshots(self, session: str) -> dict[int, int]:
        return dict(self._query(_KEPT, (session,)))

    def changed(self) -> int:
        return self._connections.version()

    def close(self) -> None:
        self._close()

    # How it is done

    @contextmanager
    def _transaction(self) -> Iterator[Query]:
        with self._connections.transaction() as db:
            yield self._on(db)

    def _on(self, db: sqlite3.Connection) -> Query:
        def query(sql: str, values: Sequence[object]) -> list[Any]:
            with said_plainly(self.path):
                return db.execute(sql, values).fetchall()

        return query

    def _query(self, sql: str, values: Sequence[object]) -> list[Any]:
        with self._connections.reading() as db:
            return [] if db is None else self._on(db)(sql, values)

    def _read(self, session: str, after: int, upto: int) -> Iterator[Entry]:
        while after < upto:
            rows = self._query(_READ, (session, after, upto, ROWS_A_TIME))
            yield from _entries(session, after, min(upto, after + ROWS_A_TIME), rows)
            after += ROWS_A_TIME

    def _from_snapshot(self, session: str, upto: int) -> State:
        """The state of the latest snapshot that can be used; a new one where there is none."""
        while rows := self._query(_BEST, (session, upto)):
            seq, text = rows[0]
            state = state_from_text(text, seq)
            if state is not None and self._query(_AT, (session, seq)) == [(state.at,)] and self._is_of(session, state):
                return state
            upto = seq - 1
        return State()

    def _is_of(self, session: str, state: State) -> bool:
        """Whether the plan of a snapshot, which is what is run, is that of the log."""
        if state.plan is None:
            return True
        rows = self._query(_EVENT, (session, state.plan.seq))
        event = decode(rows[0][0]) if rows else None
        return isinstance(event, RevisionCommitted) and event.text == state.plan.text


def _last(query: Query, session: str) -> list[Any]:
    """(number, time) of the last event, in a row; none of a session that is not there, whatever it is called."""
    return query(_LAST, (session,)) if session.isascii() else []


def _entries(session: str, after: int, upto: int, rows: Sequence[tuple[int, int, str, str]]) -> Iterator[Entry]:
    """Events ``after + 1`` to ``upto``, all of them. Raises PetriError ``PETRI_BAD_LOG`` where one is missing, or is
    not what the columns beside it say."""
    seqs = [seq for seq, *_ in rows]
    if seqs != list(range(after + 1, upto + 1)):
        missing = next(k for k in range(after + 1, upto + 1) if k not in seqs)
        raise PetriError("PETRI_BAD_LOG", f"event {missing} of session {session} is missing from the store")
    for (seq, at, name, _), event in zip(rows, decode_all([row[3] for row in rows]), strict=True):
        if event.at != at or event.type != name:
            message = f"event {seq} of session {session} is filed as {name} of {at}, and is {event.type} of {event.at}"
            raise PetriError("PETRI_BAD_LOG", message)
        yield Entry(seq, event)


def _itself(path: Path) -> Path:
    """The file that a link leads to. SQLite keeps its log beside that one, and two names of a store must not have two
    locks."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path  # noqa: PTH114 - it never raises


def _both(first: Callable[[Problem], None], second: Callable[[Problem], None]) -> Callable[[Problem], None]:
    def tell(problem: Problem) -> None:
        first(problem)
        second(problem)

    return tell
