"""Nets in one line: ``short_net("split: i -> a b; join: a b -> o", i=1)``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition


def short_net(text: str, changes: dict[str, dict[str, Any]] | None = None, **initial: int) -> Net:
    """A place/transition net: ``transition: inputs -> outputs`` separated by ``;``, a weight as ``2*p``.

    changes: transition id → fields of :class:`Transition` to replace; initial: tokens by place.
    """
    transitions, places = [], dict.fromkeys(initial)
    for line in text.split(";"):
        tid, _, arcs = (part.strip() for part in line.partition(":"))
        ins, outs = ([_weighted(w) for w in side.split()] for side in arcs.split("->"))
        places |= dict.fromkeys(p for p, _ in (*ins, *outs))
        leaves = tuple(PlaceOut(p, k) for p, k in outs)
        output: Output | None = AndOut(leaves) if len(leaves) > 1 else (leaves[0] if leaves else None)
        t = Transition(tid, tuple(Input(p, Cardinality.EXACTLY, k) if k > 1 else Input(p) for p, k in ins), output)
        transitions.append(replace(t, **(changes or {}).get(tid, {})))
    for t in transitions:
        places |= dict.fromkeys((*t.reads, *t.inhibitors, *t.resets))
    return Net("short", tuple(Place(p) for p in places), tuple(transitions), initial)


def _weighted(word: str) -> tuple[str, int]:
    count, star, place = word.partition("*")
    return (place, int(count)) if star else (word, 1)
