"""Looking for a solution of the state equation that a question describes, by branching; none found is a proof.

A depth-first search over linear relaxations. Where the solution at hand leaves an action enabled that the question
wants disabled, one of the literals that disable it has to be added: a branch each. A branch ends when the relaxation
has no solution; the conflict says which literals took part. Where the last decision did not, its other branches need
no look (conflict-directed backjumping, Prosser 1993): that is what keeps parts of the net that have nothing to do with
each other from multiplying.

Rows of *traps* tighten the relaxation (Esparza & Melzer, "Verification of Safety Properties Using Integer Programming:
Beyond the State Equation", FMSD 16, 2000): places that, once marked, are never all empty again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import floor

from petri_cli.soundness.linear.equation import Equation
from petri_cli.soundness.linear.proof import Leaf, Literal, Proof, Refutation, Split
from petri_cli.soundness.linear.relaxation import GaveUp, Refuted, Relaxation, Solution
from petri_cli.soundness.linear.simplex import GRANTED
from petri_cli.soundness.timer import Deadline, never

AT_ONCE = 10
"""Branches of the first attempt."""
MOST_HALVED = 200
"""Parts of tokens looked into for one question."""
NARROW = 8
"""Ways to disable an action whose inputs are looked at one by one: with more, few are empty for a reason nearby."""
A_LEMMA = 3
"""Branches for a place that may be provably empty."""


@dataclass(slots=True)
class _Frame:
    """A decision under way: its cases, those refuted so far, and the decisions that their refutations rest on."""

    reason: str
    action: int
    cases: Sequence[Literal]
    mark: int
    proved: list[tuple[Literal, Proof]] = field(default_factory=list)
    rests_on: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Question:
    """whole: whether parts of a token are looked into; open: the actions to disable that can be disabled in several
    ways, or in none; takers: for each literal those that it disables; fillers: for each place those that can fill it.
    """

    goal: Sequence[Literal]
    stuck: Sequence[int]
    differs: Sequence[Literal]
    whole: bool
    open: Sequence[int]
    takers: Mapping[Literal, Sequence[int]]
    fillers: Sequence[Sequence[int]]


def _opposite(literal: Literal) -> Literal:
    return literal._replace(side=-literal.side, bound=literal.bound + literal.side)


class Search(Relaxation):
    """A relaxation and the questions put to it, one after the other."""

    def __init__(self, equation: Equation, granted: int = GRANTED, deadline: Deadline = never) -> None:
        super().__init__(equation, granted, deadline)
        self.branches = self._halved = 0

    def refute(
        self, goal: Sequence[Literal], stuck: Sequence[int], differs: Sequence[Literal] = (), most: int = 10_000
    ) -> Refutation | Solution:
        """A proof that no solution satisfies ``goal``, disables ``stuck`` and satisfies one of ``differs`` (if there
        are any); otherwise a solution of the relaxation. most: branches. Raises GaveUp."""
        base, lemmas = self.tableau.mark(), len(self.lemmas)
        self._halved = 0
        try:
            found = self._answer(self._question(goal, stuck, differs), most)
            if isinstance(found, Solution):
                return found
            return Refutation(tuple(goal), tuple(differs), tuple(stuck), tuple(self.rows), tuple(self.lemmas), found)
        finally:
            self.tableau.undo(base)
            del self.lemmas[lemmas:]

    def _question(self, goal: Sequence[Literal], stuck: Sequence[int], differs: Sequence[Literal]) -> _Question:
        disabled = self.equation.disabled
        several = [a for a in stuck if len(disabled[a]) != 1]
        takers: dict[Literal, list[int]] = {}
        for a in several:
            for literal in disabled[a]:
                takers.setdefault(literal, []).append(a)
        return _Question(goal, stuck, differs, True, several, takers, self._all_fillers(stuck))

    def _answer(self, question: _Question, most: int) -> Proof | Solution:
        disabled = self.equation.disabled
        literals = [*question.goal, *(disabled[a][0] for a in question.stuck if len(disabled[a]) == 1)]
        refuted = self._say_all(literals) or self.check()
        if refuted is not None:
            return refuted[0]
        try:
            return self._solved(question, min(most, AT_ONCE))
        except GaveUp:
            if most <= AT_ONCE or self.deadline():
                raise
        return self._learn(question) or self._solved(question, most)

    def _learn(self, question: _Question) -> Leaf | None:
        """Prove places empty, one after the other: what joins wait for where blocks follow each other would otherwise
        have to be looked at in every combination. Sweeps go to and fro, since a proof may rest on its neighbour's.
        A leaf when what was proved leaves no solution."""
        initial, disabled = self.equation.initial, self.equation.disabled
        narrow = (x for x, takers in question.takers.items() if any(len(disabled[a]) <= NARROW for a in takers))
        todo = [x for x in narrow if x.side > 0 and initial[x.of] <= x.bound]
        while True:
            left = []
            for literal in todo:
                if self.deadline():
                    return None
                proof = self._refute_opposite(question, literal)
                if proof is None:
                    left.append(literal)
                elif (refuted := self.assume(literal, proof) or self.check()) is not None:
                    return refuted[0]
            if len(left) == len(todo):
                return None
            todo = left[::-1]

    def _refute_opposite(self, question: _Question, literal: Literal) -> Proof | None:
        mark = self.tableau.mark()
        try:
            refuted = self.say(_opposite(literal)) or self.check()
            if refuted is not None:
                return refuted[0]
            return self._branch(replace(question, goal=(), whole=False, open=question.takers[literal]), A_LEMMA)
        except GaveUp:
            return None
        finally:
            self.tableau.undo(mark)

    def _solved(self, question: _Question, most: int) -> Proof | Solution:
        mark = self.tableau.mark()
        try:
            return self._depth_first(question, self.branches + most, question.differs) or self.solution()
        finally:
            self.tableau.undo(mark)

    def _branch(self, question: _Question, most: int) -> Proof | None:
        mark = self.tableau.mark()
        try:
            return self._depth_first(question, self.branches + most, ())
        finally:
            self.tableau.undo(mark)

    def _depth_first(self, question: _Question, most: int, differs: Sequence[Literal]) -> Proof | None:
        """Branch from the bounds that are set now; None when a solution is at hand."""
        frames: list[_Frame] = []
        refuted: tuple[Proof, set[int]] | None = None
        if differs:
            frames.append(_Frame("differs", -1, differs, self.tableau.mark()))
            refuted = self._try(frames)
        while True:
            if refuted is not None:
                proof = self._unwind(frames, *refuted)
                if proof is not None:
                    return proof
            else:
                decision = self._decision(frames, question)
                if decision is None:
                    return None
                frames.append(decision)
                if not decision.cases:
                    frames.pop()
                    refuted = Split("disabled", decision.action, ()), set()
                    continue
            self.branches += 1
            if self.branches > most or self.deadline():
                raise GaveUp
            refuted = self._try(frames)

    def _say_all(self, literals: Sequence[Literal]) -> Refuted | None:
        for literal in literals:
            if (found := self.say(literal)) is not None:
                return found
        return None

    def _try(self, frames: list[_Frame]) -> tuple[Proof, set[int]] | None:
        """Assume the next case of the innermost decision."""
        frame = frames[-1]
        return self.say(frame.cases[len(frame.proved)], len(frames)) or self.check()

    def _unwind(self, frames: list[_Frame], proof: Proof, rests_on: set[int]) -> Proof | None:
        """Go back to the innermost decision with a case left that the refutation does not settle as well; the whole
        proof when there is none."""
        while frames:
            depth, frame = len(frames), frames[-1]
            self.tableau.undo(frame.mark)
            if depth in rests_on:
                frame.proved.append((frame.cases[len(frame.proved)], proof))
                frame.rests_on |= rests_on - {depth}
                if len(frame.proved) < len(frame.cases):
                    return None
                proof, rests_on = Split(frame.reason, frame.action, tuple(frame.proved)), frame.rests_on
            frames.pop()
        return proof

    def _decision(self, frames: Sequence[_Frame], question: _Question) -> _Frame | None:
        """An action that the solution at hand leaves enabled; None when there is none.

        In a dead marking a place stays empty because all who fill it are stuck (the empty places are a siphon). So the
        next to look at is an action that could fill what the latest decision emptied: what has nothing to do with that
        would only stand between the decisions that contradict each other.
        """
        emptied = [f.cases[len(f.proved)] for f in reversed(frames)]
        for literal in (*emptied, *question.goal):
            if literal.kind == "place" and literal.side > 0:
                found = self._fewest_cases(question.fillers[literal.of])
                if found >= 0:
                    break
        else:
            found = self._fewest_cases(question.open)
            if found < 0:
                return self._halves() if question.whole else None
        cases = sorted(self.equation.disabled[found], key=self.violation)
        return _Frame("disabled", found, cases, self.tableau.mark())

    def _halves(self) -> _Frame | None:
        """A place with a part of a token: it holds that much rounded down, or that much rounded up."""
        if self._halved >= MOST_HALVED:
            return None
        for p, start in enumerate(self.equation.initial):
            value = self.tableau.value(self.first_place + p)
            if value.denominator > 1:
                self._halved += 1
                below = floor(value) + start
                cases = (Literal("place", p, 1, below), Literal("place", p, -1, below + 1))
                return _Frame("whole", -1, cases, self.tableau.mark())
        return None

    def _fewest_cases(self, actions: Sequence[int]) -> int:
        """Of the actions left enabled the one with the fewest literals still possible; -1 when there is none."""
        best, fewest = -1, 0
        for a in actions:
            if not self.left_enabled(a):
                continue
            cases = sum(map(self.is_open, self.equation.disabled[a]))
            if best < 0 or cases < fewest:
                best, fewest = a, cases
                if fewest < 2:
                    break
        return best

    def _all_fillers(self, stuck: Sequence[int]) -> list[list[int]]:
        """For each place the actions of ``stuck`` with several ways to be disabled that can fill it: directly, or
        through actions with a single input, which a dead marking has empty."""
        equation = self.equation
        producers: list[list[int]] = [[] for _ in equation.initial]
        wanted = set(stuck)
        for a in range(equation.actions):
            for p, k in equation.columns[a].items():
                if k > 0 and a in wanted:
                    producers[p].append(a)
        fillers = []
        for p in range(equation.places):
            seen, todo, found = {p}, [p], dict[int, None]()
            while todo:
                for a in producers[todo.pop()]:
                    literals = equation.disabled[a]
                    if len(literals) != 1:
                        found[a] = None
                    elif literals[0].of not in seen:
                        seen.add(literals[0].of)
                        todo.append(literals[0].of)
            fillers.append(list(found))
        return fillers
