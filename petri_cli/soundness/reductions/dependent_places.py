"""Dependent places: what a place holds follows from what others hold, and never keeps anybody from firing (Berthelot
1987, implicit places; the second rule of Desel & Esparza, 1995, chapter 7; here with exact weights y by simplex).

Place p, not touched, neither the sink nor all that the end is told by. For each transition t that takes from p there
are y ≥ 0 on other places that are not touched with C(p) = Σ y·C(q) for the effects C of every transition: M(p) is then
Σ y·M(q) + d in each reachable marking M, with d = m₀(p) − Σ y·m₀(q). What t takes from p is at most Σ y·W(q,t) + d,
for the weights W of its other inputs. And f(p) = Σ y·f(q) + d. Then p goes.

*Preserves* each of the three conditions, both ways, whatever arcs there are elsewhere: the same steps are possible, for
where the other places have enough for t, p has Σ y·M(q) + d ≥ Σ y·W(q,t) + d. A marking is the final one, or has the
end marked, iff it does without p.

A resource that is only taken while another one is held goes this way. Looking for y costs more than the other rules, so
only places are tried whose takers differ in what else they take; in a free-choice net there are none.

*Lifts* a run to itself: the same steps are enabled in the original net.
"""

from __future__ import annotations

from petri_cli.soundness.linear.simplex import OutOfWork, Tableau
from petri_cli.soundness.reductions.idle import told_without
from petri_cli.soundness.reductions.working import WorkingNet

ENTRY = 8
"""Entries touched in the time that one takes to be written down."""
MOST_AROUND = 600
"""Places of the net up to which all are looked at; in larger ones only the neighbours of a place's neighbours."""


def drop_dependent_place(net: WorkingNet, p: int) -> bool:
    """Remove ``p`` if what it holds follows from what others hold."""
    takers = net.takers[p]
    if net.effort <= 0 or len(takers) < 2 or net.touched[p]:
        return False
    if net.final[p] and net.sink is None and not told_without(net, p):
        return False
    beside = [{q for q in net.takes[t] if q != p} for t in takers]
    if all(other == beside[0] for other in beside):
        return False
    near = {q for t in takers | net.feeders[p] for q in (*net.takes[t], *net.puts[t])}
    there = [q for q, there in enumerate(net.places) if there]
    others = [q for q in (there if len(there) <= MOST_AROUND else sorted(near)) if q != p and not net.touched[q]]
    system = _System(net, p, others)
    try:
        if not all(system.suffices(t) for t in takers):
            return False
    except OutOfWork:
        return False
    finally:
        net.effort -= system.work
    net.remove_place(p)
    return True


class _System:
    """The equations for weights y on ``others`` that tell what ``p`` holds."""

    def __init__(self, net: WorkingNet, p: int, others: list[int]) -> None:
        self._net, self._p, self._others = net, p, others
        self._tableau = Tableau(len(others), net.effort)
        self._entries = 0
        effects: dict[int, dict[int, int]] = {t: {} for t in net.takers[p] | net.feeders[p]}
        for v, q in enumerate(others):
            self._tableau.bound(v, -1, 0)
            for t in net.takers[q] | net.feeders[q]:
                effects.setdefault(t, {})[v] = _effect(net, q, t)
        ends = {v: net.initial[q] - net.final[q] for v, q in enumerate(others)}
        same = [(row, _effect(net, p, t)) for t, row in effects.items()]
        same.append((ends, net.initial[p] - net.final[p]))
        self._solvable = all(self._ask(row, value, (-1, 1)) for row, value in same)

    @property
    def work(self) -> int:
        """Entries touched; writing one down takes as long as touching several later."""
        return self._tableau.work + ENTRY * self._entries

    def suffices(self, t: int) -> bool:
        """Whether there are weights by which ``p`` has enough for ``t`` where its other inputs have.

        Raises OutOfWork.
        """
        net, p, tableau = self._net, self._p, self._tableau
        if not self._solvable:
            return False
        row = {v: net.takes[t].get(q, 0) - net.initial[q] for v, q in enumerate(self._others)}
        mark = tableau.mark()
        feasible = self._ask(row, net.takes[t][p] - net.initial[p], (-1,)) and tableau.check() is None
        tableau.undo(mark)
        return feasible

    def _ask(self, row: dict[int, int], value: int, sides: tuple[int, ...]) -> bool:
        """Bound a linear form by ``value``; False where that contradicts a bound that it has."""
        row = {v: c for v, c in row.items() if c}
        if not row:
            return all(value * side >= 0 for side in sides)
        self._entries += len(row)
        form = self._tableau.add_row(row)
        return all(self._tableau.bound(form, side, value) is None for side in sides)


def _effect(net: WorkingNet, p: int, t: int) -> int:
    return net.puts[t].get(p, 0) - net.takes[t].get(p, 0)
