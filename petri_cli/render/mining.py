"""What was mined, for a person: the log and its variants, the model, the gate's word, and how well both agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor

from petri_cli.formats.dfg_draw import span
from petri_cli.mining.alignments import Aligned
from petri_cli.mining.case_widths import Group, spread
from petri_cli.mining.deviations import Deviation, PlaceDeviation
from petri_cli.mining.dfg import DirectlyFollows
from petri_cli.mining.follow_times import Spread
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.token_replay import Replay
from petri_cli.render.look import KEEP, Line, Look, Span, columns, crop, pad, wrap
from petri_cli.render.names import short, shown
from petri_cli.render.phrase import listed, many
from petri_cli.soundness.result import Result, Verdict

INDENT = "  "
DEEPER = "    "
MAX_VARIANTS = 8
MAX_ROWS = 10
BAR = 12
NAME_WIDTHS = (24, 18, 14, 11, 9, 7, 5)
"""To which names of a trace that is too long are cut, one after the other."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What mining the most frequent variants gives. coverage: share of the cases, in percent; variants: how many;
    size: leaves of the tree; fitness (an interval) and precision against the whole log, None where not known."""

    coverage: float
    variants: int
    fitness: tuple[float, float]
    precision: float | None
    size: int
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Guarded:
    """The plan with ``guards`` around tasks, for the capacities that the log shows, and the gate's word on it. Where
    that is not SOUND, the plan is written without them."""

    guards: int
    result: Result


@dataclass(frozen=True, slots=True)
class Found:
    """A model. kind: ``alpha``, ``inductive``, ``plan`` or ``net``; result: the gate's word; rows: what it is, in
    words; notes: where the miner is blind on this log; text: of the plan, if any; sweep: other coverages. groups: of a
    plan, a net for each width that its foreach blocks have in the log; ``model`` is the widest."""

    kind: str
    title: str
    model: LabelledNet
    result: Result
    rows: Sequence[str] = ()
    notes: Sequence[str] = ()
    text: str = ""
    sweep: Sequence[Swept] = ()
    guarded: Guarded | None = None
    groups: Sequence[Group] = ()

    @property
    def widths(self) -> dict[str, tuple[int, int]]:
        """Foreach → least and most items that a case has of it."""
        return spread(group.widths for group in self.groups)


@dataclass(frozen=True, slots=True)
class Graph:
    """The directly-follows graph by names, edge → times between, and activity → how long it takes."""

    follows: DirectlyFollows
    times: Mapping[tuple[int, int], Spread]
    took: Mapping[int, Spread]


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a model and a log agree. replay, precision: None where they were not worked out in time."""

    aligned: Aligned
    replay: Replay | None
    precision: float | None
    simplicity: float
    deviations: Sequence[Deviation]
    places: Sequence[PlaceDeviation]


_WHY: Mapping[str, str] = {
    "activity": "no activity",
    "case": "no case",
    "cells": "a row of the wrong length",
    "lifecycle": "neither a start nor a complete",
    "line": "a line that is no event",
    "start without complete": "a start without a complete",
    "timestamp": "a timestamp that is none",
}
"""Why events were left out, in words."""


def draw_log(name: str, log: Log, look: Look, *, everything: bool = False, note: str = "") -> list[Line]:
    """The size of a log, what its cases are (``note``), what was wrong with it, and its variants with bars."""
    size = f"{many(log.n_cases, 'case')}, {many(log.n_events, 'event')}, {_activities(len(log.activities))}, "
    size += many(len(log.variants), "variant")
    lines: list[Line] = wrap([("strong", name), ("dim", f"{KEEP} {size}")], look.prose, "", INDENT)
    if log.columns:
        told = ", ".join(f"{role} is `{short(name)}`" for role, name in log.columns.items())
        if not {"timestamp", "start"} & log.columns.keys():
            told += "; no time, so events are in the order of the file"
        lines += wrap([("dim", f"columns: {told}")], look.prose, INDENT, DEEPER)
    lines += wrap([("dim", note)], look.prose, INDENT, DEEPER) if note else []
    for why, n in log.dropped.items():
        lines += wrap([("doubt", f"{many(n, 'event')} left out: {_WHY.get(why, why)}")], look.prose, INDENT)
    if not log.variants:
        return [*lines, [], [("dim", f"{INDENT}There is no case in this log.")]]
    return [*lines, [], [("", INDENT), ("strong", "Variants")], *_variants(log, look, everything)]


def _activities(n: int) -> str:
    return f"{n:,} {'activity' if n == 1 else 'activities'}"


def _variants(log: Log, look: Look, everything: bool) -> list[Line]:
    order = sorted(range(len(log.variants)), key=lambda k: (-log.counts[k], log.named(log.variants[k])))
    shown = order if everything else order[:MAX_VARIANTS]
    most = max(log.counts, default=1)
    lines: list[Line] = []
    for k in shown:
        n = log.counts[k]
        share = f"{100 * n / log.n_cases:5.1f} %"
        head: Line = [
            ("", DEEPER),
            *bar(n, most, look),
            ("", f"{n:>8,} "),
            ("dim", share),
        ]
        room = max(5, look.width - len(DEEPER) - BAR - 18)
        head.append(("", f"{INDENT}{_trace(log, k, room)}"))
        lines.append(head)
    left = len(order) - len(shown)
    if left:
        cases = sum(log.counts[k] for k in order[len(shown) :])
        lines.append([("dim", f"{DEEPER}and {left:,} more, of {many(cases, 'case')} (--all)")])
    return lines


def _trace(log: Log, variant: int, room: int) -> str:
    """A trace in words; an activity that is repeated is told once. Long names are cut until the trace fits, or two of
    them would look the same: how it goes on says more than how a name does."""
    told: list[tuple[str, int]] = []
    for name in map(shown, log.named(log.variants[variant])):
        if told and told[-1][0] == name:
            told[-1] = name, told[-1][1] + 1
        else:
            told.append((name, 1))
    if not told:
        return "(no event)"
    names = {name for name, _ in told}
    longest = max(columns(name) for name in names)
    text = ""
    for width in (longest, *(w for w in NAME_WIDTHS if w < longest)):
        if len({crop(name, width) for name in names}) < len(names):
            break
        text = " → ".join(crop(name, width) + (f" ×{n}" if n > 1 else "") for name, n in told)
        if columns(text) <= room:
            break
    return crop(text, room).replace("……", "…")


def draw_graph(graph: Graph, look: Look, *, everything: bool = False) -> list[Line]:
    """The directly-follows graph, the most frequent edges first; how long activities take, the most frequent first."""
    follows = graph.follows
    names = [shown(name) for name in follows.activities]
    edges = [(f"{names[a]} → {names[b]}", n, graph.times.get((a, b))) for (a, b), n in follows.follows.items()]
    lines: list[Line] = [[], [("", INDENT), ("strong", "What directly follows what")]]
    if not graph.times:
        lines[-1].append(("dim", "  the log tells no times"))
    lines += _table(edges, "time between", look, everything=everything)
    if graph.took:
        lines += [[], [("", INDENT), ("strong", "How long activities take")]]
        rows = [(names[a], n, graph.took.get(a)) for a, n in follows.occurrences.items()]
        lines += _table(rows, "time they take", look, everything=everything)
    return lines


def _table(
    rows: Sequence[tuple[str, int, Spread | None]], what: str, look: Look, *, everything: bool
) -> Iterator[Line]:
    """Rows of a name, how often, and the median and mean of times, as far as any are known."""
    timed = any(times is not None for _, _, times in rows)
    order = sorted(rows, key=lambda row: -row[1])
    first = order if everything else order[: 2 * MAX_ROWS]
    most = max((n for _, n, _ in rows), default=1)
    counts = max(9, len(f"{most:,}") + 2)
    if timed:
        yield [("dim", f"{DEEPER}{'':{BAR}}{'count':>{counts}}{'median':>9}{'mean':>9}  {what}")]
    for name, n, times in first:
        told = " " * (18 if timed else 0) if times is None else f"{span(times.median):>9}{span(times.mean):>9}"
        room = max(10, look.width - len(DEEPER) - BAR - counts - 2 - len(told))
        count = ("", f"{n:>{counts},}")
        yield [("", DEEPER), *bar(n, most, look), count, ("dim", told), ("", f"{INDENT}{crop(name, room)}")]
    if len(order) > len(first):
        yield [("dim", f"{DEEPER}and {len(order) - len(first):,} more (--all)")]


def bar(n: int, most: int, look: Look) -> list[Span]:
    """A bar as long as ``n`` is of ``most``."""
    done, rest = ("█", "░") if look.signs else ("#", ".")
    full = max(1, BAR * n // most) if n else 0
    return [("lane0", done * full), ("dim", rest * (BAR - full))]


def widths_told(widths: Mapping[str, tuple[int, int]]) -> str:
    """How many items each foreach has, the least and the most in a case."""
    each = [f"{loop} has {low:,}" + (f" to {high:,}" if high > low else "") for loop, (low, high) in widths.items()]
    uneven = any(high > low for low, high in widths.values())
    return f"items: {listed(each)}" + ", each case as many as it shows" * uneven


_SIGNS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.SOUND: ("good", "✓"),
    Verdict.UNSOUND: ("bad", "✗"),
    Verdict.UNKNOWN: ("doubt", "·"),
}


def draw_model(found: Found, look: Look, *, everything: bool = False) -> list[Line]:
    """What was found, what the miner cannot see in this log, and what the gate says of it."""
    net, result = found.model.net, found.result
    size = f"{many(len(net.places), 'place')}, {many(len(net.transitions), 'transition')}"
    lines: list[Line] = [[], wrap([("strong", found.title), ("dim", f"{KEEP} {size}")], look.prose, INDENT)[0]]
    if found.widths:
        lines += wrap([("dim", widths_told(found.widths))], look.prose, DEEPER)
    shown = found.rows if everything else found.rows[: 2 * MAX_ROWS]
    for row in shown:
        lines += wrap([("", row)], look.width, DEEPER, DEEPER + INDENT)
    if len(found.rows) > len(shown):
        lines.append([("dim", f"{DEEPER}and {len(found.rows) - len(shown):,} more lines (--all)")])
    for note in found.notes:
        lines += wrap([("doubt", note)], look.prose, DEEPER, DEEPER + INDENT)
    lines += _verdict(result, "", look)
    if found.guarded is not None:
        given = found.guarded
        what = f" as a plan with {many(given.guards, 'guard')}"
        what += " (--no-guards leaves them out)" if given.result.sound else ", so it is written without"
        lines += _verdict(given.result, what, look)
    return [*lines, *_sweep(found.sweep)]


def _verdict(result: Result, what: str, look: Look) -> list[Line]:
    style, sign = _SIGNS[result.verdict]
    why = f"by {result.evidence}" if result.sound else result.message.removeprefix(f"{result.code}: ")
    if result.counterexample is not None:
        why = result.counterexample.sentence
    return wrap([(style, f"{sign}{KEEP}{result.verdict.value}"), ("", f"{KEEP} {why}{what}")], look.prose, DEEPER)


def _sweep(sweep: Sequence[Swept]) -> list[Line]:
    """A row for each coverage: what leaving out rare variants costs, and what it gains."""
    if len({row.variants for row in sweep}) < 2:
        return []
    lines: list[Line] = [[], [("", INDENT), ("strong", "Without the rare variants"), ("dim", "  --coverage picks")]]
    lines.append([("dim", f"{DEEPER}{'coverage':>10}{'variants':>10}{'fitness':>10}{'precision':>11}{'size':>6}")])
    for row in sweep:
        told = f"{row.coverage:>8g} %{row.variants:>10,}{_digits(_known(row.fitness)):>10}{_digits(row.precision):>11}"
        told += f"{row.size:>6,}"
        lines.append([("", DEEPER), ("strong" if row.chosen else "", told), ("dim", "  ←" if row.chosen else "")])
    return lines


def _known(interval: tuple[float, float]) -> float | None:
    return interval[0] if interval[0] == interval[1] else None


def _digits(value: float | None) -> str:
    return "·" if value is None else rounded(value, 4)


def rounded(value: float, digits: int) -> str:
    """Rounded, but never up to 1: only what is perfect reads so."""
    if value < 1 and round(value, digits) == 1:
        value = floor(value * 10**digits) / 10**digits
    return f"{value:.{digits}f}"


def draw_fit(fit: Fit, log: Log, look: Look, *, everything: bool = False) -> list[Line]:
    """Fitness by exact alignments, token replay beside it, and where the log and the model part."""
    lines: list[Line] = [[], [("", INDENT), ("strong", "How well they agree")]]
    low, high = fit.aligned.fitness()
    known, maybe = fit.aligned.fitting_cases()
    fits = f"{known:,}" if known == maybe else f"{known:,} to {maybe:,}"
    rows = [
        (
            "fitness",
            _interval(low, high),
            f"{fits} of {many(log.n_cases, 'case')} fit; {cost_told(*fit.aligned.cost())}",
        )
    ]
    if fit.replay is not None:
        c = fit.replay.total
        told = f"{c.missing:,} of {c.consumed:,} tokens missing, {c.remaining:,} of {c.produced:,} left over"
        rows.append(("token replay", rounded(c.fitness, 6), told))
    if fit.precision is not None:
        rows.append(("precision", rounded(fit.precision, 6), "of what the model allows, how much happens"))
    rows.append(("simplicity", rounded(fit.simplicity, 6), "by arcs a node"))
    late = [name for name, value in (("token replay", fit.replay), ("precision", fit.precision)) if value is None]
    for name, value, why in rows:
        style = "good" if name == "fitness" and low == 1 else "strong"
        named = f"{name:<13}".replace(" ", KEEP)
        lines += wrap([("", named), (style, value), ("dim", f"{KEEP} {why}")], look.prose, DEEPER, DEEPER * 2)
    if late or low < high:
        said = f"not known in time: {listed(['exact fitness'] * (low < high) + late)} (--timeout gives more)"
        lines += wrap([("doubt", said)], look.prose, DEEPER)
    return [*lines, *_deviations(fit, log, look, everything=everything), *_places(fit, look, everything=everything)]


def cost_told(least: int, most: int | None) -> str:
    """What all alignments together cost, as far as it is known."""
    if least == most:
        return f"exact alignments cost {least:,}"
    return f"alignments cost {f'at least {least:,}' if most is None else f'{least:,} to {most:,}'}"


def _interval(low: float, high: float) -> str:
    return rounded(low, 6) if low == high else f"{rounded(low, 6)} to {rounded(high, 6)}"


def _deviations(fit: Fit, log: Log, look: Look, *, everything: bool) -> list[Line]:
    if not fit.deviations:
        return []
    lines: list[Line] = [[], [("", INDENT), ("strong", "Where they part"), *hint(everything)]]
    first = fit.deviations if everything else fit.deviations[:MAX_ROWS]
    widest = min(max(columns(shown(d.activity)) for d in first), look.width // 3)
    for d in first:
        said = [f"{d.extra:,} too many"] if d.extra else []
        said += [f"{d.skipped:,} too few"] if d.skipped else []
        said += [] if d.known else ["unknown to the model"]
        text = f"{', '.join(said)}, in {d.cases:,} of {many(log.n_cases, 'case')}: {such_as(d.examples, d.cases)}"
        head: Line = [*pad([("", short(d.activity, widest))], widest), ("", KEEP)]
        lines += wrap([*kept(head), ("dim", f" {text}")], look.prose, DEEPER, DEEPER * 2)
    if len(fit.deviations) > len(first):
        lines.append([("dim", f"{DEEPER}and {len(fit.deviations) - len(first):,} more activities (--all)")])
    return lines


def hint(everything: bool) -> Line:
    """That --all shows more, where it was not given."""
    return [] if everything else [("dim", "  --all lists every case")]


def kept(line: Line) -> Line:
    """``line`` as one word: it is not broken."""
    return [(style, text.replace(" ", KEEP)) for style, text in line]


def such_as(examples: Sequence[str], cases: int) -> str:
    """Cases by name, as far as they are known."""
    names = [short(name) for name in examples]
    return listed(names, limit=len(names)) if cases <= len(names) else f"{', '.join(names)}, …"


def _places(fit: Fit, look: Look, *, everything: bool) -> list[Line]:
    """The places where most tokens were missing or left over, with bars and cases."""
    if not fit.places:
        return []
    title = "Where tokens were missing or left over"
    lines: list[Line] = [[], [("", INDENT), ("strong", title), *hint(everything)]]
    shown = fit.places if everything else fit.places[:MAX_ROWS]
    most = max(p.missing + p.remaining for p in shown)
    widest = min(max(columns(p.place) for p in shown), look.width // 3)
    for p in shown:
        name = pad([("", crop(p.place, widest))], widest + 2)
        counts = f"{p.missing:>8,} missing{p.remaining:>8,} left over{KEEP}"
        head = kept([*name, *bar(p.missing + p.remaining, most, look), ("", counts)])
        text = f" {many(p.cases, 'case')}: {such_as(p.examples, p.cases)}"
        lines += wrap([*head, ("dim", text)], look.prose, DEEPER, DEEPER * 2)
    if len(fit.places) > len(shown):
        lines.append([("dim", f"{DEEPER}and {len(fit.places) - len(shown):,} more places (--all)")])
    return lines
