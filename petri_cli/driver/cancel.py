"""The end of a session by somebody's word: claims are revoked, units return, and nothing of it runs any more."""

from __future__ import annotations

from petri_cli.driver.masking import masked
from petri_cli.driver.takeover import end_left
from petri_cli.driver.visits import Alive, check_open, driven
from petri_cli.engine.tokens import Token
from petri_cli.session import events as ev
from petri_cli.session import identity
from petri_cli.session.fold import caught_up
from petri_cli.session.state import RESOURCE, State
from petri_cli.session.store import EventStore


async def cancel(
    store: EventStore, session: str, *, by: str = "", why: str = "cancelled", alive: Alive = identity.alive
) -> None:
    """End a session for good: claims are revoked, units return. A driver that runs ends its work when it sees this.

    Where none lives, the processes that a dead one left are ended here. Raises PetriError ``PETRI_SESSION_ENDED``.
    """
    state = store.state(session)
    with store.writing(session) as w:
        caught_up(state, w)
        check_open(session, state)
        now = w.now()
        dead = None if state.driver is None or driven(state, alive) else state.driver.process
        left = [] if driven(state, alive) else list(state.claims.values())
        events: list[ev.SessionEvent] = [ev.Revoked(now, c, "the session was cancelled") for c in state.claims]
        if dead is not None and state.driver is not None:
            events.append(ev.DriverEnded(now, state.driver.id, "died"))
        events.append(ev.Ended(now, "cancelled", masked(state, why), (), _units(state, now), masked(state, by)))
        w.append(events)
    await end_left(left, dead)


def _units(state: State, now: int) -> dict[str, tuple[Token, ...]]:
    """The units of resources that are neither free nor claimed: those that blocks hold, and those of quotas."""
    units: dict[str, int] = {}
    for holding in state.holdings.values():
        for place, n in holding.units.items():
            units[place] = units.get(place, 0) + n
    for timer in state.timers.values():
        if timer.place.startswith(RESOURCE):
            units[timer.place] = units.get(timer.place, 0) + len(timer.tokens)
    return {place: (Token(None, now),) * n for place, n in units.items()}
