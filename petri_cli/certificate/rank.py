"""Certificates by the rank theorem: a free-choice net is live and bounded, and so the net it closes is sound.

The theorem, and the lemma that makes soundness of it: ``docs/theory.md``, "The rank theorem" (Desel & Esparza 1995,
theorem 10.17; van der Aalst 1997). Every premise is looked at here: weights 1, free choice, connectedness, invariants,
the rank from below (modulo a prime, where it can only come out smaller) and from above (independent solutions of
C·x = 0), clusters, siphons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from petri_cli.certificate.claim import amount, demand, field, listed, number, whole
from petri_cli.certificate.equation import added, needs_of
from petri_cli.certificate.question import Question
from petri_cli.net.model import Marking, PlaceOut
from petri_cli.net.outcomes import outcomes

PRIME = 2**61 - 1
MOST_WORK = 50_000_000
"""Entries touched by one elimination."""

Arcs = list[frozenset[int]]
"""For each transition the places on one side of it."""


def check_free_choice(question: Question, evidence: Any) -> str:
    """The net with one more transition, from its final marking back to the initial one, is live and bounded.

    invariant: a weight > 0 for each place; rates: for each action, then for the transition back; pivots: rows (actions)
    and columns (places) of a minor that is not zero; kernel: solutions of C·x = 0, sparse. Raises Unproved.
    """
    takes, puts, places = _closed(question)
    _check_shape(takes, puts, places)
    rows = [_row(t, p) for t, p in zip(takes, puts, strict=True)]
    clusters = len(set(takes)) + places - len(frozenset().union(*takes))
    _check_invariants(rows, places, field(evidence, "invariant"), field(evidence, "rates"))
    pivots = [_pair(x) for x in listed(field(evidence, "pivots"), "the pivots")]
    demand(len(pivots) == clusters - 1, f"with {clusters} clusters the rank is to be {clusters - 1}")
    _check_minor(rows, pivots)
    _check_kernel(rows, clusters - 1, listed(field(evidence, "kernel"), "the kernel"))
    start = {p for p, n in enumerate(_counts(question, question.initial)) if n}
    demand(not _unmarked_siphon(takes, puts, places, start), "a siphon has no token")
    return f"a free-choice net of {amount(clusters, 'cluster')} and rank {clusters - 1:,}, every siphon marked"


def _counts(question: Question, marking: Marking) -> list[int]:
    return [marking.get(p.id, 0) for p in question.net.all_places()]


def _closed(question: Question) -> tuple[Arcs, Arcs, int]:
    """What each action takes and puts, the way back from the end last. Raises Unproved unless all weights are 1."""
    demand(question.end == question.final and bool(question.end), "the end is not told by the whole final marking")
    index = {p.id: i for i, p in enumerate(question.net.all_places())}
    takes: Arcs = []
    puts: Arcs = []
    for t in question.net.transitions:
        plain = not (t.inhibitors or t.reads or t.resets) and all(i.needs == 1 and not i.drains for i in t.inputs)
        demand(plain, f"`{t.id}` has a weight, or an arc that is not plain")
        for outcome in outcomes(t.output):
            leaves = [x for x in outcome.leaves if isinstance(x, PlaceOut) and x.count == 1]
            into = frozenset(index[x.place] for x in leaves)
            demand(len(into) == len(outcome.leaves), f"`{t.id}` has a weight, or an arc that is not plain")
            takes.append(frozenset(index[p] for p in needs_of(t)))
            puts.append(into)
    for marking, side in ((question.final, takes), (question.initial, puts)):
        counts = _counts(question, marking)
        demand(max(counts, default=0) == 1, "a place holds more than one token at the start or the end, or none does")
        side.append(frozenset(p for p, n in enumerate(counts) if n))
    return takes, puts, len(index)


def _check_shape(takes: Arcs, puts: Arcs, places: int) -> None:
    """Free choice, something on both sides of each transition, and one piece."""
    demand(all(takes) and all(puts), "a transition takes or puts nothing")
    chosen: dict[int, frozenset[int]] = {}
    for inputs in takes:
        for p in inputs:
            demand(chosen.setdefault(p, inputs) == inputs, "transitions share an input, and not all of their inputs")
    around = [t | p for t, p in zip(takes, puts, strict=True)]
    users: list[list[int]] = [[] for _ in range(places)]
    for t, near in enumerate(around):
        for p in near:
            users[p].append(t)
    seen, todo = {0}, [0]
    while todo:
        for near in (around[t] for t in users[todo.pop()]):
            todo += near - seen
            seen |= near
    demand(len(seen) == places, "the net is not connected")


def _row(takes: frozenset[int], puts: frozenset[int]) -> dict[int, int]:
    return {**dict.fromkeys(takes - puts, -1), **dict.fromkeys(puts - takes, 1)}


def _check_invariants(rows: Sequence[dict[int, int]], places: int, invariant: Any, rates: Any) -> None:
    weights = [whole(n, "a weight", 1) for n in listed(invariant, "the invariant")]
    times = [whole(n, "a rate", 1) for n in listed(rates, "the rates")]
    demand(len(weights) == places, "the invariant does not weigh every place")
    demand(len(times) == len(rows), "there is not a rate for every transition")
    demand(all(not sum(weights[p] * n for p, n in row.items()) for row in rows), "a transition changes the invariant")
    flow = added((p, n * k) for k, row in zip(times, rows, strict=True) for p, n in row.items())
    demand(not flow, "the rates do not come back to where they began")


def _check_minor(rows: Sequence[dict[int, int]], pivots: Sequence[tuple[int, int]]) -> None:
    """The rank is at least the number of ``pivots``: taken one after the other, none of them is zero modulo a prime."""
    demand(all(r < len(rows) for r, _ in pivots), "a pivot is in no row")
    left = {r: dict(rows[r]) for r, _ in pivots}
    demand(len(left) == len(pivots), "a row has two pivots")
    users: dict[int, set[int]] = {}
    for r, row in left.items():
        for c in row:
            users.setdefault(c, set()).add(r)
    work = 0
    for r, column in pivots:
        row = left.pop(r)
        demand(column in row, "a pivot is zero")
        for c in row:
            users[c].discard(r)
        inverse = pow(row[column], -1, PRIME)
        for other in list(users[column]):
            factor = left[other][column] * inverse
            for c, n in row.items():
                value = (left[other].get(c, 0) - factor * n) % PRIME
                if value:
                    left[other][c] = value
                    users[c].add(other)
                elif c in left[other]:
                    del left[other][c]
                    users[c].discard(other)
            work += len(row)
        demand(work <= MOST_WORK, "the pivots are taken in an order that costs too much")


def _check_kernel(rows: Sequence[dict[int, int]], rank: int, kernel: Sequence[Any]) -> None:
    """The rank is at most ``rank``: so many solutions of C·x = 0, each with an entry that no other has."""
    demand(len(kernel) == len(rows) - rank, f"the kernel is to have {len(rows) - rank} vectors")
    vectors = [[_entry(x) for x in listed(vector, "a vector")] for vector in kernel]
    uses: dict[int, int] = {}
    for vector in vectors:
        demand(all(t < len(rows) for t, _ in vector), "a vector names a transition that is not there")
        demand(len(dict(vector)) == len(vector), "a vector has two entries for a transition")
        demand(not added((p, k * n) for t, k in vector for p, n in rows[t].items()), "a vector is no solution")
        for t, k in vector:
            uses[t] = uses.get(t, 0) + (k != 0)
    own = all(any(k and uses[t] == 1 for t, k in vector) for vector in vectors)
    demand(own, "the vectors of the kernel are not seen to be independent")


def _unmarked_siphon(takes: Arcs, puts: Arcs, places: int, marked: set[int]) -> set[int]:
    """The largest siphon without a token: a place is taken out when somebody fills it and takes from none of them."""
    siphon = set(range(places)) - marked
    takers: list[list[int]] = [[] for _ in range(places)]
    for t, inputs in enumerate(takes):
        for p in inputs:
            takers[p].append(t)
    inside = [len(inputs & siphon) for inputs in takes]
    todo = [t for t, n in enumerate(inside) if not n]
    while todo:
        for p in puts[todo.pop()] & siphon:
            siphon.discard(p)
            for t in takers[p]:
                inside[t] -= 1
                if not inside[t]:
                    todo.append(t)
    return siphon


def _pair(data: Any) -> tuple[int, int]:
    demand(len(listed(data, "a pair")) == 2, "a pair is no pair")
    return whole(data[0], "a row"), whole(data[1], "a column")


def _entry(data: Any) -> tuple[int, int]:
    demand(len(listed(data, "an entry")) == 2, "an entry is no pair")
    return whole(data[0], "a transition"), number(data[1], "an entry")
