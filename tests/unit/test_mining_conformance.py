"""Conformance on nets and logs of the textbook, and on the cases that other tools got wrong."""

from __future__ import annotations

import pytest

from petri_cli.errors import PetriError
from petri_cli.mining.alignments import Kind, align
from petri_cli.mining.alpha import alpha
from petri_cli.mining.deviations import Deviation, PlaceDeviation, deviations, place_deviations
from petri_cli.mining.log import Log, log_of
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.precision import Precision, precision
from petri_cli.mining.simplicity import simplicity
from petri_cli.mining.token_play import Counts
from petri_cli.mining.token_replay import OutOfTimeError, token_replay
from petri_cli.net.builder import NetBuilder, both
from tests.oracle.alignments import check_moves
from tests.strategies.models import read_everything

FULL = {
    "acdeh": 455, "abdeg": 191, "adceh": 177, "abdeh": 144, "acdeg": 111, "adceg": 82, "adbeh": 56, "acdefdbeh": 47,
    "adbeg": 38, "acdefbdeh": 33, "acdefbdeg": 14, "acdefdbeg": 11, "adcefcdeh": 9, "adcefdbeh": 8, "adcefbdeg": 5,
    "acdefbdefdbeg": 3, "adcefdbeg": 2, "adcefbdefbdeg": 2, "adcefdbefbdeh": 1, "adbefbdefdbeg": 1,
    "adcefdbefcdefdbeg": 1,
}  # fmt: skip
"""van der Aalst, "Process Mining", 2016, table 8.1: requests for compensation."""


def counted(variants: dict[str, int]) -> Log:
    return log_of([trace for trace, n in variants.items() for _ in range(n)])


def net(*arcs: str, end: str = "end") -> LabelledNet:
    """A net from ``label: places > places`` (label ``tau`` is silent), from ``start`` to ``end``, a token each."""
    builder = NetBuilder("net")
    labels = {}
    for k, arc in enumerate(arcs):
        label, _, places = arc.partition(":")
        ins, outs = (side.split() for side in places.split(">"))
        builder.transition(f"t{k}", ins, both(*outs) if len(outs) > 1 else outs[0])
        if label != "tau":
            labels[f"t{k}"] = label
    return LabelledNet(builder.marking(start=1).final({end: 1}).build(), labels)


N1 = net(
    "a: start > p1 p2", "b: p1 > p3", "c: p1 > p3", "d: p2 > p4", "e: p3 p4 > p5", "f: p5 > p1 p2", "g: p5 > end",
    "h: p5 > end",
)  # fmt: skip
N2 = net("a:start>p1", "b:p1>p2", "c:p1>p2", "d:p2>p3", "e:p3>p4", "f:p4>p1", "g:p4>end", "h:p4>end")
N3 = net("a: start > p1 p2", "c: p1 > p3", "d: p2 > p4", "e: p3 p4 > p5", "h: p5 > end")
N4 = net("a: start > p", "b: p > p", "c: p > p", "d: p > p", "e: p > p", "f: p > p", "g: p > end", "h: p > end")


@pytest.mark.parametrize(
    ("model", "counts", "fitness"),
    [
        (N1, Counts(0, 10_467, 0, 10_467), 1.0),
        (N2, Counts(443, 8_930, 443, 8_930), 0.9504),
        (N3, Counts(1_183, 9_294, 1_037, 9_148), 0.8797),
        (N4, Counts(0, 8_930, 0, 8_930), 1.0),
    ],
    ids=["N1", "N2", "N3", "N4"],
)
def test_replaying_the_textbook_log_gives_the_published_counts(
    model: LabelledNet, counts: Counts, fitness: float
) -> None:
    replay = token_replay(counted(FULL), model, skip_unknown=True)
    assert replay.total == counts
    assert round(replay.fitness, 4) == fitness


def test_events_that_the_net_lacks_count_against_it_and_are_listed() -> None:
    replay = token_replay(counted(FULL), N3)
    assert replay.unknown == {"b": 566, "f": 146, "g": 461}
    assert replay.total == Counts(1_183 + 1_173, 9_294 + 1_173, 1_037 + 1_173, 9_148 + 1_173)
    assert replay.fitting_cases() == (455 + 177, 455 + 177)


def test_the_places_where_tokens_were_missing_are_told_with_cases() -> None:
    (only,) = place_deviations(token_replay(counted(FULL), N2))
    assert only == PlaceDeviation("p2", 443, 443, 443, ("647", "648", "649"))


def test_the_alpha_net_of_a_log_with_a_skip_loses_a_token_a_skip() -> None:
    log = counted({"abc": 20, "ac": 30})
    replay = token_replay(log, alpha(log).model)
    assert replay.total == Counts(30, 220, 30, 220)
    assert round(replay.fitness, 6) == 0.863636
    assert replay.fitting_cases() == (20, 20)


def test_the_alpha_net_of_the_short_loop_log_loses_four_tokens() -> None:
    log = counted({"abd": 3, "abcbd": 2, "abcbcbd": 1})
    replay = token_replay(log, alpha(log).model)
    assert replay.total == Counts(4, 28, 4, 28)
    assert round(replay.fitness, 6) == 0.857143


SEQ = net("a: start > 1", "b: 1 > 2", "c: 2 > end")


def test_a_trace_with_an_activity_that_the_net_lacks_does_not_fit() -> None:
    log = log_of(["abcd", "abc"])
    aligned = align(log, SEQ)
    assert aligned.cost() == (1, 1)
    assert aligned.fitting_cases() == (1, 1)
    assert aligned.unknown == {"d": 1}
    assert token_replay(log, SEQ).fitting_cases() == (1, 1)
    assert token_replay(log, SEQ, skip_unknown=True).fitting_cases() == (2, 2)
    assert deviations(aligned) == [Deviation("d", 1, 0, 1, ("1",), known=False)]


def test_the_one_case_of_a_hundred_that_a_filter_hides_is_found() -> None:
    log = log_of(["abd"] * 99 + ["abxd"])
    aligned = align(log, net("a: start > 1", "b: 1 > 2", "d: 2 > end"))
    assert aligned.fitting_cases() == (99, 99)
    assert [(m.kind, m.activity) for m in aligned.moves(1) or ()] == [
        (Kind.SYNC, "a"), (Kind.SYNC, "b"), (Kind.LOG, "x"), (Kind.SYNC, "d"),
    ]  # fmt: skip
    assert deviations(aligned) == [Deviation("x", 1, 0, 1, ("100",), known=False)]


LOOP = net("a: start > 1", "b: 1 > 2", "tau: 2 > 3", "c: 3 > 4", "tau: 4 > 3", "tau: 4 > 5", "d: 5 > 6", "e: 6 > end")


@pytest.mark.parametrize("model", [LOOP, read_everything(LOOP)], ids=["blocks", "markings"])
def test_silent_moves_cost_nothing_and_a_log_that_fits_has_fitness_one(model: LabelledNet) -> None:
    log = log_of(["abcde", "abccde", "abcccde"])
    aligned = align(log, model)
    assert aligned.cost() == (0, 0)
    assert aligned.fitness() == (1.0, 1.0)
    assert token_replay(log, model).fitness == 1.0
    assert sum(m.kind is Kind.SILENT for m in aligned.moves(2) or ()) == 4


def test_silent_steps_in_a_circle_are_no_trap() -> None:
    model = net("tau: start > 1", "tau: 1 > start", "a: 1 > 2", "tau: 2 > 1", "b: 2 > end")
    aligned = align(log_of(["aab", "b", "a", ""]), model)
    assert aligned.lower == aligned.upper == (0, 1, 1, 2)


def test_a_replay_that_guesses_wrong_does_not_make_a_fitting_trace_deviate() -> None:
    # the nearest way to `a` leads where `b` never comes
    model = net("tau: start > 1", "a: 1 > 2", "tau: start > 3", "tau: 3 > 4", "a: 4 > 5", "b: 5 > end", "c: 2 > end")
    replay = token_replay(log_of(["ab"]), model)
    assert replay.fits == (True,)
    assert replay.total == Counts(0, 5, 0, 5)


def test_an_empty_trace_costs_the_shortest_run() -> None:
    aligned = align(log_of(["", "abc"]), SEQ)
    assert aligned.lower == (3, 0)
    assert aligned.shortest == 3
    assert aligned.fitness() == (0.5, 0.5)


def test_an_empty_log_has_fitness_one() -> None:
    aligned = align(log_of([]), SEQ)
    assert aligned.fitness() == (1.0, 1.0)
    assert token_replay(log_of([]), SEQ).fitness == 1.0
    assert precision(aligned).value == 1.0


def test_a_net_that_cannot_end_says_so() -> None:
    with pytest.raises(PetriError) as raised:
        align(log_of(["a"]), net("a: start > 1 2", "b: 1 > end"))
    assert raised.value.code == "PETRI_NO_COMPLETE_RUN"


def test_a_net_without_bound_gives_an_interval() -> None:
    model = net("tau: start > start more", "a: start > end")
    aligned = align(log_of(["ab"]), model, max_states=500)
    assert aligned.cut
    assert aligned.cost() == (1, 3), "at most all of the trace, and a complete run"
    assert aligned.fitness() == (0.0, 1 - 1 / 3)
    assert aligned.moves(0) is None


def test_a_deadline_that_has_passed_leaves_an_interval_that_says_so() -> None:
    log = log_of([f"{'ab' * n}" for n in range(1, 300)])
    aligned = align(log, read_everything(LOOP), deadline=lambda: True, max_states=10_000)
    assert aligned.cut
    low, high = aligned.cost()
    assert high is None or low < high


def test_a_replay_that_is_out_of_time_has_no_counts_at_all() -> None:
    log, model = log_of(["ab", "ba"]), net("a: start > p", "b: p > end")
    assert token_replay(log, model, deadline=lambda: True).total.consumed
    with pytest.raises(OutOfTimeError):
        token_replay(log, model, play_deadline=lambda: True)


def test_parallel_branches_are_blocks_and_any_order_fits() -> None:
    aligned = align(log_of(["axyzb", "azyxb", "ayzb"]), parallel("xyz"))
    assert aligned.solved.markings is None
    assert aligned.lower == aligned.upper == (0, 0, 1)


def test_forty_parallel_optional_branches_are_aligned_without_listing_their_interleavings() -> None:
    names = [f"x{k}" for k in range(40)]
    model = parallel(names, skip=True)
    aligned = align(log_of([["a", *names[::-1], "b"], ["a", "b"], ["b", *names[:3], "a", names[0]]]), model)
    assert aligned.lower == aligned.upper == (0, 0, 5)


def parallel(names: str | list[str], *, skip: bool = False) -> LabelledNet:
    befores, behinds = [[f"{side}{n}" for n in names] for side in ("<", "_")]
    befores = [p.replace("<", "in.") for p in befores]
    arcs = [f"a: start > {' '.join(befores)}"]
    arcs += [f"{n}: {p} > {q}" for n, p, q in zip(names, befores, behinds, strict=True)]
    arcs += [f"tau: {p} > {q}" for p, q in zip(befores, behinds, strict=True) if skip]
    return net(*arcs, f"b: {' '.join(behinds)} > end")


def test_a_net_with_weights_is_searched_by_marking() -> None:
    builder = NetBuilder("pairs").transition("a", "start", both("p", "p2")).transition("b", ["p", "p2"], "end")
    model = LabelledNet(builder.marking(start=2).final(end=2).build(), {"a": "a", "b": "b"})
    aligned = align(log_of(["abab", "aabb", "aab", "ba"]), model)
    assert aligned.solved.markings is not None
    assert aligned.lower == aligned.upper == (0, 0, 1, 4 - 2)


@pytest.mark.slow
def test_five_thousand_nested_blocks_are_no_recursion() -> None:
    depth = 5_000
    arcs = []
    for k in range(depth):
        arcs += [f"tau: i{k} > i{k + 1} l{k}", f"x{k}: l{k} > r{k}", f"tau: o{k + 1} r{k} > o{k}"]
    arcs += ["tau: start > i0", f"x: i{depth} > o{depth}", "tau: o0 > end"]
    aligned = align(log_of([["x", "x7", "x4999"]]), net(*arcs))
    assert aligned.solved.markings is None
    assert aligned.cost() == (depth - 2, depth - 2)


@pytest.mark.parametrize("model", [N1, read_everything(N1)], ids=["blocks", "markings"])
def test_precision_counts_what_the_net_allows_and_the_log_never_does(model: LabelledNet) -> None:
    log = log_of(["acdeh", "adceg"])
    # after a: b, c, d; after ac: d; acd: e; acde: f, g, h; after ad: b, c; adc: e; adce: f, g, h; and a twice at first
    expected = Precision(allowed=1 + 1 + 3 + 3 + 1 + 1 + 3 + 2 + 1 + 3, escaping=1 + 1 + 2 + 1 + 2, cases=2)
    assert precision(align(log, model)) == Precision(expected.allowed, 1 * 2 + 2 + 1 + 2, 2)


def test_a_net_that_allows_just_the_log_is_precise_and_a_flower_is_not() -> None:
    log = counted(FULL)
    assert precision(align(log_of(["abc", "abc"]), SEQ)).value == 1.0
    flower = precision(align(log, N4)).value
    exact = precision(align(log, N1)).value
    assert flower is not None
    assert exact is not None
    assert flower < 0.35 < 0.9 < exact


def test_a_sequence_is_as_simple_as_can_be() -> None:
    assert simplicity(SEQ.net) == 1.0
    assert simplicity(N1.net) == 1 / (1 + 2 * 19 / 15 - 2)


def guarded(n: int, units: int) -> LabelledNet:
    """``n`` parallel branches of two steps, each of which holds a unit of one resource."""
    builder = NetBuilder("guarded").transition("open", "start", both(*(f"in{k}" for k in range(n))))
    labels: dict[str, str] = {}
    for k in range(n):
        builder.transition(f"take{k}", [f"in{k}", "units"], f"a{k}").transition(f"x{k}", f"a{k}", f"b{k}")
        builder.transition(f"y{k}", f"b{k}", f"c{k}").transition(f"give{k}", f"c{k}", both(f"out{k}", "units"))
        labels |= {f"x{k}": f"x{k}", f"y{k}": f"y{k}"}
    builder.transition("close", [f"out{k}" for k in range(n)], "end")
    return LabelledNet(builder.marking(start=1, units=units).final(end=1, units=units).build(), labels)


def test_a_case_that_keeps_to_the_resources_is_aligned_by_blocks() -> None:
    trace = [step for k in range(0, 30, 3) for s in "xy" for step in (f"{s}{k}", f"{s}{k + 1}", f"{s}{k + 2}")]
    model = guarded(30, 3)
    aligned = align(log_of([trace, trace[:-1]]), model)
    assert aligned.solved.markings is None
    assert aligned.lower == aligned.upper == (0, 1)
    for k, cost in enumerate(aligned.lower):
        assert check_moves(model, aligned.log.named(aligned.log.variants[k]), aligned.moves(k) or ()) == cost


def test_a_case_that_holds_more_than_there_is_deviates() -> None:
    model = guarded(3, 1)
    aligned = align(log_of([["x0", "x1", "y0", "y1", "x2", "y2"]]), model)
    assert aligned.solved.markings is not None
    assert aligned.cost() == (2, 2)
    assert token_replay(log_of([["x0", "x1", "y0", "y1", "x2", "y2"]]), model).fits == (False,)


def test_copies_of_a_branch_are_told_apart_by_how_many_have_come_how_far() -> None:
    arcs = ["tau: start > " + " ".join(f"i{k}" for k in range(25))]
    arcs += [arc for k in range(25) for arc in (f"x: i{k} > j{k}", f"y: j{k} > k{k}")]
    model = net(*arcs, "tau: " + " ".join(f"k{k}" for k in range(25)) + " > end")
    aligned = align(log_of(["xy" * 25, "x" * 25 + "y" * 25, "xxy" * 12 + "x" + "y" * 11]), model)
    assert aligned.lower == aligned.upper == (0, 0, 2)
    for k, cost in enumerate(aligned.lower):
        assert check_moves(model, aligned.log.named(aligned.log.variants[k]), aligned.moves(k) or ()) == cost
