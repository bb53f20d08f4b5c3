"""The gate for nets: files that describe a net, PNML, mined nets.

What is asked: the properties that the net declares and the caller asks for, if there are any; otherwise soundness as a
workflow net. How it is answered, in order of cost:

1. where the net starts and ends (:mod:`petri_cli.soundness.shape`);
2. exact exploration, breadth first, with every arc kind; what turns up on the way is definite at once;
3. past :data:`PATIENCE` states without an answer, where the net allows it, a deadlock search with stubborn sets, depth
   first, and then the whole reduced state space, which decides soundness (:mod:`petri_cli.soundness.reduced`);
4. exploration up to the budget; then the answer is UNKNOWN.

Timing, priority and names are ignored by the proof; warnings say where that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from petri_cli.net.compiled import CompiledNet, State, compile_net
from petri_cli.net.model import Net, Property
from petri_cli.soundness.conditions import NO_DEAD, OPTION, PROPER, Findings, Watch, findings
from petri_cli.soundness.counterexample import deadlock
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.explore import StateSpace, grow
from petri_cli.soundness.packed import PackedNet, is_vector_addition, with_room
from petri_cli.soundness.properties import PropertyWatch, check_property
from petri_cli.soundness.reduced import reduced_space, reduction_decides
from petri_cli.soundness.restrictions import restrictions
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Budget, Condition, Counterexample, Counts, Result, Verdict
from petri_cli.soundness.shape import Target, target_of
from petri_cli.soundness.shorten import shorten

Clock = Callable[[], float]
PATIENCE = 5_000
"""States explored breadth first before another way is tried."""
MOST_STUBBORN = 100_000
"""States of a search with stubborn sets: each costs several times what one of the exploration does."""
SHORTEST_STATES = 2_000
"""States of the search for a shortest run to a deadlock that is known to be there."""


def judge_net(
    net: Net, budget: Budget | None = None, properties: Sequence[Property] = (), clock: Clock | None = None
) -> Result:
    """Judge ``net``: the properties it declares and ``properties``, if any, else soundness as a workflow net.

    clock: monotonic seconds; without one, ``budget.seconds`` is no limit. With properties the verdict is SOUND when all
    hold, UNSOUND when one is violated.

    Raises PetriError: PETRI_NOT_WORKFLOW_NET when soundness is asked of a net without one start and one end,
    PETRI_UNKNOWN_PLACE and PETRI_BAD_PROPERTY for a property that makes no sense.
    """
    budget = budget or Budget()
    timer = _Timer(clock, budget.seconds)
    asked = tuple(dict.fromkeys((*net.properties, *properties)))
    result = _judge_properties(net, asked, budget, timer) if asked else _judge_soundness(net, budget, timer)
    stats = {**result.stats, "places": len(net.places), "transitions": len(net.transitions)}
    if clock is not None:
        stats["seconds"] = round(timer.elapsed(), 6)
    warnings = (*result.warnings, *restrictions(net, result.verdict, result.conditions))
    return replace(result, stats=stats, warnings=warnings)


def place_bounds(net: Net, budget: Budget | None = None, clock: Clock | None = None) -> Mapping[str, int] | None:
    """The most tokens that each place ever holds, by exact enumeration; None when the budget ran out first."""
    budget = budget or Budget()
    timer = _Timer(clock, budget.seconds)

    def search(packed: PackedNet) -> dict[str, int] | None:
        space = StateSpace(packed)
        space.advance(budget.max_states, timer.expired)
        if not space.complete:
            return None
        fields = zip(packed.compiled.places, packed.offset, packed.value_mask, strict=True)
        return {p: max((m >> at) & mask for m in space.markings) for p, at, mask in fields}

    return with_room(compile_net(net), search)


class _Timer:
    """The time that is left."""

    def __init__(self, clock: Clock | None, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds
        self._start = 0.0 if clock is None else clock()

    def elapsed(self) -> float:
        return 0.0 if self._clock is None else self._clock() - self._start

    def expired(self) -> bool:
        return self._clock is not None and self.elapsed() > self._seconds

    def half(self) -> Callable[[], bool]:
        """A deadline half-way between now and the end."""
        limit = (self.elapsed() + self._seconds) / 2
        return lambda: self._clock is not None and self.elapsed() > limit


def _judge_properties(net: Net, asked: Sequence[Property], budget: Budget, timer: _Timer) -> Result:
    compiled = compile_net(net)
    for prop in asked:
        check_property(compiled, prop)

    def search(packed: PackedNet) -> PropertyWatch:
        watch = PropertyWatch(StateSpace(packed), asked)
        grow(watch.space, watch, budget.max_states, timer.expired)
        return watch

    watch = with_room(compiled, search)
    conditions = watch.conditions()
    stats = _sizes(watch.space)
    violated = [c for c in conditions if c.holds is False]
    if violated:
        names = ", ".join(c.name for c in violated)
        message = f"PETRI_PROPERTY_VIOLATED: {_many(len(violated), 'property', 'properties')} violated: {names}"
        return Result(
            Verdict.UNSOUND,
            "counterexample",
            "PETRI_PROPERTY_VIOLATED",
            message,
            conditions,
            counterexample=violated[0].counterexample,
            stats=stats,
        )
    if all(c.holds for c in conditions):
        return Result(Verdict.SOUND, _exhaustive(watch.space), conditions=conditions, assumptions=_ASSUMED, stats=stats)
    return _unknown(watch.space, conditions, budget)


_ASSUMED = SOUND_ASSUMPTIONS[2:]
"""A property of all reachable markings rests on no fairness."""


def _judge_soundness(net: Net, budget: Budget, timer: _Timer) -> Result:
    target = target_of(net)
    compiled = compile_net(target.net)
    question = _Question(target, compiled, budget, timer)
    watch = question.explore(PATIENCE)
    result = question.explored(watch) or question.stuck() or question.reduced()
    if result is None and budget.max_states > PATIENCE and not timer.expired():
        watch = question.explore(budget.max_states)
        result = question.explored(watch)
    result = result or question.unknown(watch)
    return replace(result, warnings=target.warnings)


class _Question:
    """Soundness of one net, with one method a way to decide it; each answers None when it could not."""

    def __init__(self, target: Target, compiled: CompiledNet, budget: Budget, timer: _Timer) -> None:
        self.target, self.compiled, self.budget, self.timer = target, compiled, budget, timer
        self._adds = all(is_vector_addition(a) for a in compiled.actions)

    def explore(self, limit: int) -> Watch:
        """Enumerate exactly, breadth first, up to ``limit`` states or the budget."""
        limit = min(limit, self.budget.max_states)

        def search(packed: PackedNet) -> Watch:
            watch = Watch(self.target, StateSpace(packed))
            grow(watch.space, watch, limit, self.timer.expired)
            return watch

        return with_room(self.compiled, search)

    def explored(self, watch: Watch) -> Result | None:
        """By what an enumeration came to, whole or in part."""
        return self._answer(findings(self.target, watch), watch.space, _exhaustive(watch.space))

    def stuck(self) -> Result | None:
        """A deadlock, by a search that keeps all of them; its run is a shortest one, or has no step to spare."""
        final, compiled = self.compiled.final, self.compiled
        if not self._adds:
            return None
        limit = min(self.budget.max_states, MOST_STUBBORN)
        found = find_deadlock(compiled, final=final, max_states=limit, deadline=self.timer.half())
        if found.run is None:
            return None
        limit = min(limit, SHORTEST_STATES)
        short = find_deadlock(compiled, final=final, max_states=limit, deadline=self.timer.half(), shortest=True)
        if short.run is not None:
            cx = deadlock(compiled, short.run, shortest=True)
        else:
            cx = deadlock(compiled, shorten(compiled, found.run, self._is_stuck), shortest=False)
        option = Condition(OPTION, False, "a deadlock is reachable", cx)
        conditions = (option, *(Condition(name, None) for name in (PROPER, NO_DEAD)))
        stats: dict[str, int | float] = {"states": found.states}
        return _unsound(conditions, Counts(1, 1, exact=False), cx, stats, unbounded=False)

    def _is_stuck(self, state: State) -> bool:
        return state != self.compiled.final and not any(a.enabled(state) for a in self.compiled.actions)

    def reduced(self) -> Result | None:
        """By the reduced state space, where its theorem applies."""
        if not reduction_decides(self.target, self.compiled):
            return None
        limit, deadline = min(self.budget.max_states, MOST_STUBBORN), self.timer.half()

        def search(packed: PackedNet) -> Watch:
            watch = Watch(self.target, reduced_space(packed))
            grow(watch.space, watch, limit, deadline)
            return watch

        watch = with_room(self.compiled, search)
        if not watch.space.complete and not watch.definite:
            return None
        found = findings(self.target, watch, reduced=True, deadline=self.timer.expired)
        evidence = f"stubborn sets: {_many(len(watch.space.markings), 'state')}"
        return self._answer(found, watch.space, evidence)

    def _answer(self, found: Findings, space: StateSpace, evidence: str) -> Result | None:
        if found.counterexample is not None:
            return _unsound(
                found.conditions, found.counts, found.counterexample, _sizes(space), unbounded=found.unbounded
            )
        if not all(c.holds for c in found.conditions):
            return None
        return Result(
            Verdict.SOUND,
            evidence,
            conditions=found.conditions,
            assumptions=SOUND_ASSUMPTIONS,
            counts=found.counts,
            stats=_sizes(space),
        )

    def unknown(self, watch: Watch) -> Result:
        """What the exploration that went furthest leaves open."""
        found = findings(self.target, watch)
        return replace(_unknown(watch.space, found.conditions, self.budget), counts=found.counts)


def _unsound(
    conditions: tuple[Condition, ...],
    counts: Counts,
    cx: Counterexample,
    stats: Mapping[str, int | float],
    *,
    unbounded: bool,
) -> Result:
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


def _unknown(space: StateSpace, conditions: tuple[Condition, ...], budget: Budget) -> Result:
    explored = f"{len(space.markings):,} states explored"
    out_of_states = len(space.markings) > budget.max_states
    limit = f"{budget.max_states:,} states" if out_of_states else f"{budget.seconds:g} s"
    return Result(
        Verdict.UNKNOWN,
        f"budget: {explored}",
        code="PETRI_UNKNOWN",
        message=f"PETRI_UNKNOWN: undecided within {limit} ({explored})",
        conditions=conditions,
        stats=_sizes(space),
    )


def _exhaustive(space: StateSpace) -> str:
    return f"exhaustive: {_many(len(space.markings), 'state')}"


def _sizes(space: StateSpace) -> dict[str, int | float]:
    return {"states": len(space.markings), "edges": space.edges}


def _many(n: int, noun: str, plural: str = "") -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
