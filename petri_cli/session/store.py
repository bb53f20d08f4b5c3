"""What a store of logs can do, whatever it is made of. One contract suite checks every store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from petri_cli.session.events import SessionEvent
from petri_cli.session.state import State


@dataclass(frozen=True, slots=True)
class Entry:
    """An event and its number in its session's log, from 1, without gaps."""

    seq: int
    event: SessionEvent


class Writing(Protocol):
    """The one writer's hold on a session: nobody else appends to the store before it is let go of.

    Everything appended goes into one commit, when the ``with`` block ends without an exception; else nothing is kept.
    """

    def tail(self, after: int) -> list[Entry]:
        """The events behind number ``after``, those appended in this block left out."""

    def append(self, events: Sequence[SessionEvent]) -> int:
        """Add events; the number of the last one."""

    def now(self) -> int:
        """Store time in ticks: never before the last event of the session."""


class EventStore(Protocol):
    """Logs of sessions, each an append-only total order of events."""

    def create(self, name: str, objective: str = "") -> str:
        """Open a session and append its SessionCreated; its id: ``name``, or ``name-2``, … when that is taken."""

    def sessions(self) -> list[str]:
        """Ids, oldest first."""

    def writing(self, session: str) -> AbstractContextManager[Writing]:
        """Wait for the right to write. Raises PetriError ``PETRI_UNKNOWN_SESSION``, ``PETRI_STORE_BUSY``."""

    def append(self, session: str, expected: int, events: Sequence[SessionEvent]) -> int:
        """Compare and set: append to a log whose last number is ``expected``; the number of the last event.

        Raises PetriError ``PETRI_REVISION_CONFLICT`` when it is another one; then nothing is written.
        """

    def read(self, session: str, after: int = 0, upto: int | None = None) -> Iterator[Entry]:
        """The events numbered ``after + 1`` to ``upto``. Takes no lock and never waits for a writer."""

    def last(self, session: str) -> int:
        """The number of the last event."""

    def state(self, session: str, upto: int | None = None) -> State:
        """The fold of the log (of its first ``upto`` events), from the latest snapshot that helps."""

    def snapshot(self, session: str, state: State) -> None:
        """Keep ``state`` as a cache; it may be dropped at any time."""

    def changed(self) -> int:
        """A number that is another one after somebody else committed; cheap enough to ask ten times a second."""

    def close(self) -> None:
        """Let go of files; the store may not be used any more."""
