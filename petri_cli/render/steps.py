"""A run of a net that has no branches to tell apart: its transitions, and where the tokens are after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.net.firing import Step, replay
from petri_cli.net.model import Net
from petri_cli.render.look import KEEP, Line, Look, columns, crop, length, pad, wrap

MAX_ROWS = 12
"""Longer runs are listed without the tokens."""

MAX_LISTED = 40
"""Of longer runs the middle is left out, unless everything is asked for."""

_INDENT = "    "


def draw_steps(net: Net, run: Sequence[Step], look: Look, *, whole: bool = False) -> list[Line]:
    """A row a step with the tokens after it where the run is short, else the transitions in order.

    A transition is called by its name in the rows, with its id behind it.
    """
    if len(run) > MAX_ROWS:
        return list_steps(run, look, whole=whole)
    markings = replay(net, run)
    named = {t.id: f"{' '.join(t.name.split())} ({t.id})" for t in net.transitions if t.name.strip() not in ("", t.id)}
    names = ["at first", *(named.get(step.transition, step.transition) for step in run)]
    digits, widest = len(str(len(run))), min(look.width // 2 - 8, max(columns(n) for n in names))
    rows: list[Line] = []
    for n, (name, marking) in enumerate(zip(names, markings, strict=True)):
        row: Line = [("dim", f"{_INDENT}{n or '':>{digits}}  "), ("dim" if not n else "", crop(name, widest))]
        row = pad(row, len(_INDENT) + digits + 2 + widest)
        room = max(20, look.width - length(row) - 3)
        rows.append([*row, ("dim", f"   {crop(tokens(marking), room)}")])
    return rows


def list_steps(run: Sequence[Step], look: Look, *, first: int = 1, whole: bool = False) -> list[Line]:
    """The transitions in order, numbered from ``first``."""
    numbered = list(enumerate((step.transition for step in run), first))
    skipped = 0 if whole else max(0, len(numbered) - MAX_LISTED)
    head = numbered[: MAX_LISTED // 2] if skipped else numbered
    tail = numbered[MAX_LISTED // 2 + skipped :] if skipped else []
    line: Line = [span for n, name in head for span in _numbered(n, name)]
    if skipped:
        line.append(("dim", f"…{KEEP}{skipped:,}{KEEP}more{KEEP}…{KEEP} "))
    line += [span for n, name in tail for span in _numbered(n, name)]
    return wrap(line, look.width, _INDENT)


def _numbered(n: int, name: str) -> Line:
    return [("dim", f"{n}{KEEP}"), ("", f"{name.replace(' ', KEEP)}{KEEP} ")]


def tokens(marking: Mapping[str, int]) -> str:
    """``left, 2 × right``; «no token» when there is none."""
    held = [place if n == 1 else f"{n} × {place}" for place, n in sorted(marking.items()) if n]
    return ", ".join(held) or "no token"
