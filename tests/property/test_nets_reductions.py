"""Every rule of reduction, and all of them together, preserve each condition of soundness, and runs can be lifted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Net
from petri_cli.soundness.reductions.reduce import LATE_RULES, RULES, Rule
from petri_cli.soundness.reductions.reduction import reduce_net
from petri_cli.soundness.reductions.verdict import reduced_verdict
from petri_cli.soundness.result import Budget, Counterexample, Result, Verdict
from petri_cli.soundness.shape import Target, target_of
from petri_cli.soundness.timer import Timer
from petri_cli.soundness.workflow import by_exploration
from tests.oracle.counterexamples import shows_what_it_says
from tests.strategies.grown_nets import grown_net
from tests.strategies.plain_nets import process_net, wild_workflow_net
from tests.strategies.workflow_nets import workflow_net

LIMIT = 300
"""Markings past which a net is passed over."""

GENERATORS: dict[str, Callable[[Random], Net]] = {
    "grown": grown_net,
    "grown, special arcs": lambda rng: grown_net(rng, special=True),
    "blocks": workflow_net,
    "blocks, special arcs": lambda rng: workflow_net(rng, special=True),
    "wild": wild_workflow_net,
    "processes": process_net,
}


def _explored(target: Target) -> Result | None:
    """The exact answer; None when there are too many markings."""
    result = by_exploration(target, compile_net(target.net), Budget(LIMIT), Timer(None, 1.0))
    exact = result.verdict is not Verdict.UNKNOWN and result.counts is not None and result.counts.exact
    return result if exact else None


def _holds(result: Result) -> list[bool | None]:
    return [c.holds for c in result.conditions]


def _compare(generator: str, seed: int, rules: tuple[Rule, ...] | None, *, parallel: bool) -> str:
    try:
        target = target_of(GENERATORS[generator](Random(seed)))  # noqa: S311
    except PetriError:
        return "no workflow net"
    if rules is None:
        reduction = reduce_net(target, compile_net(target.net))
    else:
        reduction = reduce_net(target, compile_net(target.net), rules, (), parallel_transitions=parallel)
    if not reduction.removed:
        return "not reduced"
    before = _explored(target)
    if before is None:
        return "too big"
    after = _explored(reduction.target)
    assert after is not None, (generator, seed)
    assert _holds(before) == _holds(after), (generator, seed)
    assert not reduction.is_trivial or before.verdict is Verdict.SOUND, (generator, seed)
    return before.verdict.value


@pytest.mark.slow
@pytest.mark.parametrize("generator", GENERATORS)
def test_a_reduced_net_meets_the_conditions_that_the_net_meets(generator: str) -> None:
    seen = Counter(_compare(generator, seed, None, parallel=True) for seed in range(1_500))
    assert min(seen["SOUND"], seen["UNSOUND"]) > 50, seen


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", [*RULES, *LATE_RULES, None], ids=lambda r: "parallel_transitions" if r is None else r.__name__
)
def test_each_rule_alone_preserves_the_conditions(rule: Rule | None) -> None:
    seen = Counter[str]()
    for k, generator in enumerate(GENERATORS):
        for seed in range(k, 1_200, 4):
            seen[_compare(generator, seed, () if rule is None else (rule,), parallel=rule is None)] += 1
    assert min(seen["SOUND"], seen["UNSOUND"]) > 10, seen


def _shown_beyond_the_limit(target: Target, cx: Counterexample) -> str:
    """The kind of a counterexample of a net with many markings, or endless ones, after a look at it."""
    if cx.kind not in ("cannotComplete", "deadTransition"):
        shows_what_it_says(target.net, target.final, target.sink, cx)
    return f"{cx.kind} beyond the limit"


def _lift(generator: str, seed: int) -> list[str]:
    """The kinds of counterexample that were brought back from the reduced net, each one checked."""
    try:
        target = target_of(GENERATORS[generator](Random(seed)))  # noqa: S311
    except PetriError:
        return []
    compiled = compile_net(target.net)

    def prove(small: Target) -> Result:
        return by_exploration(small, compile_net(small.net), Budget(LIMIT), Timer(None, 1.0))

    after = reduced_verdict(target, compiled, lambda: None, prove)
    if after is None:
        return ["no answer"]
    before = _explored(target)
    if before is None:
        return [_shown_beyond_the_limit(target, c.counterexample) for c in after.conditions if c.counterexample]
    assert before.verdict is after.verdict
    for exact, lifted in zip(before.conditions, after.conditions, strict=True):
        assert lifted.holds in (exact.holds, None)
    assert after.counts is not None and before.counts is not None
    assert after.counts.deadlocks <= before.counts.deadlocks and after.counts.doomed <= before.counts.doomed
    assert after.counts.dead_transitions in (None, before.counts.dead_transitions)
    if after.verdict is Verdict.SOUND:
        return ["SOUND"]
    assert after.counterexample in [c.counterexample for c in after.conditions]
    shown = [c.counterexample for c in after.conditions if c.counterexample is not None]
    for cx in shown:
        shows_what_it_says(target.net, target.final, target.sink, cx)
        assert cx.kind != "deadTransition" or cx.subject in (before.counts.dead_transitions or ())
    return [cx.kind for cx in shown]


@pytest.mark.slow
@pytest.mark.parametrize("generator", GENERATORS)
def test_what_is_shown_of_a_reduced_net_is_true_of_the_net(generator: str) -> None:
    seen = Counter(kind for seed in range(600) for kind in _lift(generator, seed))
    kinds = {"deadlock", "improperCompletion", "cannotComplete", "deadTransition"} & set(seen)
    assert kinds
