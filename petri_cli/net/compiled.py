"""The dense form of a net: integer indices in place of names, arcs as arrays, outcomes unrolled into *actions*.

An *action* is one outcome of one transition, so a compiled net has no xor left. ``plain`` nets (only ``one`` and
``exactly`` inputs; no inhibitor, read or reset) are place/transition nets: an action is a needs vector and an effect
vector.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from petri_cli.net.firing import Step
from petri_cli.net.model import ForwardOut, Marking, Net, PlaceOut
from petri_cli.net.outcomes import outcomes

State = tuple[int, ...]
"""Token counts by place index."""


@dataclass(frozen=True, slots=True)
class Action:
    """One outcome of one transition, on place indices.

    needs: (place, k) for input arcs; drained: the places whose ``all``/``atLeast`` arc takes everything;
    forwards: (source, target) of a time-out; produced: (place, k).
    """

    step: Step
    needs: tuple[tuple[int, int], ...]
    drained: frozenset[int]
    reads: tuple[int, ...]
    inhibitors: tuple[int, ...]
    resets: tuple[int, ...]
    produced: tuple[tuple[int, int], ...]
    forwards: tuple[tuple[int, int], ...]
    hard: bool
    """The transition has a hard deadline: it can be reaped instead of fired."""

    @property
    def plain(self) -> bool:
        return not (self.drained or self.reads or self.inhibitors or self.resets or self.forwards)

    def enabled(self, m: State | list[int]) -> bool:
        return (
            all(m[p] >= k for p, k in self.needs)
            and all(m[p] for p in self.reads)
            and not any(m[p] for p in self.inhibitors)
        )

    def fire(self, m: State) -> State:
        """The state after this action; the caller has checked that it is enabled."""
        after = list(m)
        for p, k in self.needs:
            after[p] = 0 if p in self.drained else after[p] - k
        for p in self.resets:
            after[p] = 0
        for p, k in self.produced:
            after[p] += k
        for source, target in self.forwards:
            after[target] += m[source] if source in self.drained else dict(self.needs)[source]
        return tuple(after)


@dataclass(frozen=True)
class CompiledNet:
    """A net over place indices 0…P-1 and action indices 0…A-1."""

    net: Net
    places: tuple[str, ...]
    actions: tuple[Action, ...]
    initial: State
    final: State | None

    @property
    def plain(self) -> bool:
        return all(a.plain for a in self.actions)

    @cached_property
    def index(self) -> dict[str, int]:
        return {p: i for i, p in enumerate(self.places)}

    @cached_property
    def readers(self) -> tuple[tuple[int, ...], ...]:
        """For each place, the actions whose enabling depends on it."""
        rows: list[list[int]] = [[] for _ in self.places]
        for i, a in enumerate(self.actions):
            for p in {q for q, _ in a.needs} | set(a.reads) | set(a.inhibitors):
                rows[p].append(i)
        return tuple(tuple(r) for r in rows)

    def state(self, marking: Marking) -> State:
        """The state of ``marking``; KeyError for a marked place that the net lacks."""
        return _state(marking, self.index)

    def marking(self, state: State) -> dict[str, int]:
        """Token counts by place id, empty places left out."""
        return {p: n for p, n in zip(self.places, state, strict=True) if n}


def compile_net(net: Net) -> CompiledNet:
    """Compile ``net``. Work and size are linear in its arcs times the outcomes of a transition.

    A marking may name places that the net does not declare (their tokens are inert and count).
    """
    places = [p.id for p in net.all_places()]
    index = {p: i for i, p in enumerate(places)}
    actions: list[Action] = []
    for t in net.transitions:
        needs = tuple([(index[i.place], i.count) for i in t.inputs])
        drained = frozenset([index[i.place] for i in t.inputs if i.drains]) if needs else _NONE
        reads, inhibitors, resets = (
            tuple([index[p] for p in side]) if side else () for side in (t.reads, t.inhibitors, t.resets)
        )
        for k, outcome in enumerate(outcomes(t.output)):
            produced = tuple([(index[x.place], x.count) for x in outcome.leaves if isinstance(x, PlaceOut)])
            forwards: tuple[tuple[int, int], ...] = ()
            if len(produced) < len(outcome.leaves):
                forwards = tuple(
                    (index[x.source], index[x.target]) for x in outcome.leaves if isinstance(x, ForwardOut)
                )
            actions.append(
                Action(Step(t.id, k), needs, drained, reads, inhibitors, resets, produced, forwards, t.timing.hard)
            )
    initial = _state(net.initial, index)
    final = None if net.final is None else _state(net.final, index)
    return CompiledNet(net, tuple(places), tuple(actions), initial, final)


_NONE: frozenset[int] = frozenset()


def _state(marking: Marking, index: Mapping[str, int]) -> State:
    counts = [0] * len(index)
    for p, n in marking.items():
        if n:
            counts[index[p]] = n
    return tuple(counts)
