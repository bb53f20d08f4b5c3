"""Why work did not pass, in as few words as it takes: what is alike is told once, of a traceback what it comes to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from petri_cli.render.phrase import listed

MOST = 5
"""Items that are named; what is more is counted."""
_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'^\s*File "([^"]*)", line (\d+)', re.MULTILINE)
_ITEM = re.compile(r" \(item ([0-9.]+)\)")


def brief(reason: str) -> str:
    """``reason``; where it is a traceback of Python, the error and where it was raised."""
    before, found, trace = reason.partition(_TRACEBACK)
    frames = _FRAME.findall(trace)
    said = [line for line in trace.splitlines() if line.strip() and not line[0].isspace()]
    if not (found and frames and said):
        return reason
    file, line = frames[-1]
    return f"{before}{said[-1].strip()} ({file.rpartition('/')[2]}, line {line})"


def alike(sentences: Iterable[str]) -> list[str]:
    """The sentences, each brief; those that differ only in the item are one: ``task build (items 1, 2 and 3) …``."""
    items: dict[tuple[str, str], list[str]] = {}
    for sentence in map(brief, sentences):
        found = _ITEM.search(sentence)
        if found is None:
            items.setdefault((sentence, ""), [])
        else:
            items.setdefault((sentence[: found.start()], sentence[found.end() :]), []).append(found[1])
    return [_joined(head, tail, names) for (head, tail), names in items.items()]


def _joined(head: str, tail: str, items: list[str]) -> str:
    if not items:
        return head
    of = "item" if len(items) == 1 else "items"
    return f"{head} ({of} {listed(sorted(items, key=by_number), limit=MOST)}){tail}"


def by_number(name: str) -> list[int]:
    """Items in their order: the second before the tenth."""
    return [int(n) for n in re.findall(r"\d+", name)]
