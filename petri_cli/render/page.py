"""What a report is written on: where data goes, where complaints go, how both look, and how much to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from petri_cli.errors import Problem
from petri_cli.render.look import Look, Span

PLAIN = Look()


def _nowhere(text: str) -> None:
    """Complaints that nobody wants."""


def one_line(p: Problem) -> str:
    """``file:line:column CODE message (hint)``; a warning says that it is one."""
    return str(p) if p.severity == "error" else str(p).replace(p.code, f"{p.code} warning:", 1)


@dataclass(frozen=True, slots=True)
class Page:
    """``write`` takes data; ``complain`` takes what is wrong with the input. ``verbosity`` is −1 (quiet), 0 or 1."""

    write: Callable[[str], None]
    look: Look = PLAIN
    verbosity: int = 0
    complain: Callable[[str], None] = _nowhere
    error_look: Look = PLAIN
    apart: bool = False
    """The data goes into a file: whoever sits at the terminal does not see it."""

    @property
    def quiet(self) -> bool:
        return self.verbosity < 0

    @property
    def verbose(self) -> bool:
        return self.verbosity > 0

    def line(self, line: Iterable[Span] = ()) -> None:
        """Write a line of data."""
        self.write(self.look.paint(line) + "\n")

    def lines(self, lines: Iterable[Iterable[Span]]) -> None:
        """Write lines of data."""
        for line in lines:
            self.line(line)

    def error_lines(self, lines: Iterable[Iterable[Span]]) -> None:
        """Write lines of complaint."""
        for line in lines:
            self.complain(self.error_look.paint(line) + "\n")

    def errors(self, problems: Iterable[Problem]) -> None:
        """Write one line a problem."""
        self.error_lines([("", one_line(p))] for p in problems)
