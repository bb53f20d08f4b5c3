"""Writing down the evidence of a verdict so that :mod:`petri_cli.certificate` can look at it again.

What is written need not be how the gate decided: it is what a checker that can't search can follow. Where that is a
list of markings, they are explored once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from petri_cli.net.compiled import CompiledNet, State, compile_net
from petri_cli.net.firing import Step
from petri_cli.net.model import Net
from petri_cli.net.start import start_of
from petri_cli.plan.model import Foreach, Plan
from petri_cli.soundness.bits import members
from petri_cli.soundness.core import core_of
from petri_cli.soundness.decide import Question
from petri_cli.soundness.demand import blocking, demand_of
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.lockorder import lock_order
from petri_cli.soundness.packed import PackedNet, with_room
from petri_cli.soundness.reduced import reduction_decides
from petri_cli.soundness.result import Counterexample, Result, Verdict
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.stubborn import StubbornSets

MOST_STATES = 50_000
"""Markings that one certificate lists."""

Written = tuple[str, dict[str, Any]]
"""Kind of the evidence, and the evidence."""


def evidence_of_net(net: Net, result: Result) -> Written | None:
    """The evidence for what ``result`` says about the soundness of ``net``; None when there is none that a checker
    could follow, or it would be too long."""
    target = target_of(start_of(net).net)
    compiled = compile_net(target.net)
    if result.verdict is Verdict.UNSOUND and result.counterexample is not None:
        return _refusal(compiled, result.counterexample)
    if result.verdict is not Verdict.SOUND:
        return None
    whole = with_room(compiled, lambda packed: _explored(StateSpace(packed)))
    if whole is not None:
        order = _towards(whole)
        return None if order is None else ("states", _listed(compiled, [whole.state(i) for i in order]))
    if not reduction_decides(target, compiled):
        return None
    return with_room(compiled, _stubborn)


def evidence_of_plan(plan: Plan, result: Result) -> Written | None:
    """The same for a plan."""
    if result.verdict is Verdict.UNSOUND and result.counterexample is not None:
        cx = result.counterexample
        widths = {n.id: cx.widths.get(n.id, n.items or 0) for n in plan.nodes if isinstance(n, Foreach)}
        return "plan-run", {"shows": cx.kind, "run": _steps(cx.run), "widths": widths}
    if result.verdict is not Verdict.SOUND:
        return None
    core = core_of(plan)
    question = Question(core, core.capacities)
    waiting = blocking(demand_of(core, question.width_limits()), core.capacities)
    order = lock_order(core.nodes, waiting)
    if order.cyclic():
        return None
    return "plan-waits", {"order": [core.resources[r] for r in order.order() if waiting >> r & 1]}


def _refusal(compiled: CompiledNet, cx: Counterexample) -> Written | None:
    evidence: dict[str, Any] = {"shows": cx.kind, "run": _steps(cx.run)}
    match cx.kind:
        case "unbounded":
            evidence["pump"] = _steps(cx.pump)
        case "cannotComplete" | "deadTransition":
            start = compiled.state(cx.marking)
            found = with_room(_from(compiled, start), lambda packed: _explored(StateSpace(packed)))
            if found is None:
                return None
            evidence["closed"] = _listed(compiled, [found.state(i) for i in range(len(found.markings))])
            if cx.kind == "deadTransition":
                evidence["transition"] = cx.subject
        case "deadlock" | "improperCompletion":
            pass
        case _:
            return None
    return "run", evidence


def _from(compiled: CompiledNet, start: State) -> CompiledNet:
    return CompiledNet(compiled.net, compiled.places, compiled.actions, start, compiled.final)


def _explored(space: StateSpace) -> StateSpace | None:
    space.advance(MOST_STATES)
    return space if space.complete else None


def _towards(space: StateSpace) -> list[int] | None:
    """The states by their distance to the final one, it first; None where one does not lead there."""
    final = space.find(space.net.compiled.final)
    if final is None:
        return None
    before: list[list[int]] = [[] for _ in range(len(space.markings))]
    for i in range(len(space.markings)):
        for j in space.successors(i):
            before[j].append(i)
    order, seen = [final], {final}
    for j in order:  # grows while it is read
        for i in before[j]:
            if i not in seen:
                seen.add(i)
                order.append(i)
    return order if len(order) == len(space.markings) else None


def _stubborn(packed: PackedNet) -> Written | None:
    sets = StubbornSets(packed)
    space = _explored(StateSpace(packed, sets.choose))
    order = None if space is None else _towards(space)
    if space is None or order is None:
        return None
    evidence = _listed(packed.compiled, [space.state(i) for i in order])
    chosen = []
    for i in order:
        m = space.markings[i]
        enabled = packed.enabled(m)
        chosen.append(list(members(sets.whole(m, enabled))) if enabled else [])
    return "stubborn", {**evidence, "sets": chosen}


def _listed(compiled: CompiledNet, states: Iterable[State]) -> dict[str, Any]:
    rows: list[Sequence[int]] = [[x for p, n in enumerate(state) if n for x in (p, n)] for state in states]
    return {"places": list(compiled.places), "markings": rows}


def _steps(run: Iterable[Step]) -> list[dict[str, Any]]:
    return [{"transition": s.transition, "outcome": s.outcome} for s in run]
