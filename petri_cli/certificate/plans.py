"""Certificates of plans: a run of the workflow net that dies, or, part by part, why no wait lasts for ever.

The plan is lowered by the compiler, as for execution; what is claimed of guards is derived from the tree alone
(:mod:`petri_cli.certificate.parts`, :mod:`petri_cli.certificate.guards`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petri_cli.certificate.claim import Unproved, amount, demand, field, has, listed, named, whole
from petri_cli.certificate.equation import equation_of
from petri_cli.certificate.guards import END, exact_net, guard_net
from petri_cli.certificate.linear import check_dead_ends
from petri_cli.certificate.parts import Part, check_requests, demands, live_nodes, parts_of
from petri_cli.certificate.question import Question, frozen
from petri_cli.certificate.runs import check_run
from petri_cli.certificate.spaces import closed_under_stubborn_sets
from petri_cli.errors import PetriError
from petri_cli.net.model import PlaceOut, leaves
from petri_cli.plan.model import Foreach, Guard, Plan, PlanNode
from petri_cli.plan.workflow_net import lower_workflow


def check_plan_run(plan: Plan, evidence: Any) -> str:
    """A run of the plan's workflow net at the widths given to a dead marking. Raises Unproved."""
    given = field(evidence, "widths")
    demand(isinstance(given, dict), "the widths are no object")
    widths = {named(k, "a foreach"): whole(n, "a width") for k, n in given.items()}
    for node in plan.nodes:
        if isinstance(node, Foreach):
            demand(node.id in widths or node.items is not None, f"the width of `{node.id}` is missing")
            width = widths.get(node.id, node.items or 0)
            demand(node.items is None or width == node.items, f"`{node.id}` has {node.items} items, not {width}")
            demand(node.max_width is None or width <= node.max_width, f"`{node.id}` is never so wide")
    demand(field(evidence, "shows") == "deadlock", "a run of a plan shows a deadlock")
    try:
        net = lower_workflow(plan, widths).net
    except PetriError as e:
        raise Unproved(f"at these widths the plan has no net: {e.message}") from None
    final = dict(net.final or {})
    return check_run(Question(net, final, final), evidence)


def check_request(plan: Plan, evidence: Any) -> str:
    """A guard that can never be entered: it asks for more than there is, or than the guards around it leave.

    ``guard``: its id. What is held and what is free add up to the capacity, so its acquire is a dead transition.
    """
    name, live = named(field(evidence, "guard"), "the guard"), live_nodes(plan)
    capacity, held = plan.capacities(), {r.id for r in plan.resources if r.per is None}
    asks = False
    for node in plan.guards():
        if node.id == name and live[node.index]:
            around = [r for g in plan.ancestors(node.index) if isinstance(g, Guard) for r in g.units]
            for r, k in node.units:
                asks = asks or k + sum(n for s, n in around if s == r and r in held) > capacity[r]
    demand(asks, f"no guard `{name}` asks for more than can be free")
    return f"the guard `{name}` asks for more than can ever be free"


def check_deadlock(plan: Plan, evidence: Any) -> str:
    """A run of the net of one part to a dead marking that is not final. Raises Unproved.

    ``part``: its number, counted from 0; ``run``: steps with how many times each is fired in a row, so that a pool of a
    million units takes no longer than one of two.
    """
    parts, number = list(parts_of(plan)), whole(field(evidence, "part"), "the number of a part")
    demand(number < len(parts), "there is no such part")
    net = exact_net(parts[number])
    transitions = {t.id: t for t in net.transitions}
    marking = dict(net.initial)
    for step in listed(field(evidence, "run"), "the run"):
        name, times = named(field(step, "step"), "a step"), whole(field(step, "times"), "how often", 1)
        demand(name in transitions, f"there is no step `{name}`")
        t = transitions[name]
        for arc in t.inputs:
            marking[arc.place] = marking.get(arc.place, 0) - times * arc.count
            demand(marking[arc.place] >= 0, f"`{name}` is not enabled {times} times in a row")
        for leaf in leaves(t.output):
            if isinstance(leaf, PlaceOut):
                marking[leaf.place] = marking.get(leaf.place, 0) + times * leaf.count
    question = Question(net, net.final or {}, {END: 1})
    demand(question.is_dead(marking), "something is enabled where the run ends")
    demand(frozen(marking) != frozen(question.final), "the run ends in the final marking")
    return f"{parts[number].path} comes to a standstill, with tasks left to do"


def check_unneeded_waits(plan: Plan, evidence: Any) -> str:
    """Every request fits; and of the resources that can make anybody wait, all nested guards follow one order.

    ``order``: these resources, first to last. A resource whose whole demand is at most its capacity makes nobody wait
    (statement B of ``docs/theory.md``), nor does a quota wait for its holders; with the others taken in one order no
    wait lasts (statement C). Raises Unproved.
    """
    order = [[named(r, "a resource")] for r in listed(field(evidence, "order"), "the order")]
    check_requests(plan)
    capacity = plan.capacities()
    waits: set[str] = set()
    for _, demanded in demands(plan):  # the last is that of the whole
        waits = {r for r, d in demanded.items() if d > capacity[r]}
    knots = _knots(plan.nodes, order, waits, live_nodes(plan))
    demand(not knots, "a guard lies inside another one on the same resource")
    return f"{amount(len(waits), 'resource')} that can make somebody wait, taken in one order"


def check_parts(plan: Plan, evidence: Any) -> str:
    """Every request fits, and no part of the plan can deadlock. Raises Unproved.

    ``parts``: for each part in which somebody may have to wait for ever (statements B and G), in document order, the
    ``order`` of its resources in groups, which nested guards never go against (``by`` statement C, where none are
    nested within a group), and else ``by`` statement D ``proofs``: for each group within which guards are nested, that
    no dead marking over it and perhaps others is reachable.
    """
    check_requests(plan)
    parts, said = list(parts_of(plan)), listed(field(evidence, "parts"), "the parts")
    demand(len(parts) == len(said), f"the plan has {len(parts)} parts in which somebody may have to wait for ever")
    proofs = sum(_check_part(part, data) for part, data in zip(parts, said, strict=True))
    if not parts:
        return "every request fits, and nobody has to wait for ever"
    return f"every request fits, {amount(len(parts), 'part')} to look at, {amount(proofs, 'cycle')} of locks harmless"


def _check_part(part: Part, data: Any) -> int:
    order = [
        [named(r, "a resource") for r in listed(group, "a group")]
        for group in listed(field(data, "order"), "the order")
    ]
    knots = _knots(part.nodes, order, part.lasting)
    statement = "D" if knots else "C"
    demand(field(data, "by") == statement, f"{part.path}: the order given makes it a matter of statement {statement}")
    shown: list[set[str]] = []
    for proof in listed(field(data, "proofs"), "the proofs"):
        kept = frozenset(named(r, "a resource") for r in listed(field(proof, "kept"), "the resources kept"))
        demand(kept <= part.lasting, f"a resource is kept for which nobody in {part.path} has to wait for ever")
        _check_no_deadlock(part, kept, proof)
        shown.append(set(kept))
    for knot in knots:
        tied = part.lasting & set(order[knot])
        demand(any(tied <= kept for kept in shown), f"{part.path}: a cycle over `{min(tied)}` is not shown harmless")
    return len(knots)


def _knots(
    nodes: Sequence[PlanNode], order: Sequence[Sequence[str]], waits: set[str] | frozenset[str], live: Any = None
) -> set[int]:
    """The groups of ``order`` within which a guard lies inside another. Every resource of ``waits`` has one place in
    the order, and no guard takes one of an earlier group than is held around it. Raises Unproved."""
    place = {r: i for i, group in enumerate(order) for r in group}
    demand(len(place) == sum(map(len, order)), "a resource stands in the order twice")
    demand(waits <= place.keys(), f"`{min(waits - place.keys(), default='')}` can make a guard wait, and has no place")
    knots: set[int] = set()
    outer: dict[int, int] = {}  # the last place in the order that is held around a node
    for node in nodes:
        held = outer.get(node.parent, -1)
        if isinstance(node, Guard) and (live is None or live[node.index]):
            mine = [place[r] for r, _ in node.units if r in waits]
            demand(min(mine, default=held) >= held, f"the guard `{node.id}` takes a resource out of the order")
            if held in mine:
                knots.add(held)
            held = max(mine, default=held)
        outer[node.index] = held
    return knots


def _check_no_deadlock(part: Part, kept: frozenset[str], proof: Mapping[str, Any]) -> None:
    """No dead marking of the part's net over ``kept`` but the final one is reachable: by a list that has all that are
    dead, or since no solution of the state equation is dead without the end marked, which then is final."""
    net = guard_net(part, kept)
    question = Question(net, net.final or {}, {END: 1})
    if has(proof, "stuck"):
        equation = equation_of(net, question.initial)
        check_dead_ends(equation, {equation.index[END]: 1}, equation.actions, proof["stuck"])
        return
    for marking in closed_under_stubborn_sets(question, question.initial, proof):
        final = frozen(marking) == frozen(question.final)
        demand(final or not question.is_dead(marking), f"{part.path}: a dead marking is listed that is not final")
