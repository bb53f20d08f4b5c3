"""Where a session stands, for a person: one line, then what is done, who is at it, who holds what, and what is next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from petri_cli.driver.clocks import clock_trouble
from petri_cli.driver.status import ClaimRow, ResourceRow, Status, TaskRow, WorkRow
from petri_cli.engine.tokens import to_seconds
from petri_cli.render.look import KEEP, Line, Look, columns, crop, cut, pad, wrap
from petri_cli.render.pasting import Paste
from petri_cli.render.phrase import listed, many
from petri_cli.render.reasons import alike, brief, by_number
from petri_cli.render.run_lines import seconds
from petri_cli.render.session_lines import broken, clock, day, shown
from petri_cli.render.session_waits import for_a_person, waits
from petri_cli.session.state import Repair

INDENT = "  "
DEEPER = "    "
MAX_ROWS = 12
"""Rows of a section; what is more is counted."""
UNCUT = 1_000_000_000
BAR = 24

_STYLES = {
    "completed": ("good", "✓"),
    "running": ("good", "▶"),
    "waiting": ("doubt", "·"),
    "suspended": ("doubt", "·"),
    "failed": ("bad", "✗"),
    "deadlocked": ("bad", "✗"),
    "cancelled": ("bad", "✗"),
}


def draw_status(
    s: Status, look: Look, *, history: Sequence[Line] = (), everything: bool = False, paste: Paste | None = None
) -> list[Line]:
    """The whole page. history: lines of the log, oldest first; everything: no section is cut short; paste: how commands
    are written."""
    most = UNCUT if everything else MAX_ROWS
    paste = replace(paste or Paste(s.session), blank=KEEP)
    lines = [*_head(s, look), *wrap(_where(s, paste), look.prose, INDENT), *_bar(s, look), *_waits(s, look, paste)]
    if trouble := clock_trouble(s.ahead):
        lines += wrap([("doubt", paste.in_text(trouble))], look.prose, INDENT)
    sections = [
        ("What is missing", _missing(s, look, paste)),
        ("Tasks", [[line] for line in _tasks(s, look)]),
        ("Out of attempts, or waiting", _work(s, look)),
        ("At work", [[cut(line, look.prose)] for line in _claims(s, look)]),
        ("Resources", [_resource(r, look, most) for r in s.resources]),
        ("Choice points", [[[("", f"{DEEPER}{t}")]] for t in s.choices]),
        ("Repairs", [_repair(r, look, paste) for r in reversed(s.state.repairs.values())]),
    ]
    for title, rows in sections:
        lines += _section(title, rows, most)
    if s.plan is not None and s.phase != "completed":
        if not s.state.final:
            lines += _names("Enabled", s.enabled, look, most)
        lines += _names("Marking", [f"{p}:{KEEP}{n:,}" for p, n in s.marking.items()], look, most)
    return [*lines, *draw_steps(history, look)]


def draw_steps(history: Sequence[Line], look: Look) -> list[Line]:
    """The part of the page about what has happened. history: lines of the log, oldest first."""
    told = [broken(line, look.prose - len(DEEPER)) for line in history]
    return _section("Steps", [[[("", DEEPER), *piece] for piece in pieces] for pieces in told], UNCUT)


def draw_end(s: Status, look: Look, paste: Paste | None = None) -> list[Line]:
    """How a run of the session ended: one line, and what is missing where it did not come to its end."""
    paste = replace(paste or Paste(s.session), blank=KEEP)
    lines = [*_head(s, look), *_bar(s, look), *_waits(s, look, paste)]
    if s.phase == "completed":
        return lines
    lines += _section("What is missing", _missing(s, look, paste), MAX_ROWS)
    lines += _section("Out of attempts, or waiting", _work(s, look), MAX_ROWS)
    lines += _section("At work", [[cut(line, look.prose)] for line in _claims(s, look)], MAX_ROWS)
    hints = [f"{replace(paste, named=True)('status')} shows all of it", *_ways_out(s, paste)]
    return [*lines, [], *(piece for hint in hints for piece in wrap([("dim", hint)], look.prose, INDENT))]


def _ways_out(s: Status, paste: Paste) -> list[str]:
    """What there is to do about a session that did not come to its end, a command each."""
    match s.phase:
        case "suspended" | "waiting":
            return [f"{paste('run')} goes on where it is"]
        case "deadlocked" | "failed":
            mend = [f"{paste('plan', 'FILE')} commits a plan that mends it"]
            # what is still ready waits only because something else is out of attempts
            mend += [f"{paste('run', '--keep-going')} does what else can be done"] if s.enabled else []
            spent = s.phase == "deadlocked" and any(row.blocked for row in s.work)
            return (
                [*mend, f"{paste('run', '--repair', 'adaptive')} gives attempts where they may help"] if spent else mend
            )
        case _:
            return []


def draw_at_work(s: Status, look: Look, paste: Paste | None = None) -> list[Line]:
    """The short form for a session that is being watched: a bar, who is at work, what is free."""
    paste = replace(paste or Paste(s.session), blank=KEEP)
    free: Line = []
    for n, r in enumerate(s.resources, 1):
        end = "," if n < len(s.resources) else ""
        free += [("lane0", f"{r.id}{KEEP}"), ("", f"{r.free:,}/{r.capacity:,}{KEEP}free{end} ")]
    resources = wrap(free, look.width, INDENT)[:2] if s.resources else []
    claims = _claims(s, look)
    more: list[Line] = [[("dim", f"{DEEPER}and {len(claims) - MAX_ROWS:,} more")]] if len(claims) > MAX_ROWS else []
    lines = [*_bar(s, look), *claims[:MAX_ROWS], *more, *resources, *_waits(s, look, paste)]
    return [cut(line, look.width - 1) for line in lines]


def _section(title: str, rows: Sequence[Sequence[Line]], most: int) -> list[Line]:
    if not rows:
        return []
    lines: list[Line] = [[], [("", INDENT), ("strong", title)]]
    for row in rows[:most]:
        lines += row
    if len(rows) > most:
        lines.append([("dim", f"{DEEPER}and {len(rows) - most:,} more (--all)")])
    return lines


def _names(title: str, names: Sequence[str], look: Look, most: int) -> list[Line]:
    if not names:
        return []
    kept = list(names[: 4 * most])
    more = [f"and {len(names) - len(kept):,} more"] if len(names) > len(kept) else []
    text = ", ".join([*kept, *more])
    return [[], [("", INDENT), ("strong", title)], *wrap([("", text)], look.width, DEEPER)]


def _repair(r: Repair, look: Look, paste: Paste) -> list[Line]:
    """A repair that was proposed, and what became of it."""
    if r.accepted is None:
        word: Line = [("doubt", "waits for a person"), ("dim", f": {paste('approve', r.id)}")]
    elif r.accepted:
        word = [("good", "accepted"), ("dim", f": {brief(r.why)}" if r.why else "")]
    else:
        word = [("doubt", "rejected"), ("dim", f": {brief(r.why)}" if r.why else "")]
    by = f" by {r.by}" if r.by else ""
    return wrap([("", f"{r.id} ({r.kind}, of revision {r.revision}){by} "), *word], look.prose, DEEPER)


# The head


def _head(s: Status, look: Look) -> list[Line]:
    style, sign = _STYLES[s.phase]
    head: Line = [(style, f"{sign}{KEEP}{s.phase}"), ("", f"{KEEP} "), ("strong", s.session)]
    if s.state.plan is not None:
        by = s.state.plan.evidence.get("by", "")
        verdict = "UNKNOWN, accepted" if s.state.plan.accepted_unknown else s.state.plan.verdict
        head.append(("dim", f"{KEEP} revision {s.state.revision}, {verdict}{f' by {by}' if by else ''}"))
    lines = wrap(head, look.prose, "", INDENT)
    if s.state.objective:
        lines += wrap([("", s.state.objective)], look.prose, INDENT)
    if s.why and s.why not in (s.phase, *s.state.missing):
        lines += wrap([("", brief(s.why))], look.prose, INDENT)
    return lines


def _where(s: Status, paste: Paste) -> Line:
    """Who drives it, and how far the log goes."""
    if s.plan is None:
        who = f"no plan yet: {paste('plan', 'FILE')}" if not s.state.final else "no plan"
    elif s.state.driver is None or s.state.ended is not None:
        who = "no driver" if s.state.ended is not None else f"no driver: {paste('run')}"
    elif s.alive is False:
        who = f"its driver (process {s.state.driver.process.pid}) has died: {paste('run')} goes on where it was"
    else:
        there = f" on {s.state.driver.process.host}, where it cannot be seen from here"
        unknown = "" if s.alive else f"{there} (if it is dead: {paste('run', '--take-over')})"
        who = f"driven by process {s.state.driver.process.pid} since {clock(s.state.driver.since)[:8]}{unknown}"
    since = seconds(round(to_seconds(max(0, s.state.at - s.state.created_at)), 1))
    return [("dim", f"{who}; event {s.state.seq:,} at {day(s.state.at)}, after {since}")]


def _bar(s: Status, look: Look) -> list[Line]:
    if not s.tasks:
        return []
    running = sum(row.running for row in s.tasks)
    judged = sum(row.judged for row in s.tasks)
    atleast = "" if s.exact else "at least "
    said = f"{s.done:,} of {atleast}{many(s.total, 'task')} done"
    said += f", {running:,} at work" if running else ""
    said += f", {judged:,} to be verified" if judged else ""
    wide = max(BAR // 3, min(BAR, look.width - len(said) - 2 * len(INDENT)))
    full = wide * s.done // max(s.total, 1)
    done, rest = ("█", "░") if look.signs else ("#", ".")
    return [[("", INDENT), ("good", done * full), ("dim", rest * (wide - full)), ("", f"{INDENT}{said}")]]


def _waits(s: Status, look: Look, paste: Paste) -> list[Line]:
    return [line for text in waits(s, paste) for line in wrap([("doubt", text)], look.prose, INDENT)]


def _missing(s: Status, look: Look, paste: Paste) -> list[list[Line]]:
    """A sentence each; of many that say the same of other items, one."""
    return [wrap([("", paste.in_text(t))], look.prose, DEEPER) for t in alike(s.state.missing)]


# Tasks


def _tasks(s: Status, look: Look) -> list[Line]:
    """A line a task; neighbours that are alike and finished, or not begun, share one."""
    rows: list[tuple[str, str, list[TaskRow]]] = []
    for row in s.tasks:
        style, sign = _task_sign(row)
        alike = sign in ("✓", "·", "–")
        if alike and rows and rows[-1][1] == sign:
            rows[-1][2].append(row)
        else:
            rows.append((style, sign, [row]))
    figures = [_task_figures(group) for _, _, group in rows]
    most = min(look.width // 2, look.width - max(map(len, figures), default=0) - len(DEEPER) - 4)
    names = [crop(listed([shown(r.task) for r in group], limit=5), max(16, most)) for _, _, group in rows]
    widest = max(map(columns, names), default=0)
    return [
        [("", DEEPER), (style, sign), *pad([("", f" {name}")], widest + 3), ("dim", said)]
        for (style, sign, _), name, said in zip(rows, names, figures, strict=True)
    ]


def _task_sign(row: TaskRow) -> tuple[str, str]:
    if row.blocked:
        return "bad", "✗"
    if row.running or row.judged or row.resting or row.later or row.ready:
        return "good", "▶"
    return ("good", "✓") if row.total and row.done >= row.total else ("dim", "·" if row.total else "–")


def _task_figures(group: Sequence[TaskRow]) -> str:
    total, done = sum(r.total for r in group), sum(r.done for r in group)
    if not total:
        return "not taken"
    counts = (
        (sum(r.running for r in group), "at work"),
        (sum(r.judged for r in group), "to be verified"),
        (sum(r.ready for r in group), "for a worker to claim" if all(r.pull for r in group) else "ready"),
        (sum(r.resting for r in group), "between attempts"),
        (sum(r.later for r in group), "before its time" if total == 1 else "before their time"),
        (sum(r.blocked for r in group), "out of attempts"),
    )
    said = [f"{n:,} {what}" if total > 1 else what for n, what in counts if n]
    if total > 1 and (done or said) and not (done == total and not said):
        said.insert(0, f"{done:,} of {'' if all(r.exact for r in group) else 'at least '}{total:,} done")
    elif total > 1:
        said.insert(0, f"{total:,}{'' if done else ' to do'}")
    return ", ".join(said)


def _work(s: Status, look: Look) -> list[list[Line]]:
    """Work that was tried in vain: the same trouble of several items is told once, and not again what is missing."""
    told: dict[tuple[str, str], list[WorkRow]] = {}
    for row in s.work:
        if row.burnt:
            told.setdefault((re.sub(r"\[\d+\]", "", row.task), brief(row.reason)), []).append(row)
    lines = []
    for (_, reason), group in told.items():
        row = group[0]
        who = listed([shown(r.task) for r in sorted(group, key=lambda r: by_number(r.task))], limit=3)
        reason = "" if any(m.endswith(row.reason) for m in s.state.missing) else reason
        when = "out of attempts" if row.blocked else f"again in {_in(row.retry_in)}" if row.retry_in else "again"
        text: Line = [
            ("strong", who),
            ("", f" {when}"),
            ("dim", f", {row.burnt} of {many(row.attempts, 'attempt')} burnt"),
        ]
        lines.append(wrap([*text, ("", f": {reason}" if reason else "")], look.prose, DEEPER, DEEPER + INDENT))
    return lines


def _in(ticks: int | None) -> str:
    return seconds(round(to_seconds(ticks or 0), 1))


def _claims(s: Status, look: Look) -> list[Line]:
    widest = min(max((columns(shown(r.task)) for r in s.claims), default=0), look.width // 3)
    return [_claim(r, s, widest) for r in s.claims]


def _claim(r: ClaimRow, s: Status, widest: int) -> Line:
    since = seconds(round(to_seconds(max(0, s.now - r.claim.at)), 1))
    said = [r.claim.worker] if r.claim.worker else []
    if r.of > 1:
        said.append(f"attempt {r.claim.attempt} of {r.of}")
    said.append(f"for {since}")
    if for_a_person(r):
        said.append("for a person to approve")
    elif r.claim.stage == "reported":
        said.append("reported, to be verified")
    elif not r.claim.driver or 3 * r.left < r.claim.lease:  # a driver renews what it works on
        said.append(f"lease ends in {_in(r.left)}")
    name: Line = [("dim", f"{r.claim.id:<5} "), ("", crop_item(shown(r.task), widest))]
    return [("", DEEPER), *pad(name, widest + 8), ("dim", ", ".join(said))]


def crop_item(name: str, width: int) -> str:
    """A task at most ``width`` columns wide; which item it is about is not what is left out."""
    head, items = re.fullmatch(r"(.*?)((?:\[\d+\])*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    return name if columns(name) <= width else crop(head, max(2, width - columns(items))) + items


# Resources


def _resource(r: ResourceRow, look: Look, most: int) -> list[Line]:
    said = f"{r.free:,} of {r.capacity:,} free"
    said += f", {r.held:,} held" if r.held else ""
    if r.coming:
        said += f", {r.coming:,} coming back, the first in {_in(r.coming_in)}"
    if r.wanted:
        said += f"; wanted by {listed(list(r.wanted), limit=4)}"
    lines = wrap([("lane0", r.id), ("", f"{KEEP} {said}")], look.prose, DEEPER, DEEPER + INDENT)
    for h in r.holders[:most]:
        units = f"{h.units} × " if h.units > 1 else ""
        inside = f" for {listed([shown(t) for t in h.inside], limit=3)}" if h.inside else ""
        since = clock(h.since)[:8]
        text = f"{units}guard {h.guard} (line {h.line}) since {since}{inside}"
        lines += wrap([("dim", text)], look.prose, DEEPER + INDENT, DEEPER + DEEPER)
    if len(r.holders) > most:
        lines.append([("dim", f"{DEEPER}{INDENT}and {len(r.holders) - most:,} more")])
    return lines
