"""The three conditions of soundness, read off the state space.

van der Aalst, "The Application of Petri Nets to Workflow Management", 1998, def. 11. With f the final marking:

* option to complete: f is reachable from every reachable marking;
* proper completion: no reachable marking has the end marked and is not f. The end is marked when the sink is, or, where
  a final marking is declared, when all of its tokens are there (a declared *empty* final marking has none: then the
  option to complete says it all);
* no dead transitions: each can fire in some run.

What a part of the state space shows is definite as long as it does not depend on what is missing: a dead marking, a
marking beyond the end, a pump, and a marking whose every continuation is explored and misses f.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.bits import members
from petri_cli.soundness.counterexample import (
    cannot_complete,
    deadlock,
    improper,
    listed,
    pumped,
    replayed,
    steps_text,
)
from petri_cli.soundness.reduced import end_is_out_of_reach
from petri_cli.soundness.result import Condition, Counterexample, Counts
from petri_cli.soundness.shape import Target
from petri_cli.soundness.shorten import shorten
from petri_cli.soundness.spaces import Space
from petri_cli.soundness.timer import Deadline, never
from petri_cli.soundness.unbounded import Pump, find_pump, pumps_prove_unboundedness

OPTION, PROPER, NO_DEAD = "optionToComplete", "properCompletion", "noDeadTransitions"
ENUMERATE = 20_000
"""States up to which an unsound net is still explored, to count exactly what is wrong with it."""

Accept = Callable[[State], bool]
"""Whether a run may end in a state."""


class Watch:
    """What of interest has turned up while a state space grew: the first of each kind, in breadth-first order.

    stuck: a dead marking that is not final; improper: a marking with the end marked that is not final; pump.
    enumerate_to: states up to which an unsound net is still explored, to count exactly what is wrong with it.
    """

    def __init__(self, target: Target, space: Space, enumerate_to: int = ENUMERATE) -> None:
        self.space = space
        self._enumerate_to = enumerate_to
        self.stuck: int | None = None
        self.improper: int | None = None
        self.pump: Pump | None = None
        self._seen = self._seen_rests = 0
        compiled = space.compiled
        self.final = compiled.final
        self._end = compiled.state(target.end)
        self._end_is_empty = not target.end
        self._can_pump = not self._end_is_empty and pumps_prove_unboundedness(compiled)

    @property
    def definite(self) -> bool:
        """Whether the net is already known to be unsound."""
        return not (self.stuck is None and self.improper is None and self.pump is None)

    @property
    def decided(self) -> bool:
        """An unsound net that may be small is explored a little further, to count what is wrong with it."""
        return self.pump is not None or (self.definite and self.space.size > self._enumerate_to)

    def look(self) -> None:
        """Look at the states that came since the last time."""
        space = self.space
        if self.improper is None and not self._end_is_empty:
            self.improper = space.beyond(self._end, self._seen)
        if self.stuck is None:
            rests = space.rests[self._seen_rests :]
            self.stuck = next((i for i in rests if self.is_stuck(i)), None)
        self._seen, self._seen_rests = space.size, len(space.rests)
        if self._can_pump and self.pump is None and not space.complete:
            self.pump = find_pump(space)

    def ends(self, i: int) -> bool:
        """Whether state ``i`` has the end marked."""
        return all(n >= least for n, least in zip(self.space.state(i), self._end, strict=True))

    def is_stuck(self, rest: int) -> bool:
        """Whether nothing at all is enabled in a rest, and it is not the end."""
        return self.space.is_dead(rest) and self.space.state(rest) != self.final


@dataclass(frozen=True, slots=True)
class Findings:
    """The three conditions as far as they are known, their counts, and the counterexample to show first."""

    conditions: tuple[Condition, ...]
    counts: Counts
    counterexample: Counterexample | None
    unbounded: bool


def findings(target: Target, watch: Watch, *, reduced: bool = False, deadline: Deadline = never) -> Findings:
    """What the state space, whole or in part, says about the three conditions.

    reduced: it is the reduced one of :mod:`petri_cli.soundness.reduced`, on a net that its theorem applies to.
    deadline: ends the shortening of runs, not the verdict.
    """
    reading = (_ReducedReading if reduced else _Reading)(target, watch, deadline)
    option, proper, alive = reading.option(), reading.proper(), reading.alive()
    pump = reading.unbounded()
    shown = next((cx for cx in (*reading.before_pump, pump, *reading.after_pump) if cx is not None), None)
    if pump is not None and option.holds is None and proper.holds is None:
        # one of the two fails, though the part explored does not show which
        proper = Condition(PROPER, None, "not together with the option to complete: the net is unbounded", pump)
    return Findings((option, proper, alive), reading.counts(), shown, pump is not None)


class _Reading:
    """The state space with its doomed and stuck states. A state not yet expanded is taken to lead to the end."""

    def __init__(self, target: Target, watch: Watch, deadline: Deadline) -> None:
        self.target, self.watch, self.space, self.deadline = target, watch, watch.space, deadline
        self.compiled: CompiledNet = watch.space.compiled
        space = watch.space
        self.stuck = [i for i in space.rests if watch.is_stuck(i)]
        dead_ends = set(self.stuck)
        hopes = [i for i in range(space.expanded, space.size) if i not in dead_ends]
        end = space.find(watch.final)
        good = space.backwards(hopes if end is None else [end, *hopes])
        self.doomed = [i for i, ok in enumerate(good) if not ok] if 0 in good else []
        self.before_pump: list[Counterexample | None] = []
        self.after_pump: list[Counterexample | None] = []

    @property
    def exact(self) -> bool:
        """Whether the states are all the reachable markings."""
        return self.space.complete

    @property
    def proved(self) -> bool:
        """Whether what was not found does not exist."""
        return self.exact

    def counts(self) -> Counts:
        dead = self._dead_transitions() if self.proved else None
        return Counts(len(self.stuck), len(self.doomed), self.exact, dead)

    def option(self) -> Condition:
        """A dead marking is the clearest sign that the end is out of reach."""
        if not self.doomed:
            return Condition(OPTION, True if self.proved else None)
        many = f"{len(self.doomed):,} reachable marking{'' if len(self.doomed) == 1 else 's'} can't reach the end"
        if self.stuck:
            at = self._nearest_stuck()
            cx = deadlock(self.compiled, self.space.run_to(at), shortest=True)
            (self.after_pump if self.watch.ends(at) else self.before_pump).append(cx)
        else:
            cx = self._cannot_complete(self.doomed[0])
            self.after_pump.insert(0, cx)
        return Condition(OPTION, False, many if self.exact else f"at least {many}", cx)

    def _nearest_stuck(self) -> int:
        """A dead marking as near as any; of those equally near, one without the end marked comes first."""
        nearest = self.stuck[0]
        early = next((i for i in self.stuck if not self.watch.ends(i)), nearest)
        return early if len(self.space.run_to(early)) == len(self.space.run_to(nearest)) else nearest

    def proper(self) -> Condition:
        at = self.watch.improper
        if at is None:
            return Condition(PROPER, True if self.proved else None)
        cx = self._improper(at)
        self.before_pump.append(cx)
        return Condition(PROPER, False, f"tokens are left over {steps_text(len(cx.run))}", cx)

    def alive(self) -> Condition:
        if not self.proved:
            return Condition(NO_DEAD, None)
        dead = self._dead_transitions()
        if not dead:
            return Condition(NO_DEAD, True)
        sentence = f"{listed(dead)} can never fire"
        cx = replayed(self.compiled, "deadTransition", (), sentence, shortest=True, subject=dead[0])
        self.after_pump.append(cx)
        return Condition(NO_DEAD, False, sentence, cx)

    def unbounded(self) -> Counterexample | None:
        if self.watch.pump is None:
            return None
        run, longer = (self.space.run_to(i) for i in (self.watch.pump.below, self.watch.pump.above))
        pump = longer[len(run) :]
        run = shorten(self.compiled, run, partial(self._repeats, pump), self.deadline)
        return replace(pumped(self.compiled, run, pump), minimal=not self.deadline())

    def _repeats(self, pump: Sequence[int], state: State) -> bool:
        """Whether ``pump`` can be fired from ``state``; what it adds is the same everywhere."""
        for a in pump:
            action = self.compiled.actions[a]
            if not action.enabled(state):
                return False
            state = action.fire(state)
        return True

    def _run_to(self, i: int, accept: Accept) -> tuple[tuple[int, ...], bool]:
        """A run to state ``i`` or another that ``accept`` takes, and whether none is shorter."""
        return self.space.run_to(i), True

    def _run_to_doomed(self, i: int) -> tuple[tuple[int, ...], bool]:
        """The same for a doomed state. In a part of the space, a nearer state may be doomed without our knowing."""
        if self.space.complete:
            return self.space.run_to(i), True
        doomed, find = set(self.doomed), self.space.find
        return shorten(self.compiled, self.space.run_to(i), lambda state: find(state) in doomed), False

    def _dead_transitions(self) -> tuple[str, ...]:
        alive = {self.compiled.actions[a].step.transition for a in members(self.space.fired)}
        return tuple(t.id for t in self.compiled.net.transitions if t.id not in alive)

    def _cannot_complete(self, i: int) -> Counterexample:
        run, shortest = self._run_to_doomed(i)
        return replace(cannot_complete(self.compiled, self.target, run, shortest=shortest), minimal=shortest)

    def _improper(self, i: int) -> Counterexample:
        run, shortest = self._run_to(i, self._is_improper)
        cx = improper(self.compiled, self.target, run, shortest=shortest)
        return replace(cx, minimal=shortest or not self.deadline())

    def _is_improper(self, state: State) -> bool:
        return state != self.compiled.final and self.target.is_end(self.compiled.marking(state))


class _ReducedReading(_Reading):
    """The reduced state space: dead markings are all there, at their true distance; other markings are some of many."""

    @property
    def exact(self) -> bool:
        return False

    @property
    def proved(self) -> bool:
        return self.space.complete and not self.doomed

    def _run_to(self, i: int, accept: Accept) -> tuple[tuple[int, ...], bool]:
        return shorten(self.compiled, self.space.run_to(i), accept, self.deadline), False

    def _run_to_doomed(self, i: int) -> tuple[tuple[int, ...], bool]:
        """What the space shows to be doomed is so for certain; for other states it takes a search in time."""
        doomed, find = set(self.doomed), self.space.find
        return self._run_to(i, lambda state: find(state) in doomed or self._is_doomed(state))

    def _is_doomed(self, state: State) -> bool:
        compiled, limit = self.compiled, self.space.size
        dead = not any(a.enabled(state) for a in compiled.actions)
        return not dead and end_is_out_of_reach(compiled, state, limit, self.deadline)
