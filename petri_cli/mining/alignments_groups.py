"""A log beside a plan whose foreach blocks are as wide as each case has them: one net a group of variants.

What is told of the log is put together from its groups: costs and tokens are added up, and the figures follow from the
sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from petri_cli.mining.alignments import Aligned, Alignments, Move, align
from petri_cli.mining.case_widths import Group
from petri_cli.mining.log import Log
from petri_cli.mining.precision import Precision, precision
from petri_cli.mining.token_play import Counts, Play
from petri_cli.mining.token_replay import Replay, token_replay
from petri_cli.soundness.timer import Deadline, never


@dataclass(frozen=True, slots=True)
class GroupedAlignments(Aligned):
    """parts: of each group, None where its net is too large; place: variant → (group, index in it)."""

    log: Log
    lower: tuple[int, ...]
    upper: tuple[int | None, ...]
    unknown: Counter[str]
    parts: tuple[Alignments | None, ...]
    place: tuple[tuple[int, int], ...]

    def fitness_of(self, variant: int) -> tuple[float, float]:
        group, k = self.place[variant]
        part = self.parts[group]
        return (0.0, 1.0) if part is None else part.fitness_of(k)

    def moves(self, variant: int) -> Sequence[Move] | None:
        group, k = self.place[variant]
        part = self.parts[group]
        return None if part is None else part.moves(k)

    def has(self, activity: str) -> bool:
        return any(part is not None and part.has(activity) for part in self.parts)


def align_groups(log: Log, groups: Sequence[Group], *, deadline: Deadline = never) -> Aligned:
    """Every variant with the net of its group. Raises PetriError as :func:`align` does."""
    if len(groups) == 1 and groups[0].model is not None:
        return align(log, groups[0].model, deadline=deadline)
    parts: list[Alignments | None] = []
    lower: list[int] = [0] * len(log.variants)
    upper: list[int | None] = [None] * len(log.variants)
    place = [(0, 0)] * len(log.variants)
    unknown: Counter[str] = Counter()
    for number, group in enumerate(groups):
        part = None if group.model is None else align(_part(log, group), group.model, deadline=deadline)
        parts.append(part)
        for k, variant in enumerate(group.variants):
            place[variant] = number, k
            if part is not None:
                lower[variant], upper[variant] = part.lower[k], part.upper[k]
        if part is not None:
            unknown.update(part.unknown)
    return GroupedAlignments(log, tuple(lower), tuple(upper), unknown, tuple(parts), tuple(place))


def replay_groups(
    log: Log,
    groups: Sequence[Group],
    *,
    skip_unknown: bool = False,
    deadline: Deadline = never,
    play_deadline: Deadline = never,
) -> Replay | None:
    """The tokens of all groups together, at places by their names; None where a net is too large. Raises as
    :func:`token_replay` does."""
    replays: list[Replay] = []
    for group in groups:
        if group.model is None:
            return None
        part = log if len(groups) == 1 else _part(log, group)
        replays.append(
            token_replay(part, group.model, skip_unknown=skip_unknown, deadline=deadline, play_deadline=play_deadline)
        )
    if len(replays) == 1:
        return replays[0]
    return _joined(log, groups, replays)


def _joined(log: Log, groups: Sequence[Group], replays: Sequence[Replay]) -> Replay:
    counts = [Counts()] * len(log.variants)
    fits: list[bool | None] = [None] * len(log.variants)
    plays: list[Play | None] = [None] * len(log.variants)
    missing: Counter[str] = Counter()
    remaining: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    total = Counts()
    for group, replay in zip(groups, replays, strict=True):
        for k, variant in enumerate(group.variants):
            counts[variant], fits[variant], plays[variant] = replay.counts[k], replay.fits[k], replay.plays[k]
        total += replay.total
        missing.update(replay.missing)
        remaining.update(replay.remaining)
        unknown.update(replay.unknown)
    return Replay(
        log, replays[-1].model, tuple(counts), total, tuple(fits), tuple([p for p in plays if p is not None]),
        missing, remaining, unknown,
    )  # fmt: skip


def precision_groups(aligned: Aligned, deadline: Callable[[], bool] = never) -> Precision:
    """The edges of all groups together, each of which has the prefixes of its own net."""
    parts = aligned.parts if isinstance(aligned, GroupedAlignments) else (aligned,)
    total = Precision(0, 0, 0)
    for part in parts:
        if not isinstance(part, Alignments):
            return replace(total, cut=True)
        one = precision(part, deadline=deadline)
        total = Precision(
            total.allowed + one.allowed, total.escaping + one.escaping, total.cases + one.cases,
            total.left_out + one.left_out, total.cut or one.cut, total.resources_ignored or one.resources_ignored,
        )  # fmt: skip
    return total


def _part(log: Log, group: Group) -> Log:
    """The variants of a group, without their cases, of which nothing is told here."""
    return Log(
        log.activities,
        tuple([log.variants[k] for k in group.variants]),
        tuple([log.counts[k] for k in group.variants]),
    )
