"""Insights into sessions: the evidence of their logs set beside the plan, and its adaptations committed on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from petri_cli.driver.commit import plan_of
from petri_cli.driver.conformance import Conformance, PastCase, conformance, past_of
from petri_cli.driver.settings import setting
from petri_cli.errors import PetriError
from petri_cli.mining.adaptations import Adaptation, adaptations
from petri_cli.mining.evidence import Evidence, Numbers, gather
from petri_cli.mining.what_if import WhatIf
from petri_cli.plan.duration import format_duration
from petri_cli.plan.edit import Change, edit_plan
from petri_cli.plan.model import Plan
from petri_cli.session.events import RevisionCommitted
from petri_cli.session.store import EventStore
from petri_cli.soundness.core import core_of
from petri_cli.soundness.demand import demand_of
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Result
from petri_cli.soundness.timer import Deadline, never

GATE = Budget(200_000, 5.0)
"""For each capacity that is tried out."""


@dataclass(frozen=True, slots=True)
class Insights:
    """plan: the last revision of the session that was asked about; text and file: as it was committed; past: the cases
    of all sessions that were looked at, and ``conformance`` of the plan with them; command: what lists the cases, of a
    log that is no session's (then ``session`` is what it is called, and the evidence speaks of its cases)."""

    session: str
    plan: Plan
    text: str
    file: str
    evidence: Evidence
    adaptations: tuple[Adaptation, ...]
    past: tuple[PastCase, ...] = ()
    conformance: Conformance | None = None
    what_if: WhatIf | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Another plan, scored against the same history. file: where it is; result: the gate's word."""

    file: str
    plan: Plan
    result: Result
    conformance: Conformance


def insights(
    store: EventStore, session: str, history: Iterable[str] | None = None, *, deadline: Deadline = never
) -> Insights:
    """What the logs of ``history`` (the session alone, where not said) suggest for the plan of ``session``.

    deadline: of the alignments, which then answer with intervals. Raises PetriError ``PETRI_NO_PLAN``.
    """
    revision = store.state(session).plan
    if revision is None:
        raise PetriError("PETRI_NO_PLAN", f"no plan was committed to the session {session}", hint="petri plan FILE")
    plan = plan_of(revision.text, revision.format, revision.file)
    names = list(dict.fromkeys([session] if history is None else history))
    logs = ((name, (entry.event for entry in store.read(name))) for name in names)
    evidence = gather(plan, logs, _numbers)
    past = tuple(past_of(store, names))
    fit = conformance(plan, past, deadline=deadline)
    found = tuple(suggestions(plan, evidence))
    return Insights(session, plan, revision.text, revision.file, evidence, found, past, fit)


def suggestions(plan: Plan, evidence: Evidence, *, shared: bool = False) -> list[Adaptation]:
    """The adaptations of ``plan``. A capacity is suggested only if the plan stays sound with it. shared: many runs at a
    time use the resources, so what one run can ask for does not bound them."""
    demand = dict.fromkeys(plan.capacities(), inf) if shared else demand_by_resource(plan)

    def sound_with(resource: str, capacity: int) -> bool:
        resources = tuple(replace(r, capacity=capacity) if r.id == resource else r for r in plan.resources)
        return judge_plan(replace(plan, resources=resources), GATE).sound

    return adaptations(plan, evidence, lambda task, name: setting(plan, task, name), demand, sound_with)


def demand_by_resource(plan: Plan) -> dict[str, float]:
    """Most units of each resource that the plan can hold and ask for at one time."""
    core = core_of(plan)
    demand = demand_of(core, [node.limit for node in core.nodes])
    return {core.resources[r]: units for r, units in demand.items()}


def _numbers(event: RevisionCommitted) -> Numbers:
    plan = plan_of(event.text, event.format, event.file)
    return Numbers({t.id: int(setting(plan, t, "maxAttempts") or 1) for t in plan.tasks()}, plan.capacities())


def applied(found: Insights, chosen: Sequence[Adaptation]) -> str:
    """The text of the plan with the reversible ones of ``chosen`` in it. Raises PetriError ``PETRI_CANNOT_EDIT``."""
    changes = []
    for a in chosen:
        if not a.reversible:
            continue
        match a.kind:
            case "resourceCapacity":
                changes.append(Change("resource", a.target, "capacity", a.suggested))
            case "maxAttempts":
                changes.append(Change("task", a.target.removeprefix("t."), "maxAttempts", a.suggested))
            case kind:
                changes.append(Change("task", a.target.removeprefix("t."), kind, format_duration(a.suggested)))
    return edit_plan(found.text, found.file or "plan.yaml", changes)
