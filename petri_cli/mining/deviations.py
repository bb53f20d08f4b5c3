"""Where a log and a net part: by activity and by place, with the cases that show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from petri_cli.mining.alignments import Aligned, Kind
from petri_cli.mining.log import Log
from petri_cli.mining.token_replay import Replay


@dataclass(frozen=True, slots=True)
class Deviation:
    """Of one activity. extra: events the net could not match (log moves); skipped: steps the log lacks (model moves);
    cases: with any of them; examples: ids of the first; known: whether the net has the activity at all."""

    activity: str
    extra: int
    skipped: int
    cases: int
    examples: tuple[str, ...]
    known: bool


@dataclass(frozen=True, slots=True)
class PlaceDeviation:
    """Tokens missing and remaining at one place over all cases of a replay; cases and examples as above."""

    place: str
    missing: int
    remaining: int
    cases: int
    examples: tuple[str, ...]


@dataclass(slots=True)
class _Tally:
    """Two counts over all cases, and the variants that add to them."""

    first: int = 0
    second: int = 0
    variants: dict[int, None] = field(default_factory=dict)


def deviations(aligned: Aligned, *, examples: int = 3) -> Sequence[Deviation]:
    """By activity, those with most cases first. Variants whose alignment is not known are left out."""
    log = aligned.log
    tallies: dict[str, _Tally] = {}
    for k, n in enumerate(log.counts):
        if aligned.upper[k] == 0:
            continue
        for move in aligned.moves(k) or ():
            if move.activity is None or move.kind not in (Kind.LOG, Kind.MODEL):
                continue
            tally = tallies.setdefault(move.activity, _Tally())
            tally.first += n if move.kind is Kind.LOG else 0
            tally.second += n if move.kind is Kind.MODEL else 0
            tally.variants[k] = None
    shown = _first_cases(log, tallies, examples)
    told = [
        Deviation(activity, t.first, t.second, _cases(log, t), shown[activity], aligned.has(activity))
        for activity, t in tallies.items()
    ]
    return sorted(told, key=lambda d: (-d.cases, d.activity))


def place_deviations(replay: Replay, *, examples: int = 3) -> Sequence[PlaceDeviation]:
    """By place, those with most cases first."""
    log = replay.log
    tallies: dict[str, _Tally] = {}
    for k, (play, n) in enumerate(zip(replay.plays, log.counts, strict=True)):
        for place, m in play.missing:
            tally = tallies.setdefault(place, _Tally())
            tally.first += m * n
            tally.variants[k] = None
        for place, r in play.remaining:
            tally = tallies.setdefault(place, _Tally())
            tally.second += r * n
            tally.variants[k] = None
    shown = _first_cases(log, tallies, examples)
    told = [PlaceDeviation(p, t.first, t.second, _cases(log, t), shown[p]) for p, t in tallies.items()]
    return sorted(told, key=lambda d: (-d.cases, d.place))


def _cases(log: Log, tally: _Tally) -> int:
    return sum(log.counts[k] for k in tally.variants)


def _first_cases(log: Log, tallies: Mapping[str, _Tally], limit: int) -> dict[str, tuple[str, ...]]:
    """For each tally its first cases, in the order of the document. One look at each case."""
    wanted: dict[int, list[int]] = {k: [] for t in tallies.values() for k in t.variants}
    for case, variant in enumerate(log.variant_of):
        firsts = wanted.get(variant)
        if firsts is not None and len(firsts) < limit:
            firsts.append(case)

    def first(variants: Iterable[int]) -> tuple[str, ...]:
        return tuple(log.cases[c] for c in sorted(c for k in variants for c in wanted[k])[:limit])

    return {name: first(t.variants) for name, t in tallies.items()}
