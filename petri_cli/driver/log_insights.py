"""Insights into a log that other programs wrote, for a plan that is named: as into sessions, but they stay advice.

Each case is taken to have come to its end. A foreach has as many items in a case as the task directly in it has events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from petri_cli.driver.commands import setting
from petri_cli.driver.conformance import PastCase, Widths, conformance
from petri_cli.driver.insights import Insights, suggestions
from petri_cli.mining.alignments import Kind, align
from petri_cli.mining.log import Log, log_of
from petri_cli.mining.log_evidence import Seen, cases_seen, log_evidence
from petri_cli.mining.plan_model import activity_of, plan_model
from petri_cli.mining.retries import SUCCESS
from petri_cli.plan.model import Foreach, Loop, Plan, Task
from petri_cli.soundness.timer import Deadline, never


def log_insights(
    name: str, log: Log, plan: Plan, file: str, *, success: Collection[str] | None = SUCCESS, deadline: Deadline = never
) -> Insights:
    """What the log called ``name`` suggests for ``plan``, which lies in ``file``. success: outcomes, in lower case;
    None where all that was done is taken to have passed."""
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
        command=f"petri mine {name} --model {file} --all",
    )  # fmt: skip


def _past(
    plan: Plan, cases: list[tuple[str, list[Seen]]], known: Collection[str], deadline: Deadline
) -> list[PastCase]:
    """Each case with the transitions that its alignment fires, where there was time for one. known: tasks that a log
    can show; the others do nothing."""
    inner = {n.id: _directly_in(plan, n) for n in plan.nodes if isinstance(n, Foreach)}
    traces: list[tuple[str, ...]] = []
    groups: dict[Widths, list[int]] = {}
    for k, (_, events) in enumerate(cases):
        traces.append(tuple([e.task or e.name for e in events if e.passed]))
        counts = Counter(traces[-1])
        widths = tuple(sorted((loop, max([counts[t] for t in tasks], default=0)) for loop, tasks in inner.items()))
        groups.setdefault(widths, []).append(k)
    found = [PastCase(case, True, trace) for (case, _), trace in zip(cases, traces, strict=True)]
    for widths, group in groups.items():
        aligned = align(
            log_of([traces[k] for k in group]),
            plan_model(plan, dict(widths), known),
            deadline=deadline,
        )
        of_variant: dict[int, Mapping[str, int]] = {}
        for k, variant in zip(group, aligned.log.variant_of, strict=True):
            if variant not in of_variant:
                moves = aligned.moves(variant) or ()
                happened = [m.transition for m in moves if m.transition and m.kind in (Kind.SYNC, Kind.SILENT)]
                of_variant[variant] = Counter(happened)
            found[k] = PastCase(cases[k][0], True, traces[k], widths, fired=of_variant[variant])
    return found


def _directly_in(plan: Plan, loop: Foreach) -> list[str]:
    """The tasks that each item has at most once."""
    found = []
    for node in plan.nodes[loop.index + 1 : loop.end]:
        at = node.parent
        while at != loop.index and not isinstance(plan.nodes[at], (Loop, Foreach)):
            at = plan.nodes[at].parent
        if isinstance(node, Task) and at == loop.index:
            found.append(node.id)
    return found
