"""Token replay: tokens missing and remaining while a log is played on a net (Rozinat and van der Aalst 2008)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.soundness.timer import Deadline, never


@dataclass(frozen=True, slots=True)
class Counts:
    """missing, consumed, remaining and produced tokens (m, c, r, p)."""

    missing: int = 0
    consumed: int = 0
    remaining: int = 0
    produced: int = 0

    @property
    def fitness(self) -> float:
        """½(1 − m/c) + ½(1 − r/p); 1 where nothing was to be consumed or produced."""
        lost = self.missing / self.consumed if self.consumed else 0.0
        left = self.remaining / self.produced if self.produced else 0.0
        return (1 - lost) / 2 + (1 - left) / 2


@dataclass(frozen=True, slots=True)
class Replay:
    """counts: of one case of each variant; total: over all cases; fits: whether a complete firing sequence is the
    trace (None: the search for one was cut); missing, remaining: place → tokens over all cases; unknown: activity that
    the model lacks → events."""

    log: Log
    model: LabelledNet
    counts: tuple[Counts, ...]
    total: Counts
    fits: tuple[bool | None, ...]
    missing: Mapping[str, int]
    remaining: Mapping[str, int]
    unknown: Mapping[str, int]

    @property
    def fitness(self) -> float:
        """Of the log: the counts are summed first."""
        return self.total.fitness

    def fitting_cases(self) -> tuple[int, int]:
        """(cases known to fit, cases that may)."""
        raise NotImplementedError


def token_replay(log: Log, model: LabelledNet, *, skip_unknown: bool = False, deadline: Deadline = never) -> Replay:
    """Replay every variant. skip_unknown: events that the model lacks are passed over, as in published figures."""
    raise NotImplementedError
