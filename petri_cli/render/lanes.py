"""The run to a deadlock, drawn like a commit graph: a column a branch, a row a step, a cross where a branch is stuck.

Only branches that end up waiting get a column, from the split that starts them. What happens before is the trunk; steps
of other branches, and in a long run the stretches that take nothing that is still held, are told in one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.net.model import PlaceOut, Transition, leaves
from petri_cli.render.circle import Group, grouped
from petri_cli.render.graph import Graph
from petri_cli.render.look import LANE_STYLES, Line, Look
from petri_cli.render.phrase import amount, are, listed, many, together
from petri_cli.render.words import Deed, Words
from petri_cli.soundness.result import Counterexample, Wait

MAX_LANES = 8
"""More branches than this are counted, not drawn."""

MAX_ROWS = 14
"""Longer runs are told in part, unless everything is asked for."""


@dataclass(frozen=True, slots=True)
class Column:
    """A drawn branch.

    born: the split that started it, 0 when it is there from the beginning; steps: the numbers of its own steps; waits:
    what it waits for in the end.
    """

    name: str
    style: str
    born: int
    steps: frozenset[int]
    waits: tuple[Wait, ...]

    @property
    def taken(self) -> set[int]:
        """The steps that took what is still held."""
        return {h.step for w in self.waits for h in w.holds}


@dataclass(frozen=True, slots=True)
class Row:
    """Consecutive steps told together. ``column`` None: of no drawn branch; ``one``: a single step that is shown."""

    first: int
    last: int
    column: int | None
    text: Line
    one: bool = True

    @property
    def number(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first}–{self.last}"


def columns_of(cx: Counterexample) -> tuple[Column, ...]:
    """The branches that wait in the end, in the order of ``cx.waits``."""
    found: dict[str, tuple[tuple[int, ...], list[Wait]]] = {}
    for wait in cx.waits:
        lane = next((x for x in cx.lanes if x.name == wait.who), None)
        if lane is None:
            taken = {h.step for h in wait.holds}
            lane = next((x for x in cx.lanes if taken & {n for n, _ in x.steps}), None)
        name = wait.who if lane is None else lane.name
        steps = () if lane is None else tuple(n for n, _ in lane.steps)
        found.setdefault(name, (steps, []))[1].append(wait)
    by_id = {t.id: t for t in cx.net.transitions}
    return tuple(
        Column(
            name, LANE_STYLES[k % len(LANE_STYLES)], _born(cx, by_id, steps, waits[0]), frozenset(steps), tuple(waits)
        )
        for k, (name, (steps, waits)) in enumerate(found.items())
    )


def _born(cx: Counterexample, by_id: dict[str, Transition], steps: tuple[int, ...], wait: Wait) -> int:
    """The step that marked the place where the branch begins: that of its first step, else the one it waits in."""
    start, entries = len(cx.run) + 1, {wait.place}
    if steps:
        start = steps[0]
        entries = {i.place for i in by_id[cx.run[start - 1].transition].inputs}
    for n in range(start - 1, 0, -1):
        produced = {x.place for x in leaves(by_id[cx.run[n - 1].transition].output) if isinstance(x, PlaceOut)}
        if {p for p in produced & entries if not p.startswith("r.")}:
            return n
    return 0


def styles_of(cx: Counterexample) -> dict[str, str]:
    """Participant → the style that it has everywhere."""
    return {w.who: c.style for c in columns_of(cx) for w in c.waits}


def draw_lanes(cx: Counterexample, words: Words, look: Look, *, whole: bool = False, indent: int = 4) -> list[Line]:
    """The run and where each branch of it is stuck. ``whole``: leave no step out."""
    every = columns_of(cx)
    shown = every[:MAX_LANES]
    rows = _rows(cx, words, shown, whole=whole)
    graph = Graph([c.style for c in shown], max((len(row.number) for row in rows), default=0), indent, look)
    graph.begin([k for k, c in enumerate(shown) if not c.born])
    for row in rows:
        _draw(graph, row, shown)
    graph.begin(range(len(shown)))
    at = {w.who: k for k, column in enumerate(shown) for w in column.waits}
    for group in grouped([w for column in shown for w in column.waits]):
        graph.stop({at[w.who] for w in group.waits}, _waiting(group, shown[at[group.waits[0].who]].style))
    if len(every) > MAX_LANES:
        more = [w.who for c in every[MAX_LANES:] for w in c.waits]
        graph.remark([("dim", f"{together(more)} {'waits' if len(more) == 1 else 'wait'} as well")])
    return graph.lines


def _draw(graph: Graph, row: Row, shown: Sequence[Column]) -> None:
    born = {k for k, c in enumerate(shown) if row.first <= c.born <= row.last}
    trunk = row.column is None and not graph.alive
    column = row.column if row.column is not None else min(born, default=0)
    beside = born - {column}
    if row.one and beside:
        graph.fork(row.number, column, born, row.text)
    elif row.one and (trunk or row.column is not None):
        graph.move(row.number, column, row.text)
    else:
        graph.pause(row.number, {column} if trunk else graph.alive if row.column is None else {row.column}, row.text)
    graph.begin(born)


def _waiting(group: Group, style: str) -> Line:
    wait, one = group.waits[0], len(group.waits) == 1
    free = f" ({wait.free} free)" if wait.free else ""
    line: Line = [(style if one else "strong", group.name), ("", f" {'waits' if one else 'each wait'} for ")]
    line += [("strong", amount(wait.resource, wait.needs)), ("", free)]
    holders = list(dict.fromkeys(h for w in group.waits for h in w.holders))
    others = [h for h in holders if not group.has(h)]
    if others:
        themselves = " and themselves" if not one and len(others) < len(holders) else ""
        line.append(("", f", held by {together(others)}{themselves}"))
    elif holders:
        line.append(("", ", which it holds itself" if one else ", held by one another"))
    return line


def _rows(cx: Counterexample, words: Words, shown: Sequence[Column], *, whole: bool) -> list[Row]:
    owner = {n: k for k, c in enumerate(shown) for n in c.steps}
    deeds = {n: words.deed(step.transition) for n, step in enumerate(cx.run, 1)}
    texts = {n: _told(n, deed, shown, owner.get(n)) for n, deed in deeds.items()}
    if cx.told:
        texts = {n: _in_its_words(n, cx.told[n - 1], deeds[n], shown, owner.get(n)) for n in deeds}
    rows = [Row(n, n, owner.get(n), text) for n, text in texts.items()]
    if whole:
        return rows
    keep = {h.step for w in cx.waits for h in w.holds} | {c.born for c in shown}
    crowded = len(rows) > MAX_ROWS
    return _merged(rows, {n for n in deeds if n not in keep and (crowded or n not in owner)}, deeds)


def _in_its_words(n: int, phrase: str, deed: Deed, shown: Sequence[Column], k: int | None) -> Line:
    """Step ``n`` as the plan tells it: «build takes runner», whichever task the branch is called by in the end."""
    who, takes, what = phrase.partition(" takes ")
    if takes and k is not None and n in shown[k].taken:
        return [(shown[k].style, who), ("", takes), ("strong", what)]
    return [("dim" if deed.kind in ("control", "split") else "", phrase)]


def _told(n: int, deed: Deed, shown: Sequence[Column], k: int | None) -> Line:
    """What step ``n`` does in a net; a branch is the subject where it took what it still holds."""
    if deed.kind in ("take", "give"):
        verb, _, what = deed.text.partition(" ")
        if k is not None and n in shown[k].taken:
            return [(shown[k].style, shown[k].name), ("", f" {verb} "), ("strong", what)]
        what = what.removeprefix("back ")
        return [("", f"{what} {are(what)} {'taken' if deed.kind == 'take' else 'given back'}")]
    return [("dim" if deed.kind in ("control", "split") else "", deed.text)]


def _merged(rows: list[Row], dull: set[int], deeds: dict[int, Deed]) -> list[Row]:
    """``rows`` with stretches of two and more steps in ``dull`` told as one."""
    merged: list[Row] = []
    stretch: list[Row] = []
    for row in rows:
        if row.first not in dull:
            merged += [*_as_one(stretch, deeds), row]
            stretch = []
        else:
            stretch.append(row)
    return merged + _as_one(stretch, deeds)


def _as_one(stretch: list[Row], deeds: dict[int, Deed]) -> list[Row]:
    if len(stretch) < 2:
        return stretch
    done = [deeds[r.first].text.removesuffix(" is done") for r in stretch if deeds[r.first].kind == "task"]
    text = many(len(stretch), "step") + (f", {listed(done, limit=4)} done" if done else "")
    columns = {r.column for r in stretch}
    column = columns.pop() if len(columns) == 1 else None
    return [Row(stretch[0].first, stretch[-1].last, column, [("dim", text)], one=False)]
