"""Transitions that wait to be claimed: never fired by the loop, begun by name, ended or returned like any firing."""

from __future__ import annotations

import pytest

from petri_cli.engine.checkpoint import Checkpoint
from petri_cli.engine.events import TransitionStarted
from petri_cli.engine.firings import RETURNED, Produced
from petri_cli.engine.queues import NamedQueue, take_called
from petri_cli.engine.scheduler import Scheduler
from petri_cli.engine.tokens import Token
from petri_cli.net.builder import NetBuilder
from petri_cli.net.model import Net


def two_steps(priority: int = 0) -> Net:
    """``a`` → ``held`` → ``b`` → ``free`` → ``c``."""
    net = NetBuilder("held")
    net.transition("held", ["a"], "b", priority=priority)
    net.transition("free", ["b"], "c")
    return net.build()


A = [Token("x", 0, "1"), Token("y", 0, "2"), Token("z", 0, "1")]


@pytest.mark.parametrize("priority", [0, 5])
def test_a_held_transition_is_enabled_and_never_fires_by_itself(priority: int) -> None:
    scheduler = Scheduler(two_steps(priority), {"a": A})
    scheduler.hold(["held"])
    assert scheduler.cycle(1) == []
    assert scheduler.enabled() == ["held"]
    assert scheduler.quiescent


@pytest.mark.parametrize("priority", [0, 5])
def test_a_claim_takes_the_oldest_token_of_that_name_and_is_a_firing_like_any_other(priority: int) -> None:
    scheduler = Scheduler(two_steps(priority), {"a": A})
    scheduler.hold(["held"])
    scheduler.cycle(1)
    firing = scheduler.claim(2, "held", "2")
    assert firing is not None
    assert (firing.consumed, firing.started_at) == ({"a": (A[1],)}, 2)
    assert scheduler.in_flight == {firing.id: firing}
    assert scheduler.marking() == {"a": (A[0], A[2])}
    started = [e for e in scheduler.step(2).events if isinstance(e, TransitionStarted)]
    assert [e.firing for e in started] == [firing.id]
    (free,) = scheduler.cycle(3, [(firing.id, Produced({"b": [A[1]]}))])
    assert free.transition == "free"


def test_nothing_is_claimed_that_is_not_there() -> None:
    scheduler = Scheduler(two_steps(), {"a": A})
    scheduler.hold(["held"])
    assert scheduler.claim(1, "held", "3") is None
    assert [scheduler.claim(1, "held", "1") is not None for _ in range(3)] == [True, True, False]
    assert scheduler.marking() == {"a": (A[1],)}


def test_what_is_returned_can_be_claimed_again_and_stands_first() -> None:
    scheduler = Scheduler(two_steps(), {"a": A})
    scheduler.hold(["held"])
    firing = scheduler.claim(1, "held", "2")
    assert firing is not None
    assert scheduler.cycle(2, [(firing.id, RETURNED)]) == []
    assert scheduler.marking() == {"a": (A[1], A[0], A[2])}
    for name in ("1", "1", "2"):
        assert scheduler.claim(3, "held", name) is not None
    scheduler.cycle(4)
    assert scheduler.enabled() == []


def test_a_held_transition_stays_held_after_a_restoration() -> None:
    scheduler = Scheduler(two_steps(), {"a": A})
    scheduler.cycle(1)
    restored = Scheduler.restore(two_steps(), Checkpoint(now=1, marking={"a": tuple(A)}))
    restored.hold(["held"])
    assert restored.cycle(2) == []
    assert restored.claim(3, "held", "1") is not None


@pytest.mark.parametrize("priority", [0, 5])
def test_a_transition_that_was_enabled_before_a_restoration_can_be_held_after_it(priority: int) -> None:
    scheduler = Scheduler(two_steps(priority), {"a": A}, max_concurrency=1)
    scheduler.cycle(1)  # takes the first token; two are left
    scheduler.cycle(2)
    checkpoint = scheduler.checkpoint()
    assert list(checkpoint.clocks) == ["held"]
    restored = Scheduler.restore(two_steps(priority), checkpoint)
    restored.hold(["held"])
    assert restored.cycle(3) == []
    assert restored.claim(4, "held", "2") is not None


def test_only_what_takes_one_token_at_any_time_can_be_held() -> None:
    net = NetBuilder("no")
    net.transition("two", ["a", "b"], "c")
    scheduler = Scheduler(net.build())
    for transition in ("two", "nothing"):
        with pytest.raises(ValueError, match="cannot be held"):
            scheduler.hold([transition])


def test_named_queues_give_up_a_token_by_its_name_whatever_their_keys_are() -> None:
    queue = NamedQueue()
    index = queue.index("k")
    for token in (Token({"k": 1}, 0, "x"), Token({"k": 2}, 0, "y"), Token({"k": 1}, 0, "y")):
        queue.append(token)
    taken = take_called(queue, "y")
    assert taken is not None
    assert taken.value == {"k": 2}
    assert index.counts == {1: 2}
    assert take_called(queue, "z") is None
