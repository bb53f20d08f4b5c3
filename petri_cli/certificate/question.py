"""What is asked of a net: where it starts, where it should end. Derived here once more, by the definitions alone.

van der Aalst, "The Application of Petri Nets to Workflow Management", 1998, definitions 6 and 11; with resources: van
Hee, Sidorova, Voorhoeve, "Resource-Constrained Workflow Nets", 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from petri_cli.certificate.claim import demand, field, listed, named, whole
from petri_cli.net.firing import Step, enabled, fire
from petri_cli.net.model import ForwardOut, Marking, Net, PlaceOut, Transition, leaves
from petri_cli.net.outcomes import outcomes
from petri_cli.net.start import start_of

Frozen = frozenset[tuple[str, int]]
"""A marking that can stand in a set: (place, tokens > 0)."""


def frozen(marking: Marking) -> Frozen:
    return frozenset((p, n) for p, n in marking.items() if n)


@dataclass(frozen=True)
class Question:
    """``net`` with its initial marking; ``final``: how it should end; ``end``: the tokens that say it has ended;
    resources: the places that keep what they hold."""

    net: Net
    final: Marking
    end: Marking
    resources: frozenset[str] = frozenset()

    @cached_property
    def transitions(self) -> dict[str, Transition]:
        return {t.id: t for t in self.net.transitions}

    @property
    def initial(self) -> Marking:
        return {p: n for p, n in self.net.initial.items() if n}

    def has_ended(self, marking: Marking) -> bool:
        """Whether ``marking`` has the end marked."""
        return all(marking.get(p, 0) >= n for p, n in self.end.items())

    def is_dead(self, marking: Marking) -> bool:
        return not any(enabled(t, marking) for t in self.net.transitions)

    def successors(self, marking: Marking) -> list[tuple[Step, dict[str, int]]]:
        """Every step that is possible, and where it leads."""
        return [
            (Step(t.id, k), fire(t, marking, k))
            for t in self.net.transitions
            if enabled(t, marking)
            for k in range(len(outcomes(t.output)))
        ]

    def play(self, marking: Marking, steps: Any) -> Marking:
        """Fire ``steps``, as a certificate has them, one after the other; where they lead. Raises Unproved."""
        played: Sequence[Any] = listed(steps, "a run")
        for number, step in enumerate(played, 1):
            name, outcome = (
                named(field(step, "transition"), "a transition"),
                whole(field(step, "outcome"), "an outcome"),
            )
            demand(name in self.transitions, f"step {number}: there is no transition `{name}`")
            t = self.transitions[name]
            demand(outcome < len(outcomes(t.output)), f"step {number}: `{name}` has no such outcome")
            demand(enabled(t, marking), f"step {number}: `{name}` is not enabled")
            marking = fire(t, marking, outcome)
        return marking


def question_of(net: Net) -> Question:
    """What soundness of ``net`` means. Raises Unproved where it means nothing."""
    net = start_of(net).net
    if net.final is not None:
        final = {p: n for p, n in net.final.items() if n}
        return Question(net, final, final)
    taken = {i.place for t in net.transitions for i in t.inputs}
    read = {p for t in net.transitions for p in t.reads}
    put = {
        leaf.target if isinstance(leaf, ForwardOut) else leaf.place
        for t in net.transitions
        for leaf in leaves(t.output)
        if isinstance(leaf, ForwardOut | PlaceOut)
    }
    marked = {p.id for p in net.places if net.initial.get(p.id)}
    constant = (marked & read) - taken - put
    resources = frozenset(constant | (marked & taken & put))
    sources = [p.id for p in net.places if p.id not in put and p.id not in constant]
    sinks = [p.id for p in net.places if p.id not in taken and p.id not in constant]
    demand(bool(net.transitions), "the net has no transition, and no final marking")
    demand(len(sources) == 1 and len(sinks) == 1, "the net has no final marking, and not one source and one sink")
    demand(net.initial.get(sources[0], 0) == 1, "the source does not start with one token")
    declared = sum(n for p, n in net.initial.items() if p in marked) == sum(net.initial.values())
    demand(declared, "tokens lie on places that are not declared")
    final = {sinks[0]: 1, **{r: net.initial[r] for r in resources}}
    return Question(net, final, {sinks[0]: 1}, resources)
