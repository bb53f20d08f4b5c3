"""How a session stands: what could be begun, what has used up its attempts, what is still to come, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from petri_cli.driver.pieces import Piece
from petri_cli.driver.replica import Replica
from petri_cli.driver.threads import Thread
from petri_cli.driver.watch import Watch
from petri_cli.engine.tokens import Token
from petri_cli.plan.lower import END, acquire_id, resource_place
from petri_cli.plan.model import Guard
from petri_cli.session.state import Attempts

DIED = "its driver died"
"""Why an attempt was burnt that nobody can be blamed for."""


def claimable(
    replica: Replica, now: int, watch: Watch, wanted: Callable[[Piece], bool]
) -> Iterator[tuple[Piece, Token]]:
    """Work that can be begun now: highest priority first, then as declared, then whatever has waited longest.

    Take what you want of it before you begin any: what is begun changes the marking that this reads.
    """
    marking, waiting = replica.state.marking, replica.course.waiting
    for piece in sorted([waiting[p] for p in marking if p in waiting], key=lambda piece: piece.order):
        if wanted(piece):
            for token in marking[piece.entry]:
                if not used_up(replica, piece, token) and its_turn(replica, piece, token, now, watch):
                    yield piece, token


def attempts(replica: Replica, piece: Piece, token: Token) -> Attempts | None:
    thread = Thread.of(token)
    return replica.state.attempts.get((piece.transition, thread.name, thread.rounds))


def used_up(replica: Replica, piece: Piece, token: Token) -> bool:
    """Whether the work has had all its attempts."""
    known = attempts(replica, piece, token)
    return known is not None and known.begun >= piece.attempts


def its_turn(replica: Replica, piece: Piece, token: Token, now: int, watch: Watch) -> bool:
    """Whether it need not wait any longer, for its time or between attempts."""
    known = attempts(replica, piece, token)
    at = token.created_at + piece.delay if piece.delay else now
    if known is not None and known.retry_at is not None:
        at = max(at, known.retry_at)
    return at <= now or watch.remaining(("turn", piece.transition, token.name), at, None, now) == 0


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Work that has had all its attempts and did not pass."""

    piece: Piece
    thread: str
    attempts: Attempts
    session: str = ""

    def __str__(self) -> str:
        where = f" (item {self.thread})" if self.thread else ""
        n = self.attempts.begun
        times = "its one attempt" if n == 1 else f"all its {n} attempts"
        why = f": {self.attempts.reason}" if self.attempts.reason else ""
        mend = f"; raise maxAttempts in the plan and commit it (petri plan FILE --session {self.session})"
        return f"{self.piece.title}{where} has had {times}{why}{mend if self.attempts.reason == DIED else ''}"


def exhausted(replica: Replica) -> list[Exhausted]:
    """Asked in every step: it looks only at work that was tried and has not passed."""
    found = []
    state = replica.state
    for (transition, thread, rounds), known in state.attempts.items():
        piece = replica.course.pieces.get(transition)
        if piece is None or known.burnt < piece.attempts:
            continue
        waiting = (Thread.of(t) for t in state.marking.get(piece.entry, ()))
        if any(t.name == thread and t.rounds == rounds for t in waiting):
            found.append(Exhausted(piece, thread, known, replica.session))
    return found


def completed(replica: Replica) -> bool:
    """Whether the token is at the end, nothing is under way, and every unit is back or on its way back by time."""
    state, final = replica.state, replica.course.compiled.net.final or {}
    if state.claims or len(state.marking.get(END, ())) != final[END]:
        return False
    counts = Counter({p: len(tokens) for p, tokens in state.marking.items()})
    for timer in state.timers.values():
        counts[timer.place] += len(timer.tokens)
    return counts == Counter(final)


def to_come(replica: Replica, now: int, watch: Watch, pull: bool) -> list[str]:
    """What may still bring the session on, though nothing runs here: a reason to wait each; empty: nothing may.

    pull: whether somebody may come and claim work.
    """
    state = replica.state
    reasons = []
    people = sum(c.stage == "reported" for c in state.claims.values())
    if people:
        reasons.append(f"{people} reported and waiting for a verdict")
    if len(state.claims) > people:
        reasons.append(f"{len(state.claims) - people} claimed by workers")
    if state.timers:
        reasons.append("time has to pass")
    offered = later = 0
    for place, tokens in state.marking.items():
        piece = replica.course.waiting.get(place)
        if piece is None or not (pull or piece.local):
            continue
        for token in tokens:
            if not used_up(replica, piece, token):
                if its_turn(replica, piece, token, now, watch):
                    offered += 1
                else:
                    later += 1
    if offered:
        reasons.append(f"{offered} to be claimed by workers")
    if later:
        reasons.append(f"{later} to be begun later")
    return reasons


def missing(replica: Replica, pull: bool) -> tuple[str, ...]:
    """What keeps the session from going on, a sentence each."""
    sentences = [str(e) for e in exhausted(replica)]
    marking = replica.state.marking
    if not pull:
        for place, tokens in marking.items():
            piece = replica.course.waiting.get(place)
            if piece is not None and not piece.local and tokens:
                sentences.append(f"{piece.title} has no body, and no worker comes for it")
    return (*sentences, *_waiting_guards(replica))


def _waiting_guards(replica: Replica) -> Iterator[str]:
    state = replica.state
    transitions = {t.id: t for t in replica.course.lowered.net.transitions}
    for guard in replica.course.plan.guards():
        entry = transitions[acquire_id(guard)].inputs[0].place
        if state.marking.get(entry):
            yield from _shortages(replica, guard)


def _shortages(replica: Replica, guard: Guard) -> Iterator[str]:
    state = replica.state
    for resource, units in guard.units:
        free = state.free(resource)
        if free < units:
            place = resource_place(resource)
            holders = [
                h.transition.removeprefix("t.").removesuffix(".acquire").replace(".", " ")
                + (f" (item {h.thread})" if h.thread else "")
                for h in state.holdings.values()
                if h.units.get(place)
            ]
            held = f", held by {', '.join(holders)}" if holders else ""
            some = "a unit" if units == 1 else f"{units} units"
            yield f"guard {guard.id} waits for {some} of {resource} ({free} free{held})"
