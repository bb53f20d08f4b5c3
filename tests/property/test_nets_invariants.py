"""Place invariants are invariant, and what they prove holds in every reachable marking."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Net, Property
from petri_cli.soundness.invariants import place_invariants, proved_by_invariants
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget, Verdict
from tests.oracle.soundness import violating
from tests.oracle.statespace import TooBig, explore
from tests.strategies.plain_nets import arbitrary_net, process_net
from tests.strategies.short_nets import short_net


def _nets() -> list[Net]:
    return [(arbitrary_net if seed % 2 else process_net)(Random(seed)) for seed in range(300)]  # noqa: S311


@pytest.mark.slow
def test_an_invariant_weighs_every_reachable_marking_alike() -> None:
    weighed = 0
    for net in _nets():
        compiled = compile_net(net)
        try:
            space = explore(net, 150)
        except TooBig as e:
            space = e.space
        for y in place_invariants(compiled):
            assert y and all(w > 0 for w in y.values())
            sums = {sum(w * dict(m).get(compiled.places[p], 0) for p, w in y.items()) for m in space.successors}
            assert len(sums) == 1
            weighed += len(space.successors) > 3
    assert weighed > 200


@pytest.mark.slow
def test_what_invariants_prove_no_reachable_marking_violates() -> None:
    proved = open_ = 0
    for net in _nets():
        places = net.place_ids()
        rng = Random(len(places))  # noqa: S311
        pair = tuple(rng.sample(places, min(2, len(places))))
        asked = [
            Property("bound", "placeBound", pair[:1], 0, 1),
            Property("apart", "mutualExclusion", pair),
            Property("alone", "mutualExclusion", (pair[0], pair[0])),
            Property("never", "unreachable", pair),
            Property("rest", "deadlockFree", pair),
        ]
        found = proved_by_invariants(compile_net(net), asked)
        try:
            space = explore(net, 150)
        except TooBig as e:
            space = e.space
        for k, prop in enumerate(asked):
            proved, open_ = proved + (k in found), open_ + (k not in found)
            assert k not in found or not violating(net, space, prop)
    assert proved > 50 and open_ > 50


def test_all_invariants_of_minimal_support_of_a_small_net_are_found() -> None:
    net = short_net("take: idle lock -> busy; give: busy -> idle lock", idle=3, lock=1)
    compiled = compile_net(net)
    found = [{compiled.places[p]: w for p, w in y.items()} for y in place_invariants(compiled)]
    assert sorted(map(sorted, (y.items() for y in found))) == [
        [("busy", 1), ("idle", 1)],
        [("busy", 1), ("lock", 1)],
    ]


def test_weights_take_part() -> None:
    net = short_net("swap: 2*small -> large; back: large -> 2*small", small=7)
    bound = Property("bound", "placeBound", ("large",), 0, 3)
    assert proved_by_invariants(compile_net(net), [bound]) == {0}
    assert proved_by_invariants(compile_net(net), [replace(bound, maximum=2)]) == set()


def test_no_invariant_is_claimed_for_nets_that_reset() -> None:
    net = short_net("take: idle lock -> busy; give: busy -> idle lock", {"take": {"resets": ("idle",)}}, idle=3, lock=1)
    assert place_invariants(compile_net(net)) == []


def test_a_ring_too_large_to_enumerate_is_proved_to_exclude() -> None:
    n = 60
    text = "; ".join(
        f"l{k}: t{k} f{k} -> h{k}; r{k}: h{k} f{(k + 1) % n} -> e{k}; d{k}: e{k} -> t{k} f{k} f{(k + 1) % n}"
        for k in range(n)
    )
    net = replace(short_net(text), initial=dict.fromkeys([f"{p}{k}" for p in "tf" for k in range(n)], 1))
    asked = [Property("neighbours", "mutualExclusion", ("e0", "e1")), Property("one", "placeBound", ("e7",), 0, 1)]
    result = judge_net(net, Budget(max_states=1000), asked)
    assert result.verdict is Verdict.SOUND
    assert result.evidence == "place invariants"
