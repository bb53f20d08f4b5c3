"""The state equation of a net, and what it means that an action is disabled.

For a place/transition net every reachable marking is m = m₀ + C·x with x ≥ 0 whole, x being how often each action was
fired (Murata 1989, §V.B). For the other arc kinds the equation here has more solutions than the net has markings, so
that what no solution does, no run does:

* a read asks for a token and moves none; an inhibitor only forbids: neither changes C;
* a reset or an ``all``/``atLeast`` input takes what it needs, and then as many more tokens as it likes: a *loss*, a
  column of its own that takes one token from the place. A loss can be "fired" at any time, which the arc cannot;
* a time-out that forwards drained tokens: a loss that takes one token from the source and puts one on each target.

Timing, priority and names (``match``) are ignored as everywhere in the gate.

An action is disabled iff an input place holds less than it needs, or a read place nothing, or an inhibitor place
something. Each of these is one linear *literal*; an action that needs nothing is never disabled.
"""

from __future__ import annotations

from dataclasses import dataclass

from petri_cli.net.compiled import Action, CompiledNet, State
from petri_cli.soundness.linear.proof import Literal
from petri_cli.soundness.packed import effect

Column = dict[int, int]
"""Place → change ≠ 0."""


@dataclass(frozen=True, slots=True)
class Equation:
    """columns: the effect of each action (same index), then the losses; disabled: for each action what disables it;
    takes: the places that each action may take from; puts: those that are certainly marked after it."""

    initial: State
    columns: tuple[Column, ...]
    disabled: tuple[tuple[Literal, ...], ...]
    takes: tuple[frozenset[int], ...]
    puts: tuple[frozenset[int], ...]

    @property
    def places(self) -> int:
        return len(self.initial)

    @property
    def actions(self) -> int:
        return len(self.disabled)


def equation_of(compiled: CompiledNet) -> Equation:
    """The state equation of ``compiled``. Size: its arcs."""
    columns = [_effect(a) for a in compiled.actions]
    losses: dict[tuple[tuple[int, int], ...], None] = {}
    for a in compiled.actions:
        for column in _losses(a):
            losses[tuple(sorted(column.items()))] = None
    disabled = tuple(_disabled(a) for a in compiled.actions)
    takes = tuple(frozenset((*(p for p, _ in a.needs), *a.resets)) for a in compiled.actions)
    puts = tuple(frozenset((*(p for p, _ in a.produced), *(p for _, p in a.forwards))) for a in compiled.actions)
    return Equation(compiled.initial, (*columns, *(dict(c) for c in losses)), disabled, takes, puts)


def _effect(a: Action) -> Column:
    """What ``a`` does when each draining arc takes just what it needs."""
    change = effect(a)
    needs = dict(a.needs)
    for source, target in a.forwards:
        if source in a.drained:
            change[target] = change.get(target, 0) + needs[source]
    return {p: k for p, k in change.items() if k}


def _losses(a: Action) -> list[Column]:
    """What ``a`` may take beyond that, a token at a time."""
    losses: list[Column] = [{p: -1} for p in a.resets]
    for p in (p for p, _ in a.needs if p in a.drained):
        loss = {p: -1}
        for source, target in a.forwards:
            if source == p:
                loss[target] = loss.get(target, 0) + 1
        losses.append({q: k for q, k in loss.items() if k})
    return [c for c in losses if c]


def _disabled(a: Action) -> tuple[Literal, ...]:
    needs: dict[int, int] = {}
    for p, k in a.needs:
        needs[p] = max(needs.get(p, 0), k)
    for p in a.reads:
        needs[p] = max(needs.get(p, 0), 1)
    lacking = [Literal("place", p, 1, k - 1) for p, k in needs.items()]
    return (*lacking, *(Literal("place", p, -1, 1) for p in dict.fromkeys(a.inhibitors)))
