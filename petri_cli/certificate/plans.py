"""Certificates of plans: a run of the workflow net that dies, or the order in which all locks are taken.

The plan is lowered by the compiler, as for execution; what is claimed of guards is derived here from the tree alone.
"""

from __future__ import annotations

import math
from typing import Any

from petri_cli.certificate.claim import Unproved, demand, field, listed, named, whole
from petri_cli.certificate.question import Question
from petri_cli.certificate.runs import check_run
from petri_cli.errors import PetriError
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
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
            demand(width <= (node.max_width or width), f"`{node.id}` is never so wide")
    demand(field(evidence, "shows") == "deadlock", "a run of a plan shows a deadlock")
    try:
        net = lower_workflow(plan, widths).net
    except PetriError as e:
        raise Unproved(f"at these widths the plan has no net: {e.message}") from None
    final = dict(net.final or {})
    return check_run(Question(net, final, final), evidence)


def check_unneeded_waits(plan: Plan, evidence: Any) -> str:
    """Every request fits; and of the resources that can make anybody wait, all nested guards follow one order.

    ``order``: these resources, first to last. A resource whose whole demand is at most its capacity makes nobody wait
    (statement B of ``docs/theory.md``), nor does a quota wait for its holders; with the others taken in one order no
    wait lasts (statement C). Raises Unproved.
    """
    order = [named(r, "a resource") for r in listed(field(evidence, "order"), "the order")]
    demand(len(set(order)) == len(order), "a resource stands in the order twice")
    place = {r: i for i, r in enumerate(order)}
    capacity = {r.id: r.capacity for r in plan.resources}
    counted = {r.id for r in plan.resources if r.per is None}
    live = _live(plan)
    for node in plan.nodes:
        if isinstance(node, Guard) and live[node.index]:
            for r, k in node.units:
                demand(k <= capacity[r], f"the guard `{node.id}` asks for {k} of `{r}`, which has {capacity[r]}")
    demand_of = _demand(plan, counted, live)
    waits = {r for r, d in demand_of.items() if d > capacity[r]}
    demand(waits <= place.keys(), f"`{min(waits - place.keys(), default='')}` can make a guard wait, and has no place")
    outer: dict[int, int] = {}  # the last place in the order that is held around a node
    for node in plan.nodes:
        held = outer.get(node.parent, -1)
        if isinstance(node, Guard) and live[node.index]:
            mine = [place[r] for r, _ in node.units if r in waits]
            demand(min(mine, default=held + 1) > held, f"the guard `{node.id}` takes a resource out of the order")
            held = max(mine, default=held)
        outer[node.index] = held
    return f"{len(waits)} resources that can make anybody wait, all taken in one order"


def _live(plan: Plan) -> list[bool]:
    """Whether a node can run: not inside a foreach over an empty list."""
    live: list[bool] = []
    for node in plan.nodes:
        above = plan.nodes[node.parent] if node.parent >= 0 else None
        empty = isinstance(above, Foreach) and (above.items == 0)
        live.append((above is None or live[above.index]) and not empty)
    return live


def _demand(plan: Plan, counted: set[str], live: list[bool]) -> dict[str, float]:
    """How many units of each resource can be held and asked for at one time, at most."""
    below: dict[int, list[dict[str, float]]] = {}
    total: dict[str, float] = {}
    for node in reversed(plan.nodes):
        parts = below.pop(node.index, [])
        keys = {r for part in parts for r in part}
        match node:
            case Task():
                total = {}
            case Seq() | Choice() | Loop():
                total = {r: max(part.get(r, 0) for part in parts) for r in keys}
            case Parallel():
                total = {r: sum(part.get(r, 0) for part in parts) for r in keys}
            case Foreach():
                width = node.items if node.items is not None else node.max_width
                times = math.inf if width is None else width
                total = {r: d * times for part in parts for r, d in part.items()} if times else {}
            case Guard():
                total = dict(parts[0]) if parts else {}
                for r, k in node.units if live[node.index] else ():
                    if r in counted:
                        total[r] = total.get(r, 0) + k
        below.setdefault(node.parent, []).append(total)
    return total
