"""Places that come to hold more tokens than any field has room for."""

from __future__ import annotations

import pytest

from petri_cli.net.compiled import compile_net
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Net,
    Place,
    PlaceOut,
    Property,
    TimeoutOut,
    Transition,
)
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.nets import judge_net, place_bounds
from petri_cli.soundness.packed import WIDEST
from petri_cli.soundness.result import Budget, Verdict
from tests.exploring import judge_by_exploration
from tests.strategies.short_nets import short_net

HUGE = 1 << WIDEST


def _doubling() -> Net:
    """``t`` forwards all of p to q and to r, ``v`` brings both back at once: p doubles in two steps."""

    def all_of(place: str, tid: str, *targets: str) -> Transition:
        late = AndOut(tuple(ForwardOut(place, x) for x in targets)) if len(targets) > 1 else ForwardOut(place, *targets)
        return Transition(tid, (Input(place, Cardinality.ALL),), TimeoutOut(1.0, late))

    end = Transition("end", (Input("p"), Input("never")), PlaceOut("o"))
    both = AndOut((ForwardOut("q", "p"), ForwardOut("r", "p")))
    back = Transition("v", (Input("q", Cardinality.ALL), Input("r", Cardinality.ALL)), TimeoutOut(1.0, both))
    steps = (all_of("p", "t", "q", "r"), back, end)
    return Net("doubling", tuple(Place(x) for x in ("p", "q", "r", "never", "o")), steps, {"p": 1}, {"o": 1})


@pytest.mark.parametrize("kind", ["unreachable", "mutualExclusion"])
def test_a_property_that_needs_numbers_without_end_is_unknown_or_answered_but_never_an_error(kind: str) -> None:
    net = _doubling()
    bound = Property("few", "placeBound", ("p",), 0, HUGE << WIDEST)
    result = judge_net(net, Budget(max_states=20_000), [bound, Property("no end", kind, ("o", "never"))])
    assert result.verdict is Verdict.UNKNOWN
    assert "bits for the tokens of a place" in result.message
    assert result.conditions[0].holds is None


def test_a_net_that_doubles_its_tokens_is_not_judged_sound() -> None:
    assert judge_net(_doubling(), Budget(max_states=20_000)).conditions[2].holds is False  # `end` waits for ever
    result = judge_by_exploration(_doubling(), Budget(max_states=20_000))
    assert result.verdict is Verdict.UNKNOWN
    assert result.code == "PETRI_UNKNOWN"
    assert f"undecided within {WIDEST} bits for the tokens of a place" in result.message
    assert place_bounds(_doubling(), Budget(max_states=20_000)) is None


def test_heavy_arcs_run_over_the_widest_field_of_any_search() -> None:
    net = short_net(f"start: i -> p; more: p -> p {HUGE}*q; leave: p -> o", i=1)
    compiled = compile_net(net)
    for shortest in (True, False):
        found = find_deadlock(compiled, final=compiled.final, max_states=500, shortest=shortest)
        assert not found.complete
    result = judge_net(net, Budget(max_states=500), [Property("no", "unreachable", ("i", "q"))])
    assert result.verdict is not Verdict.UNSOUND


def test_several_pieces_of_one_production_can_not_set_a_guard_bit_again() -> None:
    pieces = tuple(ForwardOut(x, "r") for x in ("a", "b"))
    late = TimeoutOut(1.0, AndOut((*pieces, PlaceOut("r"))))
    for how in (Cardinality.ONE, Cardinality.ALL):
        t = Transition("t", (Input("a", how), Input("b", how)), late)
        for r in range(1, 9):
            for n in range(1, 5):
                start = {"a": n, "b": n, "r": r}
                net = Net("pieces", tuple(Place(x) for x in "abr"), (t,), start)
                compiled = compile_net(net)
                expected = compiled.actions[-1].fire(compiled.initial)
                bounds = place_bounds(net)
                assert bounds is not None
                assert bounds["r"] >= expected[compiled.index["r"]]
