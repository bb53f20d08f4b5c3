"""Process trees as nets and as plans, and the table of coverages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri_cli.mining.alignments import align
from petri_cli.mining.guards import GuardProposal, guard_proposals, guards_of
from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import log_of
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.plan_shapes import MOST_COPIED
from petri_cli.mining.raise_plan import RaisedPlan, plan_of, plan_text, raise_plan
from petri_cli.mining.sweep import most_frequent, sweep
from petri_cli.mining.tree import Op, Tree, TreeBuilder
from petri_cli.mining.tree_net import tree_net
from petri_cli.plan.compare import same_plan
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.lower import lower_workflow
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict
from tests.net_words import net_words
from tests.parts import first_quick
from tests.process_trees import language, parse
from tests.textbook_logs import FULL, L7, L8, L11, letters

TREES = (
    "'a'",
    "tau",
    "->( 'a', X( tau, 'b' ), 'c' )",
    "X( 'a', *( 'b', tau ) )",
    "*( 'a', 'b' )",
    "*( tau, 'a' )",
    "*( tau, X( 'a', 'b', 'c' ) )",
    "*( 'a', X( tau, 'b' ) )",
    "*( X( tau, 'a' ), 'b' )",
    "*( *( 'a', 'b' ), 'c' )",
    "*( *( tau, 'a' ), *( 'b', tau ) )",
    "*( +( 'a', 'b' ), 'c' )",
    "+( 'a', *( 'b', 'c' ) )",
    "+( tau, X( tau, 'a' ) )",
    "*( tau, tau )",
    "->( *( ->( 'a', 'b' ), ->( 'c', 'd' ) ), X( 'e', X( tau, 'f' ) ) )",
)


def _plan_net(raised: RaisedPlan) -> LabelledNet:
    return LabelledNet(lower_workflow(raised.plan).net, {f"t.{tid}": a for tid, a in raised.activities.items()})


@pytest.mark.parametrize("text", TREES)
def test_net_and_plan_have_the_language_of_the_tree(text: str) -> None:
    tree = parse(text)
    words = language(tree, 6)
    assert net_words(tree_net(tree), 6) == words
    raised = raise_plan(tree)
    assert not raised.loose
    assert net_words(_plan_net(raised), 6) == words


@pytest.mark.parametrize("text", TREES)
def test_net_and_plan_pass_the_gate(text: str) -> None:
    tree = parse(text)
    assert judge_net(tree_net(tree).net).verdict is Verdict.SOUND
    assert judge_plan(plan_of(tree)).verdict is Verdict.SOUND


def test_two_steps_of_one_activity_are_two_transitions() -> None:
    model = tree_net(parse("->( 'a', 'a' )"))
    assert sorted(model.labels.values()) == ["a", "a"]
    assert net_words(model, 3) == {("a", "a")}


def test_a_plan_tells_what_was_counted() -> None:
    log = letters(FULL)
    assert plan_text(inductive(log), log, "claims") == (
        """\
# Mined from 1,391 cases with 7,539 events: `petri mine`
# A task with `run: "true"` does nothing: the way past the other branches.
name: claims
objective: "What 1,391 cases did"
flow:
  seq:
    - task: {id: a}  # 1,391 of 1,391 cases
    - parallel:
        - choice:
            - task: {id: b}  # 566 times in 557 of 1,391 cases
            - task: {id: c}  # 971 times in 961 of 1,391 cases
        - task: {id: d}  # 1,537 times in 1,391 of 1,391 cases
    - task: {id: e}  # 1,537 times in 1,391 of 1,391 cases
    - choice:
        - loop:
            id: again
            body:
              seq:
                - task: {id: f}  # 146 times in 137 of 1,391 cases
                - parallel:
                    - choice:
                        - task: {id: b_2, name: b}  # counted with b
                        - task: {id: c_2, name: c}  # counted with c
                    - task: {id: d_2, name: d}  # counted with d
                - task: {id: e_2, name: e}  # counted with e
        - task: {id: skip, run: "true"}  # 1,254 of 1,391 cases do none of it
    - choice:
        - task: {id: g}  # 461 of 1,391 cases
        - task: {id: h}  # 930 of 1,391 cases
"""
    )


@pytest.mark.parametrize("text", [L7, L8, L11, FULL, "- a", "", "abc acb ab"])
def test_the_text_of_a_plan_is_the_plan(text: str) -> None:
    log = letters(text)
    tree = inductive(log)
    read, warnings = load_plan_text(plan_text(tree, log))
    assert same_plan(read, plan_of(tree, log))
    assert {w.code for w in warnings} <= {"PETRI_UNBOUNDED_LOOP"}


def test_any_name_of_an_activity_becomes_an_id_of_its_own() -> None:
    names = ["A b", "a_b", "a b", "1st", "ü", "", "skip", "again", "- x", "line\nbreak", 'q"', "# no", "a: b", "{x}"]
    log = log_of([names, names[1:], [*names, *names]])
    tree = inductive(log)
    raised = raise_plan(tree, log)
    assert len(set(raised.activities)) == len(raised.activities)
    assert set(raised.activities.values()) == set(names)
    read, _ = load_plan_text(plan_text(tree, log))
    assert same_plan(read, raised.plan)


def test_no_task_goes_by_the_name_of_another_activity() -> None:
    log = log_of([["A b", "a_b", "x", "a_b_2", "skip", "again"], ["A b", "a_b", "x", "x", "a_b_2"]])
    raised = raise_plan(inductive(log), log)
    assert {tid: a for tid, a in raised.activities.items() if tid in log.activities} == {
        "a_b": "a_b",
        "x": "x",
        "a_b_2": "a_b_2",
        "skip": "skip",
        "again": "again",
    }
    assert raised.activities["a_b_3"] == "A b"


def _deep(op: Op, depth: int) -> Tree:
    builder = TreeBuilder()
    node = builder.leaf("z")
    for k in range(depth):
        match op:
            case Op.LOOP:
                node = builder.inner(
                    Op.LOOP, [builder.inner(Op.SEQ, [node, builder.leaf(f"a{k}")]), builder.leaf(None)]
                )
            case Op.XOR:
                node = builder.inner(Op.SEQ, [builder.leaf(f"a{k}"), builder.inner(Op.XOR, [builder.leaf(None), node])])
            case _:
                node = builder.inner(Op.SEQ, [builder.leaf(f"a{k}"), builder.inner(op, [builder.leaf(f"b{k}"), node])])
    return builder.tree(node)


@pytest.mark.slow
@pytest.mark.parametrize("op", first_quick(Op.AND, Op.LOOP, Op.XOR))
def test_2500_nested_blocks_become_a_net_and_a_plan(op: Op) -> None:
    tree = _deep(op, 2500)
    assert len(tree_net(tree).net.transitions) > 2500
    assert len(plan_of(tree).nodes) > 2500
    assert plan_text(tree, log_of(["z"])).startswith("{")


def test_a_long_body_of_a_loop_is_not_copied_and_the_plan_says_so() -> None:
    builder = TreeBuilder()
    body = builder.inner(Op.SEQ, [builder.leaf(f"a{k}") for k in range(MOST_COPIED)])
    tree = builder.tree(builder.inner(Op.LOOP, [body, builder.leaf("back")]))
    raised = raise_plan(tree)
    assert raised.loose == ("again",)
    assert len(raised.activities) == MOST_COPIED + 1
    assert judge_plan(raised.plan).sound
    assert "# allows more than was seen" in plan_text(tree, log_of(["x"]))


def test_loops_within_bodies_of_loops_do_not_double_without_end() -> None:
    builder = TreeBuilder()
    node = builder.leaf("z")
    for k in range(40):
        body = builder.inner(Op.SEQ, [node, builder.leaf(f"a{k}")])
        node = builder.inner(Op.LOOP, [body, builder.leaf(f"b{k}")])
    assert len(plan_of(builder.tree(node)).nodes) < 40 * 3 * MOST_COPIED


def test_coverage_keeps_the_fewest_most_frequent_variants() -> None:
    log = letters("ab^50 ac^30 ad^15 ae^4 af")
    assert most_frequent(log, 100) is log
    for coverage, counts in (
        (99.5, (50, 30, 15, 4, 1)),
        (99, (50, 30, 15, 4)),
        (80, (50, 30)),
        (79, (50, 30)),
        (1, (50,)),
    ):
        part = most_frequent(log, coverage)
        assert part.counts == counts
        assert part.n_cases == sum(counts) == len(part.cases)
        assert [len(part.cases_of(k)) for k in range(len(counts))] == list(counts)


def test_variants_that_are_as_frequent_are_taken_by_their_names() -> None:
    texts = [letters(t) for t in ("ac ab ad", "ad ac ab", "ab ad ac")]
    assert [{tuple(part.named(v)) for v in part.variants} for log in texts for part in [most_frequent(log, 60)]] == [
        {("a", "b"), ("a", "c")}
    ] * 3


def test_the_sweep_says_what_each_coverage_costs() -> None:
    rows = sweep(letters("abcd^60 acbd^35 abbcd^3 acabd^2"))
    assert [(r.coverage, r.variants, r.cases, r.size, r.silent) for r in rows] == [
        (100, 4, 100, 6, 2),
        (95, 2, 95, 4, 0),
        (90, 2, 95, 4, 0),
        (80, 2, 95, 4, 0),
    ]
    assert rows[0].fitness == (1, 1)
    assert rows[1].fitness == rows[3].fitness == pytest.approx(((95 + 5 * 8 / 9) / 100,) * 2)
    assert rows[1].precision == 1
    assert rows[0].precision is not None and rows[0].precision < 1


def test_a_capacity_that_was_observed_becomes_a_guard_around_each_task() -> None:
    log = letters("abc^20 acb^30")
    desk = GuardProposal("resource", "Front Desk", 3, {"b": 50, "c": 50}, 100, 9, 8, 8, 1.0)
    text = plan_text(inductive(log), log, "desk", {"b": desk, "c": desk})
    assert text == (
        """\
# Mined from 50 cases with 150 events: `petri mine`
name: desk
objective: What 50 cases did
resources:
  - {id: front_desk, capacity: 3}  # never more than 3 of 100 events at once: 9 times so many, while """
        """8 waited (100 % of the time in which anything did)
flow:
  seq:
    - task: {id: a}  # 50 of 50 cases
    - parallel:
        - guard:
            resource: front_desk
            body:
              task: {id: b}  # 50 of 50 cases
        - guard:
            resource: front_desk
            body:
              task: {id: c}  # 50 of 50 cases
"""
    )
    plan, warnings = load_plan_text(text)
    assert judge_plan(plan).verdict is Verdict.SOUND
    assert not warnings


def test_claims_become_a_plan_with_three_resources() -> None:
    from petri_cli.formats.logs import LogOptions, read_log

    log = read_log(_data() / "logs" / "02_teleclaims.xes.gz", LogOptions(lifecycle="pairs"))
    guards = guards_of(log, guard_proposals(log))
    plan = plan_of(inductive(log), log, guards=guards)
    assert [(r.id, r.capacity) for r in plan.resources] == [
        ("call_centre_agent_brisbane", 40),
        ("call_centre_agent_sydney", 40),
        ("claims_handler", 100),
    ]
    assert len(list(plan.guards())) == 9
    assert judge_plan(plan).verdict is Verdict.SOUND


def _data() -> Path:
    folder = os.environ.get("PETRI_TEST_DATA")
    if not folder:
        pytest.skip("PETRI_TEST_DATA names no folder of logs")
    return Path(folder)


@pytest.mark.parametrize("name", ["03_repairExample", "08_receipt", "helpdesk", "02_teleclaims"])
def test_real_logs_fit_their_own_model_and_the_plan_passes_the_gate(name: str) -> None:
    from petri_cli.formats.logs import read_log

    log = read_log(_data() / "logs" / f"{name}.xes.gz")
    raised = raise_plan(inductive(log), log)
    assert judge_plan(raised.plan).verdict is Verdict.SOUND
    assert align(log, tree_net(inductive(log))).cost() == (0, 0)
    assert align(log, _plan_net(raised)).cost() == (0, 0)
