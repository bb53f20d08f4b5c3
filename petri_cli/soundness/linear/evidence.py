"""The three questions put together: what no solution of the state equation does, no run does.

Let f be the final marking, *end* the tokens by which the end is marked, and U a set of actions.

Theorem L. If (T) no run of actions of U alone is infinite, (D) no solution of the state equation disables all of U
without the end marked, and (P) none has the end marked and is not f, then f is reachable from every reachable marking
(option to complete), and no reachable marking but f has the end marked (proper completion).

Argument. Every reachable marking is part of a solution (:mod:`petri_cli.soundness.linear.equation`), so (P) is proper
completion. From a reachable m fire actions of U as long as one is enabled; by (T) this ends, in a reachable marking
that disables U. By (D) it has the end marked, by (P) it is f. ∎

That no action is dead is shown by runs that fire each (:func:`petri_cli.soundness.linear.walks.covering_runs`); the
equation says nothing about it. For a plan (D) alone, with U = all actions, is soundness (statement A).

A solution that is found is a candidate: it counts when a run comes to it. Where none does, a trap that is marked at the
start and empty in the solution is added to the equation, and the question is asked again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.linear.check import check_ranking
from petri_cli.soundness.linear.proof import Literal, Ranking, Refutation
from petri_cli.soundness.linear.questions import Found, Questions, Wanted
from petri_cli.soundness.linear.ranking import ranking_of
from petri_cli.soundness.linear.walks import Run, Walk, covering_runs, stray
from petri_cli.soundness.timer import Deadline, never

if TYPE_CHECKING:
    from petri_cli.soundness.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about the soundness of a net. ``stuck`` and ``proper`` are None or empty where nothing was proved.

    ranking: (T), stuck: (D), proper: (P), in one or two parts; runs: they fire every action between them.
    dead: actions with the proof that they are never enabled; deadlock, improper: runs to a dead marking that is not
    final, and to one with the end marked that is not final.
    """

    ranking: Ranking | None = None
    stuck: Refutation | None = None
    proper: tuple[Refutation, ...] = ()
    runs: tuple[Run, ...] = ()
    dead: tuple[tuple[int, Refutation], ...] = ()
    deadlock: Run | None = None
    improper: Run | None = None

    @property
    def completes(self) -> bool:
        """Whether option to complete and proper completion are proved."""
        return self.ranking is not None and self.stuck is not None and bool(self.proper)

    @property
    def sound(self) -> bool:
        return self.completes and bool(self.runs)

    @property
    def unsound(self) -> bool:
        return self.deadlock is not None or self.improper is not None or bool(self.dead)


def linear_evidence(
    compiled: CompiledNet, end: Mapping[int, int], resources: Collection[int] = (), deadline: Deadline = never
) -> Evidence:
    """Judge the net by the state equation, question by question, until one fails.

    end: place index → tokens by which the end is marked; resources: places that keep what they hold in the final
    marking of ``compiled``, which it has, and of which ``end`` has all other tokens (else ValueError). Proofs are
    checked before they are given away; runs are for the caller to replay.
    """
    final = compiled.final
    if final is None or any(k and k != end.get(p, 0) for p, k in enumerate(final) if p not in resources):
        raise ValueError("the net has no final marking, or the end lacks some of its tokens")
    asked = _Asked(compiled, deadline)
    is_improper = asked.is_improper(end)
    chance = stray(asked.walker, lambda walk: asked.is_dead_end(walk) or is_improper(walk), deadline)
    if chance is not None:
        return _refuted(chance, improper=is_improper(chance))
    everything = asked.dead(end, range(len(compiled.actions)))
    if everything.run is not None:
        return Evidence(deadlock=everything.run)
    proper = asked.improper(end, resources)
    stuck, proofs = everything.proof, tuple(x.proof for x in proper if x.proof is not None)
    improper = next((x.run for x in proper if x.run is not None), None)
    if improper is not None or len(proofs) < len(proper):
        return Evidence(stuck=stuck, improper=improper)
    covered = covering_runs(asked.walker, deadline=deadline)
    if covered.unseen:
        dead = asked.never_enabled(covered.unseen)
        if dead:
            return Evidence(stuck=stuck, proper=proofs, dead=dead)
    known = Evidence(stuck=stuck, proper=proofs, runs=() if covered.unseen else covered.runs)
    ranking = ranking_of(asked.equation, end, deadline)
    if ranking is None or stuck is None:
        return known
    check_ranking(asked.equation, ranking)
    if len(ranking.actions) < len(compiled.actions):
        stuck = asked.dead(end, ranking.actions).proof
    return known if stuck is None else replace(known, ranking=ranking, stuck=stuck)


def _refuted(walk: Walk, *, improper: bool) -> Evidence:
    run = tuple(walk.run)
    return Evidence(improper=run) if improper else Evidence(deadlock=run)


def no_deadlock(compiled: CompiledNet, end: Mapping[int, int], deadline: Deadline = never) -> Found:
    """(D) alone, for all actions: a proof that every dead marking has the end marked, or a run to one that has not.

    On the search net of a plan (:mod:`petri_cli.soundness.skeleton`) a proof is soundness of the part that it stands
    for (statement A).
    """
    asked = _Asked(compiled, deadline)
    chance = stray(asked.walker, asked.is_stuck_before(end), deadline)
    return Found(run=tuple(chance.run)) if chance is not None else asked.dead(end, range(len(compiled.actions)))


def no_deadlock_of(skeleton: Skeleton, deadline: Deadline = never) -> Found:
    """The same for the search net of a part of a plan: a proof that the part, with the resources kept, is sound."""
    end = len(skeleton.part.core.resources) + 1  # resources come first, then the start and the end
    return no_deadlock(skeleton.net, {end: 1}, deadline)


class _Asked(Questions):
    """The questions of Theorem L."""

    def dead(self, end: Mapping[int, int], actions: Sequence[int]) -> Found:
        """(D): a marking that disables ``actions`` without the end marked."""
        lacking = [Literal("place", p, 1, k - 1) for p, k in end.items()]
        wanted = self.is_stuck_before(end)
        if not lacking:  # the end is the empty marking: every other has a token
            return self.ask([self.sum_of(range(self.equation.places), -1, 1)], actions, (), wanted)
        if len(lacking) == 1:
            return self.ask(lacking, actions, (), wanted)
        return self.ask([], actions, lacking, wanted)

    def improper(self, end: Mapping[int, int], resources: Collection[int]) -> list[Found]:
        """(P): a marking with the end marked and more than it, or with it and other resources than at the end."""
        final = self.compiled.final or ()
        if not end:
            return []
        marked = [Literal("place", p, -1, k) for p, k in end.items()]
        others = [p for p in range(self.equation.places) if p not in resources]
        total = sum(final[p] for p in others)
        beyond = self.sum_of(others, -1, total + 1)
        found = [self.ask([*marked, beyond], (), (), self.is_improper(end))]
        if resources and found[0].proof is not None:
            exact = beyond._replace(side=1, bound=total)
            differs = [Literal("place", r, side, final[r] - side) for r in sorted(resources) for side in (1, -1)]
            found.append(self.ask([*marked, exact], (), differs, self.is_improper(end)))
        return found

    def never_enabled(self, actions: Collection[int]) -> tuple[tuple[int, Refutation], ...]:
        """Those of ``actions`` whose inputs are never all there, with the proof."""
        dead = []
        for a in sorted(actions):
            goal = [x._replace(side=-x.side, bound=x.bound + x.side) for x in self.equation.disabled[a]]
            proof = self.ask(goal, (), (), partial(_enables, a)).proof
            if proof is not None:
                dead.append((a, proof))
        return tuple(dead)

    def is_stuck_before(self, end: Mapping[int, int]) -> Wanted:
        if not end:
            return lambda walk: not walk.enabled and any(walk.marking)
        return lambda walk: not walk.enabled and any(walk.marking[p] < k for p, k in end.items())

    def is_dead_end(self, walk: Walk) -> bool:
        return not walk.enabled and not walk.is_at(self.compiled.final)

    def is_improper(self, end: Mapping[int, int]) -> Wanted:
        if not end:
            return lambda walk: False
        final = self.compiled.final
        return lambda walk: all(walk.marking[p] >= k for p, k in end.items()) and not walk.is_at(final)


def _enables(a: int, walk: Walk) -> bool:
    return a in walk.enabled
