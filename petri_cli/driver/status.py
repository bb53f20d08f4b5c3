"""Where a session stands: its state set beside its plan. All that ``petri status`` shows, without a word of prose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from petri_cli.driver.course import Course
from petri_cli.driver.pieces import Piece
from petri_cli.driver.threads import Thread, items_of
from petri_cli.engine.scheduler import Scheduler
from petri_cli.engine.tokens import Token
from petri_cli.plan.lower import Lowered, suffix
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Plan, PlanNode
from petri_cli.session.state import RESOURCE, Claim, State

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
    blocked: int
    """Out of attempts."""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One piece of work that waits for its turn or its next attempt. retry_in: ticks until it may be tried again."""

    task: str
    attempts: int
    burnt: int
    retry_in: int | None
    blocked: bool
    reason: str
    pull: bool


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim that is out. left: ticks until its lease ends; human: a person's word is waited for."""

    claim: Claim
    task: str
    of: int
    left: int


@dataclass(frozen=True, slots=True)
class HolderRow:
    """A guard's block that holds units since a time. inside: the work that is claimed in it, or else is next."""

    guard: str
    line: int
    units: int
    since: int
    inside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """free + held + coming = capacity; coming: units of a quota on their way back, and ticks until the first one."""

    id: str
    capacity: int
    free: int
    held: int
    holders: tuple[HolderRow, ...]
    coming: int
    coming_in: int | None
    wanted: tuple[str, ...]
    """Guards whose turn has come and that have not got their units."""


@dataclass(frozen=True, slots=True)
class Status:
    """The whole of it. alive: whether the driver's process runs (None: no driver, or it cannot be known from here)."""

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
    def marking(self) -> Mapping[str, int]:
        return {p: len(ts) for p, ts in sorted(self.state.marking.items())}


def status_of(session: str, state: State, *, now: int, alive: bool | None = None) -> Status:
    """The status of ``session`` in ``state`` at store time ``now``. Raises PetriError when its plan cannot be read."""
    phase = phase_of(state, alive)
    revision = state.plan
    if revision is None:
        return Status(session, state, phase, alive, now, None, (), (), (), (), (), ())
    course = Course.of(revision.text, revision.file, revision.format)
    plan, lowered = course.plan, course.lowered
    work = list(course.pieces.values())
    enabled = _enabled(state, lowered)
    return Status(
        session,
        state,
        phase,
        alive,
        now,
        plan,
        tuple(_task_row(plan, piece, state, now) for piece in work),
        tuple(_work_rows(work, state, now)),
        tuple(_claim_row(piece, state, now) for piece in _claimed(work, state)),
        tuple(_resources(plan, lowered, state, now)),
        enabled,
        tuple(t for t in enabled if _is_choice(plan, lowered, t)),
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


def called(task: str, thread: str) -> str:
    """``migrate[3]``: a task and the items that it is done for."""
    return f"{task}{suffix(items_of(thread))}"


def _task_row(plan: Plan, piece: Piece, state: State, now: int) -> TaskRow:
    out = [c for c in state.claims.values() if c.transition == piece.transition]
    judged = sum(c.stage == "reported" for c in out)
    ready = resting = blocked = 0
    for token in state.marking.get(piece.entry, ()):
        retry_in, gone = _standing(piece, token, state, now)
        blocked += gone
        resting += retry_in is not None and not gone
        ready += retry_in is None and not gone
    total, exact = _threads(plan, piece.node, state)
    if state.ended == "completed":
        total, exact = len(state.results.get(piece.key, {})), True
    done = min(len(state.results.get(piece.key, {})), total)
    open_ = len(out) + ready + resting + blocked
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
        blocked,
    )


def _threads(plan: Plan, node: PlanNode, state: State) -> tuple[int, bool]:
    """How many threads come to ``node``, as far as the foreach blocks around it are known, and whether that is all.

    A foreach that is not discovered counts for one item; each branch of a choice that is open is taken to be the one.
    """
    count, exact = 1, True
    around = list(plan.ancestors(node.index))
    for k in range(len(around) - 1, -1, -1):
        outer = around[k]
        if isinstance(outer, Foreach):
            widths = state.widths.get(outer.id, {})
            missing = max(0, count - len(widths))
            if outer.items is not None:
                count = count * outer.items
            else:
                count, exact = sum(widths.values()) + missing, exact and not missing
        elif isinstance(outer, Choice) and not any(isinstance(n, Loop) for n in around[k:]):
            inner = around[k - 1].index if k else node.index
            taken = [state.fired.get(f"t.choice.{outer.id}.{b}", 0) for b in range(1, len(outer.children) + 1)]
            open_ = max(0, count - sum(taken))
            count, exact = taken[outer.children.index(inner)] + open_, exact and not open_
    return count, exact


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
            )


def _claimed(work: Sequence[Piece], state: State) -> list[tuple[Piece, Claim]]:
    by_transition = {p.transition: p for p in work}
    return [(by_transition[c.transition], c) for c in state.claims.values()]


def _claim_row(row: tuple[Piece, Claim], state: State, now: int) -> ClaimRow:
    piece, claim = row
    return ClaimRow(claim, called(piece.key, claim.thread), piece.attempts, max(0, claim.expires - now))


# Resources


def _resources(plan: Plan, lowered: Lowered, state: State, now: int) -> Iterable[ResourceRow]:
    guards = {f"t.guard.{g.id}": g for g in plan.guards()}
    wanted: dict[str, list[str]] = {}
    for t in lowered.net.transitions:
        if t.id.endswith(".acquire"):
            node = plan.nodes[lowered.origin[t.id].node]
            for token in state.marking.get(t.inputs[0].place, ()):
                for arc in t.inputs[1:]:
                    wanted.setdefault(arc.place, []).append(called(f"guard {getattr(node, 'id', '')}", token.name))
    for resource in plan.resources:
        place = RESOURCE + resource.id
        holders = tuple(
            HolderRow(
                called(guards[head].id, h.thread) if head in guards else head,
                guards[head].where.line if head in guards else 0,
                h.units[place],
                h.since,
                _inside(plan, guards.get(head), h.thread, state),
            )
            for (head, _), h in state.holdings.items()
            if place in h.units
        )
        coming = [t for t in state.timers.values() if t.place == place]
        yield ResourceRow(
            resource.id,
            resource.capacity,
            state.free(resource.id),
            sum(h.units for h in holders),
            holders,
            sum(len(t.tokens) for t in coming),
            min((max(0, t.due - now) for t in coming), default=None),
            tuple(wanted.get(place, ())),
        )


def _inside(plan: Plan, guard: Guard | None, thread: str, state: State) -> tuple[str, ...]:
    """The claimed work in a guard's block, of the thread that holds it or of an item within."""
    if guard is None:
        return ()
    tasks = {f"t.{n.id}" for n in plan.nodes[guard.index : guard.end]}
    within = f"{thread}/" if thread else ""
    return tuple(
        called(c.task, c.thread)
        for c in state.claims.values()
        if c.transition in tasks and (c.thread == thread or c.thread.startswith(within))
    )


# The net


def _enabled(state: State, lowered: Lowered) -> tuple[str, ...]:
    """The transitions that are enabled in the marking, in declaration order."""
    scheduler = Scheduler(lowered.net, state.marking, events=False, max_concurrency=0)
    scheduler.cycle(state.at)
    return tuple(scheduler.enabled())


def _is_choice(plan: Plan, lowered: Lowered, transition: str) -> bool:
    index = lowered.origin[transition].node
    return index >= 0 and isinstance(plan.nodes[index], (Choice, Loop)) and transition.endswith(".decide")
