"""What a run came to, whatever ran and in whichever time: the data behind every way of telling it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from petri_cli.driver.outcome import Outcome, outcome
from petri_cli.driver.readback import firings, widths_that_occurred, workflow_run
from petri_cli.driver.simulate import Simulation, TaskRun
from petri_cli.engine.events import Event, TransitionFailed
from petri_cli.engine.executor import Result
from petri_cli.net.firing import replay
from petri_cli.net.model import Net
from petri_cli.plan.lower import lower_workflow
from petri_cli.soundness.waits import Standstill, standstill


class Failure(NamedTuple):
    """A firing that failed: its transition, the type of the error, and what that says."""

    transition: str
    error: str
    message: str

    @classmethod
    def of(cls, event: TransitionFailed) -> Failure:
        return cls(event.transition, event.error, event.message)


@dataclass(frozen=True, slots=True)
class RunReport:
    """How a run of ``net`` ended.

    kind: ``plan`` or ``net``; seed: of a simulated run, else None; seconds: from start to the last step; tasks: of a
    plan; standstill: for a plan that is deadlocked, who waits for whom.
    """

    file: str
    kind: str
    net: Net
    outcome: Outcome
    seconds: float
    result: Result
    failures: tuple[Failure, ...] = ()
    seed: int | None = None
    tasks: tuple[TaskRun, ...] = ()
    standstill: Standstill | None = None

    @property
    def simulated(self) -> bool:
        return self.seed is not None


def report_on_plan(file: str, run: Simulation, seed: int) -> RunReport:
    """The report on a simulated plan."""
    failures = failures_in(run.events)
    stuck = why_stuck(run) if run.outcome == "deadlocked" else None
    return RunReport(
        file, "plan", run.lowered.net, run.outcome, run.seconds, run.result, failures, seed, run.tasks, stuck
    )


def report_on_net(
    file: str, net: Net, result: Result, failures: Sequence[Failure], *, seed: int | None = None
) -> RunReport:
    """The report on a net file."""
    return RunReport(file, "net", net, outcome(net, result), result.duration, result, tuple(failures), seed)


def failures_in(events: Sequence[Event]) -> tuple[Failure, ...]:
    return tuple(Failure.of(e) for e in events if isinstance(e, TransitionFailed))


def why_stuck(run: Simulation) -> Standstill | None:
    """Who waits for whom in the dead marking that ``run`` ended in, read off the workflow net.

    None where the items of a foreach were not equally many each time: no one workflow net has such a run.
    """
    fired = list(firings(run.lowered, run.events))
    widths: dict[str, int] = {}
    for fid, each in widths_that_occurred(run.plan, run.lowered, fired).items():
        if len(set(each.values())) > 1:
            return None
        widths[fid] = next(iter(each.values()))
    workflow = lower_workflow(run.plan, widths)
    steps = workflow_run(run.plan, run.lowered, fired)
    return standstill(run.plan, workflow, steps, replay(workflow.net, steps)[-1])
