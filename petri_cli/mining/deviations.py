"""Where a log and a net part: by activity and by place, with the cases that show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.mining.alignments import Alignments
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


def deviations(aligned: Alignments, *, examples: int = 3) -> Sequence[Deviation]:
    """By activity, those with most cases first."""
    raise NotImplementedError


def place_deviations(replay: Replay, *, examples: int = 3) -> Sequence[PlaceDeviation]:
    """By place, those with most cases first."""
    raise NotImplementedError
