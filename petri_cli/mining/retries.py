"""How many attempts work needs until it succeeds, and the retry limit that follows from it.

In a log, retries look like a loop of one activity. What matters for a limit is how many attempts the runs needed that
did succeed. A run that never succeeded says only that it would have needed more than it had: it is censored, and told
apart, never counted as if its last attempt had been the one it needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import ceil

from petri_cli.mining.log import Log

SHARE = 0.95
"""Of the runs that succeeded, those that the suggested limit covers."""

SUCCESS = frozenset(("success", "succeeded", "passed", "ok", "complete", "completed", "done", "true"))
"""Outcomes that count as success, in lower case."""


@dataclass(frozen=True, slots=True)
class Run:
    """The attempts at one activity in one case, one behind the other. succeeded: None where the log does not tell."""

    case: str
    activity: str
    attempts: int
    succeeded: bool | None = None


@dataclass(frozen=True, slots=True)
class RetryAdvice:
    """needed: attempts → runs that succeeded with so many; censored: attempts → runs that never succeeded; suggested:
    the least limit that covers ``share`` of the runs that did; covered: how many of them it covers; beyond: cases that
    needed more. untold: the log has no outcomes, and every run was taken to have succeeded at last."""

    activity: str
    needed: Mapping[int, int]
    censored: Mapping[int, int]
    suggested: int | None
    covered: int
    beyond: tuple[str, ...]
    untold: bool = False

    @property
    def recovered(self) -> int:
        return sum(self.needed.values())

    def rationale(self) -> str:
        """The counts, and what they do not say."""
        runs, lost = self.recovered, sum(self.censored.values())
        if self.suggested is None:
            return f"none of {lost:,} runs ever succeeded: more attempts are not the answer"
        counts = ", ".join(f"{n:,} needed {k:,}" for k, n in self.needed.items())
        enough = "1 attempt covers" if self.suggested == 1 else f"{self.suggested:,} attempts cover"
        told = f"of {runs:,} {'run' if runs == 1 else 'runs'} {counts}; {enough} {self.covered:,} of {runs:,}"
        told += f" ({100 * self.covered / runs:.4g} %)"
        if lost:
            most = max(self.censored)
            told += f"; {lost:,} more never succeeded (within {most:,} at most) and are not counted: they are censored"
        elif self.untold:
            told += (
                "; the log does not tell outcomes: a run that never succeeded would be counted with its last attempt"
            )
        else:
            told += "; no run was censored: every one succeeded in the end"
        return told


def runs_of(log: Log, outcomes: Sequence[str] | None = None, success: Collection[str] = SUCCESS) -> list[Run]:
    """The runs of a log: an activity that follows itself is tried again.

    outcomes: of all events, case after case, in the order of ``Log.cases``, "" where it is not known; in lower case
    those of ``success`` are one. With them, all events of an activity in a case are attempts, whatever went on beside
    them, and one behind a success begins a new run. Without them it is not known how a run ended, and activities that
    no case repeats are left out.
    """
    if outcomes is None:
        return _repeated(log)
    runs: list[Run] = []
    at = 0
    for case, variant in zip(log.cases, log.variant_of, strict=True):
        trace = log.variants[variant]
        runs += _told_runs(case, [log.activities[a] for a in trace], outcomes[at : at + len(trace)], success)
        at += len(trace)
    return runs


def _repeated(log: Log) -> list[Run]:
    """Activities that follow themselves somewhere, as often as they do; worked out once a variant."""
    repeated = {a for trace in log.variants for a, b in pairwise(trace) if a == b}
    of = [
        [(log.activities[a], len(list(group))) for a, group in groupby(trace) if a in repeated]
        for trace in log.variants
    ]
    cases = zip(log.cases, log.variant_of, strict=True)
    return [Run(case, name, n) for case, variant in cases for name, n in of[variant]]


def _told_runs(case: str, trace: Sequence[str], outcomes: Sequence[str], success: Collection[str]) -> Iterator[Run]:
    """The runs of one case. What has no outcome at all was tried as often as it follows itself."""
    told = {name for name, outcome in zip(trace, outcomes, strict=True) if outcome}
    attempts: dict[str, int] = {}
    for name, outcome in zip(trace, outcomes, strict=True):
        if name in told:
            attempts[name] = attempts.get(name, 0) + 1
            if outcome.strip().lower() in success:
                yield Run(case, name, attempts.pop(name), True)
    for name, n in attempts.items():
        yield Run(case, name, n, False)
    for name, group in groupby(trace):
        if name not in told:
            yield Run(case, name, len(list(group)))


def outcomes_of(log: Log) -> list[str] | None:
    """Of all events, case after case; "" where the log has none. None where it has no outcomes at all."""
    times = log.times
    if times is None or times.outcome is None:
        return None
    names = (*times.outcomes, "")  # what is not known is numbered -1
    return [names[code] for code in times.outcome]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An outcome, how many events have it, and whether that was a success."""

    name: str
    events: int
    success: bool


def count_outcomes(log: Log, success: Collection[str] = SUCCESS) -> list[Outcome]:
    """The outcomes that the log tells, the most frequent first."""
    counts = Counter(name for name in outcomes_of(log) or () if name)
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Outcome(name, n, name.strip().lower() in success) for name, n in order]


def retry_advice(runs: Iterable[Run], share: float = SHARE) -> list[RetryAdvice]:
    """Advice for each activity of which a run had a second attempt or failed, by name."""
    by_activity: dict[str, list[Run]] = {}
    for run in runs:
        by_activity.setdefault(run.activity, []).append(run)
    found = [_advice(name, by_activity[name], share) for name in sorted(by_activity)]
    return [a for a in found if a.censored or any(k > 1 for k in a.needed)]


def _advice(activity: str, runs: Sequence[Run], share: float) -> RetryAdvice:
    needed: dict[int, int] = {}
    censored: dict[int, int] = {}
    for run in runs:
        counts = censored if run.succeeded is False else needed
        counts[run.attempts] = counts.get(run.attempts, 0) + 1
    needed, censored = dict(sorted(needed.items())), dict(sorted(censored.items()))
    wanted = ceil(round(share * sum(needed.values()), 9))
    covered, suggested = 0, None
    for attempts, n in needed.items():
        if covered >= wanted:
            break
        covered += n
        suggested = attempts
    beyond = tuple(
        r.case for r in runs if r.succeeded is not False and suggested is not None and r.attempts > suggested
    )
    return RetryAdvice(
        activity, needed, censored, suggested, covered, beyond, untold=any(r.succeeded is None for r in runs)
    )
