"""Soundness by reduction: the net comes down to a single step, or what is left of it is judged in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.answers import unsound
from petri_cli.soundness.conditions import NO_DEAD, OPTION, PROPER
from petri_cli.soundness.reductions.lifting import Lifting
from petri_cli.soundness.reductions.reduction import Reduction, reduce_net
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Condition, Counts, Result, Verdict
from petri_cli.soundness.shape import Target

EVIDENCE = "reduction"


def reduced_verdict(
    target: Target,
    compiled: CompiledNet,
    explored_whole: Callable[[], Result | None],
    prove: Callable[[Target], Result],
) -> Result | None:
    """Whether ``target`` is sound, by way of a smaller net; None when nothing can be reduced, or when the answer about
    the smaller net could not be brought back.

    compiled: the net of ``target``; prove: any decider of soundness, asked about the smaller net;
    explored_whole: the answer about the net as it is, where that is quickly had: it counts exactly and its runs are
    shortest. Asked when the net does not come down to a single step, so that it is probably unsound.
    """
    reduction = reduce_net(target, compiled)
    if reduction.is_trivial:
        return _sound(reduction, EVIDENCE, {})
    if not reduction.removed:
        return None
    result = explored_whole()
    if result is not None:
        return result
    small = prove(reduction.target)
    if small.verdict is Verdict.SOUND:
        return _sound(reduction, f"{EVIDENCE}, then {small.evidence}", small.stats)
    if small.counterexample is None or small.counts is None:
        return replace(small, stats={**small.stats, **_sizes(reduction)})
    lifted = Lifting(target, compiled, reduction).lift(small.conditions, small.counterexample, small.counts)
    if lifted is None:
        return None
    stats = {**small.stats, **_sizes(reduction)}
    unbounded = any(c.counterexample is not None and c.counterexample.kind == "unbounded" for c in lifted.conditions)
    return unsound(lifted.conditions, lifted.counts, lifted.counterexample, stats, unbounded=unbounded)


def _sound(reduction: Reduction, evidence: str, stats: Mapping[str, int | float]) -> Result:
    return Result(
        Verdict.SOUND,
        evidence,
        conditions=tuple(Condition(name, True) for name in (OPTION, PROPER, NO_DEAD)),
        assumptions=SOUND_ASSUMPTIONS,
        counts=Counts(0, 0, exact=True, dead_transitions=()),
        stats={**stats, **_sizes(reduction)},
    )


def _sizes(reduction: Reduction) -> dict[str, int | float]:
    net = reduction.target.net
    return {"reducedPlaces": len(net.places), "reducedTransitions": len(net.transitions)}
