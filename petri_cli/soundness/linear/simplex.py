"""Linear inequalities over the integers' quotients, solved exactly and step by step.

The general simplex of satisfiability solvers (Dutertre & de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)", CAV
2006): every variable has bounds, some are *basic*, and each of those is a linear form of the others. Bounds come and go
with a search, the rows stay. Rows are integers: a row says ``d·b = Σ c·n`` with d > 0, so nothing is ever rounded. On
the nets at hand d is 1 nearly always, and a pivot costs a few dictionary operations for each entry that it touches.

A variable that is not basic lies on an integer between its bounds; that makes every value a quotient of integers with
the row's own d. When a basic variable is out of its bounds and no other can move to help, its row *is* the proof:
the multipliers of Farkas' lemma stand in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from petri_cli.soundness.timer import Deadline, never

Bound = tuple[int, int]
"""(variable, side): side -1 is the lower bound, +1 the upper one."""

PATIENT = 5_000
"""Pivots of one check after which Bland's rule, which cannot cycle, takes over from the rule that keeps rows short."""


GRANTED = 20_000_000
"""Entries touched: some seconds."""
GLANCE = 32
"""Pivots between two looks at the deadline: on a large net one may take milliseconds."""


class OutOfWork(Exception):
    """The work that was granted is done, or the time is up."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Bounds that contradict each other: the multipliers (> 0) with which they add up to a falsehood."""

    multipliers: tuple[tuple[Bound, int], ...]


class Tableau:
    """``count`` variables without bounds, and as many more as rows are added.

    lower, upper: the bounds (None: none); reason: why each bound holds, as whoever set it said; pivots: how many have
    been made; work: how many entries they have touched; granted: how many they may.
    """

    def __init__(self, count: int, granted: int = GRANTED, deadline: Deadline = never) -> None:
        self.lower: list[int | None] = [None] * count
        self.upper: list[int | None] = [None] * count
        self.reason: dict[Bound, int] = {}
        self.pivots, self.work, self.granted, self._deadline = 0, 0, granted, deadline
        self._row: dict[int, dict[int, int]] = {}
        self._column: list[set[int]] = [set() for _ in range(count)]  # of a variable that is not basic: its rows
        self._top = [0] * count  # value times _den
        self._den = [1] * count
        self._suspect: set[int] = set()  # basic variables that may be out of their bounds
        self._trail: list[tuple[int, int, int | None, int]] = []

    def add_row(self, form: dict[int, int]) -> int:
        """A new variable that equals Σ coefficient·variable; its index."""
        new = len(self.lower)
        den = 1
        for v in form:
            if v in self._row:
                den = den * self._den[v] // gcd(den, self._den[v])
        row: dict[int, int] = {}
        for v, k in form.items():
            if v in self._row:
                times = k * (den // self._den[v])
                for w, c in self._row[v].items():
                    row[w] = row.get(w, 0) + times * c
            else:
                row[v] = row.get(v, 0) + k * den
        row = {v: c for v, c in row.items() if c}
        self.lower.append(None)
        self.upper.append(None)
        self._column.append(set())
        self._row[new] = row
        self._top.append(sum(c * self._top[v] for v, c in row.items()))
        self._den.append(den)
        for v in row:
            self._column[v].add(new)
        return new

    def value(self, v: int) -> Fraction:
        return Fraction(self._top[v], self._den[v])

    def exceeds(self, v: int, k: int) -> bool:
        """Whether the value of ``v`` is greater than ``k``."""
        return self._top[v] > k * self._den[v]

    def falls_below(self, v: int, k: int) -> bool:
        return self._top[v] < k * self._den[v]

    def about(self, v: int, k: int) -> float:
        """By how much the value of ``v`` exceeds ``k``; rounded, to be used for nothing but an order."""
        return (self._top[v] - k * self._den[v]) / self._den[v]

    def mark(self) -> int:
        """Where the bounds stand, for :meth:`undo`."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Take back the bounds set since ``mark``."""
        while len(self._trail) > mark:
            v, side, old, reason = self._trail.pop()
            (self.upper if side > 0 else self.lower)[v] = old
            self.reason[v, side] = reason

    def bound(self, v: int, side: int, k: int, reason: int = 0) -> Conflict | None:
        """Bound ``v`` by ``k``, where that is tighter than what it is bound by; the conflict with its other bound."""
        mine, other = (self.upper, self.lower) if side > 0 else (self.lower, self.upper)
        old, opposite = mine[v], other[v]
        if old is not None and (k - old) * side >= 0:
            return None
        self._trail.append((v, side, old, self.reason.get((v, side), 0)))
        mine[v], self.reason[v, side] = k, reason
        if opposite is not None and (k - opposite) * side < 0:
            return Conflict((((v, side), 1), ((v, -side), 1)))
        if v in self._row:
            self._suspect.add(v)
        elif (self._top[v] - k) * side > 0:
            self._move(v, k)
        return None

    def free(self, v: int, side: int) -> None:
        """Drop a bound for good; only while there is nothing to undo behind it."""
        (self.upper if side > 0 else self.lower)[v] = None

    def _move(self, v: int, k: int) -> None:
        """Give ``v``, which is not basic, the value ``k``."""
        step = k - self._top[v]
        self._top[v] = k
        for b in self._column[v]:
            self._top[b] += self._row[b][v] * step
        self._suspect |= self._column[v]

    def check(self) -> Conflict | None:
        """Find values within all bounds; the conflict when there are none. Raises OutOfWork."""
        start = self.pivots
        while True:
            b, side = self._leaving(bland=self.pivots - start > PATIENT)
            if not side:
                return None
            n = self._entering(b, side, bland=self.pivots - start > PATIENT)
            if n < 0:
                self._suspect.add(b)
                return self._explain(b, side)
            if self.work >= self.granted or (self.pivots % GLANCE == 0 and self._deadline()):
                self._suspect.add(b)
                raise OutOfWork
            self._pivot(b, n, (self.lower[b] if side < 0 else self.upper[b]) or 0)

    def _leaving(self, *, bland: bool) -> tuple[int, int]:
        """A basic variable out of its bounds and the side on which it is; side 0 when there is none."""
        best, best_side, shortest = -1, 0, 0
        fine = []
        for b in self._suspect:
            top, low, high = self._top[b], self.lower[b], self.upper[b]
            if b not in self._row:
                side = 0
            elif low is not None and top < low * self._den[b]:
                side = -1
            elif high is not None and top > high * self._den[b]:
                side = 1
            else:
                side = 0
            if not side:
                fine.append(b)
                continue
            length = b if bland else len(self._row[b])
            if not best_side or length < shortest:
                best, best_side, shortest = b, side, length
        self._suspect.difference_update(fine)
        return best, best_side

    def _entering(self, b: int, side: int, *, bland: bool) -> int:
        """A variable of the row of ``b`` that can move so that ``b`` gets back within its bound; -1 when none can."""
        best, least = -1, 0
        for n, c in self._row[b].items():
            up = (c > 0) == (side < 0)
            limit = self.upper[n] if up else self.lower[n]
            if limit is not None and limit == self._top[n]:
                continue
            cost = n if bland else len(self._column[n])
            if best < 0 or cost < least:
                best, least = n, cost
        return best

    def _explain(self, b: int, side: int) -> Conflict:
        """The row of ``b`` as multipliers: each of its variables is held where it is by a bound."""
        said: list[tuple[Bound, int]] = [((b, side), self._den[b])]
        for n, c in self._row[b].items():
            said.append(((n, 1 if (c > 0) == (side < 0) else -1), abs(c)))
        return Conflict(tuple(said))

    def _pivot(self, b: int, n: int, k: int) -> None:
        """Make ``n`` basic in place of ``b``, which gets the value ``k``."""
        self.pivots += 1
        rows, columns, tops, dens = self._row, self._column, self._top, self._den
        row = rows.pop(b)
        for v in row:
            columns[v].discard(b)
        c = row.pop(n)
        if c > 0:
            row = {v: -x for v, x in row.items()}
            row[b] = dens[b]
        else:
            row[b] = -dens[b]
            c = -c
        if c > 1 and (common := gcd(c, *row.values())) > 1:
            row = {v: x // common for v, x in row.items()}
            c //= common
        before = tops[n]
        tops[b], dens[b] = k, 1
        tops[n], dens[n] = sum(x * tops[v] for v, x in row.items()), c
        step = tops[n] - before * c  # of n, times c
        users = columns[n]
        columns[n], columns[b] = set(), set()
        entries = list(row.items())
        self.work += (1 + len(users)) * (1 + len(entries))
        for r in users:
            other = rows[r]
            e = other.pop(n)
            if c > 1:
                for v in other:
                    other[v] *= c
                dens[r] *= c
                tops[r] *= c
            tops[r] += e * step
            for v, x in entries:
                new = other.get(v, 0) + e * x
                if new:
                    if v not in other:
                        columns[v].add(r)
                    other[v] = new
                else:
                    del other[v]
                    columns[v].discard(r)
            if dens[r] > 1 and (common := gcd(dens[r], *other.values())) > 1:
                rows[r] = {v: x // common for v, x in other.items()}
                dens[r] //= common
                tops[r] //= common
        self._suspect |= users
        self._suspect.add(n)
        self._suspect.discard(b)
        rows[n] = row
        for v in row:
            columns[v].add(n)
