"""What linear evidence says about soundness, as the gate's answer."""

from __future__ import annotations

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.answers import unsound
from petri_cli.soundness.conditions import NO_DEAD, OPTION, PROPER
from petri_cli.soundness.counterexample import deadlock, improper, listed, replayed
from petri_cli.soundness.linear.evidence import Evidence, linear_evidence
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Condition, Counterexample, Counts, Result, Verdict
from petri_cli.soundness.shape import Target
from petri_cli.soundness.shorten import shorten
from petri_cli.soundness.timer import Deadline


def linear_verdict(target: Target, compiled: CompiledNet, deadline: Deadline) -> Result | None:
    """Whether ``target`` is sound by the state equation; None when it leaves that open."""
    if compiled.final is None:
        return None
    end = {compiled.index[p]: n for p, n in target.end.items()}
    resources = [compiled.index[r] for r in target.resources]
    evidence = linear_evidence(compiled, end, resources, deadline)
    if evidence.sound:
        holds = tuple(Condition(name, True) for name in (OPTION, PROPER, NO_DEAD))
        counts = Counts(0, 0, exact=True, dead_transitions=())
        return Result(Verdict.SOUND, "state equation", conditions=holds, assumptions=SOUND_ASSUMPTIONS, counts=counts)
    return _Refusal(target, compiled, deadline).of(evidence) if evidence.unsound else None


class _Refusal:
    def __init__(self, target: Target, compiled: CompiledNet, deadline: Deadline) -> None:
        self.target, self.compiled, self.deadline = target, compiled, deadline

    def of(self, evidence: Evidence) -> Result | None:
        option, proper, alive = (Condition(name, None) for name in (OPTION, PROPER, NO_DEAD))
        shown: Counterexample
        counts = Counts(0, 0, exact=False)
        if evidence.deadlock is not None:
            run = shorten(self.compiled, evidence.deadlock, self._is_stuck, self.deadline)
            shown = deadlock(self.compiled, run, shortest=False)
            option = Condition(OPTION, False, "a deadlock is reachable", shown)
            counts = Counts(1, 1, exact=False)
        elif evidence.improper is not None:
            run = shorten(self.compiled, evidence.improper, self._is_improper, self.deadline)
            shown = improper(self.compiled, self.target, run, shortest=False)
            proper = Condition(PROPER, False, "tokens are left over", shown)
        else:
            names = tuple(dict.fromkeys(self.compiled.actions[a].step.transition for a, _ in evidence.dead))
            dead = self._never(names, {a for a, _ in evidence.dead})
            if not dead:
                return None  # another outcome of each may still happen
            sentence = f"{listed(dead)} can never fire"
            shown = replayed(self.compiled, "deadTransition", (), sentence, shortest=True, subject=dead[0])
            alive = Condition(NO_DEAD, False, sentence, shown)
        return unsound((option, proper, alive), counts, shown, {}, unbounded=False)

    def _never(self, names: tuple[str, ...], dead: set[int]) -> tuple[str, ...]:
        """Those transitions of which every outcome is ``dead``."""
        alive = {a.step.transition for i, a in enumerate(self.compiled.actions) if i not in dead}
        return tuple(name for name in names if name not in alive)

    def _is_stuck(self, state: State) -> bool:
        return state != self.compiled.final and not any(a.enabled(state) for a in self.compiled.actions)

    def _is_improper(self, state: State) -> bool:
        return state != self.compiled.final and self.target.is_end(self.compiled.marking(state))
