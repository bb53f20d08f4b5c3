"""What changes nothing: transitions that put back what they take, places whose tokens nobody changes.

*Idle transition* t, not special: takes what it puts. If it has what it needs at the start, or some other transition
takes at least as much, or puts at least as much, t goes. The same markings are reached. If nothing is dead without t, t
is not dead either: that other transition fires in some run, and before or after it t can. So each condition is
preserved, whatever arcs there are elsewhere.

*Constant place* p, not touched: every transition puts into it what it takes from it, no more than p has at the start,
and p has that at the end, too. It never keeps anybody from firing and is never wrong at the end. So each condition is
preserved; where the whole final marking tells the end, some other place has to be part of it. (A resource becomes
constant when what lies between taking and giving back has been agglomerated.)

*Lifts* a run to itself: the same steps are enabled in the original net. An idle transition may be enabled where nothing
is in the reduced net.
"""

from __future__ import annotations

from petri_cli.soundness.reductions.working import Weights, WorkingNet


def drop_idle_transition(net: WorkingNet, p: int) -> bool:
    """Remove a transition that takes from ``p`` and changes nothing."""
    both = net.takers[p] & net.feeders[p]
    for t in both:
        if net.takes[t] == net.puts[t] and not net.special[t] and _fires(net, p, t):
            net.remove_transition(t)
            return True
    return False


def _fires(net: WorkingNet, p: int, t: int) -> bool:
    """Whether ``t`` is known to fire in some run if no other transition is dead."""
    needed = net.takes[t]
    if all(net.initial[q] >= k for q, k in needed.items()):
        return True
    return any(u != t and _covers(net.takes[u], needed) for u in net.takers[p]) or any(
        u != t and _covers(net.puts[u], needed) for u in net.feeders[p]
    )


def _covers(high: Weights, low: Weights) -> bool:
    return all(high.get(p, 0) >= k for p, k in low.items())


def drop_constant_place(net: WorkingNet, p: int) -> bool:
    """Remove ``p`` if its tokens never change and suffice for everybody."""
    takers = net.takers[p]
    if takers != net.feeders[p] or net.touched[p] or p == net.sink:
        return False
    tokens = net.initial[p]
    if net.final[p] != tokens or (tokens and net.sink is None and not told_without(net, p)):
        return False
    for t in takers:
        if net.takes[t][p] != net.puts[t][p] or net.takes[t][p] > tokens:
            return False
    net.remove_place(p)
    return True


def told_without(net: WorkingNet, p: int) -> bool:
    """Whether the final marking has a token elsewhere."""
    return any(n and net.places[q] and q != p for q, n in enumerate(net.final))
