"""Small plans in which guards get in each other's way: the documents that the gate's provers are checked on.

A third of what is drawn deadlocks. Four resources at most, up to three units, every kind of node, literal lists,
``maxWidth``, guards on several resources, quotas.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

Document = dict[str, Any]


@st.composite
def contended_plans(draw: st.DrawFn, depth: int = 4) -> Document:
    """A plan document. Drawn through a seeded generator: shrinking makes plans less deep and seeds smaller."""
    levels = draw(st.integers(2, depth))
    seed = draw(st.integers(0, 2**32))
    return contended_plan(random.Random(seed), levels)  # noqa: S311  nothing secret


def contended_plan(rng: random.Random, depth: int, *, fan_out: bool = False) -> Document:
    """A plan of at most ``depth`` levels; with ``fan_out`` its root is a foreach over what a task finds."""
    names = ["a", "b", "c", "d"][: rng.choice([1, 2, 2, 3, 4])]
    resources = [{"id": r, "capacity": rng.choice([1, 1, 2, 3])} for r in names]
    for r in resources:
        if rng.random() < 0.05:
            r["per"] = "1m"
    flow = _Drawing(rng, names).node(depth)
    if fan_out:
        flow = {"foreach": {"id": "root", "over": "items", "body": flow}}
    return {"name": "drawn", "resources": resources, "flow": flow}


def gated_plan(rng: random.Random) -> Document:
    """Branches that nest locks in any order, most inside a lock of their own: lock cycles, many of them harmless."""
    names = ["a", "b", "c"][: rng.choice([2, 2, 3])]
    resources = [{"id": r, "capacity": rng.choice([1, 1, 1, 2])} for r in [*names, "gate"]]
    drawing = _Drawing(rng, names)
    branches = []
    for _ in range(rng.choice([2, 2, 3, 3, 4])):
        body = drawing.nest(rng.choice([2, 2, 3]))
        if rng.random() < 0.8:
            body = {"guard": {"resource": "gate", "body": body}}
        if rng.random() < 0.2:
            body = {"guard": {"resource": rng.choice(names), "body": body}}
        branches.append(body)
    flow: Document = {"parallel": branches}
    if rng.random() < 0.2:
        flow = {"foreach": {"id": "root", "over": "items", "maxWidth": 2, "body": flow}}
    return {"name": "gated", "resources": resources, "flow": flow}


def items_plan(rng: random.Random) -> Document:
    """Branches that nest guards and foreachs over what is found at run time; every request fits what is left to it."""
    capacity = {r: rng.choice([1, 1, 2, 2, 3]) for r in ["a", "b", "c"][: rng.choice([2, 3])]}
    drawing = _Drawing(rng, list(capacity))
    branches = [drawing.with_items(rng.choice([3, 4, 5]), capacity) for _ in range(rng.choice([2, 2, 3]))]
    resources = [{"id": r, "capacity": n} for r, n in capacity.items()]
    return {"name": "items", "resources": resources, "flow": {"parallel": branches}}


class _Drawing:
    def __init__(self, rng: random.Random, names: list[str]) -> None:
        self.rng = rng
        self.names = names
        self.count = 0

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def nest(self, depth: int) -> Document:
        """Guards in one another, now and then with something before or beside."""
        rng = self.rng
        if depth == 0:
            return {"task": {"id": self.fresh("t")}}
        inner = self.nest(depth - 1)
        if rng.random() < 0.15:
            inner = {rng.choice(["seq", "parallel", "choice"]): [self.nest(1), inner]}
        return {"guard": {"resource": rng.choice(self.names), "body": inner}}

    def with_items(self, depth: int, left: dict[str, int]) -> Document:
        """Guards, foreachs and seqs; ``left``: units that the guards around leave."""
        rng, free = self.rng, [r for r, n in left.items() if n]
        kind = rng.choice(["guard", "guard", "guard", "foreach", "foreach", "seq"]) if depth else "task"
        if kind == "guard" and free:
            r = rng.choice(free)
            units = rng.choice([1, 1, 1, left[r]])
            body = self.with_items(depth - 1, {**left, r: left[r] - units})
            return {"guard": {"resource": r, "units": units, "body": body}}
        if kind == "foreach":
            return {"foreach": {"id": self.fresh("f"), "over": "items", "body": self.with_items(depth - 1, left)}}
        if kind == "seq":
            return {"seq": [self.with_items(depth - 1, left) for _ in range(2)]}
        return {"task": {"id": self.fresh("t")}}

    def node(self, depth: int) -> Document:
        rng = self.rng
        if depth == 0 or rng.random() < 0.1:
            return {"task": {"id": self.fresh("t")}}
        kind = rng.choice(["seq", "parallel", "parallel", "choice", "loop", "foreach", *["guard"] * 5])
        if kind in ("seq", "parallel", "choice"):
            return {kind: [self.node(depth - 1) for _ in range(rng.choice([2, 2, 2, 3]))]}
        body = self.node(depth - 1)
        if kind == "loop":
            return {"loop": {"id": self.fresh("l"), "maxIterations": rng.choice([1, 2]), "body": body}}
        if kind == "foreach":
            over: Any = rng.choice(["items", "items", "items", [], ["x"], ["x", "y"], ["x", "y", "z"]])
            each: Document = {"id": self.fresh("f"), "over": over, "body": body}
            if rng.random() < 0.3 and isinstance(over, str):
                each["maxWidth"] = rng.choice([1, 2, 3])
            return {"foreach": each}
        chosen = rng.sample(self.names, min(len(self.names), rng.choice([1, 1, 1, 2])))
        units = rng.choice([1, 1, 1, 1, 2, 3])
        return {"guard": {"resource": chosen if len(chosen) > 1 else chosen[0], "units": units, "body": body}}
