"""Consumption, reads, resets, deposition (EXEC-010, 011, 012, 013, 020)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from petri_cli.engine import ActionContext, Produced, Scheduler, fork
from petri_cli.engine.tokens import to_ticks
from petri_cli.net.builder import NetBuilder, at_least, delayed, every, exactly, one
from petri_cli.net.model import Input, Transition
from tests.contract.backends import execute, on_every_backend


def consumed_by(backend: str, arc: Input) -> list[list[object]]:
    """What each firing of a transition with ``arc`` on a place with A, B and C was given."""
    given: list[list[object]] = []
    net = NetBuilder("net").transition("t", arc).marking(p=["A", "B", "C"]).build()
    execute(backend, net, {"t": lambda ctx: given.append(ctx.inputs("p"))})
    return given


@on_every_backend
def test_exec_010_ac1_one_consumes_the_oldest(backend: str) -> None:
    assert consumed_by(backend, one("p")) == [["A"], ["B"], ["C"]]


@on_every_backend
def test_exec_010_ac2_exactly_2_consumes_the_two_oldest(backend: str) -> None:
    assert consumed_by(backend, exactly(2, "p")) == [["A", "B"]]


@on_every_backend
def test_exec_010_ac3_all_consumes_all_in_order(backend: str) -> None:
    assert consumed_by(backend, every("p")) == [["A", "B", "C"]]
    assert consumed_by(backend, at_least(2, "p")) == [["A", "B", "C"]]
    assert consumed_by(backend, at_least(4, "p")) == []


def test_exec_011_removed_there_is_no_guard_predicate_that_selects_tokens() -> None:
    assert {f.name for f in fields(Input)} == {"place", "kind", "count"}
    assert not any("guard" in f.name or "predicate" in f.name for f in fields(Transition))


@on_every_backend
def test_exec_012_ac1_a_read_gives_the_oldest_token_and_leaves_all(backend: str) -> None:
    read: list[object] = []
    net = NetBuilder("net").transition("t", "go", reads="cfg").marking(go=1, cfg=["A", "B"]).build()
    run = execute(backend, net, {"t": lambda ctx: read.append(ctx.read("cfg"))})
    assert read == ["A"]
    assert run.result.values == {"cfg": ["A", "B"]}
    assert run.of("TokenRemoved", "cfg") == []


@on_every_backend
def test_exec_013_ac1_a_reset_removes_every_token(backend: str) -> None:
    net = NetBuilder("net").transition("t", "go", resets="r").marking(go=1, r=["a", "b", "c", "d", "e"]).build()
    run = execute(backend, net)
    assert run.result.values == {}
    assert [e.token.value for e in run.of("TokenRemoved", "r")] == ["a", "b", "c", "d", "e"]


@on_every_backend
def test_exec_013_ac2_resetting_an_empty_place_is_no_error(backend: str) -> None:
    run = execute(backend, NetBuilder("net").transition("t", "go", resets="r").marking(go=1).build())
    assert run.started == ["t"]
    assert run.result.failures == 0


def test_exec_013_ac3_a_reset_restarts_the_clock_of_a_transition_that_needs_the_place() -> None:
    net = (
        NetBuilder("net")
        .transition("T", "timer", "fired", timing=delayed(0.1))
        .transition("refresh", "tick", "timer", resets="timer", timing=delayed(0.06))
        .marking(timer=2, tick=1)
        .build()
    )
    run = execute("virtual", net, {"T": fork(), "refresh": lambda ctx: {"timer": "fresh"}})
    assert [e.transition for e in run.of("TransitionClockRestarted")] == ["T"]
    started = {e.transition: e.time for e in run.of("TransitionStarted")}
    assert started == {"refresh": to_ticks(0.06), "T": to_ticks(0.16)}


@on_every_backend
def test_exec_013_ac4_a_read_on_a_reset_place_sees_the_token_before_the_reset(backend: str) -> None:
    read: list[object] = []
    net = NetBuilder("net").transition("t", "go", reads="st", resets="st").marking(go=1, st=["old1", "old2"]).build()
    run = execute(backend, net, {"t": lambda ctx: read.append(ctx.read("st"))})
    assert read == ["old1"]
    assert run.result.values == {}


@on_every_backend
def test_exec_013_ac4_consumption_comes_before_reads_and_reads_before_resets(backend: str) -> None:
    seen: list[Any] = []

    def look(ctx: ActionContext) -> None:
        seen.append((ctx.input("p"), ctx.read("p")))

    net = NetBuilder("net").transition("t", "p", reads="p", resets="p").marking(p=["a", "b", "c"]).build()
    run = execute(backend, net, {"t": look})
    assert seen == [("a", "b")]
    assert [e.token.value for e in run.of("TokenRemoved", "p")] == ["a", "b", "c"]


@on_every_backend
def test_exec_020_ac1_a_produced_token_lands_at_the_end_of_the_queue(backend: str) -> None:
    net = NetBuilder("net").transition("t", "s", "p").marking(s=["V"], p=["first"]).build()
    assert execute(backend, net, {"t": fork()}).result.values == {"p": ["first", "V"]}


@on_every_backend
def test_exec_020_ac2_several_tokens_for_a_place_are_added_in_order(backend: str) -> None:
    def three(ctx: ActionContext) -> dict[str, list[str]]:
        ctx.output("p", "a")
        ctx.output("p", "b")
        return {"p": ["c"]}

    net = NetBuilder("net").transition("t", "s", "p").marking(s=1).build()
    run = execute(backend, net, {"t": three})
    assert run.result.values == {"p": ["a", "b", "c"]}
    assert [e.token.value for e in run.of("TokenAdded", "p")] == ["a", "b", "c"]


def test_exec_020_a_token_is_dated_when_it_is_deposited() -> None:
    net = NetBuilder("net").transition("t", "s", "p").marking(s=1).build()
    scheduler = Scheduler(net)
    firing = scheduler.step(10).firings[0]
    scheduler.step(25, [(firing.id, Produced({"p": ["x"]}))])
    assert scheduler.marking()["p"][0].created_at == 25
