"""Soundness of free-choice nets by the rank theorem, without looking at a marking.

A net is (extended) *free-choice* when transitions that share an input have all their inputs in common; its *clusters*
are then the places that go together with the transitions that take from them, and a place from which nobody takes by
itself. Here all weights are 1.

Let N* be the net with one more transition, which takes the final marking f ≠ 0 and gives the initial one m₀.

*Lemma* (van der Aalst 1997, theorem 11, for any f ≠ 0). If every action adds a constant and the end is told by all of
f, the net is sound iff N* is live and bounded. *Argument.* ⇒: A sound net is bounded, and where f is covered it is the
marking, so the new transition leads back to m₀ and adds no marking; from each marking f is reached, then m₀, then any
transition, for none is dead. ⇐: From a reachable marking M the new transition can be enabled; up to its first firing
the run is one of the net and leads to some M' ≥ f. If M' > f then m₀ leads to m₀ + (M' − f), and N* is unbounded. So
M' = f: option to complete, and, taking for M one that covers f, proper completion. So N* does nothing but run the net
again and again, and each transition fires in some run of the net. ∎

*Rank theorem* (Desel & Esparza, "Free Choice Petri Nets", 1995, theorem 10.17; Campos, Chiola & Silva 1991). A
connected free-choice net with places and transitions and the incidence matrix C has a live and bounded marking iff

1. some y > 0 has yᵀC = 0, and 2. some x > 0 has Cx = 0,
3. the rank of C is the number of clusters less one.

*Liveness* (same, chapters 4 and 5; Commoner 1972). Such a net is live from m₀ iff every siphon but the empty one has a
token: then every minimal siphon, which is the place set of an S-component and so a trap, has, and it is never emptied.
It is bounded from any marking, by 1. So the net is sound iff 1 to 3 hold and the largest siphon without a token is
empty.

*Cost.* The rank takes a cubic number of operations on integers whose lengths stay polynomial, for each row is divided
by the common factor of its entries and so is no longer than some minors of C. It is computed over the integers: modulo
a prime it could come out too small, and a net could pass for sound that is not. 1 and 2 are linear programs, solved by
an exact simplex; past :data:`MOST_WORK` nothing is claimed. The siphon is linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.conditions import NO_DEAD, OPTION, PROPER
from petri_cli.soundness.linear.simplex import OutOfWork, Tableau
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Condition, Counts, Result, Verdict
from petri_cli.soundness.shape import Target

MOST_WORK = 5_000_000
"""Entries that the simplex may touch: about a second."""

Row = dict[int, int]
"""Entry ≠ 0 by column."""


@dataclass(frozen=True, slots=True)
class FreeChoiceNet:
    """A free-choice net with all weights 1: the places that each transition takes from and puts into, as indices.

    marked: the places that start with a token; places: how many there are.
    """

    takes: tuple[frozenset[int], ...]
    puts: tuple[frozenset[int], ...]
    marked: frozenset[int]
    places: int

    def clusters(self) -> int:
        """How many clusters there are."""
        taken = set(self.takes)
        return len(taken) + self.places - sum(map(len, taken))

    def rows(self) -> list[Row]:
        """The incidence matrix, a row a transition."""
        return [
            {**dict.fromkeys(takes - puts, -1), **dict.fromkeys(puts - takes, 1)}
            for takes, puts in zip(self.takes, self.puts, strict=True)
        ]


def proved_by_rank(target: Target, compiled: CompiledNet) -> Result | None:
    """The proof that ``target`` is sound, where its net is free-choice and the theorem gives one; None otherwise, also
    where the theorem says that it is not sound: that takes a run to show.

    compiled: the net of ``target``.
    """
    net = closed_free_choice(compiled) if target.end == target.final else None
    if net is None or not is_sound(net):
        return None
    return Result(
        Verdict.SOUND,
        "free-choice",
        conditions=tuple(Condition(name, True) for name in (OPTION, PROPER, NO_DEAD)),
        assumptions=SOUND_ASSUMPTIONS,
        counts=Counts(0, 0, exact=True, dead_transitions=()),
        stats={"clusters": net.clusters()},
    )


def closed_free_choice(compiled: CompiledNet) -> FreeChoiceNet | None:
    """``compiled`` with the transition from its final to its initial marking; None when that is no connected
    free-choice net with all weights 1, or some transition takes or puts nothing."""
    initial, final = compiled.initial, compiled.final
    if final is None or max(initial, default=0) > 1 or max(final, default=0) > 1:
        return None
    takes = [frozenset(p for p, n in enumerate(final) if n)]
    puts = [frozenset(p for p, n in enumerate(initial) if n)]
    for a in compiled.actions:
        if not a.plain or any(k > 1 for _, k in (*a.needs, *a.produced)):
            return None
        takes.append(frozenset(p for p, _ in a.needs))
        puts.append(frozenset(p for p, _ in a.produced))
        if len(takes[-1]) < len(a.needs) or len(puts[-1]) < len(a.produced):
            return None
    net = FreeChoiceNet(tuple(takes), tuple(puts), puts[0], len(compiled.places))
    if not all(takes) or not all(puts) or not _is_free_choice(net) or not _is_connected(net):
        return None
    return net


def is_sound(net: FreeChoiceNet) -> bool | None:
    """Whether ``net``, closed, is live and bounded, so that the net it comes from is sound; None when the work that
    was granted was done first."""
    if unmarked_siphon(net):
        return False
    rows = net.rows()
    if rank(rows) != net.clusters() - 1:
        return False
    try:
        return has_positive_solution(rows, net.places) and has_positive_solution(
            _transposed(rows, net.places), len(rows)
        )
    except OutOfWork:
        return None


def _is_free_choice(net: FreeChoiceNet) -> bool:
    cluster: dict[int, frozenset[int]] = {}
    return all(cluster.setdefault(p, takes) == takes for takes in net.takes for p in takes)


def _is_connected(net: FreeChoiceNet) -> bool:
    """Whether every node is linked to every other by arcs in whatever direction."""
    users: list[list[int]] = [[] for _ in range(net.places)]
    around = [takes | puts for takes, puts in zip(net.takes, net.puts, strict=True)]
    for t, places in enumerate(around):
        for p in places:
            users[p].append(t)
    seen, todo = {0}, [0]
    found: set[int] = set()
    while todo:
        for p in around[todo.pop()] - found:
            found.add(p)
            new = [t for t in users[p] if t not in seen]
            seen.update(new)
            todo += new
    return len(seen) == len(net.takes) and len(found) == net.places


def unmarked_siphon(net: FreeChoiceNet) -> set[int]:
    """The largest siphon without a token: each transition that puts into it takes from it."""
    siphon = set(range(net.places)) - net.marked
    inside = [len(takes & siphon) for takes in net.takes]
    takers: list[list[int]] = [[] for _ in range(net.places)]
    for t, takes in enumerate(net.takes):
        for p in takes:
            takers[p].append(t)
    todo = [t for t, n in enumerate(inside) if not n]
    while todo:
        for p in net.puts[todo.pop()] & siphon:
            siphon.discard(p)
            for t in takers[p]:
                inside[t] -= 1
                if not inside[t]:
                    todo.append(t)
    return siphon


def rank(rows: Sequence[Row]) -> int:
    """The rank of a sparse integer matrix, exactly: rows are eliminated by the shortest one that is left, and kept
    free of common factors."""
    left = [dict(row) for row in rows if row]
    users: dict[int, set[int]] = {}
    for i, row in enumerate(left):
        for c in row:
            users.setdefault(c, set()).add(i)
    open_rows = set(range(len(left)))
    found = 0
    while open_rows:
        i = min(open_rows, key=lambda i: len(left[i]))
        open_rows.discard(i)
        row = left[i]
        if not row:
            continue
        found += 1
        column = min(row, key=lambda c: (abs(row[c]) != 1, len(users[c])))
        for c in row:
            users[c].discard(i)
        for j in list(users[column]):
            _eliminate(left, users, j, row, column)
    return found


def _eliminate(left: list[Row], users: dict[int, set[int]], j: int, row: Row, column: int) -> None:
    """Add to row ``j`` the multiple of ``row`` that takes ``column`` out of it."""
    other = left[j]
    common = gcd(row[column], other[column])
    times, by = row[column] // common, other[column] // common
    new = {c: v * times for c, v in other.items()}
    for c, v in row.items():
        value = new.get(c, 0) - by * v
        if value:
            new[c] = value
            users[c].add(j)
        else:
            del new[c]
            users[c].discard(j)
    common = gcd(*new.values())
    left[j] = {c: v // common for c, v in new.items()} if common > 1 else new


def has_positive_solution(rows: Sequence[Row], columns: int) -> bool:
    """Whether some x with every entry at least 1 has row·x = 0 for every row. Raises OutOfWork."""
    return positive_solution(rows, columns) is not None


def positive_solution(rows: Sequence[Row], columns: int) -> Tableau | None:
    """A tableau that stands at such an x, None where there is none. Raises OutOfWork."""
    tableau = Tableau(columns, MOST_WORK)
    for v in range(columns):
        tableau.bound(v, -1, 1)
    for row in rows:
        form = tableau.add_row(row)
        if tableau.bound(form, -1, 0) is not None or tableau.bound(form, 1, 0) is not None:
            return None
    return tableau if tableau.check() is None else None


def _transposed(rows: Sequence[Row], columns: int) -> list[Row]:
    turned: list[Row] = [{} for _ in range(columns)]
    for i, row in enumerate(rows):
        for c, v in row.items():
            turned[c][i] = v
    return turned
