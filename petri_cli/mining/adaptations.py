"""What the evidence suggests to change, each with the counts that back it, and what it only has to say.

Numbers may be changed by a revision: that is reversible arithmetic. Structure never is: what was never fired, or holds
everybody up, is told and left to people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from petri_cli.mining.evidence import Evidence, ResourceEvidence, TaskEvidence
from petri_cli.plan.model import Plan, Task

RETRY_PROBE_CEILING = 1
"""Attempts that a step which has never succeeded gets on top of what its first plan allowed, once."""
ENOUGH = 20
"""Observations below which no duration is taken for the rule."""
RUNS = 3
"""Sessions below which no limit is made tighter: the attempts of one session had the same machine on the same day."""
LEAST_TIMEOUT = 60.0
"""Seconds that any task may be late by on a machine that is busy: no limit is suggested below."""
WORTH_SECONDS = 1.0
"""Waiting, all together, below which a resource is not said to be short: a machine's own moments are as long."""
HEADROOM = 1.5
"""A limit on time leaves this much above the 99th percentile."""
BOTTLENECK = 0.1
"""Share of all time spent waiting for a resource from which on it is worth a word."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """suggested None: nothing is to be changed by itself; ``evidence`` holds counts, and the sessions behind them."""

    kind: str
    target: str
    current: Any
    suggested: Any
    rationale: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reversible(self) -> bool:
        return self.suggested is not None and self.kind in ("maxAttempts", "resourceCapacity", "timeout", "lease")

    def as_data(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "target": self.target,
            "current": self.current,
            "suggested": self.suggested,
            "rationale": self.rationale,
            "evidence": dict(self.evidence),
        }


Setting = Callable[[Task, str], Any]
"""A setting of a task: its own, else the plan's default, else the language's."""


def adaptations(
    plan: Plan,
    evidence: Evidence,
    setting: Setting,
    demand: Mapping[str, float],
    sound_with: Callable[[str, int], bool],
) -> list[Adaptation]:
    """All of them, in the order of the plan. demand: most units of a resource that the plan can ever use at one time;
    sound_with: whether the plan stays sound with a resource at another capacity."""
    found: list[Adaptation] = []
    for task in plan.tasks():
        of = evidence.tasks[task.id]
        found += _rejected(task, of, setting(task, "maxAttempts"))
        found += _attempts(task, of, setting(task, "maxAttempts"))
        found += _timeout(task, of, setting(task, "timeout"))
    for resource in plan.resources:
        found += _capacity(
            resource.capacity, evidence.resources[resource.id], evidence, demand.get(resource.id, 0), sound_with
        )
    return found + _dead(plan, evidence)


def _rejected(task: Task, of: TaskEvidence, current: int) -> list[Adaptation]:
    """A person's no is no accident that another attempt might get around."""
    gone = of.rejected
    if not gone:
        return []
    why = (
        f"used up its attempts in {_n_of(len(gone), len(of.streaks))} pieces of work because a person rejected what "
        "was done; whether it is to be tried again is for people to say, and nothing is changed"
    )
    counts = {"rejected": len(gone), "of": len(of.streaks), "sessions": sorted({s.session for s in gone})}
    return [Adaptation("maxAttempts", f"t.{task.id}", current, None, why, counts)]


def _attempts(task: Task, of: TaskEvidence, current: int) -> list[Adaptation]:
    gone = of.exhausted
    if not gone:
        return []
    target = f"t.{task.id}"
    counts = {
        "exhausted": len(gone),
        "committed": len(of.passed),
        "worstStreak": of.worst,
        "of": len(of.streaks),
        "sessions": sorted({s.session for s in gone}),
    }
    if of.passed:
        if of.worst + 1 <= current:
            return []
        why = (
            f"hit its budget of {current} in {_n_of(len(gone), len(of.streaks))} pieces of work, yet committed in "
            f"{len(of.passed):,} (worst streak {of.worst}); the failures are transient. The {len(gone):,} that never "
            "recovered are counted apart: how many attempts they would have needed is not known"
        )
        return [Adaptation("maxAttempts", target, current, of.worst + 1, why, counts)]
    first = of.allowed[0] if of.allowed else current
    if current >= first + RETRY_PROBE_CEILING:
        why = (
            f"has never succeeded, in {len(of.streaks):,} pieces of work, and has had its one attempt more: "
            "more patience is not the answer"
        )
        return [Adaptation("maxAttempts", target, current, None, why, counts)]
    why = (
        f"has never succeeded, in {len(of.streaks):,} pieces of work; it gets one more attempt, once. If that fails, "
        "too, more patience is not the answer"
    )
    return [Adaptation("maxAttempts", target, current, first + RETRY_PROBE_CEILING, why, counts)]


def _timeout(task: Task, of: TaskEvidence, current: float) -> list[Adaptation]:
    n = len(of.seconds)
    if n < ENOUGH or not current:
        return []
    p99, runs = percentile(of.seconds, 0.99), len({s.session for s in of.passed})
    ample = _rounded(p99 * HEADROOM)
    wanted: float | None = max(LEAST_TIMEOUT, ample)
    counts = {"n": n, "p50": percentile(of.seconds, 0.5), "p99": p99, "longest": max(of.seconds), "runs": runs}
    why = f"of {n:,} attempts that passed, 99 % took up to {_seconds(p99)} s: "
    if p99 > current * 0.8:
        why += f"{'more than' if p99 > current else 'close to'} the limit of {_seconds(current)} s"
        wanted = ample
    elif max(LEAST_TIMEOUT, ample) * 10 < current:
        why += f"one that hangs is noticed after {_seconds(current)} s"
        if runs < RUNS:
            wanted, why = None, f"{why}; {_n_of(runs, RUNS)} runs that a tighter limit would be suggested by"
    else:
        return []
    return [Adaptation("timeout", f"t.{task.id}", current, wanted, why, counts)]


def _capacity(
    current: int,
    of: ResourceEvidence,
    evidence: Evidence,
    demand: float,
    sound_with: Callable[[str, int], bool],
) -> list[Adaptation]:
    found: list[Adaptation] = []
    n = len(of.starved)
    counts = {
        "starved": n,
        "acquisitions": of.acquisitions,
        "busiest": of.busiest,
        "secondsWaited": round(of.waited, 3),
        "sessions": sorted({s for s, _, _ in of.starved}),
    }
    if n and current == 1:
        why = (
            f"{n:,} further acquisition(s) were otherwise ready while it was taken (of {of.acquisitions:,}); "
            "a capacity of 1 is a lock, and whether two may hold it is for people to say"
        )
        found.append(Adaptation("resourceCapacity", of.resource, current, None, why, counts))
    elif n and of.waited < WORTH_SECONDS:
        why = (
            f"drained to zero while {n:,} further acquisition(s) were otherwise ready (of {of.acquisitions:,}), which "
            f"got it after {of.waited:.2g} s of waiting, all together: below {WORTH_SECONDS:g} s nothing is to be "
            "gained, and nothing is changed"
        )
        found.append(Adaptation("resourceCapacity", of.resource, current, None, why, counts))
    elif n and current < demand and sound_with(of.resource, current + 1):
        why = (
            f"drained to zero while {n:,} further acquisition(s) were otherwise ready (of {of.acquisitions:,}); "
            "widening it raises real concurrency"
        )
        found.append(Adaptation("resourceCapacity", of.resource, current, current + 1, why, counts))
    total = sum(evidence.makespans)
    if total and of.waited >= WORTH_SECONDS and of.waited / total >= BOTTLENECK:
        share = of.waited / total
        runs = len(evidence.completed)
        much = f"{share:.0%} of their time" if share <= 1 else f"{share:.1f} times as long as they took"
        why = f"{of.waited:,.1f} s were spent waiting for it in {runs:,} completed run(s), all together {much}"
        found.append(Adaptation("bottleneck", of.resource, current, None, why, counts))
    return found


def _dead(plan: Plan, evidence: Evidence) -> list[Adaptation]:
    """Tasks that no completed run ever did."""
    n = len(evidence.completed)
    if not n:
        return []
    return [
        Adaptation(
            "deadTransition",
            f"t.{t.id}",
            0,
            None,
            f"never fired in {n:,} completed run(s); it is reported, and nothing is changed",
            {"completed": n, "fired": 0},
        )
        for t in plan.tasks()
        if not evidence.fired.get(f"t.{t.id}")
    ]


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least ``share`` of all values do not exceed (nearest rank)."""
    ordered = sorted(values)
    rank = max(1, -(-int(share * len(ordered) * 1_000_000) // 1_000_000))
    return ordered[min(rank, len(ordered)) - 1]


def _rounded(seconds: float) -> float:
    """Up to two digits: nobody sets a limit to the millisecond."""
    if seconds <= 1:
        return 1.0
    return float(f"{seconds:.2g}")


def _seconds(value: float) -> str:
    """To three digits, and never as a power of ten."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _n_of(n: int, of: int) -> str:
    return f"{n:,} of {of:,}"
