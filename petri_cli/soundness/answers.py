"""How the gate for nets words what a search came to."""

from __future__ import annotations

from collections.abc import Mapping

from petri_cli.soundness.conditions import PROPER
from petri_cli.soundness.packed import WIDEST
from petri_cli.soundness.result import Budget, Condition, Counterexample, Counts, Result, Verdict
from petri_cli.soundness.spaces import Space


def exhaustive(space: Space) -> str:
    """The evidence of a complete enumeration."""
    return f"exhaustive: {amount(space.size, 'state')}"


def sizes(space: Space) -> dict[str, int | float]:
    """The figures of a state space."""
    return {"states": space.size, "edges": space.edges}


def unknown(space: Space, conditions: tuple[Condition, ...], budget: Budget) -> Result:
    """What ran out: room for the tokens of a place, the states of the budget, the memory, or else its time."""
    explored = f"{space.size:,} states explored"
    if space.overflowed:
        limit = f"{WIDEST} bits for the tokens of a place"
    elif space.full:
        limit = f"{budget.max_bytes / 1e6:,.0f} MB of memory"
    elif space.size > budget.max_states:
        limit = f"{budget.max_states:,} states"
    else:
        limit = f"{budget.seconds:g} s"
    return Result(
        Verdict.UNKNOWN,
        f"budget: {explored}",
        code="PETRI_UNKNOWN",
        message=f"PETRI_UNKNOWN: undecided within {limit} ({explored})",
        conditions=conditions,
        stats=sizes(space),
    )


def amount(n: int, noun: str, plural: str = "") -> str:
    """``1 state``, ``1,204 states``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def unsound(
    conditions: tuple[Condition, ...],
    counts: Counts,
    cx: Counterexample,
    stats: Mapping[str, int | float],
    *,
    unbounded: bool,
) -> Result:
    """The refusal of a net. cx: the counterexample to show first."""
    least = "" if counts.exact else "at least "
    faults = [
        f"{least}{counts.deadlocks:,} deadlock marking(s) reachable" if counts.deadlocks else "",
        f"{least}{counts.doomed:,} reachable marking(s) can no longer reach the final marking" if counts.doomed else "",
        "tokens grow without bound" if unbounded else "",
        "the end can be marked beside other tokens" if any(_violated(c, PROPER) for c in conditions) else "",
        f"{len(counts.dead_transitions):,} transition(s) can never fire" if counts.dead_transitions else "",
    ]
    return Result(
        Verdict.UNSOUND,
        "counterexample",
        code="PETRI_UNSOUND_NET",
        message=f"PETRI_UNSOUND_NET: net is unsound: {'; '.join(f for f in faults if f)}",
        conditions=conditions,
        counterexample=cx,
        counts=counts,
        stats=stats,
    )


def _violated(condition: Condition, name: str) -> bool:
    return condition.name == name and condition.holds is False
