"""Fixes by more units of a resource, each number tried through the gate: soundness is not monotone in capacity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from petri_cli.plan.edit_changes import Change, SetCapacity
from petri_cli.soundness.core import CoreNode
from petri_cli.soundness.fixes_trials import Proposal, Trials

POOL, LOCK = 5, 20
"""Cost of a raised capacity beside the units added: of a pool, and of a resource of which there was one."""
MAX_TRIALS = 16
"""Numbers of units that are tried for one resource."""
MAX_UNBOUNDED = 4
"""The same where there is no bound on what can be asked for: more units seldom help then, and cost larger searches."""
MAX_RESOURCES = 32


def raised(trials: Trials, known: Mapping[str, int | None]) -> Iterator[Proposal]:
    """Proposals that raise the capacity of one resource, or where none is enough alone, of several.

    known: for some resources the smallest capacity that is enough alone, None where none is.
    """
    most = _most(trials)
    alone = False
    for name, units in most.items():
        k = known[name] if name in known else _smallest(trials, name, units)
        if k is not None and trials.sound([SetCapacity(name, k)]):
            alone = True
            yield _proposal(trials, [SetCapacity(name, k)])
    if not alone and len(most) > 1 and (changes := _several(trials, most)):
        yield _proposal(trials, changes)


def misfits(trials: Trials) -> list[Change]:
    """What it takes for every single request to fit what the guards around it leave of the capacity: less is never
    enough."""
    needs, nested, core = _largest_requests(trials), _nested(trials), trials.core
    least = [max(k, nested.get(r, 0)) for r, k in enumerate(needs)]
    return [SetCapacity(core.resources[r], k) for r, k in enumerate(least) if k > core.capacities[r]]


def _largest_requests(trials: Trials) -> list[int]:
    """By resource; 0 where nobody asks for it."""
    largest = [0] * len(trials.core.resources)
    for request in trials.core.requests:
        largest[request.resource] = max(request.units, largest[request.resource])
    return largest


def _nested(trials: Trials) -> dict[int, int]:
    """The most units of each resource that guards in one another ask for."""
    held: dict[int, int] = {}
    most: dict[int, int] = {}
    opened: list[CoreNode] = []
    for node in trials.core.nodes:
        while opened and opened[-1].end <= node.index:
            for r, k in opened.pop().units:
                held[r] -= k
        for r, k in node.units:
            held[r] = held.get(r, 0) + k
            most[r] = max(held[r], most.get(r, 0))
        opened.append(node)
    return most


def merged(changes: Sequence[Change]) -> list[Change]:
    """The changes with one capacity a resource: the last."""
    last = {c.resource: c for c in changes if isinstance(c, SetCapacity)}
    return [c for c in changes if not isinstance(c, SetCapacity) or last[c.resource] is c]


def cost_of_raises(trials: Trials, changes: Sequence[Change]) -> int:
    """What raising capacities costs: the units added, and more where there was one, which may have been a lock."""
    total = 0
    now = trials.plan.capacities()
    for change in changes:
        if isinstance(change, SetCapacity):
            before = now[change.resource]
            total += (LOCK if before == 1 else POOL) + change.capacity - before
    return total


def described(trials: Trials, changes: Sequence[Change]) -> str:
    now = trials.plan.capacities()
    place = {name: k for k, name in enumerate(now)}
    raises = sorted((c for c in changes if isinstance(c, SetCapacity)), key=lambda c: place[c.resource])
    return "raise " + " and ".join(f"{c.resource} from {now[c.resource]} to {c.capacity}" for c in raises)


def _proposal(trials: Trials, changes: list[Change]) -> Proposal:
    return Proposal("capacity", cost_of_raises(trials, changes), described(trials, changes), tuple(changes))


def _most(trials: Trials) -> dict[str, float]:
    """The resources that could be short, with the units that the plan can ask for at one time."""
    core = trials.core
    largest = _largest_requests(trials)
    found = {}
    for r, name in enumerate(core.resources):
        if trials.knotted >> r & 1 or largest[r] > core.capacities[r]:
            found[name] = max(trials.demand.get(r, 0), largest[r])
    return dict(list(found.items())[:MAX_RESOURCES])


def _smallest(trials: Trials, name: str, most: float) -> int | None:
    """The smallest capacity that is enough alone; of more than ``MAX_TRIALS`` one that bisection finds."""
    now = trials.plan.capacities()[name]
    if math.isfinite(most):
        if not trials.sound([SetCapacity(name, int(most))]):
            return None
    else:
        most = now + MAX_UNBOUNDED
    return _least(trials, name, now, int(most), [])


def _least(trials: Trials, name: str, now: int, most: int, others: Sequence[Change]) -> int | None:
    """The first capacity above ``now`` that is enough with the other changes."""
    for k in range(now + 1, min(most, now + MAX_TRIALS) + 1):
        if trials.sound([*others, SetCapacity(name, k)]):
            return k
    low, high = now + MAX_TRIALS, most
    if low >= high or not trials.sound([*others, SetCapacity(name, high)]):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if trials.sound([*others, SetCapacity(name, middle)]):
            high = middle
        else:
            low = middle
    return high


def _several(trials: Trials, most: Mapping[str, float]) -> list[Change]:
    """Capacities raised together: first to all that can be asked for, then as few and as little as is enough."""
    now = trials.plan.capacities()
    changes: list[Change] = []
    for name, units in most.items():
        k = int(units) if math.isfinite(units) else now[name] + MAX_UNBOUNDED
        changes.append(SetCapacity(name, k))
    return lowered(trials, trials.needed(changes), []) if trials.sound(changes) else []


def all_raises(trials: Trials) -> list[Change]:
    """Every resource that could be short, with all that can be asked for where that has a bound."""
    return [SetCapacity(name, int(k)) for name, k in _most(trials).items() if math.isfinite(k)]


def lowered(trials: Trials, changes: Sequence[Change], fixed: Sequence[Change]) -> list[Change]:
    """Capacities, which are enough together with what is ``fixed``, each as small as it can be. Other changes stay."""
    now = trials.plan.capacities()
    least = list(changes)
    for i, change in enumerate(changes):
        if isinstance(change, SetCapacity):
            others = [*fixed, *least[:i], *least[i + 1 :]]
            k = _least(trials, change.resource, now[change.resource], change.capacity, others)
            least[i] = SetCapacity(change.resource, k or change.capacity)
    return least
