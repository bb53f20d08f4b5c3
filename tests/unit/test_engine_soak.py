"""An executor left running: twelve environment places, eight threads that inject, and not a token is lost.

The long run is marked slow; its short brother is in every test run.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from typing import Any

import pytest

from petri_cli.engine import ActionContext, AsyncExecutor, Injection, Result, blocking
from petri_cli.net.builder import NetBuilder

PLACES = 12
THREADS = 8
BURST = 10
PAUSE = 0.02
"""Seconds between the bursts of a thread: the executor is to run, not to be drowned."""

IDLE_CPU = 0.05
"""Of the time that the executor only waits, the part that it may be computing."""


def net_and_actions() -> tuple[Any, dict[str, Any]]:
    """Every kind of action takes part; each environment place feeds a transition of its own."""
    builder = NetBuilder("soak")
    actions: dict[str, Any] = {}
    for k in range(PLACES):
        builder.place(f"in{k}", environment=True).transition(f"t{k}", f"in{k}", f"out{k}", priority=k % 2)
        actions[f"t{k}"] = action(k)
    return builder.build(), actions


def action(k: int) -> Any:
    def inline(ctx: ActionContext) -> None:
        ctx.output(f"out{k}", ctx.input(f"in{k}"))

    async def suspended(ctx: ActionContext) -> None:
        await asyncio.sleep(0)
        inline(ctx)

    return [inline, suspended, blocking(lambda ctx: inline(ctx)), inline][k % 4]


async def soak(seconds: float, idle: float) -> tuple[Result, list[tuple[str, Any]], float]:
    """Inject for ``seconds``, then let the executor wait for ``idle`` seconds, then drain it.

    Returns the result, every accepted (place, value), and the CPU seconds of the idle time.
    """
    net, actions = net_and_actions()
    executor = AsyncExecutor(net, actions, threads=4)
    running = asyncio.create_task(executor.run())
    end = time.monotonic() + seconds
    pause = threading.Event()  # never set: a wait that takes its time
    accepted: list[list[tuple[str, Any]]] = [[] for _ in range(THREADS)]

    def feed(thread: int) -> None:
        n = 0
        while time.monotonic() < end:
            burst: list[tuple[str, Any, Injection]] = []
            for _ in range(BURST):
                place, value = f"in{(thread + n) % PLACES}", (thread, n)
                burst.append((place, value, executor.inject(place, value)))
                n += 1
            for place, value, injection in burst:
                assert injection.result(30) is True
                accepted[thread].append((place, value))
            pause.wait(PAUSE)

    await asyncio.gather(*(asyncio.to_thread(feed, k) for k in range(THREADS)))
    await executor.settled()
    while executor.scheduler.in_flight:
        await executor.settled()
        await asyncio.sleep(0.001)
    before = time.process_time()
    await asyncio.sleep(idle)
    spent = time.process_time() - before
    executor.drain()
    result = await running
    return result, [entry for one in accepted for entry in one], spent


def check(seconds: float, idle: float) -> None:
    result, accepted, spent = asyncio.run(asyncio.wait_for(soak(seconds, idle), seconds + 60))
    assert result.reason == "quiescent"
    assert result.failures == 0
    assert result.firings == len(accepted) > seconds * THREADS * BURST
    came_out = [(f"in{place[3:]}", value) for place, values in result.values.items() for value in values]
    assert Counter(came_out) == Counter(accepted)  # nothing lost, nothing twice
    assert set(result.values) == {f"out{k}" for k in range(PLACES)}
    assert spent <= IDLE_CPU * idle, f"{spent:.3f} s of CPU in {idle} s of waiting"


@pytest.mark.slow
def test_two_seconds_of_injections_lose_no_token_and_waiting_costs_no_cpu() -> None:
    check(seconds=1.2, idle=0.8)


@pytest.mark.slow
def test_a_minute_of_injections_loses_no_token_and_waiting_costs_no_cpu() -> None:
    check(seconds=55, idle=5)
