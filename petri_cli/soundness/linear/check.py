"""Linear certificates, checked: exact arithmetic, no search, nothing taken from the provers but the data.

A leaf is a linear combination: side·quantity ≤ side·bound for each of its literals, with its multiplier. Each quantity
is a sum of tokens and column counts; with m = m₀ + C·x the whole left side becomes a constant plus Σ k(j)·x(j). When no
k(j) is negative and the constant alone exceeds the right side, no x ≥ 0 satisfies them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.soundness.linear.equation import Equation
from petri_cli.soundness.linear.proof import Leaf, Literal, Proof, Ranking, Refutation, Row, Split

Known = dict[tuple[str, int, int], int]
"""The tightest bound said about each (kind, of, side)."""


class BadProof(Exception):
    """A certificate does not show what it claims: a fault of the prover, or of whoever wrote the file."""


def check_ranking(equation: Equation, ranking: Ranking) -> None:
    """Raises BadProof unless each action of ``ranking`` lowers the weighted sum and no loss raises it."""
    _demand(all(k >= 0 for k in ranking.weights.values()), "a weight is negative")
    wanted = set(ranking.actions)
    for j, column in enumerate(equation.columns):
        change = sum(ranking.weights.get(p, 0) * k for p, k in column.items())
        if j in wanted:
            _demand(change <= -1, f"action {j} does not lower the weighted sum")
        elif j >= equation.actions:
            _demand(change <= 0, f"loss {j} raises the weighted sum")


def check_bounding(equation: Equation, weights: Mapping[int, int]) -> None:
    """Raises BadProof unless every place has a weight ≥ 1 and no column raises the weighted sum."""
    _demand(all(weights.get(p, 0) >= 1 for p in range(equation.places)), "a place has no weight")
    for j, column in enumerate(equation.columns):
        _demand(sum(weights[p] * k for p, k in column.items()) <= 0, f"column {j} raises the weighted sum")


def check_refutation(equation: Equation, refutation: Refutation) -> None:
    """Raises BadProof unless ``refutation`` shows what it claims."""
    checker = _Checker(equation, refutation)
    for lemma in refutation.lemmas:
        opposite = Literal(lemma.literal.kind, lemma.literal.of, -lemma.literal.side, 0)
        checker.check(lemma.proof, [opposite._replace(bound=lemma.literal.bound + lemma.literal.side)])
        checker.say(checker.known, lemma.literal)
    checker.check(refutation.proof, [])


class _Checker:
    def __init__(self, equation: Equation, refutation: Refutation) -> None:
        self.equation, self.refutation = equation, refutation
        self.changes: list[list[tuple[int, int]]] = [[] for _ in equation.initial]
        for j, column in enumerate(equation.columns):
            for p, k in column.items():
                self.changes[p].append((j, k))
        self.known: Known = {}
        for literal in refutation.goal:
            self.say(self.known, literal)
        self.stuck = set(refutation.stuck)
        for a in self.stuck:
            if len(equation.disabled[a]) == 1:
                self.say(self.known, equation.disabled[a][0])

    @staticmethod
    def say(known: Known, literal: Literal) -> None:
        key = literal.kind, literal.of, literal.side
        old = known.get(key)
        if old is None or (literal.bound - old) * literal.side < 0:
            known[key] = literal.bound

    def check(self, proof: Proof, assumed: Sequence[Literal]) -> None:
        """Check a proof tree under the question, the lemmas so far and ``assumed``."""
        todo: list[tuple[Proof, tuple[Literal, ...]]] = [(proof, tuple(assumed))]
        while todo:
            node, path = todo.pop()
            match node:
                case Leaf(terms):
                    self.leaf(terms, path)
                case Split(reason, action, cases):
                    have = {literal for literal, _ in cases}
                    if reason == "differs":
                        _demand(bool(self.refutation.differs), "the question says nothing about a difference")
                        _demand(have >= set(self.refutation.differs), "a way to differ is missing")
                    elif reason == "whole":
                        _demand(_is_whole(have), "the cases leave a whole number out")
                    else:
                        _demand(reason == "disabled" and action in self.stuck, f"action {action} need not be disabled")
                        _demand(have >= set(self.equation.disabled[action]), f"a way to disable {action} is missing")
                    todo += [(child, (*path, literal)) for literal, child in cases]

    def leaf(self, terms: Sequence[tuple[Literal, int]], path: Sequence[Literal]) -> None:
        weights: dict[int, int] = {}
        counts: dict[int, int] = {}
        limit = 0
        assumed: Known = {}
        for literal in path:
            self.say(assumed, literal)
        for literal, times in terms:
            _demand(times > 0, "a multiplier is not positive")
            self.justify(literal, assumed)
            limit += times * literal.side * literal.bound
            if literal.kind == "count":
                counts[literal.of] = counts.get(literal.of, 0) + times * literal.side
            else:
                summed = {literal.of: 1} if literal.kind == "place" else self.refutation.rows[literal.of].weights
                for p, k in summed.items():
                    weights[p] = weights.get(p, 0) + times * literal.side * k
        for p, k in weights.items():
            if k:
                for j, change in self.changes[p]:
                    counts[j] = counts.get(j, 0) + k * change
        _demand(all(k >= 0 for k in counts.values()), "a column has a negative sum")
        start = sum(k * self.equation.initial[p] for p, k in weights.items())
        _demand(start > limit, "the literals do not contradict each other")

    def justify(self, literal: Literal, assumed: Known) -> None:
        """Whether a literal may be used: it is no tighter than one that is known or assumed, says that something is not
        negative, or is the bound of a row that holds."""
        key = literal.kind, literal.of, literal.side
        for known in (self.known, assumed):
            if key in known and (literal.bound - known[key]) * literal.side >= 0:
                return
        if literal.kind in ("place", "count") and literal.side < 0 and literal.bound <= 0:
            return
        _demand(literal.kind == "row", f"{literal} is not known")
        row = self.refutation.rows[literal.of]
        _demand(literal == row.literal, f"row {literal.of} is bounded otherwise")
        _demand(row.reason == "trap", f"row {literal.of} is not known to be bounded")
        self.check_trap(row)

    def check_trap(self, row: Row) -> None:
        places = set(row.weights)
        _demand(all(k == 1 for k in row.weights.values()), "a trap with weights")
        _demand(row.literal.side < 0 and row.literal.bound <= 1, "a trap that claims more than a token")
        _demand(any(self.equation.initial[p] for p in places), "a trap that is empty at the start")
        for takes, puts in zip(self.equation.takes, self.equation.puts, strict=True):
            _demand(not takes & places or bool(puts & places), "the places are no trap")


def _is_whole(cases: set[Literal]) -> bool:
    """Whether the cases say of one quantity that it is ≤ k, or ≥ k + 1 (or less)."""
    upper = [x for x in cases if x.side > 0]
    lower = [x for x in cases if x.side < 0]
    return any(x[:2] == y[:2] and y.bound <= x.bound + 1 for x in upper for y in lower)


def _demand(fact: bool, otherwise: str) -> None:
    if not fact:
        raise BadProof(otherwise)
