"""The answer about a reduced net, as one about the original.

Each of the three conditions holds for the original iff it does for the reduced net, so what is left is to show it: the
run is written out in steps of the original and fired there by the plain rule. What the reduction passes over may still
be possible at its end: steps that were put off are taken until nothing moves. A net that is nothing but idle there is
not dead, and can't complete all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.conditions import NO_DEAD
from petri_cli.soundness.counterexample import cannot_complete, deadlock, improper, listed, pumped, replayed, steps_text
from petri_cli.soundness.packed import effect, is_vector_addition
from petri_cli.soundness.reductions.reduction import Reduction
from petri_cli.soundness.reductions.sparing import Sparing
from petri_cli.soundness.result import Condition, Counterexample, Counts
from petri_cli.soundness.shape import Target

MOST_STEPS = 10_000
"""Steps taken at the end of a run to see whether it comes to rest."""
WORTH_SHORTENING = 1_000
"""Steps up to which it is worked out which of them can be spared: that takes their square."""


@dataclass(frozen=True, slots=True)
class Lifted:
    """The three conditions of the original, the counterexample to show first, and its counts."""

    conditions: tuple[Condition, ...]
    counterexample: Counterexample
    counts: Counts


class Lifting:
    """Brings answers about a reduced net back to ``target``, the original one."""

    def __init__(self, target: Target, compiled: CompiledNet, reduction: Reduction) -> None:
        self.target, self.compiled, self.reduction = target, compiled, reduction
        self._adds = all(is_vector_addition(a) for a in compiled.actions)

    def lift(self, conditions: Sequence[Condition], shown: Counterexample, counts: Counts) -> Lifted | None:
        """The violated conditions with runs of the original; None when some run could not be brought back."""
        dead: tuple[str, ...] | None = None
        lifted: list[Condition] = []
        first: Counterexample | None = None
        completes = all(c.holds for c in conditions if c.name != NO_DEAD)
        for c in conditions:
            if c.counterexample is None:
                lifted.append(Condition(c.name, c.holds))
                continue
            if c.name == NO_DEAD and not completes:
                lifted.append(Condition(c.name, None))
                continue
            if c.name == NO_DEAD:
                cx, dead = self._dead(counts.dead_transitions or ())
            else:
                cx = self._counterexample(c.counterexample)
            if cx is None:
                return None
            if c.counterexample is shown or first is None:
                first = cx
            lifted.append(Condition(c.name, c.holds, _detail(cx), cx))
        if first is None:
            return None
        stuck = any(c.counterexample is not None and c.counterexample.kind == "deadlock" for c in lifted)
        doomed = min(1, counts.doomed)
        return Lifted(tuple(lifted), first, Counts(int(stuck), doomed, exact=False, dead_transitions=dead))

    def _counterexample(self, cx: Counterexample) -> Counterexample | None:
        run = self.reduction.run(cx.run)
        pump = self.reduction.run(cx.pump)
        if run is None or pump is None:
            return None
        match cx.kind:
            case "unbounded":
                return replace(pumped(self.compiled, run, pump), minimal=False)
            case "improperCompletion":
                return self._improper(run)
            case _:
                return self._stuck(run)

    def _improper(self, run: list[int]) -> Counterexample:
        sink = self.target.sink
        if self._adds and sink is not None:
            sparing = Sparing(self.compiled, run)
            past = sparing.past_of_first_token(run, self.compiled.index[sink])
            if len(past) <= WORTH_SHORTENING and self._is_improper(self._end_of(past)):
                short = sparing.to_token(past, self._is_improper)
                return improper(self.compiled, self.target, short, shortest=False)
        cx = improper(self.compiled, self.target, run, shortest=False)
        return replace(cx, minimal=False)

    def _stuck(self, run: list[int]) -> Counterexample:
        """By a run to a marking from which the end is out of reach."""
        settled = self._settled(run)
        if settled is None:
            return replace(cannot_complete(self.compiled, self.target, run, shortest=False), minimal=False)
        if self._adds and len(settled) <= WORTH_SHORTENING:
            short = Sparing(self.compiled, settled).to_dead_marking(settled, self._is_stuck)
            return deadlock(self.compiled, short, shortest=False)
        return replace(deadlock(self.compiled, settled, shortest=False), minimal=False)

    def _end_of(self, run: Sequence[int]) -> State:
        state = self.compiled.initial
        for a in run:
            state = self.compiled.actions[a].fire(state)
        return state

    def _settled(self, run: list[int]) -> list[int] | None:
        """The run with the steps that lead to a dead marking after it; None when it does not come to rest."""
        actions = self.compiled.actions
        state = self._end_of(run)
        longer = list(run)
        while len(longer) < len(run) + MOST_STEPS:
            a = next((a for a, action in enumerate(actions) if action.enabled(state)), -1)
            if a < 0:
                return longer
            if not effect(actions[a]) and actions[a].plain:
                return None
            longer.append(a)
            state = actions[a].fire(state)
        return None

    def _is_improper(self, state: State) -> bool:
        return state != self.compiled.final and self.target.is_end(self.compiled.marking(state))

    def _is_stuck(self, state: State) -> bool:
        return state != self.compiled.final and not any(a.enabled(state) for a in self.compiled.actions)

    def _dead(self, reduced: Sequence[str]) -> tuple[Counterexample | None, tuple[str, ...] | None]:
        """The transitions that are dead when those of the reduced net are: one to show, and all where that is known."""
        actions, all_known = self.reduction.surely_dead(reduced)
        gone = {self.compiled.actions[a].step.transition for a in actions}
        dead = tuple(t.id for t in self.compiled.net.transitions if t.id in gone)
        if not dead:
            return None, None
        sentence = f"{listed(dead)} can never fire"
        cx = replayed(self.compiled, "deadTransition", (), sentence, shortest=True, subject=dead[0])
        return cx, dead if all_known else None


def _detail(cx: Counterexample) -> str:
    match cx.kind:
        case "deadlock":
            return "a deadlock is reachable"
        case "cannotComplete":
            return "at least 1 reachable marking can't reach the end"
        case "improperCompletion":
            return f"tokens are left over {steps_text(len(cx.run))}"
        case "deadTransition":
            return cx.sentence
        case _:
            return "not together with the option to complete: the net is unbounded"
