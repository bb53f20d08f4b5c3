"""What a log tells of the work that was done, in order: pieces of work that passed, and control that fired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from petri_cli.engine.events import TokensByPlace
from petri_cli.plan.model import Foreach, Plan, PlanNode, Task
from petri_cli.session.events import Claimed, Fired, Injected, RevisionCommitted, SessionEvent, Verified
from petri_cli.session.fold_tokens import thread_of

PlanOf = Callable[[str, str, str], Plan]
"""Reads the plan of a revision: (text, format, file)."""

BODY = ("run", "python", "worker", "with", "verify")
"""What makes a task the task it is. How often and how long it is tried may change while it is done."""


@dataclass(frozen=True, slots=True)
class Done:
    """A transition that produced, for a thread (the name of the token that it took). work: it was a piece of work."""

    transition: str
    thread: str
    at: int
    produced: TokensByPlace
    work: bool


@dataclass(frozen=True, slots=True)
class History:
    """steps: all that produced, in order; due: (place, name) → how many tokens have come to it from outside; changed:
    transitions of the last revision whose work is another one now, or is gone."""

    steps: tuple[Done, ...]
    due: Mapping[tuple[str, str], int]
    changed: tuple[str, ...]


def definition(plan: Plan, node: PlanNode) -> dict[str, Any]:
    """What is compared to tell whether a piece of work is still the same: its body and verifier, with defaults."""
    if isinstance(node, Foreach):
        return {"over": node.over} | {k: node.settings[k] for k in BODY if k in node.settings}
    settings = node.settings if isinstance(node, Task) else {}
    found = {k: settings.get(k, plan.defaults.get(k)) for k in BODY}
    workers: Mapping[str, Any] = plan.settings.get("workers") or {}
    return found | {"by": workers.get(found["worker"]) if isinstance(found["worker"], str) else None}


def history(events: Iterable[SessionEvent], plan_of: PlanOf, plan: Plan) -> History:
    """What of the work done so far still counts under ``plan``.

    A piece of work counts when each revision since kept it and its definition is the same now; so does the discovery of
    a foreach. Control counts for what it is: it is replayed where ``plan`` has a transition of that name. A decision
    that was taken stays taken. plan_of: the plan of a revision.
    """
    wanted = {t: definition(plan, node) for t, node in works(plan).items()}
    steps: list[Done] = []
    due: dict[tuple[str, str], int] = {}
    claims: dict[str, Claimed] = {}
    present: dict[str, dict[str, Any]] = {}
    for event in events:
        match event:
            case RevisionCommitted():
                revised = plan_of(event.text, event.format, event.file)
                present = {t: definition(revised, node) for t, node in works(revised).items()}
                kept = {task: frozenset(threads) for task, threads in event.kept.items()}
                steps = [s for s in steps if not s.work or s.thread in kept.get(result_key(s.transition), ())]
            case Claimed():
                claims[event.claim] = event
            case Verified():
                claim = claims[event.claim]
                if wanted.get(claim.transition) == present[claim.transition]:
                    steps.append(Done(claim.transition, claim.thread, event.at, event.produced, True))
            case Fired() if wanted.get(event.transition) == present.get(event.transition):
                steps.append(Done(event.transition, thread_of(event.consumed), event.at, event.produced, False))
            case Injected():
                for token in event.tokens:
                    key = event.place, token.name
                    due[key] = due.get(key, 0) + 1
            case _:
                pass
    changed = tuple(t for t, what in present.items() if wanted.get(t) != what)
    return History(tuple(steps), due, changed)


def works(plan: Plan) -> dict[str, PlanNode]:
    """Transition → node, of everything that is claimed."""
    works: dict[str, PlanNode] = {f"t.{n.id}": n for n in plan.nodes if isinstance(n, Task)}
    works |= {f"t.foreach.{n.id}.discover": n for n in plan.nodes if isinstance(n, Foreach)}
    return works


def result_key(transition: str) -> str:
    """The id under which results of a claimed transition are kept: ``survey``, or ``foreach.each`` for a discovery."""
    return transition.removeprefix("t.").removesuffix(".discover")
