"""The variants that fit least, each as it is aligned: what the model lacks of it, and what it lacks of the model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from petri_cli.mining.alignments import Aligned, Kind, Move
from petri_cli.render.look import KEEP, Line, Look, Span, wrap
from petri_cli.render.mining import DEEPER, INDENT, rounded
from petri_cli.render.names import short

MAX_TRACES = 5
LONGEST = 4
"""Steps in a row that fit; of more, the first and the last are shown."""
_SIGNS = {Kind.LOG: ("bad", "+"), Kind.MODEL: ("doubt", "-"), Kind.SYNC: ("", "")}
"""Kind of a move → style and mark of its activity."""


def least_fitting(aligned: Aligned) -> list[int]:
    """Variants that cost something, the least fitness first; of equal ones the most frequent, then by names."""
    log = aligned.log
    found = [k for k, low in enumerate(aligned.lower) if low]
    return sorted(found, key=lambda k: (aligned.fitness_of(k)[0], -log.counts[k], log.named(log.variants[k])))


def draw_traces(aligned: Aligned, look: Look, *, everything: bool = False) -> list[Line]:
    """The variants that fit least, with their fitness, cost and cases."""
    order = least_fitting(aligned)
    if not order:
        return []
    head = f"{'fitness':>8}{'cost':>7}{'cases':>9}  "
    lines: list[Line] = [
        [],
        [("", INDENT), ("strong", "The variants that fit least")],
        [("dim", f"{DEEPER}{head}"), ("bad", "+extra"), ("", "  "), ("doubt", "-skipped")],
    ]
    shown = order if everything else order[:MAX_TRACES]
    for k in shown:
        low, high = aligned.fitness_of(k)
        least, most = aligned.lower[k], aligned.upper[k]
        fitness = rounded(low, 4) if low == high else "·"
        cost = f"{least:,}" if least == most else f"{least:,}+"
        row = f"{fitness:>8}{cost:>7}{aligned.log.counts[k]:>9,}{KEEP}".replace(" ", KEEP)
        lines += wrap([("", row), ("", " "), *_steps(aligned.moves(k))], look.prose, DEEPER, DEEPER * 3)
    if len(order) > len(shown):
        lines.append([("dim", f"{DEEPER}and {len(order) - len(shown):,} more (--all)")])
    return lines


def _steps(moves: Sequence[Move] | None) -> list[Span]:
    """The visible moves; equal ones in a row are one, and of many that fit the first and the last are shown."""
    if moves is None:
        return [("dim", "not aligned in time")]
    told: list[tuple[Kind, str, int]] = []
    for (kind, name), same in groupby((m.kind, m.activity or "") for m in moves if m.kind is not Kind.SILENT):
        told.append((kind, name, len(list(same))))
    parts: list[Span] = []
    for kind, group in groupby(told, key=lambda step: step[0]):
        style, mark = _SIGNS[kind]
        words = [f"{mark}{short(name)}" + (f" ×{n}" if n > 1 else "") for _, name, n in group]
        if kind is Kind.SYNC and len(words) > LONGEST:
            words = [words[0], "…", words[-1]]
        for word in words:
            parts += [("dim", "→ ")] if parts else []
            parts += [(style, word.replace(" ", KEEP)), ("", " ")]
    return parts
