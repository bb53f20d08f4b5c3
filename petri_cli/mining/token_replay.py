"""Token replay: tokens missing and remaining while a log is played on a net.

A. Rozinat and W. M. P. van der Aalst, "Conformance Checking of Processes Based on Monitoring Real Behavior",
Information Systems 33(1), 2008, section 4. An event whose transition is not enabled first has silent ones fire, the
fewest that enable it; where none can, the missing tokens are put there and counted. At the end silent ones fire again,
so that least is missing and least remains.

Which silent transitions to fire is a guess that looks no further than the next event, so a replay alone may find fault
with a trace that fits. So whether a trace fits is not taken from the counts: it fits when it is a complete firing
sequence, and that is decided by the search for alignments (cost 0), whose sequence then gives the counts.

An event of an activity that the net lacks counts as one token that is missing and one that remains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from petri_cli.errors import PetriError
from petri_cli.mining.alignments_model import Prepared, prepare
from petri_cli.mining.alignments_path import fired
from petri_cli.mining.alignments_solve import solve
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.token_play import Counts, OutOfTimeError, Play, Player
from petri_cli.soundness.timer import Deadline, never

__all__ = ["Counts", "OutOfTimeError", "Replay", "token_replay"]

MAX_STATES = 1_000_000
"""Markings, and entries of layers, of the search that decides what fits."""


@dataclass(frozen=True, slots=True)
class Replay:
    """counts: of one case of each variant; total: over all cases; fits: whether a complete firing sequence is the
    trace (None: the search for one was cut); plays: for each variant where tokens were missing and remained; missing,
    remaining: place → tokens over all cases; unknown: activity that the model lacks → events."""

    log: Log
    model: LabelledNet
    counts: tuple[Counts, ...]
    total: Counts
    fits: tuple[bool | None, ...]
    plays: tuple[Play, ...]
    missing: Mapping[str, int]
    remaining: Mapping[str, int]
    unknown: Mapping[str, int]

    @property
    def fitness(self) -> float:
        """Of the log: the counts are summed first."""
        return self.total.fitness

    def fitting_cases(self) -> tuple[int, int]:
        """(cases known to fit, cases that may)."""
        told = list(zip(self.fits, self.log.counts, strict=True))
        return sum(n for fits, n in told if fits), sum(n for fits, n in told if fits is not False)


def token_replay(
    log: Log,
    model: LabelledNet,
    *,
    skip_unknown: bool = False,
    deadline: Deadline = never,
    play_deadline: Deadline = never,
) -> Replay:
    """Replay every variant. skip_unknown: events that the model lacks are passed over, as in published figures;
    deadline: of the search that decides what fits, past which it is not known of some.

    Raises PetriError ``PETRI_NOT_WORKFLOW_NET`` where the net has no end, and OutOfTimeError where ``play_deadline``
    passes before all is counted: part of the counts says nothing.
    """
    prepared = prepare(log, model)
    player = Player(prepared.compiled, prepared.labels, play_deadline)
    fits, complete = _decide(prepared, player, deadline)
    played = [play or player.play(trace) for trace, play in zip(prepared.traces, complete, strict=True)]
    fits = [True if play.complete else verdict for play, verdict in zip(played, fits, strict=True)]
    counts: list[Counts] = []
    verdicts: list[bool | None] = []
    for variant, k in zip(log.variants, prepared.trace_of, strict=True):
        extra = 0 if skip_unknown else len(variant) - len(prepared.traces[k])
        counts.append(played[k].counts + Counts(extra, extra, extra, extra))
        verdicts.append(False if extra else fits[k])
    plays = tuple([played[k] for k in prepared.trace_of])
    total = Counts()
    missing: dict[str, int] = {}
    remaining: dict[str, int] = {}
    for play, count, n in zip(plays, counts, log.counts, strict=True):
        total += count * n
        for place, m in play.missing:
            missing[place] = missing.get(place, 0) + m * n
        for place, r in play.remaining:
            remaining[place] = remaining.get(place, 0) + r * n
    in_order = model.net.place_ids()
    return Replay(
        log,
        model,
        tuple(counts),
        total,
        tuple(verdicts),
        plays,
        _ordered(missing, in_order),
        _ordered(remaining, in_order),
        prepared.unknown,
    )


def _decide(prepared: Prepared, player: Player, deadline: Deadline) -> tuple[list[bool | None], list[Play | None]]:
    """Which traces fit, and the plays of those that do."""
    try:
        solved = solve(prepared, MAX_STATES, deadline, most=0)
    except PetriError as error:
        if error.code != "PETRI_NO_COMPLETE_RUN":
            raise
        return [False] * len(prepared.traces), [None] * len(prepared.traces)
    fits: list[bool | None] = []
    plays: list[Play | None] = []
    for k, (low, high) in enumerate(zip(solved.found.lower, solved.found.upper, strict=True)):
        steps = solved.path(k) if high == 0 else None
        fits.append(True if high == 0 else False if low else None)
        plays.append(None if steps is None else player.fire_all(fired(steps)))
    return fits, plays


def _ordered(tokens: Mapping[str, int], places: tuple[str, ...]) -> dict[str, int]:
    return {p: tokens[p] for p in places if p in tokens}
