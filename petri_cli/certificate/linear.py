"""Certificates of the state equation: linear combinations that contradict each other, case by case (Farkas' lemma).

``docs/certificates-linear.md`` tells the format and why it shows what it does. What is asked comes from here, never
from the certificate: that can only say how it is refuted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from petri_cli.certificate.claim import amount, demand, field, has, listed, named, number, whole
from petri_cli.certificate.equation import Equation, Literal, added, equation_of
from petri_cli.certificate.question import Question

MOST_WORK = 20_000_000
"""Terms that are added up for one refutation: its nodes may be shared, and it comes from anybody."""

Path = tuple[Literal, "Path"] | None
"""The literals assumed on the way to a node, the latest first."""


def check_linear(question: Question, evidence: Any) -> str:
    """Soundness by Theorem L (``docs/theory.md``), and runs that fire every transition. Raises Unproved."""
    equation = equation_of(question.net, question.initial)
    actions = _check_ranking(equation, field(evidence, "ranking"))
    end = {equation.index[p]: n for p, n in question.end.items()}
    check_dead_ends(equation, end, actions, field(evidence, "stuck"))
    _check_proper(question, equation, end, listed(field(evidence, "proper"), "the proofs of proper completion"))
    fired: set[str] = set()
    for run in listed(field(evidence, "runs"), "the runs"):
        question.play(question.initial, run)
        fired.update(step["transition"] for step in run)
    dead = question.transitions.keys() - fired
    demand(not dead, f"no run fires `{min(dead, default='')}`")
    return f"no solution of the state equation is stuck or ends improperly; {amount(len(fired), 'transition')} fired"


def check_dead_ends(equation: Equation, end: Mapping[int, int], actions: Collection[int], proof: Any) -> None:
    """(D): no solution disables all of ``actions`` without ``end`` marked."""
    lacking = {("place", p, 1, n - 1) for p, n in end.items()}
    if not end:
        ask(equation, proof, total=(range(len(equation.initial)), -1, 1), stuck=actions)
    elif len(end) == 1:
        ask(equation, proof, lacking, stuck=actions)
    else:
        ask(equation, proof, stuck=actions, differs=lacking)


def _check_proper(question: Question, equation: Equation, end: Mapping[int, int], proofs: Sequence[Any]) -> None:
    """(P): no solution has ``end`` marked and is not the final marking."""
    if not end:
        return
    resources = {equation.index[r]: question.final[r] for r in question.resources}
    others = [p for p in equation.index.values() if p not in resources]
    marked = {("place", p, -1, n) for p, n in end.items()}
    total = sum(n for p, n in question.final.items() if p not in question.resources)
    demand(len(proofs) == (2 if resources else 1), "a proof of proper completion is missing, or one too many")
    ask(equation, proofs[0], marked, total=(others, -1, total + 1))
    if resources:
        differs = {("place", r, side, n - side) for r, n in resources.items() for side in (1, -1)}
        ask(equation, proofs[1], marked, total=(others, 1, total), differs=differs)


def _check_ranking(equation: Equation, data: Any) -> set[int]:
    """(T): weights that every one of the actions named lowers, and no loss raises."""
    weights = _weights(field(data, "weights"))
    actions = {whole(a, "an action") for a in listed(field(data, "actions"), "the actions")}
    demand(actions <= set(equation.actions), "the ranking names an action that is not there")
    demand(all(n >= 0 for n in weights.values()), "a weight is negative")
    for j, column in enumerate(equation.columns):
        change = sum(weights.get(p, 0) * n for p, n in column.items())
        demand(j not in actions or change < 0, f"action {j} does not lower the weighted sum")
        demand(j in equation.actions or change <= 0, f"loss {j} raises the weighted sum")
    return actions


def ask(
    equation: Equation,
    data: Any,
    goal: Collection[Literal] = (),
    *,
    total: tuple[Iterable[int], int, int] | None = None,
    stuck: Collection[int] = (),
    differs: Collection[Literal] = (),
) -> None:
    """No solution satisfies ``goal``, has ``total`` tokens (places, side, bound), disables all of ``stuck``, and
    satisfies one of ``differs`` where there are any. Raises Unproved."""
    refutation = _Refutation(equation, data, set(differs))
    for item in listed(field(data, "goal"), "the goal"):
        literal = _literal(item)
        asked = literal in goal
        if literal[0] == "row" and total is not None:
            weights, places = refutation.row(literal[1])[0], dict.fromkeys(total[0], 1)
            asked = weights == places and literal[2:] == total[1:]
        demand(asked, f"{literal} is not what is asked")
        refutation.say(literal)
    named_stuck = {whole(a, "an action") for a in listed(field(data, "stuck"), "the stuck actions")}
    demand(named_stuck <= set(stuck), "an action is taken to be stuck that need not be")
    refutation.check(named_stuck)


class _Refutation:
    def __init__(self, equation: Equation, data: Any, differs: set[Literal]) -> None:
        self.equation, self.data, self.differs = equation, data, differs
        said = {_literal(x) for x in listed(field(data, "differs"), "the differences")}
        demand(said == differs, "the difference is not the one that is asked about")
        self.known: dict[tuple[str, int, int], int] = {}
        self.rows = [
            (_weights(field(row, "weights")), _literal(field(row, "literal")), field(row, "reason"))
            for row in listed(field(data, "rows"), "the rows")
        ]
        known_places = all(p < len(equation.initial) for weights, _, _ in self.rows for p in weights)
        demand(known_places, "a row names a place that is not there")
        self.nodes = listed(field(data, "nodes"), "the nodes")
        self.changes: list[list[tuple[int, int]]] = [[] for _ in equation.initial]
        for j, column in enumerate(equation.columns):
            for p, n in column.items():
                self.changes[p].append((j, n))
        self.traps: set[int] = set()
        self.work = 0

    def row(self, at: int) -> tuple[dict[int, int], Literal, Any]:
        demand(at < len(self.rows), "there is no such row")
        return self.rows[at]

    def say(self, literal: Literal) -> None:
        """Take ``literal`` for granted from here on."""
        key = literal[:3]
        self.known[key] = _tighter(literal, self.known.get(key))

    def check(self, stuck: set[int]) -> None:
        self.stuck = stuck
        for a in stuck:
            if len(self.equation.disabled[a]) == 1:
                self.say(*self.equation.disabled[a])
        for lemma in listed(field(self.data, "lemmas"), "the lemmas"):
            kind, of, side, bound = literal = _literal(field(lemma, "literal"))
            self.walk(field(lemma, "proof"), ((kind, of, -side, bound + side), None))
            self.say(literal)
        self.walk(field(self.data, "proof"), None)

    def walk(self, root: Any, assumed: Path) -> None:
        """Every leaf below ``root`` contradicts itself, given what is known and assumed on the way to it."""
        todo = [(self._child(root, len(self.nodes)), assumed)]
        while todo:
            at, path = todo.pop()
            node = self.nodes[at]
            if has(node, "leaf"):
                self.leaf(listed(node["leaf"], "a leaf"), path)
                continue
            cases = [(_literal(x), child) for x, child in map(_pair, listed(field(node, "cases"), "the cases"))]
            self.exhausts(node, {literal for literal, _ in cases})
            self._count(1 + len(cases))
            todo += [(self._child(child, at), (literal, path)) for literal, child in cases]

    def _child(self, value: Any, below: int) -> int:
        at = whole(value, "a node")
        demand(at < below, "a node has a child that does not come before it")
        return at

    def _count(self, terms: int) -> None:
        self.work += terms
        demand(self.work <= MOST_WORK, "the proof is longer than what is checked")

    def exhausts(self, node: Any, cases: set[Literal]) -> None:
        """One of ``cases`` holds: they are all the ways in which something must be."""
        match field(node, "split"):
            case "differs":
                demand(bool(self.differs) and cases >= self.differs, "a way to differ is missing")
            case "disabled":
                a = whole(field(node, "action"), "an action")
                demand(a in self.stuck, f"action {a} need not be disabled")
                demand(cases >= self.equation.disabled[a], f"a way to disable action {a} is missing")
            case "whole":
                most = [x for x in cases if x[2] == 1]
                covered = any(x[:2] == y[:2] and y[2] == -1 and y[3] <= x[3] + 1 for x in most for y in cases)
                demand(len(cases) == 2 and covered, "the cases leave a whole number out")
            case _:
                demand(False, "a split of an unknown kind")

    def leaf(self, terms: Sequence[Any], path: Path) -> None:
        assumed: dict[tuple[str, int, int], int] = {}
        while path is not None:
            literal, path = path
            assumed[literal[:3]] = _tighter(literal, assumed.get(literal[:3]))
            self._count(1)
        tokens: list[tuple[int, int]] = []
        counts: list[tuple[int, int]] = []
        limit = 0
        for item, factor in map(_pair, terms):
            kind, of, side, bound = literal = _literal(item)
            times = whole(factor, "a multiplier", 1)
            self.justify(literal, assumed)
            limit += times * side * bound
            if kind == "count":
                counts.append((of, times * side))
            else:
                weights = {of: 1} if kind == "place" else self.row(of)[0]
                self._count(len(weights))
                tokens += [(p, times * side * n) for p, n in weights.items()]
        start = 0
        for p, weight in added(tokens).items():
            start += weight * self.equation.initial[p]
            self._count(len(self.changes[p]))
            counts += [(j, weight * n) for j, n in self.changes[p]]
        demand(all(n >= 0 for n in added(counts).values()), "a column of a leaf has a negative sum")
        demand(start > limit, "the literals of a leaf do not contradict each other")

    def justify(self, literal: Literal, assumed: Mapping[tuple[str, int, int], int]) -> None:
        """``literal`` may be used in a leaf."""
        kind, of, side, bound = literal
        counted = self.equation.initial if kind == "place" else self.equation.columns
        demand(of < len(self.rows if kind == "row" else counted), f"{literal} is about nothing")
        for known in (self.known, assumed):
            if (kind, of, side) in known and _tighter(literal, known[kind, of, side]) == known[kind, of, side]:
                return
        if kind != "row":
            demand(side == -1 and bound <= 0, f"{literal} is not known")
            return
        weights, said, reason = self.row(of)
        demand(literal == said and reason == "trap", f"{literal} is not known")
        if of not in self.traps:
            self.check_trap(weights, literal)
            self.traps.add(of)

    def check_trap(self, weights: Mapping[int, int], literal: Literal) -> None:
        """Places that are marked at the start, and that every action which takes from them puts into."""
        demand(set(weights.values()) == {1} and literal[2:] == (-1, 1), "a trap claims that it is marked, no more")
        demand(any(self.equation.initial[p] for p in weights), "a trap is empty at the start")
        for takes, puts in zip(self.equation.takes, self.equation.puts, strict=True):
            demand(not takes & weights.keys() or bool(puts & weights.keys()), "the places of a row are no trap")


def _tighter(literal: Literal, bound: int | None) -> int:
    """The tighter of two bounds of the same kind."""
    return literal[3] if bound is None or (literal[3] - bound) * literal[2] < 0 else bound


def _literal(data: Any) -> Literal:
    kind, of, side, bound = listed(data, "a literal") if len(listed(data, "a literal")) == 4 else ("", 0, 0, 0)
    demand(kind in ("place", "count", "row") and side in (1, -1), "a literal is of an unknown kind")
    return named(kind, "a kind"), whole(of, "what a literal is about"), number(side, "a side"), number(bound, "a bound")


def _pair(data: Any) -> tuple[Any, Any]:
    demand(len(listed(data, "a pair")) == 2, "a pair is no pair")
    return data[0], data[1]


def _weights(data: Any) -> dict[int, int]:
    pairs = [_pair(x) for x in listed(data, "the weights")]
    weights = {whole(p, "a place"): number(n, "a weight") for p, n in pairs}
    demand(len(weights) == len(pairs), "a place has two weights")
    return weights
