"""Models for a log: found by a miner, or given in a file; each with the gate's word on it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Literal

from petri_cli.api import analyze, load_data, not_a_plan
from petri_cli.cli.inputs import one_source, read_source
from petri_cli.errors import PetriError
from petri_cli.mining.case_widths import groups_of
from petri_cli.mining.gate import judge_model
from petri_cli.mining.guards import GuardProposal, guards_of
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet, labels_of
from petri_cli.mining.raise_plan import Guards, plan_text, raise_plan
from petri_cli.mining.tree import Tree
from petri_cli.plan.model import Foreach, Guard, Plan
from petri_cli.render.mining import Found, Guarded, Swept
from petri_cli.render.names import short
from petri_cli.render.phrase import listed
from petri_cli.soundness.result import Budget


def find(
    log: Log,
    algorithm: Literal["alpha", "inductive", "dfg"],
    coverage: float,
    budget: Budget,
    guards: Sequence[GuardProposal] = (),
) -> Found:
    """The model that ``algorithm`` finds in ``log``, judged. guards: capacities for the plan, where it is one. Raises
    PetriError ``PETRI_TOO_MANY_PLACES``."""
    if algorithm == "alpha":
        return _alpha(log, budget)
    return _inductive(log, coverage, budget, guards)


def _alpha(log: Log, budget: Budget) -> Found:
    from petri_cli.mining.alpha import alpha

    net = alpha(log)
    names = net.activities
    rows = [f"{_set(a, names)} → {_set(b, names)}" for a, b in net.pairs]
    result = judge_model(net.model, budget, clock=time.monotonic)
    return Found("alpha", "Found by alpha", net.model, result, rows, net.warnings())


def _inductive(log: Log, coverage: float, budget: Budget, guards: Sequence[GuardProposal]) -> Found:
    """With the rows for other coverages, as far as half of the time suffices for them."""
    from petri_cli.mining.sweep import COVERAGES, most_frequent, sweep
    from petri_cli.render.process_tree import outline

    end = time.monotonic() + budget.seconds / 2
    others = sorted({*COVERAGES} - {coverage}, reverse=True)
    chosen, *more = sweep(log, [coverage, *others], deadline=lambda: time.monotonic() > end)
    rows = sorted([chosen, *more], key=lambda row: -row.coverage)
    missing = [f"{c:g}" for c in others if all(c != row.coverage for row in rows)]
    late = [f"no time was left to mine {listed(missing)} % of the cases (--timeout gives more)"] if missing else []
    result = judge_model(chosen.model, budget, clock=time.monotonic)
    text, guarded = _plan(chosen.tree, most_frequent(log, coverage), guards_of(log, guards), budget)
    swept = [Swept(r.coverage, r.variants, r.fitness, r.precision, r.size, chosen=r is chosen) for r in rows]
    title = "Found by the inductive miner"
    if coverage < 100:
        title += f" in {coverage:g} % of the cases"
    return Found("inductive", title, chosen.model, result, outline(chosen.tree), late, text, swept, guarded)


def _plan(tree: Tree, log: Log, guards: Guards, budget: Budget) -> tuple[str, Guarded | None]:
    """The plan as it is written, and the gate's word on its guards: it has them only where that is SOUND."""
    raised = raise_plan(tree, log, guards=guards)
    if not raised.resources:
        return plan_text(tree, log), None
    held = sum(isinstance(node, Guard) for node in raised.plan.nodes)
    result = analyze(raised.plan, budget=budget)
    return plan_text(tree, log, guards=guards if result.sound else None), Guarded(held, result)


def _set(activities: Sequence[int], names: Sequence[str]) -> str:
    told = ", ".join(short(names[a]) for a in activities)
    return told if len(activities) == 1 else f"{{{told}}}"


def given(path: str, log: Log, widths: Mapping[str, int], budget: Budget) -> Found:
    """The model in a file: a plan, lowered with cyclic loops and a foreach as wide as each case has it, unless
    ``widths`` say otherwise; or a net, judged. Raises PetriError."""
    from petri_cli.formats.detect import kind_of
    from petri_cli.formats.pnml_labelled import read_labelled_pnml

    source = one_source(path)
    data = read_source(source)
    activities = frozenset(log.activities)
    if kind_of(source.name, data) == "pnml":
        model, _ = read_labelled_pnml(data, source.name, activities)
        return Found("net", f"The net {source.name}", model, analyze(model.net, budget=budget))
    subject, _ = load_data(data, source.name)
    result = analyze(subject, budget=budget)
    if isinstance(subject, Plan):
        _check_widths(subject, widths)
        groups = groups_of(subject, log, widths)
        widest = [group.model for group in groups if group.model is not None][-1]
        return Found("plan", f"The plan {source.name}", widest, result, groups=groups)
    return Found("net", f"The net {source.name}", LabelledNet(subject, labels_of(subject, activities)), result)


def _check_widths(plan: Plan, widths: Mapping[str, int]) -> None:
    """Raises PetriError ``PETRI_UNKNOWN_FOREACH`` for a width of something that is none."""
    from petri_cli.formats.nearest import did_you_mean

    known = [node.id for node in plan.nodes if isinstance(node, Foreach)]
    for fid in widths:
        if fid not in known:
            hint = did_you_mean(fid, known) or "widths belong to the ids of foreach blocks"
            raise PetriError("PETRI_UNKNOWN_FOREACH", f"there is no foreach `{fid}`", hint=hint)


def given_plan(path: str) -> Plan:
    """The plan in a file. Raises PetriError."""
    source = one_source(path)
    subject, _ = load_data(read_source(source), source.name)
    if not isinstance(subject, Plan):
        raise not_a_plan(source.name)
    return subject
