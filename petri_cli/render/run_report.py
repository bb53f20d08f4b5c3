"""How a run ended: one line, then why, and where the tokens are when it did not come to its end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from petri_cli.driver.report import Failure, RunReport
from petri_cli.engine.events import token_to_json
from petri_cli.engine.json_lines import held
from petri_cli.plan.lower import suffix
from petri_cli.render.circle import draw_circle
from petri_cli.render.json_report import wait_data
from petri_cli.render.look import KEEP, LANE_STYLES, Line, Look, wrap
from petri_cli.render.phrase import many
from petri_cli.render.run_lines import seconds

SCHEMA = "petri.run/1"
INDENT = "  "
DEEPER = "    "
MAX_FAILURES = 10
GOOD = ("completed", "quiescent")

_WORDS: Mapping[str, str] = {
    "completed": "completed",
    "quiescent": "at rest",
    "deadlocked": "deadlocked",
    "failed": "failed",
    "closed": "interrupted; what ran has ended",
    "cancelled": "interrupted; what ran was ended",
}


def draw_end(r: RunReport, look: Look) -> list[Line]:
    """The end of a run, for a person."""
    good = r.outcome in GOOD
    head: Line = [("good", f"✓{KEEP}") if good else ("bad", f"✗{KEEP}")]
    head += [("good" if good else "bad", word_of(r)), ("", f"{KEEP} "), ("strong", r.file), ("dim", _figures(r))]
    lines = wrap(head, look.prose, "", INDENT)
    lines += _failures(r.failures, look)
    if r.standstill is not None:
        names = dict.fromkeys(w.who for w in r.standstill.waits)
        styles = {who: LANE_STYLES[k % len(LANE_STYLES)] for k, who in enumerate(names)}
        lines += wrap([("strong", r.standstill.sentence)], look.prose, INDENT)
        circle = draw_circle(r.standstill.waits, styles, look)
        lines += [[], [("", INDENT), ("strong", "Who waits for whom")], *circle] if circle else []
    if r.outcome != "completed":
        lines += [[], [("", INDENT), ("strong", "Where the tokens are")], *_marking(r, look)]
    return lines


def _failures(failures: Sequence[Failure], look: Look) -> list[Line]:
    """A line for each failure that is unlike the others, in the order in which they first happened."""
    lines: list[Line] = []
    for f, n in islice(Counter(failures).items(), MAX_FAILURES):
        often = f" {n:,} times" if n > 1 else ""
        told: Line = [("strong", f.transition), ("", f" failed{often}: {f.error}: {f.message}")]
        lines += wrap(told, look.prose, INDENT, DEEPER)
    more = len(set(failures)) - MAX_FAILURES
    return [*lines, [("dim", f"{INDENT}and {more:,} more failures")]] if more > 0 else lines


def word_of(r: RunReport) -> str:
    stopped = r.outcome == "closed" and r.simulated
    return "stopped; it would go on (--max-firings)" if stopped else _WORDS[r.outcome]


def _figures(r: RunReport) -> str:
    """`` in 3s of simulated time: 4 tasks (seed 0)``."""
    time = f"{seconds(r.seconds)} of simulated time" if r.simulated else seconds(r.seconds)
    what = many(len(r.tasks), "task") if r.kind == "plan" else many(r.result.firings, "firing")
    seed = f" (seed {r.seed})" if r.simulated else ""
    return f"{KEEP} in {time}, {what}{seed}"


def _marking(r: RunReport, look: Look) -> list[Line]:
    tokens = [f"{place}:{KEEP}{n}" for place, n in sorted(r.result.counts.items())]
    return wrap([("", ", ".join(tokens) or "no token is left anywhere")], look.width, DEEPER)


def run_data(r: RunReport) -> dict[str, Any]:
    """The report for machines."""
    stuck = r.standstill
    return {
        "schema": SCHEMA,
        "file": r.file,
        "kind": r.kind,
        "simulated": r.simulated,
        "seed": r.seed,
        "outcome": r.outcome,
        "seconds": r.seconds,
        "firings": r.result.firings,
        "failures": [f._asdict() for f in r.failures],
        "sentence": None if stuck is None else stuck.sentence,
        "waits": [] if stuck is None else [wait_data(w) for w in stuck.waits],
        "marking": {p: [token_to_json(held(t)) for t in tokens] for p, tokens in sorted(r.result.marking.items())},
        "tasks": [{"task": t.task, "item": suffix(t.items), "began": t.began, "ended": t.ended} for t in r.tasks],
    }


def run_json(r: RunReport) -> str:
    """:func:`run_data` as text."""
    return json.dumps(run_data(r), indent=2, ensure_ascii=False, allow_nan=False, default=repr) + "\n"
