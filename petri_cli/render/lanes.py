"""The run to a deadlock, drawn like a commit graph: a column a branch, a row a step, a cross where a branch is stuck.

Only branches that end up waiting get a column. What happens before they part is the trunk; steps of other branches,
and long stretches that take nothing that is still held, are told in one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.render.circle import Group, grouped
from petri_cli.render.look import LANE_STYLES, Line, Look, wrap
from petri_cli.render.words import Deed, Words, amount, listed, many, together
from petri_cli.soundness.result import Counterexample, Wait

MAX_LANES = 8
"""More branches than this are counted, not drawn."""

MAX_ROWS = 14
"""Longer runs are told in part, unless everything is asked for."""

_CELL = 3


@dataclass(frozen=True, slots=True)
class Column:
    """A drawn branch: its name, style, the numbers of its steps, and what it waits for in the end."""

    name: str
    style: str
    steps: frozenset[int]
    waits: tuple[Wait, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One or more consecutive steps told together. ``column`` None: not in a drawn branch."""

    first: int
    last: int
    column: int | None
    text: Line
    kind: str = ""
    """``fork``, ``trunk``, ``branch``, ``elsewhere`` or ``stretch``."""

    @property
    def number(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first}–{self.last}"


def columns_of(cx: Counterexample) -> tuple[Column, ...]:
    """The branches that wait in the end, in the order of ``cx.waits``."""
    found: dict[str, tuple[frozenset[int], list[Wait]]] = {}
    for wait in cx.waits:
        lane = next((x for x in cx.lanes if x.name == wait.who), None)
        if lane is None:
            taken = {h.step for h in wait.holds}
            lane = next((x for x in cx.lanes if taken & {n for n, _ in x.steps}), None)
        name = wait.who if lane is None else lane.name
        steps = frozenset[int]() if lane is None else frozenset(n for n, _ in lane.steps)
        found.setdefault(name, (steps, []))[1].append(wait)
    return tuple(
        Column(name, LANE_STYLES[k % len(LANE_STYLES)], steps, tuple(waits))
        for k, (name, (steps, waits)) in enumerate(found.items())
    )


def styles_of(cx: Counterexample) -> dict[str, str]:
    """Participant → the style that it has everywhere."""
    return {w.who: c.style for c in columns_of(cx) for w in c.waits}


def draw_lanes(cx: Counterexample, words: Words, look: Look, *, whole: bool = False, indent: int = 4) -> list[Line]:
    """The run and where each branch of it is stuck. ``whole``: leave no step out."""
    every = columns_of(cx)
    shown = every[:MAX_LANES]
    rows = _rows(cx, words, shown, whole=whole)
    graph = _Graph(len(shown), max((len(row.number) for row in rows), default=0), indent, look)
    for row in rows:
        graph.step(row, shown)
    at = {w.who: k for k, column in enumerate(shown) for w in column.waits}
    for group in grouped([w for column in shown for w in column.waits]):
        graph.stuck({at[w.who] for w in group.waits}, _waiting(group, shown[at[group.waits[0].who]].style))
    if len(every) > MAX_LANES:
        more = [w.who for c in every[MAX_LANES:] for w in c.waits]
        graph.remark([("dim", f"{together(more)} {'waits' if len(more) == 1 else 'wait'} as well")])
    return graph.lines


def _waiting(group: Group, style: str) -> Line:
    wait, one = group.waits[0], len(group.waits) == 1
    free = f" ({wait.free} free)" if wait.free else ""
    line: Line = [(style if one else "strong", group.name), ("", f" {'waits' if one else 'each wait'} for ")]
    line += [("strong", amount(wait.resource, wait.needs)), ("", free)]
    holders = list(dict.fromkeys(h for w in group.waits for h in w.holders))
    others = [h for h in holders if not group.has(h)]
    if others:
        line.append(
            (
                "",
                f", held by {together(others)}" + (" and themselves" if not one and len(others) < len(holders) else ""),
            )
        )
    elif holders:
        line.append(("", ", which it holds itself" if one else ", held by one another"))
    return line


def _rows(cx: Counterexample, words: Words, shown: Sequence[Column], *, whole: bool) -> list[Row]:
    owner = {n: k for k, c in enumerate(shown) for n in c.steps}
    deeds = {n: words.deed(step.transition) for n, step in enumerate(cx.run, 1)}
    keep = {h.step for w in cx.waits for h in w.holds}
    fork = _fork(deeds, owner)
    if fork:
        keep.add(fork)
    rows: list[Row] = []
    for n, deed in deeds.items():
        k = owner.get(n)
        trunk = k is None and (not owner or n < min(owner))
        kind = "fork" if n == fork else "trunk" if trunk else "branch" if k is not None else "elsewhere"
        rows.append(Row(n, n, k, _told(deed, shown[k] if k is not None else None), kind))
    if whole:
        return rows
    crowded = len(rows) > MAX_ROWS
    return _merged(rows, {n for n, deed in deeds.items() if n not in keep and (crowded or owner.get(n) is None)}, deeds)


def _fork(deeds: dict[int, Deed], owner: dict[int, int]) -> int:
    """The step at which the drawn branches part: the last split before any of them moves; 0 when there is none."""
    if len(set(owner.values())) < 2:
        return 0
    return max((n for n, d in deeds.items() if d.kind == "split" and n < min(owner)), default=0)


def _told(deed: Deed, column: Column | None) -> Line:
    if column is not None and deed.kind in ("take", "give"):
        verb, _, what = deed.text.partition(" ")
        return [(column.style, column.name), ("", f" {verb} "), ("strong", what)]
    return [("dim" if deed.kind in ("control", "split") else "", deed.text)]


def _merged(rows: list[Row], dull: set[int], deeds: dict[int, Deed]) -> list[Row]:
    """``rows`` with stretches of two and more steps in ``dull`` told as one."""
    merged: list[Row] = []
    stretch: list[Row] = []
    for row in [*rows, None]:
        if row is not None and row.first in dull and (not stretch or stretch[0].kind == row.kind):
            stretch.append(row)
            continue
        merged += _as_one(stretch, deeds) if len(stretch) > 1 else stretch
        stretch = []
        if row is not None and row.first in dull:
            stretch = [row]
        elif row is not None:
            merged.append(row)
    return merged


def _as_one(stretch: list[Row], deeds: dict[int, Deed]) -> list[Row]:
    done = [deeds[r.first].text for r in stretch if deeds[r.first].kind == "task"]
    names = [text.removesuffix(" is done") for text in done]
    place = "elsewhere: " if stretch[0].kind == "elsewhere" else ""
    text = f"{place}{many(len(stretch), 'step')}" + (f", {listed(names, limit=4)} done" if names else "")
    same = {r.column for r in stretch}
    return [Row(stretch[0].first, stretch[-1].last, same.pop() if len(same) == 1 else None, [("dim", text)], "stretch")]


class _Graph:
    """The rows drawn so far, and which columns still run."""

    def __init__(self, lanes: int, digits: int, indent: int, look: Look) -> None:
        self.lanes, self.indent, self.look = max(lanes, 1), indent, look
        self.digits = digits
        self.forked = lanes > 1
        self.started = not self.forked
        self.stopped: set[int] = set()
        self.lines: list[Line] = []

    def step(self, row: Row, shown: Sequence[Column]) -> None:
        if row.kind == "fork":
            self.started = True
            cells: Line = [("dim", "├──" + "┬──" * (self.lanes - 2) + "╮")]
        elif row.column is not None and row.kind != "stretch":
            self.started = True
            cells = self.cells({row.column: (shown[row.column].style, "●")}, shown)
        elif row.kind == "trunk" or not self.started:
            cells = [("", "●")]
        else:
            cells = self.cells({k: ("dim", "┊") for k in range(self.lanes) if row.column in (k, None)}, shown)
        self.add(row.number, cells, row.text)

    def stuck(self, lanes: set[int], text: Line) -> None:
        self.stopped |= lanes
        cells: Line = []
        for i in range(self.lanes):
            cells.append(("bad", "✗") if i in lanes else ("dim", " " if i in self.stopped else "│"))
            cells.append(("", " " * (_CELL - 1)))
        self.add("", cells, text)

    def remark(self, text: Line) -> None:
        self.add("", [], text)

    def cells(self, special: dict[int, tuple[str, str]], shown: Sequence[Column]) -> Line:
        line: Line = []
        for k in range(self.lanes):
            style = shown[k].style if k < len(shown) else ""
            line.append(special.get(k, (style, "│")))
            line.append(("", " " * (_CELL - 1)))
        return line

    def add(self, number: str, cells: Line, text: Line) -> None:
        used = sum(len(t) for _, t in cells)
        gutter = self.lanes * _CELL + 1
        filled: Line = [*cells, ("", " " * (gutter - used))]
        start = self.indent + self.digits + 2 + gutter
        for k, line in enumerate(wrap(text, max(24, self.look.width - start))):
            margin = ("dim", f"{' ' * self.indent}{number if not k else '':>{self.digits}}  ")
            side = filled if not k else [("", " " * gutter)]
            self.lines.append([margin, *side, *line])
