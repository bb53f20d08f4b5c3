"""Certificates of properties other than soundness: a run to a marking that violates one, or why there is none.

What a property forbids is said here once more, by the definitions of :mod:`petri_cli.soundness.properties`. A *rest*
is a marking in which nothing is enabled but transitions with a hard deadline, which can be reaped instead of fired.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any

from petri_cli.certificate.abstract import abstract_markings
from petri_cli.certificate.claim import demand, field, has, listed, whole
from petri_cli.certificate.equation import Literal, equation_of
from petri_cli.certificate.linear import ask
from petri_cli.certificate.question import Question
from petri_cli.certificate.spaces import closed_markings, closed_under_stubborn_sets
from petri_cli.net.firing import is_rest
from petri_cli.net.model import Marking, Net, Property
from petri_cli.net.start import start_of

AT_REST = ("deadlockFree", "terminatesAtSink", "quiescentCount")
KINDS = (*AT_REST, "placeBound", "mutualExclusion", "unreachable")


def check_violation(net: Net, asked: Sequence[Property], evidence: Any) -> str:
    """A run to a marking that violates property ``of``. Raises Unproved."""
    question = _question(net)
    [prop] = _chosen(net, asked, [field(evidence, "of")])
    end = question.play(question.initial, field(evidence, "run"))
    demand(violates(question.net, end, prop), f"the run ends in a marking that does not violate `{prop.id}`")
    return f"a marking is reached that violates `{prop.id}`"


def check_properties(net: Net, asked: Sequence[Property], evidence: Any) -> str:
    """Proofs that between them cover every property that is asked for. Raises Unproved."""
    question = _question(net)
    shown: set[int] = set()
    for proof in listed(field(evidence, "proofs"), "the proofs"):
        numbers = listed(field(proof, "of"), "what a proof is about")
        _check_proof(question, _chosen(net, asked, numbers), proof)
        shown.update(numbers)
    missing = [p.id for k, p in enumerate(asked) if k not in shown]
    demand(not missing, f"nothing shows `{missing[0] if missing else ''}`")
    return f"no reachable marking violates {', '.join(f'`{p.id}`' for p in asked)}"


def _question(net: Net) -> Question:
    return Question(start_of(net).net, {}, {})


def _chosen(net: Net, asked: Sequence[Property], numbers: Iterable[Any]) -> list[Property]:
    chosen = []
    places = {p.id for p in net.all_places()}
    for n in numbers:
        demand(whole(n, "the number of a property") < len(asked), "there is no such property")
        prop = asked[n]
        demand(prop.kind in KINDS and places >= set(prop.places), f"`{prop.id}` makes no sense for this net")
        bounds = prop.kind != "placeBound" or (len(prop.places) == 1 and prop.maximum is not None)
        demand(bounds, f"`{prop.id}` bounds no single place")
        chosen.append(prop)
    return chosen


def _check_proof(question: Question, properties: Sequence[Property], proof: Any) -> None:
    net = question.net
    if has(proof, "refutations"):
        demand(len(properties) == 1, "a refutation is about one property")
        check_equation(question, properties[0], listed(proof["refutations"], "the refutations"))
    elif has(proof, "abstract"):
        for low, many in abstract_markings(question, proof["abstract"]):
            for prop in properties:
                demand(not may_violate(net, low, many, prop), f"an abstract marking violates `{prop.id}`")
    else:
        for marking in _reached(question, properties, proof):
            for prop in properties:
                demand(not violates(net, marking, prop), f"a marking that is listed violates `{prop.id}`")


def _reached(question: Question, properties: Sequence[Property], proof: Any) -> Iterable[Marking]:
    """All that can be reached, or where only rests matter, and they are the dead markings, enough to have all those."""
    data = field(proof, "closed")
    if not has(data, "sets"):
        return [dict(m) for m in closed_markings(question, question.initial, data)]
    demand(all(p.kind in AT_REST for p in properties), "stubborn sets keep dead markings, and only those")
    demand(not any(t.timing.hard for t in question.net.transitions), "a rest need not be dead")
    return [m for m in closed_under_stubborn_sets(question, question.initial, data) if question.is_dead(m)]


def violates(net: Net, marking: Marking, prop: Property) -> bool:
    """Whether ``marking`` is one that ``prop`` forbids."""
    return may_violate(net, marking, frozenset(), prop)


def may_violate(net: Net, low: Marking, many: Collection[str], prop: Property) -> bool:
    """Whether some marking is forbidden that has ``low`` tokens everywhere, or on the places ``many`` that or more; of
    those there are enough for every arc."""
    if prop.kind in AT_REST and not is_rest(net, low):
        return False
    tokens = sum(low.get(p, 0) for p in set(prop.places))
    endless = any(p in many for p in prop.places)
    match prop.kind:
        case "deadlockFree":
            return any(n for p, n in low.items() if p not in prop.places)
        case "terminatesAtSink":
            return not tokens
        case "mutualExclusion":
            return any(low.get(p, 0) and low.get(q, 0) for p, q in combinations(prop.places, 2))
        case "unreachable":
            return all(low.get(p, 0) for p in prop.places)
        case _:  # placeBound, quiescentCount
            few = prop.kind == "quiescentCount" and tokens < prop.minimum
            return few or (prop.maximum is not None and (endless or tokens > prop.maximum))


def check_equation(question: Question, prop: Property, refutations: Sequence[Any]) -> None:
    """No solution of the state equation is forbidden by ``prop``: a refutation for each way to violate it."""
    equation = equation_of(question.net, question.initial)
    index = equation.index
    places = [index[p] for p in prop.places]
    hard = {t.id for t in question.net.transitions if t.timing.hard}
    rest = [a for a in equation.actions if equation.transition[a] not in hard]
    ways: list[tuple[set[Literal], tuple[Collection[int], int, int] | None]] = []
    match prop.kind:
        case "deadlockFree":
            ways.append((set(), ([p for p in index.values() if p not in places], -1, 1)))
        case "terminatesAtSink":
            ways.append(({("place", p, 1, 0) for p in places}, None))
        case "quiescentCount":
            ways.append((set(), (set(places), 1, prop.minimum - 1)))
            if prop.maximum is not None:
                ways.append((set(), (set(places), -1, prop.maximum + 1)))
        case "placeBound":
            ways.append(({("place", places[0], -1, (prop.maximum or 0) + 1)}, None))
        case "mutualExclusion":
            ways += [({("place", p, -1, 1), ("place", q, -1, 1)}, None) for p, q in combinations(places, 2)]
        case _:
            ways.append(({("place", p, -1, 1) for p in places}, None))
    demand(len(ways) == len(refutations), f"`{prop.id}` can be violated in {len(ways)} ways")
    for (goal, total), refutation in zip(ways, refutations, strict=True):
        ask(equation, refutation, goal, total=total, stuck=rest if prop.kind in AT_REST else ())
