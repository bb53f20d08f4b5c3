"""The work of a cycle is proportional to what changed: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from petri_cli.engine import ActionContext, Produced, Scheduler, Token, VirtualExecutor
from petri_cli.net.builder import NetBuilder, both, delayed, exactly
from petri_cli.net.model import Net


def calls(work: Callable[[], object]) -> int:
    """How many calls, of Python and of built-in functions, ``work`` makes."""
    n = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal n
        n += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return n


def hand_over(source: str, target: str) -> Callable[[ActionContext], None]:
    return lambda ctx: ctx.output(target, ctx.input(source))


def cost(net: Net, actions: dict[str, Any], **options: Any) -> float:
    """Calls a firing, building not counted."""
    executor = VirtualExecutor(net, actions, **options)
    n = calls(executor.run)
    result = executor.run()
    assert result.failures == 0
    return n / result.firings


def chain(n: int, timed: bool = False, priority: int = 0) -> tuple[Net, dict[str, Any]]:
    builder = NetBuilder("chain")
    for k in range(n):
        timing = {"timing": delayed(1)} if timed else {}
        builder.transition(f"t{k}", f"p{k}", f"p{k + 1}", priority=priority * (k % 3), **timing)
    return builder.marking(p0=1).build(), {f"t{k}": hand_over(f"p{k}", f"p{k + 1}") for k in range(n)}


@pytest.mark.parametrize(
    "options", [{}, {"timed": True}, {"priority": 1}, {"timed": True, "priority": 1}], ids=lambda o: str(sorted(o))
)
def test_a_firing_of_a_long_chain_costs_what_one_of_a_short_chain_costs(options: dict[str, Any]) -> None:
    short, long = (cost(*chain(n, **options)) for n in (50, 500))
    assert long <= 1.3 * short


def test_tokens_drained_one_by_one_cost_the_same_each() -> None:
    def drain(n: int) -> float:
        net = NetBuilder("net").transition("t", "p", "q").marking(p=n).build()
        return cost(net, {"t": hand_over("p", "q")})

    assert drain(10_000) <= 1.05 * drain(1_000)


def test_a_join_of_many_branches_is_not_searched_from_its_start_at_every_arrival() -> None:
    def join(n: int) -> float:
        builder = NetBuilder("net").transition("join", [f"b{k}" for k in range(n)], "end")
        for k in range(n):
            builder.transition(f"t{k}", f"a{k}", f"b{k}", timing=delayed(k + 1))
        builder.marking({f"a{k}": 1 for k in range(n)})
        actions = {f"t{k}": hand_over(f"a{k}", f"b{k}") for k in range(n)}
        return cost(builder.build(), actions | {"join": lambda ctx: {"end": 1}})

    assert join(800) <= 1.3 * join(100)


def test_transitions_that_wait_for_other_tokens_cost_nothing_when_a_shared_place_changes() -> None:
    """A lock that many blocks share: only the one whose turn it is, and the next, have anything else they need."""

    def locks(n: int) -> float:
        builder = NetBuilder("net").marking(lock=1, p0=1)
        actions: dict[str, Any] = {}
        for k in range(n):
            builder.transition(f"acquire{k}", [f"p{k}", "lock"], f"body{k}")
            builder.transition(f"release{k}", f"body{k}", both(f"p{k + 1}", "lock"))
            actions[f"acquire{k}"] = hand_over(f"p{k}", f"body{k}")
            actions[f"release{k}"] = lambda ctx, k=k: {f"p{k + 1}": 1, "lock": 1}
        return cost(builder.build(), actions)

    assert locks(400) <= 1.3 * locks(50)


def test_names_that_did_not_change_are_not_looked_at() -> None:
    def pairs(n: int) -> float:
        net = NetBuilder("net").transition("join", ["a", "b"], "o", match={"a": "id", "b": "id"}).build()
        both_sides = [Token({"id": k}, k) for k in range(n)]
        executor = VirtualExecutor(net, {"join": hand_over("a", "o")}, {"a": both_sides, "b": both_sides[::-1]})
        return calls(executor.run) / n

    assert pairs(2_000) <= 1.5 * pairs(200)  # a heap: log n


def test_what_waits_for_a_free_slot_is_not_sorted_again_and_again() -> None:
    def capped(n: int, priority: int) -> float:
        builder = NetBuilder("net")
        for k in range(n):
            builder.transition(f"t{k}", f"p{k}", priority=priority * (k % 2))
        net = builder.marking({f"p{k}": 1 for k in range(n)}).build()
        return cost(net, {}, max_concurrency=1, durations={f"t{k}": 1 for k in range(n)})

    for priority in (0, 1):
        assert capped(1_000, priority) <= 1.3 * capped(100, priority)


def test_a_cardinality_gate_is_looked_at_once_an_arrival() -> None:
    def gate(n: int) -> float:
        net = (
            NetBuilder("net").transition("put", "p", "q").transition("gate", exactly(n, "q"), "o").marking(p=n).build()
        )
        return cost(net, {"put": hand_over("p", "q"), "gate": lambda ctx: {"o": 1}})

    assert gate(2_000) <= 1.3 * gate(200)


def test_a_clock_that_restarts_again_and_again_leaves_nothing_behind() -> None:
    net = (
        NetBuilder("net")
        .transition("slow", ["p", "never"], timing=delayed(3600))
        .transition("restart", ["p", "tick"], "p", priority=1)
        .build()
    )
    scheduler = Scheduler(net, {"p": 1, "never": 1})
    for now in range(0, 20_000, 10):
        firings = scheduler.step(now, (), [("tick", Token())]).firings
        scheduler.step(now + 1, [(f.id, Produced({"p": [1]})) for f in firings])
    assert scheduler.wake_at() == scheduler.now + 3600 * 10**6
    assert len(scheduler._agenda.waiting) == 1
