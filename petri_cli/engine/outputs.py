"""What a completed firing must have produced: output trees as sets of places, and what a time-out deposits.

A firing conforms iff exactly one complete choice of the tree (one child at every xor) claims exactly the set of places
that received tokens; how many tokens a place received does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from petri_cli.engine.tokens import to_ticks
from petri_cli.net.model import (
    AndOut,
    ForwardOut,
    Output,
    PlaceOut,
    TimeoutOut,
    Transition,
    XorOut,
)
from petri_cli.net.outcomes import late_leaves, outcomes

Leaves = tuple[PlaceOut | ForwardOut, ...]

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OutputRule:
    """The declared output of one transition, prepared for checking.

    explanations: set of places → how many choices claim exactly it; places: every place that some choice claims;
    usual: what an action produces that has no say: the one choice with nothing under a time-out, else all ``places``;
    copies: place → tokens that its leaf stands for; budget: ticks an action may take; late: what a time-out deposits.
    """

    explanations: Mapping[frozenset[str], int]
    places: frozenset[str]
    usual: frozenset[str]
    copies: Mapping[str, int]
    budget: int | None = None
    late: Leaves = ()

    @property
    def only(self) -> str | None:
        """The place, where there is just the one way to conform and it claims just one place."""
        return next(iter(self.places)) if len(self.places) == 1 and self.explanations == {self.places: 1} else None

    def conforms(self, produced: frozenset[str]) -> bool:
        return self.explanations.get(produced) == 1

    def violation(self, produced: frozenset[str]) -> str:
        """Why ``produced`` does not conform, in a sentence."""
        got = _listed(produced) or "nothing"
        if self.explanations.get(produced, 0) > 1:
            return f"the action produced {got}, which more than one branch of the declared output explains"
        ways = sorted(self.explanations, key=lambda s: (len(s), sorted(s)))
        declared = "; or ".join(_listed(w) or "nothing" for w in ways)
        return f"the action produced {got}, but the transition declares: {declared}"


def output_rule(t: Transition) -> OutputRule:
    """The rule for ``t``. Size and work are linear in the leaves of all complete choices."""
    explanations: dict[frozenset[str], int] = {}
    copies: dict[str, int] = {}
    for outcome in outcomes(t.output):
        if outcome.timeout:
            continue
        claimed = frozenset(_target(leaf) for leaf in outcome.leaves)
        explanations[claimed] = explanations.get(claimed, 0) + 1
        for leaf in outcome.leaves:
            copies.setdefault(_target(leaf), leaf.count if isinstance(leaf, PlaceOut) else 1)
    timeout = first_timeout(t.output)
    budget = None if timeout is None else max(1, to_ticks(timeout.after))
    late = () if timeout is None else late_leaves(timeout)
    places = NOTHING.union(*explanations)
    outside = _outside_timeouts(t.output)
    usual = [claimed for claimed in explanations if claimed <= outside]
    return OutputRule(explanations, places, usual[0] if len(usual) == 1 else places, copies, budget, late)


def _outside_timeouts(output: Output | None) -> frozenset[str]:
    """The places of leaves that no time-out is above."""
    found: set[str] = set()
    stack: list[Output] = [] if output is None else [output]
    while stack:
        match stack.pop():
            case PlaceOut(place):
                found.add(place)
            case AndOut(children) | XorOut(children):
                stack.extend(children)
            case TimeoutOut() | ForwardOut():
                pass
            case other:
                assert_never(other)
    return frozenset(found)


def first_timeout(output: Output | None) -> TimeoutOut | None:
    """The time-out that strikes first: least ``after``, then document order. One inside another strikes with it."""
    found: list[TimeoutOut] = []
    stack: list[Output] = [] if output is None else [output]
    while stack:
        match stack.pop():
            case TimeoutOut() as node:
                found.append(node)
            case AndOut(children) | XorOut(children):
                stack.extend(reversed(children))
            case PlaceOut() | ForwardOut():
                pass
            case other:
                assert_never(other)
    return min(found, key=lambda n: n.after, default=None)


def _target(leaf: PlaceOut | ForwardOut) -> str:
    return leaf.place if isinstance(leaf, PlaceOut) else leaf.target


def _listed(places: Sequence[str] | frozenset[str]) -> str:
    return " and ".join(repr(p) for p in sorted(places))
