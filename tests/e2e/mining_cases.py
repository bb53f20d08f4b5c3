"""Small logs as a person would write them: a table with a case, an activity and a time each line."""

from __future__ import annotations

from pathlib import Path

SEQUENCE = """\
name: planned
flow:
  seq:
    - task: {id: a, run: ls}
    - task: {id: b, run: ls}
    - task: {id: c, run: ls}
"""


def table(path: Path, words: str) -> Path:
    """``abcd^3 acbd^2``: each letter an activity, each word a case (as often as is said), a minute an event."""
    lines = ["case,activity,timestamp"]
    case = 0
    for part in words.split():
        word, _, n = part.partition("^")
        for _ in range(int(n or 1)):
            case += 1
            day = f"2026-{1 + case // 28 % 12:02}-{1 + case % 28:02}"
            lines += [f"c{case},{a},{day}T08:{k:02}:00Z" for k, a in enumerate(word)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
