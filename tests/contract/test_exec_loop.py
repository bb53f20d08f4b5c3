"""The orchestrator loop, the order of firing, and conflicts (EXEC-001, 002, 003)."""

from __future__ import annotations

from typing import Any

from petri_cli.engine import ActionContext, Produced, Scheduler, VirtualExecutor, fork
from petri_cli.engine.tokens import Token, to_ticks
from petri_cli.net.builder import NetBuilder, at_least, both, delayed, every, exactly, window
from tests.contract.backends import execute, on_every_backend
from tests.reference_scheduler import ReferenceScheduler


def kinds(events: list[Any]) -> list[tuple[str, str | None]]:
    return [(e.type, getattr(e, "place", None) or getattr(e, "transition", None)) for e in events]


def test_exec_001_ac1_steps_execute_in_the_specified_order_each_cycle() -> None:
    net = (
        NetBuilder("net")
        .transition("work", "p", "q")
        .transition("next", "q", "end", priority=1)
        .transition("late", ["slow", "outside"], "end", timing=delayed(1))
        .build()
    )
    scheduler = Scheduler(net, {"p": 1})
    first = scheduler.step(0)
    assert [f.transition for f in first.firings] == ["work"]
    cycle = scheduler.step(5, [(first.firings[0].id, Produced({"q": [7]}))], [("slow", Token("s", 5))])
    assert kinds(cycle.events) == [
        ("TokenAdded", "q"),  # 1 completions
        ("TransitionCompleted", "work"),
        ("TokenAdded", "slow"),  # 2 external events
        ("TransitionEnabled", "next"),  # 3 enablement
        ("TokenRemoved", "q"),  # 5 firing
        ("TransitionStarted", "next"),
    ]


def test_exec_001_ac1_deadlines_are_enforced_after_enablement_and_before_firing() -> None:
    net = NetBuilder("net").transition("t", "p", timing=window(1, 2)).transition("u", "q").build()
    scheduler = Scheduler(net, {"p": 1}, tolerance=0)
    scheduler.step(0)
    late = scheduler.step(to_ticks(3), (), [("q", Token())])
    assert kinds(late.events) == [
        ("TokenAdded", "q"),
        ("TransitionEnabled", "u"),
        ("TransitionTimedOut", "t"),
        ("TokenRemoved", "q"),
        ("TransitionStarted", "u"),
    ]


@on_every_backend
def test_exec_001_ac2_no_transition_fires_before_completions_are_processed(backend: str) -> None:
    net = NetBuilder("net").transition("a", "p", "q").transition("b", "q", "r").marking(p=["x"]).build()
    run = execute(backend, net, {"a": fork(), "b": fork()})
    wanted = (("TransitionCompleted", "a"), ("TransitionStarted", "b"))
    assert run.order(*wanted) == list(wanted)
    completed, started = run.of("TransitionCompleted", "a")[0], run.of("TransitionStarted", "b")[0]
    assert started.consumed["q"][0] is completed.produced["q"][0]


def test_exec_001_ac2_a_completion_disables_what_would_fire_at_the_same_instant() -> None:
    """`t` is ready when `work`, at this very moment, puts a token where `t` must not see one."""
    net = (
        NetBuilder("net")
        .transition("t", "p", "done", inhibitors="stop", timing=delayed(0.05))
        .transition("work", "q", "stop")
        .marking(p=1, q=1)
        .build()
    )

    async def work(ctx: ActionContext) -> None:
        await ctx.sleep(0.05)
        ctx.output("stop", 1)

    assert execute("virtual", net, {"t": fork(), "work": work}).started == ["work"]
    scheduler = Scheduler(net)
    [firing] = scheduler.step(0).firings
    assert not scheduler.step(to_ticks(0.05), [(firing.id, Produced({"stop": [1]}))]).firings


def test_exec_001_ac2_a_completion_brings_up_a_higher_priority_before_a_free_slot_is_taken() -> None:
    net = (
        NetBuilder("net")
        .transition("low", "p")
        .transition("work", "q", "r", priority=1)
        .transition("high", "r", priority=2)
        .marking(p=1, q=1)
        .build()
    )
    scheduler = Scheduler(net, max_concurrency=1)
    [work] = scheduler.step(0).firings
    assert [f.transition for f in scheduler.step(1, [(work.id, Produced({"r": [1]}))]).firings] == ["high"]


def test_exec_001_ac3_external_events_are_applied_before_enablement_is_updated() -> None:
    net = NetBuilder("net").place("ev", environment=True).transition("t", ["p", "ev"], "q").marking(p=1).build()
    scheduler = Scheduler(net)
    assert not scheduler.step(0).firings
    step = scheduler.step(1, (), [("ev", Token("x", 1))])
    assert [f.transition for f in step.firings] == ["t"]  # in the very cycle that applied the event
    assert kinds(step.events)[:2] == [("TokenAdded", "ev"), ("TransitionEnabled", "t")]


@on_every_backend
def test_exec_002_ac1_priority_10_fires_before_priority_5(backend: str) -> None:
    net = (
        NetBuilder("net")
        .transition("five", "a", priority=5)
        .transition("ten", "b", priority=10)
        .transition("five again", "c", priority=5)
        .marking(a=1, b=1, c=1)
        .build()
    )
    assert execute(backend, net).started == ["ten", "five", "five again"]


def test_exec_002_ac2_of_equal_priority_the_one_enabled_first_fires_first() -> None:
    """Both are ready at 0.03 s; `early` was enabled at 0, `late` at 0.01."""
    net = (
        NetBuilder("net")
        .transition("late", "b", "o", timing=delayed(0.02))
        .transition("early", "a", "o", timing=delayed(0.03))
        .transition("feed", "f", "b", timing=delayed(0.01))
        .marking(a=1, f=1)
        .build()
    )
    actions = {t: fork() for t in ("late", "early", "feed")}
    assert execute("virtual", net, actions).started == ["feed", "early", "late"]


@on_every_backend
def test_exec_002_ac3_of_equal_priority_and_time_the_one_declared_first_fires_first(backend: str) -> None:
    builder = NetBuilder("net").transition("high", "x", priority=1)
    for name in ("z", "m", "a"):
        builder.transition(name, f"p.{name}")
    net = builder.marking({"p.a": 1, "p.m": 1, "p.z": 1}).build()
    assert execute(backend, net).started == ["z", "m", "a"]


@on_every_backend
def test_exec_002_ac4_every_backend_follows_enablement_order_on_the_general_path(backend: str) -> None:
    """`late` is declared first and enabled a cycle after `early`, which in simulated time is the same instant.

    Both wait for the one slot that the two firings of higher priority take in turn.
    """
    net = (
        NetBuilder("net")
        .transition("late", "b")
        .transition("early", "a")
        .transition("feed", "s", both("b", "next"), priority=5)
        .transition("keep", "next", priority=5)
        .marking(a=1, s=1)
        .build()
    )
    actions = {"feed": fork()}
    assert execute(backend, net, actions, max_concurrency=1).started == ["feed", "keep", "early", "late"]


@on_every_backend
def test_exec_002_ac4_every_backend_follows_declaration_order_on_the_fast_path(backend: str) -> None:
    """The same with one priority: declaration order alone."""
    net = (
        NetBuilder("net")
        .transition("feed", "s", both("b", "next"))
        .transition("keep", "next")
        .transition("late", "b")
        .transition("early", "a")
        .marking(a=1, s=1)
        .build()
    )
    actions = {"feed": fork()}
    assert execute(backend, net, actions, max_concurrency=1).started == ["feed", "keep", "late", "early"]


def test_exec_002_ac4_enablement_time_decides_on_the_general_path_and_declaration_on_the_fast_path() -> None:
    def enabled_in_two_cycles(priority: int) -> list[str]:
        """`late` is declared first, `early` is enabled a cycle before it; both wait while one firing is in flight."""
        net = (
            NetBuilder("net")
            .transition("late", "b")
            .transition("early", "a")
            .transition("busy", "w", priority=priority)
            .build()
        )
        scheduler = Scheduler(net, {"w": 1}, max_concurrency=1)
        busy = scheduler.step(0).firings[0]
        scheduler.step(1, (), [("a", Token())])
        scheduler.step(2, (), [("b", Token())])
        order = []
        done = [(busy.id, Produced({}))]
        for now in range(3, 8):
            firings = scheduler.step(now, done).firings
            order += [f.transition for f in firings]
            done = [(f.id, Produced({})) for f in firings]
        return order[:2]

    assert enabled_in_two_cycles(priority=1) == ["early", "late"]
    assert enabled_in_two_cycles(priority=0) == ["late", "early"]


@on_every_backend
def test_exec_003_ac1_the_higher_priority_takes_the_only_token(backend: str) -> None:
    net = (
        NetBuilder("net")
        .transition("t2", "p", "lost", priority=5)
        .transition("t1", "p", "won", priority=10)
        .marking(p=["x"])
        .build()
    )
    run = execute(backend, net, {"t1": fork(), "t2": fork()})
    assert run.started == ["t1"]
    assert run.result.values == {"won": ["x"]}


@on_every_backend
def test_exec_003_ac2_a_higher_priority_that_is_not_ready_reserves_nothing(backend: str) -> None:
    net = (
        NetBuilder("net")
        .transition("t1", "p", "a", priority=10, timing=delayed(3600))
        .transition("t2", "p", "b", priority=5)
        .marking(p=["x"])
        .build()
    )
    run = execute(backend, net, {"t1": fork(), "t2": fork()})
    assert run.started == ["t2"]
    assert run.result.values == {"b": ["x"]}


@on_every_backend
def test_exec_003_ac3_a_refill_in_the_same_pass_does_not_save_the_loser(backend: str) -> None:
    net = (
        NetBuilder("net")
        .transition("t1", ["p", "once"], "p", priority=10)
        .transition("t2", "p", "q", priority=5)
        .transition("t3", "other", "r", priority=1)
        .marking(p=["first"], once=1, other=1)
        .build()
    )
    run = execute(backend, net, {"t1": lambda ctx: {"p": "refill"}, "t2": fork(), "t3": fork()})
    assert run.started == ["t1", "t3", "t2"]  # t2 fires a cycle later, although t1 is synchronous
    assert run.result.values["q"] == ["refill"]


@on_every_backend
def test_exec_003_ac4_a_cardinality_gate_does_not_count_deposits_of_the_same_pass(backend: str) -> None:
    for gate in (exactly(2, "q"), at_least(2, "q")):
        net = (
            NetBuilder("net")
            .transition("swap", ["q", "once"], "q", priority=10)
            .transition("gate", gate, "done", priority=5)
            .transition("other", "o", priority=1)
            .marking(q=["q1", "q2"], once=1, o=1)
            .build()
        )
        actions = {"swap": lambda ctx: {"q": "new"}, "gate": lambda ctx: {"done": ctx.inputs("q")}}
        run = execute(backend, net, actions)
        assert run.started == ["swap", "other", "gate"]
        assert run.result.values["done"] == ["q2", "new"]


@on_every_backend
def test_exec_003_ac4_a_correlated_join_waits_for_the_next_cycle_after_a_deposit(backend: str) -> None:
    net = (
        NetBuilder("net")
        .transition("move", ["a", "once"], "a", priority=10)
        .transition("join", ["a", "b"], "o", priority=5, match={"a": "id", "b": "id"})
        .transition("other", "c", priority=1)
        .marking(a=[{"id": 1}], b=[{"id": 1}], once=1, c=1)
        .build()
    )
    actions = {"move": lambda ctx: {"a": {"id": 1, "new": True}}, "join": lambda ctx: {"o": ctx.input("a")}}
    run = execute(backend, net, actions)
    assert run.started == ["move", "other", "join"]
    assert run.result.values["o"] == [{"id": 1, "new": True}]


@on_every_backend
def test_exec_003_ac5_draining_arcs_leave_deposits_of_the_same_pass(backend: str) -> None:
    put: dict[str, Any] = {"put": lambda ctx: {"q": "new"}, "drain": lambda ctx: {"batch": ctx.inputs("q")}}
    for arc in (every("q"), at_least(2, "q")):
        net = (
            NetBuilder("net")
            .transition("put", "s", "q", priority=10)
            .transition("drain", [arc, "once"], "batch", priority=5)
            .marking(s=1, q=["old1", "old2"], once=1)
            .build()
        )
        assert execute(backend, net, put).result.values == {"q": ["new"], "batch": ["old1", "old2"]}
    wiped = (
        NetBuilder("net")
        .transition("put", "s", "q", priority=10)
        .transition("wipe", "once", resets="q", priority=5)
        .marking(s=1, q=["old"], once=1)
        .build()
    )
    run = execute(backend, wiped, {"put": put["put"]})
    assert run.started == ["put", "wipe"]
    assert run.result.values == {"q": ["new"]}


def test_exec_001_a_transition_fires_at_most_once_a_pass() -> None:
    net = NetBuilder("net").transition("t", "p").transition("u", "q").build()
    scheduler = Scheduler(net, {"p": 3, "q": 2})
    passes = []
    done: list[tuple[int, Produced]] = []
    for now in range(4):
        firings = scheduler.step(now, done).firings
        passes.append([f.transition for f in firings])
        done = [(f.id, Produced({})) for f in firings]
    assert passes == [["t", "u"], ["t", "u"], ["t"], []]


def test_exec_003_a_transition_that_a_firing_disabled_sits_out_the_pass_even_if_another_enables_it_again() -> None:
    """Only a correlated inhibitor can bring a transition back within a pass; the clock starts afresh all the same."""
    net = (
        NetBuilder("net")
        .transition("take x", "a", priority=9, match={"a": "id"})
        .transition("free y", "block", priority=8)
        .transition("t", ["a", "c"], inhibitors="block", match={"a": "id", "c": "id", "block": "id"})
        .build()
    )
    marking: Any = {
        "a": [Token({"id": "x"}, 1), Token({"id": "y"}, 2)],
        "c": [Token({"id": "x"}, 1), Token({"id": "y"}, 2)],
        "block": [Token({"id": "y"}, 0)],
    }
    scheduler = Scheduler(net, marking)
    first = scheduler.step(0)
    assert [f.transition for f in first.firings] == ["take x", "free y"]
    second = scheduler.step(1)
    assert ("TransitionClockRestarted", "t") in kinds(second.events)
    reference = ReferenceScheduler(net, marking)
    assert [f.transition for f in reference.step(0)[0]] == ["take x", "free y"]


def test_exec_001_virtual_time_stands_still_while_there_is_anything_to_do() -> None:
    seen: list[int] = []

    def look(ctx: ActionContext) -> dict[str, int]:
        seen.append(executor.now())
        return {"q": 1}

    net = NetBuilder("net").transition("a", "p", "q").transition("b", "q", "r", timing=delayed(2)).marking(p=3).build()
    executor = VirtualExecutor(net, {"a": look, "b": fork()})
    assert executor.run().duration == 6.0  # the clock of b starts afresh with each of its three firings
    assert seen == [0, 0, 0]
