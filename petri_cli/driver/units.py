"""How many tokens a run bears. Each unit of a resource is a token of its own, in memory and in the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from petri_cli.errors import InputError, PetriError, Problem
from petri_cli.plan.model import Plan

if TYPE_CHECKING:  # who only analyses a plan needs no engine
    from petri_cli.engine.outputs import OutputRule
    from petri_cli.net.model import Net

MAX_UNITS: Final = 1_000_000
"""Units of all resources of a plan together, or tokens of a net: 50 MB of a log, and some seconds to begin with."""

CODE: Final = "PETRI_TOO_MANY_UNITS"
_HINT: Final = "more than the steps can hold at once change nothing; or count in larger units (a thousand as one)"


def too_many_units(plan: Plan) -> Problem | None:
    """What there is to say of a plan whose resources no run could bear, at the largest of them."""
    units = sum(r.capacity for r in plan.resources)
    if units <= MAX_UNITS:
        return None
    most = max(plan.resources, key=lambda r: r.capacity)
    of = f"the resource `{most.id}` has" if len(plan.resources) == 1 else "the resources together have"
    return Problem(CODE, f"{of} {units:,} units, and a run bears {MAX_UNITS:,}", most.capacity_at, _HINT)


def check_units(plan: Plan) -> None:
    """Raises InputError ``PETRI_TOO_MANY_UNITS``."""
    if problem := too_many_units(plan):
        raise InputError([problem if problem.where.file else problem.in_file(plan.file)])


def check_tokens(net: Net, rules: Iterable[OutputRule]) -> None:
    """Refuse a net whose start, or one of whose firings, no run could bear. rules: of its transitions, in order.

    Raises PetriError ``PETRI_TOO_MANY_UNITS``.
    """
    for t, rule in zip(net.transitions, rules, strict=True):
        if (most := max(rule.copies.values(), default=0)) > MAX_UNITS:
            message = f"`{t.id}` puts {most:,} tokens into one place, and a run bears {MAX_UNITS:,}"
            raise PetriError(CODE, message, hint="petri analyze bears more")
    if (tokens := sum(net.initial.values())) > MAX_UNITS:
        message = f"the net begins with {tokens:,} tokens, and a run bears {MAX_UNITS:,}"
        raise PetriError(CODE, message, hint="petri analyze bears more")
