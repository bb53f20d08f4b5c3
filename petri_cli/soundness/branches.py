"""A run by the branches of the plan in which its steps happen."""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.plan.lower import Items, Lowered
from petri_cli.plan.model import Foreach, Parallel, Plan
from petri_cli.soundness.result import Lane
from petri_cli.soundness.timer import Pace

_At = tuple[int, Items]
"""A node of the plan, and the foreach items that it belongs to there."""


def lanes_of(
    plan: Plan,
    lowered: Lowered,
    participants: Sequence[tuple[int, Items]],
    names: Sequence[str],
    run: Sequence[str],
    pace: Pace,
) -> tuple[Lane, ...]:
    """The steps of ``run`` by participant (a node of the plan with its items), those of nobody first. Raises OutOfTime.

    A participant's are those of the branch that sets it apart from the others.
    """
    chains = [_chain(plan, node, items) for node, items in participants]
    shared = min((_common(chains[0], other) for other in chains[1:]), default=_forked(plan, chains[0]))
    lane: dict[_At, int] = {}  # what is around some participants but not around all: the first of them
    for i, chain in enumerate(chains):
        for at in chain[shared:]:
            lane.setdefault(at, i)
    steps: dict[int, list[tuple[int, str]]] = {i: [] for i in range(-1, len(participants))}
    for number, tid in enumerate(run, 1):
        pace.step()
        origin = lowered.origin[tid]
        steps[_lane_of(plan, (origin.node, origin.items), lane)].append((number, tid))
    lanes = [Lane(name, tuple(steps[i])) for i, name in enumerate(names)]
    return (Lane("", tuple(steps[-1])), *lanes) if steps[-1] else tuple(lanes)


def _lane_of(plan: Plan, at: _At, lane: dict[_At, int]) -> int:
    """The lane of the closest node around ``at`` that has one, else -1; it is remembered for those passed."""
    passed = []
    found = -1
    while at not in lane:
        passed.append(at)
        node, items = at
        above = plan.nodes[node].parent
        if above < 0:
            break
        at = above, items[:-1] if isinstance(plan.nodes[above], Foreach) else items
    else:
        found = lane[at]
    lane.update(dict.fromkeys(passed, found))
    return found


def _chain(plan: Plan, index: int, items: Items) -> list[_At]:
    """The nodes around a place in the plan, outermost first, each with the foreach items it belongs to."""
    chain = [(index, items)]
    for above in plan.ancestors(index):
        if isinstance(above, Foreach):
            items = items[:-1]
        chain.append((above.index, items))
    return chain[::-1]


def _forked(plan: Plan, chain: Sequence[_At]) -> int:
    """How many nodes of a chain are around the last place where branches or items part."""
    forks = (n + 1 for n, (index, _) in enumerate(chain) if isinstance(plan.nodes[index], (Parallel, Foreach)))
    return max(forks, default=0)


def _common(a: Sequence[_At], b: Sequence[_At]) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n
