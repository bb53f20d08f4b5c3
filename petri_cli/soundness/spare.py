"""Taking out of a run to a deadlock each step that it does not need, at a cost that stays small for long runs."""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.net.compiled import CompiledNet
from petri_cli.plan.lower import acquire_id
from petri_cli.plan.model import Guard, Plan
from petri_cli.soundness.lift import Lift


def without_spare_steps(plan: Plan, lift: Lift) -> tuple[int, ...]:
    """The run without any step that can be taken away (with the steps that then can't happen) so that it still ends
    dead.

    Such a step must be disabled at the end, though its control token is back: it is an acquire, its block has ended,
    and even with the units that come back to it too little is left.
    """
    net = lift.compiled
    acquires = _acquires(plan, lift)
    run, state = list(lift.run), list(lift.state)
    after, moved = _consequences(net, run), _moved(net, run)
    at = len(run) - 1
    while at >= 0:
        a = run[at]
        if a in acquires and _stays_short(net, state, a, after[at], moved):
            shorter, end = _replay_without(net, run, at)
            if tuple(end) != net.final and not any(x.enabled(end) for x in net.actions):
                run, state = shorter, end
                after, moved = _consequences(net, run), _moved(net, run)
                at = len(run)
        at -= 1
    return tuple(run)


def _consequences(net: CompiledNet, run: Sequence[int]) -> list[int]:
    """For each step the set of steps (bits) that a token of its doing leads to, itself included. Resources aside."""
    control = [not p.startswith("r.") for p in net.places]
    after = [0] * len(run)
    consumer: dict[int, int] = {}  # control place → what the step that takes its next token leads to
    for n in range(len(run) - 1, -1, -1):
        action = net.actions[run[n]]
        leads_to = 1 << n
        for p, _ in action.produced:
            if control[p]:
                leads_to |= consumer.pop(p, 0)
        for p, _ in action.needs:
            if control[p]:
                consumer[p] = leads_to
        after[n] = leads_to
    return after


_Moved = dict[int, dict[int, int]]
"""Resource place → units taken (positive) or given back → the steps that do so, as bits."""


def _moved(net: CompiledNet, run: Sequence[int]) -> _Moved:
    moved: _Moved = {p: {} for p, name in enumerate(net.places) if name.startswith("r.")}
    for n, a in enumerate(run):
        for sign, arcs in ((1, net.actions[a].needs), (-1, net.actions[a].produced)):
            for p, k in arcs:
                if p in moved:
                    moved[p][sign * k] = moved[p].get(sign * k, 0) | 1 << n
    return moved


def _stays_short(net: CompiledNet, state: Sequence[int], action: int, gone: int, moved: _Moved) -> bool:
    """Whether ``action`` lacks a resource in ``state`` even with all that the steps ``gone`` hold there."""
    for p, k in net.actions[action].needs:
        if p in moved:
            held = sum(units * (steps & gone).bit_count() for units, steps in moved[p].items())
            if state[p] + held < k:
                return True
    return False


def _acquires(plan: Plan, lift: Lift) -> set[int]:
    found = set()
    for i, a in enumerate(lift.compiled.actions):
        origin = lift.lowered.origin[a.step.transition]
        node = plan.nodes[origin.node]
        if isinstance(node, Guard) and a.step.transition == acquire_id(node, origin.items):
            found.add(i)
    return found


def _replay_without(net: CompiledNet, run: Sequence[int], left_out: int) -> tuple[list[int], list[int]]:
    """(the steps still possible when one is left out, the state they lead to)"""
    state = list(net.initial)
    kept: list[int] = []
    for n, a in enumerate(run):
        action = net.actions[a]
        if n != left_out and all(state[p] >= k for p, k in action.needs):
            for p, k in action.needs:
                state[p] -= k
            for p, k in action.produced:
                state[p] += k
            kept.append(a)
    return kept, state
