"""Plans whose branches take locks in any order, most directly in one another: what most fixes are about."""

from __future__ import annotations

import random
from typing import Any

Document = dict[str, Any]


def inverted_plan(rng: random.Random) -> Document:
    """Two to four branches, each two or three of three resources in some order; now and then with work in between, two
    of such blocks one after the other, or in a foreach."""
    names = ["a", "b", "c"]
    resources = [{"id": r, "capacity": rng.choice([1, 1, 1, 2])} for r in names]
    drawing = _Drawing(rng, names)
    blocks = [drawing.block() for _ in range(rng.choice([1, 1, 2]))]
    flow = blocks[0] if len(blocks) == 1 else {rng.choice(["seq", "parallel"]): blocks}
    if rng.random() < 0.25:
        flow = {"foreach": {"id": "each", "over": "items", "body": flow}}
    return {"name": "inverted", "resources": resources, "flow": flow}


class _Drawing:
    def __init__(self, rng: random.Random, names: list[str]) -> None:
        self.rng, self.names, self.count = rng, names, 0

    def task(self) -> Document:
        self.count += 1
        return {"task": {"id": f"t{self.count}"}}

    def block(self) -> Document:
        rng = self.rng
        branches = [self.nest(rng.sample(self.names, rng.choice([2, 2, 3]))) for _ in range(rng.choice([2, 2, 3]))]
        return {"parallel": branches if rng.random() < 0.7 else {"branches": branches}}

    def nest(self, taken: list[str]) -> Document:
        rng = self.rng
        if not taken:
            return self.task()
        inner = self.nest(taken[1:])
        kind = rng.random()
        if kind < 0.12:
            inner = {"seq": [self.task(), inner]}
        elif kind < 0.2:
            inner = {"loop": {"id": f"l{self.count}{taken[0]}", "maxIterations": 2, "body": inner}}
        elif kind < 0.25:
            inner = {"parallel": [inner, self.task()]}
        guard: Document = {"resource": taken[0] if rng.random() < 0.9 else [taken[0]], "body": inner}
        if rng.random() < 0.1:
            guard = {"id": f"g_{self.count}{taken[0]}", **guard}
        if rng.random() < 0.2:
            guard = {"resource": guard.pop("resource"), "units": 1, **guard}
        return {"guard": guard}
