"""The dotted chart of a log: time from left to right, cases from top to bottom, a dot an event.

A few cases have a row each, with their names and how long their work took; many share rows of small dots (a braille
character holds two columns of four). The colour goes with the activity. (Song and van der Aalst 2007, "Supporting
Process Mining by Showing Events at a Glance".)
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from petri_cli.mining.log import NO_TIME, Log, Times
from petri_cli.render.look import LANE_STYLES, Line, Look, columns, pad
from petri_cli.render.names import short, shown
from petri_cli.render.phrase import many
from petri_cli.render.run_lines import seconds

NAMED_ROWS = 16
"""Up to so many cases have a row each."""
FAR_APART = 4
"""Cases that all take less than this part of the time are drawn one below the other, each from its own beginning."""
ROWS = 14
MAX_EVENTS = 200_000
"""More events than this are thinned out, by whole cases."""
_INDENT = "    "
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille character, by row and column (Unicode 3.0, chapter 13)."""
_DAY = 86_400_000_000
YEAR = 31_556_952
"""Seconds of the mean year of the Gregorian calendar."""

Events = list[tuple[int, int, int]]
"""Of one case: (activity, began, ended) in ticks."""


def draw_chart(log: Log, look: Look) -> list[Line]:
    """The chart, with a line that names its colours. Without times a line that says so."""
    head: Line = [("", "  "), ("strong", "When it happened")]
    if log.times is None or not any(t != NO_TIME for t in log.times.ended):
        return [[], [*head, ("dim", "  the events of this log have no times")]]
    step = max(1, -(-log.n_events // MAX_EVENTS))
    cases = _cases(log, log.times, step)
    cases.sort(key=lambda case: (min(began for _, began, _ in case[1]), case[0]))
    low = min(began for _, events in cases for _, began, _ in events)
    high = max(ended for _, events in cases for _, _, ended in events)
    styles = _styles(log)
    if len(cases) <= NAMED_ROWS and step == 1:
        body = _named(log, cases, low, high, styles, look)
    else:
        body = _dotted(cases, low, high, styles, look)
    if step > 1:
        head.append(("dim", f"  every {step}th of {many(log.n_cases, 'case')}"))
    return [[], head, *body, *_legend(log, styles, look)]


def _cases(log: Log, times: Times, step: int) -> list[tuple[int, Events]]:
    """(case, its events that have a time), every ``step``-th case."""
    found: list[tuple[int, Events]] = []
    at = 0
    for case, variant in enumerate(log.variant_of):
        trace = log.variants[variant]
        if case % step == 0:
            events: Events = []
            for k, a in enumerate(trace, at):
                ended = times.ended[k]
                began = times.began[k] if times.began is not None else NO_TIME
                if ended != NO_TIME:
                    events.append((a, began if NO_TIME < began <= ended else ended, ended))
            if events:
                found.append((case, events))
        at += len(trace)
    return found


def _styles(log: Log) -> dict[int, str]:
    """The most frequent activities have a colour each."""
    counts = [0] * len(log.activities)
    for trace, n in log:
        for a in trace:
            counts[a] += n
    order = sorted(range(len(counts)), key=lambda a: (-counts[a], a))
    return dict(zip(order, LANE_STYLES, strict=False))


def _named(
    log: Log, cases: Sequence[tuple[int, Events]], low: int, high: int, styles: dict[int, str], look: Look
) -> list[Line]:
    widest = min(24, max(columns(shown(log.cases[case])) for case, _ in cases))
    room = max(10, look.width - len(_INDENT) - widest - 2 - 10)
    longest = max(_span(events) for _, events in cases)
    relative = longest * FAR_APART < high - low
    if relative:
        low, high = 0, longest
    scale = (room - 1) / (high - low) if high > low else 0.0
    lines: list[Line] = []
    for case, found in cases:
        shift = min(began for _, began, _ in found) if relative else 0
        events = [(a, began - shift, ended - shift) for a, began, ended in found]
        cells: list[tuple[str, str]] = [("dim", "·")] * room
        for a, began, ended in events:
            style = styles.get(a, "dim")
            for x in range(int((began - low) * scale), int((ended - low) * scale)):
                cells[x] = (style, "─")
        for a, _, ended in events:
            cells[int((ended - low) * scale)] = (styles.get(a, "dim"), "●")
        took = _span(events) / 1e6
        name = pad([("", f"{_INDENT}{short(log.cases[case], widest)}")], len(_INDENT) + widest + 2)
        lines.append([*name, *_joined(cells), ("dim", f"  {_long(took)}")])
    if relative:
        said = "each from its own beginning"
        return [*lines, [("dim", f"{' ' * (len(_INDENT) + widest + 2)}{said}")]]
    return [*lines, _axis(low, high, len(_INDENT) + widest + 2, room)]


def _span(events: Events) -> int:
    return max(ended for _, _, ended in events) - min(began for _, began, _ in events)


def _dotted(cases: Sequence[tuple[int, Events]], low: int, high: int, styles: dict[int, str], look: Look) -> list[Line]:
    room = look.width - len(_INDENT) - 2
    down, across = (4, 2) if look.signs else (1, 1)
    scale = (room * across - 1) / (high - low) if high > low else 0.0
    rows = min(ROWS, -(-len(cases) // down))
    dots: dict[tuple[int, int], int] = {}
    seen: dict[tuple[int, int], dict[int, int]] = {}
    for k, (_, events) in enumerate(cases):
        y = k * rows * down // len(cases)
        for a, _, ended in events:
            x = int((ended - low) * scale)
            cell = y // down, x // across
            dots[cell] = dots.get(cell, 0) | _BRAILLE[y % down][x % across]
            counts = seen.setdefault(cell, {})
            counts[a] = counts.get(a, 0) + 1
    lines: list[Line] = []
    for y in range(rows):
        cells: list[tuple[str, str]] = []
        for x in range(room):
            if (y, x) not in dots:
                cells.append(("", " "))
                continue
            most = min(seen[y, x].items(), key=lambda item: (-item[1], item[0]))[0]
            cells.append((styles.get(most, "dim"), chr(0x2800 + dots[y, x]) if look.signs else "."))
        lines.append([("", _INDENT), *_joined(cells)])
    return [*lines, _axis(low, high, len(_INDENT), room)]


def _joined(cells: Sequence[tuple[str, str]]) -> Line:
    line: Line = []
    for style, text in cells:
        if line and line[-1][0] == style:
            line[-1] = style, line[-1][1] + text
        else:
            line.append((style, text))
    return line


def _axis(low: int, high: int, indent: int, room: int) -> Line:
    first, last = _moment(low, high), _moment(high, low)
    if len(first) + len(last) >= room:
        first = ""
    return [("dim", f"{' ' * indent}{first}{' ' * max(1, room - len(first) - len(last))}{last}")]


def _moment(ticks: int, other: int) -> str:
    """A time in UTC: the day alone where the chart spans many."""
    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks)
    except OverflowError:
        return f"{ticks / 1e6:.0f} s"
    return at.strftime("%Y-%m-%d" if abs(ticks - other) > 10 * _DAY else "%Y-%m-%d %H:%M:%S")


def _long(took: float) -> str:
    """Seconds, or days or years where it is many."""
    if took >= 10 * YEAR:
        return f"{took / YEAR:,.0f} y"
    return f"{took / 86_400:.1f} d" if took >= 2 * 86_400 else seconds(round(took, 1))


def _legend(log: Log, styles: dict[int, str], look: Look) -> list[Line]:
    line: Line = [("", _INDENT)]
    for a, style in styles.items():
        line += [(style, "●"), ("", f" {short(log.activities[a], 20)}  ")]
    if len(log.activities) > len(styles):
        line += [("dim", "● others")]
    return [_cut(line, look.width)]


def _cut(line: Line, width: int) -> Line:
    """As many spans as fit."""
    kept: Line = []
    used = 0
    for style, text in line:
        used += columns(text)
        if used > width:
            break
        kept.append((style, text))
    return kept
