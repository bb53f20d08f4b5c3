"""Small random plans over two or three resources, by the standard library's generator: the same for the same seed."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

Step = dict[str, Any]


def random_plan(seed: int) -> dict[str, Any]:
    """A plan document with at most six levels, in which guards get in each other's way."""
    rng = Random(seed)  # noqa: S311
    names = ["a", "b", "c"][: rng.choice([2, 3])]
    number = count(1)

    def step(depth: int) -> Step:
        kind = rng.choice(["task", "seq", "parallel", "choice", "loop", "foreach", "guard", "guard", "guard"])
        n = next(number)
        if depth == 0 or kind == "task":
            return {"task": {"id": f"t{n}"}}
        match kind:
            case "seq" | "parallel" | "choice":
                return {kind: [step(depth - 1) for _ in range(2)]}
            case "loop":
                return {"loop": {"id": f"l{n}", "maxIterations": 2, "body": step(depth - 1)}}
            case "foreach":
                over = rng.choice(["items", ["x", "y"]])
                return {"foreach": {"id": f"f{n}", "over": over, "body": step(depth - 1)}}
        units = rng.choice([1, 1, 1, 2])
        return {"guard": {"resource": rng.choice(names), "units": units, "body": step(depth - 1)}}

    resources = [{"id": r, "capacity": rng.choice([1, 2, 2])} for r in names]
    return {"resources": resources, "flow": {"parallel": [step(5), step(5)]}}
