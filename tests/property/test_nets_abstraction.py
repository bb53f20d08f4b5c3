"""What the abstraction proves holds in every reachable marking, however many there are."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Cardinality, Input, Net, Place, PlaceOut, Property, Transition
from petri_cli.soundness.abstraction import prove_abstractly
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget, Verdict
from petri_cli.soundness.timer import never
from tests.oracle.soundness import violates
from tests.oracle.statespace import StateSpace, TooBig, explore
from tests.strategies.nets import nets, properties
from tests.strategies.short_nets import short_net


def _beginning(net: Net, limit: int) -> StateSpace:
    """The reachable markings, or those that a truncated search meets first."""
    try:
        return explore(net, limit)
    except TooBig as e:
        return e.space


@pytest.mark.slow
def test_no_reachable_marking_violates_what_the_abstraction_proved() -> None:
    seen: Counter[bool] = Counter()

    @settings(deadline=None, derandomize=True, max_examples=120)
    @given(nets(max_tokens=3), st.lists(properties(("a", "b", "c", "d", "e")), min_size=1, max_size=3))
    def check(net: Net, asked: list[Property]) -> None:
        known = set(net.place_ids())
        asked = [p for p in asked if known.issuperset(p.places)]
        if not asked:
            return
        found = prove_abstractly(compile_net(net), asked, 500, never)
        space = _beginning(net, 150)
        for k, prop in enumerate(asked):
            seen[k in found.proved] += 1
            if k in found.proved:
                assert not any(violates(net, dict(m), prop) for m in space.successors)

    check()
    assert min(seen[True], seen[False]) > 20, "both outcomes must have been met"


def test_properties_of_an_unbounded_net_are_proved_by_counting_up_to_a_limit() -> None:
    net = short_net("make: on -> on p; pause: on -> off; resume: off -> on; eat: 2*p q -> q", on=1)
    asked = [
        Property("free", "deadlockFree", ("on",)),
        Property("one of both", "mutualExclusion", ("on", "off")),
        Property("never", "unreachable", ("q",)),
        Property("few", "placeBound", ("p",), 0, 5),
    ]
    result = judge_net(net, Budget(max_states=3000), asked[:3])
    assert result.verdict is Verdict.SOUND
    assert "abstraction: " in result.evidence
    result = judge_net(net, Budget(max_states=3000), asked)
    assert [c.holds for c in result.conditions] == [True, True, True, False]


def test_many_tokens_can_be_few_again_after_taking_some() -> None:
    net = short_net("take: 2*p -> ", p=9)
    prop = Property("not one", "quiescentCount", ("p",), 0, 0)
    assert prove_abstractly(compile_net(net), [prop], 100, never).proved == frozenset()
    drain = Transition("drain", (Input("p", Cardinality.ALL),), PlaceOut("q"))
    drained = Net("drained", (Place("p"), Place("q")), (drain,), {"p": 9})
    assert prove_abstractly(compile_net(drained), [prop], 100, never).proved == {0}


def test_a_large_initial_marking_is_counted_coarsely_rather_than_not_at_all() -> None:
    net = short_net("a: p -> q; b: q -> p; c: q r -> s", p=100_000)
    found = prove_abstractly(compile_net(net), [Property("never", "unreachable", ("s",))], 200, never)
    assert found.proved == {0}
    assert found.limit == 1


def test_a_net_without_places_is_counted_too() -> None:
    net = Net("void", (), (Transition("t", (), None),), {})
    asked = [Property("free", "deadlockFree", ()), Property("never", "unreachable", ())]
    assert prove_abstractly(compile_net(net), asked, 100, never).proved == {0}


def test_a_huge_arc_weight_is_not_counted_out() -> None:
    """From «many», an arc of weight k may leave any of k + 1 numbers; so many are more than the search may look at."""
    net = short_net("make: on -> on p; eat: 1000000000000*p -> q", on=1)
    asked = [Property("never", "unreachable", ("q",)), Property("on", "unreachable", ("on", "on"))]
    found = prove_abstractly(compile_net(net), asked, 1_000, never)
    assert found.proved == frozenset()
    full = short_net("eat: 1000000000000*p -> q", p=1_000_000_000_000)
    assert prove_abstractly(compile_net(full), asked[:1], 1_000, never).proved == frozenset()
