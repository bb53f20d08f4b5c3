"""Judging one input after the other: no file's trouble hides the verdict of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from petri_cli.api import Analysis, analyze_data
from petri_cli.cli.exit import Exit, worst
from petri_cli.cli.inputs import Source, read_source
from petri_cli.cli.streams import say, say_fault
from petri_cli.errors import PetriError, Problem
from petri_cli.soundness.result import Budget, Result, Verdict

if TYPE_CHECKING:  # files that are only judged pay for no edits
    from petri_cli.cli.fixing import Fixing
    from petri_cli.soundness.fixes import FixKind

_CODES = {Verdict.SOUND: Exit.OK, Verdict.UNSOUND: Exit.UNSOUND, Verdict.UNKNOWN: Exit.UNKNOWN}


class Judging:
    """Iterating judges: each input when its turn comes, in the order of their names; ``codes`` gathers the exit codes.

    problems: arguments that mean no file; they take their turn as files that could not be read. fixes: kinds of edits
    that are looked for where a plan is unsound; fixing: what is done with the cheapest of them.
    """

    def __init__(
        self,
        inputs: Sequence[Source],
        problems: Sequence[Problem],
        budget: Budget,
        properties: Sequence[str] = (),
        fixes: Sequence[FixKind] = (),
        fixing: Fixing | None = None,
    ) -> None:
        self.inputs, self.problems = inputs, problems
        self.budget, self.properties = budget, properties
        self.fixes, self.fixing = fixes, fixing
        self.codes: list[Exit] = []

    def __iter__(self) -> Iterator[Analysis]:
        turns: list[tuple[str, Source | Problem]] = [(s.name, s) for s in self.inputs]
        turns += [(p.where.file, p) for p in self.problems]
        turns.sort(key=lambda turn: turn[0])
        for k, (_, turn) in enumerate(turns):
            analysis = self._take(turn)
            self.codes.append(exit_code(analysis))
            yield analysis
            if self.codes[-1] is Exit.INTERRUPTED:
                left = len(turns) - k - 1
                say("petri: interrupted" + (f"; {left} more not judged" if left else ""))
                return

    def _take(self, turn: Source | Problem) -> Analysis:
        if isinstance(turn, Problem):
            return Analysis(turn.where.file, problems=(turn,))
        try:
            data = read_source(turn)
            judge = partial(
                analyze_data, file=turn.name, budget=self.budget, properties=self.properties, fixes=self.fixes
            )
            analysis = judge(data)
            return analysis if self.fixing is None else self.fixing.after(turn, data, analysis, judge)
        except PetriError as error:
            return Analysis(turn.name, problems=(error.problem,))
        except KeyboardInterrupt:
            message = "PETRI_INTERRUPTED: interrupted before there was a verdict"
            return Analysis(turn.name, result=Result(Verdict.UNKNOWN, "interrupted", "PETRI_INTERRUPTED", message))
        except Exception as error:
            say_fault(error, f"judging {turn.name}")
            message = f"internal fault: {type(error).__name__}; nothing is known about this file"
            return Analysis(turn.name, problems=(Problem("PETRI_INTERNAL_FAULT", message),))

    def exit(self, *, zero: bool = False) -> Exit:
        """The worst code so far. ``zero``: a verdict that is not SOUND counts as OK."""
        found = worst(self.codes)
        return Exit.OK if zero and found in (Exit.UNSOUND, Exit.UNKNOWN) else found


def exit_code(a: Analysis) -> Exit:
    """The code of one file."""
    if a.result is None:
        return Exit.FAULT if any(p.code == "PETRI_INTERNAL_FAULT" for p in a.problems) else Exit.WRONG
    if a.result.code == "PETRI_INTERRUPTED" or (a.fixes is not None and a.fixes.interrupted):
        return Exit.INTERRUPTED
    return _CODES[a.result.verdict]
