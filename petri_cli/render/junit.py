"""JUnit XML, as Jenkins and GitLab read it (the XSD of Jenkins' xUnit plugin): one suite, one test case a file.

UNSOUND is a failure. A file that cannot be judged is an error, and so is UNKNOWN: a skipped test passes in every
reader, and what nobody has proved does not pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from petri_cli.api import Analysis
from petri_cli.errors import Problem
from petri_cli.render.concise import remedy, where_of
from petri_cli.render.look import Look, visible
from petri_cli.render.page import Page, one_line
from petri_cli.render.tally import Tally, say_summary
from petri_cli.soundness.result import Result, Verdict

LOOK = Look(100, prose=100)


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write one document, once every file is judged; what is wrong with a file is said as a complaint as well."""
    tally = Tally()
    cases: list[str] = []
    failures = errors = 0
    total = 0.0
    for a in analyses:
        tally.add(a, 1)
        page.errors(a.problems)
        seconds = float(a.result.stats.get("seconds", 0)) if a.result is not None else 0.0
        outcome, body = _outcome(a, page)
        failures += outcome == "failure"
        errors += outcome == "error"
        total += seconds
        where = where_of(a)
        attributes = {"classname": f"petri.{a.kind or 'file'}", "name": a.file, "time": f"{seconds:.3f}"}
        attributes |= {"file": a.file} | ({"line": str(where.line)} if where.line else {})
        cases.append(f"    {_element('testcase', attributes, body)}\n")
    counts = {"tests": str(tally.files), "failures": str(failures), "errors": str(errors), "time": f"{total:.3f}"}
    page.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    page.write(f"<testsuites{_attributes({'name': 'petri', **counts})}>\n")
    page.write(f"  <testsuite{_attributes({'name': 'petri analyze', **counts, 'skipped': '0'})}>\n")
    page.write("".join(cases) + "  </testsuite>\n</testsuites>\n")
    say_summary(tally, page)


def _outcome(a: Analysis, page: Page) -> tuple[str, str]:
    """``failure``, ``error`` or nothing, and what stands inside the test case."""
    if a.result is None:
        first = next((p for p in a.problems if p.severity == "error"), a.problems[0])
        return "error", _finding("error", first.code, first.message, _lines(a.problems))
    r = a.result
    warnings = "" if page.quiet or not a.warnings else _element("system-out", {}, _text(_lines(a.warnings)))
    match r.verdict:
        case Verdict.SOUND:
            return "", warnings
        case Verdict.UNSOUND:
            said = r.counterexample.sentence if r.counterexample is not None else r.message
            return "failure", _finding("failure", r.code, said, _told(a, r)) + warnings
        case Verdict.UNKNOWN:
            hint = f" ({remedy(r)})" if remedy(r) else ""
            return "error", _finding("error", r.code, r.message + hint, "\n".join(r.detail)) + warnings


def _told(a: Analysis, r: Result) -> str:
    """What ``--format text`` says: the run, who waits for whom, the lines, the ways out."""
    from petri_cli.render.unsound import draw_unsound

    lines: list[str] = []
    told = Page(lines.append, LOOK)
    told.lines(draw_unsound(a, r, told))
    return "".join(lines)


def _lines(problems: Iterable[Problem]) -> str:
    return "".join(f"{one_line(p)}\n" for p in problems)


def _finding(tag: str, code: str, message: str, body: str) -> str:
    return _element(tag, {"type": code, "message": message}, _text(body))


def _element(tag: str, attributes: dict[str, str], body: str) -> str:
    """body: XML already."""
    return f"<{tag}{_attributes(attributes)}>{body}</{tag}>" if body else f"<{tag}{_attributes(attributes)}/>"


def _attributes(values: dict[str, str]) -> str:
    return "".join(f' {key}="{_text(value)}"' for key, value in values.items())


def _text(text: str) -> str:
    """Text for XML 1.0, which has no way to write control characters: they are spelled out, and so is U+FFFE."""
    return "\n".join(escape(visible(line)) for line in text.split("\n"))
