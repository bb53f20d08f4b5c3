"""The wait-for cycle: who holds what that who wants, drawn as the circle that it is.

With counted units a wait ends as soon as any holder gives back, so a circle of two names may be half the truth.
Participants that hold and want the same are therefore drawn as one group, and whoever else holds a resource of the
circle is named below it (all of them wait, or there would be no deadlock).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.render.look import KEEP, Line, Look, crop, length, pad, wrap
from petri_cli.render.phrase import together
from petri_cli.soundness.result import Wait

MAX_ROWS = 6

_START: Line = [("stop", "╭→ ")]
_GOES_ON: Line = [("stop", "│  ")]
_END: Line = [("stop", "─╮")]
_HANGING = "  "


@dataclass(frozen=True, slots=True)
class Group:
    """Participants that hold the same resources and want the same one."""

    waits: tuple[Wait, ...]

    @property
    def wants(self) -> str:
        return self.waits[0].resource

    @property
    def name(self) -> str:
        return together([w.who for w in self.waits])

    def has(self, who: str) -> bool:
        return any(w.who == who for w in self.waits)

    def share(self, resource: str) -> bool:
        """Whether it is the same units that they hold: taken in one step, by a guard around all of them."""
        taken = {(h.guard, h.step) for w in self.waits for h in w.holds if h.resource == resource}
        return len(self.waits) > 1 and len(taken) == 1

    def waits_for(self, other: Group) -> bool:
        """Whether ``other`` holds what this group wants."""
        return any(other.has(holder) for w in self.waits for holder in w.holders)


def circle(waits: Sequence[Wait]) -> tuple[Group, ...]:
    """The shortest circle of groups, each holding what the next one wants; empty when there is none."""
    groups = grouped(waits)
    best: tuple[Group, ...] = ()
    for first in groups:
        found = _shortest_way_round(first, groups)
        if found and (not best or len(found) < len(best)):
            best = found
    return best


def grouped(waits: Sequence[Wait]) -> list[Group]:
    """``waits`` by what is held and what is wanted, in the order of the first of each."""
    by_kind: dict[tuple[frozenset[str], str], list[Wait]] = {}
    for w in waits:
        by_kind.setdefault((frozenset(h.resource for h in w.holds), w.resource), []).append(w)
    return [Group(tuple(same)) for same in by_kind.values()]


def _shortest_way_round(first: Group, groups: Sequence[Group]) -> tuple[Group, ...]:
    """Breadth first from ``first`` over «holds what … wants» back to ``first``."""
    queue: deque[tuple[Group, ...]] = deque([(first,)])
    seen: set[int] = set()
    while queue:
        way = queue.popleft()
        for k, after in enumerate(groups):
            if not after.waits_for(way[-1]):
                continue
            if after is first:
                return way
            if k not in seen:
                seen.add(k)
                queue.append((*way, after))
    return ()


def draw_circle(waits: Sequence[Wait], styles: dict[str, str], look: Look, indent: int = 4) -> list[Line]:
    """The circle in the first form that fits: on one line, one line a participant, or broken before each arrow.

    styles: participant → style.
    """
    groups = circle(waits)
    if not groups:
        return []
    room = look.width - indent
    for form in (_on_one_line, _one_row_each):
        lines = form(groups, styles)
        if max(map(length, lines)) <= room:
            break
    else:
        lines = _broken(groups, styles, room)
    lines += [line for text in _bystanders(groups, waits) for line in wrap(text, room, "", "  ")]
    return [[("", " " * indent), *line] for line in lines]


def _name(group: Group, styles: dict[str, str]) -> Line:
    return [(styles.get(group.waits[0].who, "strong") if len(group.waits) == 1 else "strong", group.name)]


def _holds(group: Group, resource: str) -> Line:
    verb = "holds" if len(group.waits) == 1 else "together hold" if group.share(resource) else "hold"
    return [("", f" ─{verb}→ "), ("strong", resource)]


def _on_one_line(groups: Sequence[Group], styles: dict[str, str]) -> list[Line]:
    line: Line = [*_START]
    for k, group in enumerate(groups):
        after = groups[(k + 1) % len(groups)]
        line += [*_name(group, styles), *_holds(group, after.wants), ("", " ─wanted by")]
        if after is not groups[0]:
            line.append(("", "→ "))
    return _closed([line])


def _one_row_each(groups: Sequence[Group], styles: dict[str, str]) -> list[Line]:
    rows: list[tuple[Line, Line, Line]] = []
    for k, group in enumerate(groups):
        after = groups[(k + 1) % len(groups)]
        rows.append((_name(group, styles), _holds(group, after.wants), [("", " ─wanted by→ "), *_name(after, styles)]))
    left = [max(length(row[i]) for row in rows) for i in (0, 1)]
    lines = [[*pad(a, left[0]), *pad(b, left[1]), *c] for a, b, c in rows]
    if len(lines) > MAX_ROWS:
        lines[MAX_ROWS - 2 : -1] = [[("dim", f"… {len(lines) - MAX_ROWS + 1} more …")]]
    bars: list[Line] = [[*(_GOES_ON if k else _START), *line] for k, line in enumerate(lines)]
    bars[-1] = [*bars[-1], ("stop", " ")]
    return _closed(bars)


def _broken(groups: Sequence[Group], styles: dict[str, str], room: int) -> list[Line]:
    """The one line, broken before an arrow; a part that is too long by itself also after one."""
    room -= length(_START)
    parts: list[list[Line]] = []
    for k, group in enumerate(groups):
        after = groups[(k + 1) % len(groups)]
        parts.append([[("", "─wanted by→ "), *_name(group, styles)] if k else _name(group, styles)])
        parts[-1].append([("", _holds(group, after.wants)[0][1].lstrip()), ("strong", after.wants)])
    if len(parts) > MAX_ROWS:
        parts[MAX_ROWS - 2 : -1] = [[[("dim", f"… {len(parts) - MAX_ROWS + 1} more …")]]]
    line: Line = []
    for part in [*(part for both in parts for part in both), [("", f"─wanted by{KEEP * length(_END)}")]]:
        line += [*_kept(part, room - len(_HANGING)), ("", " ")]
    lines = wrap(line, room, "", _HANGING)
    lines[-1][-1] = ("", lines[-1][-1][1].rstrip(KEEP))
    return _closed([[*(_GOES_ON if k else _START), *line] for k, line in enumerate(lines)])


def _kept(part: Line, room: int) -> Line:
    """``part`` so that it is broken nowhere where it fits into ``room`` columns, else only between its words."""
    if length(part) <= room:
        return [(style, text.replace(" ", KEEP)) for style, text in part]
    kept: Line = []
    for style, text in part:
        arrow = text.startswith("─")
        kept.append((style, f"{text.strip().replace(' ', KEEP)} " if arrow else _cropped(text, room)))
    return kept


def _cropped(names: str, room: int) -> str:
    return " ".join(crop(name, room) for name in names.split(" "))


def _closed(lines: list[Line]) -> list[Line]:
    """``lines`` with the way back from the end of the last one to the arrow of the first."""
    last = [*lines[-1], *_END]
    back: Line = [("stop", "╰" + "─" * (length(last) - 2) + "╯")]
    return [*lines[:-1], last, back]


def _bystanders(groups: Sequence[Group], waits: Sequence[Wait]) -> list[Line]:
    """Who else holds a resource of the circle: one line a resource."""
    inside = {w.who for g in groups for w in g.waits}
    wants = {w.who: w.resource for w in waits}
    lines: list[Line] = []
    for resource in dict.fromkeys(g.wants for g in groups):
        others = [h for w in waits if w.resource == resource for h in w.holders if h not in inside]
        for who in dict.fromkeys(others):
            waiting = f", and wants {wants[who]}" if who in wants else ""
            lines.append([("dim", f"{who} holds {resource} too{waiting}")])
    return lines
