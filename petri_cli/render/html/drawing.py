"""What a page needs to draw a net: its elements, its arcs, and in each block the columns in which its members stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from petri_cli.formats.layout import lay_out
from petri_cli.net.firing import Step, replay
from petri_cli.net.model import Net, PlaceOut, Transition, leaves
from petri_cli.plan.fragments import Lowered
from petri_cli.plan.model import Plan
from petri_cli.render.html.blocks import Block, blocks_of
from petri_cli.render.origins import Origins
from petri_cli.render.words import Words

MOST_DRAWN = 3_000
"""Places and transitions of a net without blocks that are drawn; of a larger one, those about its run."""
MAX_STEPS = 5_000
RESOURCE = "r."

Json = dict[str, Any]


def draw_plan(plan: Plan, lowered: Lowered) -> Json:
    """The drawing of a plan, as nested blocks."""
    net = lowered.net
    blocks = blocks_of(plan, lowered)
    words, origins = Words(net, plan=True), Origins(plan)
    names: Json = {}
    for task in plan.tasks():
        if task.name and task.name != task.id:
            names[task.id] = task.name
    elements = _Elements(net, blocks)
    transitions = []
    for t in net.transitions:
        deed = words.deed(t.id)
        node = origins.node(t.id)
        short = t.id.removeprefix("t.") if deed.kind == "task" else _short(t.id, deed.text)
        entry = {"id": t.id, "label": short, "kind": deed.kind, "line": node.where.line if node is not None else 0}
        if deed.kind == "task" and node is not None and node.id in names:
            entry["name"] = names[node.id]
        transitions.append(entry)
    return elements.data(transitions, blocks)


def draw_net(net: Net, run: Iterable[Step] = ()) -> Json:
    """The drawing of a net: one block; of a very large one only what its run touches, and ``left`` says how much is
    left out."""
    left = 0
    if len(net.places) + len(net.transitions) > MOST_DRAWN:
        net, left = _about(net, {s.transition for s in run})
    places = [p.id for p in net.all_places() if not p.id.startswith(RESOURCE)]
    block = Block("net", net.name or net.id, -1, 0, [*places, *(t.id for t in net.transitions)])
    transitions = [{"id": t.id, "label": t.name or t.id, "kind": "net", "line": 0} for t in net.transitions]
    return {**_Elements(net, [block]).data(transitions, [block]), "left": left}


def steps_data(net: Net, run: Sequence[Step], told: Sequence[str]) -> list[Json]:
    """The steps of a run: what fires, in words, and by how many tokens each place changes. Of a very long run the last
    ones; the first entry then says the marking before them."""
    markings = replay(net, run)
    first = max(0, len(run) - MAX_STEPS)
    data = []
    for k, step in enumerate(run[first:], first):
        before, after = markings[k], markings[k + 1]
        change = {p: after.get(p, 0) - before.get(p, 0) for p in sorted(before.keys() | after.keys())}
        text = told[k] if k < len(told) else step.transition
        data.append({"t": step.transition, "n": k + 1, "told": text, "change": {p: d for p, d in change.items() if d}})
    if first:
        data[0]["from"] = dict(sorted(markings[first].items()))
    return data


def _short(tid: str, text: str) -> str:
    """A word or two for a step of control: its box is small."""
    for begin, sign in (("takes ", "take "), ("gives back ", "free ")):
        if text.startswith(begin):
            return sign + text.removeprefix(begin)
    verb = tid.rpartition(".")[2].partition("[")[0]
    return verb if not verb.isdigit() else f"branch {verb}"


def _about(net: Net, fired: set[str]) -> tuple[Net, int]:
    """The part of ``net`` that a run touches: the transitions that fire, and all places on their arcs."""
    from dataclasses import replace

    transitions = tuple(t for t in net.transitions if t.id in fired)[:MOST_DRAWN]
    near = {p for t in transitions for p, _, _ in _arcs(t)}
    places = tuple(p for p in net.places if p.id in near)
    left = len(net.places) + len(net.transitions) - len(places) - len(transitions)
    initial = {p: n for p, n in net.initial.items() if p in near}
    final = {p: n for p, n in (net.final or {}).items() if p in near}
    return replace(net, places=places, transitions=transitions, initial=initial, final=final), left


def _arcs(t: Transition) -> list[tuple[str, str, int]]:
    """(place, ``in``, ``out``, ``read``, ``inhibit`` or ``reset``, how many), each pair once."""
    arcs: dict[tuple[str, str], int] = {}
    for i in t.inputs:
        arcs[i.place, "in"] = i.count
    for kind, places in (("read", t.reads), ("inhibit", t.inhibitors), ("reset", t.resets)):
        for p in places:
            arcs.setdefault((p, kind), 1)
    for leaf in leaves(t.output):
        target = leaf.place if isinstance(leaf, PlaceOut) else leaf.target
        count = leaf.count if isinstance(leaf, PlaceOut) else 1
        arcs[target, "out"] = max(count, arcs.get((target, "out"), 0))
    return [(place, kind, count) for (place, kind), count in arcs.items()]


class _Elements:
    """Numbers for places and transitions, and the layout of each block."""

    def __init__(self, net: Net, blocks: Sequence[Block]) -> None:
        self.net = net
        self.places = [p for p in net.all_places()]
        self.number = {p.id: k for k, p in enumerate(self.places)}
        for t in net.transitions:
            self.number[t.id] = len(self.number)
        self.holder: dict[str, int] = {}
        for k, block in enumerate(blocks):
            for member in block.inside:
                if isinstance(member, str):
                    self.holder[member] = k
        self.depth = [0] * len(blocks)
        for k, block in enumerate(blocks[1:], 1):
            self.depth[k] = self.depth[block.parent] + 1

    def data(self, transitions: list[Json], blocks: Sequence[Block]) -> Json:
        arcs: list[list[Any]] = []
        inner: list[dict[tuple[str | int, str | int], None]] = [{} for _ in blocks]
        for t in self.net.transitions:
            for place, kind, count in _arcs(t):
                there = [self.number[place], self.number[t.id]] if kind != "out" else [
                    self.number[t.id], self.number[place]
                ]  # fmt: skip
                arcs.append([*there, count] if kind in ("in", "out") else [*there, count, kind])
                if place in self.holder and t.id in self.holder:
                    block, a, b = self.meeting(place, t.id, blocks)
                    if a != b:
                        inner[block][(a, b) if kind != "out" else (b, a)] = None
        final = self.net.final or {}
        return {
            "places": [
                {"id": p.id, **({"name": p.name} if p.name and p.name != p.id else {}), **_ends(final.get(p.id, 0))}
                for p in self.places
            ],
            "transitions": transitions,
            "arcs": arcs,
            "initial": dict(sorted((p, n) for p, n in self.net.initial.items() if n)),
            "blocks": [self.block(b, inner[k], flat=b.kind == "net") for k, b in enumerate(blocks)],
        }

    def meeting(self, one: str, other: str, blocks: Sequence[Block]) -> tuple[int, str | int, str | int]:
        """The innermost block around both, and its members that they are, or are inside of."""
        a: str | int = one
        b: str | int = other
        at, to = self.holder[one], self.holder[other]
        while at != to:
            if self.depth[at] >= self.depth[to]:
                a, at = at, blocks[at].parent
            else:
                b, to = to, blocks[to].parent
        return at, a, b

    def block(self, b: Block, edges: Iterable[tuple[str | int, str | int]], *, flat: bool) -> Json:
        """cells: for each member its number (−1 − index of a block), its column, and its height in the column: in rows
        where blocks stand inside each other, in pixels where there is one."""
        keys = [str(m) if isinstance(m, str) else f"\0{m}" for m in b.inside]
        pairs = [tuple(str(x) if isinstance(x, str) else f"\0{x}" for x in e) for e in edges]
        room = {k: (58.0 if flat else 1.0) for k in keys}
        layout = lay_out(keys, [(x, y) for x, y in pairs], room, 16.0 if flat else 0.0)
        cells = []
        for member, key in zip(b.inside, keys, strict=True):
            number = self.number[member] if isinstance(member, str) else -1 - member
            cells.append([number, layout.layer[key], round(layout.y[key], 2)])
        data: Json = {"kind": b.kind, "title": b.title, "parent": b.parent, "cells": cells}
        if b.line:
            data["line"] = b.line
        if flat:
            data["flat"] = True
            data["bends"] = {
                f"{self.number[str(pairs[i][0])]},{self.number[str(pairs[i][1])]}": [[c, round(y, 1)] for c, y in way]
                for i, way in layout.bends.items()
                if way
            }
        return data


def _ends(n: int) -> Mapping[str, int]:
    return {"final": n} if n else {}
