"""The three conditions of soundness and the properties of nets, word for word from their definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from petri_cli.net.firing import is_rest
from petri_cli.net.model import Net, Property
from tests.oracle.statespace import Frozen, StateSpace, explore, freeze


@dataclass(frozen=True)
class Truth:
    """The conditions and counts of a net, and the length of a shortest run to each kind of trouble (None: none)."""

    option: bool
    proper: bool
    dead_transitions: tuple[str, ...]
    deadlocks: int
    doomed: int
    states: int
    to_deadlock: int | None
    to_doomed: int | None
    to_improper: int | None

    @property
    def sound(self) -> bool:
        return self.option and self.proper and not self.dead_transitions


def truth(net: Net, final: Mapping[str, int], sink: str | None, limit: int = 2000) -> Truth:
    """Soundness of ``net`` by full enumeration; TooBig past ``limit`` markings.

    sink: the end is marked when this place is; None: when all tokens of a non-empty ``final`` are there.
    """
    space = explore(net, limit)
    end = freeze(final)
    good = space.can_reach({end})
    doomed = set(space.successors) - good
    deadlocks = space.dead - {end}
    improper = {m for m in space.successors if m != end and _end_is_marked(dict(m), final, sink)}
    fired = {step.transition for out in space.successors.values() for step, _ in out}
    return Truth(
        option=not doomed,
        proper=not improper,
        dead_transitions=tuple(t.id for t in net.transitions if t.id not in fired),
        deadlocks=len(deadlocks),
        doomed=len(doomed),
        states=len(space.successors),
        to_deadlock=_nearest(space, deadlocks),
        to_doomed=_nearest(space, doomed),
        to_improper=_nearest(space, improper),
    )


def _end_is_marked(marking: dict[str, int], final: Mapping[str, int], sink: str | None) -> bool:
    if sink is not None:
        return marking.get(sink, 0) > 0
    return any(final.values()) and all(marking.get(p, 0) >= n for p, n in final.items())


def _nearest(space: StateSpace, markings: set[Frozen]) -> int | None:
    return min((space.distance[m] for m in markings), default=None)


def violating(net: Net, space: StateSpace, prop: Property) -> dict[Frozen, int]:
    """Every reachable marking that violates ``prop``, with the length of a shortest run to it."""
    return {m: d for m, d in space.distance.items() if violates(net, dict(m), prop)}


def violates(net: Net, m: dict[str, int], prop: Property) -> bool:
    """Whether the reachable marking ``m`` violates ``prop``."""
    rest = is_rest(net, m)
    tokens = sum(m.get(p, 0) for p in set(prop.places))
    match prop.kind:
        case "deadlockFree":
            return rest and any(p not in prop.places for p in m)
        case "terminatesAtSink":
            return rest and tokens == 0
        case "quiescentCount":
            return rest and not (prop.minimum <= tokens and (prop.maximum is None or tokens <= prop.maximum))
        case "placeBound":
            assert prop.maximum is not None
            return tokens > prop.maximum
        case "mutualExclusion":
            return any(m.get(p, 0) and m.get(q, 0) for p, q in combinations(prop.places, 2))
        case "unreachable":
            return all(m.get(p, 0) for p in prop.places)
        case _:
            raise AssertionError(prop.kind)
