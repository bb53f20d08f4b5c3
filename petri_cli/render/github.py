"""Workflow commands that GitHub shows as annotations on the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.api import Analysis
from petri_cli.errors import Position, Problem
from petri_cli.render.concise import remedy, where_of
from petri_cli.render.look import visible
from petri_cli.render.page import Page
from petri_cli.render.tally import Tally, say_summary
from petri_cli.soundness.result import Result, Verdict


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """One annotation a problem, one a verdict that is not SOUND, one for each further guard where a branch is stuck."""
    tally = Tally()
    for a in analyses:
        tally.add(a, 1)
        for p in a.problems:
            page.write(_problem(p, a.file))
        if a.result is not None:
            for command in _verdict(a, a.result):
                page.write(command)
            for p in () if page.quiet else a.warnings:
                page.write(_problem(p, a.file))
    say_summary(tally, page)


def _verdict(a: Analysis, r: Result) -> list[str]:
    if r.verdict is Verdict.SOUND:
        return []
    if r.verdict is Verdict.UNKNOWN or r.counterexample is None:
        level = "warning" if r.verdict is Verdict.UNKNOWN else "error"
        hint = f" ({remedy(r)})" if remedy(r) else ""
        return [_command(level, Position(a.file), r.code, r.message + hint)]
    cx = r.counterexample
    first = where_of(a)
    commands = [_command("error", first, r.code, f"{cx.sentence}\n{r.message}")]
    for wait in cx.waits:
        if wait.where.line and wait.where != first:
            text = f"{wait.who} waits here for {wait.resource}"
            commands.append(_command("notice", wait.where, r.code, text))
    return commands


def _problem(p: Problem, file: str) -> str:
    where = p.where if p.where.file else Position(file, p.where.line, p.where.column, p.where.path)
    return _command(p.severity, where, p.code, p.message + (f" ({p.hint})" if p.hint else ""))


def _command(level: str, where: Position, code: str, message: str) -> str:
    properties = {"file": where.file}
    if where.line:
        properties |= {"line": str(where.line), "col": str(where.column)}
    properties["title"] = code
    text = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {text}::{_data(message)}\n"


def _data(text: str) -> str:
    lines = [visible(line) for line in text.split("\n")]
    return "%0A".join(line.replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
