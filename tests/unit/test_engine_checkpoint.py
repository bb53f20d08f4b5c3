"""A scheduler goes on from a checkpoint, its own or one that a driver made from what it kept."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.engine import Checkpoint, Event, Produced, Returned, Scheduler, TimedOut, Token, in_flight_firing
from petri_cli.engine.events import ExecutionStarted
from petri_cli.net.builder import NetBuilder, deadline, delayed, forward, timeout
from petri_cli.net.model import Net


def worker() -> Net:
    return NetBuilder("net").transition("work", "todo", "done").marking(todo=["A", "B"]).build()


def started(events: list[Event]) -> list[str]:
    return [e.transition for e in events if e.type == "TransitionStarted"]


def test_a_firing_in_flight_ends_in_the_scheduler_that_was_restored() -> None:
    scheduler = Scheduler(worker())
    scheduler.step(0)
    kept = scheduler.checkpoint()
    assert [(f.id, f.consumed["todo"][0].value) for f in kept.in_flight] == [(1, "A")]
    resumed = Scheduler.restore(worker(), kept)
    resumed.step(5, [(1, Produced({"done": ["a"]}))])
    assert resumed.marking()["done"][0].value == "a"
    assert list(resumed.in_flight) == [2], "the next id is a new one"


def test_a_firing_in_flight_is_returned_to_the_head_of_its_place_after_a_restore() -> None:
    scheduler = Scheduler(worker(), max_concurrency=1)
    scheduler.step(0)
    resumed = Scheduler.restore(worker(), scheduler.checkpoint(), max_concurrency=1)
    [again] = resumed.step(5, [(1, Returned())]).firings
    assert (again.id, again.consumed["todo"][0].value) == (2, "A")
    assert [t.value for t in resumed.marking()["todo"]] == ["B"]


def test_a_firing_from_elsewhere_times_out_and_forwards_what_it_took() -> None:
    net = NetBuilder("net").transition("t", "p", timeout(1, forward("p", "q"))).build()
    taken = {"p": [Token("x", 1, "n"), Token("y", 2)]}
    kept = Checkpoint(9, {}, (in_flight_firing(7, "t", taken, started_at=3),))
    resumed = Scheduler.restore(net, kept)
    resumed.step(10, [(7, TimedOut())])
    assert resumed.marking() == {"q": (Token("x", 10, "n"), Token("y", 10))}


def test_clocks_go_on_where_they_stood() -> None:
    net = NetBuilder("net").transition("t", "p", "q", timing=delayed(10)).marking(p=1).build()
    scheduler = Scheduler(net)
    scheduler.step(0)
    assert scheduler.step(4_000_000).wake_at == 10_000_000
    assert Scheduler.restore(net, scheduler.checkpoint()).step(9_999_999).wake_at == 10_000_000
    assert Scheduler.restore(net, scheduler.checkpoint()).step(10_000_000).firings


def test_without_clocks_a_restored_run_waits_from_when_it_is_looked_at_again() -> None:
    net = NetBuilder("net").transition("t", "p", "q", timing=delayed(10)).marking(p=1).build()
    resumed = Scheduler.restore(net, Checkpoint(0, {"p": (Token(),)}))
    step = resumed.step(4_000_000)
    assert step.wake_at == 14_000_000
    assert isinstance(step.events[0], ExecutionStarted)


def test_order_among_equals_follows_the_clocks_that_were_kept() -> None:
    """On the general path: ``late`` is declared first, ``early`` has been enabled for longer."""
    net = (
        NetBuilder("net").transition("late", "p").transition("early", "q").transition("other", "r", priority=1).build()
    )
    marking = {"p": (Token(),), "q": (Token(),)}
    kept = Checkpoint(9, marking, clocks={"late": 8, "early": 3}, began_at=0)
    assert started(Scheduler.restore(net, kept).step(9).events) == ["early", "late"]
    assert started(Scheduler.restore(net, Checkpoint(9, marking)).step(9).events) == ["late", "early"]


def test_a_transition_past_its_deadline_stays_so_until_something_concerns_it() -> None:
    net = NetBuilder("net").transition("t", ["p", "go"], "q", timing=deadline(1)).marking(p=1, go=1).build()
    marking = {"p": (Token(),), "go": (Token(),)}
    blocked = Scheduler.restore(net, Checkpoint(0, marking, reaped=frozenset({"t"}), began_at=0))
    assert not blocked.step(1).events
    assert blocked.quiescent
    assert blocked.checkpoint().reaped == {"t"}
    assert started(blocked.step(2, injections=[("p", Token())]).events) == ["t"]


def test_counters_go_on() -> None:
    scheduler = Scheduler(worker())
    scheduler.step(0)
    scheduler.step(1, [(1, Produced({}))])
    assert (scheduler.fresh_name("work"), scheduler.failures, scheduler.firings) == ("work#1", 1, 2)
    resumed = Scheduler.restore(worker(), scheduler.checkpoint())
    assert (resumed.fresh_name("work"), resumed.failures, resumed.firings, resumed.now) == ("work#2", 1, 2, 1)


def test_a_stopped_scheduler_stays_stopped() -> None:
    scheduler = Scheduler(worker())
    scheduler.stop()
    resumed = Scheduler.restore(worker(), scheduler.checkpoint())
    assert not resumed.step(0).firings


def test_tokens_on_places_that_the_net_does_not_declare_are_kept() -> None:
    resumed = Scheduler.restore(worker(), Checkpoint(0, {"elsewhere": (Token("x"),)}))
    assert resumed.checkpoint().marking == {"elsewhere": (Token("x"),)}


@pytest.mark.parametrize(
    ("kept", "complaint"),
    [
        ({"clocks": {"play": 0}}, "names the transition 'play'"),
        ({"interrupted": frozenset({"play"})}, "names the transition 'play'"),
        ({"reaped": frozenset({"play"})}, "names the transition 'play'"),
        ({"in_flight": (in_flight_firing(1, "play", {}, started_at=0),)}, "names the transition 'play'"),
        ({"in_flight": (in_flight_firing(1, "work", {"q": [Token()]}, started_at=0),)}, "'q', which is no input"),
        ({"in_flight": (in_flight_firing(1, "work", {}, started_at=0),) * 2}, "two firings"),
    ],
)
def test_a_checkpoint_that_does_not_fit_the_net_is_refused(kept: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Scheduler.restore(worker(), Checkpoint(0, {}, **kept))
