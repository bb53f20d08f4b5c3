"""Fixes by one order for all locks: guards that stand directly in one another take their resources in another order.

Every task still runs with all that it had. Where something else happens between the two guards, the outer one takes
both at once instead, and keeps them longer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from petri_cli.plan.edit_changes import Change, Reorder, Together, guard_at
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Seq
from petri_cli.soundness.bits import bits_of, members
from petri_cli.soundness.fixes_ranks import Weights, best_order
from petri_cli.soundness.fixes_trials import Proposal, Trials

TOGETHER = 3
"""Cost of taking two at once; that of a swap of two neighbours is 1."""
FIXED = 1_000
"""What it weighs against an order that a nesting which cannot be swapped goes the other way."""
NEAR = 64
"""Guards around another one that are looked at: enough to tell which order is cheap, and deep nests stay linear."""
STAGES = 8
SAID = 3
NAMED = 6


def reordered(trials: Trials) -> Iterator[Proposal]:
    """A proposal that reorders guards so that → has no cycle, then as few of them as is enough."""
    if not trials.knotted:
        return
    nests = _Nests(trials)
    ranks = nests.ranks()
    swaps = nests.sorted(ranks)
    if not swaps or not trials.sound(swaps):
        swaps = [*swaps, *nests.together(ranks, swaps)]
        if not swaps or not trials.sound(swaps):
            return
    yield in_order(trials, _eased(trials, trials.needed(swaps)))


def _eased(trials: Trials, changes: list[Change]) -> list[Change]:
    """Chains that are not put in order to their end where its beginning is enough: one lock that everybody takes first
    keeps the others apart."""
    eased = list(changes)
    for i, change in enumerate(changes):
        if isinstance(change, Reorder):
            for order in _stages(change.order):
                fewer = Reorder(change.guards, order)
                if trials.sound([*eased[:i], fewer, *eased[i + 1 :]]):
                    eased[i] = fewer
                    break
    return eased


def _stages(order: Sequence[int]) -> list[tuple[int, ...]]:
    """The orders on the way to this one in which the first so many places are right, and the others as they were; the
    last one is left out, and of very many so are later ones."""
    stages = []
    for k in range(1, min(len(order) - 1, STAGES + 1)):
        done = order[:k]
        stages.append((*done, *sorted(set(order) - set(done))))
    identity = tuple(range(len(order)))
    return [s for s in dict.fromkeys(stages) if s not in (identity, tuple(order))]


def all_swaps(trials: Trials) -> list[Change]:
    """Every swap on the way to one order, whether that is enough or not."""
    nests = _Nests(trials)
    return nests.sorted(nests.ranks()) if trials.knotted else []


@dataclass(slots=True)
class _Nests:
    """Guards in one another. chains: guards (plan indices) of which each is all that the one before holds its
    resources for."""

    trials: Trials
    chains: list[tuple[int, ...]]
    index: Mapping[str, int]

    def __init__(self, trials: Trials) -> None:
        self.trials = trials
        self.index = {r: i for i, r in enumerate(trials.core.resources)}
        self.chains = _chains(trials.plan)

    def mask(self, node: PlanNode) -> int:
        """The resources on cycles of → that a guard takes."""
        units = node.units if isinstance(node, Guard) else ()
        return bits_of(self.index[r] for r, _ in units) & self.trials.knotted

    def ranks(self) -> dict[str, int]:
        """An order of the resources that can make a guard wait: that of →, and in each of its cycles the one against
        which the fewest nestings go."""
        weights = self._weights()
        names, ranks = self.trials.core.resources, dict[str, int]()
        for component in self.trials.order.components:
            for r in best_order(members(component), weights):
                ranks[names[r]] = len(ranks)
        return ranks

    def sorted(self, ranks: Mapping[str, int]) -> list[Change]:
        """The chains that are not in this order, put in it."""
        return [c for chain in self.chains if (c := _sorted(self.trials.plan, chain, ranks)) is not None]

    def _weights(self) -> Weights:
        """How often one resource is taken inside another: by a chain, which can be swapped, or otherwise."""
        weights: Weights = {}
        held = self._held()
        for chain in self.chains:
            outer = held[chain[0]]
            masks = [self.mask(self.trials.plan.nodes[g]) for g in chain]
            for i, own in enumerate(masks):
                before = 0
                for mask in masks[max(0, i - NEAR) : i]:
                    before |= mask
                for s in members(own):
                    for r in members(before & ~own):
                        weights[r, s] = weights.get((r, s), 0) + 1
                    for r in members(outer & ~own):
                        weights[r, s] = weights.get((r, s), 0) + FIXED
        return weights

    def _held(self) -> list[int]:
        """What is held around each node, of the resources on cycles; of very many the last."""
        nodes = self.trials.plan.nodes
        held = [0] * len(nodes)
        for node in nodes[1:]:
            above = held[node.parent] if held[node.parent].bit_count() < NEAR else 0
            held[node.index] = above | self.mask(nodes[node.parent])
        return held

    def together(self, ranks: Mapping[str, int], swaps: Sequence[Change]) -> Iterator[Together]:
        """For each guard that, once the chains are sorted, still holds something while a resource of lower rank is
        asked for further in: to take that at once as well."""
        plan = self.trials.plan
        moved = [
            (g, s.guards[k]) for s in swaps if isinstance(s, Reorder) for g, k in zip(s.guards, s.order, strict=True)
        ]
        units = {g: guard_at(plan, source).units for g, source in moved}
        gone: set[int] = set()
        for chain in self.chains:
            last = guard_at(plan, chain[-1])
            if last.index in gone or any(k != 1 for _, k in units.get(last.index, last.units)):
                continue
            mine = [ranks.get(r, -1) for g in chain for r, _ in units.get(g, guard_at(plan, g).units)]
            inner = _one_thread_inside(plan, last)
            asked = {i: units.get(i, guard_at(plan, i).units) for i in inner}
            own = {r for g in chain for r, _ in guard_at(plan, g).units}
            low = {r for r, rank in ranks.items() if rank < max(mine)} - own
            late = [i for i, held in asked.items() if len(held) == 1 and held[0][0] in low]
            names = tuple(dict.fromkeys(asked[i][0][0] for i in late))
            everywhere = _asked_inside(plan, last, names, units)
            if late and all(asked[i][0][1] == 1 for i in late) and everywhere == set(late):
                gone.update(late)
                yield Together(last.index, names, tuple(late))


def _one_thread_inside(plan: Plan, guard: Guard) -> list[int]:
    """Guards in the body of another that do not run beside one another: what they take can be held all the time."""
    found = []
    stack = [*reversed(guard.children)]
    while stack:
        node = plan.nodes[stack.pop()]
        if isinstance(node, Guard):
            found.append(node.index)
        if not isinstance(node, Parallel | Foreach) or (isinstance(node, Parallel) and len(node.children) == 1):
            stack += reversed(node.children)
    return found


def _asked_inside(
    plan: Plan, guard: Guard, names: Sequence[str], units: Mapping[int, tuple[tuple[str, int], ...]]
) -> set[int]:
    inside = plan.nodes[guard.index + 1 : guard.end]
    guards = (n for n in inside if isinstance(n, Guard))
    return {n.index for n in guards if any(r in names for r, _ in units.get(n.index, n.units))}


def _chains(plan: Plan) -> list[tuple[int, ...]]:
    """Every guard is in one chain; the next guard of a chain is all that there is in the body of the one before."""
    next_of: dict[int, int] = {}
    for node in plan.nodes:
        if isinstance(node, Guard):
            above = node.parent
            while above >= 0 and _passes_on(plan.nodes[above]):
                above = plan.nodes[above].parent
            if above >= 0 and isinstance(plan.nodes[above], Guard):
                next_of[above] = node.index
    inner = set(next_of.values())
    chains = []
    for node in plan.nodes:
        if isinstance(node, Guard) and node.index not in inner:
            chain = [node.index]
            while chain[-1] in next_of:
                chain.append(next_of[chain[-1]])
            chains.append(tuple(chain))
    return chains


def _passes_on(node: PlanNode) -> bool:
    """Whether all that a block does is done by its one child."""
    return isinstance(node, Loop) or (isinstance(node, Seq | Parallel | Choice) and len(node.children) == 1)


def _sorted(plan: Plan, chain: Sequence[int], ranks: Mapping[str, int]) -> Reorder | None:
    """The chain by rank; guards on other resources stay where they are. None: it is sorted."""
    rank = [min((ranks[r] for r, _ in guard_at(plan, g).units if r in ranks), default=None) for g in chain]
    places = [k for k, at in enumerate(rank) if at is not None]
    order = list(range(len(chain)))
    for k, source in zip(places, sorted(places, key=lambda k: (rank[k], k)), strict=True):
        order[k] = source
    return None if order == sorted(order) else Reorder(tuple(chain), tuple(order))


def _swaps(order: Sequence[int]) -> int:
    """How many swaps of neighbours lead to this order."""
    swaps = 0
    seen: list[int] = []
    for k in order:
        at = bisect_left(seen, k)
        swaps += len(seen) - at
        seen.insert(at, k)
    return swaps


def in_order(trials: Trials, changes: Sequence[Change]) -> Proposal:
    """Swaps, and guards that take more at once, as one proposal."""
    plan = trials.plan
    cost = 0
    said = []
    for change in changes:
        if isinstance(change, Reorder):
            cost += _swaps(change.order)
            names = [_names(guard_at(plan, change.guards[k])) for k in change.order]
            if len(names) > NAMED:
                names = [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more in one order"]
            said.append(f"take {', then '.join(names)} for `{trials.task_in(change.guards[-1])}`")
        elif isinstance(change, Together):
            cost += TOGETHER * len(change.inside)
            names = [_names(guard_at(plan, change.guard)), *change.resources]
            said.append(f"take {' and '.join(names)} at once for `{trials.task_in(change.guard)}`")
    more = f"; the same in {len(said) - SAID + 1} more places" if len(said) > SAID else ""
    return Proposal("order", cost, "; ".join(said[: SAID - 1] if more else said) + more, tuple(changes))


def _names(guard: Guard) -> str:
    return " and ".join(r for r, _ in guard.units)
