"""Certificates that list markings: all that can be reached, or enough of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petri_cli.certificate.claim import amount, demand, field, listed, named, whole
from petri_cli.certificate.equation import needs_of
from petri_cli.certificate.question import Frozen, Question, frozen
from petri_cli.net.model import ForwardOut, Marking, PlaceOut
from petri_cli.net.outcomes import outcomes


def read_markings(data: Any) -> list[dict[str, int]]:
    """``{places: [id…], markings: [[place index, tokens, place index, tokens, …]…]}``."""
    places = [named(p, "a place") for p in listed(field(data, "places"), "the places")]
    markings: list[dict[str, int]] = []
    for row in listed(field(data, "markings"), "the markings"):
        numbers = [whole(n, "an entry of a marking") for n in listed(row, "a marking")]
        demand(len(numbers) % 2 == 0, "a marking has a place without a number of tokens")
        demand(all(i < len(places) for i in numbers[::2]), "a marking names a place that is not listed")
        markings.append({places[i]: n for i, n in zip(numbers[::2], numbers[1::2], strict=True) if n})
    return markings


def closed_markings(question: Question, start: Marking, data: Any) -> set[Frozen]:
    """A set of markings with ``start`` in it which no step leaves. Raises Unproved."""
    markings = {frozen(m) for m in read_markings(data)}
    demand(frozen(start) in markings, "the marking to begin with is not listed")
    for m in markings:
        for step, after in question.successors(dict(m)):
            demand(frozen(after) in markings, f"`{step.transition}` leads out of the markings listed")
    return markings


def check_states(question: Question, evidence: Any) -> str:
    """All reachable markings, the final one first; each other has a step to an earlier one, so that finitely many lead
    to the first (option to complete). Raises Unproved."""
    markings = read_markings(evidence)
    listing = _Listing(question, markings)
    enabled_at: list[set[str]] = []
    for i, marking in enumerate(markings):
        steps = question.successors(marking)
        listing.follow(i, ((step.transition, after) for step, after in steps))
        enabled_at.append({step.transition for step, _ in steps})
        improper = i > 0 and bool(question.end) and question.has_ended(marking)
        demand(not improper, f"marking {i} has the end marked, and more")
    listing.check_alive(enabled_at)
    return f"{amount(len(markings), 'marking')}, which no step leaves"


def check_stubborn(question: Question, evidence: Any) -> str:
    """Enough of the markings: from each, the steps of a stubborn set are followed. By the theorem on the reduced state
    space (``docs/theory.md``) that decides soundness. Raises Unproved."""
    listing, enabled_at = check_reduced(question, evidence)
    listing.check_alive(enabled_at)
    return f"{amount(len(enabled_at), 'marking')} with a stubborn set each"


def check_reduced(question: Question, evidence: Any) -> tuple[_Listing, list[set[str]]]:
    """All that the theorem asks but that no transition is dead: the steps between the markings, and what is enabled in
    each of them. A transition that is enabled in none is dead. Raises Unproved."""
    actions = _actions(question)
    _check_premises(question, actions)
    markings = read_markings(evidence)
    listing = _Listing(question, markings)
    for i, steps in enumerate(_followed(actions, markings, evidence)):
        listing.follow(i, steps)
    return listing, [{a.transition for a in actions if a.enabled(marking)} for marking in markings]


def closed_under_stubborn_sets(question: Question, start: Marking, data: Any) -> list[dict[str, int]]:
    """Markings with ``start`` among them and every dead one that is reachable from it: the steps of a stubborn set lead
    from each to others of the list (Valmari 1988; ``docs/theory.md``, "Stubborn sets"). Raises Unproved."""
    markings = read_markings(data)
    known = {frozen(m) for m in markings}
    demand(frozen(start) in known, "the marking to begin with is not listed")
    for steps in _followed(_actions(question), markings, data):
        for transition, after in steps:
            demand(frozen(after) in known, f"`{transition}` leads out of the markings listed")
    return markings


def _followed(
    actions: Sequence[_Action], markings: Sequence[Marking], data: Any
) -> Iterator[list[tuple[str, dict[str, int]]]]:
    """For each marking the steps of its stubborn set. ``sets``: for each marking the numbers of the actions in it,
    disabled ones too. Raises Unproved where one is not stubborn."""
    sets = listed(field(data, "sets"), "the stubborn sets")
    demand(len(sets) == len(markings), "there are not as many stubborn sets as markings")
    rivals = _Rivals(actions)
    for i, (marking, numbers) in enumerate(zip(markings, sets, strict=True)):
        chosen = {whole(a, "an action") for a in listed(numbers, "a stubborn set")}
        demand(all(a < len(actions) for a in chosen), "a stubborn set names an action that is not there")
        rivals.check_stubborn(marking, chosen, i)
        followed = [actions[a] for a in sorted(chosen) if actions[a].enabled(marking)]
        yield [(a.transition, a.fire(marking)) for a in followed]


class _Listing:
    """The markings of a certificate and the steps between them: closed, and every one on its way to the first."""

    def __init__(self, question: Question, markings: Sequence[Marking]) -> None:
        self._question = question
        self._number = {frozen(m): i for i, m in enumerate(markings)}
        demand(len(self._number) == len(markings), "a marking is listed twice")
        first = bool(markings) and frozen(markings[0]) == frozen(question.final)
        demand(first, "the final marking is not the first")
        demand(frozen(question.initial) in self._number, "the initial marking is not listed")
        self._edges: list[set[int]] = []

    def follow(self, i: int, steps: Iterable[tuple[str, Marking]]) -> None:
        """The steps from marking ``i``: each leads to one that is listed, and one to an earlier one."""
        targets: set[int] = set()
        for transition, after in steps:
            j = self._number.get(frozen(after))
            demand(j is not None, f"`{transition}` leads out of the markings listed")
            targets.add(j)  # type: ignore[arg-type]  # just demanded
        demand(i == 0 or min(targets, default=i) < i, f"no step leads from marking {i} to an earlier one")
        self._edges.append(targets)

    def check_alive(self, enabled_at: Sequence[set[str]]) -> None:
        """Every transition is enabled in a marking that steps lead to: what is listed beside those proves nothing."""
        start = self._number[frozen(self._question.initial)]
        seen, todo = {start}, [start]
        while todo:
            fresh = self._edges[todo.pop()] - seen
            seen |= fresh
            todo += fresh
        dead = self._question.transitions.keys() - set[str]().union(*(enabled_at[i] for i in seen))
        demand(not dead, f"`{min(dead, default='')}` is enabled in no marking that is reached")


@dataclass(frozen=True, slots=True)
class _Action:
    """One outcome of a transition that adds a constant: what it needs, and what it changes."""

    transition: str
    needs: Mapping[str, int]
    change: Mapping[str, int]
    puts: frozenset[str]

    def enabled(self, marking: Marking) -> bool:
        return all(marking.get(p, 0) >= n for p, n in self.needs.items())

    def fire(self, marking: Marking) -> dict[str, int]:
        after = dict(marking)
        for p, n in self.change.items():
            after[p] = after.get(p, 0) + n
        return after


def _actions(question: Question) -> list[_Action]:
    """The actions in the order of the net, the outcomes of a transition one after the other. Raises Unproved where one
    does not add a constant."""
    actions = []
    for t in question.net.transitions:
        adds = not t.inhibitors and not t.resets and not any(i.drains for i in t.inputs)
        demand(adds, f"`{t.id}` has an inhibitor, reset or draining arc")
        taken = needs_of(t)
        needs = {**dict.fromkeys(t.reads, 1), **taken}
        for outcome in outcomes(t.output):
            change = {p: -n for p, n in taken.items()}
            puts: set[str] = set()
            for leaf in outcome.leaves:
                match leaf:
                    case PlaceOut(place, count):
                        into, n = place, count
                    case ForwardOut(source, target):
                        into, n = target, taken[source]
                change[into] = change.get(into, 0) + n
                puts.add(into)
            actions.append(_Action(t.id, needs, {p: n for p, n in change.items() if n}, frozenset(puts)))
    return actions


def _check_premises(question: Question, actions: Sequence[_Action]) -> None:
    """What the theorem asks: the end is one token on a sink and dead, and nothing gives to resources only."""
    demand(question.net.final is None, "the theorem is about nets that end with a token on a sink")
    demand(not any(a.enabled(question.final) for a in actions), "the final marking is not dead")
    for a in actions:
        demand(not a.puts <= question.resources, f"`{a.transition}` gives to resources only")


class _Rivals:
    """Who gets in whose way, for the two conditions of a strongly stubborn set."""

    def __init__(self, actions: Sequence[_Action]) -> None:
        self.actions = actions
        self.needers: dict[str, set[int]] = {}
        self.lowerers: dict[str, set[int]] = {}
        self.raisers: dict[str, set[int]] = {}
        for a, action in enumerate(actions):
            for p in action.needs:
                self.needers.setdefault(p, set()).add(a)
            for p, n in action.change.items():
                (self.lowerers if n < 0 else self.raisers).setdefault(p, set()).add(a)

    def check_stubborn(self, marking: Marking, chosen: set[int], i: int) -> None:
        """Raises Unproved unless ``chosen`` is strongly stubborn in ``marking``, or nothing is enabled there."""
        nobody: set[int] = set()
        lively = False
        for a in chosen:
            action = self.actions[a]
            if action.enabled(marking):
                lively = True
                rivals = nobody.union(*(self.lowerers.get(p, nobody) for p in action.needs))
                rivals.update(*(self.needers.get(p, nobody) for p in action.needs if action.change.get(p, 0) < 0))
                demand(rivals <= chosen, f"marking {i}: the set lacks a rival of one of its actions")
            else:
                short = [p for p, n in action.needs.items() if marking.get(p, 0) < n]
                helped = any(self.raisers.get(p, nobody) <= chosen for p in short)
                demand(helped, f"marking {i}: the set lacks who could enable one of its actions")
        demand(
            lively or not any(a.enabled(marking) for a in self.actions), f"marking {i}: nothing in its set is enabled"
        )
