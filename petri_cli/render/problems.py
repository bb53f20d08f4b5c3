"""What is wrong with an input, told with the line it is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from petri_cli.errors import Problem
from petri_cli.render.excerpt import Mark, excerpt
from petri_cli.render.look import Line, Look, wrap


def draw_problem(problem: Problem, lines: Sequence[str], look: Look, indent: int = 2) -> list[Line]:
    """Position, code and message; the source line with a caret; what to do."""
    blank = " " * indent
    warning = problem.severity == "warning"
    style = "doubt" if warning else "bad"
    head: Line = [("strong", f"{problem.where} ")] if str(problem.where) else []
    head += [(style, problem.code), ("", f" {'warning: ' if warning else ''}{problem.message}")]
    drawn = wrap(head, look.prose, blank, blank + "  ")
    marks = [Mark(problem.where, [], "doubt" if warning else "stop")]
    marks += [Mark(r, [("dim", "see here")], "dim") for r in problem.related]
    drawn += excerpt(lines, marks, look, indent + 2)
    if problem.hint:
        drawn += wrap([("", f"→ {problem.hint}")], look.prose, blank + "  ", blank + "    ")
    return drawn


def draw_problems(problems: Iterable[Problem], lines: Sequence[str], look: Look) -> list[Line]:
    """All ``problems``, in the order given."""
    return [line for p in problems for line in draw_problem(p, lines, look)]
