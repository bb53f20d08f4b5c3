"""What a long call is doing, on a terminal: one line that goes away again."""

from __future__ import annotations

import sys
from types import TracebackType


class Watch:
    """Says on standard error what is being done; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._shown = 0
        self._what = ""

    def doing(self, what: str) -> None:
        """The next part of the work has begun."""
        self._what = what
        self._say(f"{what} …")

    def events(self, n: int) -> None:
        """So many events were read."""
        self._say(f"{self._what} … {n:,} events")

    def clear(self) -> None:
        """Wipe the line: something else is to be written."""
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
            self._shown = 0

    def _say(self, text: str) -> None:
        if self._on:
            self.clear()
            sys.stderr.write(text)
            sys.stderr.flush()
            self._shown = len(text)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.clear()
