"""Insights for a person, and for programs: each line with the counts that back it, and the command that shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from petri_cli.driver.conformance import Conformance
from petri_cli.driver.insights import Candidate, Insights
from petri_cli.mining.adaptations import Adaptation
from petri_cli.mining.what_if import Spread, WhatIf
from petri_cli.render.look import KEEP, Line, Look, columns, crop, pad, wrap
from petri_cli.render.mining import cost_told, rounded, such_as, widths_told
from petri_cli.render.pasting import HERE, Paste
from petri_cli.render.phrase import listed, many
from petri_cli.render.run_lines import seconds

SCHEMA = "petri.insights/1"
INDENT = "  "
DEEPER = "    "
MAX_ROWS = 10
BAR = 12


def draw_insights(
    found: Insights, look: Look, *, candidate: Candidate | None = None, applied: bool = False, paste: Paste = HERE
) -> list[Line]:
    """What was looked at, how well the plan tells it, a paragraph a suggestion; what is only reported comes last.

    paste: how commands are written.
    """
    paste = replace(paste, blank=KEEP)
    e = found.evidence
    runs = f"{many(len(e.sessions), 'session')}, {len(e.completed):,} completed"
    if found.command:
        runs = many(len(e.sessions), "case")
    lines = [[("strong", found.session), ("dim", f"{KEEP} {runs}{_time(e.makespans)}")]]
    if found.conformance is not None:
        title = f"The plan {found.file} and these cases" if found.command else "The plan and its history"
        lines += _conformance(title, found.conformance, found, look, paste)
    if candidate is not None:
        lines += _candidate(candidate, found, look, paste)
    if found.what_if is not None:
        lines += _what_if(found.what_if, found, look)
    changes = [a for a in found.adaptations if a.reversible]
    told = [a for a in found.adaptations if not a.reversible]
    for title, group in (("Suggested", changes), ("Seen", told)):
        if group:
            lines += [[], [("", INDENT), ("strong", title)]]
            for a in group:
                lines += _adaptation(a, command_of(a, found, paste), look)
    if not found.adaptations:
        lines += [[], [("", f"{INDENT}Nothing in these logs suggests another number.")]]
    if changes and not applied:
        hint = f"{paste('insights', '--apply')} commits what is suggested, as a revision behind the gate"
        if found.command:
            hint = f"these are numbers for {found.file}: a log has no session that they could be committed to"
        lines += [[], *wrap([("dim", hint)], look.prose, INDENT)]
    return lines


def _time(makespans: list[float]) -> str:
    if not makespans:
        return ""
    middle = sorted(makespans)[len(makespans) // 2]
    return f", {seconds(round(middle, 1))} in the middle" if len(makespans) > 1 else f" in {seconds(round(middle, 1))}"


def command_of(a: Adaptation, found: Insights, paste: Paste) -> str:
    """The command that lists the cases behind an adaptation: of the first of its sessions."""
    if found.command:
        return found.command
    sessions = a.evidence.get("sessions") or found.evidence.completed or found.evidence.sessions
    return replace(paste, session=sessions[0] if sessions else found.session, named=True)("status", "--all")


def _adaptation(a: Adaptation, command: str, look: Look) -> list[Line]:
    current, suggested = (_number(a.kind, value) for value in (a.current, a.suggested))
    change = f"{current} → {suggested}" if a.suggested is not None else current
    if a.kind == "deadTransition":
        change = ""
    head: Line = [("lane0", a.kind), ("", KEEP), ("strong", a.target), ("", f"{KEEP} {change}" if change else "")]
    why: Line = [("", a.rationale), ("dim", f" ({command})")]
    return [*wrap(head, look.prose, DEEPER), *wrap(why, look.prose, DEEPER + INDENT)]


def _number(kind: str, value: object) -> str:
    """A setting: limits on time are seconds."""
    if not isinstance(value, (int, float)):
        return str(value)
    text = f"{value:,g}" if value < 10**5 else f"{value:,.0f}"
    return f"{text}{KEEP}s" if kind in ("timeout", "lease") else text


# Conformance


def _conformance(title: str, fit: Conformance, found: Insights, look: Look, paste: Paste) -> list[Line]:
    lines: list[Line] = [[], [("", INDENT), ("strong", title)]]
    ended = f"{fit.ended:,} of {many(fit.cases, 'case')} came to {'its' if fit.cases == 1 else 'their'} end"
    if not fit.known:
        return [*lines, *wrap([("dim", f"{ended}: there is nothing to align yet")], look.prose, DEEPER)]
    low, high = fit.fitting
    fits = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    value = _interval(*fit.fitness)
    style = "good" if fit.fitness[0] == 1 else "strong"
    text = f"{fits} of {fit.ended:,} fit; {cost_told(*fit.cost)}"
    text += "" if found.command else f"; {ended}"
    head: Line = [("", "fitness".ljust(9, KEEP)), (style, value), ("dim", f"{KEEP} {text}")]
    lines += wrap(head, look.prose, DEEPER, DEEPER * 2)
    shown = fit.deviations[:MAX_ROWS]
    widest = min(max((columns(d.activity) for d in shown), default=0), look.width // 3)
    for d in shown:
        said = [f"{d.extra:,} too many"] if d.extra else []
        said += [f"{d.skipped:,} too few"] if d.skipped else []
        said += [] if d.known else ["unknown to the plan"]
        name = pad([("", crop(d.activity, widest))], widest)
        told = f" {', '.join(said)}, in {d.cases:,} of {many(fit.ended, 'case')}: {such_as(d.examples, d.cases)}"
        lines += wrap([*_kept(name), ("", KEEP), ("dim", told)], look.prose, DEEPER, DEEPER * 2)
    if len(fit.deviations) > len(shown):
        lines.append([("dim", f"{DEEPER}and {len(fit.deviations) - len(shown):,} more activities (--format json)")])
    if fit.widths:
        lines += wrap([("dim", widths_told(fit.widths))], look.prose, DEEPER)
    if fit.uneven:
        told = f"{fit.uneven:,} of {fit.ended:,} met a foreach at several widths, and are aligned at the widest"
        lines += wrap([("doubt", told)], look.prose, DEEPER)
    named = replace(paste, session=found.session, named=True)
    hint = f"{named('mine')} lists the variants, {named('status', '--all')} every step"
    if found.command:
        hint = f"{found.command} lists every case"
    return [*lines, *wrap([("dim", hint)], look.prose, DEEPER)]


def _kept(line: Line) -> Line:
    return [(style, text.replace(" ", KEEP)) for style, text in line]


def _interval(low: float, high: float) -> str:
    return rounded(low, 6) if low == high else f"{rounded(low, 6)} to {rounded(high, 6)}"


def _candidate(candidate: Candidate, found: Insights, look: Look, paste: Paste) -> list[Line]:
    title = f"The candidate {candidate.file} and the same history"
    again = candidate.conformance is found.conformance
    lines = [] if again else _conformance(title, candidate.conformance, found, look, paste)
    result = candidate.result
    style, sign = ("good", "✓") if result.sound else ("bad", "✗")
    why = "" if result.sound else result.message.removeprefix(f"{result.code}: ")
    head: Line = [(style, f"{sign}{KEEP}{result.verdict.value}"), ("", f"{KEEP} {why}" if why else "")]
    return [*lines[:2], *wrap(head, look.prose, DEEPER), *lines[2:]]  # of what is told above, the verdict alone


# What if


def _what_if(found: WhatIf, insights: Insights, look: Look) -> list[Line]:
    told = ", ".join(f"{r} = {n}" for r, n in found.changes.items())
    lines: list[Line] = [[], [("", INDENT), ("strong", f"What if {told}")]]
    if not found.runs:
        said = f"none of {many(found.stuck, 'simulated run')} came to its end: there is nothing to compare"
        return [*lines, *wrap([("doubt", said)], look.prose, DEEPER)]
    c = found.change
    style = "good" if c.high < 0 else "bad" if c.low > 0 else "strong"
    head: Line = [("", "makespan "), (style, _signed(c.mean)), ("", f" ({_signed(c.low)} to {_signed(c.high)})")]
    head.append(("dim", f"{KEEP} from {_span(found.before)} to {_span(found.after)}"))
    lines += wrap(head, look.prose, DEEPER, DEEPER * 2)
    widest = max(columns(load.resource) for load in found.loads)
    for load in found.loads:
        was, now = load.utilisation
        row: Line = [
            ("", DEEPER),
            *pad([("", load.resource)], widest + 2),
            ("", f"{load.capacity[0]:>4} → {load.capacity[1]}"),
        ]
        row += [("dim", "  in use "), *_bar(was, look), ("", f" {was:4.0%} → "), *_bar(now, look), ("", f" {now:4.0%}")]
        lines.append(row)
        before, after = load.queued
        queued = f"waited for {seconds(_short(before))} → {seconds(_short(after))} a run, by {load.waits[0]:,.1f} → "
        room = DEEPER + " " * (widest + 2)
        lines += wrap([("dim", f"{queued}{load.waits[1]:,.1f} acquisitions")], look.width, room)
    unseen = [name for name, of in insights.evidence.tasks.items() if not of.seconds]
    pairs = f"{found.runs:,} of {many(found.wanted, 'pair')} of simulated runs; 95 % of them lie in the brackets"
    lines += wrap([("dim", f"{pairs}. Attempts that fail are not simulated.")], look.prose, DEEPER)
    if found.stuck:
        lines += wrap([("doubt", f"{many(found.stuck, 'pair')} got stuck, and are left out")], look.prose, DEEPER)
    if unseen:
        said = f"{len(unseen):,} of {many(len(insights.evidence.tasks), 'task')} took 1 s for want of a duration: "
        lines += wrap([("doubt", said + listed(unseen))], look.prose, DEEPER)
    return lines


def _bar(share: float, look: Look) -> Line:
    done, rest = ("█", "░") if look.signs else ("#", ".")
    full = min(BAR, round(BAR * share))
    return [("lane0", done * full), ("dim", rest * (BAR - full))]


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{seconds(_short(abs(value)))}" if _short(abs(value)) else "±0s"


def _span(spread: Spread) -> str:
    mean, low, high = (seconds(_short(value)) for value in (spread.mean, spread.low, spread.high))
    return f"{mean} ({low} to {high})"


def _short(value: float) -> float:
    """Seconds to three digits, and no more than milliseconds: what differs by less than a tenth reads so."""
    return round(value, 1 if value >= 10 else 2 if value >= 1 else 3)


# For programs


def insights_data(found: Insights, candidate: Candidate | None = None, paste: Paste = HERE) -> dict[str, Any]:
    """As in ``schemas/insights.schema.json``."""
    e = found.evidence
    return {
        "schema": SCHEMA,
        "session": found.session,
        "sessions": list(e.sessions),
        "completed": list(e.completed),
        "adaptations": [{**a.as_data(), "command": command_of(a, found, paste)} for a in found.adaptations],
        "conformance": None if found.conformance is None else _conformance_data(found.conformance),
        "candidate": None if candidate is None else _candidate_data(candidate),
        "whatIf": None if found.what_if is None else _what_if_data(found.what_if),
    }


def _conformance_data(fit: Conformance) -> dict[str, Any]:
    return {
        "cases": fit.cases,
        "ended": fit.ended,
        "fittingCases": _interval_data(fit.fitting),
        "fitness": _interval_data(fit.fitness) if fit.known else None,
        "cost": _interval_data(fit.cost),
        "uneven": fit.uneven,
        "widths": {loop: {"lower": low, "upper": high} for loop, (low, high) in fit.widths.items()},
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
    }


def _interval_data(pair: Sequence[float | None]) -> dict[str, float | None]:
    return {"lower": pair[0], "upper": pair[1]}


def _candidate_data(candidate: Candidate) -> dict[str, Any]:
    verdict = candidate.result.verdict.value
    code = candidate.result.code or None
    return {"file": candidate.file, "verdict": verdict, "code": code} | _conformance_data(candidate.conformance)


def _what_if_data(found: WhatIf) -> Mapping[str, Any]:
    def spread(s: Spread) -> dict[str, float]:
        return {"mean": s.mean, "low": s.low, "high": s.high}

    return {
        "changes": dict(found.changes),
        "runs": found.runs,
        "wanted": found.wanted,
        "stuck": found.stuck,
        "before": spread(found.before),
        "after": spread(found.after),
        "change": spread(found.change),
        "resources": [
            {
                "resource": load.resource,
                "capacity": list(load.capacity),
                "utilisation": list(load.utilisation),
                "queuedSeconds": list(load.queued),
                "waits": list(load.waits),
            }
            for load in found.loads
        ],
    }


def insights_json(found: Insights, candidate: Candidate | None = None, paste: Paste = HERE) -> str:
    """:func:`insights_data` as text."""
    return json.dumps(insights_data(found, candidate, paste), indent=2, ensure_ascii=False) + "\n"
