"""Insights into a log that other programs wrote, for a plan that is named: as into sessions, but they stay advice.

Each case is taken to have come to its end, with as many items of each foreach as its events show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from shlex import join

from petri_cli.driver.conformance import PastCase, conformance
from petri_cli.driver.insights import Insights, suggestions
from petri_cli.driver.settings import setting
from petri_cli.errors import PetriError
from petri_cli.mining.alignments import Kind, Move, align
from petri_cli.mining.case_widths import CaseWidths, Widths
from petri_cli.mining.log import Log, log_of
from petri_cli.mining.log_evidence import Seen, cases_seen, log_evidence
from petri_cli.mining.plan_model import activity_of, plan_model
from petri_cli.mining.retries import SUCCESS
from petri_cli.plan.model import Plan
from petri_cli.soundness.timer import Deadline, never

_ITEMS = re.compile(r"(?:\[\d+\])+\Z")
"""Of a transition, the items that it fires for."""


def log_insights(
    name: str,
    log: Log,
    plan: Plan,
    file: str,
    *,
    success: Collection[str] | None = SUCCESS,
    told: Sequence[str] = (),
    deadline: Deadline = never,
) -> Insights:
    """What the log called ``name`` suggests for ``plan``, which lies in ``file``. success: outcomes, in lower case;
    None where all that was done is taken to have passed; told: words of the call that say how the log is read."""
    attempts = {t.id: int(setting(plan, t, "maxAttempts") or 1) for t in plan.tasks()}
    cases = list(cases_seen(plan, log, success))
    evidence = log_evidence(plan, cases, attempts)
    known = {t.id for t in plan.tasks() if activity_of(t, log.activities) is not None}
    past = _past(plan, cases, known, deadline)
    for case in past:
        for transition in case.fired:
            evidence.fired[transition] = evidence.fired.get(transition, 0) + 1
    fit = conformance(plan, past, deadline=deadline, activities=known)
    return Insights(
        name, plan, "", file, evidence, tuple(suggestions(plan, evidence, shared=True)), tuple(past), fit,
        command=join(["petri", "mine", name, "--model", file, *told, "--all"]),
    )  # fmt: skip


def _past(
    plan: Plan, cases: list[tuple[str, list[Seen]]], known: Collection[str], deadline: Deadline
) -> list[PastCase]:
    """Each case with the transitions that its alignment fires, where there was time for one. known: tasks that a log
    can show; the others do nothing."""
    shown = CaseWidths(plan)
    traces: list[tuple[str, ...]] = []
    groups: dict[Widths, list[int]] = {}
    for k, (_, events) in enumerate(cases):
        traces.append(tuple([e.task or e.name for e in events if e.passed]))
        groups.setdefault(shown.of(Counter(traces[-1])), []).append(k)
    found = [PastCase(case, True, trace) for (case, _), trace in zip(cases, traces, strict=True)]
    for widths, group in groups.items():
        try:
            model = plan_model(plan, dict(widths), known)
        except PetriError as error:
            if error.code != "PETRI_NET_TOO_LARGE":
                raise
            for k in group:
                found[k] = PastCase(cases[k][0], True, traces[k], widths, fired=_fired(plan, None))
            continue
        aligned = align(log_of([traces[k] for k in group]), model, deadline=deadline)
        of_variant: dict[int, Mapping[str, int]] = {}
        for k, variant in zip(group, aligned.log.variant_of, strict=True):
            if variant not in of_variant:
                of_variant[variant] = _fired(plan, aligned.moves(variant))
            found[k] = PastCase(cases[k][0], True, traces[k], widths, fired=of_variant[variant])
    return found


def _fired(plan: Plan, moves: Sequence[Move] | None) -> Counter[str]:
    """Transition → how often it fired, whatever items it fired for; each task once where there was no time to know."""
    if moves is None:
        return Counter(f"t.{task.id}" for task in plan.tasks())
    happened = [m.transition for m in moves if m.transition and m.kind in (Kind.SYNC, Kind.SILENT)]
    return Counter(_ITEMS.sub("", transition) for transition in happened)
