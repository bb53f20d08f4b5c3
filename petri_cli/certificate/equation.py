"""The state equation of a net: what no solution of it does, no run does. Derived from the arcs alone.

Murata 1989, §V.B; the other arc kinds as ``docs/certificates-linear.md`` says: reads and inhibitors only forbid, and a
reset or a draining arc takes what it needs and then as many tokens more as it likes, a *loss* each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from petri_cli.certificate.claim import demand
from petri_cli.net.model import ForwardOut, Marking, Net, PlaceOut, Transition
from petri_cli.net.outcomes import Outcome, outcomes

Literal = tuple[str, int, int, int]
"""(kind, of, side, bound): side 1 says at most, -1 says at least. See ``docs/certificates-linear.md``."""

Column = Mapping[int, int]
"""What changes, by place."""


@dataclass(frozen=True, slots=True)
class Equation:
    """m = initial + columns·x. The first columns are those of the actions, the others are losses.

    index: the number of each place; disabled: what disables each action; takes: the places that an action may take
    from, puts: those that are marked after it; transition: whose outcome it is.
    """

    index: Mapping[str, int]
    initial: list[int]
    columns: list[Column]
    disabled: list[frozenset[Literal]]
    takes: list[frozenset[int]]
    puts: list[frozenset[int]]
    transition: list[str]

    @property
    def actions(self) -> range:
        return range(len(self.disabled))


def equation_of(net: Net, start: Marking) -> Equation:
    """The equation of what ``net`` can do from ``start``."""
    names = dict.fromkeys(p.id for p in net.all_places()) | dict.fromkeys(start)
    index = {p: i for i, p in enumerate(names)}
    equation = Equation(index, [start.get(p, 0) for p in names], [], [], [], [], [])
    losses: dict[frozenset[tuple[int, int]], Column] = {}
    for t in net.transitions:
        needs = needs_of(t)
        lacks = [("place", index[p], 1, n - 1) for p, n in {**dict.fromkeys(t.reads, 1), **needs}.items()]
        disabled: list[Literal] = [*lacks, *(("place", index[p], -1, 1) for p in t.inhibitors)]
        for outcome in outcomes(t.output):
            equation.columns.append(_column(index, needs, outcome))
            equation.disabled.append(frozenset(disabled))
            equation.takes.append(frozenset(index[p] for p in (*needs, *t.resets)))
            equation.puts.append(frozenset(index[_target(leaf)] for leaf in outcome.leaves))
            equation.transition.append(t.id)
            for loss in _losses(index, t, outcome):
                losses.setdefault(frozenset(loss.items()), loss)
    equation.columns.extend(losses.values())
    return equation


def needs_of(t: Transition) -> dict[str, int]:
    """The tokens that the inputs of ``t`` need; one input a place."""
    needs = {i.place: i.needs for i in t.inputs}
    demand(len(needs) == len(t.inputs), f"`{t.id}` takes twice from one place")
    return needs


def _target(leaf: PlaceOut | ForwardOut) -> str:
    return leaf.place if isinstance(leaf, PlaceOut) else leaf.target


def _column(index: Mapping[str, int], needs: Mapping[str, int], outcome: Outcome) -> Column:
    """What an action changes when each draining arc takes just what it needs."""
    changes = [(p, -n) for p, n in needs.items()]
    changes += [(_target(x), x.count if isinstance(x, PlaceOut) else needs[x.source]) for x in outcome.leaves]
    return added((index[p], n) for p, n in changes)


def _losses(index: Mapping[str, int], t: Transition, outcome: Outcome) -> Iterable[Column]:
    """What an action may take beyond that, a token at a time."""
    for p in t.resets:
        yield {index[p]: -1}
    for p in (i.place for i in t.inputs if i.drains):
        forwarded = (x.target for x in outcome.leaves if isinstance(x, ForwardOut) and x.source == p)
        loss = added([(index[p], -1), *((index[q], 1) for q in forwarded)])
        if loss:
            yield loss


def added(changes: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The sum of single changes, places that do not change left out."""
    total: dict[int, int] = {}
    for p, n in changes:
        total[p] = total.get(p, 0) + n
    return {p: n for p, n in total.items() if n}
