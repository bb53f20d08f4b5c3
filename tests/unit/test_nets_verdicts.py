"""What the gate says about a net: verdict, conditions, counts, messages, counterexamples, warnings, budgets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.firing import Step, replay
from petri_cli.net.model import (
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Place,
    PlaceOut,
    Property,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)
from petri_cli.soundness.nets import judge_net, place_bounds
from petri_cli.soundness.result import Budget, Condition, Counterexample, Counts, Result, Verdict
from tests.exploring import judge_by_exploration
from tests.strategies.short_nets import short_net

OPTION, PROPER, NO_DEAD = "optionToComplete", "properCompletion", "noDeadTransitions"


def _condition(result: Result, name: str) -> Condition:
    return next(c for c in result.conditions if c.name == name)


def _shown(result: Result) -> Counterexample:
    assert result.verdict is Verdict.UNSOUND
    assert result.counterexample is not None
    return result.counterexample


def _run(cx: Counterexample) -> list[str]:
    return [s.transition for s in cx.run]


def test_a_sound_net_is_proved_by_its_number_of_states() -> None:
    net = short_net("split: i -> a b; x: a -> c; y: b -> d; join: c d -> o", i=1)
    result = judge_by_exploration(net)
    assert result.verdict is Verdict.SOUND
    assert (result.evidence, result.stats) == ("exhaustive: 6 states", {"states": 6, "edges": 6})
    assert judge_net(net).conditions == result.conditions


def test_a_sound_net_is_proved_by_reducing_it_to_one_step() -> None:
    result = judge_net(short_net("split: i -> a b; x: a -> c; y: b -> d; join: c d -> o", i=1))
    assert result.verdict is Verdict.SOUND
    assert result.evidence == "reduction"
    assert (result.code, result.message, result.counterexample) == ("", "", None)
    assert [(c.name, c.holds) for c in result.conditions] == [(OPTION, True), (PROPER, True), (NO_DEAD, True)]
    assert result.counts == Counts(0, 0, exact=True, dead_transitions=())
    assert "timing and priority are ignored" in result.assumptions
    assert result.stats == {"places": 6, "transitions": 4, "reducedPlaces": 2, "reducedTransitions": 1}


def test_a_deadlock_is_shown_with_a_shortest_run() -> None:
    net = short_net("left: i -> a b; t: a -> c; join: c d b -> o; right: i -> d b; u: d -> c", i=1)
    result = judge_net(net)
    cx = _shown(result)
    assert (cx.kind, cx.shortest, cx.marking) == ("deadlock", True, {"b": 1, "c": 1})
    assert _run(cx) == ["left", "t"]
    assert cx.sentence == "after 2 steps nothing can move: the tokens lie on b and c, where the end is o"
    assert result.code == "PETRI_UNSOUND_NET"
    assert result.message == (
        "PETRI_UNSOUND_NET: net is unsound: 1 deadlock marking(s) reachable; "
        "4 reachable marking(s) can no longer reach the final marking; 1 transition(s) can never fire"
    )
    assert _condition(result, NO_DEAD).holds is False
    assert _condition(result, OPTION).detail == "4 reachable markings can't reach the end"


def test_a_loop_without_an_exit_can_not_complete_though_steps_remain() -> None:
    result = judge_net(short_net("good: i -> o; bad: i -> p; there: p -> q; back: q -> p", i=1))
    cx = _shown(result)
    assert (cx.kind, cx.marking, _run(cx)) == ("cannotComplete", {"p": 1}, ["bad"])
    assert cx.sentence.startswith("after 1 step, with tokens on p, there are steps to take")
    assert _condition(result, PROPER).holds is True


def test_an_end_marked_beside_other_tokens_is_improper_completion() -> None:
    result = judge_net(short_net("split: i -> a b; x: a -> o; y: b -> o", i=1))
    cx = _shown(result)
    assert (cx.kind, _run(cx), cx.marking) == ("improperCompletion", ["split", "x"], {"b": 1, "o": 1})
    assert cx.sentence == "after 2 steps the end (`o`) is marked, with b left over"
    assert "the end can be marked beside other tokens" in result.message


def test_a_resource_that_is_not_given_back_is_missing_at_the_end() -> None:
    result = judge_net(short_net("take: i r -> p; give: p -> o r; keep: p -> o", i=1, r=2))
    assert _shown(result).sentence == "after 2 steps the end (`o`) is marked, with r missing"


def test_a_transition_that_never_fires_is_named() -> None:
    result = judge_net(short_net("split: i -> a b; join: a b -> o; skip: 2*a -> o", i=1))
    cx = _shown(result)
    assert (cx.kind, cx.subject, cx.run, cx.sentence) == ("deadTransition", "skip", (), "skip can never fire")
    assert result.message == "PETRI_UNSOUND_NET: net is unsound: 1 transition(s) can never fire"


def test_an_unbounded_net_is_unsound_with_a_run_that_can_be_repeated() -> None:
    result = judge_net(short_net("start: i -> a; more: a -> a b; end: b c -> c o", i=1))
    cx = _shown(result)
    assert (cx.kind, _run(cx), cx.pump) == ("unbounded", ["start"], (Step("more"),))
    assert cx.sentence == "more can be repeated for ever, each time adding to b"
    assert "net is unsound: tokens grow without bound" in result.message
    assert _condition(result, PROPER).counterexample == cx


def test_an_unbounded_net_shows_what_happens_at_its_end_rather() -> None:
    result = judge_net(short_net("start: i -> a; more: a -> a b; end: a b -> o", i=1))
    assert "tokens grow without bound; the end can be marked beside other tokens" in result.message
    assert _shown(result).kind == "improperCompletion"


def test_reads_do_no_harm_to_the_argument_but_resets_do() -> None:
    for arcs, verdict in ({"reads": ("c",)}, Verdict.UNSOUND), ({"resets": ("c",)}, Verdict.UNKNOWN):
        net = short_net("start: i -> a c; more: a -> a b; stop: b c d -> o", {"more": arcs}, i=1)
        result = judge_by_exploration(replace(net, final={"o": 1}), Budget(max_states=3000))
        assert result.verdict is verdict
        if verdict is Verdict.UNSOUND:
            assert _shown(result).kind == "unbounded"


def test_an_empty_final_marking_may_follow_unbounded_growth() -> None:
    net = replace(short_net("make: -> p; drop: p -> ; end: i -> ", i=1), final={})
    assert judge_net(net, Budget(max_states=2000)).verdict is Verdict.UNKNOWN
    assert judge_net(replace(short_net("end: i -> ", i=1), final={})).verdict is Verdict.SOUND


def test_a_declared_final_marking_is_improper_where_it_is_covered() -> None:
    net = replace(short_net("t: i -> o x; drop: x o -> o", i=1), final={"o": 1})
    cx = _shown(judge_net(net))
    assert (cx.kind, cx.marking) == ("improperCompletion", {"o": 1, "x": 1})


def test_each_outcome_is_explored_and_a_time_out_forwards_what_was_taken() -> None:
    late = TimeoutOut(5.0, ForwardOut("a", "again"))
    t = Transition("t", (Input("a", Cardinality.ALL),), XorOut((PlaceOut("b"), PlaceOut("c"), late)))
    net = Net("xor", tuple(Place(p) for p in ("a", "b", "c", "again")), (t,), {"a": 3})
    assert place_bounds(net) == {"a": 3, "b": 1, "c": 1, "again": 3}
    result = judge_net(net, properties=[Property("none", "placeBound", ("again",), 0, 2)])
    assert _shown(result).run == (Step("t", 3),)  # 2 is the action itself writing `again`


def test_a_cap_makes_the_answer_unknown_and_says_so() -> None:
    steps = "; ".join(f"t{k}: p{k} -> p{k + 1}" for k in range(30))
    net = short_net(f"start: i -> p0; {steps}; end: p30 -> o", i=1)
    result = judge_by_exploration(net, Budget(max_states=10))
    assert result.verdict is Verdict.UNKNOWN
    assert result.code == "PETRI_UNKNOWN"
    assert result.message == "PETRI_UNKNOWN: undecided within 10 states (11 states explored)"
    assert [c.holds for c in result.conditions] == [None, None, None]
    assert judge_by_exploration(net, Budget(max_states=32)).verdict is Verdict.UNKNOWN
    assert judge_by_exploration(net, Budget(max_states=33)).verdict is Verdict.SOUND


def test_time_ends_a_search_only_where_a_clock_is_handed_in() -> None:
    seconds = iter(range(10_000))
    lanes = range(14)
    net = short_net("; ".join(f"t{k}: p{k} -> q{k}; u{k}: q{k} -> p{k}" for k in lanes))
    net = replace(net, initial={f"p{k}": 1 for k in lanes}, final={f"q{k}": 1 for k in lanes})
    result = judge_net(net, Budget(max_states=10_000_000, seconds=3), clock=lambda: float(next(seconds)))
    assert result.verdict is Verdict.UNKNOWN
    assert result.message.startswith("PETRI_UNKNOWN: undecided within 3 s")
    assert result.stats["seconds"] > 3


def test_a_deadlock_deep_in_a_wide_net_is_found_by_the_reduced_search() -> None:
    lanes = "; ".join(f"t{k}: s{k} -> e{k}" for k in range(12))
    one, other = "a: s r -> x; b: x q -> y; c: y -> e r q", "u: z q -> v; w: v r -> g; h: g -> f q r"
    starts, ends = (" ".join(f"{p}{k}" for k in range(12)) for p in "se")
    net = short_net(f"split: i -> s z {starts}; {lanes}; {one}; {other}; join: e f {ends} -> o", i=1, r=1, q=1)
    result = judge_by_exploration(net, Budget(max_states=200))
    cx = _shown(result)
    assert (cx.kind, cx.shortest, len(cx.run)) == ("deadlock", True, 15)
    assert {"a", "u"} < set(_run(cx))
    assert result.counts == Counts(1, 1, exact=False)
    assert _condition(result, PROPER).holds is None


def test_doom_is_definite_under_a_cap_once_its_part_is_explored() -> None:
    wide = "; ".join(f"t{k}: w{k} -> w{k + 1}" for k in range(400))
    net = short_net(f"bad: i -> p; pq: p -> q; qp: q -> p; good: i -> w0; {wide}; end: w400 -> o", i=1)
    result = judge_by_exploration(net, Budget(max_states=100))
    assert _shown(result).kind == "cannotComplete"
    assert result.counts == Counts(0, 2, exact=False)


def test_a_doomed_marking_found_under_a_cap_is_not_called_the_nearest() -> None:
    """The nearest, ``start``, is not known to be doomed: too much follows it."""
    lanes = "; ".join(f"a{k}: s{k} -> x{k}; b{k}: x{k} -> s{k}" for k in range(9))
    text = f"start: i -> {' '.join(f's{k}' for k in range(9))}; {lanes}; one: i -> p; two: p -> q; q: q -> r; r: r -> q"
    net = short_net(f"{text}; good: i -> u; better: p -> u; best: u -> o", i=1)
    cx = _shown(judge_by_exploration(net, Budget(max_states=300)))
    assert (cx.kind, cx.shortest, _run(cx)) == ("cannotComplete", False, ["one", "two"])


PHILOSOPHERS = replace(
    short_net(
        "l0: t0 f0 -> h0; r0: h0 f1 -> e0; d0: e0 -> t0 f0 f1;"
        "l1: t1 f1 -> h1; r1: h1 f2 -> e1; d1: e1 -> t1 f1 f2;"
        "l2: t2 f2 -> h2; r2: h2 f0 -> e2; d2: e2 -> t2 f2 f0"
    ),
    initial=dict.fromkeys(("t0", "t1", "t2", "f0", "f1", "f2"), 1),
)


def test_declared_properties_are_judged_instead_of_soundness() -> None:
    excluded = Property("no two eat", "mutualExclusion", ("e0", "e1", "e2"))
    free = Property("never stuck", "deadlockFree")
    result = judge_net(replace(PHILOSOPHERS, properties=(excluded,)))
    assert (result.verdict, [c.name for c in result.conditions]) == (Verdict.SOUND, ["no two eat"])
    assert result.assumptions == ("timing and priority are ignored",)
    result = judge_net(replace(PHILOSOPHERS, properties=(excluded,)), properties=[free])
    assert [(c.name, c.holds) for c in result.conditions] == [("no two eat", True), ("never stuck", False)]
    assert result.code == "PETRI_PROPERTY_VIOLATED"
    assert result.message == "PETRI_PROPERTY_VIOLATED: 1 property violated: never stuck"
    cx = _shown(result)
    assert (cx.kind, cx.subject, cx.marking) == ("property", "never stuck", {"h0": 1, "h1": 1, "h2": 1})
    assert cx.shortest and len(cx.run) == 3


def test_a_property_of_rests_is_proved_on_a_space_too_large_to_enumerate() -> None:
    lanes = "; ".join(f"a{k}: s{k} -> x{k}; b{k}: x{k} -> e{k}; again{k}: x{k} -> s{k}" for k in range(9))
    net = replace(short_net(lanes), initial={f"s{k}": 1 for k in range(9)})
    ends = tuple(f"e{k}" for k in range(9))
    asked = [Property("done", "deadlockFree", ends), Property("all", "quiescentCount", ends, 9, 9)]
    result = judge_net(net, Budget(max_states=500), asked)
    assert result.verdict is Verdict.SOUND
    assert result.evidence == "stubborn sets: 28 states"


def test_reaped_transitions_keep_rests_from_being_proved_by_stubborn_sets() -> None:
    lanes = "; ".join(f"a{k}: s{k} -> x{k}; b{k}: x{k} -> e{k}" for k in range(9))
    text = f"{lanes}; late: i -> b"
    for timing, holds in (Timing(), True), (Timing("deadline", 0.0, 1.0), None):
        net = short_net(text, {"late": {"timing": timing}})
        net = replace(net, initial={"i": 1, **{f"s{k}": 1 for k in range(9)}})
        result = judge_net(net, Budget(max_states=500), [Property("end", "terminatesAtSink", ("b",))])
        assert _condition(result, "end").holds is holds


@pytest.mark.parametrize(
    ("prop", "sentence"),
    [
        (Property("p", "placeBound", ("a",), 0, 1), "at the start a holds 2, more than 1"),
        (Property("p", "mutualExclusion", ("a", "b")), "after 1 step a and b are marked together"),
        (Property("p", "mutualExclusion", ("b", "b")), "after 1 step b is marked"),
        (Property("p", "unreachable", ("b",)), "after 1 step b is marked"),
        (Property("p", "deadlockFree", ("a",)), "after 2 steps nothing has to move, with tokens outside a: 2×b"),
        (Property("p", "deadlockFree"), "after 2 steps nothing has to move, with tokens: 2×b"),
        (Property("p", "terminatesAtSink", ("a",)), "after 2 steps nothing has to move, and a holds no token: 2×b"),
        (Property("p", "terminatesAtSink"), "after 2 steps nothing has to move, and there is no sink: 2×b"),
        (
            Property("p", "quiescentCount", ("b",), 3),
            "after 2 steps nothing has to move, with 2 on b, not 3 to any number",
        ),
    ],
)
def test_each_violated_property_is_told_in_a_sentence(prop: Property, sentence: str) -> None:
    cx = _shown(judge_net(short_net("t: a -> b", a=2), properties=[prop]))
    assert cx.sentence == sentence


def test_a_transition_with_a_hard_deadline_can_be_reaped() -> None:
    for kind, holds in ("deadline", False), ("window", False), ("delayed", True), ("exact", True):
        timing = Timing(kind, 0.0, 5.0 if kind in ("deadline", "window") else None)
        for text in "t: a -> b", "s: i -> a; t: a -> b":
            net = short_net(text, {"t": {"timing": timing}})
            net = replace(net, initial={net.places[0].id: 1})
            result = judge_net(net, properties=[Property("end", "terminatesAtSink", ("b",))])
            assert _condition(result, "end").holds is holds, kind


def test_tokens_that_no_arc_touches_count_in_properties() -> None:
    net = replace(short_net("t: a -> b", a=1), initial={"a": 1, "stray": 1})
    assert judge_net(net, properties=[Property("p", "deadlockFree", ("b",))]).verdict is Verdict.UNSOUND
    assert judge_net(net, properties=[Property("p", "deadlockFree", ("b", "stray"))]).verdict is Verdict.SOUND


@pytest.mark.parametrize(
    ("prop", "code"),
    [
        (Property("p", "unreachable", ("nowhere",)), "PETRI_UNKNOWN_PLACE"),
        (Property("p", "alwaysHappy", ("a",)), "PETRI_BAD_PROPERTY"),
        (Property("p", "placeBound", ("a",)), "PETRI_BAD_PROPERTY"),
        (Property("p", "placeBound", ("a", "b"), 0, 1), "PETRI_BAD_PROPERTY"),
    ],
)
def test_a_property_that_makes_no_sense_is_refused(prop: Property, code: str) -> None:
    with pytest.raises(PetriError) as caught:
        judge_net(short_net("t: a -> b", a=1), properties=[prop])
    assert caught.value.code == code


def _warned(changes: dict[str, dict[str, Any]], text: str = "high: i -> o; low: i -> o") -> list[tuple[str, str]]:
    return [(w.code, w.message) for w in judge_net(short_net(text, changes, i=1)).warnings]


def test_a_transition_that_always_loses_by_priority_is_named() -> None:
    ((code, message),) = _warned({"high": {"priority": 2}})
    assert code == "PETRI_PRIORITY_STARVES"
    assert message.startswith("low (to high) may lose for ever by priority")
    assert _warned({}) == []
    assert _warned({"high": {"priority": 2, "timing": Timing("delayed", 3.0)}}) == []
    assert _warned({"high": {"priority": 2}}, "s: i -> p q; high: p q -> o; low: p -> r; e: r q -> o") == []


@pytest.mark.parametrize(
    ("high", "low", "starves"),
    [
        ({"inhibitors": ("x",)}, {}, False),
        ({"inhibitors": ("x",)}, {"inhibitors": ("x",)}, True),
        ({"inhibitors": ("x",)}, {"inhibitors": ("x", "y")}, True),
        ({"inhibitors": ("x", "y")}, {"inhibitors": ("x",)}, False),
        ({}, {"inhibitors": ("x",)}, True),
        ({"reads": ("x",)}, {}, False),
        ({"reads": ("x",)}, {"reads": ("x",)}, True),
        ({"reads": ("i",)}, {}, True),
        ({"reads": ("x", "y")}, {"reads": ("x",)}, False),
        ({}, {"reads": ("x",)}, True),
        ({"reads": ("x",)}, {"inhibitors": ("x",)}, False),
        ({"inhibitors": ("x",)}, {"reads": ("x",)}, False),
    ],
)
def test_who_loses_by_priority_is_judged_by_inhibitors_and_reads_as_well(
    high: dict[str, Any], low: dict[str, Any], starves: bool
) -> None:
    text = "high: i -> o; low: i -> o; fill: x y -> x y"
    net = replace(short_net(text, {"high": {"priority": 2, **high}, "low": low}, i=1, x=1, y=1), final={"o": 1})
    warned = [w.message for w in judge_net(net).warnings if w.code == "PETRI_PRIORITY_STARVES"]
    assert bool(warned) is starves
    assert all(m.startswith("low (to high) ") for m in warned)


def test_a_higher_priority_that_needs_more_of_a_token_lets_the_lower_one_go() -> None:
    assert _warned({"high": {"priority": 2}}, "high: 2*i -> o; low: i -> o") == []
    assert [c for c, _ in _warned({"high": {"priority": 2}}, "high: i -> o; low: 2*i -> o")] == [
        "PETRI_PRIORITY_STARVES"
    ]


def test_a_counterexample_that_time_may_rule_out_is_noted() -> None:
    late = {"wrong": {"timing": Timing("delayed", 3.0)}}
    ((code, message),) = _warned(late, "right: i -> o; wrong: i -> p; end: p x -> o; keep: x -> x p")[-1:]
    assert code == "PETRI_TIMING_IGNORED"
    assert message == "optionToComplete: the run fires wrong, whose timing may rule the run out"


def test_a_timed_transition_of_a_pump_is_warned_about_too() -> None:
    timing = {"grow": {"timing": Timing(1.0, 2.0)}}
    net = short_net("start: i -> p; grow: p -> p q; leave: p 2000*q -> o", timing, i=1)
    result = judge_net(net)
    cx = _shown(result)
    assert (cx.kind, _run(cx), [s.transition for s in cx.pump]) == ("unbounded", ["start"], ["grow"])
    assert any("fires grow" in w.message for w in result.warnings if w.code == "PETRI_TIMING_IGNORED")


def test_a_match_and_tokens_from_outside_are_noted_and_taken_for_granted() -> None:
    match = {"join": {"match": Match((("a", None), ("b", None)))}}
    net = short_net("split: i -> a b; join: a b -> o", match, i=1)
    result = judge_net(net)
    assert [w.code for w in result.warnings] == ["PETRI_NAMES_IGNORED"]
    assert result.assumptions[-1] == "the names of tokens always match"
    outside = replace(net, places=tuple(replace(p, environment=p.id == "i") for p in net.places))
    assert judge_net(outside).assumptions[-1] == "no token arrives on i from outside"


def test_a_hard_deadline_beneath_a_proof_is_noted() -> None:
    ((code, message),) = _warned({"high": {"timing": Timing("deadline", 0.0, 3.0)}})
    assert code == "PETRI_TIMING_IGNORED"
    assert message.startswith("high must fire within a deadline")


def test_no_run_to_a_deadlock_is_shorter_than_the_one_that_is_called_shortest() -> None:
    net = replace(short_net("a: i -> p 2*o; b: i -> x; c: x -> y; d: y -> z", i=1), final={"o": 2})
    cx = _condition(judge_net(net), OPTION).counterexample
    assert cx is not None
    assert (_run(cx), cx.marking, cx.shortest) == (["a"], {"p": 1, "o": 2}, True)


def test_of_two_deadlocks_equally_near_the_one_before_the_end_is_shown() -> None:
    net = replace(short_net("a: i -> p o; b: i -> x", i=1), final={"o": 1})
    cx = _shown(judge_net(net))
    assert (cx.kind, _run(cx), cx.marking) == ("deadlock", ["b"], {"x": 1})


def test_no_step_can_be_left_out_before_what_can_be_repeated_for_ever() -> None:
    net = short_net("aside: s -> s2; start: s2 i -> a; quick: i -> a; more: a -> a b; end: b c s -> c o", i=1, s=1)
    found = judge_net(replace(net, final={"o": 1}), Budget(max_states=50)).counterexample
    assert found is not None and found.kind == "unbounded"
    for left_out in range(len(found.run)):
        shorter = [step for k, step in enumerate(found.run) if k != left_out]
        with pytest.raises(ValueError):
            replay(found.net, [*shorter, *found.pump])
