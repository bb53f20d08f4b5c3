"""One driver a session: taking it, taking it from a dead one, and letting go of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from petri_cli.driver.ending import Outcome
from petri_cli.driver.groups import end_group, end_orphans
from petri_cli.driver.replica import Replica
from petri_cli.driver.verify import Report
from petri_cli.engine.tokens import to_seconds
from petri_cli.errors import PetriError
from petri_cli.session.events import DriverEnded, DriverStarted, Ended, Noted, Process, Revoked
from petri_cli.session.fold import caught_up
from petri_cli.session.state import Claim, Driver, State
from petri_cli.session.store import EventStore

Alive = Callable[[Process], bool | None]


def take(
    replica: Replica, now: int, process: Process, worker: str, alive: Alive, *, take_over: bool = False
) -> tuple[str, Process | None]:
    """Become the driver; its id, and the driver before it if that is dead.

    take_over: somebody says that it is, where that cannot be seen from here. Raises PetriError
    ``PETRI_SESSION_BUSY``, ``PETRI_SESSION_ENDED``.
    """
    state = replica.state
    if state.final:
        message = f"the session {replica.session} is {state.ended}; it cannot go on"
        raise PetriError("PETRI_SESSION_ENDED", message, hint="petri run FILE opens another one")
    if (dead := state.driver) is not None:
        why = why_dead(replica.session, state, now, alive, take_over=take_over)
        replica.emit(DriverEnded(now, dead.id, "died"))
        message = f"driver {dead.id} (process {dead.process.pid}) {why}; its work is taken over"
        replica.emit(Noted(now, "warning", message))
    driver = f"d{state.seq + 1}"
    replica.emit(DriverStarted(now, driver, process, worker))
    return driver, None if dead is None else dead.process


def why_dead(session: str, state: State, now: int, alive: Alive, *, take_over: bool = False) -> str:
    """Why the driver of a session is held to be dead. Raises PetriError ``PETRI_SESSION_BUSY`` when it is not.

    Where its process cannot be seen (another host, another container), its leases decide: it renews them in a third of
    their time. One that works on nothing has none; then somebody has to say so (take_over).
    """
    driver = state.driver
    assert driver is not None  # noqa: S101 - the caller has looked
    lives, process = alive(driver.process), driver.process
    if lives is False:
        return "died"
    if lives is None and take_over:
        return f"on {process.host} was said to be dead"
    if lives is None and _leases_ended(state, driver, now):
        return f"on {process.host} has let its leases end"
    hint = "wait for it, or end it there"
    if lives is None:
        hint = f"whether it still runs can only be seen on {process.host}; if it does not: petri run --take-over"
    message = f"the session {session} is driven by process {process.pid} on {process.host} (driver {driver.id})"
    raise PetriError("PETRI_SESSION_BUSY", message, hint=hint)


def _leases_ended(state: State, driver: Driver, now: int) -> bool:
    """Whether it works on something, and has renewed no lease for twice its time: clocks of two hosts may differ."""
    own = [c for c in state.claims.values() if c.driver == driver.id and c.stage != "reported"]
    return bool(own) and all(c.expires + c.lease <= now for c in own)


def orphans(state: State, driver: str) -> list[Claim]:
    """Claims of earlier drivers whose work nobody will report on."""
    return [c for c in state.claims.values() if c.driver not in ("", driver) and c.stage != "reported"]


async def end_left(claims: Sequence[Claim], driver: Process | None) -> None:
    """End the processes that a dead driver left, all at once: groups of claims, and whatever left its group."""
    groups = [end_group(c.process) for c in claims if c.process is not None]
    await asyncio.gather(*groups, *([] if driver is None else [end_orphans(driver)]))


def take_back(replica: Replica, now: int, driver: str) -> None:
    """What was ended here, by the driver itself, is to be begun again some other time."""
    for claim in list(replica.state.claims.values()):
        if claim.driver == driver and claim.stage != "reported":
            replica.revoked(now, claim, "its driver was interrupted")


def let_go(replica: Replica, now: int, driver: str, outcome: Outcome, *, closed: bool, drained: bool) -> None:
    """Say how it ended, and that nobody drives it any more."""
    state = replica.state
    if not state.final:
        replica.emit(Ended(now, outcome.state, outcome.why, outcome.missing))
    if state.driver is not None and state.driver.id == driver:
        why = "closed" if closed else "drained" if drained else "ended"
        replica.emit(DriverEnded(now, driver, why))


def report_on(claim: Claim) -> Report:
    """What there is to judge."""
    said = claim.report
    assert said is not None  # noqa: S101 - it was reported
    return Report(
        said.output,
        said.status,
        said.files,
        said.error,
        "",
        to_seconds(claim.at),
        claim.approval,
        claim.approved_by,
        claim.note,
    )


def abandon(store: EventStore, session: str, driver: str) -> None:
    """Let go of a session as well as can be, after an error: whatever the driver ran has been ended, and by it."""
    with suppress(Exception), store.writing(session) as w:
        state = caught_up(store.state(session), w)
        if state.driver is None or state.driver.id != driver:
            return
        own = [c.id for c in state.claims.values() if c.driver == driver and c.stage != "reported"]
        now = w.now()
        w.append([*[Revoked(now, c, "its driver failed") for c in own], DriverEnded(now, driver, "closed")])
