"""The scheduler asked directly: unknown places, snapshots, returned firings, names, inhibitors, wake-up times."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.engine import Failed, Produced, Returned, Scheduler, Snapshot, Token, to_ticks
from petri_cli.engine.tokens import PARENT_NAME
from petri_cli.errors import PetriError
from petri_cli.net.builder import NetBuilder, deadline, delayed, every, exactly, window
from petri_cli.net.model import Input, Net, Place, Transition
from petri_cli.plan import lower


def fired(scheduler: Scheduler, now: int = 0, *told: Any) -> list[str]:
    return [f.transition for f in scheduler.step(now, *told).firings]


def types(events: list[Any]) -> list[str]:
    return [e.type for e in events]


def all_done(firings: list[Any], **outputs: list[object]) -> list[tuple[int, Produced]]:
    return [(f.id, Produced(outputs)) for f in firings]


# Places and markings


def test_tokens_on_a_place_the_net_does_not_declare_are_kept_and_told_once_each_place() -> None:
    net = NetBuilder("net").transition("t", "s").build()
    scheduler = Scheduler(net, {"ghost": ["g1", "g2"], "s": 0, "phantom": 1})
    first = scheduler.step(0)
    warnings = [e for e in first.events if e.type == "LogMessage"]
    assert [(e.level, e.transition) for e in warnings] == [("WARN", None)] * 2
    assert "'ghost'" in warnings[0].message and "'phantom'" in warnings[1].message
    later = scheduler.step(1, (), [("ghost", Token("g3", 1)), ("wraith", Token("w", 1))])
    assert types(later.events) == ["TokenAdded", "TokenAdded", "LogMessage"]
    assert {p: [t.value for t in q] for p, q in scheduler.marking().items()} == {
        "ghost": ["g1", "g2", "g3"],
        "phantom": [None],
        "wraith": ["w"],
    }
    assert scheduler.quiescent


def test_a_net_brings_its_initial_tokens_with_their_values() -> None:
    net = NetBuilder("net").place("p").place("q").marking(p=2, q=["a", "b"]).build()
    assert {p: [t.value for t in q] for p, q in Scheduler(net, now=9).marking().items()} == {
        "p": [None, None],
        "q": ["a", "b"],
    }
    assert Scheduler(net, now=9).marking()["q"][0].created_at == 9


def test_a_marking_is_numbers_or_lists_of_values() -> None:
    net = NetBuilder("net").place("p").build()
    with pytest.raises(TypeError, match="a number or a list of values"):
        Scheduler(net, {"p": "abc"})


def test_a_net_that_breaks_a_rule_is_refused() -> None:
    bad = Net("net", (Place("p"),), (Transition("t", (Input("p"), Input("p"))),))
    with pytest.raises(PetriError, match="two input arcs"):
        Scheduler(bad)


# Snapshots


def test_a_snapshot_keeps_value_date_name_and_minted_names() -> None:
    net = NetBuilder("net").transition("t", "p", "q").build()
    scheduler = Scheduler(net, {"p": [Token("v", 3, "each[1]")], "stray": [Token(1, 2)]})
    assert scheduler.fresh_name("t") == "t#1"
    snapshot = scheduler.snapshot()
    again = Scheduler(net, snapshot, now=100)
    assert again.marking() == scheduler.marking() == {"p": (Token("v", 3, "each[1]"),), "stray": (Token(1, 2),)}
    assert again.fresh_name("t") == "t#2"
    assert again.fresh_name("u") == "u#1"
    assert isinstance(snapshot, Snapshot)


def test_restoring_starts_every_clock_afresh() -> None:
    net = NetBuilder("net").transition("t", "p", timing=delayed(1)).build()
    scheduler = Scheduler(net, {"p": 1})
    assert scheduler.step(0).wake_at == to_ticks(1)
    restored = Scheduler(net, scheduler.snapshot(), now=to_ticks(0.9))
    assert restored.step(to_ticks(0.9)).wake_at == to_ticks(1.9)


def test_a_snapshot_is_refused_while_tokens_are_in_flight() -> None:
    scheduler = Scheduler(NetBuilder("net").transition("t", "p").build(), {"p": 1})
    firing = scheduler.step(0).firings[0]
    with pytest.raises(RuntimeError, match="in flight"):
        scheduler.snapshot()
    scheduler.step(1, [(firing.id, Failed("ValueError"))])
    assert scheduler.snapshot().marking == {}


# Returned firings


def test_a_returned_firing_puts_everything_back_where_it_was() -> None:
    net = NetBuilder("net").transition("t", [exactly(2, "p"), every("q")], resets=["r", "p"]).build()
    before = {"p": (Token("a"), Token("b"), Token("c")), "q": (Token("d"), Token("e")), "r": (Token("f"), Token("g"))}
    scheduler = Scheduler(net, {p: list(q) for p, q in before.items()})
    firing = scheduler.step(0).firings[0]
    assert scheduler.marking() == {}
    step = scheduler.step(5, [(firing.id, Returned())])
    added = [e for e in step.events if e.type == "TokenAdded"]
    assert all(e.front and e.firing == firing.id for e in added)
    assert types(step.events)[len(added)] == "TransitionEnabled"
    assert [f.transition for f in step.firings] == ["t"]  # as if it had not begun, it may begin again
    assert step.firings[0].consumed == firing.consumed
    assert step.firings[0].removed == firing.removed


def test_returned_tokens_go_before_those_that_came_meanwhile() -> None:
    scheduler = Scheduler(NetBuilder("net").transition("t", "p").build(), {"p": ["a"]}, max_concurrency=1)
    firing = scheduler.step(0).firings[0]
    scheduler.step(1, (), [("p", Token("b", 1))])
    step = scheduler.step(2, [(firing.id, Returned())])
    assert [t.value for t in step.firings[0].consumed["p"]] == ["a"]


def test_a_clock_that_a_return_re_enables_starts_afresh() -> None:
    net = (
        NetBuilder("net")
        .transition("slow", "p", timing=delayed(10))
        .transition("claim", "p", priority=1, timing=delayed(4))
        .build()
    )
    scheduler = Scheduler(net, {"p": 1})
    scheduler.step(0)
    claim = scheduler.step(to_ticks(4)).firings[0]
    assert claim.transition == "claim"
    back = scheduler.step(to_ticks(4), [(claim.id, Returned())])
    restarted = [(e.type, e.transition) for e in back.events if "Transition" in e.type]
    assert restarted == [("TransitionClockRestarted", "slow"), ("TransitionEnabled", "claim")]
    assert back.wake_at == to_ticks(8)  # claim again, 4 s after its return


# Names


def test_names_are_taken_by_age_then_by_least_name() -> None:
    net = NetBuilder("net").transition("j", ["a", "b"], match={"a": "id", "b": "id"}).build()

    def order(a: list[Token], b: list[Token]) -> list[Any]:
        scheduler = Scheduler(net, {"a": a, "b": b})
        taken = []
        done: list[Any] = []
        for now in range(10):
            firings = scheduler.step(now, done).firings
            taken += [f.consumed["a"][0].value["id"] for f in firings]  # type: ignore[index]
            done = all_done(firings)
        return taken

    def tokens(*named: tuple[Any, int]) -> list[Token]:
        return [Token({"id": name}, age) for name, age in named]

    assert order(tokens(("X", 10), ("Y", 20)), tokens(("Y", 5), ("X", 30))) == ["Y", "X"]
    assert order(tokens(("b", 1), ("a", 1)), tokens(("a", 1), ("b", 1))) == ["a", "b"]
    assert order(tokens(("1", 1), (2, 1), (10, 1)), tokens((10, 1), ("1", 1), (2, 1))) == [2, 10, "1"]
    assert order(tokens((1, 1)), tokens(("1", 1))) == []  # a number is not its text
    assert order(tokens((None, 1), (True, 1)), tokens((None, 1), (True, 1))) == []  # no names at all


def test_a_token_without_the_field_is_never_matched_and_one_without_a_name_has_the_empty_one() -> None:
    by_field = NetBuilder("net").transition("j", ["a", "b"], match={"a": "id", "b": "id"}).build()
    assert fired(Scheduler(by_field, {"a": [{"other": 1}, "text"], "b": [{"other": 1}, "text"]})) == []
    by_own_name = NetBuilder("net").transition("j", ["a", "b"], match=["a", "b"]).build()
    assert fired(Scheduler(by_own_name, {"a": 1, "b": 1})) == ["j"]
    assert fired(Scheduler(by_own_name, {"a": [Token(1, 0, "x")], "b": 1})) == []


def test_a_token_can_be_matched_by_the_name_of_its_parent() -> None:
    net = NetBuilder("net").transition("j", ["done", "open"], match={"done": PARENT_NAME, "open": None}).build()
    scheduler = Scheduler(
        net, {"done": [Token(1, 0, "each[2]/inner[1]")], "open": [Token(1, 0, "each[1]"), Token(2, 0, "each[2]")]}
    )
    [firing] = scheduler.step(0).firings
    assert firing.consumed["open"][0].name == "each[2]"
    top = Scheduler(net, {"done": [Token(1, 0, "each[1]")], "open": 1})
    assert fired(top) == ["j"]  # the parent of an outermost item is the root, whose name is empty
    assert fired(Scheduler(net, {"done": 1, "open": 1})) == []  # the root has no parent


def test_the_engine_and_the_plans_mean_the_same_parent() -> None:
    assert lower.PARENT_NAME == PARENT_NAME


def test_all_takes_every_token_of_the_name_and_no_other() -> None:
    net = NetBuilder("net").transition("j", [every("a"), "b"], match=["a", "b"]).build()
    a = [Token(1, 0, "x"), Token(2, 0, "y"), Token(3, 0, "x")]
    scheduler = Scheduler(net, {"a": a, "b": [Token(0, 0, "x")]})
    [firing] = scheduler.step(0).firings
    assert [t.value for t in firing.consumed["a"]] == [1, 3]
    assert scheduler.marking() == {"a": (Token(2, 0, "y"),)}


def test_an_uncorrelated_input_of_a_matched_transition_is_taken_in_order() -> None:
    net = NetBuilder("net").transition("j", ["a", "b", "c"], match=["a", "b"]).build()
    marking = {"a": [Token(1, 0, "x")], "b": [Token(1, 0, "x")], "c": [Token("first", 0, "z"), Token("second", 0, "x")]}
    [firing] = Scheduler(net, marking).step(0).firings
    assert firing.consumed["c"][0].value == "first"


def test_a_correlated_inhibitor_blocks_only_its_own_name() -> None:
    net = NetBuilder("net").transition("gather", "g", inhibitors="open", match=["g", "open"]).build()
    g = [Token(1, 1, "x"), Token(2, 2, "y")]
    scheduler = Scheduler(net, {"g": g, "open": [Token(0, 0, "x")]})
    [firing] = scheduler.step(0).firings
    assert firing.consumed["g"][0].name == "y"
    blocked = Scheduler(net, {"g": g, "open": [Token(0, 0, "x"), Token(0, 0, "y")]})
    assert fired(blocked) == []


def test_a_place_may_be_matched_by_two_keys_at_once() -> None:
    net = (
        NetBuilder("net")
        .transition("by id", ["a", "b"], match={"a": "id", "b": "id"})
        .transition("by order", ["a", "c"], match={"a": "order", "c": "order"})
        .build()
    )
    a = [{"id": 1, "order": 8}, {"id": 2, "order": 9}, {"id": 1, "order": 9}]
    scheduler = Scheduler(net, {"a": a, "b": [{"id": 1}], "c": [{"order": 9}]})
    firings = scheduler.step(0).firings
    assert [(f.transition, f.consumed["a"][0].value) for f in firings] == [
        ("by id", {"id": 1, "order": 8}),
        ("by order", {"id": 2, "order": 9}),
    ]


# Arcs


def test_an_inhibitor_blocks_while_its_place_holds_a_token() -> None:
    net = (
        NetBuilder("net").transition("t", "p", inhibitors="block").transition("off", "block", timing=delayed(1)).build()
    )
    scheduler = Scheduler(net, {"p": 1, "block": 1})
    assert fired(scheduler) == []
    assert fired(scheduler, to_ticks(1)) == ["off"]
    assert fired(scheduler, to_ticks(1)) == ["t"]


def test_a_place_that_is_both_an_input_and_an_inhibitor_makes_a_dead_transition() -> None:
    scheduler = Scheduler(NetBuilder("net").transition("t", "p", inhibitors="p").build(), {"p": 1})
    assert fired(scheduler) == [] and scheduler.quiescent


def test_a_transition_without_inputs_is_always_enabled() -> None:
    net = NetBuilder("net").transition("tick", output="p", timing=delayed(1)).build()
    scheduler = Scheduler(net)
    assert scheduler.step(0).wake_at == to_ticks(1)
    firings = scheduler.step(to_ticks(1)).firings
    assert [f.transition for f in firings] == ["tick"]
    assert scheduler.step(to_ticks(1), all_done(firings, p=[1])).wake_at == to_ticks(2)


# Time


def test_the_bounds_of_a_window_are_inclusive_and_the_tolerance_comes_on_top() -> None:
    net = NetBuilder("net").transition("t", "p", timing=window(0.010, 0.050)).build()
    for now, tolerance, expected in [
        (0.0099, 0, []),
        (0.010, 0, ["t"]),
        (0.050, 0, ["t"]),
        (0.0501, 0, []),
        (0.055, 0.005, ["t"]),
        (0.0551, 0.005, []),
    ]:
        scheduler = Scheduler(net, {"p": 1}, tolerance=tolerance)
        scheduler.step(0)
        assert fired(scheduler, to_ticks(now)) == expected, now


def test_a_deadline_that_passes_while_all_slots_are_taken_wakes_the_scheduler() -> None:
    net = NetBuilder("net").transition("hold", "a", priority=1).transition("t", "p", timing=deadline(0.1)).build()
    scheduler = Scheduler(net, {"a": 1, "p": 1}, max_concurrency=1, tolerance=0.005)
    step = scheduler.step(0)
    while step.wake_at == 0:
        step = scheduler.step(0)
    assert step.wake_at == to_ticks(0.105) + 1  # the first tick that is past it
    assert types(scheduler.step(step.wake_at).events) == ["TransitionTimedOut"]
    assert not scheduler.quiescent  # `hold` is still in flight


def test_sums_of_times_are_exact() -> None:
    """0.1 s + 0.2 s and 0.3 s are one instant, so both are ready in one cycle and priority decides."""
    net = (
        NetBuilder("net")
        .transition("first", "a", "b", timing=delayed(0.1))
        .transition("then", ["b", "once"], timing=delayed(0.2))
        .transition("other", "once", timing=delayed(0.3), priority=1)
        .build()
    )
    scheduler = Scheduler(net, {"a": 1, "once": 1})
    scheduler.step(0)
    first = scheduler.step(to_ticks(0.1)).firings
    step = scheduler.step(to_ticks(0.1), all_done(first, b=[1]))
    assert step.wake_at == to_ticks(0.3)
    assert fired(scheduler, to_ticks(0.3)) == ["other"]


def test_time_never_runs_backwards() -> None:
    scheduler = Scheduler(NetBuilder("net").transition("t", "p", timing=delayed(1)).build(), {"p": 1}, now=500)
    assert scheduler.step(1_000).events[0].time == 1_000
    assert scheduler.step(10).wake_at == to_ticks(1) + 1_000
    assert scheduler.now == 1_000


# Ends


def test_after_stop_nothing_starts_but_completions_are_deposited() -> None:
    for priority in (0, 1):
        net = NetBuilder("net").transition("t", "p", "q").transition("u", "q", priority=priority).build()
        scheduler = Scheduler(net, {"p": 2})
        firing = scheduler.step(0).firings[0]
        scheduler.stop()
        step = scheduler.step(1, [(firing.id, Produced({"q": [1]}))])
        assert step.firings == [] and step.wake_at is None
        assert {p: len(q) for p, q in scheduler.marking().items()} == {"p": 1, "q": 1}


def test_a_completion_of_a_firing_that_is_over_changes_nothing() -> None:
    for priority in (0, 1):
        net = NetBuilder("net").transition("t", "p", "q").transition("u", "k", priority=priority).build()
        scheduler = Scheduler(net, {"p": 1})
        firing = scheduler.step(0).firings[0]
        scheduler.step(1, [(firing.id, Produced({"q": [1]}))])
        assert scheduler.step(2, [(firing.id, Produced({"q": [2]})), (99, Failed("X"))]).events == []
        assert [t.value for t in scheduler.marking()["q"]] == [1]


def test_finish_returns_its_events_where_there_is_no_sink() -> None:
    scheduler = Scheduler(NetBuilder("net").transition("t", "p").build())
    scheduler.step(3)
    assert types(scheduler.finish(10, "quiescent")) == ["MarkingSnapshot", "ExecutionCompleted"]


def test_enabled_names_the_marked_transitions() -> None:
    net = NetBuilder("net").transition("t", "p", timing=delayed(1)).transition("u", "q").build()
    scheduler = Scheduler(net, {"p": 1})
    scheduler.step(0)
    assert scheduler.enabled() == ["t"]
