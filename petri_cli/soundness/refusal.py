"""Why a plan is refused: from a deadlock of the search to a replayed run, its explanation, and the way out.

Imported only where a search found something; a sound plan never pays for it. What is not explained in time is left out:
the verdict stands on the deadlock that was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import Step
from petri_cli.plan.model import Foreach
from petri_cli.soundness.census import census
from petri_cli.soundness.counterexample import steps_text
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.decide import Decision, Limits, Question, decide
from petri_cli.soundness.lift import Lift, in_document_order
from petri_cli.soundness.replay import end_of, nothing_moves
from petri_cli.soundness.replayer import SHOWN, NotShown, Replayer, needs_no_replay
from petri_cli.soundness.result import Condition, Counterexample, Counts, Result, Verdict
from petri_cli.soundness.smallest import Remedy, smallest_capacity, smallest_widths
from petri_cli.soundness.spare import without_spare_steps
from petri_cli.soundness.story import tell
from petri_cli.soundness.timer import OutOfTime, Pace
from petri_cli.soundness.waits import Standstill, standstill

SHORTEST_ACTIONS = 200
SHORTEST_WORK = 100_000
"""How far a shortest run is looked for: nets of so many actions, states times actions. Past that the run is one from
which no step can be taken away."""
SPARE_STEPS = 5_000
"""Longer runs are shown as they are found."""
TOLD_WIDTHS = 8
"""Foreachs whose width is told in words."""
TRIAL_WORK = 50_000
"""States times moves spent in all on the smallest capacities."""
TRIAL_COST = 15
"""What one trial costs beside its search, for each node of the core, in the same measure."""


def refuse(question: Question, decision: Decision, limits: Limits, replayer: Replayer) -> Result | None:
    """The answer for a plan that ``decision`` found to deadlock; ``stats`` are left to the caller. None when no run
    could be replayed on the plan: then nothing is claimed."""
    return _Refusal(question, limits, replayer).result(decision)


@dataclass(slots=True)
class _Refusal:
    question: Question
    limits: Limits
    replayer: Replayer

    def decide(self, question: Question) -> Decision:
        if self.limits.work is not None:
            self.limits.work -= TRIAL_COST * len(question.core.nodes)
            if self.limits.work < 0:
                return Decision(Verdict.UNKNOWN, "search", stopped="states")
        return decide(question, self.limits, self.replayer.confirm)

    def result(self, decision: Decision) -> Result | None:
        """The refusal; None when the deadlock could not be replayed."""
        question, expired = self.question, self.limits.expired
        limits, decision, exact = smallest_widths(question, decision, self.decide, expired)
        widths = {self.replayer.plan.nodes[i].id: w for i, w in limits.items()} if exact else {}
        detail = [] if exact else ["the smallest width could not be decided within the budget"]
        assert decision.witness is not None  # noqa: S101
        try:
            lift = self.replayer.lift(replace(question, limits=limits), decision.witness)
            cx = None if lift is None else self.counterexample(lift)
        except (OutOfTime, NotShown) as e:
            late = isinstance(e, OutOfTime)
            why = "in time" if late else f"on a net of more than {SHOWN:,} places and transitions"
            detail.append(f"the run to the deadlock was not worked out {why}")
            return _unsound(None, AT_LEAST_ONE, widths, (), detail) if needs_no_replay(decision.witness) else None
        if lift is None or cx is None:
            return self.again()
        if not exact:
            detail.append(_width_note(cx.widths))
        try:
            told = standstill(self.replayer.plan, lift.board.lowered, _ids(cx), cx.marking, expired)
            phrases = tell(self.replayer.plan, lift.board.lowered, _ids(cx), Pace(expired))
        except OutOfTime:
            detail.append("who waits for whom was not worked out in time")
            return _unsound(cx, AT_LEAST_ONE, widths, (), detail)
        if told.count > len(told.waits):
            detail.append(f"the first {len(told.waits)} of {told.count:,} who wait are listed")
        cx = replace(cx, sentence=told.sentence, waits=told.waits, lanes=told.lanes, told=phrases)
        counts = census(self.replayer.plan, lift.board.lowered, expired)
        remedies = self.remedies(question, told)
        detail = [*_remedy_notes(remedies, told, self.replayer.plan.capacities()), *detail]
        return _unsound(cx, counts, widths, remedies, detail)

    def again(self) -> Result | None:
        """Where a literal list is longer than the cut-off: the search once more, at the length that it has."""
        if self.question.exact:
            return None
        exact = _Refusal(replace(self.question, exact=True), self.limits, self.replayer)
        decision = exact.decide(exact.question)
        return exact.result(decision) if decision.verdict is Verdict.UNSOUND else None

    def counterexample(self, lift: Lift) -> Counterexample:
        """The run without steps to spare, fired once more by the plain rule, which has the last word: the marking is
        dead, and not the final one."""
        run, shortest, minimal = self.shorten(lift)
        net, pace = lift.board.net, Pace(self.limits.expired)
        ids = [lift.board.transitions[a].id for a in in_document_order(lift.board, run)]
        marking = end_of(net, ids, pace)
        if marking == lift.board.final or not nothing_moves(net, marking, pace):
            raise AssertionError("a deadlock did not replay")
        sentence = f"{steps_text(len(ids))} nothing can move".capitalize() + "."
        steps, end = tuple(map(Step, ids)), dict(sorted(marking.items()))
        items = lift.board.lowered.widths
        open_ = (n.id for n in self.replayer.plan.nodes if isinstance(n, Foreach) and n.items is None)
        widths = {fid: items.get(fid, 0) for fid in open_}
        return Counterexample("deadlock", net, steps, end, sentence, shortest=shortest, minimal=minimal, widths=widths)

    def shorten(self, lift: Lift) -> tuple[tuple[int, ...], bool, bool]:
        """A shortest run to a dead marking where one is found soon, else the one at hand without a step to spare: (run,
        whether it is a shortest one, whether no step can be left out)."""
        if len(lift.board.transitions) <= SHORTEST_ACTIONS:
            net = compile_net(lift.board.net)
            states = SHORTEST_WORK // len(net.actions)
            found = find_deadlock(net, final=net.final, max_states=states, deadline=self.limits.expired, shortest=True)
            if found.run is not None:
                return found.run, True, True
        if len(lift.run) > SPARE_STEPS:
            return lift.run, False, False
        run = without_spare_steps(lift, self.limits.expired)
        return run, False, not self.limits.expired()

    def remedies(self, question: Question, told: Standstill) -> list[Remedy]:
        """The smallest capacity of each resource that somebody lacks, as far as a small budget goes; only these can
        help, for who lacks none of them stays where they are."""
        now = self.limits
        self.limits = Limits(now.left(), now.expired, work=TRIAL_WORK, max_bytes=now.max_bytes)
        index = {r: i for i, r in enumerate(question.core.resources)}
        found = (smallest_capacity(question, index[r], told.waits, self.decide) for r in told.lacking)
        return [r for r in found if r is not None]


AT_LEAST_ONE = Counts(1, 1, exact=False)


def _unsound(
    cx: Counterexample | None,
    counts: Counts,
    widths: Mapping[str, int],
    remedies: Sequence[Remedy],
    detail: Sequence[str],
) -> Result:
    least = "" if counts.exact else "at least "
    dead = counts.dead_transitions
    stuck = "nothing can move" if cx is None else f"after {len(cx.run)} steps nothing can move"
    return Result(
        Verdict.UNSOUND,
        "deadlock found" if cx is None else "counterexample",
        code="PETRI_UNSOUND_PLAN",
        message=(
            f"PETRI_UNSOUND_PLAN: net is unsound: {least}{counts.deadlocks:,} deadlock marking(s) reachable; "
            f"{least}{counts.doomed:,} reachable marking(s) can no longer reach the final marking"
        ),
        conditions=(
            Condition("optionToComplete", False, stuck),
            Condition("properCompletion", True, "holds for every plan by construction"),
            Condition("noDeadTransitions", None if dead is None else not dead, ", ".join(dead or ())),
        ),
        counterexample=cx,
        smallest_width=widths,
        smallest_capacity={r.resource: r.capacity for r in remedies if r.capacity is not None or r.hopeless},
        counts=counts,
        detail=tuple(detail),
    )


def _ids(cx: Counterexample) -> list[str]:
    return [s.transition for s in cx.run]


def _width_note(widths: Mapping[str, int]) -> str:
    """At which widths the run happens, as ``petri export --width`` takes them."""
    told = [f"{fid}={n}" for fid, n in list(widths.items())[:TOLD_WIDTHS]]
    more = f" and {len(widths) - TOLD_WIDTHS} more" if len(widths) > TOLD_WIDTHS else ""
    return f"the run that is shown has so many items: {', '.join(told)}{more}"


def _remedy_notes(remedies: Sequence[Remedy], told: Standstill, now: Mapping[str, int]) -> list[str]:
    notes = []
    for r in remedies:
        if r.hopeless:
            notes.append(f"no larger capacity of {r.resource} alone suffices")
        elif r.enough is not None:
            tried = f", and none up to {r.tried} does" if r.tried > now[r.resource] else ""
            between = f"; whether one below {r.enough} does was not worked out"
            notes.append(f"a capacity of {r.enough} of {r.resource} alone suffices{tried}{between}")
        elif r.capacity is None:
            notes.append(f"no capacity of {r.resource} up to {r.tried} suffices alone; larger ones were not all tried")
    left = sorted(set(told.lacking) - {r.resource for r in remedies})
    if left:
        notes.append(f"the smallest sufficient capacity of {', '.join(left)} was not worked out")
    return notes
