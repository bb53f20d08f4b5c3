"""Who keeps whom waiting, said in one sentence in the plan's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.plan.model import Plan
from petri_cli.soundness.result import Wait


def sentence_of(plan: Plan, waits: Sequence[Wait]) -> str:
    """Who keeps whom waiting, in one sentence."""
    capacity = plan.capacities()
    if len(waits) == 1 and waits[0].needs > capacity[waits[0].resource]:
        w = waits[0]
        return f"`{w.who}` asks for {w.needs} of {w.resource}, which has {capacity[w.resource]}: it can never start."
    if len(waits) == 1 and (never := _never(waits[0], capacity)):
        return never
    wanted = {w.resource for w in waits}
    groups: dict[tuple[object, ...], list[Wait]] = {}
    for w in waits:
        held = tuple((h.resource, h.units) for h in w.holds if h.resource in wanted)
        groups.setdefault((held, w.resource, w.needs), []).append(w)
    parts = [_phrase(group, wanted, capacity) for group in groups.values()]
    if len(parts) > 4:
        parts = [*parts[:3], f"and {len(parts) - 3} more wait in the same way"]
    return "; ".join(parts) + "."


def _never(w: Wait, capacity: Mapping[str, int]) -> str:
    """What to say of somebody who asks for more than is left beside what it holds itself; empty when that is not so."""
    held = sum(h.units for h in w.holds if h.resource == w.resource)
    there = capacity[w.resource]
    if held + w.needs <= there:
        return ""
    if there == 1:
        return f"`{w.who}` holds {w.resource} and waits for {w.resource} again: there is only 1, so it can never go on."
    return (
        f"`{w.who}` needs {held + w.needs} {w.resource} at once, {held} of which it holds; "
        f"there are {there}: it can never go on."
    )


def _phrase(group: Sequence[Wait], wanted: set[str], capacity: Mapping[str, int]) -> str:
    w = group[0]
    held: dict[str, int] = {}
    for h in w.holds:
        if h.resource in wanted:
            held[h.resource] = held.get(h.resource, 0) + h.units
    have = " and ".join(_amount(r, k, capacity[r]) for r, k in held.items())
    want = _amount(w.resource, w.needs, capacity[w.resource], more=w.resource in held)
    if len(group) == 1:
        return f"`{w.who}` holds {have} and waits for {want}" if have else f"`{w.who}` waits for {want}"
    if not have:
        return f"{_names(group)} each wait for {want}"
    together: dict[tuple[object, ...], list[Wait]] = {}  # those inside the very same guards hold what they hold once
    for each in group:
        same = tuple((h.guard, h.step) for h in each.holds if h.resource in wanted)
        together.setdefault(same, []).append(each)
    first, *others = together.values()
    if len(first) == 1 and len(together) == len(group):
        return f"{_names(group)} each hold {have} and wait for {want}"
    said = f"{_names(first)} together hold {have} and each wait for {want}"
    if not others:
        return said
    return f"{said}; so do {_names(others[0])}" if len(others) == 1 else f"{said}; so do {len(others)} more such groups"


def _names(group: Sequence[Wait]) -> str:
    if len(group) == 1:
        return f"`{group[0].who}`"
    return f"`{group[0].who}` {'…' if len(group) > 2 else 'and'} `{group[-1].who}`"


def _amount(resource: str, units: int, capacity: int, *, more: bool = False) -> str:
    if capacity == 1 and units == 1:
        return f"{resource} again" if more else resource
    return f"{units} more {resource}" if more else f"{units} {resource}"
