"""Failure, no rollback, quiescence, the result, stale detection (EXEC-030, 031, 040, 041, 050)."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from petri_cli.engine import ActionContext, Token, VirtualExecutor, blocking, fork
from petri_cli.net.builder import NetBuilder, both, delayed
from petri_cli.net.model import Net
from tests.contract.backends import execute, on_every_backend

SAMPLE = Path(__file__).parents[2] / "samples" / "engine" / "stale_detection.py"


def boom(ctx: ActionContext) -> None:
    ctx.output("a", "partial")
    raise ValueError("boom")


async def boom_later(ctx: ActionContext) -> None:
    ctx.output("a", "partial")
    await ctx.sleep(0.001)
    raise ValueError("boom")


def failing() -> Net:
    return (
        NetBuilder("net")
        .transition("bad", "s", both("a", "b"), priority=5)
        .transition("good", "k", "o")
        .marking(s=["x"], k=["k1", "k2"])
        .build()
    )


@on_every_backend
@pytest.mark.parametrize("action", [boom, boom_later])
def test_exec_030_ac1_a_failing_action_emits_its_message_and_type(backend: str, action: Any) -> None:
    run = execute(backend, failing(), {"bad": action, "good": fork()})
    [failure] = run.of("TransitionFailed")
    assert (failure.transition, failure.error, failure.message) == ("bad", "ValueError", "boom")
    assert run.result.failures == 1


@on_every_backend
@pytest.mark.parametrize("action", [boom, boom_later])
def test_exec_030_ac2_consumed_tokens_are_lost(backend: str, action: Any) -> None:
    run = execute(backend, failing(), {"bad": action, "good": fork()})
    assert run.result.values == {"o": ["k1", "k2"]}
    assert run.of("TokenAdded", "s") == []


@on_every_backend
@pytest.mark.parametrize("action", [boom, boom_later])
def test_exec_030_ac3_other_transitions_go_on(backend: str, action: Any) -> None:
    run = execute(backend, failing(), {"bad": action, "good": fork()})
    assert run.started == ["bad", "good", "good"]
    assert run.result.reason == "quiescent"


@on_every_backend
def test_exec_030_the_failed_firing_is_no_longer_in_flight(backend: str) -> None:
    run = execute(backend, failing(), {"bad": boom, "good": fork()}, max_concurrency=1)
    assert run.started == ["bad", "good", "good"]  # with one slot, the others could not start otherwise


@on_every_backend
def test_exec_030_a_timeout_error_that_an_action_raises_is_an_ordinary_failure(backend: str) -> None:
    def late(ctx: ActionContext) -> None:
        raise TimeoutError("the server")

    run = execute(backend, failing(), {"bad": late, "good": fork()})
    assert [e.error for e in run.of("TransitionFailed")] == ["TimeoutError"]
    assert run.of("ActionTimedOut") == []


def leave(ctx: ActionContext) -> None:
    sys.exit(3)


async def leave_later(ctx: ActionContext) -> None:
    await ctx.sleep(0.001)
    sys.exit(3)


@on_every_backend
@pytest.mark.parametrize("action", [leave, leave_later, blocking(lambda ctx: sys.exit(3))])
def test_exec_030_an_action_does_not_end_the_program_that_it_runs_in(backend: str, action: Any) -> None:
    run = execute(backend, failing(), {"bad": action, "good": fork()})
    assert [(e.error, e.message) for e in run.of("TransitionFailed")] == [("SystemExit", "3")]
    assert run.result.values == {"o": ["k1", "k2"]}


@on_every_backend
@pytest.mark.parametrize("action", [boom, boom_later])
def test_exec_031_ac1_after_a_failure_the_consumed_token_is_in_no_place(backend: str, action: Any) -> None:
    net = NetBuilder("net").transition("t", "p", both("a", "b"), resets="r").marking(p=["x"], r=["y"]).build()
    run = execute(backend, net, {"t": action})
    assert run.result.marking == {}


@on_every_backend
def test_exec_040_ac1_a_chain_runs_to_completion_with_its_token_at_the_end(backend: str) -> None:
    builder = NetBuilder("net")
    for k in range(5):
        builder.transition(f"t{k}", f"p{k}", f"p{k + 1}")
    net = builder.marking(p0=["token"]).build()
    run = execute(backend, net, {f"t{k}": fork() for k in range(5)})
    assert run.result.values == {"p5": ["token"]}
    assert run.result.reason == "quiescent"
    assert run.started == ["t0", "t1", "t2", "t3", "t4"]


@on_every_backend
def test_exec_040_ac2_parallel_branches_are_waited_for(backend: str) -> None:
    async def slow(ctx: ActionContext) -> None:
        await ctx.sleep(0.02)
        ctx.output("o", "slow")

    async def quick(ctx: ActionContext) -> None:
        await ctx.sleep(0.001)
        ctx.output("o", "quick")

    net = NetBuilder("net").transition("slow", "p", "o").transition("quick", "q", "o").marking(p=1, q=1).build()
    run = execute(backend, net, {"slow": slow, "quick": quick})
    assert run.result.values == {"o": ["quick", "slow"]}
    assert run.events[-1].type == "ExecutionCompleted"


@on_every_backend
def test_exec_040_a_transition_that_waits_for_its_time_is_waited_for(backend: str) -> None:
    net = NetBuilder("net").transition("t", "p", "q", timing=delayed(0.01)).marking(p=1).build()
    assert execute(backend, net, {"t": fork()}).result.counts == {"q": 1}


@on_every_backend
def test_exec_041_ac1_the_result_holds_the_tokens_after_quiescence(backend: str) -> None:
    net = NetBuilder("net").transition("t", "p", "q").marking(p=["a", "b"]).build()
    run = execute(backend, net, {"t": fork()})
    assert [t.value for t in run.result.marking["q"]] == ["a", "b"]
    snapshot = run.of("MarkingSnapshot")[-1]
    assert snapshot.marking == run.result.marking


@on_every_backend
def test_exec_041_ac2_every_place_with_tokens_is_in_it(backend: str) -> None:
    net = NetBuilder("net").place("idle").transition("t", "p", "q").marking(p=1, idle=["still here"]).build()
    run = execute(backend, net, {"t": fork()}, {"p": 1, "idle": ["still here"], "unknown": ["kept"]})
    assert run.result.values == {"q": [None], "idle": ["still here"], "unknown": ["kept"]}


def sample() -> dict[str, Any]:
    return runpy.run_path(str(SAMPLE))


def commit(answer: dict[str, Any], latest: int) -> dict[str, list[object]]:
    """The final marking after `commit` was given ``answer`` while ``latest`` was the newest search."""
    module = sample()
    marking = {"found": [Token(answer, 5)], "latest": [Token(latest, 1)]}
    return VirtualExecutor(module["NET"], module["ACTIONS"], marking).run().values


def test_exec_050_ac1_a_read_arc_provides_the_timestamp_of_the_shared_state() -> None:
    given: list[object] = []

    def look(ctx: ActionContext) -> None:
        given.append(ctx.read("latest"))
        ctx.output("committed", "q")

    module = sample()
    marking = {"found": [Token({"query": "q", "began": 7}, 5)], "latest": [Token(7, 1)]}
    result = VirtualExecutor(module["NET"], {**module["ACTIONS"], "commit": look}, marking).run()
    assert given == [7]
    assert result.values["latest"] == [7]  # it was read, not taken


def test_exec_050_ac2_an_action_compares_the_consumed_tokens_timestamp_with_the_value_read() -> None:
    assert commit({"query": "q", "began": 7}, latest=7)["committed"] == ["q"]
    assert commit({"query": "q", "began": 8}, latest=7)["committed"] == ["q"]
    assert commit({"query": "q", "began": 6}, latest=7)["discarded"] == ["q"]


def test_exec_050_ac3_stale_data_is_routed_to_the_discard_branch() -> None:
    result = sample()["two_searches"]()
    assert result.values == {"latest": [2_000_000], "committed": ["quick"], "discarded": ["slow"]}
    assert result.failures == 0
