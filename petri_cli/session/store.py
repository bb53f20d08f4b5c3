"""What a store of logs can do, whatever it is made of. One contract suite checks every store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from petri_cli.errors import PetriError
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
    A block that appends nothing commits nothing. Blocks are not nested, and no other call that writes is made in one.
    """

    @property
    def last(self) -> int:
        """The number of the last event, those appended in this block counted."""

    def tail(self, after: int) -> list[Entry]:
        """The events behind number ``after``, those appended in this block left out."""

    def append(self, events: Sequence[SessionEvent]) -> int:
        """Add events; the number of the last one. Raises PetriError ``PETRI_NOT_JSON``; ValueError for a time that
        lies before the last event's."""

    def now(self) -> int:
        """Store time in ticks: never before the last event of the session."""


class EventStore(Protocol):
    """Logs of sessions, each an append-only total order of events."""

    def create(self, name: str, objective: str = "") -> str:
        """Open a session and append its SessionCreated; its id: ``name``, or ``name-2``, … when that is taken.

        The event names the session by its id. Raises PetriError ``PETRI_BAD_SESSION_ID``.
        """

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

    def seq_at(self, session: str, at: int) -> int:
        """The number of the last event that is not later than ``at`` (ticks); 0 when the log begins after it."""

    def state(self, session: str, upto: int | None = None) -> State:
        """The fold of the log (of its first ``upto`` events), from the latest snapshot that helps."""

    def snapshot(self, session: str, state: State) -> int:
        """Keep ``state`` as a cache, which may be dropped at any time; its size in bytes. Older ones are thinned out.

        When to: see :func:`petri_cli.session.snapshot.due`. Raises ValueError for a state that is not of this log.
        """

    def snapshots(self, session: str) -> dict[int, int]:
        """The snapshots there are: number of the event → size in bytes, ascending."""

    def drop_snapshots(self, session: str) -> None:
        """Forget all of them."""

    def changed(self) -> int:
        """A number that is another one after somebody else committed (and may be after one's own commit, too).

        Cheap enough to ask ten times a second.
        """

    def close(self) -> None:
        """Let go of files; the store may not be used any more."""


def in_order(events: Sequence[SessionEvent], latest: int) -> Iterable[SessionEvent]:
    """``events``, none of which is earlier than the one before it, or than ``latest``. Raises ValueError."""
    for event in events:
        if event.at < latest:
            raise ValueError(f"an event of {event.at} cannot follow one of {latest}: take the time from Writing.now()")
        latest = event.at
        yield event


def revision_conflict(session: str, expected: int, last: int) -> PetriError:
    message = f"session {session} has {last} events, not {expected}: somebody else wrote to it meanwhile"
    return PetriError("PETRI_REVISION_CONFLICT", message, hint="look at what changed (`petri status`), and try again")


def no_such_state(session: str, seq: int) -> ValueError:
    """For a snapshot that would be believed later, and is not of this log."""
    return ValueError(f"the log of {session} has no event {seq} that this could be the state after")
