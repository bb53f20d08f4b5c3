"""The ways out of an unsound plan: edits of its file, each of which has passed the gate, cheapest first.

A fix is found on the plan in memory, made in its text, read again from there, held against what was meant, and judged
as any other file is. What does not come out SOUND at the end of that is not offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from petri_cli.errors import PetriError, Position, Problem
from petri_cli.plan.edit_changes import Change, Reorder, SetCapacity, with_changes
from petri_cli.plan.edit_structure import edit_structure
from petri_cli.plan.edit_text import Sheet
from petri_cli.plan.model import Plan
from petri_cli.soundness.fixes_capacity import all_raises, cost_of_raises, described, lowered, merged, misfits, raised
from petri_cli.soundness.fixes_order import all_swaps, in_order, reordered
from petri_cli.soundness.fixes_trials import Proposal, Trials
from petri_cli.soundness.fixes_width import bounded
from petri_cli.soundness.fixes_wrap import wrapped
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Verdict
from petri_cli.soundness.timer import Clock, Timer

FixKind = Literal["order", "capacity", "wrap", "width"]
KINDS: tuple[FixKind, ...] = get_args(FixKind)
CHEAP_FIRST: tuple[FixKind, ...] = ("order", "capacity", "width", "wrap")
"""The order in which they are looked for: a gate makes for the largest searches."""
_RANK: Mapping[str, int] = {kind: k for k, kind in enumerate(KINDS)}

SECONDS = 2.0
SHARE = 0.1
"""Of the time for one file, so much goes into fixes, and not more than ``SECONDS``."""


@dataclass(frozen=True, slots=True)
class Edit:
    """From ``where`` to ``end`` (line, column; both from 1, the end not included) the file says ``replacement``."""

    where: Position
    end: tuple[int, int]
    replacement: str


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit of a plan's file with which it is SOUND.

    cost: how much of its behaviour changes, for sorting; evidence: what the SOUND rests on; data: the file afterwards.
    """

    kind: str
    cost: int
    description: str
    edits: tuple[Edit, ...]
    evidence: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Fixes:
    """What was found for one file, cheapest first; notes: what could not be offered, and why; interrupted: somebody
    pressed Ctrl-C while they were looked for."""

    found: tuple[Fix, ...] = ()
    notes: tuple[Problem, ...] = ()
    interrupted: bool = False

    def best(self, kind: FixKind | None = None) -> Fix | None:
        """The cheapest, of one kind or of all."""
        return next((f for f in self.found if kind is None or f.kind == kind), None)


def find_fixes(
    plan: Plan,
    data: bytes,
    file: str,
    *,
    kinds: Sequence[FixKind] = KINDS,
    known: Mapping[str, int | None] | None = None,
    budget: Budget | None = None,
    clock: Clock | None = None,
) -> Fixes:
    """Fixes of ``plan``, an unsound one that was read from ``data``.

    known: smallest sufficient capacities that were found before, as in ``Result.smallest_capacity``.
    """
    limit = budget or Budget()
    timer = Timer(clock, min(SECONDS, SHARE * limit.seconds))
    return _Finder(plan, data, file, limit, timer, known or {}, clock).find(kinds)


def _on_top(base: Trials, first: Sequence[Change], before: Sequence[Change], top: Proposal) -> Proposal:
    """``top`` with those changes of ``before`` that it needs."""
    fixed = [*first, *top.changes]
    needed = lowered(base, base.needed(before, fixed), fixed)
    raises = merged([*first, *(c for c in needed if isinstance(c, SetCapacity))])
    swaps = [c for c in needed if isinstance(c, Reorder)]
    words, cost = [top.description], top.cost + cost_of_raises(base, raises)
    if raises:
        words.insert(0, described(base, raises))
    if swaps:
        ordered = in_order(base, swaps)
        words.insert(0, ordered.description)
        cost += ordered.cost
    return Proposal(top.kind, cost, "; ".join(words), (*raises, *swaps, *top.changes))


class _Finder:
    def __init__(
        self,
        plan: Plan,
        data: bytes,
        file: str,
        budget: Budget,
        timer: Timer,
        known: Mapping[str, int | None],
        clock: Clock | None,
    ) -> None:
        self.clock, self.verify_within = clock, min(SECONDS, SHARE * budget.seconds)
        self.plan, self.data, self.file = plan, data, file
        self.budget, self.timer, self.known = budget, timer, known
        self.sheet = Sheet(data, file)
        self.found: list[Fix] = []
        self.notes: dict[str, Problem] = {}
        self.cut_short = False

    def find(self, kinds: Sequence[FixKind]) -> Fixes:
        trials = Trials(self.plan, self.timer.expired)
        first = misfits(trials)
        self.run(Trials(with_changes(self.plan, first), self.timer.expired) if first else trials, first, kinds, trials)
        if not self.found and not self.timer.expired():
            self.combined(trials, first, kinds)
        if self.cut_short or self.timer.expired():
            message = "not every fix was tried within the budget"
            self.notes["budget"] = Problem("PETRI_UNKNOWN", message, Position(self.file), severity="warning")
        found = sorted(self.found, key=lambda f: (f.cost, _RANK[f.kind], f.edits[0].where))
        return Fixes(tuple(found), tuple(self.notes.values()))

    def run(self, trials: Trials, first: list[Change], kinds: Sequence[FixKind], base: Trials) -> None:
        """Each kind, on top of the changes that were made ``first``."""
        extra, words = cost_of_raises(base, first), described(base, first) if first else ""
        trials.renew()
        if first and trials.sound([]):  # nothing more is needed, whatever else there is
            if "capacity" in kinds:
                self.offer(Proposal("capacity", extra, words, tuple(first)))
            return
        for kind in CHEAP_FIRST:
            if kind not in kinds:
                continue
            trials.renew()
            for p in self.proposals(kind, trials, first):
                if not first:
                    self.offer(p)
                elif kind == "capacity":
                    raises = merged([*first, *p.changes])
                    self.offer(Proposal(kind, cost_of_raises(base, raises), described(base, raises), tuple(raises)))
                else:
                    both = f"{words}; {p.description}"
                    self.offer(replace(p, cost=p.cost + extra, description=both, changes=(*first, *p.changes)))
            self.cut_short = self.cut_short or trials.spent or trials.open

    def combined(self, base: Trials, first: list[Change], kinds: Sequence[FixKind]) -> None:
        """Where no kind is enough alone: one on top of all swaps, all raises, or both, as far as these are needed."""
        base.renew()
        swaps = all_swaps(base) if "order" in kinds else []
        raises = all_raises(base) if "capacity" in kinds else []
        for before in (swaps, raises, [*swaps, *raises]):
            if not before or self.found:
                continue
            trials = Trials(with_changes(self.plan, [*first, *before]), self.timer.expired)
            for kind in kinds:
                if (kind == "order" and swaps and swaps[0] in before) or (kind == "capacity" and before[-1] in raises):
                    continue
                trials.renew()
                for p in self.proposals(kind, trials, before):
                    base.renew()
                    self.offer(_on_top(base, first, before, p))

    def proposals(self, kind: FixKind, trials: Trials, first: list[Change]) -> Iterator[Proposal]:
        match kind:
            case "order":
                return reordered(trials)
            case "capacity":
                return raised(trials, {} if first else self.known)
            case "wrap":
                return wrapped(trials)
            case "width":
                return bounded(trials)

    def offer(self, proposal: Proposal) -> None:
        """Make the proposal in the text, and judge what is read from it; out of time, only where there is none yet."""
        if self.found and self.timer.expired():
            self.cut_short = True
            return
        try:
            edited = edit_structure(self.data, self.file, self.plan, proposal.changes, self.sheet)
        except PetriError as error:
            self.notes[f"{proposal.kind} {error.message}"] = replace(
                error.problem, message=f"{proposal.description}: {error.message}"
            )
            return
        result = judge_plan(edited.plan, replace(self.budget, seconds=self.verify_within), self.clock)
        if result.verdict is not Verdict.SOUND:
            self.cut_short = True
            return
        edits = tuple(
            Edit(Position(self.file, *start), end, e.replacement)
            for e, (start, end) in zip(edited.edits, edited.places, strict=True)
        )
        kind = proposal.kind
        self.found.append(Fix(kind, proposal.cost, proposal.description, edits, result.evidence, edited.data))
