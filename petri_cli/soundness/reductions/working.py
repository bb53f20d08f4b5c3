"""The net under reduction: arcs by weight on both sides, changed in place, with a list of what to look at again.

Transitions are the actions of the compiled net: one outcome each. What an action cannot say by weights stays with it
(``special``), and every place that such an arc touches is left alone by all rules (``touched``). A read of an action
that is otherwise plain is a token taken and put back.
"""

from __future__ import annotations

from petri_cli.net.compiled import Action, CompiledNet
from petri_cli.soundness.reductions.expansion import Expansion
from petri_cli.soundness.shape import Target

EFFORT = 3_000_000
"""About half a second."""

Weights = dict[int, int]
"""Weight ≥ 1 by place."""


class WorkingNet:
    """The net, its markings, and for each transition what it stands for in the original net.

    takes, puts: by transition, the weights of its arcs by place; takers, feeders: by place, the transitions that take
    from it and put into it;
    initial, final: tokens by place;
    held: places that agglomeration leaves alone: marked at the start or at the end, or touched;
    sink: the place by which the end is told; None where the whole final marking tells it;
    places, transitions: whether each is still there;
    dropped: what transitions that were left out stand for, where another one fires as they would;
    effort: what dear rules may still do, in entries of a simplex;
    waiting: places whose surroundings have changed, each once; changed: transitions whose arcs have changed.
    """

    __slots__ = (
        "_is_waiting",
        "changed",
        "compiled",
        "dropped",
        "effort",
        "expansion",
        "feeders",
        "final",
        "held",
        "initial",
        "places",
        "puts",
        "resource",
        "sink",
        "special",
        "takers",
        "takes",
        "touched",
        "transitions",
        "waiting",
    )

    def __init__(self, target: Target, compiled: CompiledNet) -> None:
        count = len(compiled.places)
        self.compiled = compiled
        self.initial = list(compiled.initial)
        self.final = list(compiled.state(target.final))
        self.sink = None if target.sink is None else compiled.index[target.sink]
        self.resource = bytearray(count)
        for r in target.resources:
            self.resource[compiled.index[r]] = 1
        self.touched = bytearray(count)
        self.takes: list[Weights] = []
        self.puts: list[Weights] = []
        self.takers: list[set[int]] = [set() for _ in range(count)]
        self.feeders: list[set[int]] = [set() for _ in range(count)]
        self.special = bytearray(len(compiled.actions))
        self.expansion: list[Expansion] = list(range(len(compiled.actions)))
        self.dropped: list[Expansion] = []
        self.effort = EFFORT
        for a, action in enumerate(compiled.actions):
            self._add(a, action)
        marked = zip(self.initial, self.final, self.touched, strict=True)
        self.held = bytearray(1 if at_start or at_end or touched else 0 for at_start, at_end, touched in marked)
        self.places = bytearray(b"\1") * count
        self.transitions = bytearray(b"\1") * len(compiled.actions)
        self.waiting = list(range(count - 1, -1, -1))
        self._is_waiting = bytearray(b"\1") * count
        self.changed = dict.fromkeys(range(len(compiled.actions)))

    def _add(self, a: int, action: Action) -> None:
        takes, puts = dict(action.needs), dict(action.produced)
        if len(puts) < len(action.produced) or not action.plain:
            puts = {}
            for p, k in action.produced:
                puts[p] = puts.get(p, 0) + k
            self._add_special(a, action, takes, puts)
        for p in takes:
            self.takers[p].add(a)
        for p in puts:
            self.feeders[p].add(a)
        self.takes.append(takes)
        self.puts.append(puts)

    def _add_special(self, a: int, action: Action, takes: Weights, puts: Weights) -> None:
        forwards = [(source, target) for source, target in action.forwards if source in action.drained]
        for source, target in action.forwards:
            if source not in action.drained:
                puts[target] = puts.get(target, 0) + takes[source]
        if action.drained or action.inhibitors or action.resets:
            self.special[a] = 1
            for p in (*action.drained, *action.inhibitors, *action.resets, *action.reads, *(t for _, t in forwards)):
                self.touched[p] = 1
        else:
            for p in action.reads:
                if p not in takes:
                    takes[p] = 1
                    puts[p] = puts.get(p, 0) + 1

    def next_place(self) -> int | None:
        """The next place to look at; None when all is done."""
        while self.waiting:
            p = self.waiting.pop()
            self._is_waiting[p] = 0
            if self.places[p]:
                return p
        return None

    def take_changed(self) -> tuple[int, ...]:
        """The transitions whose arcs have changed since the last time, each once."""
        changed = tuple(self.changed)
        self.changed.clear()
        return changed

    def look_again(self, p: int) -> None:
        """Something next to ``p`` has changed."""
        if not self._is_waiting[p]:
            self._is_waiting[p] = 1
            self.waiting.append(p)

    def look_around(self, t: int) -> None:
        """The arcs of ``t`` have changed: what asks for its only input or its only output may apply now."""
        self.changed[t] = None
        takes, puts = self.takes[t], self.puts[t]
        if len(takes) == 1:
            for p in takes:
                self.look_again(p)
        if len(puts) == 1:
            for p in puts:
                self.look_again(p)

    def remove_transition(self, t: int) -> None:
        """Take ``t`` out, with its arcs: another one shows whether it fires."""
        self.dropped.append(self.expansion[t])
        self.transitions[t] = 0
        for p in self.takes[t]:
            left = self.takers[p]
            left.discard(t)
            self.look_again(p)
            if len(left) == 1:
                for u in left:
                    self.look_around(u)
        for p in self.puts[t]:
            self.feeders[p].discard(t)
            self.look_again(p)

    def add_transition(self, takes: Weights, puts: Weights, expansion: Expansion) -> None:
        """Put in a transition that is not special."""
        t = len(self.takes)
        self.takes.append(takes)
        self.puts.append(puts)
        self.expansion.append(expansion)
        self.special.append(0)
        self.transitions.append(1)
        for p in takes:
            self.takers[p].add(t)
        for p in puts:
            self.feeders[p].add(t)
        self.look_around(t)

    def replace_transition(self, t: int, gone: int) -> None:
        """Take out ``t``, for which others have been put in, and which has arcs with the place ``gone``."""
        self.transitions[t] = 0
        for p in self.takes[t]:
            if p != gone:
                self.takers[p].discard(t)
                self.look_again(p)
        for p in self.puts[t]:
            if p != gone:
                self.feeders[p].discard(t)
                self.look_again(p)

    def remove_place(self, p: int) -> None:
        """Take ``p`` out, with its arcs."""
        for t in self.feeders[p]:
            del self.puts[t][p]
        for t in self.takers[p]:
            del self.takes[t][p]
        for t in self.feeders[p] | self.takers[p]:
            self.look_around(t)
        self.feeders[p] = set()
        self.takers[p] = set()
        self.places[p] = 0
