"""Lists of abstract markings: each place is counted up to a limit, and beyond that holds «many».

Every reachable marking lies beneath an abstract one of a list that no step leaves, so what none of the list allows, no
reachable marking does (``docs/theory.md``, "Properties of nets with endless markings").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from petri_cli.certificate.claim import demand, field, whole
from petri_cli.certificate.equation import needs_of
from petri_cli.certificate.question import Question, frozen
from petri_cli.certificate.spaces import read_markings
from petri_cli.net.firing import enabled
from petri_cli.net.model import ForwardOut, Marking, Transition
from petri_cli.net.outcomes import Outcome, outcomes

MOST_WAYS = 1_000
"""Markings that a single step may lead to."""


def abstract_markings(question: Question, data: Any) -> list[tuple[Marking, frozenset[str]]]:
    """The markings of a list that no step leaves, each with the places that hold ``many`` tokens or more. The initial
    one lies beneath one of them. Raises Unproved.

    ``many``: no arc needs more tokens, so that what is enabled can be told.
    """
    many = whole(field(data, "many"), "how many are many", 1)
    net = question.net
    demand(all(n <= many for t in net.transitions for n in needs_of(t).values()), "an arc needs more than is counted")
    markings = read_markings(data)
    known = {frozen(m) for m in markings}
    first = {p: min(n, many) for p, n in question.initial.items()}
    demand(frozen(first) in known, "the marking to begin with is not listed")
    demand(all(n <= many for m in markings for n in m.values()), "a marking counts further than is said")
    for marking in markings:
        for t in net.transitions:
            if enabled(t, marking):
                for outcome in outcomes(t.output):
                    for after in _after(t, outcome, marking, many):
                        demand(frozen(after) in known, f"`{t.id}` leads out of the markings listed")
    return [(m, frozenset(p for p, n in m.items() if n == many)) for m in markings]


def _after(t: Transition, outcome: Outcome, marking: Marking, many: int) -> Iterator[Mapping[str, int]]:
    """Every abstract marking that ``t`` may lead to: n taken from many leave many, or as little as many less n."""
    taken = {i.place: marking.get(i.place, 0) if i.drains else i.needs for i in t.inputs}
    left: dict[str, list[int]] = {p: [n] for p, n in marking.items()}
    for i in t.inputs:
        there = marking.get(i.place, 0)
        rest = there - taken[i.place]
        left[i.place] = [rest] if i.drains or there < many else list(range(rest, many + 1))
    left |= {p: [0] for p in t.resets}
    put: dict[str, int] = {}
    for leaf in outcome.leaves:
        into, n = (leaf.target, taken[leaf.source]) if isinstance(leaf, ForwardOut) else (leaf.place, leaf.count)
        put[into] = put.get(into, 0) + n
    ways = 1
    for counts in left.values():
        ways *= len(counts)
        demand(ways <= MOST_WAYS, f"`{t.id}` takes from too many places with many tokens")
    for chosen in product(*left.values()):
        after = dict(zip(left, chosen, strict=True))
        yield after | {p: min(after.get(p, 0) + n, many) for p, n in put.items()}
