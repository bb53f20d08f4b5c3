"""Pre-agglomeration: a step that nobody can prevent any more is put off until what it gives is needed (Berthelot 1987;
with one input Murata's fusion of series places, 1989).

Place p, empty at the start and at the end and not touched by a special arc, is fed by one transition t alone. It puts
one token there and nothing else, does not take from p, is not special and takes something. From the places that t takes
from nothing but t takes, they are not touched, and they are empty at the end. Each u that takes w tokens from p takes w
times what t takes, instead. Either there is one u, or t takes from one place: else the net would grow.

*Preserves* each of the three conditions, both ways, whatever arcs there are elsewhere, those of u included.

Argument. For a marking M of the original let M' be M with each token in p turned back into what t took for it. If the
original reaches M, the reduced net reaches M': t is put off, which changes nothing for anybody but the u, since nobody
else takes, reads, inhibits, drains or resets what t takes and gives. What the reduced net reaches the original reaches,
firing t as often as needed just before u. *Option to complete*: if the reduced net gets from M' to f by σ, the original
gets from M, using the tokens in p first, to f but for tokens in p that stand for tokens in what t takes from, where f
has none: to f. Conversely, M = M' when p is empty. *Proper completion*: M' has the end marked when M has, and if p is
marked in M then M' has tokens where f has none. *Dead transitions*: u fires in the one iff it fires in the other; t
fires before it. ∎

*Lifts* a step u to t, w times, followed by u. At the end of a lifted run, t may be enabled where nothing is in the
reduced net: then it is fired until it is not.
"""

from __future__ import annotations

from petri_cli.soundness.reductions.working import WorkingNet


def agglomerate_before(net: WorkingNet, p: int) -> bool:
    """Put off the only feeder of ``p``, if the rule applies."""
    takers, feeders = net.takers[p], net.feeders[p]
    if net.held[p] or len(feeders) != 1 or not takers:
        return False
    (t,) = feeders
    needed = net.takes[t]
    if net.special[t] or net.puts[t] != {p: 1} or t in takers or not needed or (len(needed) > 1 and len(takers) > 1):
        return False
    for q in needed:
        if len(net.takers[q]) > 1 or net.touched[q] or net.final[q]:
            return False
    _put_off(net, p, t)
    return True


def _put_off(net: WorkingNet, p: int, t: int) -> None:
    needed = net.takes[t]
    first = net.expansion[t]
    net.transitions[t] = 0
    for q in needed:
        net.takers[q] = set()
        net.look_again(q)
    for u in net.takers[p]:
        takes = net.takes[u]
        times = takes.pop(p)
        for q, k in needed.items():
            takes[q] = k * times
            net.takers[q].add(u)
        before = first if times == 1 else (first, first, times - 1)
        net.expansion[u] = (before, net.expansion[u], 1)
        net.look_around(u)
    net.feeders[p] = set()
    net.takers[p] = set()
    net.places[p] = 0
