"""Properties of nets by the state equation: what no solution violates, no reachable marking does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from petri_cli.net.compiled import CompiledNet
from petri_cli.net.model import Property
from petri_cli.soundness.linear.proof import Literal, Refutation
from petri_cli.soundness.linear.questions import Questions
from petri_cli.soundness.linear.walks import Run, Walk
from petri_cli.soundness.timer import Deadline, never

MOST_PAIRS = 200
"""Pairs of places asked about for one mutual exclusion."""


@dataclass(frozen=True, slots=True)
class Answer:
    """proofs: that there is no violation, one for each way to violate (empty: not proved); run: to a violation."""

    proofs: tuple[Refutation, ...] = ()
    run: Run | None = None


def judge_property(
    compiled: CompiledNet, prop: Property, violates: Callable[[tuple[int, ...]], bool], deadline: Deadline = never
) -> Answer:
    """Whether ``prop`` holds, as far as the state equation can tell. The caller has checked that it makes sense.

    violates: whether a reachable marking violates it, by its definition; a run is given only to such a marking.
    """
    questions = Questions(compiled, deadline)
    rest = [a for a, action in enumerate(compiled.actions) if not action.hard]
    proofs = []

    def wanted(walk: Walk) -> bool:
        return violates(tuple(walk.marking))

    for goal, at_rest in _ways_to_violate(questions, prop):
        found = questions.ask(goal, rest if at_rest else (), (), wanted)
        if found.proof is None:
            return Answer(run=found.run)
        proofs.append(found.proof)
    return Answer(tuple(proofs))


def _ways_to_violate(questions: Questions, prop: Property) -> list[tuple[Sequence[Literal], bool]]:
    """Each way as literals that all hold, and whether it is a matter of rests."""
    places = [questions.compiled.index[p] for p in prop.places]
    distinct = sorted(set(places))
    match prop.kind:
        case "deadlockFree":
            outside = [p for p in range(questions.equation.places) if p not in places]
            return [([questions.sum_of(outside, -1, 1)], True)]
        case "terminatesAtSink":
            return [([Literal("place", p, 1, 0) for p in distinct], True)]
        case "quiescentCount":
            few = ([questions.sum_of(distinct, 1, prop.minimum - 1)], True)
            return [few] if prop.maximum is None else [few, ([questions.sum_of(distinct, -1, prop.maximum + 1)], True)]
        case "placeBound":
            return [([Literal("place", places[0], -1, (prop.maximum or 0) + 1)], False)]
        case "mutualExclusion":
            pairs = list(combinations(places, 2))
            if len(pairs) > MOST_PAIRS:
                return [([], False)]
            return [([Literal("place", p, -1, 1) for p in sorted(set(pair))], False) for pair in pairs]
        case "unreachable":
            return [([Literal("place", p, -1, 1) for p in distinct], False)]
        case other:
            raise ValueError(f"no property {other!r}")
