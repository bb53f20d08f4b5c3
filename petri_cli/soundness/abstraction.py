"""Proofs about nets with endless markings: count each place up to a limit, and beyond that only «many».

A place holds 0, 1, …, k-1 or *many* (k or more). With k at least every need of an arc, whether an action is enabled can
be told exactly. Taking n from many leaves k-n, …, k-1 or still many: all are followed. So every reachable marking lies
beneath a reachable abstract one (an abstraction in the sense of Cousot & Cousot, POPL 1977), and what no abstract
marking violates, no marking does. The converse does not hold: an abstract violation proves nothing.

Cost: at most (k+1) to the power of the places; it pays where some places grow without bound. All arc kinds are covered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from petri_cli.net.compiled import Action, CompiledNet, State
from petri_cli.net.model import Property
from petri_cli.soundness.timer import Deadline

CHECK_EVERY = 512
"""States between two looks at the deadline."""


@dataclass(frozen=True, slots=True)
class Abstraction:
    """What exhausted abstract searches proved: the properties that hold for certain, by index.

    limit: the k of the finest search; states: abstract markings it came to; markings: all of them, where something was
    proved.
    """

    proved: frozenset[int]
    limit: int
    states: int
    markings: frozenset[State] = frozenset()


def prove_abstractly(
    compiled: CompiledNet, properties: Sequence[Property], max_states: int, deadline: Deadline
) -> Abstraction:
    """Which of ``properties`` hold for certain, counting as finely as ``max_states`` abstract markings allow."""
    coarse = _limit(compiled, properties)
    for many in (max((coarse, *compiled.initial)) + 1, coarse):
        proved = _search(compiled, properties, many, max_states, deadline)
        if proved is not None:
            return proved
    return Abstraction(frozenset(), coarse, max_states)


def _search(
    compiled: CompiledNet, properties: Sequence[Property], many: int, max_states: int, deadline: Deadline
) -> Abstraction | None:
    tests = [_Possible(compiled, p, many) for p in properties]
    first = tuple(min(n, many) for n in compiled.initial)
    seen, todo = {first}, [first]
    unviolated = set(range(len(properties)))
    while todo and unviolated:
        if len(seen) > max_states or (len(seen) % CHECK_EVERY == 0 and deadline()):
            return None
        m = todo.pop()
        enabled = [a for a in compiled.actions if a.enabled(m)]
        rest = all(a.hard for a in enabled)
        unviolated -= {k for k in unviolated if tests[k].violated(m, rest)}
        for a in enabled:
            if _ways(a, m, many) > max_states:
                return None
            new = [after for after in _fire(a, m, many) if after not in seen]
            seen.update(new)
            todo += new
    return Abstraction(frozenset(unviolated), many, len(seen), frozenset(seen if unviolated else ()))


def _limit(compiled: CompiledNet, properties: Sequence[Property]) -> int:
    """The least k: no need and no bound of a property lies beyond what is counted."""
    needs = [k for a in compiled.actions for _, k in a.needs]
    bounds = [p.maximum + 1 for p in properties if p.maximum is not None]
    return max([1, *needs, *bounds, *(p.minimum for p in properties)])


def _ways(a: Action, m: State, many: int) -> int:
    """How many abstract markings :func:`_fire` leads to: an arc of weight k from «many» leads to k + 1."""
    return prod(k + 1 for p, k in a.needs if m[p] == many and p not in a.drained)


def _fire(a: Action, m: State, many: int) -> Iterator[State]:
    """Every abstract marking that one beneath ``m`` can lead to by ``a``."""
    taken = dict(a.needs)
    befores: list[list[int]] = [[n] for n in m]
    for p, k in a.needs:
        if p in a.drained:
            befores[p] = [0]
        else:
            befores[p] = [m[p] - k] if m[p] < many else list(range(many - k, many + 1))
    for p in a.resets:
        befores[p] = [0]
    added = dict(a.produced)
    for source, target in a.forwards:
        added[target] = added.get(target, 0) + (m[source] if source in a.drained else taken[source])
    results: list[tuple[int, ...]] = [()]
    for p, values in enumerate(befores):
        results = [(*r, min(v + added.get(p, 0), many)) for r in results for v in values]
    yield from results


class _Possible:
    """Whether some marking beneath an abstract one violates a property."""

    def __init__(self, compiled: CompiledNet, prop: Property, many: int) -> None:
        self._prop, self._many = prop, many
        self._places = [compiled.index[p] for p in prop.places]
        inside = set(self._places)
        self._outside = [p for p in range(len(compiled.places)) if p not in inside]

    def violated(self, m: State, rest: bool) -> bool:
        prop, places = self._prop, self._places
        match prop.kind:
            case "deadlockFree":
                return rest and any(m[p] for p in self._outside)
            case "terminatesAtSink":
                return rest and not any(m[p] for p in places)
            case "quiescentCount":
                return rest and self._outside_of(m, prop.minimum, prop.maximum)
            case "placeBound":
                return self._outside_of(m, 0, prop.maximum)
            case "mutualExclusion":
                return sum(m[p] > 0 for p in places) > 1
            case _:
                return all(m[p] for p in places)

    def _outside_of(self, m: State, minimum: int, maximum: int | None) -> bool:
        counts = [m[p] for p in dict.fromkeys(self._places)]
        least = sum(counts)  # many stands for k at the least
        most_is_open = self._many in counts
        return least < minimum or (maximum is not None and (most_is_open or least > maximum))
