"""The public functions: load, analyze, export. The command line is a thin client of these."""

from __future__ import annotations

from dataclasses import dataclass
from petri_cli.errors import Problem
from petri_cli.soundness.result import Result

@dataclass(frozen=True, slots=True)
class Analysis:
    file: str
    kind: str = ""
    result: Result | None = None
    problems: tuple[Problem, ...] = ()
    text: str = ""
