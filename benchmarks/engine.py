"""What a firing costs: ``python -m benchmarks.engine [--quick]`` prints a table in microseconds.

Six kinds of net, each with the event store off and on. A figure is the time of ``AsyncExecutor.run()`` divided by the
firings, the least of many runs (noise only ever adds); building the net and the executor is not in it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import platform
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from timeit import repeat
from typing import Any

from petri_cli.engine import ActionContext, AsyncExecutor, MemoryStore, compile_engine_net
from petri_cli.net.builder import NetBuilder, both
from petri_cli.net.model import Net


@dataclass(frozen=True)
class Case:
    name: str
    net: Net
    actions: dict[str, Any]
    firings: int


def hand_over(source: str, target: str) -> Callable[[ActionContext], None]:
    def act(ctx: ActionContext) -> None:
        ctx.output(target, ctx.input(source))

    return act


def hand_over_later(source: str, target: str) -> Callable[[ActionContext], Any]:
    async def act(ctx: ActionContext) -> None:
        await asyncio.sleep(0)
        ctx.output(target, ctx.input(source))

    return act


def single(n: int) -> Case:
    """One transition without an output, n tokens, one at a time."""
    net = NetBuilder("single").transition("t", "p").marking(p=n).build()
    return Case("single passthrough", net, {}, n)


def chain(n: int, name: str, later: Callable[[int], bool] = lambda k: False, ranks: int = 1) -> Case:
    """n transitions in a row, one token; those that ``later`` chooses suspend once. ranks: different priorities."""
    builder = NetBuilder("chain")
    actions: dict[str, Any] = {}
    for k in range(n):
        builder.transition(f"t{k}", f"p{k}", f"p{k + 1}", priority=k % ranks)
        actions[f"t{k}"] = (hand_over_later if later(k) else hand_over)(f"p{k}", f"p{k + 1}")
    return Case(name, builder.marking(p0=["x"]).build(), actions, n)


def parallel(n: int) -> Case:
    """A split, n branches, a join."""
    builder = NetBuilder("parallel").transition("split", "start", both(*(f"a{k}" for k in range(n))))
    actions: dict[str, Any] = {"split": lambda ctx: {f"a{k}": 1 for k in range(n)}}
    for k in range(n):
        builder.transition(f"t{k}", f"a{k}", f"b{k}")
        actions[f"t{k}"] = hand_over(f"a{k}", f"b{k}")
    builder.transition("join", [f"b{k}" for k in range(n)], "end")
    actions["join"] = lambda ctx: {"end": 1}
    return Case(f"{n} parallel branches", builder.marking(start=1).build(), actions, n + 2)


def cases(quick: bool) -> list[Case]:
    long = 400
    lengths = [5, 50, 500] if quick else [5, 10, 50, 100, 500]
    return [
        single(long),
        *(chain(n, f"chain of {n}") for n in lengths),
        parallel(100),
        chain(long, "synchronous only"),
        chain(long, "synchronous only, two priorities", ranks=2),
        chain(long // 4, "asynchronous, each suspends", lambda k: True),
        chain(long // 4, "mixed, every fourth suspends", lambda k: k % 4 == 3),
    ]


async def cost(case: Case, events: bool, seconds: float) -> float:
    """Seconds a firing: the least of as many runs as fit into ``seconds``, without the cyclic garbage collector."""
    compiled = compile_engine_net(case.net)
    best, end = float("inf"), time.perf_counter() + seconds
    gc.collect()
    gc.disable()
    while time.perf_counter() < end:
        executor = AsyncExecutor(compiled, case.actions, store=MemoryStore() if events else None)
        before = time.perf_counter()
        result = await executor.run()
        best = min(best, time.perf_counter() - before)
        assert result.firings == case.firings and result.failures == 0, result
    gc.enable()
    return best / case.firings


def masks_and_queues(measured: dict[str, float]) -> None:
    """What the bit masks would cost that the engine does without: one word for all places, one needs mask a transition.

    A firing of a chain empties a place and fills one (two changes of the word) and asks two transitions.
    """
    print("| chain of | asking the queues, ns a firing | word and masks, ns a firing | memory of the masks |")
    print("|---:|---:|---:|---:|")
    for n in (50, 500, 5_000, 50_000):
        last = n - 1
        queue: deque[int] = deque()
        word = (1 << n) - 1
        names = {"queue": queue, "word": word, "bit": 1 << last, "needs": 1 << last, "more": (1 << last) | 1}
        ask = "queue.append(1)\nif queue: pass\nqueue.popleft()\nif queue: pass"
        hold = "queue.append(1)\nw = word | bit\nw & needs == needs\nqueue.popleft()\nw = w ^ bit\nw & more == more"
        queues, masks = (min(repeat(code, globals=names, number=2_000, repeat=40)) / 2_000 for code in (ask, hold))
        size = sum(sys.getsizeof(1 << k) for k in range(0, n, max(1, n // 1000))) * max(1, n // 1000)
        print(f"| {n} | {1e9 * queues:.0f} | {1e9 * masks:.0f} | {size / 1e6:.2f} MB |")


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    quick: bool = parser.parse_args().quick
    print(f"CPython {platform.python_version()}, {processor()}, {time.strftime('%Y-%m-%d')}\n")
    print("| scenario | events off, µs a firing | events on, µs a firing | on / off |")
    print("|---|---:|---:|---:|")
    measured: dict[str, float] = {}
    for case in cases(quick):
        off, on = (1e6 * asyncio.run(cost(case, events, 0.1 if quick else 2)) for events in (False, True))
        measured[case.name] = off
        print(f"| {case.name} | {off:.2f} | {on:.2f} | {on / off:.2f} |")
    print()
    masks_and_queues(measured)
    print(f"\nchain of 500 / chain of 50, events off: {measured['chain of 500'] / measured['chain of 50']:.2f}")


if __name__ == "__main__":
    main()
