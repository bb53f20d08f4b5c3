"""Where a net starts and ends, which places are resources, and what is said when that cannot be told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.model import Net
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Verdict
from petri_cli.soundness.shape import target_of
from tests.strategies.short_nets import short_net


def _refusal(net: Net) -> str:
    with pytest.raises(PetriError) as caught:
        target_of(net)
    assert caught.value.code == "PETRI_NOT_WORKFLOW_NET"
    assert "final marking" in caught.value.hint
    return caught.value.message


def test_a_workflow_net_starts_on_its_source_and_ends_on_its_sink() -> None:
    target = target_of(short_net("a: i -> p; b: p -> o", i=1))
    assert (target.net.initial, target.final, target.sink) == ({"i": 1}, {"o": 1}, "o")
    assert target.resources == () and target.warnings == ()


def test_marked_places_that_are_taken_from_and_given_back_to_are_resources() -> None:
    target = target_of(short_net("a: i 2*r -> p; b: p -> o 2*r", i=1, r=3))
    assert target.resources == ("r",)
    assert target.final == {"o": 1, "r": 3}
    assert target.warnings == ()


def test_a_marked_place_that_is_only_read_is_a_resource_too() -> None:
    net = short_net("a: i -> o", {"a": {"reads": ("flag",)}}, i=1, flag=1)
    target = target_of(net)
    assert target.final == {"o": 1, "flag": 1}
    assert judge_net(net).verdict is Verdict.SOUND


def test_a_declared_final_marking_needs_no_shape() -> None:
    net = replace(short_net("go: red -> green; stop: green -> red", red=1), final={"red": 1, "green": 0})
    target = target_of(net)
    assert (target.final, target.sink) == ({"red": 1}, None)
    assert judge_net(net).verdict is Verdict.SOUND


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (short_net("a: i -> o; b: j -> o", i=1), "2 source places (without incoming arcs): 'i' and 'j'"),
        (short_net("a: i -> o; b: i -> e", i=1), "2 sink places (without outgoing arcs): 'o' and 'e'"),
        (short_net("a: p -> q; b: q -> p", p=1), "no source place (without incoming arcs); it has no sink place"),
        (short_net("a: i -> o"), "the source place 'i' starts with 0 tokens, not 1"),
        (short_net("a: i -> o", i=3), "the source place 'i' starts with 3 tokens, not 1"),
        (short_net("a: i -> p; b: p -> o", p=1), "the source place 'i' starts with 0 tokens, not 1"),
        (replace(short_net("a: i -> o", i=1), initial={"i": 1, "ghost": 1}), "tokens lie on 'ghost', which no arc"),
        (Net("empty", (), ()), "it has no transition"),
    ],
)
def test_what_keeps_a_net_from_having_a_start_and_an_end_is_named(net: Net, message: str) -> None:
    assert message in _refusal(net)


def test_a_long_list_of_places_is_cut_off() -> None:
    net = short_net("; ".join(f"t{k}: s{k} -> o" for k in range(9)), s0=1)
    assert "9 source places (without incoming arcs): 's0', 's1', 's2', 's3', 's4' and 4 more" in _refusal(net)


def test_nodes_on_no_path_are_a_warning_and_the_net_is_judged_all_the_same() -> None:
    net = short_net("a: i -> o; spin: x -> y; spun: y -> x", i=1)
    (places, transitions) = target_of(net).warnings
    assert places.severity == transitions.severity == "warning"
    assert places.code == "PETRI_NOT_WORKFLOW_NET"
    assert places.message == "the places 'x' and 'y' lie on no path from 'i' to 'o'"
    assert transitions.message == "the transitions 'spin' and 'spun' lie on no path from 'i' to 'o'"
    result = judge_net(net)
    assert result.verdict is Verdict.UNSOUND
    assert result.counts is not None and result.counts.dead_transitions == ("spin", "spun")
    assert places in result.warnings


def test_a_sink_that_no_path_leads_to_is_said_in_one_sentence() -> None:
    net = short_net("a: i -> p; b: p -> q; c: q -> p; d: x -> x o", i=1)
    assert [w.message for w in target_of(net).warnings] == ["no path leads from the source 'i' to the sink 'o'"]


def test_what_was_taken_for_a_resource_is_said_where_it_leaves_nodes_off_every_path() -> None:
    net = short_net("a: i -> p; b: p -> q; c: q -> o; d: i -> o", i=1, q=1)
    (places, transitions) = target_of(net).warnings
    assert places.message == "the place 'p' lies on no path from 'i' to 'o'"
    assert transitions.message.endswith("to 'o' ('q' taken for resources: marked at the start and given back to)")
