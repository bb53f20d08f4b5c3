"""What a person sees: a verdict in one line; for UNSOUND the sentence, the run, the circle, the lines, the way out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from petri_cli.api import Analysis
from petri_cli.render.look import KEEP, Line, Look, wrap
from petri_cli.render.page import Page
from petri_cli.render.words import many
from petri_cli.soundness.result import Result, Verdict

INDENT = "  "


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write each file's block as soon as it is judged; assumptions and the summary line come last."""
    tally = Tally()
    for a in analyses:
        block = _block(a, page)
        if block and tally.blocks and (len(block) > 1 or tally.long):
            page.line()
        tally.add(a, len(block))
        page.lines(block)
    _close(tally, page)


@dataclass(slots=True)
class Tally:
    """What has been reported so far."""

    files: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    assumptions: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    blocks: int = 0
    long: bool = False
    """Whether the last block had more than one line."""

    def add(self, a: Analysis, lines: int) -> None:
        self.files += 1
        name = a.result.verdict.value.lower() if a.result is not None else "not judged"
        self.verdicts[name] = self.verdicts.get(name, 0) + 1
        if a.result is not None and a.result.assumptions:
            self.assumptions.setdefault(a.result.assumptions, []).append(a.file)
        if lines:
            self.blocks += 1
            self.long = lines > 1

    def summary(self) -> Line:
        """``5 files: 3 sound, 1 unsound, 1 not judged``."""
        styles = {"sound": "good", "unsound": "bad", "unknown": "doubt", "not judged": "bad"}
        line: Line = [("strong", many(self.files, "file")), ("", ":")]
        for name in [n for n in styles if n in self.verdicts]:
            line += [("", " " if line[-1][1] == ":" else ", "), (styles[name], f"{self.verdicts[name]} {name}")]
        return line


def _close(tally: Tally, page: Page) -> None:
    if page.quiet:
        return
    several = len(tally.assumptions) > 1
    for assumed, files in tally.assumptions.items():
        whose = f" ({files[0]}{f' and {len(files) - 1} more' if len(files) > 1 else ''})" if several else ""
        if tally.files > 1 and files is next(iter(tally.assumptions.values())):
            page.line()
        page.lines(wrap([("dim", f"SOUND{whose} assumes: {'; '.join(assumed)}.")], page.look.width, "", INDENT))
    if tally.files > 1:
        page.line(tally.summary())


def _block(a: Analysis, page: Page) -> list[Line]:
    lines = a.text.splitlines()
    if a.result is None:
        from petri_cli.render.problems import draw_problems

        head: Line = [("bad", "✗ INVALID"), ("", "  "), ("strong", a.file), ("dim", f"  {many(len(a.problems), 'problem')}")]
        return [head, *draw_problems(a.problems, lines, page.look)]
    block = _verdict(a, a.result, page)
    if a.result.warnings and not page.quiet:
        from petri_cli.render.problems import draw_problems

        block += draw_problems(a.result.warnings, lines, page.look)
    return block


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
    head: Line = [("good", f"✓{KEEP}SOUND{KEEP} "), ("strong", a.file), ("", f"{KEEP} by {r.evidence}")]
    block = wrap(head, page.look.width, "", " " * 9)
    for text in r.detail:
        block += wrap([("dim", text)], page.look.width, " " * 9)
    if page.verbose:
        block += conditions(r, page.look) + stats(r, page.look)
    return block


def _unknown(a: Analysis, r: Result, page: Page) -> list[Line]:
    head: Line = [("doubt", f"?{KEEP}UNKNOWN{KEEP} "), ("strong", a.file)]
    if r.evidence:
        head.append(("", f"{KEEP} {r.evidence}"))
    block = wrap(head, page.look.width, "", " " * 11)
    block += wrap([("", r.message)], page.look.width, INDENT)
    for text in r.detail:
        block += wrap([("dim", text)], page.look.width, INDENT)
    block += wrap([("", "→ allow more: --max-states N, --timeout SECONDS")], page.look.width, INDENT, INDENT * 2)
    if page.verbose:
        block += conditions(r, page.look) + stats(r, page.look)
    return block


def conditions(r: Result, look: Look) -> list[Line]:
    """The conditions and properties that were asked, one a line."""
    marks = {True: ("good", "✓"), False: ("bad", "✗"), None: ("doubt", "?")}
    lines: list[Line] = []
    for c in r.conditions:
        text: Line = [marks[c.holds], ("", f" {c.name}"), ("dim", f"{KEEP} {c.detail}" if c.detail else "")]
        lines += wrap(text, look.width, INDENT, INDENT * 3)
    return lines


def stats(r: Result, look: Look) -> list[Line]:
    """The figures of the analysis, on one line."""
    if not r.stats:
        return []
    figures = ", ".join(f"{k} {v:,.3f}" if isinstance(v, float) else f"{k} {v:,}" for k, v in r.stats.items())
    return wrap([("dim", figures)], look.width, INDENT, INDENT * 2)
