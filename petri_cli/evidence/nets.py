"""Evidence of the soundness of a net, or against it, that a checker can follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from petri_cli.evidence.equation import linear_soundness, never_enabled, out_of_reach
from petri_cli.evidence.listing import (
    MOST_STATES,
    Json,
    Written,
    all_states,
    explored,
    listed,
    reduced,
    started,
    steps,
    towards,
    with_sets,
)
from petri_cli.evidence.rank import free_choice_soundness
from petri_cli.net.compiled import CompiledNet, State, compile_net
from petri_cli.net.model import Net
from petri_cli.net.start import start_of
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.packed import PackedNet, is_vector_addition, with_room
from petri_cli.soundness.reduced import reduction_decides
from petri_cli.soundness.result import Counterexample, Result, Verdict
from petri_cli.soundness.shape import Target, target_of
from petri_cli.soundness.timer import Deadline, Timer

FEW_STATES = 500
"""Markings that are listed rather than argued about."""


def evidence_of_net(net: Net, result: Result, timer: Timer | None = None) -> Written | None:
    """The evidence for what ``result`` says about the soundness of ``net``; None when there is none that a checker
    could follow, or it would be too long.

    timer: each way to show it has a share of what is left.
    """
    timer = timer or Timer(None, 0)
    target = target_of(start_of(net).net)
    compiled = compile_net(target.net)
    if result.verdict is Verdict.UNSOUND and result.counterexample is not None:
        return _refusal(target, compiled, result.counterexample, timer)
    if result.verdict is not Verdict.SOUND:
        return None
    return next((found for way in _ways(target, compiled, timer) if (found := way()) is not None), None)


def _ways(target: Target, compiled: CompiledNet, timer: Timer) -> Iterator[Callable[[], Written | None]]:
    """The ways to show that a sound net is, those with short evidence first."""
    yield lambda: _states(compiled, FEW_STATES, timer.half())
    yield lambda: free_choice_soundness(target, compiled)
    yield lambda: linear_soundness(target, compiled, timer.share(0.3))
    yield lambda: _stubborn(target, compiled, timer.half())
    yield lambda: _states(compiled, MOST_STATES, timer.expired)


def _states(compiled: CompiledNet, limit: int, deadline: Deadline) -> Written | None:
    """All markings, in the order of their distance to the end."""
    space = with_room(compiled, lambda packed: explored(StateSpace(packed), limit, deadline))
    order = None if space is None else towards(space)
    if space is None or order is None:
        return None
    return "states", listed(compiled, [space.state(i) for i in order])


def _stubborn(target: Target, compiled: CompiledNet, deadline: Deadline) -> Written | None:
    """The markings of the reduced state space, where its theorem applies."""
    evidence = _reduced(compiled, deadline) if reduction_decides(target, compiled) else None
    return None if evidence is None else ("stubborn", evidence)


def _reduced(compiled: CompiledNet, deadline: Deadline) -> Json | None:
    """The reduced state space in the order of the distance to the end."""

    def search(packed: PackedNet) -> Json | None:
        found = reduced(packed, MOST_STATES, deadline)
        order = None if found is None else towards(found[0])
        return None if found is None or order is None else with_sets(packed, *found, order)

    return with_room(compiled, search)


def _refusal(target: Target, compiled: CompiledNet, cx: Counterexample, timer: Timer) -> Written | None:
    evidence: Json = {"shows": cx.kind, "run": steps(cx.run)}
    match cx.kind:
        case "deadlock" | "improperCompletion":
            more: Json | None = {}
        case "unbounded":
            more = {"pump": steps(cx.pump)}
        case "cannotComplete":
            more = _no_way_to_the_end(compiled, compiled.state(cx.marking), timer)
        case "deadTransition":
            more = _never(target, compiled, cx.subject, timer)
        case _:
            more = None
    return None if more is None else ("run", evidence | more)


def _no_way_to_the_end(compiled: CompiledNet, start: State, timer: Timer) -> Json | None:
    """Why the final marking is not reached from ``start``."""
    net = started(compiled, start)
    closed = _closed(net, FEW_STATES, timer.half())
    if closed is not None:
        return closed
    refuted = out_of_reach(net, timer.half())
    if refuted is not None:
        return refuted
    adds = all(is_vector_addition(a) for a in compiled.actions)
    if adds and compiled.final is not None and not any(a.enabled(compiled.final) for a in compiled.actions):
        less = _closed_reduced(net, timer.half())
        if less is not None:
            return less
    return _closed(net, MOST_STATES, timer.expired)


def _never(target: Target, compiled: CompiledNet, transition: str, timer: Timer) -> Json | None:
    """Why ``transition`` is never enabled."""
    more = _closed(compiled, FEW_STATES, timer.half()) or never_enabled(compiled, transition, timer.half())
    if more is None and reduction_decides(target, compiled):
        less = _reduced(compiled, timer.half())
        more = None if less is None else {"reduced": less}
    more = more or _closed(compiled, MOST_STATES, timer.expired)
    return None if more is None else {"transition": transition, **more}


def _closed(compiled: CompiledNet, limit: int, deadline: Deadline) -> Json | None:
    """All markings that can be reached."""
    space = with_room(compiled, lambda packed: explored(StateSpace(packed), limit, deadline))
    return None if space is None else {"closed": listed(compiled, all_states(space))}


def _closed_reduced(compiled: CompiledNet, deadline: Deadline) -> Json | None:
    """Enough of the markings that can be reached to have every dead one."""

    def search(packed: PackedNet) -> Json | None:
        found = reduced(packed, MOST_STATES, deadline)
        return None if found is None else {"closed": with_sets(packed, *found, range(len(found[0].markings)))}

    return with_room(compiled, search)
