"""What a report is written on: a stream, its look, and how much to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from petri_cli.render.look import Look, Span


@dataclass(frozen=True, slots=True)
class Page:
    """``write`` takes text; ``verbosity`` is −1 (quiet), 0 or 1 (verbose)."""

    write: Callable[[str], None]
    look: Look = Look()
    verbosity: int = 0

    @property
    def quiet(self) -> bool:
        return self.verbosity < 0

    @property
    def verbose(self) -> bool:
        return self.verbosity > 0

    def line(self, line: Iterable[Span] = ()) -> None:
        """Write one line."""
        self.write(self.look.paint(line) + "\n")

    def lines(self, lines: Iterable[Iterable[Span]]) -> None:
        """Write lines."""
        for line in lines:
            self.line(line)
