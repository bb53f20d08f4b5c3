"""What was mined, for a person: the log and its variants, the model, the gate's word, and how well both agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.mining.alignments import Alignments
from petri_cli.mining.deviations import Deviation, PlaceDeviation
from petri_cli.mining.dfg import DirectlyFollows
from petri_cli.mining.log import Log
from petri_cli.mining.token_replay import Replay
from petri_cli.render.look import KEEP, Line, Look, columns, crop, pad, wrap
from petri_cli.render.phrase import listed, many
from petri_cli.soundness.result import Result, Verdict

INDENT = "  "
DEEPER = "    "
MAX_VARIANTS = 8
MAX_ROWS = 10
BAR = 12


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a model and a log agree. precision: None where it was not worked out."""

    aligned: Alignments
    replay: Replay
    precision: float | None
    deviations: Sequence[Deviation]
    places: Sequence[PlaceDeviation]


def draw_log(name: str, log: Log, look: Look, *, everything: bool = False) -> list[Line]:
    """The size of a log, what was wrong with it, and its variants with bars."""
    size = f"{many(log.n_cases, 'case')}, {many(log.n_events, 'event')}, {_activities(len(log.activities))}, "
    size += many(len(log.variants), "variant")
    lines: list[Line] = wrap([("strong", name), ("dim", f"{KEEP} {size}")], look.prose, "", INDENT)
    for why, n in log.dropped.items():
        lines += wrap([("doubt", f"{many(n, 'event')} left out: {why}")], look.prose, INDENT)
    return [*lines, [], [("", INDENT), ("strong", "Variants")], *_variants(log, look, everything)]


def _activities(n: int) -> str:
    return f"{n:,} {'activity' if n == 1 else 'activities'}"


def _variants(log: Log, look: Look, everything: bool) -> list[Line]:
    order = sorted(range(len(log.variants)), key=lambda k: (-log.counts[k], k))
    shown = order if everything else order[:MAX_VARIANTS]
    most = max(log.counts, default=1)
    done, rest = ("█", "░") if look.signs else ("#", ".")
    lines: list[Line] = []
    for k in shown:
        n = log.counts[k]
        full = max(1, BAR * n // most) if n else 0
        share = f"{100 * n / log.n_cases:5.1f} %"
        head: Line = [
            ("", DEEPER),
            ("lane0", done * full),
            ("dim", rest * (BAR - full)),
            ("", f"{n:>8,} "),
            ("dim", share),
        ]
        room = max(20, look.width - len(DEEPER) - BAR - 18)
        head.append(("", f"{INDENT}{crop(_trace(log, k), room)}"))
        lines.append(head)
    left = len(order) - len(shown)
    if left:
        cases = sum(log.counts[k] for k in order[len(shown) :])
        lines.append([("dim", f"{DEEPER}and {left:,} more, of {many(cases, 'case')} (--all)")])
    return lines


def _trace(log: Log, variant: int) -> str:
    """A trace in words; an activity that is repeated is told once."""
    told: list[str] = []
    for name in log.named(log.variants[variant]):
        if told and (told[-1] == name or told[-1].startswith(f"{name} ×")):
            n = int(told[-1].rpartition("×")[2]) if told[-1] != name else 1
            told[-1] = f"{name} ×{n + 1}"
        else:
            told.append(name)
    return " → ".join(told) if told else "(no event)"


def draw_graph(graph: DirectlyFollows, look: Look, *, everything: bool = False) -> list[Line]:
    """The directly-follows graph, the most frequent edges first."""
    edges = sorted(graph.follows.items(), key=lambda e: (-e[1], e[0]))
    shown = edges if everything else edges[: 2 * MAX_ROWS]
    lines: list[Line] = [[], [("", INDENT), ("strong", "What directly follows what")]]
    for (a, b), n in shown:
        lines.append([("", DEEPER), ("", f"{n:>9,}  {graph.activities[a]} → {graph.activities[b]}")])
    if len(edges) > len(shown):
        lines.append([("dim", f"{DEEPER}and {len(edges) - len(shown):,} more edges (--all)")])
    return lines


def draw_model(title: str, rows: Sequence[str], notes: Sequence[str], result: Result, look: Look) -> list[Line]:
    """What was found, what the miner cannot see in this log, and what the gate says of it."""
    lines: list[Line] = [[], [("", INDENT), ("strong", title)]]
    for row in rows:
        lines += wrap([("", row)], look.prose, DEEPER, DEEPER + INDENT)
    for note in notes:
        lines += wrap([("doubt", note)], look.prose, DEEPER, DEEPER + INDENT)
    style, sign = {
        Verdict.SOUND: ("good", "✓"),
        Verdict.UNSOUND: ("bad", "✗"),
        Verdict.UNKNOWN: ("doubt", "·"),
    }[result.verdict]
    why = f"by {result.evidence}" if result.sound else result.message.removeprefix(f"{result.code}: ")
    if result.counterexample is not None:
        why = result.counterexample.sentence
    return [*lines, *wrap([(style, f"{sign}{KEEP}{result.verdict.value}"), ("", f"{KEEP} {why}")], look.prose, DEEPER)]


def draw_fit(fit: Fit, log: Log, look: Look) -> list[Line]:
    """Fitness by exact alignments, token replay beside it, and where the log and the model part."""
    lines: list[Line] = [[], [("", INDENT), ("strong", "How well they agree")]]
    low, high = fit.aligned.fitness()
    least, most = fit.aligned.cost()
    known, maybe = fit.aligned.fitting_cases()
    cost = f"{least:,}" if most == least else f"between {least:,} and {'any' if most is None else format(most, ',')}"
    fits = f"{known:,}" if known == maybe else f"{known:,} to {maybe:,}"
    rows = [
        (
            "fitness",
            f"{_number(low, high)}",
            f"exact alignments of cost {cost}; {fits} of {many(log.n_cases, 'case')} fit",
        ),
    ]
    c = fit.replay.total
    rows.append(
        (
            "token replay",
            f"{c.fitness:.6f}",
            f"missing {c.missing:,} of {c.consumed:,}, remaining {c.remaining:,} of {c.produced:,}",
        )
    )
    if fit.precision is not None:
        rows.append(("precision", f"{fit.precision:.6f}", "by escaping edges"))
    for name, value, why in rows:
        lines += wrap(
            [("", f"{name:<13}".replace(" ", KEEP)), ("strong", value), ("dim", f"{KEEP} {why}")], look.prose, DEEPER
        )
    return [*lines, *_deviations(fit, look)]


def _number(low: float, high: float) -> str:
    return f"{low:.6f}" if low == high else f"{low:.6f} to {high:.6f}"


def _deviations(fit: Fit, look: Look) -> list[Line]:
    if not fit.deviations:
        return []
    lines: list[Line] = [[], [("", INDENT), ("strong", "Where they part")]]
    widest = min(max(columns(d.activity) for d in fit.deviations[:MAX_ROWS]), look.width // 3)
    for d in fit.deviations[:MAX_ROWS]:
        said = [f"{d.extra:,} too many"] if d.extra else []
        said += [f"{d.skipped:,} too few"] if d.skipped else []
        said += ["unknown to the model"] if not d.known else []
        text = f"{', '.join(said)}, in {many(d.cases, 'case')}, such as {listed(list(d.examples))}"
        lines += wrap(
            [*pad([("", crop(d.activity, widest))], widest), ("", KEEP), ("dim", f" {text}")],
            look.prose,
            DEEPER,
            DEEPER * 2,
        )
    if len(fit.deviations) > MAX_ROWS:
        lines.append([("dim", f"{DEEPER}and {len(fit.deviations) - MAX_ROWS:,} more activities")])
    for p in fit.places[:3]:
        said = [f"{p.missing:,} missing"] if p.missing else []
        said += [f"{p.remaining:,} left over"] if p.remaining else []
        lines += wrap([("dim", f"place {p.place}: {', '.join(said)}, in {many(p.cases, 'case')}")], look.prose, DEEPER)
    return lines
