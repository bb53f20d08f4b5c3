"""What a person sees: a verdict in one line; for UNSOUND the sentence, the run, the circle, the lines, the way out."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.api import Analysis
from petri_cli.errors import Problem
from petri_cli.render.concise import remedy
from petri_cli.render.look import KEEP, Line, Look, wrap
from petri_cli.render.page import Page
from petri_cli.render.phrase import many
from petri_cli.render.tally import Tally
from petri_cli.soundness.result import Result, Verdict

INDENT = "  "
SOUNDNESS = ("optionToComplete", "properCompletion", "noDeadTransitions")
"""The conditions that a SOUND means when nothing else was asked."""
MAX_NAMED = 5


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write each file's block as soon as it is judged, then assumptions and the summary line.

    Verdicts are the data; what kept a file from being judged is a complaint.
    """
    tally = Tally()
    for a in analyses:
        block = _invalid(a, page.error_look) if a.result is None else _block(a, a.result, page)
        if block and tally.blocks and (len(block) > 3 or tally.long):
            block = [[], *block]
        if a.result is None:
            page.error_lines(block)
        else:
            page.lines(block)
        tally.add(a, len(block))
    _close(tally, page)


def _close(tally: Tally, page: Page) -> None:
    """What the verdicts above rest on, and the summary line of several files."""
    if page.quiet:
        return
    if tally.long and tally.files > 1:
        page.line()
    for (verdict, assumed), files in tally.assumptions.items():
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        whose = f" ({files[0]}{more})" if len(tally.assumptions) > 1 else ""
        page.lines(wrap([("dim", f"{verdict}{whose} assumes: {'; '.join(assumed)}.")], page.look.prose, "", INDENT))
    if tally.files > 1:
        page.line(tally.summary())
        if page.apart:
            page.error_lines([tally.summary()])


def _invalid(a: Analysis, look: Look) -> list[Line]:
    head: Line = [
        ("bad", "✗ INVALID"),
        ("", "  "),
        ("strong", a.file),
        ("dim", f"  {many(len(a.problems), 'problem')}"),
    ]
    return [head, *_drawn(a.problems, a, look)]


def _block(a: Analysis, r: Result, page: Page) -> list[Line]:
    block = _verdict(a, r, page)
    if r.warnings and not page.quiet:
        apart: list[Line] = [[]] if r.verdict is Verdict.UNSOUND else []
        block += apart + _drawn(r.warnings, a, page.look)
    return block


def _drawn(problems: tuple[Problem, ...], a: Analysis, look: Look) -> list[Line]:
    from petri_cli.render.problems import draw_problems

    return draw_problems(problems, a.source, look)


def _verdict(a: Analysis, r: Result, page: Page) -> list[Line]:
    match r.verdict:
        case Verdict.SOUND:
            return [] if page.quiet else _sound(a, r, page)
        case Verdict.UNSOUND:
            from petri_cli.render.unsound import draw_unsound

            return draw_unsound(a, r, page)
        case Verdict.UNKNOWN:
            return _unknown(a, r, page)


def _sound(a: Analysis, r: Result, page: Page) -> list[Line]:
    evidence, detail = in_words(r.evidence), list(r.detail)
    if detail and detail[0].startswith("lock order "):
        evidence = f"{evidence} ({detail.pop(0).removeprefix('lock order ')})"
    scope = f", for {a.scope}" if a.scope else ""
    head: Line = [("good", f"✓{KEEP}SOUND{KEEP} "), ("strong", a.file), ("", f"{KEEP} by {evidence}{scope}")]
    block = wrap(head, page.look.prose, "", " " * 9)
    if page.verbose:
        for text in detail:
            block += wrap([("dim", text)], page.look.width, INDENT)
    if page.verbose or any(c.name not in SOUNDNESS for c in r.conditions):
        block += conditions(r, page.look)
    return block + stats(r, page.look) if page.verbose else block


def in_words(evidence: str) -> str:
    """``exhaustive search of 1,204 states`` for ``exhaustive: 1,204 states``, and the like."""
    method, _, rest = evidence.partition(": ")
    match method:
        case "exhaustive":
            return f"exhaustive search of {rest}"
        case "stubborn sets":
            return f"search of {rest} with stubborn sets"
        case "lock-order" if rest:
            return f"lock-order in each of {rest}"
        case _:
            return evidence


def _unknown(a: Analysis, r: Result, page: Page) -> list[Line]:
    head: Line = [("doubt", f"?{KEEP}UNKNOWN{KEEP} "), ("strong", a.file)]
    if r.evidence.removeprefix("budget: ") not in r.message:
        head.append(("", f"{KEEP} {r.evidence}"))
    block = wrap(head, page.look.prose, "", " " * 11)
    block += wrap([("", r.message)], page.look.prose, INDENT)
    for text in r.detail:
        block += wrap([("dim", text)], page.look.width, INDENT)
    if remedy(r):
        block += wrap([("", f"→ {remedy(r)}")], page.look.width, INDENT, INDENT * 2)
    if page.verbose:
        block += conditions(r, page.look) + stats(r, page.look)
    return block


def conditions(r: Result, look: Look) -> list[Line]:
    """The conditions and properties that were asked, one a line."""
    marks = {True: ("good", "✓"), False: ("bad", "✗"), None: ("doubt", "?")}
    lines: list[Line] = []
    for c in r.conditions:
        detail = _in_short(c.detail)
        text: Line = [marks[c.holds], ("", f" {c.name}"), ("dim", f"{KEEP} {detail}" if detail else "")]
        lines += wrap(text, look.width, INDENT, INDENT * 3)
    return lines


def _in_short(detail: str) -> str:
    """A detail that is a bare list of ids (a sentence has blanks elsewhere) with the first of them."""
    names = detail.split(", ")
    if len(names) <= MAX_NAMED or any(" " in name for name in names):
        return detail
    return f"{', '.join(names[:MAX_NAMED])} and {len(names) - MAX_NAMED:,} more"


def stats(r: Result, look: Look) -> list[Line]:
    """The provers that were asked, and the figures of the analysis; a proof that looked at no state counts none."""
    lines: list[Line] = []
    if r.tried:
        asked = (f"{a.prover}{KEEP}{a.seconds * 1000:,.1f}{KEEP}ms ({a.outcome})" for a in r.tried)
        lines += wrap([("dim", f"tried {', '.join(asked)}")], look.width, INDENT, INDENT * 2)
    told = {k: v for k, v in r.stats.items() if v or k != "states"}
    if told:
        figures = ", ".join(f"{k} {v:,.3f}" if isinstance(v, float) else f"{k} {v:,}" for k, v in told.items())
        lines += wrap([("dim", figures)], look.width, INDENT, INDENT * 2)
    return lines
