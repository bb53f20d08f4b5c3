"""The gate for nets: files that describe a net, PNML, mined nets.

What is asked: the properties that the net declares and the caller asks for, if there are any
(:mod:`petri_cli.soundness.property_proofs`); otherwise soundness as a workflow net
(:mod:`petri_cli.soundness.workflow`). Timing, priority and names are ignored by the proof; warnings say where that
matters. Everything here is pure: no clock is read but the one handed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Net, Property
from petri_cli.net.start import start_of
from petri_cli.soundness.property_proofs import judge_properties
from petri_cli.soundness.restrictions import assumptions, restrictions
from petri_cli.soundness.result import Budget, Result
from petri_cli.soundness.spaces import Space, with_space
from petri_cli.soundness.timer import Clock, Timer
from petri_cli.soundness.workflow import judge_workflow


def judge_net(
    net: Net, budget: Budget | None = None, properties: Sequence[Property] = (), clock: Clock | None = None
) -> Result:
    """Judge ``net``: the properties it declares and ``properties``, if any, else soundness as a workflow net.

    The net starts as :func:`petri_cli.net.start.start_of` says, and what that assumes comes with every verdict.
    clock: monotonic seconds; without one, ``budget.seconds`` is no limit. With properties the verdict is SOUND when all
    hold, UNSOUND when one is violated.

    Raises PetriError: PETRI_NOT_WORKFLOW_NET when soundness is asked of a net without one start and one end,
    PETRI_UNKNOWN_PLACE and PETRI_BAD_PROPERTY for a property that makes no sense.
    """
    budget = budget or Budget()
    timer = Timer(clock, budget.seconds)
    start = start_of(net)
    net = start.net
    asked = tuple(dict.fromkeys((*net.properties, *properties)))
    result = judge_properties(net, asked, budget, timer) if asked else judge_workflow(net, budget, timer)
    stats = {**result.stats, "places": len(net.places), "transitions": len(net.transitions)}
    if clock is not None:
        stats["seconds"] = round(timer.elapsed(), 6)
    warnings = (*start.warnings, *result.warnings, *restrictions(net, result.verdict, result.conditions))
    assumed = (*result.assumptions, *assumptions(net)) if result.assumptions else ()
    assumed = (*start.assumptions, *assumed)
    return replace(result, stats=stats, warnings=warnings, assumptions=assumed)


def place_bounds(net: Net, budget: Budget | None = None, clock: Clock | None = None) -> Mapping[str, int] | None:
    """The most tokens that each place ever holds, by exact enumeration; None when the budget ran out first."""
    budget = budget or Budget()
    timer = Timer(clock, budget.seconds)

    def search(space: Space) -> dict[str, int] | None:
        space.advance(budget.max_states, timer.expired)
        return dict(zip(space.compiled.places, space.most(), strict=True)) if space.complete else None

    return with_space(compile_net(start_of(net).net), search, most_bytes=budget.max_bytes)
