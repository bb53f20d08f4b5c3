"""A new plan over work that is under way: what was done stays done, or the plan does not fit and is refused.

The marking of the new revision is found by playing the work that was done, and the control around it, again on the new
plan's net (see :mod:`petri_cli.driver.replay`). Claims go on where their work is the same and its turn can come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from petri_cli.driver.history import Done, PlanOf, definition, history, result_key, works
from petri_cli.driver.replay import Replay
from petri_cli.driver.threads import Thread, called
from petri_cli.engine.events import TokensByPlace
from petri_cli.errors import NOWHERE, PetriError, Position
from petri_cli.plan.lower import Lowered
from petri_cli.plan.model import Plan
from petri_cli.session.events import Holding, SessionEvent, Timer
from petri_cli.session.state import RESOURCE, State


@dataclass(frozen=True, slots=True)
class Carried:
    """Where a new revision begins (see :class:`petri_cli.session.events.RevisionCommitted`)."""

    marking: TokensByPlace
    kept: Mapping[str, list[str]]
    moved: Mapping[str, TokensByPlace]
    changed: tuple[str, ...] = ()
    holdings: tuple[Holding, ...] = ()
    timers: tuple[Timer, ...] = ()


def carry(
    events: Iterable[SessionEvent],
    state: State,
    plan_of: PlanOf,
    plan: Plan,
    lowered: Lowered,
    now: int,
) -> Carried:
    """Where ``plan`` begins after ``events``, whose fold is ``state``. lowered: its execution net; now: ticks.

    Raises PetriError ``PETRI_REVISION_MISFIT`` naming the task that is in the way.
    """
    past = history(events, plan_of, plan)
    replay = Replay(plan, lowered, past, now)
    for step in past.steps:
        if not replay.play(step):
            raise _misfit(plan, step)
    replay.settle()
    moved = _move_claims(state, plan_of, plan, replay)
    timers = tuple(t for t in state.timers.values() if _goes_on(t, plan, lowered, replay))
    return Carried(
        {p: tuple(ts) for p, ts in replay.marking.items()},
        {result_key(t): threads for t, threads in replay.done.items()},
        moved,
        past.changed,
        tuple(replay.holdings.values()),
        timers,
    )


def _move_claims(state: State, plan_of: PlanOf, plan: Plan, replay: Replay) -> dict[str, TokensByPlace]:
    if not state.claims:
        return {}
    revision = state.revisions[-1]
    old = plan_of(revision.text, revision.format, revision.file)
    before = {t: definition(old, node) for t, node in works(old).items()}
    after = {t: definition(plan, node) for t, node in works(plan).items()}
    moved: dict[str, TokensByPlace] = {}
    for claim in state.claims.values():
        same = claim.transition in before and before[claim.transition] == after.get(claim.transition)
        here = same and replay.reach(claim.transition, claim.thread, claim.at)
        tokens = replay.take(claim.transition, claim.thread) if here else {}
        if [Thread.of(t).rounds for ts in tokens.values() for t in ts] != [claim.rounds]:
            why = "is no longer where it was in the plan" if same else "is another task in the new plan, or is gone"
            raise PetriError(
                "PETRI_REVISION_MISFIT",
                f"`{called(claim.task, claim.thread)}` is being worked on (claim {claim.id}, {claim.worker}) and {why}",
                where=_where(plan, claim.transition),
                hint="wait until it is done, or take the claim back with --revoke",
            )
        moved[claim.id] = tokens
    return moved


def _goes_on(timer: Timer, plan: Plan, lowered: Lowered, replay: Replay) -> bool:
    """Whether a timer has a meaning under the new plan. Units of a quota that are on their way back are not free."""
    if timer.place.startswith(RESOURCE):
        quota = any(r.per is not None and RESOURCE + r.id == timer.place for r in plan.resources)
        return quota and replay.take_units(timer.place, len(timer.tokens))
    return timer.place in lowered.origin


def _misfit(plan: Plan, step: Done) -> PetriError:
    return PetriError(
        "PETRI_REVISION_MISFIT",
        f"`{called(result_key(step.transition), step.thread)}` is done, but in the new plan its turn cannot have come",
        where=_where(plan, step.transition),
        hint="keep what comes before it as it was, or give it a new id, too: then it is done again",
    )


def _where(plan: Plan, transition: str) -> Position:
    """Where the new plan has the task, if it does."""
    return next((t.where for t in plan.tasks() if f"t.{t.id}" == transition), NOWHERE)
