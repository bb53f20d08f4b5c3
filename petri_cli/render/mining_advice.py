"""What a log suggests, and where it parts from what was planned, for a person."""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.mining.diff import Difference
from petri_cli.mining.guards import GuardProposal
from petri_cli.mining.retries import Outcome, RetryAdvice
from petri_cli.render.look import KEEP, Line, Look, columns, crop, pad, wrap
from petri_cli.render.mining import DEEPER, INDENT, MAX_ROWS, bar, hint, kept, such_as
from petri_cli.render.names import short, shown
from petri_cli.render.phrase import many

MAX_RETRIES = 3


def draw_difference(plan: str, found: Difference, look: Look, *, everything: bool = False) -> list[Line]:
    """What was planned against what happens."""
    lines: list[Line] = [[], [("", INDENT), ("strong", f"The plan {plan} against what happens")]]
    lines[-1] += [] if found.empty else hint(everything)
    if found.empty:
        said = f"all {many(found.cases, 'case')} have its tasks, no others, and keep its order"
        return [*lines, *wrap([("good", f"✓{KEEP}"), ("", said)], look.prose, DEEPER)]
    of = many(found.cases, "case")
    rows: list[tuple[str, str, str]] = []
    for f in found.missing:
        rows.append(("missing", shown(f.activity), f"in {f.cases:,} of {of}: {such_as(f.examples, f.cases)}"))
    for f in found.extra:
        text = f"{many(f.events, 'event')} in {f.cases:,} of {of}: {such_as(f.examples, f.cases)}"
        rows.append(("extra", shown(f.activity), text))
    for b in found.broken:
        names = f"{shown(b.first)} {'→' if b.relation == 'before' else 'or'} {shown(b.second)}"
        kind = "order" if b.relation == "before" else "both"
        text = f"broken in {b.cases:,} of {b.of:,} with both: {such_as(b.examples, b.cases)}"
        rows.append((kind, names, text))
    widest = min(max(columns(name) for _, name, _ in rows), look.width // 2)
    for kind in ("missing", "extra", "order", "both"):
        group = [row for row in rows if row[0] == kind]
        first = group if everything else group[:MAX_ROWS]
        for _, name, text in first:
            head: Line = [("doubt", f"{kind:<9}"), *pad([("", crop(name, widest))], widest), ("", KEEP)]
            lines += wrap([*kept(head), ("dim", f" {text}")], look.prose, DEEPER, DEEPER * 2)
        if len(group) > len(first):
            lines.append([("dim", f"{DEEPER}and {len(group) - len(first):,} more of these (--all)")])
    return lines


def draw_advice(
    guards: Sequence[GuardProposal],
    retries: Sequence[RetryAdvice],
    look: Look,
    *,
    outcomes: Sequence[Outcome] = (),
    everything: bool = False,
) -> list[Line]:
    """Capacities and retry limits that the log suggests, each with its counts."""
    lines: list[Line] = []
    if guards:
        lines += [[], [("", INDENT), ("strong", "Capacities that nobody wrote down")]]
        for g in guards if everything else guards[:MAX_ROWS]:
            head: Line = [("lane0", short(g.name).replace(" ", KEEP)), ("strong", f"{KEEP} {g.capacity:,}")]
            lines += wrap([*head, ("dim", f"{KEEP} {g.rationale()}")], look.prose, DEEPER, DEEPER * 2)
        if len(guards) > MAX_ROWS and not everything:
            lines.append([("dim", f"{DEEPER}and {len(guards) - MAX_ROWS:,} more (--all)")])
    lines += _outcomes(outcomes, look)
    if retries:
        if not outcomes:
            lines += [[], [("", INDENT), ("strong", "If repetitions are retries"), ("dim", "  --outcome tells")]]
        order = sorted(retries, key=lambda r: -(r.recovered - r.needed.get(1, 0) + sum(r.censored.values())))
        for r in order if everything else order[:MAX_RETRIES]:
            most = "" if r.suggested is None else f"{KEEP} maxAttempts{KEEP}{r.suggested:,}"
            head = [("lane0", short(r.activity).replace(" ", KEEP)), ("strong", most)]
            lines += wrap([*head, ("dim", f"{KEEP} {r.rationale()}")], look.prose, DEEPER, DEEPER * 2)
        if len(retries) > MAX_RETRIES and not everything:
            lines.append([("dim", f"{DEEPER}and {len(retries) - MAX_RETRIES:,} more (--all)")])
    return lines


def _outcomes(outcomes: Sequence[Outcome], look: Look) -> list[Line]:
    """How events went, and which outcomes were taken for a success."""
    if all(o.success for o in outcomes):  # nothing went wrong, or nothing is known
        return []
    lines: list[Line] = [[], [("", INDENT), ("strong", "How it went"), ("dim", "  --success says what is one")]]
    first = outcomes[:MAX_ROWS]
    widest = min(max(columns(shown(o.name)) for o in first), look.width // 3)
    most = max(o.events for o in first)
    for o in first:
        name = pad([("", short(o.name, widest))], widest + 2)
        how = ("good", "  success") if o.success else ("bad", "  no success")
        lines.append([("", DEEPER), *name, *bar(o.events, most, look), ("", f"{o.events:>9,}"), how])
    if len(outcomes) > len(first):
        lines.append([("dim", f"{DEEPER}and {len(outcomes) - len(first):,} more outcomes")])
    if not any(o.success for o in outcomes):
        said = "None of these counts as a success, so nothing is known about retries."
        lines += wrap([("doubt", said)], look.prose, DEEPER)
    return lines
