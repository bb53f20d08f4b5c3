"""Where a session stands: its state set beside its plan. All that ``petri status`` shows, without a word of prose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from petri_cli.driver.course import Course
from petri_cli.driver.ending import INTERRUPTED
from petri_cli.driver.holders import HolderRow, ResourceRow, resource_rows
from petri_cli.driver.masking import shown_state
from petri_cli.driver.pieces import Piece
from petri_cli.driver.progress import Threads, threads_to_come
from petri_cli.driver.settings import asks_a_person, setting
from petri_cli.driver.threads import Thread, called
from petri_cli.engine.scheduler import Scheduler
from petri_cli.engine.tokens import Token
from petri_cli.plan.lower import Lowered
from petri_cli.plan.model import Choice, Loop, Plan
from petri_cli.session.state import Claim, State

__all__ = ["ClaimRow", "HolderRow", "Phase", "ResourceRow", "Status", "TaskRow", "WorkRow", "status_of"]

Phase = Literal["completed", "failed", "cancelled", "deadlocked", "suspended", "running", "waiting"]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task, all its threads together. total: how many there are to do as far as is known; exact: that is all."""

    task: str
    line: int
    pull: bool
    total: int
    exact: bool
    done: int
    running: int
    judged: int
    """Reported, and with a verifier or a person."""
    ready: int
    resting: int
    """Between two attempts."""
    later: int
    """Not before its time (``timing``)."""
    blocked: int
    """Out of attempts."""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One piece of work that waits for its turn or its next attempt. retry_in: ticks until it may be tried again;
    due_in: until its time comes, where it has one (``timing``)."""

    task: str
    attempts: int
    burnt: int
    retry_in: int | None
    blocked: bool
    reason: str
    pull: bool
    due_in: int | None = None


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim that is out. of: attempts that there may be; left: ticks until its lease ends; human: decides on it."""

    claim: Claim
    task: str
    of: int
    left: int
    human: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """The whole of it. alive: whether the driver's process runs (None: no driver, or it cannot be known from here);
    ahead: ticks by which the log's time is ahead of the clock that it was looked at by."""

    session: str
    state: State
    phase: Phase
    alive: bool | None
    now: int
    plan: Plan | None
    tasks: tuple[TaskRow, ...]
    work: tuple[WorkRow, ...]
    claims: tuple[ClaimRow, ...]
    resources: tuple[ResourceRow, ...]
    enabled: tuple[str, ...]
    choices: tuple[str, ...]
    ahead: int = 0

    @property
    def done(self) -> int:
        return sum(row.done for row in self.tasks)

    @property
    def total(self) -> int:
        return sum(row.total for row in self.tasks)

    @property
    def exact(self) -> bool:
        return all(row.exact for row in self.tasks)

    @property
    def why(self) -> str:
        """Why it is as it is. What a session rests for is what there is to do now: others may have done some of it."""
        state = self.state
        if state.ended != "suspended" or state.why == INTERRUPTED:
            return state.why
        counts = (
            (sum(r.judged for r in self.tasks), "reported and waiting for a verdict"),
            (sum(r.running for r in self.tasks), "claimed by workers"),
            (sum(r.ready for r in self.tasks if r.pull), "to be claimed by workers"),
            (sum(r.ready for r in self.tasks if not r.pull), "to be begun by a driver"),
            (sum(r.resting + r.later for r in self.tasks), "to be begun later"),
        )
        said = [f"{n} {what}" for n, what in counts if n]
        return "; ".join([*said, *(["time has to pass"] if state.timers else [])])

    @property
    def marking(self) -> Mapping[str, int]:
        return {p: len(ts) for p, ts in sorted(self.state.marking.items())}


def status_of(session: str, state: State, *, now: int, alive: bool | None = None) -> Status:
    """The status of ``session`` in ``state`` at the time ``now``, in ticks; the log's own time never is before its last
    event. Raises PetriError when its plan cannot be read."""
    state = shown_state(state)
    now, ahead = max(now, state.at), max(0, state.at - now)
    phase = phase_of(state, alive)
    revision = state.plan
    if revision is None:
        return Status(session, state, phase, alive, now, None, (), (), (), (), (), (), ahead)
    course = Course.of(revision.text, revision.file, revision.format)
    plan, lowered = course.plan, course.lowered
    work = list(course.pieces.values())
    enabled = () if state.final else _enabled(state, course)
    threads = threads_to_come(plan, state)
    by_transition: dict[str, list[Claim]] = {}
    for claim in state.claims.values():
        by_transition.setdefault(claim.transition, []).append(claim)
    return Status(
        session,
        state,
        phase,
        alive,
        now,
        plan,
        tuple(
            _task_row(piece, threads[piece.node.index], by_transition.get(piece.transition, ()), state, now)
            for piece in work
        ),
        () if state.final else tuple(_work_rows(work, state, now)),
        tuple(_claim_row(plan, course.pieces[claim.transition], claim, now) for claim in state.claims.values()),
        tuple(resource_rows(plan, lowered, state, now)),
        enabled,
        tuple(t for t in enabled if _is_choice(plan, lowered, t)),
        ahead,
    )


def phase_of(state: State, alive: bool | None) -> Phase:
    """The one word: how it ended, else whether anything of it runs now."""
    if state.ended is not None:
        return state.ended
    if state.driver is None or alive is False:
        return "waiting"
    busy = any(c.driver and c.stage != "reported" for c in state.claims.values())
    return "running" if busy or not state.claims else "waiting"


# Work


def _task_row(piece: Piece, threads: Threads, out: Sequence[Claim], state: State, now: int) -> TaskRow:
    judged = sum(c.stage == "reported" for c in out)
    ready = resting = later = blocked = 0
    for token in state.marking.get(piece.entry, ()):
        retry_in, gone = _standing(piece, token, state, now)
        if gone:
            blocked += 1
        elif retry_in is not None:
            resting += 1
        elif _due_in(piece, token, now) is not None:
            later += 1
        else:
            ready += 1
    total, exact = threads.count, threads.exact
    if state.ended == "completed":
        total, exact = len(state.results.get(piece.key, {})), True
    done = min(len(state.results.get(piece.key, {})), total)
    open_ = len(out) + ready + resting + later + blocked
    if state.final:  # its tokens stay where they were, and nobody takes them
        ready = resting = later = blocked = 0
    return TaskRow(
        piece.key,
        piece.node.where.line,
        not piece.local,
        max(total, done),
        exact,
        min(done, max(total - open_, 0)),
        len(out) - judged,
        judged,
        ready,
        resting,
        later,
        blocked,
    )


def _standing(piece: Piece, token: Token, state: State, now: int) -> tuple[int | None, bool]:
    """(ticks until the work on ``token`` may be tried again, whether it is out of attempts)."""
    thread = Thread.of(token)
    tries = state.attempts.get((piece.transition, thread.name, thread.rounds))
    if tries is None:
        return None, False
    if tries.burnt >= piece.attempts:
        return None, True
    wait = None if tries.retry_at is None or tries.retry_at <= now else tries.retry_at - now
    return wait, False


def _due_in(piece: Piece, token: Token, now: int) -> int | None:
    """Ticks until the time of the work on ``token`` comes; None where it has come, or there is none to wait for."""
    due = token.created_at + piece.delay
    return due - now if piece.delay and due > now else None


def _work_rows(work: Iterable[Piece], state: State, now: int) -> Iterable[WorkRow]:
    for piece in work:
        for token in state.marking.get(piece.entry, ()):
            thread = Thread.of(token)
            tries = state.attempts.get((piece.transition, thread.name, thread.rounds))
            retry_in, blocked = _standing(piece, token, state, now)
            yield WorkRow(
                called(piece.key, thread.name),
                piece.attempts,
                0 if tries is None else tries.burnt,
                retry_in,
                blocked,
                "" if tries is None else tries.reason,
                not piece.local,
                _due_in(piece, token, now),
            )


def _claim_row(plan: Plan, piece: Piece, claim: Claim, now: int) -> ClaimRow:
    human = claim.stage == "reported" and asks_a_person(setting(plan, piece.node, "verify"))
    return ClaimRow(claim, called(piece.key, claim.thread), piece.attempts, max(0, claim.expires - now), human)


# The net


def _enabled(state: State, course: Course) -> tuple[str, ...]:
    """The transitions that are enabled in the marking, in declaration order, without work that is out of attempts."""
    scheduler = Scheduler(course.compiled, state.marking, events=False, max_concurrency=0)
    scheduler.cycle(state.at)
    stuck = {
        piece.transition
        for place, tokens in state.marking.items()
        if (piece := course.waiting.get(place)) is not None
        and all(_standing(piece, token, state, state.at)[1] for token in tokens)
    }
    return tuple(t for t in scheduler.enabled() if t not in stuck)


def _is_choice(plan: Plan, lowered: Lowered, transition: str) -> bool:
    index = lowered.origin[transition].node
    return index >= 0 and isinstance(plan.nodes[index], (Choice, Loop)) and transition.endswith(".decide")
