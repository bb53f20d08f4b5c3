"""The report for machines: ``schemas/report.schema.json`` is its contract.

Keys keep their order, lists are sorted or in document order, and nothing depends on the clock but what is under
``stats``: two runs on the same files give the same bytes there and everywhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from petri_cli.api import Analysis
from petri_cli.errors import Position, Problem
from petri_cli.render.page import Page
from petri_cli.render.tally import Tally, say_summary
from petri_cli.soundness.result import Condition, Counterexample, Held, Lane, Result, Wait
from petri_cli.version import __version__

if TYPE_CHECKING:  # a sound plan is told about without what finds fixes
    from petri_cli.soundness.fixes import Fix

SCHEMA = "petri.analysis/1"


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write one JSON document, once every file is judged; what is wrong with a file is said as a complaint as well."""
    tally = Tally()
    results = []
    for a in analyses:
        tally.add(a, 1)
        page.errors(a.problems)
        results.append(result_data(a))
    data = {"schema": SCHEMA, "version": __version__, "results": results}
    page.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    say_summary(tally, page)


def result_data(a: Analysis) -> dict[str, Any]:
    """The object of one file."""
    r = a.result
    cx = r.counterexample if r is not None else None
    return {
        "file": a.file,
        "kind": a.kind or None,
        **_verdict(r),
        "conditions": [_condition(c) for c in r.conditions] if r is not None else [],
        **_counterexample(cx),
        "smallestWidth": dict(sorted(r.smallest_width.items())) if r is not None else {},
        "smallestCapacity": dict(sorted(r.smallest_capacity.items())) if r is not None else {},
        "fixes": [fix_data(f) for f in a.fixes.found] if a.fixes is not None else [],
        "fixed": fix_data(a.fixed) if a.fixed is not None else None,
        "counts": _counts(r),
        "assumptions": list(r.assumptions) if r is not None else [],
        "detail": list(r.detail) if r is not None else [],
        "warnings": [problem_data(p) for p in a.warnings],
        "problems": [problem_data(p) for p in a.problems],
        "stats": _stats(r) if r is not None else {},
    }


def _verdict(r: Result | None) -> dict[str, Any]:
    if r is None:
        return {"verdict": None, "evidence": None, "message": None, "code": None}
    return {
        "verdict": r.verdict.value,
        "evidence": r.evidence,
        "message": r.message or None,
        "code": r.code or None,
    }


def _stats(r: Result) -> dict[str, Any]:
    figures: dict[str, Any] = dict(sorted(r.stats.items()))
    if r.tried:
        figures["tried"] = [{"prover": a.prover, "seconds": a.seconds, "outcome": a.outcome} for a in r.tried]
    return figures


def _condition(c: Condition) -> dict[str, Any]:
    data: dict[str, Any] = {"name": c.name, "holds": c.holds, "detail": c.detail}
    if c.counterexample is not None:
        run = [s.transition for s in c.counterexample.run]
        data["counterexample"] = {"sentence": c.counterexample.sentence, "run": run, **_evidence(c.counterexample)}
    return data


def _counterexample(cx: Counterexample | None) -> dict[str, Any]:
    if cx is None:
        none = dict.fromkeys(("sentence", "deadlockExample", "counterexample"))
        return {**none, "run": [], "lanes": [], "waits": []}
    return {
        "sentence": cx.sentence,
        "deadlockExample": _tokens(cx.marking) if cx.kind == "deadlock" else None,
        "counterexample": _evidence(cx),
        "run": [s.transition for s in cx.run],
        "lanes": [_lane(x) for x in cx.lanes],
        "waits": [wait_data(w) for w in cx.waits],
    }


def _evidence(cx: Counterexample) -> dict[str, Any]:
    """What is needed to replay the run and its pump: the outcome of each step (0 where there is one), and the
    marking at the end of the run."""
    return {
        "kind": cx.kind,
        "subject": cx.subject or None,
        "marking": _tokens(cx.marking),
        "outcomes": [s.outcome for s in cx.run],
        "pump": [s.transition for s in cx.pump],
        "pumpOutcomes": [s.outcome for s in cx.pump],
        "shortest": cx.shortest,
        "minimal": cx.minimal,
        "widths": dict(sorted(cx.widths.items())),
    }


def _tokens(marking: Mapping[str, int]) -> dict[str, int]:
    return {place: n for place, n in sorted(marking.items()) if n}


def _lane(lane: Lane) -> dict[str, Any]:
    return {"name": lane.name, "steps": [{"step": n, "transition": t} for n, t in lane.steps]}


def wait_data(w: Wait) -> dict[str, Any]:
    return {
        "who": w.who,
        "waitsFor": w.resource,
        "needs": w.needs,
        "free": w.free,
        "heldBy": list(w.holders),
        "guard": w.guard,
        "transition": w.transition,
        "place": w.place,
        "where": where_data(w.where),
        "holds": [_held(h) for h in w.holds],
    }


def _held(h: Held) -> dict[str, Any]:
    return {
        "resource": h.resource,
        "units": h.units,
        "guard": h.guard,
        "sinceStep": h.step,
        "where": where_data(h.where),
    }


def fix_data(fix: Fix) -> dict[str, Any]:
    """The object of one fix: its edits lead from the file that was judged to one that is sound."""
    return {
        "kind": fix.kind,
        "cost": fix.cost,
        "description": fix.description,
        "verified": True,
        "evidence": fix.evidence,
        "edits": [
            {
                "where": where_data(e.where),
                "end": {"line": e.end[0], "column": e.end[1]},
                "replacement": e.replacement,
            }
            for e in fix.edits
        ],
    }


def _counts(r: Result | None) -> dict[str, Any] | None:
    if r is None or r.counts is None:
        return None
    return {"deadlocks": r.counts.deadlocks, "doomed": r.counts.doomed, "exact": r.counts.exact}


def problem_data(p: Problem) -> dict[str, Any]:
    """The object of one problem or warning."""
    return {
        "code": p.code,
        "severity": p.severity,
        "message": p.message,
        "hint": p.hint or None,
        "where": where_data(p.where),
        "related": [where_data(r) for r in p.related],
    }


def where_data(p: Position) -> dict[str, Any]:
    """A position: lines and columns are 1-based, null where the input has none."""
    return {"file": p.file, "line": p.line or None, "column": p.column or None, "path": p.path or None}
