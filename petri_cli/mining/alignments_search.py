"""The search for optimal alignments: layers of states over the prefix trie of the traces, under a growing bound.

The layer of a prefix holds the states in which the model can be once the prefix is aligned, each with the least cost of
getting there, as far as the cost is within the bound. Layers are told apart up to a constant and numbered, so that the
next layer for an activity is computed once and from then on looked up: where traces repeat what others did, aligning
them is a walk through an automaton that is built on the way. A trace whose cost turns out to be within the bound is
done; the others go on under a larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.mining.alignments_runs import NEVER, OutOfStates, Runs
from petri_cli.mining.log import Trace
from petri_cli.mining.trie import by_prefix
from petri_cli.soundness.timer import Deadline

Layer = tuple[tuple[int, int], ...]
"""(state, cost above the least), by state."""

DEAD = -1


@dataclass(slots=True)
class Found:
    """Costs by trace: at least ``lower``, at most ``upper`` (``NEVER``: none known)."""

    lower: list[int]
    upper: list[int]

    def open(self) -> list[int]:
        """Traces whose cost is not exact."""
        return [k for k, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)) if low < high]


def search(
    runs: Runs, traces: Sequence[Trace], shortest: int, max_states: int, deadline: Deadline, most: int = NEVER
) -> tuple[Found, bool]:
    """Costs of ``traces`` of labels, and whether the search was cut. ``shortest``: cost of the empty trace.

    Costs above ``most`` may stay open.
    """
    found = Found([0] * len(traces), [len(t) + shortest for t in traces])
    entries = max_states
    bound = 0
    waiting = list(range(len(traces)))
    while waiting and bound <= most:
        walk = Walk(runs, bound, entries, deadline)
        try:
            walk.align(traces, waiting, found)
        except OutOfStates:
            return found, True
        entries = walk.entries
        # a cost that only both bounds have settled is looked at once more, so that its alignment can be told
        waiting = [k for k in waiting if found.upper[k] > bound]
        bound = bound + 1 if bound < 4 else bound * 3 // 2
    return found, False


class Walk:
    """One round: everything of cost at most ``bound``."""

    def __init__(self, runs: Runs, bound: int, entries: int, deadline: Deadline) -> None:
        self.runs, self.bound, self.entries, self.deadline = runs, bound, entries, deadline
        self.layers: list[Layer] = []
        self.index: dict[Layer, int] = {}
        self.next: list[dict[tuple[int, int], tuple[int, int]]] = []
        """By layer: (label, slack) → (layer, how much its least cost is above)."""
        self.ends: dict[tuple[int, int], int] = {}

    def align(self, traces: Sequence[Trace], waiting: Sequence[int], found: Found) -> None:
        """Settle what can be settled under the bound, and raise the lower bound of the rest."""
        bound = self.bound
        chosen = [traces[k] for k in waiting]
        stack = [(self.start(), 0)]
        following = self.next
        for place, shared in by_prefix(chosen):
            trace = chosen[place]
            del stack[shared + 1 :]
            layer, base = stack[-1]
            if layer != DEAD:
                for label in trace[len(stack) - 1 :]:
                    slack = bound - base
                    found_next = following[layer].get((label, slack))
                    layer, more = found_next if found_next is not None else self._compute(layer, label, slack)
                    base += more
                    stack.append((layer, base))
                    if layer == DEAD:
                        break
            self._settle(waiting[place], NEVER if layer == DEAD else base + self._end(layer, bound - base), found)

    def _settle(self, k: int, cost: int, found: Found) -> None:
        """Take note of a run that costs ``cost``; the cost itself, if within the bound."""
        if cost < found.upper[k]:
            found.upper[k] = cost
        found.lower[k] = min(max(found.lower[k], self.bound + 1), found.upper[k])

    def _number(self, layer: Layer) -> int:
        number = self.index.get(layer)
        if number is None:
            number = self.index[layer] = len(self.layers)
            self.layers.append(layer)
            self.next.append({})
            self.entries -= len(layer)
            if self.entries < 0 or (number % 256 == 0 and self.deadline()):
                raise OutOfStates
        return number

    def start(self) -> int:
        """The layer of the empty prefix."""
        return self._number(((self.runs.start, 0),))

    def step(self, layer: int, label: int, slack: int) -> tuple[int, int]:
        """(the layer behind one more event of ``label`` as far as costs stay within ``slack``, what its least cost is
        above that of ``layer``); (``DEAD``, 0) where there is none."""
        known = self.next[layer].get((label, slack))
        return known if known is not None else self._compute(layer, label, slack)

    def allowed(self, layer: int) -> int:
        """The labels, as a bit mask, for which there is a layer behind that one whose least cost is the same."""
        mask = 0
        for state, cost in self.layers[layer]:
            if not cost:
                mask |= self.runs.allowed(state)
        return mask

    def _compute(self, layer: int, label: int, slack: int) -> tuple[int, int]:
        after = self.runs.after
        best: dict[int, int] = {}
        for state, cost in self.layers[layer]:
            room = slack - cost
            if room and cost + 1 < best.get(state, NEVER):
                best[state] = cost + 1
            for price, to in after(state, label, room):
                if price > room:
                    break
                if cost + price < best.get(to, NEVER):
                    best[to] = cost + price
        if best:
            least = min(best.values())
            reached = (self._number(tuple(sorted([(s, c - least) for s, c in best.items()]))), least)
        else:
            reached = (DEAD, 0)
        self.next[layer][label, slack] = reached
        return reached

    def _end(self, layer: int, slack: int) -> int:
        """The least cost from ``layer`` to the end, where it is within the slack; else something at least as large."""
        cost = self.ends.get((layer, slack))
        if cost is None:
            cost = min([c + self.runs.finish(s, slack - c) for s, c in self.layers[layer]])
            self.ends[layer, slack] = cost = min(cost, NEVER)
        return cost
