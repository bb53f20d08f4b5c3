"""What was mined, for programs: as in ``schemas/mining.schema.json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from petri_cli.errors import Problem
from petri_cli.mining.alignments import Move
from petri_cli.mining.diff import Difference, Finding
from petri_cli.mining.follow_times import Spread
from petri_cli.mining.guards import GuardProposal
from petri_cli.mining.log import Log
from petri_cli.mining.retries import Outcome, RetryAdvice
from petri_cli.render.mining import Fit, Found, Graph

SCHEMA = "petri.mining/1"


@dataclass(frozen=True, slots=True)
class Mined:
    """All that was asked of a log. difference: from the plan in the file ``plan``; moves: with all alignments; note:
    what its cases are, where that is not plain."""

    name: str
    log: Log
    found: Found | None
    fit: Fit | None
    graph: Graph | None = None
    difference: Difference | None = None
    plan: str = ""
    guards: Sequence[GuardProposal] = ()
    retries: Sequence[RetryAdvice] = ()
    outcomes: Sequence[Outcome] = ()
    moves: bool = False
    note: str = ""


def mined_json(mined: Mined) -> str:
    """:func:`mined_data` as text; the same bytes for the same log."""
    return json.dumps(mined_data(mined), indent=2, ensure_ascii=False) + "\n"


def mined_data(mined: Mined) -> dict[str, Any]:
    """Everything, plain."""
    log = mined.log
    order = sorted(range(len(log.variants)), key=lambda k: (-log.counts[k], log.named(log.variants[k])))
    return {
        "schema": SCHEMA,
        "log": mined.name,
        "cases": log.n_cases,
        "events": log.n_events,
        "activities": list(log.activities),
        "columns": dict(log.columns),
        "variants": [{"trace": log.named(log.variants[k]), "cases": log.counts[k]} for k in order],
        "problems": [_problem(p) for p in log.problems],
        "dropped": dict(log.dropped),
        "model": None if mined.found is None else _model(mined.found),
        "fit": None if mined.fit is None else {**fit_data(mined.fit), "traces": _traces(mined.fit, order, mined.moves)},
        "graph": None if mined.graph is None else _graph(mined.graph),
        "difference": None if mined.difference is None else _difference(mined.difference, mined.plan),
        "guards": [_guard(g) for g in mined.guards],
        "retries": [_retry(r) for r in mined.retries],
        "outcomes": [{"outcome": o.name, "events": o.events, "success": o.success} for o in mined.outcomes],
    }


def _guard(g: GuardProposal) -> dict[str, Any]:
    return {
        "kind": g.kind,
        "name": g.name,
        "capacity": g.capacity,
        "activities": dict(g.activities),
        "events": g.events,
        "reached": g.reached,
        "queued": g.queued,
        "waited": g.waited,
        "share": g.share,
        "rationale": g.rationale(),
    }


def _retry(r: RetryAdvice) -> dict[str, Any]:
    return {
        "activity": r.activity,
        "suggested": r.suggested,
        "covered": r.covered,
        "of": r.recovered,
        "needed": {str(k): n for k, n in r.needed.items()},
        "censored": {str(k): n for k, n in r.censored.items()},
        "beyond": list(r.beyond),
        "untold": r.untold,
        "rationale": r.rationale(),
    }


def _problem(p: Problem) -> dict[str, Any]:
    return {"code": p.code, "message": p.message, "file": p.where.file, "line": p.where.line}


def _model(found: Found) -> dict[str, Any]:
    net, result = found.model.net, found.result
    return {
        "kind": found.kind,
        "places": len(net.places),
        "transitions": len(net.transitions),
        "verdict": result.verdict.value,
        "evidence": result.evidence,
        "code": result.code or None,
        "warnings": list(found.notes),
        "plan": found.text or None,
        "widths": {loop: {"lower": low, "upper": high} for loop, (low, high) in found.widths.items()},
        "guarded": None
        if found.guarded is None
        else {
            "guards": found.guarded.guards,
            "verdict": found.guarded.result.verdict.value,
            "evidence": found.guarded.result.evidence,
        },
        "sweep": [
            {
                "coverage": row.coverage,
                "variants": row.variants,
                "fitness": {"lower": row.fitness[0], "upper": row.fitness[1]},
                "precision": row.precision,
                "size": row.size,
            }
            for row in found.sweep
        ],
    }


def fit_data(fit: Fit) -> dict[str, Any]:
    """How well a model and a log agree."""
    low, high = fit.aligned.fitness()
    least, most = fit.aligned.cost()
    known, maybe = fit.aligned.fitting_cases()
    c = None if fit.replay is None else fit.replay.total
    return {
        "fitness": {"lower": low, "upper": high},
        "cost": {"lower": least, "upper": most},
        "fittingCases": {"lower": known, "upper": maybe},
        "replay": None
        if c is None
        else {
            "fitness": c.fitness,
            "missing": c.missing,
            "consumed": c.consumed,
            "remaining": c.remaining,
            "produced": c.produced,
        },
        "precision": fit.precision,
        "simplicity": fit.simplicity,
        "unknown": dict(fit.aligned.unknown),
        "deviations": [
            {
                "activity": d.activity,
                "extra": d.extra,
                "skipped": d.skipped,
                "cases": d.cases,
                "examples": list(d.examples),
                "known": d.known,
            }
            for d in fit.deviations
        ],
        "places": [
            {
                "place": p.place,
                "missing": p.missing,
                "remaining": p.remaining,
                "cases": p.cases,
                "examples": list(p.examples),
            }
            for p in fit.places
        ],
    }


def _traces(fit: Fit, order: Sequence[int], moves: bool) -> list[dict[str, Any]]:
    """Of each variant, in their order, what it costs; and how it is aligned, where that was asked."""
    aligned = fit.aligned
    found = []
    for k in order:
        low, high = aligned.fitness_of(k)
        found.append(
            {
                "cost": {"lower": aligned.lower[k], "upper": aligned.upper[k]},
                "fitness": {"lower": low, "upper": high},
                "moves": _moves(aligned.moves(k)) if moves else None,
            }
        )
    return found


def _moves(moves: Sequence[Move] | None) -> list[dict[str, Any]] | None:
    if moves is None:
        return None
    return [{"kind": m.kind.value, "activity": m.activity, "transition": m.transition} for m in moves]


def _graph(graph: Graph) -> dict[str, Any]:
    follows = graph.follows
    names = follows.activities
    return {
        "activities": [
            {"activity": names[a], "count": n, **_spread(graph.took.get(a))} for a, n in follows.occurrences.items()
        ],
        "edges": [
            {"from": names[a], "to": names[b], "count": n, **_spread(graph.times.get((a, b)))}
            for (a, b), n in follows.follows.items()
        ],
        "starts": {names[a]: n for a, n in follows.starts.items()},
        "ends": {names[a]: n for a, n in follows.ends.items()},
    }


def _spread(times: Spread | None) -> dict[str, Any]:
    if times is None:
        return {"seconds": None, "mean": None, "least": None, "most": None, "known": 0}
    return {
        "seconds": times.median, "mean": times.mean, "least": times.least, "most": times.most, "known": times.n,
    }  # fmt: skip


def _difference(found: Difference, plan: str) -> dict[str, Any]:
    return {
        "plan": plan,
        "cases": found.cases,
        "missing": _findings(found.missing),
        "extra": _findings(found.extra),
        "broken": [
            {
                "first": b.first,
                "second": b.second,
                "relation": b.relation,
                "cases": b.cases,
                "of": b.of,
                "examples": list(b.examples),
            }
            for b in found.broken
        ],
    }


def _findings(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [
        {"activity": f.activity, "cases": f.cases, "of": f.of, "events": f.events, "examples": list(f.examples)}
        for f in findings
    ]
