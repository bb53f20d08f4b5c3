"""One line a finding: ``file:line:column CODE message (hint)``, as editors and ``grep`` like it."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.api import Analysis
from petri_cli.errors import Position
from petri_cli.render.look import Line
from petri_cli.render.page import Page, one_line
from petri_cli.render.tally import Tally, say_summary
from petri_cli.soundness.result import Result, Verdict


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write the line of each file as soon as it is judged; what kept a file from being judged is a complaint."""
    tally = Tally()
    for a in analyses:
        tally.add(a, 1)
        page.errors(a.problems)
        if a.result is None or (page.quiet and a.result.verdict is Verdict.SOUND):
            continue
        page.line(_verdict(a, a.result))
        if not page.quiet:
            page.lines([("", one_line(p))] for p in a.warnings)
    say_summary(tally, page)


def _verdict(a: Analysis, r: Result) -> Line:
    match r.verdict:
        case Verdict.SOUND:
            return [("", f"{a.file} "), ("good", "SOUND"), ("", f" {r.evidence}")]
        case Verdict.UNSOUND:
            sentence = r.counterexample.sentence if r.counterexample is not None else r.message
            return [("", f"{where_of(a)} {r.code} "), ("bad", "UNSOUND"), ("", f" {sentence}")]
        case Verdict.UNKNOWN:
            hint = f" ({remedy(r)})" if remedy(r) else ""
            message = r.message.removeprefix(f"{r.code}: ")
            return [("", f"{a.file} {r.code} "), ("doubt", "UNKNOWN"), ("", f" {message}{hint}")]


def remedy(r: Result) -> str:
    """What to do about an UNKNOWN; empty where the budget is not the reason."""
    return "allow more: --max-states N, --timeout SECONDS" if r.code == "PETRI_UNKNOWN" else ""


def where_of(a: Analysis) -> Position:
    """Where to look first: the first guard that is waited at, else the file."""
    cx = a.result.counterexample if a.result is not None else None
    for wait in cx.waits if cx is not None else ():
        if wait.where.line:
            return wait.where
    return Position(a.file)
