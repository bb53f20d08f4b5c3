"""Trees, nets and plans say the same; and a plan that is run is found again in its log."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.driver.simulate import simulate
from petri_cli.mining.alignments import align
from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import log_of
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.raise_plan import plan_of, plan_text, raise_plan
from petri_cli.mining.sweep import sweep
from petri_cli.mining.token_replay import token_replay
from petri_cli.mining.tree_net import tree_net
from petri_cli.plan.lower import lower_workflow
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict
from tests.net_words import net_words
from tests.process_trees import language, random_tree

SEEDS = st.integers(0, 10**6)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_net_and_plan_have_the_language_of_their_tree_and_pass_the_gate(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    tree = random_tree(rng, rng.randint(1, 5), silent=0.25, clear_loops=False)
    words = language(tree, 5)
    model = tree_net(tree)
    raised = raise_plan(tree)
    of_plan = LabelledNet(lower_workflow(raised.plan).net, {f"t.{t}": a for t, a in raised.activities.items()})
    assert net_words(model, 5) == words, str(tree)
    assert net_words(of_plan, 5) == words, str(tree)
    assert judge_net(model.net).verdict is Verdict.SOUND
    assert judge_plan(raised.plan).verdict is Verdict.SOUND


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_a_plan_that_was_run_in_virtual_time_replays_on_what_is_mined_from_it(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    plan = plan_of(random_tree(rng, rng.randint(2, 7), silent=0.15, clear_loops=False))
    tasks = [t.id for t in plan.tasks()]
    traces = []
    for k in range(12):
        run = simulate(plan, seed=k, durations={t: rng.uniform(1, 9) for t in tasks}, max_firings=400)
        if run.outcome == "completed":
            traces.append([t.task for t in run.tasks])
    log = log_of(traces)
    model = tree_net(inductive(log))
    assert align(log, model).fitness() == (1, 1)
    assert token_replay(log, model).fitness == 1


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_permuting_cases_changes_neither_plan_nor_table(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    words = ["".join(rng.choices("abcd", k=rng.randint(1, 5))) for _ in range(rng.randint(1, 12))]
    log = log_of(words)
    rng.shuffle(words)
    other = log_of(words)
    assert plan_text(inductive(log), log) == plan_text(inductive(other), other)
    assert sweep(log, (100, 60)) == sweep(other, (100, 60))
