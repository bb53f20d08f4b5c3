"""Stubborn sets: at a marking, a subset of the enabled actions that is enough to look for deadlocks.

A set T of actions is *strongly stubborn* at m (m not dead) when it has an enabled member and

1. for a disabled member t, some place p holds too little for t, and every action that raises p is in T;
2. for an enabled member t, T has every action that lowers a place t needs, and every action that needs a place that
   t lowers.

Theorem (Valmari, "Error Detection by Reduced Reachability Graph Generation", 1988; "The State Explosion Problem", 1998,
section 7): firing only the enabled members of a strongly stubborn set at each marking reaches every reachable dead
marking. Argument: let σ lead from m to a dead marking d. Some member of T is in σ, for an enabled member outside σ
would still be enabled in d, by 2. Let t be the first: σ = σ₁ t σ₂, no action of σ₁ in T. If t were disabled at m, σ₁
would have to raise the place of 1, which it can't; so t is enabled, and by 2 neither t nor σ₁ lowers what the other
needs: t σ₁ leads from m to the same marking, for the effects of place/transition nets add up. What remains is one step
shorter. ∎

The reduced path is a permutation of σ: breadth first, the reduced space gives a deadlock by a *shortest* run.

Cost: a closure visits each action at most once a marking; actions that compete with none are singletons.
"""

from __future__ import annotations

from petri_cli.soundness.bits import members
from petri_cli.soundness.packed import PackedNet, effect

MAX_SEEDS = 12
"""Closures tried at one marking for the smallest set. Any of them would do."""


class StubbornSets:
    """The structural relations of a packed net of vector-adding actions, and the closure on them.

    compete[a]: the set of actions that a must take along when enabled (a left out);
    raisers[p]: the set of actions that raise place p; free: the actions that compete with none.
    """

    def __init__(self, net: PackedNet) -> None:
        actions = net.compiled.actions
        places = range(len(net.compiled.places))
        self._net = net
        need = [{**{p: 1 for p in a.reads}, **dict(a.needs)} for a in actions]
        effects = [effect(a) for a in actions]
        needers, lowerers, self.raisers = ([0 for _ in places] for _ in range(3))
        for a in range(len(actions)):
            for p in need[a]:
                needers[p] |= 1 << a
            for p, c in effects[a].items():
                side = lowerers if c < 0 else self.raisers
                side[p] |= 1 << a
        self.compete = [0 for _ in actions]
        for a in range(len(actions)):
            for p in need[a]:
                self.compete[a] |= lowerers[p]
                if effects[a].get(p, 0) < 0:
                    self.compete[a] |= needers[p]
            self.compete[a] &= ~(1 << a)
        self.free = sum(1 << a for a in range(len(actions)) if not self.compete[a])
        self._short = [
            tuple((net.offset[p], net.value_mask[p], k, p) for p, k in need[a].items()) for a in range(len(actions))
        ]
        contested = {p for p in places if lowerers[p] & (lowerers[p] - 1)}
        taking = [sum(c for p, c in effects[a].items() if p in contested) for a in range(len(actions))]
        self._rank = taking
        """Take what is contested before giving back: a depth-first search then runs into deadlocks early."""

    def choose(self, m: int, enabled: int) -> list[int]:
        """The enabled members of a strongly stubborn set at ``m``, the most promising last; ``enabled`` isn't empty."""
        free = enabled & self.free
        if free:
            return [(free & -free).bit_length() - 1]
        best, size = enabled, enabled.bit_count()
        seeds, tried = enabled, 0
        while seeds and size > 1 and tried < MAX_SEEDS:
            seed = seeds & -seeds
            candidate = self._closure(seed, m, enabled) & enabled
            seeds &= ~seed
            tried += 1
            if candidate.bit_count() < size:
                best, size = candidate, candidate.bit_count()
                seeds &= candidate  # a closure from inside can only be smaller
        return sorted(members(best), key=lambda a: (-self._rank[a], -a))

    def whole(self, m: int, enabled: int) -> int:
        """The strongly stubborn set, disabled members and all, whose enabled members :meth:`choose` gives."""
        chosen = sum(1 << a for a in self.choose(m, enabled))
        for a in members(chosen):
            closure = self._closure(1 << a, m, enabled)
            if closure & enabled == chosen:
                return closure
        return (1 << len(self.compete)) - 1  # all of them, which is always stubborn

    def _closure(self, seed: int, m: int, enabled: int) -> int:
        """A set with ``seed`` that meets 1 and 2 of the definition at ``m``."""
        closed, todo = seed, seed
        while todo:
            low = todo & -todo
            todo ^= low
            a = low.bit_length() - 1
            new = (self.compete[a] if enabled & low else self._raising(a, m, closed, enabled)) & ~closed
            closed |= new
            todo |= new
        return closed

    def _raising(self, a: int, m: int, closed: int, enabled: int) -> int:
        """Who could enable ``a``: the raisers of that place too short for it which adds least to ``closed``."""
        best, cost = 0, (1 << 30, 0)
        for at, mask, needs, p in self._short[a]:
            if (m >> at) & mask < needs:
                new = self.raisers[p] & ~closed
                if not new:
                    return 0
                this = ((new & enabled).bit_count(), new.bit_count())
                if this < cost:
                    best, cost = new, this
        return best
