"""Nets with resources, aligned as if every resource sufficed, and checked against what there is.

A *resource* is a place that holds the same number of tokens at the start and at the end. A plan with guards is
block-structured once its resources are left out. Whatever a trace costs without them is a lower bound on what it costs
with them, since every run of the net is one of the net without. And where the run that was found can be fired in the
whole net, with its events in the order of the trace, that bound is the cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from petri_cli.mining.alignments_path import MatchStep
from petri_cli.net.compiled import CompiledNet


def resources(net: CompiledNet) -> frozenset[int]:
    """The places of ``net`` that are resources."""
    final = net.final or ()
    return frozenset(p for p, (a, b) in enumerate(zip(net.initial, final, strict=True)) if a == b > 0)


def without(net: CompiledNet, places: frozenset[int]) -> CompiledNet:
    """``net`` without the arcs and tokens of ``places``; they stay as places that nothing touches."""
    actions = tuple(
        replace(
            a,
            needs=tuple(arc for arc in a.needs if arc[0] not in places),
            produced=tuple(arc for arc in a.produced if arc[0] not in places),
        )
        for a in net.actions
    )
    initial, final = (
        tuple(0 if p in places else n for p, n in enumerate(marking)) for marking in (net.initial, net.final or ())
    )
    return CompiledNet(net.net, net.places, actions, initial, final)


def in_order(net: CompiledNet, scarce: frozenset[int], steps: Sequence[MatchStep]) -> list[MatchStep] | None:
    """``steps`` of a run without the places ``scarce``, put into an order that the whole net can fire; None where none
    was found. Events stay in their order; what runs without one and takes nothing scarce runs as soon as it can."""
    order = _Ordering(net, scarce, steps)
    for item in order.items:
        if not order.take(item):
            return None
    return order.steps() if tuple(order.marking) == net.final else None


class _Ordering:
    """A run while it is fired. Items: (firing, or None for an event without a match; whether it is an event)."""

    def __init__(self, net: CompiledNet, scarce: frozenset[int], steps: Sequence[MatchStep]) -> None:
        self.net, self.scarce = net, scarce
        self.marking = list(net.initial)
        self.firings: list[int] = []
        """Actions, in the order of the run; a firing is an index into it."""
        self.eager: list[bool] = []
        self.items: list[tuple[int | None, bool]] = []
        for step in steps:
            for a in step.alone:
                self._add(a, event=False)
            if step.action is not None:
                self._add(step.action, event=True)
            elif step.event:
                self.items.append((None, True))
        self.queue: list[list[int]] = [[] for _ in net.places]
        """For each place that is not scarce, the firings that take from it, last first."""
        for k in range(len(self.firings) - 1, -1, -1):
            for p, _ in net.actions[self.firings[k]].needs:
                if p not in scarce:
                    self.queue[p].append(k)
        self.fired = [False] * len(self.firings)
        self.done: list[tuple[int | None, bool]] = []

    def _add(self, action: int, event: bool) -> None:
        self.items.append((len(self.firings), event))
        self.firings.append(action)
        self.eager.append(not event and not any(p in self.scarce for p, _ in self.net.actions[action].needs))

    def take(self, item: tuple[int | None, bool]) -> bool:
        """The next item of the run, and what can follow it at once. False where it cannot fire."""
        firing, event = item
        if firing is None:
            self.done.append(item)
            return True
        if self.fired[firing]:
            return True
        if not self._ready(firing):
            return False
        waiting = [(firing, event)]
        while waiting:
            k, is_event = waiting.pop()
            self._fire(k)
            self.done.append((k, is_event))
            for p, _ in self.net.actions[self.firings[k]].produced:
                ahead = self.queue[p][-1] if self.queue[p] else None
                if ahead is not None and self.eager[ahead] and self._ready(ahead) and (ahead, False) not in waiting:
                    waiting.append((ahead, False))
        return True

    def _ready(self, k: int) -> bool:
        return not self.fired[k] and all(
            self.marking[p] >= n and (p in self.scarce or self.queue[p][-1] == k)
            for p, n in self.net.actions[self.firings[k]].needs
        )

    def _fire(self, k: int) -> None:
        action = self.net.actions[self.firings[k]]
        self.fired[k] = True
        for p, n in action.needs:
            self.marking[p] -= n
            if p not in self.scarce:
                self.queue[p].pop()
        for p, n in action.produced:
            self.marking[p] += n

    def steps(self) -> list[MatchStep]:
        """What was fired, an event a step."""
        told: list[MatchStep] = []
        alone: list[int] = []
        for firing, event in self.done:
            action = None if firing is None else self.firings[firing]
            if event:
                told.append(MatchStep(tuple(alone), action))
                alone = []
            elif action is not None:
                alone.append(action)
        return [*told, MatchStep(tuple(alone), None, event=False)]
