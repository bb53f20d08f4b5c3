"""The state equation as a relaxation: places and counts may be quotients, and bounds come and go with a search."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from petri_cli.soundness.linear.equation import Equation
from petri_cli.soundness.linear.proof import Leaf, Lemma, Literal, Proof, Row
from petri_cli.soundness.linear.simplex import GRANTED, Conflict, OutOfWork, Tableau
from petri_cli.soundness.timer import Deadline, never

Refuted = tuple[Leaf, set[int]]
"""Why the bounds at hand leave no solution, and the decisions (by depth) that this rests on."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution of the state equation that the question describes, whole or not: a candidate, never a verdict."""

    counts: tuple[Fraction, ...]
    marking: tuple[Fraction, ...]

    @property
    def whole(self) -> bool:
        return all(n.denominator == 1 for n in (*self.counts, *self.marking))


class GaveUp(Exception):
    """The time, the work or the branches that were granted are used up."""


class Relaxation:
    """The state equation with the bounds that hold in every solution, and whatever is said beside."""

    def __init__(self, equation: Equation, granted: int = GRANTED, deadline: Deadline = never) -> None:
        self.equation, self.deadline = equation, deadline
        self.tableau = Tableau(len(equation.columns), granted, deadline)
        self.rows: list[Row] = []
        self.lemmas: list[Lemma] = []
        self.first_place = len(equation.columns)
        self._row_variables: list[int] = []
        self._said: list[tuple[Literal, int]] = []
        forms: list[dict[int, int]] = [{} for _ in equation.initial]
        for a, column in enumerate(equation.columns):
            for p, k in column.items():
                forms[p][a] = k
        for form in forms:
            self.tableau.add_row(form)
        for a in range(len(equation.columns)):
            self.say(Literal("count", a, -1, 0))
        for p in range(equation.places):
            self.say(Literal("place", p, -1, 0))

        self._disabling = [[self._bound_of(x) for x in literals] for literals in equation.disabled]

    def _bound_of(self, literal: Literal) -> tuple[int, int, int]:
        """(variable, side, bound) in the tableau."""
        v, start = self._variable(literal)
        return v, literal.side, literal.bound - start

    def _variable(self, literal: Literal) -> tuple[int, int]:
        """(variable of the tableau, the tokens there at the start: the tableau counts the change)."""
        match literal.kind:
            case "place":
                return self.first_place + literal.of, self.equation.initial[literal.of]
            case "count":
                return literal.of, 0
            case _:
                weights = self.rows[literal.of].weights
                start = sum(k * self.equation.initial[p] for p, k in weights.items())
                return self._row_variables[literal.of], start

    def say(self, literal: Literal, depth: int = 0) -> Refuted | None:
        """Add a bound on the strength of decision ``depth`` (0: of the question itself)."""
        v, start = self._variable(literal)
        self._said.append((literal, depth))
        conflict = self.tableau.bound(v, literal.side, literal.bound - start, len(self._said) - 1)
        return None if conflict is None else self._leaf(conflict)

    def check(self) -> Refuted | None:
        try:
            conflict = self.tableau.check()
        except OutOfWork:
            raise GaveUp from None
        return None if conflict is None else self._leaf(conflict)

    def _leaf(self, conflict: Conflict) -> Refuted:
        terms, rests_on = [], set()
        for bound, k in conflict.multipliers:
            literal, depth = self._said[self.tableau.reason[bound]]
            if literal.kind != "count" or literal.side > 0 or literal.bound:  # x ≥ 0 needs no saying
                terms.append((literal, k))
            if depth:
                rests_on.add(depth)
        return Leaf(tuple(terms)), rests_on

    def add_row(self, row: Row) -> Literal:
        """A further sum of tokens, and that it is bounded; the literal that says so."""
        literal = row.literal._replace(kind="row", of=len(self.rows))
        self.rows.append(Row(row.weights, literal, row.reason))
        form = {self.first_place + p: k for p, k in row.weights.items()}
        self._row_variables.append(self.tableau.add_row(form))
        return literal

    def assume(self, literal: Literal, proof: Proof | None = None) -> Refuted | None:
        """Use from now on what holds in every solution: a lemma with its proof, or the bound of a row."""
        if proof is not None:
            self.lemmas.append(Lemma(literal, proof))
        return self.say(literal)

    def violation(self, literal: Literal) -> float:
        """How far the solution at hand is from it, about: the nearest case is the likeliest to lead to a solution."""
        v, side, k = self._bound_of(literal)
        return self.tableau.about(v, k) * side

    def left_enabled(self, a: int) -> bool:
        """Whether the solution at hand satisfies no literal that disables ``a``."""
        table = self.tableau
        return all(table.exceeds(v, k) if side > 0 else table.falls_below(v, k) for v, side, k in self._disabling[a])

    def is_open(self, literal: Literal) -> bool:
        """Whether the bounds at hand leave room for it."""
        v, start = self._variable(literal)
        limit = (self.tableau.lower if literal.side > 0 else self.tableau.upper)[v]
        return limit is None or (literal.bound - start - limit) * literal.side >= 0

    def solution(self) -> Solution:
        value = self.tableau.value
        counts = tuple(value(a) for a in range(len(self.equation.columns)))
        marking = tuple(value(self.first_place + p) + n for p, n in enumerate(self.equation.initial))
        return Solution(counts, marking)
