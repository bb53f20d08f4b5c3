"""Judging the soundness of a net.

How it is answered, in order of cost:

1. where the net starts and ends (:mod:`petri_cli.soundness.shape`);
2. reduction to a smaller net (:mod:`petri_cli.soundness.reductions`): nearly all that are sound come down to a single
   step; what is left of others is judged as follows, and the answer brought back;
3. exact exploration, breadth first, with every arc kind; what turns up on the way is definite at once;
4. past :data:`PATIENCE` states without an answer, where the net allows it, a deadlock search with stubborn sets, depth
   first; the state equation (:mod:`petri_cli.soundness.linear`); the whole reduced state space, which decides soundness
   (:mod:`petri_cli.soundness.reduced`);
5. decision diagrams (:mod:`petri_cli.soundness.symbolic`), where their library is installed;
6. exploration up to the budget; then the answer is UNKNOWN.

Each has a share of the time that is left. What was asked, and what it cost, comes with the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from petri_cli.net.compiled import CompiledNet, State, compile_net
from petri_cli.net.model import Net
from petri_cli.soundness.answers import amount, exhaustive, sizes, unknown, unsound
from petri_cli.soundness.attempts import Attempts
from petri_cli.soundness.conditions import ENUMERATE, NO_DEAD, OPTION, PROPER, Findings, Watch, findings
from petri_cli.soundness.counterexample import deadlock
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.explore import grow
from petri_cli.soundness.free_choice import proved_by_rank
from petri_cli.soundness.packed import is_vector_addition
from petri_cli.soundness.reduced import reduction_decides
from petri_cli.soundness.reductions.verdict import reduced_verdict
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Attempt, Budget, Condition, Counts, Result, Verdict
from petri_cli.soundness.shape import Target, target_of
from petri_cli.soundness.shorten import shorten
from petri_cli.soundness.spaces import Space, with_space
from petri_cli.soundness.timer import Timer

COUNTING_WORK = 150_000
"""Work of exploring an unsound net as it is, so that its faults are counted and its runs are shortest: states times the
size of the net."""
PATIENCE = 5_000
"""States explored breadth first before another way is tried."""
MOST_STUBBORN = 100_000
"""States of a search with stubborn sets: each costs several times what one of the exploration does."""
LINEAR_SHARE, SYMBOLIC_SHARE = 0.3, 0.6
"""Of the time that is left."""
SHORTEST_WORK = 2_000_000
"""Work of the search for a shortest run to a deadlock that is known to be there: states times the size of the net."""


def judge_workflow(net: Net, budget: Budget, timer: Timer) -> Result:
    """Whether ``net`` is sound. Raises PetriError PETRI_NOT_WORKFLOW_NET when it has no start or no end."""
    target = target_of(net)
    compiled = compile_net(target.net)
    result = by_reduction(target, compiled, budget, timer) or by_exploration(target, compiled, budget, timer)
    return replace(result, warnings=target.warnings)


def by_reduction(target: Target, compiled: CompiledNet, budget: Budget, timer: Timer) -> Result | None:
    """Whether ``target`` is sound, by way of a smaller net; None when there is none, or its answer can't be used."""

    def explored_whole() -> Result | None:
        question = _Question(target, compiled, budget, timer, counting=True)
        watch = question.explore(COUNTING_WORK // (len(compiled.places) + len(compiled.actions)))
        return question.explored(watch) if watch.space.complete else None

    def prove(small: Target) -> Result:
        before = timer.elapsed() - start
        answer = by_exploration(small, compile_net(small.net), budget, timer, counting=False)
        inside.append(Attempt("reduction", round(before, 6), f"{len(small.net.transitions):,} transitions are left"))
        inside.extend(answer.tried)
        return answer

    start, inside = timer.elapsed(), list[Attempt]()
    result = reduced_verdict(target, compiled, explored_whole, prove)
    if result is None or result.tried:
        return result
    tried = tuple(inside) or (Attempt("reduction", round(timer.elapsed() - start, 6), "decided"),)
    return replace(result, tried=tried)


def by_exploration(
    target: Target,
    compiled: CompiledNet,
    budget: Budget,
    timer: Timer,
    *,
    counting: bool = True,
    looking_only: bool = False,
) -> Result:
    """Whether ``target`` is sound. counting: if it is not, and the net may be small, go on to count exactly what is
    wrong with it; looking_only: ask no prover that does not visit markings one by one."""
    question = _Question(target, compiled, budget, timer, counting=counting)
    attempts = Attempts(timer)
    watch = question.explore(PATIENCE, attempts)
    result = question.explored(watch)
    for prover, ask in question.provers(looking_only=looking_only):
        if result is None and not timer.nearly():
            result = attempts.at(prover, ask)
    if result is None and budget.max_states > PATIENCE and not watch.space.overflowed and not timer.nearly():
        watch = question.explore(budget.max_states, attempts)
        result = question.explored(watch)
    return replace(result or question.unknown(watch), tried=tuple(attempts.made))


class _Question:
    """Soundness of one net, with one method a way to decide it; each answers None when it could not."""

    def __init__(self, target: Target, compiled: CompiledNet, budget: Budget, timer: Timer, *, counting: bool) -> None:
        self.target, self.compiled, self.budget, self.timer = target, compiled, budget, timer
        self._enumerate_to = ENUMERATE if counting else 0
        self._adds = all(is_vector_addition(a) for a in compiled.actions)

    def provers(self, *, looking_only: bool) -> Iterator[tuple[str, Callable[[], Result | None]]]:
        """What can decide a net that has more than a few markings, the cheapest first."""
        if not looking_only:
            yield "rank theorem", self.free_choice
        yield "deadlock search", self.stuck
        if not looking_only:
            yield "state equation", self.linear
        yield "stubborn sets", self.reduced
        if not looking_only:
            yield "decision diagrams", self.symbolic

    def free_choice(self) -> Result | None:
        """A proof by the rank theorem."""
        return proved_by_rank(self.target, self.compiled)

    def explore(self, limit: int, attempts: Attempts | None = None) -> Watch:
        """Enumerate exactly, breadth first, up to ``limit`` states or the budget."""
        limit = min(limit, self.budget.max_states)

        def search(space: Space) -> Watch:
            watch = Watch(self.target, space, self._enumerate_to)
            grow(space, watch, limit, self.timer.nearly)
            return watch

        def enumerate() -> Watch:
            return with_space(self.compiled, search, most_bytes=self.budget.max_bytes)

        return enumerate() if attempts is None else attempts.made_by("exploration", enumerate, _came_to)

    def explored(self, watch: Watch) -> Result | None:
        """By what an enumeration came to, whole or in part."""
        return self._answer(findings(self.target, watch), watch.space, exhaustive(watch.space))

    def stuck(self) -> Result | None:
        """A deadlock, by a search that keeps all of them; its run is a shortest one, or has no step to spare."""
        final, compiled = self.compiled.final, self.compiled
        if not self._adds:
            return None
        limit = min(self.budget.max_states, MOST_STUBBORN)
        room = self.budget.max_bytes
        found = find_deadlock(compiled, final=final, max_states=limit, deadline=self.timer.half(), max_bytes=room)
        if found.run is None:
            return None
        limit = min(limit, SHORTEST_WORK // (len(compiled.places) + len(compiled.actions)))
        short = find_deadlock(
            compiled, final=final, max_states=limit, deadline=self.timer.half(), shortest=True, max_bytes=room
        )
        if short.run is not None:
            cx = deadlock(compiled, short.run, shortest=True)
        else:
            cx = deadlock(compiled, shorten(compiled, found.run, self._is_stuck), shortest=False)
        option = Condition(OPTION, False, "a deadlock is reachable", cx)
        conditions = (option, *(Condition(name, None) for name in (PROPER, NO_DEAD)))
        stats: dict[str, int | float] = {"states": found.states}
        return unsound(conditions, Counts(1, 1, exact=False), cx, stats, unbounded=False)

    def _is_stuck(self, state: State) -> bool:
        return state != self.compiled.final and not any(a.enabled(state) for a in self.compiled.actions)

    def reduced(self) -> Result | None:
        """By the reduced state space, where its theorem applies."""
        if not reduction_decides(self.target, self.compiled):
            return None
        limit, deadline = min(self.budget.max_states, MOST_STUBBORN), self.timer.half()

        def search(space: Space) -> Watch:
            watch = Watch(self.target, space)
            grow(space, watch, limit, deadline)
            return watch

        watch = with_space(self.compiled, search, reduced=True, most_bytes=self.budget.max_bytes)
        if not watch.space.complete and not watch.definite:
            return None
        found = findings(self.target, watch, reduced=True, deadline=self.timer.expired)
        evidence = f"stubborn sets: {amount(watch.space.size, 'state')}"
        return self._answer(found, watch.space, evidence)

    def linear(self) -> Result | None:
        """By the state equation, which looks at no marking."""
        from petri_cli.soundness.linear.verdict import linear_verdict  # only few nets need it

        return linear_verdict(self.target, self.compiled, self.timer.share(LINEAR_SHARE))

    def symbolic(self) -> Result | None:
        """By decision diagrams; None where the library is missing."""
        if self.budget.max_states <= PATIENCE:
            return None
        from petri_cli.soundness.symbolic.space import MOST_WORK
        from petri_cli.soundness.symbolic.verdict import symbolic_verdict

        work = math.inf if self.timer.timed else MOST_WORK
        return symbolic_verdict(self.target, self.compiled, self.timer.share(SYMBOLIC_SHARE), work)

    def _answer(self, found: Findings, space: Space, evidence: str) -> Result | None:
        if found.counterexample is not None:
            return unsound(
                found.conditions, found.counts, found.counterexample, sizes(space), unbounded=found.unbounded
            )
        if not all(c.holds for c in found.conditions):
            return None
        return Result(
            Verdict.SOUND,
            evidence,
            conditions=found.conditions,
            assumptions=SOUND_ASSUMPTIONS,
            counts=found.counts,
            stats=sizes(space),
        )

    def unknown(self, watch: Watch) -> Result:
        """What the exploration that went furthest leaves open."""
        found = findings(self.target, watch)
        return replace(unknown(watch.space, found.conditions, self.budget), counts=found.counts)


def _came_to(watch: Watch) -> str:
    return f"{amount(watch.space.size, 'state')}{', all of them' if watch.space.complete else ''}"
