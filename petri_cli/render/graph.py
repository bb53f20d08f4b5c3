"""Rows beside a commit-like graph: columns that are born at a fork, move, pause, and end in a cross."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from petri_cli.render.look import Line, Look, Span, wrap

_GAP = "  "
_CELL = 3
_NARROWEST_TEXT = 24


class Graph:
    """Lines drawn so far. A column is blank before it is born and after it has stopped."""

    def __init__(self, styles: Sequence[str], digits: int, indent: int, look: Look) -> None:
        self.styles = styles or [""]
        self.digits, self.indent, self.look = digits, indent, look
        self.alive: set[int] = set()
        self.lines: list[Line] = []

    def begin(self, columns: Collection[int]) -> None:
        """These columns run from now on."""
        self.alive.update(columns)

    def move(self, number: str, column: int, text: Line) -> None:
        """A step of one column."""
        self._row(number, {column: (self._style(column), "●")}, text)

    def pause(self, number: str, columns: Collection[int], text: Line) -> None:
        """Steps that are not shown, in these columns or beside them."""
        self._row(number, {k: ("dim", "┊") for k in columns}, text)

    def fork(self, number: str, column: int, born: Collection[int], text: Line) -> None:
        """``column`` splits; those in ``born`` run beside it from now on."""
        ends = {column, *born}
        first, last = min(ends), max(ends)
        line: Line = []
        for k in range(len(self.styles)):
            if k < first or k > last:
                line += [self._running(k), ("", _GAP)]
                continue
            line.append(("dim", self._joint(k, column, ends, first, last)))
            line.append(("dim", "──") if k < last else ("", _GAP))
        self.begin(ends)
        self._add(number, line, text)

    def stop(self, columns: Collection[int], text: Line) -> None:
        """These columns are stuck for the same reason."""
        self.alive -= set(columns)
        self._row("", {k: ("bad", "✗") for k in columns}, text)

    def remark(self, text: Line) -> None:
        """A line beside the graph."""
        self._add("", [], text)

    def _joint(self, k: int, column: int, ends: set[int], first: int, last: int) -> str:
        if k == column:
            return "├" if k == first else "┤" if k == last else "┼"
        if k not in ends:
            return "│" if k in self.alive else "─"
        return "╭" if k == first else "╮" if k == last else "┬"

    def _style(self, k: int) -> str:
        return self.styles[k]

    def _running(self, k: int) -> Span:
        return (self._style(k), "│") if k in self.alive else ("", " ")

    def _row(self, number: str, special: Mapping[int, Span], text: Line) -> None:
        line: Line = []
        for k in range(len(self.styles)):
            line += [special.get(k) or self._running(k), ("", _GAP)]
        self._add(number, line, text)

    def _add(self, number: str, cells: Line, text: Line) -> None:
        gutter = len(self.styles) * _CELL + 1
        filled: Line = [*cells, ("", " " * (gutter - sum(len(t) for _, t in cells)))]
        room = self.look.width - self.indent - self.digits - len(_GAP) - gutter
        further: Line = [span for k in range(len(self.styles)) for span in (self._running(k), ("", _GAP))]
        for n, line in enumerate(wrap(text, max(_NARROWEST_TEXT, room))):
            margin = ("dim", f"{' ' * self.indent}{'' if n else number:>{self.digits}}{_GAP}")
            self.lines.append([margin, *([*further, ("", " ")] if n else filled), *line])
