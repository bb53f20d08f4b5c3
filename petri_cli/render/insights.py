"""Insights for a person, and for programs: each suggestion with the counts that back it."""

from __future__ import annotations

import json
from typing import Any

from petri_cli.driver.insights import Insights
from petri_cli.mining.adaptations import Adaptation
from petri_cli.render.look import KEEP, Line, Look, wrap
from petri_cli.render.phrase import many
from petri_cli.render.run_lines import seconds

SCHEMA = "petri.insights/1"
INDENT = "  "
DEEPER = "    "


def draw_insights(found: Insights, look: Look, *, applied: bool = False) -> list[Line]:
    """What was looked at, then a paragraph a suggestion; what is only reported comes last."""
    e = found.evidence
    runs = f"{many(len(e.sessions), 'session')}, {len(e.completed):,} completed"
    lines = [[("strong", found.session), ("dim", f"{KEEP} {runs}{_time(e.makespans)}")]]
    changes = [a for a in found.adaptations if a.reversible]
    told = [a for a in found.adaptations if not a.reversible]
    for title, group in (("Suggested", changes), ("Seen", told)):
        if group:
            lines += [[], [("", INDENT), ("strong", title)]]
            for a in group:
                lines += _adaptation(a, look)
    if not found.adaptations:
        lines += [[], [("", f"{INDENT}Nothing in these logs suggests another number.")]]
    if changes and not applied:
        hint = "petri insights --apply commits what is suggested, as a revision behind the gate"
        lines += [[], *wrap([("dim", hint)], look.prose, INDENT)]
    return lines


def _time(makespans: list[float]) -> str:
    if not makespans:
        return ""
    middle = sorted(makespans)[len(makespans) // 2]
    return f", {seconds(round(middle, 1))} in the middle" if len(makespans) > 1 else f" in {seconds(round(middle, 1))}"


def _adaptation(a: Adaptation, look: Look) -> list[Line]:
    change = f"{a.current} → {a.suggested}" if a.suggested is not None else f"{a.current}"
    if a.kind == "deadTransition":
        change = ""
    head: Line = [("lane0", a.kind), ("", KEEP), ("strong", a.target), ("", f"{KEEP} {change}" if change else "")]
    return [*wrap(head, look.prose, DEEPER), *wrap([("", a.rationale)], look.prose, DEEPER + INDENT)]


def insights_data(found: Insights) -> dict[str, Any]:
    """As in ``schemas/insights.schema.json``."""
    e = found.evidence
    return {
        "schema": SCHEMA,
        "session": found.session,
        "sessions": list(e.sessions),
        "completed": list(e.completed),
        "adaptations": [a.as_data() for a in found.adaptations],
    }


def insights_json(found: Insights) -> str:
    """:func:`insights_data` as text."""
    return json.dumps(insights_data(found), indent=2, ensure_ascii=False) + "\n"
