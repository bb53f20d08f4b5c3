"""Evidence of the soundness of a plan, or against it, that a checker can follow.

What has to be shown of a sound plan the checker says: the parts in which somebody may have to wait for ever, and the
net of a part with some of its resources. The provers are asked about those nets.
"""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.certificate.claim import Unproved
from petri_cli.certificate.guards import END, exact_net, guard_net
from petri_cli.certificate.parts import Part, parts_of
from petri_cli.evidence.equation import no_dead_end
from petri_cli.evidence.listing import MOST_STATES, Json, Written, reduced, steps, with_sets
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.plan.model import Foreach, Guard, Plan
from petri_cli.soundness.bits import components, members
from petri_cli.soundness.core import core_of
from petri_cli.soundness.decide import Question
from petri_cli.soundness.demand import blocking, demand_of
from petri_cli.soundness.lockorder import LockOrder, lock_order
from petri_cli.soundness.packed import PackedNet, with_room
from petri_cli.soundness.result import Result, Verdict
from petri_cli.soundness.timer import Deadline, Timer
from petri_cli.soundness.walk import walk

FEW_STATES = 500
"""Markings that are listed rather than argued about."""


def evidence_of_plan(plan: Plan, result: Result, timer: Timer | None = None) -> Written | None:
    """The evidence for what ``result`` says of ``plan``; None when there is none that a checker could follow, or it
    would be too long."""
    if result.verdict is Verdict.UNSOUND:
        return _too_much(plan) or _deadlock(plan, result) or deadlock_of_plan(plan, timer)
    if result.verdict is not Verdict.SOUND:
        return None
    return proof_of_plan(plan, "plan-waits") or proof_of_plan(plan, "plan-parts", timer)


def proof_of_plan(plan: Plan, kind: str, timer: Timer | None = None) -> Written | None:
    """The evidence of one kind that ``plan`` is sound; None where there is none, or none is found."""
    return _one_order(plan) if kind == "plan-waits" else _parts(plan, timer or Timer(None, 0))


def _deadlock(plan: Plan, result: Result) -> Written | None:
    cx = result.counterexample
    if cx is None:
        return None
    widths = {n.id: cx.widths.get(n.id, n.items or 0) for n in plan.nodes if isinstance(n, Foreach)}
    return "plan-run", {"shows": cx.kind, "run": steps(cx.run), "widths": widths}


def deadlock_of_plan(plan: Plan, timer: Timer | None = None) -> Written | None:
    """A standstill of a part that a single run leads to, for runs that are too long to be written step by step."""
    expired = (timer or Timer(None, 0)).expired
    try:
        for number, part in enumerate(parts_of(plan)):
            compiled = compile_net(exact_net(part))
            found = walk(compiled, len(part.lasting), expired)
            if found is not None:
                run = [{"step": compiled.actions[a].step.transition, "times": times} for a, times in found]
                return "plan-deadlock", {"part": number, "run": run}
    except Unproved:
        return None
    return None


def _too_much(plan: Plan) -> Written | None:
    """A guard that asks for more than can be free."""
    core = core_of(plan)
    held = {r.id for r in plan.resources if r.per is None}
    capacity = plan.capacities()
    for request in core.requests:
        name = core.resources[request.resource]
        around = (g for g in plan.ancestors(request.plan) if isinstance(g, Guard) and name in held)
        if request.units + sum(k for g in around for r, k in g.units if r == name) > capacity[name]:
            return "plan-request", {"guard": plan.nodes[request.plan].id}
    return None


def _one_order(plan: Plan) -> Written | None:
    """One order in which all locks of the plan are taken."""
    core = core_of(plan)
    question = Question(core, core.capacities)
    waiting = blocking(demand_of(core, question.width_limits()), core.capacities)
    order = lock_order(core.nodes, waiting)
    if order.cyclic():
        return None
    return "plan-waits", {"order": [core.resources[r] for r in order.order() if waiting >> r & 1]}


def _parts(plan: Plan, timer: Timer) -> Written | None:
    """Each part by itself."""
    said: list[Json] = []
    try:
        for part in parts_of(plan):
            data = _part(part, timer)
            if data is None:
                return None
            said.append(data)
    except Unproved:  # the plan is beyond what the checker looks at
        return None
    return "plan-parts", {"parts": said}


def _part(part: Part, timer: Timer) -> Json | None:
    names = sorted(part.lasting)
    order = _order(part, names)
    proofs: list[Json] = []
    for component in order.cyclic():
        proof = None
        for kept in dict.fromkeys((component, order.ancestors(component), order.resources)):
            proof = _no_deadlock(part, [names[r] for r in members(kept)], timer)
            if proof is not None:
                break
        if proof is None:
            return None
        proofs.append(proof)
    groups = [[names[r] for r in members(c)] for c in order.components]
    return {"at": part.path, "by": "D" if proofs else "C", "order": groups, "proofs": proofs}


def _order(part: Part, names: list[str]) -> LockOrder:
    """Which resources are asked for inside guards on which."""
    number = {r: i for i, r in enumerate(names)}
    after: dict[int, int] = {}
    inside: dict[int, int] = {}
    for node in reversed(part.nodes):
        wanted = inside.pop(node.index, 0)
        own = [number[r] for r in part.units(node, part.lasting)]
        if wanted:
            for r in own:
                after[r] = after.get(r, 0) | wanted
        wanted |= _bits(own)
        if wanted:
            inside[node.parent] = inside.get(node.parent, 0) | wanted
    resources = (1 << len(names)) - 1
    return LockOrder(resources, after, tuple(components(after, resources)))


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << n for n in numbers)


def _no_deadlock(part: Part, kept: list[str], timer: Timer) -> Json | None:
    """Why no dead marking of the part over ``kept`` is reachable but the final one; None where one is, or it is not
    known."""
    compiled = compile_net(guard_net(part, frozenset(kept)))
    few = _list_without_deadlock(compiled, FEW_STATES, timer.expired)
    if few is not None:
        return None if few == {} else {"kept": kept, **few}
    stuck = no_dead_end(compiled, compiled.index[END], timer.half())
    if stuck is not None:
        return {"kept": kept, "stuck": stuck}
    many = _list_without_deadlock(compiled, MOST_STATES, timer.expired)
    return {"kept": kept, **many} if many else None


def _list_without_deadlock(compiled: CompiledNet, limit: int, deadline: Deadline) -> Json | None:
    """Markings enough to have every dead one; None where there are more than ``limit``, empty where one is dead that
    is not final."""

    def search(packed: PackedNet) -> Json | None:
        found = reduced(packed, limit, deadline)
        if found is None:
            return None
        space = found[0]
        if any(space.state(i) != compiled.final for i in space.rests):
            return {}
        return with_sets(packed, *found, range(len(space.markings)))

    return with_room(compiled, search)
