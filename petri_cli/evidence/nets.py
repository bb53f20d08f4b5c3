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
from petri_cli.net.compiled import CompiledNet, compile_net
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
    could follow, or it would be too long."""
    return next(every_evidence_of_net(net, result, timer), None)


def every_evidence_of_net(net: Net, result: Result, timer: Timer | None = None) -> Iterator[Written]:
    """All that is found, what is short first. timer: each way to show it has a share of what is left."""
    timer = timer or Timer(None, 0)
    target = target_of(start_of(net).net)
    compiled = compile_net(target.net)
    if result.verdict is Verdict.UNSOUND and result.counterexample is not None:
        cx = result.counterexample
        said: Json = {"shows": cx.kind, "run": steps(cx.run)}
        yield from (("run", {**said, **more}) for more in _refusals(target, compiled, cx, timer) if more is not None)
    elif result.verdict is Verdict.SOUND:
        ways: tuple[Callable[[], Written | None], ...] = (
            lambda: _states(compiled, FEW_STATES, timer.half()),
            lambda: free_choice_soundness(target, compiled),
            lambda: linear_soundness(target, compiled, timer.share(0.3)),
            lambda: _stubborn(target, compiled, timer.half()),
            lambda: _states(compiled, MOST_STATES, timer.expired),
        )
        yield from (found for way in ways if (found := way()) is not None)


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


def _refusals(target: Target, compiled: CompiledNet, cx: Counterexample, timer: Timer) -> Iterator[Json | None]:
    """What a certificate says beside the run."""
    match cx.kind:
        case "deadlock" | "improperCompletion":
            yield {}
        case "unbounded":
            yield {"pump": steps(cx.pump)}
        case "cannotComplete":
            yield from _no_way_to_the_end(started(compiled, compiled.state(cx.marking)), timer)
        case "deadTransition":
            found = (never for never in _never(target, compiled, cx.subject, timer) if never is not None)
            yield from ({"transition": cx.subject, **never} for never in found)
        case _:
            pass


def _no_way_to_the_end(net: CompiledNet, timer: Timer) -> Iterator[Json | None]:
    """Why the final marking is not reached from where ``net`` starts."""
    yield _closed(net, FEW_STATES, timer.half())
    yield out_of_reach(net, timer.half())
    adds = all(is_vector_addition(a) for a in net.actions)
    if adds and net.final is not None and not any(a.enabled(net.final) for a in net.actions):
        yield _closed_reduced(net, timer.half())
    yield _closed(net, MOST_STATES, timer.expired)


def _never(target: Target, compiled: CompiledNet, transition: str, timer: Timer) -> Iterator[Json | None]:
    """Why ``transition`` is never enabled."""
    yield _closed(compiled, FEW_STATES, timer.half())
    yield never_enabled(compiled, transition, timer.half())
    if reduction_decides(target, compiled):
        less = _reduced(compiled, timer.half())
        yield None if less is None else {"reduced": less}
    yield _closed(compiled, MOST_STATES, timer.expired)


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
