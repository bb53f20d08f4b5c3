"""How many states a second the explicit search visits, full and reduced, on generated nets."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.table import arguments, print_table
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.model import AndOut, Input, Net, Place, PlaceOut, Transition
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.result import Budget
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.timer import Timer
from petri_cli.soundness.workflow import by_exploration


def philosophers(n: int, *, left_handed: bool) -> Net:
    """Dining philosophers as a workflow net; with one left-handed no deadlock is possible."""
    places = ["i", "o", *(f"{p}{k}" for k in range(n) for p in ("think", "fork", "wait", "eat", "done"))]
    transitions = [
        Transition("start", (Input("i"),), AndOut(tuple(PlaceOut(f"think{k}") for k in range(n)))),
        Transition("end", tuple(Input(f"done{k}") for k in range(n)), PlaceOut("o")),
    ]
    for k in range(n):
        left, right = f"fork{k}", f"fork{(k + 1) % n}"
        if left_handed and k == 0:
            left, right = right, left
        transitions += [
            Transition(f"first{k}", (Input(f"think{k}"), Input(left)), PlaceOut(f"wait{k}")),
            Transition(f"second{k}", (Input(f"wait{k}"), Input(right)), PlaceOut(f"eat{k}")),
            Transition(
                f"leave{k}", (Input(f"eat{k}"),), AndOut((PlaceOut(f"done{k}"), PlaceOut(left), PlaceOut(right)))
            ),
        ]
    forks = {f"fork{k}": 1 for k in range(n)}
    return Net(f"phil{n}", tuple(Place(p) for p in places), tuple(transitions), {"i": 1, **forks}, {"o": 1, **forks})


def nets() -> Iterator[tuple[str, Net]]:
    for n in (6, 8, 9):
        yield f"{n} philosophers", philosophers(n, left_handed=False)
        yield f"{n} philosophers, one left-handed", philosophers(n, left_handed=True)


def reduced(net: CompiledNet) -> tuple[int, float, bool]:
    start = time.process_time()
    found = find_deadlock(net, final=net.final, max_states=1_000_000)
    return found.states, time.process_time() - start, found.run is not None


def main() -> None:
    rows = []
    for name, net in nets():
        start = time.process_time()
        target = target_of(net)
        budget = Budget(max_states=400_000, seconds=1e9)
        result = by_exploration(target, compile_net(target.net), budget, Timer(None, 1e9), looking_only=True)
        full = time.process_time() - start
        states = int(result.stats["states"])
        few, spent, dead = reduced(compile_net(net))
        rows.append(
            (
                name,
                result.verdict.value,
                f"{states:,}",
                f"{states / full / 1e3:,.0f}",
                f"{few:,}",
                "deadlock" if dead else "none",
                f"{spent * 1e3:,.1f}",
            )
        )
    head = ("net", "verdict", "states", "1,000 states/s", "states, stubborn sets", "found", "ms")
    print_table("Exploration, three conditions and deadlock only", head, rows)


if __name__ == "__main__":
    arguments(__doc__).parse_args()
    main()
