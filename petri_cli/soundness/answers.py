"""How the gate for nets words what a search came to."""

from __future__ import annotations

from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.packed import WIDEST
from petri_cli.soundness.result import Budget, Condition, Result, Verdict


def exhaustive(space: StateSpace) -> str:
    """The evidence of a complete enumeration."""
    return f"exhaustive: {amount(len(space.markings), 'state')}"


def sizes(space: StateSpace) -> dict[str, int | float]:
    """The figures of a state space."""
    return {"states": len(space.markings), "edges": space.edges}


def unknown(space: StateSpace, conditions: tuple[Condition, ...], budget: Budget) -> Result:
    """What ran out: room for the tokens of a place, the states of the budget, or else its time."""
    explored = f"{len(space.markings):,} states explored"
    if space.overflowed:
        limit = f"{WIDEST} bits for the tokens of a place"
    elif len(space.markings) > budget.max_states:
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
