"""Who worked when: a row a task, a bar from its start to its end, on one scale."""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.driver.simulate import TaskRun
from petri_cli.plan.lower import suffix
from petri_cli.render.look import LANE_STYLES, Line, Look, columns, crop, pad
from petri_cli.render.run_lines import seconds

MAX_ROWS = 30
_INDENT = "  "


def draw_gantt(tasks: Sequence[TaskRun], total: float, look: Look) -> list[Line]:
    """The rows in the order in which the tasks began; the colour goes with the task."""
    if not tasks:
        return []
    rows = sorted(tasks, key=lambda t: (t.began, t.ended))
    shown = rows[:MAX_ROWS]
    names = [t.task + suffix(t.items) for t in shown]
    widest = min(28, max(columns(n) for n in names))
    room = max(10, look.width - len(_INDENT) - widest - 2 - 12)
    scale = room / total if total else 0.0
    styles = {task: LANE_STYLES[k % len(LANE_STYLES)] for k, task in enumerate(dict.fromkeys(t.task for t in rows))}
    lines: list[Line] = []
    for name, t in zip(names, shown, strict=True):
        start = min(room - 1, int(t.began * scale))
        end = max(start + 1, min(room, round(t.ended * scale)))
        line = pad([("", f"{_INDENT}{crop(name, widest)}")], len(_INDENT) + widest + 2)
        bar: Line = [("dim", "·" * start), (styles[t.task], "─" * (end - start)), ("dim", "·" * (room - end))]
        lines.append([*line, *bar, ("dim", f"  {seconds(t.ended - t.began)}")])
    if len(rows) > MAX_ROWS:
        lines.append([("dim", f"{_INDENT}… {len(rows) - MAX_ROWS:,} more …")])
    return lines
