"""What others do with a session, whether a driver runs or not: workers that come for work, people, outside events."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from petri_cli.driver import standing
from petri_cli.driver.cancel import cancel
from petri_cli.driver.capture import Limits
from petri_cli.driver.commands import request
from petri_cli.driver.crew import Judge
from petri_cli.driver.mail import adjudicate
from petri_cli.driver.masking import masked, redactor_of
from petri_cli.driver.naming import said_of
from petri_cli.driver.pieces import Piece
from petri_cli.driver.replica import Replica
from petri_cli.driver.said import Said, result_for
from petri_cli.driver.settings import asks_a_person
from petri_cli.driver.takeover import report_on
from petri_cli.driver.verifiers import verifier_of
from petri_cli.driver.visits import WATCH, Alive, driven, visiting
from petri_cli.engine.tokens import to_seconds, to_ticks
from petri_cli.errors import PetriError
from petri_cli.plan.lower import due_place
from petri_cli.plan.model import Loop
from petri_cli.session import events as ev
from petri_cli.session import identity
from petri_cli.session.naming import folder_name
from petri_cli.session.state import Claim, State
from petri_cli.session.store import EventStore

__all__ = ["Claimed", "approve", "cancel", "claim", "heartbeat", "inject", "report", "verify"]


CLAIM: Final = re.compile(r"c([1-9][0-9]{0,17})")
"""What claims are called, in order."""

REPORTED = "it was reported already"
STOP = "stop this work: nothing of it will count"
FIRST = "the first report stands"


@dataclass(frozen=True, slots=True)
class Claimed:
    """Work for whoever claimed it. lease: seconds; expires: store time in ticks; task: what is to be done, as JSON."""

    claim: str
    lease: float
    expires: int
    attempt: int
    task: Mapping[str, Any]


def claim(
    store: EventStore,
    session: str,
    worker: str,
    *,
    task: str | None = None,
    lease: float | None = None,
    alive: Alive = identity.alive,
) -> Claimed | None:
    """Take a piece of work that waits for whoever comes; None when there is none now.

    task: id of the task wanted; lease: seconds, instead of the plan's. Raises PetriError ``PETRI_UNKNOWN_TASK``,
    ``PETRI_NOT_CLAIMABLE`` for work that the driver does itself, ``PETRI_SESSION_ENDED``, ``PETRI_NO_PLAN``.
    """
    with visiting(store, session, alive) as (replica, now):
        worker = masked(replica.state, worker)
        wanted = _wanted(replica, task)
        if replica.state.failed:
            return None
        found = next(standing.claimable(replica, now, WATCH, wanted), None)
        if found is None:
            return None
        taken = replica.claim(now, *found, worker=worker, lease=None if lease is None else to_ticks(lease))
        job = replica.job(taken)
        try:
            told = request(job)
        except PetriError as error:  # nothing is claimed by whoever cannot be told what to do
            raise said_of(job.node, "its inputs", error) from None
        return Claimed(taken.id, to_seconds(taken.lease), taken.expires, taken.attempt, told)


def _wanted(replica: Replica, task: str | None) -> Callable[[Piece], bool]:
    if task is None:
        return lambda piece: not piece.local
    for piece in replica.course.pieces.values():
        if task in (piece.key, piece.node.id, piece.transition):
            if piece.local:
                message = f"{piece.title} has a body of its own: the driver does it, no worker claims it"
                raise PetriError("PETRI_NOT_CLAIMABLE", message, hint="leave out `run`, `python` or `worker`")
            return lambda other: other is piece
    raise PetriError("PETRI_UNKNOWN_TASK", f"there is no task `{task}` in the plan")


def heartbeat(
    store: EventStore,
    session: str,
    claim: str,
    *,
    worker: str = "",
    lease: float | None = None,
    alive: Alive = identity.alive,
) -> int:
    """Make the lease of a claim end later; the new end in ticks.

    Raises PetriError ``PETRI_CLAIM_ENDED``: stop; ``PETRI_UNKNOWN_CLAIM`` for one that there never was.
    """
    with visiting(store, session, alive, late=True) as (replica, now):
        _check_known(session, replica.state, claim)
        held = replica.state.claims.get(claim)
        why = _why_not(replica.state, held, masked(replica.state, worker))
        if held is not None and not why:
            expires = now + (held.lease if lease is None else to_ticks(lease))
            replica.emit(ev.Heartbeat(now, claim, expires))
    if why:
        raise _ended(claim, why)
    return expires


def report(
    store: EventStore,
    session: str,
    claim: str,
    *,
    output: Any = None,
    error: str = "",
    files: Mapping[str, Any] | None = None,
    worker: str = "",
    folder: Path | None = None,
    alive: Alive = identity.alive,
) -> None:
    """Write down what a worker declares. Nothing moves by it.

    folder: where results go that are too large for the log (without one, they go into the log). What the plan calls
    secret, or looks like it, is masked. The same report once more changes nothing. A report on a claim that is over is
    written down, too, and refused: PetriError ``PETRI_CLAIM_ENDED``. One on a claim that there never was is not:
    ``PETRI_UNKNOWN_CLAIM``. Also raises ``PETRI_NOT_JSON``, and ``PETRI_TOO_LARGE`` for what no file of work may hold.
    """
    where = None if folder is None else folder.absolute() / folder_name(session) / claim
    before = store.state(session)
    _check_known(session, before, claim)
    said = result_for(output, redactor_of(before), where)  # a large one takes its time: nobody has to wait for us
    try:
        with visiting(store, session, alive, late=True) as (replica, now):
            redactor = redactor_of(replica.state)
            if replica.state.revision != before.revision:  # which may name other secrets
                said.discard()
                said = result_for(output, redactor, where)
            worker = redactor.text(worker)
            held = replica.state.claims.get(claim)
            if held is not None and _said_before(held, said, redactor.text(error)):
                return
            why = _why_not(replica.state, held, worker)
            if why:
                replica.emit(_too_late(now, claim, why, said, worker))
            else:
                kept = {**(files or {}), **said.keep()}
                replica.emit(ev.Reported(now, claim, said.output, None, kept, redactor.text(error), worker))
    finally:
        said.discard()
    if why:
        raise _ended(claim, why, FIRST if why == REPORTED else STOP)


def _said_before(held: Claim, said: Said, error: str) -> bool:
    """Whether the same was reported already, by one who did not hear that it had arrived: it is heard, and changes
    nothing."""
    before = held.report
    same = before is not None and before.output is not None and (before.output, before.error) == (said.output, error)
    return same and not held.driver


def _too_late(now: int, claim: str, why: str, said: Said, worker: str) -> ev.ReportRefused:
    """It is written down, but nobody shall have to read much for it."""
    if said.size <= Limits().result:
        return ev.ReportRefused(now, claim, why, said.output, worker)
    return ev.ReportRefused(now, claim, f"{why} (the result is left out: {said.size:,} bytes)", None, worker)


def _check_known(session: str, state: State, claim: str) -> None:
    """Claims are numbered, so that one that is over is told from one that there never was."""
    number = CLAIM.fullmatch(claim)
    if number is None or int(number.group(1)) > state.claims_made:
        message = f"there is no claim `{claim}` in the session {session}, and there never was"
        hint = "petri claim prints the id of a claim, and petri status shows those that there are"
        raise PetriError("PETRI_UNKNOWN_CLAIM", message, hint=hint)


def _why_not(state: State, held: Claim | None, worker: str) -> str:
    if held is None and state.final:
        return f"the session is {state.ended}"
    if held is None:
        return "it has lapsed, was taken back, or its work has been judged"
    if held.driver:
        return "its work is done by the driver itself"
    if held.stage == "reported":
        return REPORTED
    if worker and held.worker and held.worker != worker:
        return f"it is held by {held.worker}"
    return ""


def _ended(claim: str, why: str, hint: str = STOP) -> PetriError:
    return PetriError("PETRI_CLAIM_ENDED", f"claim {claim}: {why}", hint=hint)


def approve(
    store: EventStore,
    session: str,
    claim: str,
    *,
    approved: bool = True,
    by: str = "",
    note: str = "",
    alive: Alive = identity.alive,
) -> bool:
    """Write down what a person says of work that was reported. The driver, or :func:`verify`, acts on it.

    The first word stands: False where the same was said already, and nothing is written. by: is not authenticated; but
    whoever has the claim by name cannot approve of it. Raises PetriError ``PETRI_ALREADY_DECIDED`` where the contrary
    was said before, ``PETRI_OWN_WORK``, ``PETRI_CLAIM_ENDED``, ``PETRI_UNKNOWN_CLAIM``, or ``PETRI_NO_APPROVAL`` where
    nobody asks for a person's word.
    """
    with visiting(store, session, alive, late=True) as (replica, now):
        state = replica.state
        _check_known(session, state, claim)
        held = state.claims.get(claim)
        if held is None:
            why = (
                f"the session is {state.ended}" if state.final else "it has lapsed, was taken back, or has been judged"
            )
            raise _ended(claim, why, "there is nothing to say about it any more (petri status)")
        spec = verifier_of(replica.course.plan, replica.piece(held).node)
        if not asks_a_person(spec):
            message = f"claim {claim} is verified without a person's word"
            raise PetriError("PETRI_NO_APPROVAL", message, hint="say `verify: human` in the plan to be asked")
        if held.stage != "reported":
            message = f"claim {claim} was not reported yet: there is nothing to say about it"
            raise PetriError("PETRI_NO_APPROVAL", message, hint="wait for the report (petri status)")
        by = masked(state, by)
        if approved and _same_name(by, held.worker):
            message = f"claim {claim} is the work of {held.worker}, who cannot approve of it"
            raise PetriError("PETRI_OWN_WORK", message, hint="somebody else has to look: --by NAME")
        if held.approval is not None:
            return _again(held, approved)
        replica.emit(ev.Approved(now, claim, approved, by, masked(state, note)))
    return True


def _same_name(one: str, other: str) -> bool:
    return bool(one.strip()) and one.strip().casefold() == other.strip().casefold()


def _again(held: Claim, approved: bool) -> Literal[False]:
    """A word on what somebody has spoken on: the same is heard, and changes nothing."""
    if approved == held.approval:
        return False
    word, by = "approved" if held.approval else "rejected", f" by {held.approved_by}" if held.approved_by else ""
    hint = (
        "the first word stands; petri cancel ends the session" if held.approval else "the work is tried again, or ends"
    )
    raise PetriError("PETRI_ALREADY_DECIDED", f"claim {held.id} was {word}{by} already", hint=hint)


def inject(
    store: EventStore, session: str, place: str, *, thread: str = "", by: str = "", alive: Alive = identity.alive
) -> None:
    """An outside event: the thing that a loop waits for between two rounds has happened, so its delay is over now.

    place: ``p.loop.<id>.due``; thread: the items that the loop belongs to (``2/1``). No other place of a plan takes
    tokens from outside: units of resources are given back by blocks and by time alone. Raises PetriError
    ``PETRI_NOT_INJECTABLE``.
    """
    with visiting(store, session, alive) as (replica, now):
        loops = [due_place(n) for n in replica.course.plan.nodes if isinstance(n, Loop) and n.delay]
        if place not in loops:
            hint = f"these do: {', '.join(loops)}" if loops else "only a loop with a delay has such a place"
            raise PetriError("PETRI_NOT_INJECTABLE", f"place `{place}` takes no tokens from outside", hint=hint)
        timers = replica.state.timers.values()
        timer = next((t for t in timers if t.place == place and t.tokens[0].name == thread), None)
        if timer is None:
            message = f"nothing waits in place `{place}`" + (f" for item {thread}" if thread else "")
            raise PetriError("PETRI_NOT_INJECTABLE", message, hint="an event counts while the loop waits for it")
        replica.injected(now, place, timer.tokens, timer=timer.id, by=masked(replica.state, by))


async def verify(
    store: EventStore, session: str, judge: Judge, *, claim: str | None = None, alive: Alive = identity.alive
) -> list[ev.Verified | ev.Refused]:
    """Adjudicate what was reported, where no driver lives to do it; the verdicts. claim: that one alone.

    Raises PetriError ``PETRI_SESSION_BUSY`` when a driver lives, ``PETRI_CLAIM_ENDED`` for a claim that there is not
    any more, ``PETRI_UNKNOWN_CLAIM`` for one that there never was.
    """
    with visiting(store, session, alive) as (replica, _):
        _check_undriven(session, replica.state, alive)
        if claim is not None:
            _check_known(session, replica.state, claim)
        waiting = [c for c in replica.state.claims.values() if c.stage == "reported" and claim in (None, c.id)]
        if claim is not None and not waiting:
            raise _ended(claim, "nothing that was reported on it waits for a verdict")
        jobs = [(c.id, replica.job(c), report_on(c)) for c in waiting]
    verdicts: list[ev.Verified | ev.Refused] = []
    for name, job, said in jobs:
        verdict = await judge(job, said)
        if verdict.passed is None:
            continue
        with visiting(store, session, alive) as (replica, now):
            _check_undriven(session, replica.state, alive)
            held = replica.state.claims.get(name)
            if held is None:
                continue
            before = len(replica.pending)
            adjudicate(replica, now, held, verdict)
            verdicts += [e for e in replica.pending[before:] if isinstance(e, (ev.Verified, ev.Refused))]
    return verdicts


def _check_undriven(session: str, state: State, alive: Alive) -> None:
    if driven(state, alive):
        raise PetriError("PETRI_SESSION_BUSY", f"the driver of session {session} verifies what is reported")
