"""Where the nodes of a drawing go: layers from left to right, few crossings, short edges.

The method is that of layered drawings (Sugiyama, Tagawa & Toda, IEEE Trans. SMC 11(2), 1981): edges that close a cycle
are turned round, a node stands one layer behind its last predecessor, long edges get a bend in each layer they cross,
layers are ordered by the mean place of their neighbours, and within that order each node moves as close to its
neighbours as the room allows (least squares, by pooling adjacent violators).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

SWEEPS = 6
"""How often layers are ordered there and back; more changes little."""

MAX_BENDS = 20_000
"""With more bends than this, long edges go straight."""

BEND = 14.0
"""The height that an edge takes where it passes a layer."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns and heights. ``layer`` counts from 0; ``y`` is the middle of a node, from 0 downwards.

    bends: for the edge at an index, the (layer, y) that it passes through, from its source to its target.
    """

    layer: Mapping[str, int]
    y: Mapping[str, float]
    bends: Mapping[int, tuple[tuple[int, float], ...]]
    height: float


def lay_out(
    nodes: Sequence[str], edges: Sequence[tuple[str, str]], height: Mapping[str, float], bend_height: float = BEND
) -> Layout:
    """The layout of ``nodes`` (in the order in which to begin) and ``edges``; ``height`` is the room a node takes, and
    ``bend_height`` that of an edge where it passes a layer.

    The same input gives the same layout. Work is linear in edges and bends, but for sorting.
    """
    forward = _acyclic(nodes, edges)
    layer = _layers(nodes, forward)
    chains = _chains(forward, layer)
    room = dict(height)
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for n in nodes:
        rows[layer[n]].append(n)
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for chain in chains.values():
        for k, bend in enumerate(chain[1:-1], 1):
            rows[layer[chain[0]] + k].append(bend)
            room[bend] = bend_height
        for a, b in pairwise(chain):
            after.setdefault(a, []).append(b)
            before.setdefault(b, []).append(a)
    for _ in range(SWEEPS):
        _order(rows, before)
        _order(rows[::-1], after)
    y = _heights(rows, before, after, room)
    top = min((y[n] - room[n] / 2 for n in y), default=0.0)
    y = {n: at - top for n, at in y.items()}
    bends: dict[int, tuple[tuple[int, float], ...]] = {}
    for i, chain in chains.items():
        way = tuple((layer[chain[0]] + k, y[b]) for k, b in enumerate(chain[1:-1], 1))
        bends[i] = way if chain[0] == edges[i][0] else way[::-1]
    return Layout(layer, {n: y[n] for n in nodes}, bends, max((y[n] + room[n] / 2 for n in y), default=0.0))


def _acyclic(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[tuple[int, str, str]]:
    """(index, from, to) of each edge but loops, those turned round that lead back in a depth-first search."""
    out: dict[str, list[tuple[int, str]]] = {n: [] for n in nodes}
    entered = set()
    for i, (a, b) in enumerate(edges):
        if a != b:
            out[a].append((i, b))
            entered.add(b)
    done: set[str] = set()
    open_: set[str] = set()
    turned: set[int] = set()
    for root in [*(n for n in nodes if n not in entered), *nodes]:
        if root in done:
            continue
        stack = [(root, iter(out[root]))]
        open_.add(root)
        while stack:
            node, rest = stack[-1]
            for i, b in rest:
                if b in open_:
                    turned.add(i)
                elif b not in done:
                    open_.add(b)
                    stack.append((b, iter(out[b])))
                    break
            else:
                stack.pop()
                open_.discard(node)
                done.add(node)
    return [(i, b, a) if i in turned else (i, a, b) for i, (a, b) in enumerate(edges) if a != b]


def _layers(nodes: Sequence[str], forward: Iterable[tuple[int, str, str]]) -> dict[str, int]:
    """The longest way to each node from one without predecessors; those are put next to their first successor."""
    after: dict[str, list[str]] = {n: [] for n in nodes}
    waiting = dict.fromkeys(nodes, 0)
    for _, a, b in forward:
        after[a].append(b)
        waiting[b] += 1
    sources = [n for n in nodes if not waiting[n]]
    layer = dict.fromkeys(nodes, 0)
    queue = list(sources)
    for n in queue:
        for b in after[n]:
            layer[b] = max(layer[b], layer[n] + 1)
            waiting[b] -= 1
            if not waiting[b]:
                queue.append(b)
    for n in sources:
        if after[n]:
            layer[n] = min(layer[b] for b in after[n]) - 1
    return layer


def _chains(forward: Sequence[tuple[int, str, str]], layer: Mapping[str, int]) -> dict[int, list[str]]:
    """For each edge the nodes and bends that it goes through, from the left to the right."""
    bends = sum(layer[b] - layer[a] - 1 for _, a, b in forward)
    if bends > MAX_BENDS:
        return {i: [a, b] for i, a, b in forward}
    return {i: [a, *(f"\0{i}.{k}" for k in range(1, layer[b] - layer[a])), b] for i, a, b in forward}


def _order(rows: Sequence[list[str]], before: Mapping[str, Sequence[str]]) -> None:
    """Sort each row by the mean place of its neighbours in the rows before it; who has none stays where it is."""
    place: dict[str, float] = {}
    for row in rows:
        here = {n: k / max(1, len(row) - 1) for k, n in enumerate(row)}
        for n in row:
            known = [place[p] for p in before.get(n, ()) if p in place]
            place[n] = sum(known) / len(known) if known else here[n]
        row.sort(key=lambda n: place[n])
        place |= {n: k / max(1, len(row) - 1) if len(row) > 1 else 0.5 for k, n in enumerate(row)}


def _heights(
    rows: Sequence[Sequence[str]],
    before: Mapping[str, Sequence[str]],
    after: Mapping[str, Sequence[str]],
    room: Mapping[str, float],
) -> dict[str, float]:
    """The height of each node: close to its neighbours on both sides in turn, in the order of its row."""
    y: dict[str, float] = {}
    for row in rows:
        _settle(row, dict.fromkeys(row, 0.0), room, y)
    for turn in range(2 * SWEEPS):
        beside = before if turn % 2 == 0 else after
        for row in rows if turn % 2 == 0 else reversed(rows):
            wish = {}
            for n in row:
                near = beside.get(n) or after.get(n) or before.get(n) or (n,)
                wish[n] = sum(y[p] for p in near) / len(near)
            _settle(row, wish, room, y)
    return y


def _settle(row: Sequence[str], wish: Mapping[str, float], room: Mapping[str, float], y: dict[str, float]) -> None:
    """Give the nodes of a row the heights nearest to their wishes (least squares) that leave each its room."""
    offset, at = [], 0.0
    for k, n in enumerate(row):
        at += (room[row[k - 1]] + room[n]) / 2 if k else 0.0
        offset.append(at)
    blocks: list[tuple[float, int]] = []
    for k, n in enumerate(row):
        mean, size = wish[n] - offset[k], 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    k = 0
    for mean, size in blocks:
        for _ in range(size):
            y[row[k]] = mean + offset[k]
            k += 1
