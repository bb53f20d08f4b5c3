"""How many files got which answer: the summary line of several files."""

from __future__ import annotations

from petri_cli.api import Analysis
from petri_cli.render.look import Line
from petri_cli.render.page import Page
from petri_cli.render.phrase import many


class Tally:
    """What has been reported so far; ``long``: whether the last block was more than a few lines."""

    def __init__(self) -> None:
        self.files = 0
        self.verdicts: dict[str, int] = {}
        self.assumptions: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        """Verdict and what it rests on → the files."""
        self.blocks = 0
        self.long = False

    def add(self, a: Analysis, lines: int) -> None:
        self.files += 1
        name = a.result.verdict.value.lower() if a.result is not None else "not judged"
        self.verdicts[name] = self.verdicts.get(name, 0) + 1
        if a.result is not None and a.result.assumptions:
            self.assumptions.setdefault((a.result.verdict.value, a.result.assumptions), []).append(a.file)
        if lines:
            self.blocks += 1
            self.long = lines > 3

    def summary(self) -> Line:
        """``5 files: 3 sound, 1 unsound, 1 not judged``."""
        styles = {"sound": "good", "unsound": "bad", "unknown": "doubt", "not judged": "bad"}
        line: Line = [("strong", many(self.files, "file")), ("", ":")]
        for name in [n for n in styles if n in self.verdicts]:
            line += [("", " " if line[-1][1] == ":" else ", "), (styles[name], f"{self.verdicts[name]} {name}")]
        return line


def say_summary(tally: Tally, page: Page) -> None:
    """The summary line beside machine-readable data: a complaint, since it is no data."""
    if tally.files > 1 and not page.quiet:
        page.error_lines([tally.summary()])
