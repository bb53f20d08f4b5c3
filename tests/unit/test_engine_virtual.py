"""Simulated time: durations given and sampled, async actions, looking in between, environment places, ends."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from petri_cli.engine import ActionContext, MemoryStore, VirtualExecutor, event_to_json, fork, to_ticks
from petri_cli.engine.virtual_executor import Duration
from petri_cli.errors import PetriError
from petri_cli.net.builder import NetBuilder, delayed, either, timeout
from petri_cli.net.model import Net


def one_step() -> Net:
    return NetBuilder("net").transition("t", "p", "q").build()


def times(store: MemoryStore, kind: str) -> list[tuple[str, float]]:
    return [(e.transition, e.time / 1e6) for e in store.events if e.type == kind]  # type: ignore[union-attr]


def test_a_firing_lasts_as_long_as_its_duration_says_and_produces_at_its_end() -> None:
    store = MemoryStore()
    result = VirtualExecutor(one_step(), {"t": fork()}, {"p": ["x"]}, durations={"t": 2.5}, store=store).run()
    assert result.values == {"q": ["x"]}
    assert result.marking["q"][0].created_at == to_ticks(2.5)
    assert result.duration == 2.5
    assert [e.duration for e in store.events if e.type == "TransitionCompleted"] == [to_ticks(2.5)]


def test_firings_overlap_unless_capped() -> None:
    run = VirtualExecutor(one_step(), {"t": fork()}, {"p": 4}, durations={"t": 1})
    assert run.run().duration == 1
    capped = VirtualExecutor(one_step(), {"t": fork()}, {"p": 4}, durations={"t": 1}, max_concurrency=2)
    assert capped.run().duration == 2


def test_sampled_durations_are_the_same_for_the_same_seed_and_independent_of_other_transitions() -> None:
    def sample(rng: random.Random) -> float:
        return rng.expovariate(1)

    def story(seed: int, durations: dict[str, Duration]) -> list[Any]:
        net = NetBuilder("net").transition("t", "p", "q").transition("u", "q", "r").marking(p=5).build()
        store = MemoryStore()
        VirtualExecutor(net, {"t": fork(), "u": fork()}, durations=durations, seed=seed, store=store).run()
        return [event_to_json(e) for e in store.events]

    def starts(told: list[Any], t: str) -> list[int]:
        return [e["time"] for e in told if e["type"] == "TransitionCompleted" and e["transition"] == t]

    first = story(1, {"t": sample, "u": sample})
    assert story(1, {"t": sample, "u": sample}) == first
    assert story(2, {"t": sample, "u": sample}) != first
    assert starts(story(1, {"t": sample}), "t") == starts(first, "t")


def test_a_negative_sample_counts_as_no_time() -> None:
    assert VirtualExecutor(one_step(), {"t": fork()}, {"p": 1}, durations={"t": lambda rng: -1.0}).run().duration == 0


def test_a_duration_beyond_the_budget_times_out() -> None:
    net = NetBuilder("net").transition("t", "p", either("ok", timeout(1, "late"))).build()
    for seconds, place in ((0.9, "ok"), (1.0, "ok"), (1.1, "late")):
        result = VirtualExecutor(net, {"t": lambda ctx: {"ok": 1}}, {"p": 1}, durations={"t": seconds}).run()
        assert list(result.values) == [place]
        assert result.duration == min(seconds, 1.0)


def test_a_failing_action_fails_at_the_end_of_its_duration() -> None:
    def boom(ctx: ActionContext) -> None:
        raise ValueError("boom")

    store = MemoryStore()
    result = VirtualExecutor(one_step(), {"t": boom}, {"p": 1}, durations={"t": 3}, store=store).run()
    assert result.failures == 1
    assert times(store, "TransitionFailed") == [("t", 3.0)]


def test_async_actions_suspend_in_simulated_time() -> None:
    seen: list[tuple[str, float]] = []

    async def act(ctx: ActionContext) -> dict[str, int]:
        seen.append(("begins", executor.now() / 1e6))
        await ctx.sleep(60)
        seen.append(("goes on", executor.now() / 1e6))
        await ctx.sleep(0)
        return {"q": 1}

    executor = VirtualExecutor(one_step(), {"t": act}, {"p": 1}, durations={"t": 5})
    result = executor.run()
    assert seen == [("begins", 0.0), ("goes on", 60.0)]
    assert (result.values, result.duration) == ({"q": [1]}, 65.0)  # a duration comes on top


def test_an_abandoned_action_keeps_no_time_running() -> None:
    async def endless(ctx: ActionContext) -> None:
        await ctx.sleep(10_000)

    net = NetBuilder("net").transition("t", "p", either("ok", timeout(1, "late"))).marking(p=1).build()
    result = VirtualExecutor(net, {"t": endless}).run()
    assert (result.counts, result.duration) == ({"late": 1}, 1.0)


def test_the_budget_of_an_action_that_ended_in_time_keeps_no_time_running() -> None:
    async def quick(ctx: ActionContext) -> dict[str, int]:
        await ctx.sleep(1)
        return {"ok": 1}

    net = NetBuilder("net").transition("t", "p", either("ok", timeout(1000, "late"))).marking(p=1).build()
    assert VirtualExecutor(net, {"t": quick}).run().duration == 1.0


def test_an_abandoned_action_may_clean_up_but_not_go_on() -> None:
    seen: list[str] = []

    async def stubborn(ctx: ActionContext) -> None:
        try:
            await ctx.sleep(10)
        except asyncio.CancelledError:
            seen.append("cleaning up")
            await ctx.sleep(10)
            seen.append("going on")

    net = NetBuilder("net").transition("t", "p", either("ok", timeout(1, "late"))).marking(p=1).build()
    assert VirtualExecutor(net, {"t": stubborn}).run().counts == {"late": 1}
    assert seen == ["cleaning up"]


def test_an_action_that_awaits_the_real_world_fails_with_an_explanation() -> None:
    async def act(ctx: ActionContext) -> None:
        await Future()

    class Future:
        def __await__(self) -> Any:
            yield "something of asyncio"

    store = MemoryStore()
    VirtualExecutor(one_step(), {"t": act}, {"p": 1}, store=store).run()
    [failure] = [e for e in store.events if e.type == "TransitionFailed"]
    assert "simulated time" in failure.message


def test_an_async_action_that_fails_after_a_while_fails_then() -> None:
    async def act(ctx: ActionContext) -> None:
        await ctx.sleep(2)
        raise KeyError("x")

    store = MemoryStore()
    VirtualExecutor(one_step(), {"t": act}, {"p": 1}, store=store).run()
    assert times(store, "TransitionFailed") == [("t", 2.0)]


def test_a_run_can_be_looked_at_in_between() -> None:
    net = NetBuilder("net").transition("t", "p", "q", timing=delayed(10)).marking(p=1).build()
    executor = VirtualExecutor(net, {"t": fork()})
    executor.settle()
    assert executor.scheduler.enabled() == ["t"]
    executor.advance(9)
    assert executor.scheduler.marking().keys() == {"p"}
    executor.advance(1)
    assert executor.scheduler.marking().keys() == {"q"}
    assert executor.now() == to_ticks(10)
    assert executor.run() is executor.run()  # it has ended; the result stays


def test_injected_tokens_enter_at_the_present_time() -> None:
    net = NetBuilder("net").place("ev", environment=True).transition("t", "ev", "o").build()
    executor = VirtualExecutor(net, {"t": fork()})
    executor.advance(3)
    accepted = executor.inject("ev", "x")
    assert not accepted.done()
    executor.settle()
    assert accepted.result(0) is True
    assert executor.inject("o", 1).result(0) is False
    result = executor.run()
    assert [t.created_at for t in result.marking["o"]] == [to_ticks(3)]
    assert executor.inject("ev", "y").result(0) is False


def test_close_lets_actions_finish_and_starts_nothing() -> None:
    executor = VirtualExecutor(one_step(), {"t": fork()}, {"p": 3}, durations={"t": 5}, max_concurrency=1)
    executor.settle()
    executor.close()
    result = executor.run()
    assert (result.reason, result.counts, result.duration) == ("closed", {"p": 2, "q": 1}, 5.0)


def test_a_net_that_never_rests_can_be_given_an_end() -> None:
    net = NetBuilder("net").transition("t", "p", "p", timing=delayed(1)).marking(p=1).build()
    result = VirtualExecutor(net, {"t": fork()}).run(until=10.5)
    assert (result.reason, result.firings, result.duration) == ("closed", 10, 10.5)


def test_a_duration_for_an_unknown_transition_is_refused() -> None:
    with pytest.raises(PetriError, match=r"did you mean 't'") as refused:
        VirtualExecutor(one_step(), {"t": fork()}, durations={"tt": 1})
    assert refused.value.code == "PETRI_BAD_BINDING"


def test_what_async_actions_log_is_theirs() -> None:
    import logging

    async def act(ctx: ActionContext) -> dict[str, int]:
        await ctx.sleep(1)
        logging.getLogger("shop").warning("value %d", ctx.input("p"))
        return {"q": 1}

    store = MemoryStore()
    VirtualExecutor(one_step(), {"t": act}, {"p": [1, 2]}, store=store).run()
    told = [(e.firing, e.message, e.time) for e in store.events if e.type == "LogMessage"]
    assert told == [(1, "value 1", to_ticks(1)), (2, "value 2", to_ticks(1))]
