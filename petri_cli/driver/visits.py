"""A call on a session by somebody who is not its driver: one ``writing`` block, whether a driver lives or not.

Where none lives, a call also does what a driver would have done by then: what is due becomes due, control fires, and
an end is written down. So a session moves on by its visitors alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from petri_cli.driver.due import come_due
from petri_cli.driver.ending import conclude
from petri_cli.driver.replica import Replica
from petri_cli.driver.snapshots import keep
from petri_cli.driver.watch import StoreWatch
from petri_cli.errors import PetriError
from petri_cli.session import events as ev
from petri_cli.session import identity
from petri_cli.session.fold import caught_up
from petri_cli.session.state import State
from petri_cli.session.store import EventStore

Alive = Callable[[ev.Process], bool | None]

WATCH = StoreWatch()


@dataclass(frozen=True, slots=True)
class _Left:
    """How a session is concluded when no driver waits in it."""

    keep_going: bool = True
    wait: bool = True
    pull: bool = True


@contextmanager
def visiting(store: EventStore, session: str, alive: Alive, *, late: bool = False) -> Iterator[tuple[Replica, int]]:
    """One commit on a session that can go on. Where no driver lives, what is due is done first.

    late: also on one that has ended. Raises PetriError ``PETRI_SESSION_ENDED``, ``PETRI_NO_PLAN``.
    """
    state = store.state(session)
    with store.writing(session) as w:
        caught_up(state, w)
        now = w.now()
        if not late:
            check_open(session, state)
        replica = Replica(session, state)
        alone = not (state.final or driven(state, alive))
        if alone:
            _catch_up(replica, now)
        yield replica, now
        if alone:
            _conclude(replica, now)
        events = replica.take()
        if events:
            w.append(events)
    keep(store, session, replica.state)


def _catch_up(replica: Replica, now: int) -> None:
    if not replica.state.failed:
        come_due(replica, now, WATCH)
        replica.settle(now)


def _conclude(replica: Replica, now: int) -> None:
    """Say so if the session has ended by this."""
    state = replica.state
    running = any(c.driver for c in state.claims.values())
    outcome = conclude(replica, now, WATCH, _Left(), busy=running)
    if outcome is not None and outcome.state != state.ended:
        replica.emit(ev.Ended(now, outcome.state, outcome.why, outcome.missing))


def check_open(session: str, state: State) -> None:
    """Raises PetriError ``PETRI_SESSION_ENDED`` for a session that can never go on."""
    if state.final:
        message = f"the session {session} is {state.ended}; it cannot go on"
        raise PetriError("PETRI_SESSION_ENDED", message, hint="petri run FILE opens another one")


def driven(state: State, alive: Alive = identity.alive) -> bool:
    """Whether a driver has the session, as far as can be seen from here."""
    return state.driver is not None and alive(state.driver.process) is not False
