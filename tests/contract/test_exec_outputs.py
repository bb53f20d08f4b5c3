"""Output validation and action time-outs (EXEC-021, 022)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from petri_cli.engine import ActionContext, Failed, Produced, Scheduler, TimedOut
from petri_cli.engine.tokens import to_ticks
from petri_cli.net.builder import NetBuilder, both, either, every, exactly, forward, timeout
from petri_cli.net.model import Net, Output
from tests.contract.backends import Run, execute, on_every_backend


def produce(backend: str, output: Output, *places: str) -> Run:
    """Run one firing whose action puts a token into each of ``places``."""
    net = NetBuilder("net").transition("t", "s", output).transition("u", "k").marking(s=1, k=1).build()
    return execute(backend, net, {"t": lambda ctx: {p: p for p in places}})


def conforms(backend: str, output: Output, *places: str) -> bool:
    """Whether that firing completed; a violation must leave nothing behind but its failure."""
    run = produce(backend, output, *places)
    assert "u" in run.started  # the rest of the net goes on
    completed, failed = run.of("TransitionCompleted", "t"), run.of("TransitionFailed", "t")
    assert len(completed) + len(failed) == 1
    assert set(run.result.values) == (set(places) if completed else set())
    assert all(e.error == "OutputViolation" for e in failed)
    return bool(completed)


@on_every_backend
def test_exec_021_ac1_and_is_valid_when_all_children_received_tokens(backend: str) -> None:
    assert conforms(backend, both("a", "b"), "a", "b")
    assert not conforms(backend, both("a", "b"), "a")
    assert not conforms(backend, both("a", "b"))


@on_every_backend
def test_exec_021_ac2_xor_is_valid_when_exactly_one_child_received_tokens(backend: str) -> None:
    assert conforms(backend, either("a", "b"), "a")
    assert conforms(backend, either("a", "b"), "b")
    assert not conforms(backend, either("a", "b"))
    assert not conforms(backend, either("a", "b"), "a", "b")


@on_every_backend
def test_exec_021_ac2_the_branch_that_explains_everything_wins_over_one_inside_it(backend: str) -> None:
    overlapping = either(both("a", "b", "c"), both("a", "b"))
    assert conforms(backend, overlapping, "a", "b", "c")
    assert conforms(backend, overlapping, "a", "b")
    assert not conforms(backend, overlapping, "a", "c")
    assert not conforms(backend, either(both("a", "c"), "b"), "b", "c")  # a write outside the chosen branch
    assert not conforms(backend, either(both("a", "b"), both("b", "c")), "a", "b", "c")  # nobody explains all
    assert not conforms(backend, either("a", "a"), "a")  # two explain it


@on_every_backend
def test_exec_021_ac2_an_inner_xor_that_fails_does_not_condemn_the_outer(backend: str) -> None:
    nested = either(both("x", either("a", "b")), both("x", "a", "b"))
    assert conforms(backend, nested, "x", "a", "b")
    assert conforms(backend, nested, "x", "a")
    assert not conforms(backend, nested, "x")


@on_every_backend
def test_exec_021_ac3_a_violation_emits_a_failure_event_and_deposits_nothing(backend: str) -> None:
    run = produce(backend, either("a", "b"), "a", "b")
    [failure] = run.of("TransitionFailed", "t")
    assert failure.error == "OutputViolation"
    assert "'a' and 'b'" in failure.message
    assert run.of("TokenAdded") == []
    assert run.result.values == {}


def test_exec_021_ac4_every_backend_validates_and_says_the_same() -> None:
    tree = either(both("a", "b"), "c")
    for places in ((), ("a",), ("b",), ("c",), ("a", "b"), ("b", "c"), ("a", "b", "c")):
        runs = [produce(backend, tree, *places) for backend in ("virtual", "async")]
        said = [[e.message for e in run.of("TransitionFailed")] for run in runs]
        assert said[0] == said[1]
        assert runs[0].result.values == runs[1].result.values


@on_every_backend
def test_exec_021_tokens_for_a_place_that_is_not_declared_are_an_error_before_anything_is_deposited(
    backend: str,
) -> None:
    def write(ctx: ActionContext) -> None:
        ctx.output("a", 1)
        ctx.output("elsewhere", 2)

    net = NetBuilder("net").place("elsewhere").transition("t", "s", "a").marking(s=1).build()
    run = execute(backend, net, {"t": write})
    [failure] = run.of("TransitionFailed", "t")
    assert failure.error == "UndeclaredPlace"
    assert run.result.values == {}


def racing(after: float) -> Net:
    late = both("late", forward("p", "retry"))
    return NetBuilder("net").transition("t", every("p"), either("ok", timeout(after, late))).build()


async def quick(ctx: ActionContext) -> None:
    await ctx.sleep(0.05)
    ctx.output("ok", 1)


def test_exec_022_ac1_an_action_of_50_ms_completes_before_a_time_out_of_100_ms() -> None:
    run = execute("virtual", racing(0.1), {"t": quick}, {"p": ["a"]})
    assert run.result.values == {"ok": [1]}
    assert run.of("ActionTimedOut") == []
    assert run.of("TransitionCompleted", "t")[0].duration == to_ticks(0.05)


@on_every_backend
def test_exec_022_ac1_an_action_that_ends_in_time_is_validated_as_usual(backend: str) -> None:
    run = execute(backend, racing(60), {"t": quick}, {"p": ["a"]})
    assert run.result.values == {"ok": [1]}

    async def wrong(ctx: ActionContext) -> None:
        await ctx.sleep(0.001)

    run = execute(backend, racing(60), {"t": wrong}, {"p": ["a"]})
    assert [e.error for e in run.of("TransitionFailed")] == ["OutputViolation"]


def test_exec_022_ac1_at_the_very_instant_the_completion_wins() -> None:
    assert execute("virtual", racing(0.05), {"t": quick}, {"p": ["a"]}).result.values == {"ok": [1]}


def test_exec_022_ac2_an_action_of_200_ms_is_abandoned_after_100_ms() -> None:
    async def slow(ctx: ActionContext) -> None:
        await ctx.sleep(0.2)
        ctx.output("ok", 1)

    run = execute("virtual", racing(0.1), {"t": slow}, {"p": ["a"]})
    [late] = run.of("ActionTimedOut", "t")
    assert (late.time, late.after) == (to_ticks(0.1), to_ticks(0.1))
    assert run.result.values == {"late": [None], "retry": ["a"]}
    assert run.of("TransitionCompleted") == run.of("TransitionFailed") == []


@on_every_backend
def test_exec_022_ac2_an_action_that_never_ends_is_abandoned_and_sees_a_cancellation(backend: str) -> None:
    seen: list[str] = []

    async def endless(ctx: ActionContext) -> None:
        try:
            await ctx.sleep(3600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def afterwards(ctx: ActionContext) -> None:
        await ctx.sleep(0.01)
        ctx.output("seen", list(seen))  # while the run goes on: at its end everything is cancelled

    builder = NetBuilder("net").transition(
        "t", every("p"), either("ok", timeout(0.01, both("late", forward("p", "q"))))
    )
    net = builder.transition("u", "late", "seen").build()
    run = execute(backend, net, {"t": endless, "u": afterwards}, {"p": ["a"]})
    assert len(run.of("ActionTimedOut", "t")) == 1
    assert run.result.values == {"seen": [["cancelled"]], "q": ["a"]}


@on_every_backend
def test_exec_022_ac2_a_synchronous_action_that_took_too_long_timed_out_as_well(backend: str) -> None:
    """It cannot be stopped, but its result comes too late."""
    import time

    executor: Any = None

    def busy(ctx: ActionContext) -> None:
        ctx.output("ok", 1)
        if executor is None:
            time.sleep(0.02)
        else:
            executor.spend(0.02)

    if backend == "virtual":
        from petri_cli.engine import VirtualExecutor

        executor = VirtualExecutor(racing(0.005), {"t": busy}, {"p": ["a"]})
        assert executor.run().values == {"late": [None], "retry": ["a"]}
    else:
        run = execute(backend, racing(0.005), {"t": busy}, {"p": ["a"]})
        assert run.result.values == {"late": [None], "retry": ["a"]}


@on_every_backend
def test_exec_022_ac3_every_consumed_token_is_forwarded_in_order(backend: str) -> None:
    async def endless(ctx: ActionContext) -> None:
        await ctx.sleep(3600)

    run = execute(backend, racing(0.01), {"t": endless}, {"p": ["a", "b", "c"]})
    assert run.result.values["retry"] == ["a", "b", "c"]
    pair = NetBuilder("net").transition("t", exactly(2, "p"), either("ok", timeout(0.01, forward("p", "retry"))))
    run = execute(backend, pair.build(), {"t": endless}, {"p": ["a", "b", "c"]})
    assert run.result.values == {"p": ["c"], "retry": ["a", "b"]}


@on_every_backend
def test_exec_022_ac4_what_was_written_before_the_time_out_is_discarded(backend: str) -> None:
    async def endless(ctx: ActionContext) -> None:
        ctx.output("ok", "partial")
        await ctx.sleep(3600)

    run = execute(backend, racing(0.01), {"t": endless}, {"p": ["a"]})
    assert run.result.values == {"late": [None], "retry": ["a"]}
    assert run.of("TokenAdded", "ok") == []


def test_exec_022_ac4_a_late_write_lands_nowhere_not_even_in_the_next_firing() -> None:
    async def stubborn(ctx: ActionContext) -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            ctx.output("ok", "late")

    async def second(ctx: ActionContext) -> None:
        await asyncio.sleep(0.005)
        ctx.output("done", 1)

    net = (
        NetBuilder("net")
        .transition("t", "p", either("ok", timeout(0.005, "again")))
        .transition("u", "again", "done")
        .marking(p=1)
        .build()
    )
    run = execute("async", net, {"t": stubborn, "u": second})
    assert run.result.values == {"done": [1]}


def test_exec_022_ac4_a_completion_after_the_time_out_is_ignored() -> None:
    scheduler = Scheduler(racing(1), {"p": ["a"]})
    firing = scheduler.step(0).firings[0]
    scheduler.step(1, [(firing.id, TimedOut())])
    late = scheduler.step(2, [(firing.id, Produced({"ok": [1]})), (firing.id, Failed("Late"))])
    assert late.events == []
    assert "ok" not in scheduler.marking()


def test_exec_022_the_time_out_that_strikes_first_counts_and_one_inside_another_is_its_branch() -> None:
    output = both("ok", timeout(2, "second"), timeout(1, both("first", timeout(0.5, "inner"))))
    net = NetBuilder("net").transition("t", "p", output).marking(p=1).build()
    run = execute("virtual", net, {"t": _endless})
    assert run.result.counts == {"first": 1, "inner": 1}
    assert run.result.duration == 1.0


async def _endless(ctx: ActionContext) -> None:
    await ctx.sleep(3600)


def test_exec_022_a_time_out_that_offers_a_choice_takes_its_first_branch() -> None:
    net = NetBuilder("net").transition("t", "p", either("ok", timeout(1, either("x", "y")))).marking(p=1).build()
    assert execute("virtual", net, {"t": _endless}).result.counts == {"x": 1}


@pytest.mark.parametrize("backend", ["virtual", "async"])
def test_exec_022_a_race_without_a_time_out_branch_just_waits(backend: str) -> None:
    net = NetBuilder("net").transition("t", "p", "ok").marking(p=1).build()
    run = execute(backend, net, {"t": quick})
    assert run.result.values == {"ok": [1]}
