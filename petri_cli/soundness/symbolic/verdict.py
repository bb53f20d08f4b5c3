"""Soundness, and freedom from deadlock, by operations on the set of all reachable markings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.answers import amount, unsound
from petri_cli.soundness.conditions import NO_DEAD, OPTION, PROPER
from petri_cli.soundness.counterexample import cannot_complete, deadlock, improper, listed, replayed
from petri_cli.soundness.deadlock import DeadlockSearch
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Condition, Counterexample, Counts, Result, Verdict
from petri_cli.soundness.shape import Target
from petri_cli.soundness.shorten import shorten
from petri_cli.soundness.symbolic.encoding import Encoding, Set, expressible
from petri_cli.soundness.symbolic.space import MOST_WORK, Effort, GaveUp, Space, explore, with_room
from petri_cli.soundness.timer import Deadline


def symbolic_verdict(
    target: Target, compiled: CompiledNet, deadline: Deadline, work: float = MOST_WORK
) -> Result | None:
    """Whether ``target`` is sound, with exact counts; None when time, work, memory or the net does not allow it, or the
    extra is not installed. work: in the measure of :class:`petri_cli.soundness.symbolic.space.Effort`."""
    if compiled.final is None or not all(expressible(a) for a in compiled.actions):
        return None
    effort = Effort(deadline, work)
    try:
        return with_room(lambda nodes: _Judge(target, compiled, explore(compiled, effort, nodes)).result())
    except (GaveUp, ImportError):
        return None


def symbolic_deadlock(compiled: CompiledNet, final: State | None, deadline: Deadline) -> DeadlockSearch | None:
    """A run to a dead state other than ``final``, or a proof that there is none; None when no answer was found."""
    effort = Effort(deadline)
    try:
        return with_room(lambda nodes: _deadlock(explore(compiled, effort, nodes), final))
    except (GaveUp, ImportError):
        return None


def _deadlock(space: Space, final: State | None) -> DeadlockSearch:
    stuck = space.dead()
    if final is not None and _fits(space.encoding, final):
        stuck = stuck & ~space.encoding.one(final)
    if stuck == space.encoding.manager.false():
        return DeadlockSearch(None, None, space.count(), complete=True)
    run = space.run_to(stuck)
    state = space.encoding.compiled.initial
    for a in run:
        state = space.encoding.compiled.actions[a].fire(state)
    return DeadlockSearch(run, state, space.count(), complete=False)


def _fits(encoding: Encoding, state: State) -> bool:
    return all(n <= encoding.most(p) for p, n in enumerate(state))


@dataclass(frozen=True, slots=True)
class _Judge:
    target: Target
    compiled: CompiledNet
    space: Space

    def result(self) -> Result:
        space, encoding = self.space, self.space.encoding
        nothing = encoding.manager.false()
        final = encoding.one(self.compiled.final or ())
        doomed = space.markings & ~space.back_from(final)
        stuck = space.dead() & ~final
        beside = space.markings & self._ended() & ~final if self.target.end else nothing
        dead = self._dead_transitions()
        option = self._option(doomed, stuck) if doomed != nothing else Condition(OPTION, True)
        proper = self._proper(beside) if beside != nothing else Condition(PROPER, True)
        alive = self._alive(dead) if dead else Condition(NO_DEAD, True)
        conditions = (option, proper, alive)
        count = space.count()
        counts = Counts(encoding.count(stuck), encoding.count(doomed), exact=True, dead_transitions=dead)
        stats: dict[str, int | float] = {"states": count}
        # what is dead before its end is the clearest sign; what goes wrong at the end comes before what goes nowhere
        shown = [c.counterexample for c in conditions if c.counterexample is not None]
        shown.sort(key=lambda cx: _CLEAREST.index(cx.kind))
        if shown:
            return unsound(conditions, counts, shown[0], stats, unbounded=False)
        evidence = f"symbolic: {amount(count, 'state')}"
        return Result(
            Verdict.SOUND, evidence, conditions=conditions, assumptions=SOUND_ASSUMPTIONS, counts=counts, stats=stats
        )

    def _option(self, doomed: Set, stuck: Set) -> Condition:
        encoding = self.space.encoding
        number = encoding.count(doomed)
        many = f"{number:,} reachable marking{'' if number == 1 else 's'} can't reach the end"
        cx: Counterexample
        if stuck != encoding.manager.false():
            run = self.space.run_to(stuck)
            cx = deadlock(self.compiled, self._shorter(run, stuck), shortest=False)
        else:
            run = self._shorter(self.space.run_to(doomed), doomed)
            cx = cannot_complete(self.compiled, self.target, run, shortest=False)
        return Condition(OPTION, False, many, cx)

    def _proper(self, beside: Set) -> Condition:
        run = self._shorter(self.space.run_to(beside), beside)
        cx = improper(self.compiled, self.target, run, shortest=False)
        steps = len(cx.run)
        return Condition(PROPER, False, f"tokens are left over after {steps:,} step{'' if steps == 1 else 's'}", cx)

    def _alive(self, dead: tuple[str, ...]) -> Condition:
        sentence = f"{listed(dead)} can never fire"
        cx = replayed(self.compiled, "deadTransition", (), sentence, shortest=True, subject=dead[0])
        return Condition(NO_DEAD, False, sentence, cx)

    def _shorter(self, run: tuple[int, ...], goals: Set) -> tuple[int, ...]:
        """``run`` without steps that a run to ``goals`` can do without."""
        return shorten(self.compiled, run, partial(self.space.encoding.has, goals), self.space.effort.deadline)

    def _ended(self) -> Set:
        """The markings with the end marked."""
        encoding = self.space.encoding
        end = {self.compiled.index[p]: n for p, n in self.target.end.items()}
        return encoding.conjunction({p: encoding.among(p, range(n, encoding.most(p) + 1)) for p, n in end.items()})

    def _dead_transitions(self) -> tuple[str, ...]:
        nothing = self.space.encoding.manager.false()
        alive = {
            action.step.transition
            for action, e in zip(self.compiled.actions, self.space.encoding.events, strict=True)
            if self.space.markings & e.enabled != nothing
        }
        return tuple(t.id for t in self.compiled.net.transitions if t.id not in alive)


_CLEAREST = ("deadlock", "improperCompletion", "cannotComplete", "deadTransition")
