"""One line a finding: ``file:line:column CODE message (hint)``, as editors and ``grep`` like it."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.api import Analysis
from petri_cli.errors import Position
from petri_cli.render.look import Line
from petri_cli.render.page import Page
from petri_cli.soundness.result import Result, Verdict


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write the lines of each file as soon as it is judged."""
    for a in analyses:
        for p in a.problems:
            page.line([("", str(p))])
        if a.result is not None:
            if not (page.quiet and a.result.verdict is Verdict.SOUND):
                page.line(_verdict(a, a.result))
            if not page.quiet:
                for p in a.result.warnings:
                    page.line([("", f"{p.where} {p.code} warning: {p.message}{f' ({p.hint})' if p.hint else ''}")])


def _verdict(a: Analysis, r: Result) -> Line:
    match r.verdict:
        case Verdict.SOUND:
            return [("", f"{a.file} "), ("good", "SOUND"), ("", f" {r.evidence}")]
        case Verdict.UNSOUND:
            sentence = r.counterexample.sentence if r.counterexample is not None else r.message
            return [("", f"{where_of(a)} {r.code} "), ("bad", "UNSOUND"), ("", f" {sentence}")]
        case Verdict.UNKNOWN:
            return [("", f"{a.file} {r.code} "), ("doubt", "UNKNOWN"), ("", f" {r.message.removeprefix(f'{r.code}: ')}")]


def where_of(a: Analysis) -> Position:
    """Where to look first: the first guard that is waited at, else the file."""
    cx = a.result.counterexample if a.result is not None else None
    for wait in cx.waits if cx is not None else ():
        if wait.where.line:
            return wait.where
    return Position(a.file)
