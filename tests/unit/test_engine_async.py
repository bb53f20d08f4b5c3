"""The asyncio executor: overlap, threads, environment places, draining and closing, cancellation, captured logging.

Nothing here waits for a wall clock to do the right thing: tests wait for events, and what must not happen is made
impossible to miss.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from petri_cli.engine import ActionContext, AsyncExecutor, MemoryStore, Result, Token, blocking, fork, produce, run
from petri_cli.net.builder import NetBuilder, delayed, either, timeout, window
from petri_cli.net.model import Net

T = TypeVar("T")


def within(coroutine: Coroutine[Any, Any, T], seconds: float = 10) -> T:
    """Run ``coroutine``; hanging is a failure."""
    return asyncio.run(asyncio.wait_for(coroutine, seconds))


def one_step() -> Net:
    return NetBuilder("net").transition("t", "p", "q").build()


def fed() -> Net:
    """An environment place that feeds one transition."""
    return NetBuilder("net").place("ev", environment=True).transition("t", "ev", "o").build()


# Overlap


def test_firings_of_one_transition_overlap() -> None:
    """Three actions meet at a barrier that opens only when all three are in flight."""

    async def go() -> Result:
        barrier = asyncio.Barrier(3)

        async def meet(ctx: ActionContext) -> None:
            await barrier.wait()
            ctx.output("q", ctx.input("p"))

        return await AsyncExecutor(one_step(), {"t": meet}, {"p": [1, 2, 3]}).run()

    assert sorted(within(go()).values["q"]) == [1, 2, 3]  # type: ignore[type-var]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_concurrency_caps_the_actions_in_flight(most: int) -> None:
    flying = peak = 0

    async def count(ctx: ActionContext) -> None:
        nonlocal flying, peak
        flying += 1
        peak = max(peak, flying)
        for _ in range(5):
            await asyncio.sleep(0)
        flying -= 1
        ctx.output("q", 1)

    result = within(AsyncExecutor(one_step(), {"t": count}, {"p": 9}, max_concurrency=most).run())
    assert result.counts == {"q": 9}
    assert peak == most


def test_max_concurrency_must_leave_room_for_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        AsyncExecutor(one_step(), {"t": fork()}, max_concurrency=0)


def test_a_long_synchronous_run_lets_the_event_loop_breathe() -> None:
    """A net that never rests by itself: another task must get a turn to close it, long before it would close itself."""
    net = NetBuilder("net").transition("t", "p", "p").marking(p=[0]).build()
    many = 300_000

    async def go() -> Result:
        def count(ctx: ActionContext) -> dict[str, int]:
            if ctx.input("p") == many:
                executor.close()
            return {"p": ctx.input("p") + 1}

        executor = AsyncExecutor(net, {"t": count})
        running = asyncio.create_task(executor.run())
        for _ in range(5):
            await asyncio.sleep(0)
        executor.close()
        return await running

    result = within(go(), 60)
    assert result.reason == "closed"
    assert 1 < result.values["p"][0] < many  # type: ignore[operator]


# Threads


def test_a_blocking_action_runs_in_a_thread_and_the_loop_goes_on() -> None:
    opened = threading.Event()

    @blocking
    def wait(ctx: ActionContext) -> dict[str, Any]:
        assert threading.current_thread() is not threading.main_thread()
        assert opened.wait(10)
        return {"q": ctx.input("p")}

    def open_it(ctx: ActionContext) -> None:
        opened.set()

    net = NetBuilder("net").transition("t", "p", "q").transition("u", "k").marking(p=["x"], k=1).build()
    assert within(AsyncExecutor(net, {"t": wait, "u": open_it}).run()).values == {"q": ["x"]}


def test_the_time_that_a_blocking_action_waits_for_a_thread_is_not_its_own() -> None:
    go = threading.Event()

    @blocking
    def first(ctx: ActionContext) -> None:
        assert go.wait(10)

    @blocking
    def second(ctx: ActionContext) -> None:
        ctx.output("ok", 1)

    net = (
        NetBuilder("net")
        .transition("first", "p")
        .transition("second", "q", either("ok", timeout(0.3, "late")))
        .marking(p=1, q=1)
        .build()
    )

    async def main() -> Result:
        executor = AsyncExecutor(net, {"first": first, "second": second}, threads=1)
        running = asyncio.create_task(executor.run())
        await asyncio.sleep(0.5)
        assert len(executor.scheduler.in_flight) == 2
        go.set()
        return await running

    assert within(main()).values == {"ok": [1]}


@pytest.mark.parametrize("late", [False, True])
def test_what_turns_out_to_be_asynchronous_in_a_thread_goes_on_in_the_loop(late: bool) -> None:
    threads: list[int] = []

    async def really(ctx: ActionContext) -> None:
        threads.append(threading.get_ident())
        await ctx.sleep(3600 if late else 0)
        ctx.output("ok", 1)

    net = NetBuilder("net").transition("t", "p", either("ok", timeout(0.1 if late else 60, "late"))).build()
    executor = AsyncExecutor(net, {"t": blocking(lambda ctx: really(ctx))}, {"p": 1})
    assert within(executor.run()).counts == {"late" if late else "ok": 1}
    assert threads == [threading.get_ident()]


def test_a_failing_blocking_action_fails_its_firing() -> None:
    @blocking
    def boom(ctx: ActionContext) -> None:
        raise OSError("gone")

    store = MemoryStore()
    result = within(AsyncExecutor(one_step(), {"t": boom}, {"p": 1}, store=store).run())
    assert result.failures == 1
    assert [(e.error, e.message) for e in store.events if e.type == "TransitionFailed"] == [("OSError", "gone")]


def test_a_blocking_action_that_takes_too_long_is_abandoned_and_its_result_lands_nowhere() -> None:
    done = threading.Event()

    @blocking
    def slow(ctx: ActionContext) -> None:
        assert done.wait(10)
        ctx.output("ok", "late")

    def again(ctx: ActionContext) -> None:
        done.set()

    net = (
        NetBuilder("net")
        .transition("t", "p", either("ok", timeout(0.01, "late")))
        .transition("u", "late")
        .marking(p=1)
        .build()
    )
    result = within(AsyncExecutor(net, {"t": slow, "u": again}).run())
    assert result.counts == {}


def test_names_minted_in_threads_are_unique() -> None:
    @blocking
    def mint(ctx: ActionContext) -> None:
        ctx.output("q", *(ctx.fresh_name() for _ in range(50)))

    result = within(AsyncExecutor(one_step(), {"t": mint}, {"p": 8}, threads=8).run())
    names = result.values["q"]
    assert len(set(names)) == len(names) == 400
    assert set(names) == {f"t#{n}" for n in range(1, 401)}


# Environment places


def test_an_injected_token_is_answered_when_it_is_in_the_marking() -> None:
    async def go() -> tuple[list[bool], Result]:
        executor = AsyncExecutor(fed(), {"t": fork()})
        running = asyncio.create_task(executor.run())
        await executor.settled()
        answers = [await executor.inject("ev", v) for v in (1, 2)]
        executor.drain()
        result = await running
        return [*answers, await executor.inject("ev", 3)], result

    answers, result = within(go())
    assert answers == [True, True, False]
    assert (result.values, result.reason) == ({"o": [1, 2]}, "quiescent")


def test_only_environment_places_take_tokens() -> None:
    executor = AsyncExecutor(fed(), {"t": fork()})
    assert executor.inject("o", 1).result(0) is False
    assert executor.inject("nowhere", 1).result(0) is False
    assert executor.inject("ev", 1).done() is False


def test_places_can_be_registered_on_the_executor_as_well() -> None:
    async def go() -> Result:
        executor = AsyncExecutor(one_step(), {"t": fork()}, environment=["p"])
        injected = executor.inject("p", "before the run")
        executor.drain()
        result = await executor.run()
        assert await injected
        return result

    assert within(go()).values == {"q": ["before the run"]}


def test_a_run_without_environment_places_ends_by_itself_and_one_with_them_waits() -> None:
    async def go() -> bool:
        executor = AsyncExecutor(fed(), {"t": fork()})
        running = asyncio.create_task(executor.run())
        await executor.settled()
        for _ in range(20):
            await asyncio.sleep(0)
        waiting = not running.done()
        executor.drain()
        await running
        return waiting

    assert within(go())
    assert within(AsyncExecutor(one_step(), {"t": fork()}).run()).reason == "quiescent"


def test_tokens_come_in_from_other_threads() -> None:
    async def go() -> Result:
        executor = AsyncExecutor(fed(), {"t": fork()})
        running = asyncio.create_task(executor.run())

        def feed(k: int) -> list[bool]:
            return [executor.inject("ev", (k, n)).result(10) for n in range(25)]

        answers = await asyncio.gather(*(asyncio.to_thread(feed, k) for k in range(4)))
        assert all(all(a) for a in answers)
        executor.drain()
        return await running

    values = within(go()).values["o"]
    assert len(values) == 100
    for k in range(4):
        assert [n for j, n in values if j == k] == list(range(25))  # type: ignore[misc]  # each thread's own order


def test_an_action_may_inject() -> None:
    async def go() -> Result:
        executor = AsyncExecutor(fed(), {"t": lambda ctx: again(executor, ctx)})

        def again(executor: AsyncExecutor, ctx: ActionContext) -> dict[str, int]:
            n: int = ctx.input("ev")
            if n:
                executor.inject("ev", n - 1)
            else:
                executor.drain()
            return {"o": n}

        executor.inject("ev", 3)
        return await executor.run()

    assert within(go()).values == {"o": [3, 2, 1, 0]}


# Drain, close, cancel


def held() -> tuple[Net, dict[str, Any], asyncio.Event]:
    """An environment net whose action waits until the event is set."""
    gate = asyncio.Event()

    async def work(ctx: ActionContext) -> None:
        await gate.wait()
        ctx.output("o", ctx.input("ev"))

    return fed(), {"t": work}, gate


def test_drain_finishes_what_is_queued_and_in_flight() -> None:
    async def go() -> Result:
        net, actions, gate = held()
        executor = AsyncExecutor(net, actions, max_concurrency=1)
        running = asyncio.create_task(executor.run())
        first, second = executor.inject("ev", 1), executor.inject("ev", 2)
        executor.drain()
        assert await first and await second
        gate.set()
        return await running

    result = within(go())
    assert (result.values, result.reason) == ({"o": [1, 2]}, "quiescent")


def test_close_discards_the_queue_lets_actions_finish_and_starts_nothing() -> None:
    async def go() -> Result:
        net, actions, gate = held()
        executor = AsyncExecutor(net, actions, max_concurrency=1)
        running = asyncio.create_task(executor.run())
        assert await executor.inject("ev", 1)
        waiting = await executor.inject("ev", 2)  # in the marking, but there is no free slot
        queued = executor.inject("ev", 3)
        executor.close()
        assert waiting and not await queued
        gate.set()
        return await running

    result = within(go())
    assert (result.values, result.reason) == ({"o": [1], "ev": [2]}, "closed")


def test_close_ends_a_run_that_only_waits() -> None:
    async def go() -> Result:
        executor = AsyncExecutor(fed(), {"t": fork()})
        running = asyncio.create_task(executor.run())
        await executor.settled()
        executor.close()
        return await running

    assert within(go()).reason == "closed"


def test_cancel_reaches_the_actions_and_fails_their_firings() -> None:
    seen: list[str] = []

    async def go() -> tuple[Result, MemoryStore]:
        async def endless(ctx: ActionContext) -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                seen.append("cleaned up")

        store = MemoryStore()
        executor = AsyncExecutor(one_step(), {"t": endless}, {"p": 2}, store=store)
        running = asyncio.create_task(executor.run())
        await executor.settled()
        executor.cancel()
        return await running, store

    result, store = within(go())
    assert (result.reason, result.failures) == ("cancelled", 2)
    assert seen == ["cleaned up"] * 2
    assert [e.error for e in store.events if e.type == "TransitionFailed"] == ["CancelledError"] * 2
    assert store.events[-1].type == "ExecutionCompleted"


def test_cancelling_the_task_of_a_run_does_the_same_and_stays_cancelled() -> None:
    seen: list[str] = []

    async def go() -> MemoryStore:
        async def endless(ctx: ActionContext) -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                seen.append("cleaned up")

        store = MemoryStore()
        executor = AsyncExecutor(one_step(), {"t": endless}, {"p": 1}, store=store)
        running = asyncio.create_task(executor.run())
        await executor.settled()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return store

    store = within(go())
    assert seen == ["cleaned up"]
    assert [e.reason for e in store.events if e.type == "ExecutionCompleted"] == ["cancelled"]


@pytest.mark.parametrize("how", ["by its time-out", "with the run"])
def test_when_a_run_ends_its_abandoned_actions_have_cleaned_up(how: str) -> None:
    seen: list[str] = []

    async def go() -> list[str]:
        async def endless(ctx: ActionContext) -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                seen.append("cancelled")
                for _ in range(5):
                    await asyncio.sleep(0)
                seen.append("cleaned up")

        after = 0.005 if how == "by its time-out" else 3600
        net = NetBuilder("net").transition("t", "p", either("ok", timeout(after, "late"))).marking(p=1).build()
        executor = AsyncExecutor(net, {"t": endless})
        running = asyncio.create_task(executor.run())
        await executor.settled()
        if how == "with the run":
            executor.cancel()
        await running
        return list(seen)

    assert within(go()) == ["cancelled", "cleaned up"]


def test_an_action_that_cancels_itself_has_failed() -> None:
    async def give_up(ctx: ActionContext) -> None:
        raise asyncio.CancelledError

    store = MemoryStore()
    within(AsyncExecutor(one_step(), {"t": give_up}, {"p": 1}, store=store).run())
    assert [e.error for e in store.events if e.type == "TransitionFailed"] == ["CancelledError"]


def test_an_executor_runs_once() -> None:
    async def go() -> None:
        executor = AsyncExecutor(one_step(), {"t": fork()})
        await executor.run()
        with pytest.raises(RuntimeError, match="runs once"):
            await executor.run()

    within(go())


def test_asyncio_tools_work_inside_actions() -> None:
    """Time-outs and task groups need a task of their own around them."""

    async def act(ctx: ActionContext) -> None:
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            work = group.create_task(asyncio.sleep(0, "done"))
        ctx.output("q", work.result())

    assert within(AsyncExecutor(one_step(), {"t": act}, {"p": 1}).run()).values == {"q": ["done"]}


# Time


def test_a_delayed_transition_is_woken_by_a_timer() -> None:
    net = NetBuilder("net").transition("t", "p", "q", timing=delayed(0.02)).marking(p=1).build()
    result = within(AsyncExecutor(net, {"t": fork()}).run())
    assert result.counts == {"q": 1}
    assert result.duration >= 0.02


def test_a_deadline_that_a_full_house_makes_impossible_is_reaped_by_a_timer() -> None:
    async def go() -> tuple[Result, list[str]]:
        gate = asyncio.Event()

        async def hold(ctx: ActionContext) -> None:
            await gate.wait()

        store = MemoryStore()
        store.subscribe(lambda e: gate.set() if e.type == "TransitionTimedOut" else None)
        net = (
            NetBuilder("net")
            .transition("hold", "a", priority=1)
            .transition("t", "b", timing=window(0, 0.01))
            .marking(a=1, b=1)
            .build()
        )
        executor = AsyncExecutor(net, {"hold": hold}, store=store, max_concurrency=1, tolerance=0)
        result = await executor.run()
        return result, [e.type for e in store.events if getattr(e, "transition", "") == "t"]

    result, told = within(go())
    assert told == ["TransitionEnabled", "TransitionTimedOut"]
    assert result.counts == {"b": 1}


def test_times_are_microseconds_since_1970() -> None:
    import time

    before = time.time_ns() // 1000
    result = run(one_step(), {"t": fork()}, {"p": 1})
    after = time.time_ns() // 1000
    slack = 1_000_000  # the wall clock may be set while the test runs
    assert before - slack <= result.started_at <= result.ended_at <= after + slack
    assert result.started_at <= result.marking["q"][0].created_at <= result.ended_at


# Logging


def test_logging_inside_an_action_becomes_an_event_of_its_firing() -> None:
    logger = logging.getLogger("shop")

    def inline(ctx: ActionContext) -> None:
        logger.warning("inline %d", ctx.input("a"))
        ctx.log("said directly", "INFO")

    async def suspended(ctx: ActionContext) -> None:
        await asyncio.sleep(0)
        logger.error("suspended")

    @blocking
    def in_thread(ctx: ActionContext) -> None:
        logger.critical("in a thread")

    net = (
        NetBuilder("net")
        .transition("inline", "a")
        .transition("suspended", "b")
        .transition("threaded", "c")
        .marking(a=[7], b=1, c=1)
        .build()
    )
    store = MemoryStore()
    logger.warning("before")
    within(AsyncExecutor(net, {"inline": inline, "suspended": suspended, "threaded": in_thread}, store=store).run())
    logger.warning("after")
    told = {(e.transition, e.level, e.message, e.logger) for e in store.events if e.type == "LogMessage"}
    assert told == {
        ("inline", "WARNING", "inline 7", "shop"),
        ("inline", "INFO", "said directly", ""),
        ("suspended", "ERROR", "suspended", "shop"),
        ("threaded", "CRITICAL", "in a thread", "shop"),
    }
    assert all(e.firing for e in store.events if e.type == "LogMessage")


def test_a_log_call_that_cannot_be_formatted_harms_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    def act(ctx: ActionContext) -> None:
        logging.getLogger("shop").warning("%d", "no number")

    store = MemoryStore()
    result = within(AsyncExecutor(one_step(), {"t": act}, {"p": 1}, store=store).run())
    assert result.failures == 1  # it produced nothing, which is another matter
    assert not [e for e in store.events if e.type == "LogMessage"]


def test_no_handler_is_left_behind() -> None:
    within(AsyncExecutor(one_step(), {"t": fork()}, {"p": 1}, store=MemoryStore()).run())
    assert not [h for h in logging.getLogger().handlers if type(h).__module__.startswith("petri_cli")]


# run()


def test_run_drains_an_environment() -> None:
    assert run(fed(), {"t": fork()}, {"ev": [1]}).values == {"o": [1]}


def test_what_breaks_the_engine_itself_surfaces() -> None:
    def leave(ctx: ActionContext) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(one_step(), {"t": leave}, {"p": 1})


def test_a_token_can_be_injected_as_it_is() -> None:
    async def go() -> Result:
        executor = AsyncExecutor(fed(), {"t": fork()})
        executor.inject("ev", Token("v", 5, "each[1]"))
        executor.inject("ev", "w", name="each[2]")
        executor.drain()
        return await executor.run()

    tokens = within(go()).marking["o"]
    assert [(t.value, t.name) for t in tokens] == [("v", "each[1]"), ("w", "each[2]")]


def test_a_constant_action_produces_the_same_each_time() -> None:
    assert run(one_step(), {"t": produce({"q": [1, 2]})}, {"p": 2}).values == {"q": [1, 2, 1, 2]}
