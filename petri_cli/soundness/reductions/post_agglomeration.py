"""Post-agglomeration: a place that is only ever left by steps that need it alone is passed at once (Berthelot 1987;
with one consumer Murata's fusion of series transitions, 1989, and the first rule of Desel & Esparza, 1995, chapter 7).

Place p, empty at the start and at the end and not touched by a special arc. Each transition u that takes from p takes
nothing else, is not special, feeds no place that is touched, and feeds at least one place that is no resource. No
transition feeds p and takes from it. Either there is one u, which takes k tokens, and each feeder t puts a multiple of
k: then t becomes t followed by u so many times. Or each u takes one token, each t puts one and is not special: then
there is a step for each pair of them.

*Preserves* each of the three conditions, both ways, whatever arcs there are elsewhere.

Argument. A run of the original net stays one when every u moves up to the t that made its token: u needs p alone, it
only adds to places that nobody inhibits, drains or resets, and what is there earlier keeps nobody from firing. So for
each marking M that the original reaches, and each way to move the tokens in p on, the reduced net reaches the marking
M' that this leads to; and the reduced net reaches nothing that the original does not.
*Option to complete*: M leads to M' and from there, in the reduced net, to f. Conversely a run of the original from a
marking without a token in p to f, which has none either, is one of the reduced net. *Proper completion*: let M have the
end marked and M ≠ f. So has M'. If p is empty in M then M' = M. Else some u has put a token into q, no resource: where
the sink tells the end, M' has two tokens on it or one where f has none; where all of f does, M' is above M, which is at
least f. So M' ≠ f. *Dead transitions*: u fires in some run iff some t does, and then the step from both. ∎

*Lifts* a step to t followed by u. At a marking of the reduced net p is empty.
"""

from __future__ import annotations

from petri_cli.soundness.reductions.working import WorkingNet

MOST_MORE = 8
"""Arcs by which the net may grow in one step."""
MOST_PAIRS = 8
"""Steps that may take the place of the feeders and takers of a place."""


def agglomerate_after(net: WorkingNet, p: int) -> bool:
    """Pass ``p`` at once, if the rule applies."""
    takers, feeders = net.takers[p], net.feeders[p]
    if net.held[p] or not takers or not feeders:
        return False
    if len(takers) == 1:
        (u,) = takers
        if len(net.takes[u]) > 1 or u in feeders or not may_move_up(net, u):
            return False
        weight = net.takes[u][p]
        if weight > 1 and any(net.puts[t][p] % weight for t in feeders):
            return False
        if len(feeders) * len(net.puts[u]) > len(feeders) + len(net.puts[u]) + MOST_MORE:
            return False
        _append(net, p, u)
        return True
    if len(feeders) > 1:
        return False
    (t,) = feeders
    if net.special[t] or net.puts[t] != {p: 1} or t in takers or not all(_is_exit(net, u, p) for u in takers):
        return False
    if _growth(net, p) > MOST_MORE:
        return False
    _prepend(net, p, t)
    return True


def agglomerate_pairs(net: WorkingNet, p: int) -> bool:
    """The same where there are several feeders and several takers. The net gets no simpler by it at first, so this is
    for when nothing else applies: it takes the jumps out of flows without parallel branches."""
    takers, feeders = net.takers[p], net.feeders[p]
    if net.held[p] or not takers or not feeders or takers & feeders or len(takers) * len(feeders) > MOST_PAIRS:
        return False
    if any(net.special[t] or net.puts[t][p] != 1 for t in feeders) or not all(_is_exit(net, u, p) for u in takers):
        return False
    if _growth(net, p) > MOST_MORE:
        return False
    _pair(net, p)
    return True


def _is_exit(net: WorkingNet, u: int, p: int) -> bool:
    return len(net.takes[u]) == 1 and net.takes[u][p] == 1 and may_move_up(net, u)


def _growth(net: WorkingNet, p: int) -> int:
    """How many arcs more there are when each feeder of ``p`` is followed by each taker."""
    before = [len(net.takes[t]) + len(net.puts[t]) for t in net.feeders[p]]
    after = [len(net.puts[u]) for u in net.takers[p]]
    arcs = sum(before) + sum(after) + len(after)
    return (sum(before) - len(before)) * len(after) + sum(after) * len(before) - arcs


def may_move_up(net: WorkingNet, u: int) -> bool:
    """Whether firing ``u`` earlier hinders nobody, and leaves something that is no resource."""
    if net.special[u]:
        return False
    keeps = False
    for q in net.puts[u]:
        if net.touched[q]:
            return False
        if not net.resource[q]:
            keeps = True
    return keeps


def _append(net: WorkingNet, p: int, u: int) -> None:
    """Let every feeder of ``p`` do what ``u`` does, too."""
    gained = net.puts[u]
    then = net.expansion[u]
    weight = net.takes[u][p]
    net.transitions[u] = 0
    for q in gained:
        net.feeders[q].discard(u)
        net.look_again(q)
    for t in net.feeders[p]:
        puts = net.puts[t]
        times = puts.pop(p) // weight
        for q, k in gained.items():
            puts[q] = puts.get(q, 0) + k * times
            net.feeders[q].add(t)
        net.expansion[t] = (net.expansion[t], then, times)
        net.look_around(t)
    net.feeders[p] = set()
    net.takers[p] = set()
    net.places[p] = 0


def _prepend(net: WorkingNet, p: int, t: int) -> None:
    """Let every taker of ``p`` do first what ``t`` does."""
    needed = net.takes[t]
    first = net.expansion[t]
    net.transitions[t] = 0
    for q in needed:
        net.takers[q].discard(t)
        net.look_again(q)
    for u in net.takers[p]:
        net.takes[u] = dict(needed)
        for q in needed:
            net.takers[q].add(u)
        net.expansion[u] = (first, net.expansion[u], 1)
        net.look_around(u)
    net.feeders[p] = set()
    net.takers[p] = set()
    net.places[p] = 0


def _pair(net: WorkingNet, p: int) -> None:
    """Replace the feeders and takers of ``p`` by one step for each pair of them."""
    feeders, takers = net.feeders[p], net.takers[p]
    for t in feeders:
        for u in takers:
            puts = {q: k for q, k in net.puts[t].items() if q != p}
            for q, k in net.puts[u].items():
                puts[q] = puts.get(q, 0) + k
            net.add_transition(dict(net.takes[t]), puts, (net.expansion[t], net.expansion[u], 1))
    net.feeders[p] = set()
    net.takers[p] = set()
    net.places[p] = 0
    for t in (*feeders, *takers):
        net.replace_transition(t, p)
