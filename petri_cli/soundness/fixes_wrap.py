"""Fixes by one more guard around the branches that keep each other waiting: only so many of them get in at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from petri_cli.plan.edit_changes import AddResource, Change, Wrap, with_changes
from petri_cli.soundness.core import Kind, core_of
from petri_cli.soundness.demand import demand_of
from petri_cli.soundness.fixes_trials import Proposal, Trials

COST = 10
"""A wrap costs so much, one more for each block, and one more where a resource has to be made up."""
ALONE = 2
"""What it costs beside that when only one block at a time gets in."""
NAME = "gate"
LEVELS = 4
WIDEST = 1_000_000
NAMED = 3


def wrapped(trials: Trials) -> Iterator[Proposal]:
    """Proposals: around what is there already, a guard on a resource that guards some of it; and on a new one."""
    for blocks in _levels(trials):
        found = list(_existing(trials, blocks))
        name = _free_name(trials)
        gate = AddResource(name, 1)
        wraps: list[Change] = [Wrap(b, name) for b in blocks]
        if trials.sound([gate, *wraps]):
            gate = _widened(trials, name, wraps)
            wraps = trials.needed(wraps, [gate])
            found.append(_proposal(trials, _widened(trials, name, wraps), wraps))
        yield from found
        if found:
            return


def _existing(trials: Trials, blocks: Sequence[int]) -> Iterator[Proposal]:
    """Wraps in a resource that is on no cycle, and that guards one of the blocks already."""
    for r, name in enumerate(trials.core.resources):
        if trials.knotted >> r & 1:
            continue
        inside = {b for b in blocks if _inside(trials, b, r)}
        outside: list[Change] = [Wrap(b, name) for b in blocks if b not in inside]
        if inside and outside and trials.sound(outside):
            yield _proposal(trials, None, trials.needed(outside))


def _inside(trials: Trials, block: int, resource: int) -> bool:
    name = trials.core.resources[resource]
    units = (getattr(n, "units", ()) for n in trials.plan.ancestors(block))
    return any(r == name for held in units for r, _ in held)


def _levels(trials: Trials) -> Iterator[list[int]]:
    """What could be wrapped, by plan index: the outermost blocks that hold some and wait for more beside others, then
    those further in, last the branches that they are part of."""
    first = _holders(trials, [0]) if trials.core.nodes else []
    blocks, seen = first, list[int]()
    for _ in range(LEVELS):
        if not blocks or blocks == seen:
            break
        yield [trials.core.nodes[b].plan for b in blocks]
        seen = blocks
        blocks = [inner for b in blocks for inner in (_holders(trials, trials.core.nodes[b].children) or [b])]
    branches = sorted({_branch(trials, b) for b in first})
    if branches and branches != first:
        yield [trials.core.nodes[b].plan for b in branches]


def _holders(trials: Trials, roots: Sequence[int]) -> list[int]:
    """Core guards below ``roots`` that hold a resource of a cycle while one is asked for inside, outermost first;
    those with nothing beside them left out."""
    nodes, keeping = trials.core.nodes, trials.keeping
    found = []
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        at, beside = stack.pop()
        node = nodes[at]
        if at in keeping and beside:
            found.append(at)
            continue
        side = node.kind is Kind.PARALLEL or (node.kind is Kind.FOREACH and node.limit != 1)
        stack += [(c, beside or side) for c in reversed(node.children)]
    return found


def _branch(trials: Trials, block: int) -> int:
    """The branch of a parallel, or the body of a foreach, that a core node stands in."""
    nodes = trials.core.nodes
    while (parent := nodes[block].parent) >= 0 and nodes[parent].kind not in (Kind.PARALLEL, Kind.FOREACH):
        block = parent
    return block


def _widened(trials: Trials, name: str, wraps: list[Change]) -> AddResource:
    """The gate with the most units with which the plan is sound."""
    core = core_of(with_changes(trials.plan, [AddResource(name, 1), *wraps]))
    demand = demand_of(core, [n.limit for n in core.nodes]).get(len(core.resources) - 1, 1)
    most = int(demand) - 1 if math.isfinite(demand) else WIDEST
    return AddResource(name, trials.largest(lambda k: trials.sound([AddResource(name, k), *wraps]), max(1, most)))


def _free_name(trials: Trials) -> str:
    taken = set(trials.core.resources)
    names = (NAME if k == 1 else f"{NAME}{k}" for k in range(1, len(taken) + 2))
    return next(n for n in names if n not in taken)


def _proposal(trials: Trials, gate: AddResource | None, wraps: list[Change]) -> Proposal:
    blocks = [f"`{trials.task_in(w.node)}`" for w in wraps if isinstance(w, Wrap)]
    more = f" and {len(blocks) - NAMED + 1} more" if len(blocks) > NAMED else ""
    shown = blocks[: NAMED - 1] if more else blocks
    said = (", ".join(shown) + more) if more or len(shown) < 2 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    if gate is None:
        [name] = {w.resource for w in wraps if isinstance(w, Wrap)}
        return Proposal("wrap", COST + len(blocks), f"put {said} into a guard on {name}", tuple(wraps))
    alone = ALONE if gate.capacity == 1 else 0
    at_a_time = "one at a time" if gate.capacity == 1 else f"{gate.capacity:,} at a time"
    description = f"put {said} into a guard on a new resource {gate.id}, {at_a_time}"
    return Proposal("wrap", COST + 1 + len(blocks) + alone, description, (gate, *wraps))
