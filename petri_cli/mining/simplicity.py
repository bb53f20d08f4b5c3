"""Simplicity of a net by the degree of its nodes.

F. R. Blum, "Metrics in process discovery", 2015: the mean number of arcs at a place or transition, against two, which
is what a plain sequence has.
"""

from __future__ import annotations

from petri_cli.net.model import Net, PlaceOut, leaves


def simplicity(net: Net) -> float:
    """1 / (1 + max(mean degree − 2, 0)): 1 for a sequence, less the more arcs a place or transition has.

    An arc counts once, whatever its weight; an arc that several outcomes of a transition share, once. 1 without nodes.
    """
    nodes = len(net.all_places()) + len(net.transitions)
    if not nodes:
        return 1.0
    arcs = 0
    for t in net.transitions:
        outputs = {leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves(t.output)}
        arcs += len({i.place for i in t.inputs}) + len(outputs)
        arcs += len(set(t.reads)) + len(set(t.inhibitors)) + len(set(t.resets))
    return 1 / (1 + max(2 * arcs / nodes - 2, 0.0))
