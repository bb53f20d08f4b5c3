"""Parallel transitions and parallel places: of two that do the same, one is enough (Murata 1989; Berthelot 1987).

*Transitions* t and u, not special, with the same arcs: u goes. The same markings are reached by the same steps but for
the name, and t is dead iff u is. So each condition is preserved, whatever arcs there are elsewhere.

*Places* p and q, not touched, with the same arcs: what p has more than q never changes. If that is at least nothing
and the same at the start and at the end, p goes: wherever q has enough for a step, p has, and the end is marked on p
iff it is on q. So each condition is preserved.

*Lifts* a run to itself: the same steps are enabled in the original net.
"""

from __future__ import annotations

from petri_cli.soundness.reductions.working import WorkingNet

Known = dict[tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]], int]
"""The transition that was last seen with these arcs."""


def drop_parallel_transition(net: WorkingNet, t: int, known: Known) -> bool:
    """Remove ``t`` if there is another transition with the same arcs; remember it otherwise."""
    if net.special[t]:
        return False
    takes, puts = net.takes[t], net.puts[t]
    key = frozenset(takes.items()), frozenset(puts.items())
    other = known.setdefault(key, t)
    if other == t:
        return False
    if net.transitions[other] and net.takes[other] == takes and net.puts[other] == puts:
        net.remove_transition(t)
        return True
    known[key] = t
    return False


def drop_parallel_place(net: WorkingNet, p: int) -> bool:
    """Remove ``p``, or a place with the same arcs."""
    takers, feeders = net.takers[p], net.feeders[p]
    if not takers or net.touched[p]:
        return False
    beside: dict[int, int] | None = None
    for t in takers:
        if beside is None or len(net.takes[t]) < len(beside):
            beside = net.takes[t]
    for t in feeders:
        if beside is None or len(net.puts[t]) < len(beside):
            beside = net.puts[t]
    for q in beside or ():
        if q != p and net.takers[q] == takers and net.feeders[q] == feeders and _alike(net, p, q):
            more = net.initial[p] - net.initial[q]
            if net.final[p] - net.final[q] == more and not net.touched[q]:
                net.remove_place(p if more >= 0 else q)  # nobody takes from the sink, so it is neither
                return True
    return False


def _alike(net: WorkingNet, p: int, q: int) -> bool:
    """Whether the arcs of ``p`` and ``q``, which have the same neighbours, have the same weights."""
    return all(net.takes[t][p] == net.takes[t][q] for t in net.takers[p]) and all(
        net.puts[t][p] == net.puts[t][q] for t in net.feeders[p]
    )
