"""Plans on the engine: what a run does, the workflow net that was judged can do; and what was judged, holds.

Random plans run under random schedules: durations, priorities, bounds of concurrency, decisions and widths by chance.
Every run is read back from its events and replayed by the plain firing rule on the workflow net with cyclic loops, at
the widths that occurred.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.driver.readback import firings, widths_that_occurred, workflow_run
from petri_cli.driver.simulate import Simulation, simulate
from petri_cli.engine.virtual_executor import Duration
from petri_cli.net.firing import is_dead, replay
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.lower import END, lower_workflow, resource_place
from petri_cli.plan.model import Foreach, Plan, Task
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict
from tests.strategies.contended_plans import Document, contended_plan, contended_plans, gated_plan

drawn = settings(max_examples=60, deadline=None, derandomize=True)


def load(document: Document) -> Plan:
    plan, _ = plan_from_data(document)
    return plan


def scheduled(plan: Plan, rng: random.Random) -> Simulation:
    """A run of ``plan`` under a schedule drawn from ``rng``."""
    seconds = rng.choice([(0.0,), (1.0,), (0.0, 1.0), (0.1, 1.0, 5.0, 90.0)])
    durations = {t.id: _duration(rng, seconds) for t in plan.tasks()}
    wide = {n.id: rng.choice([0, 1, 1, 2, 2, 3]) for n in plan.nodes if isinstance(n, Foreach)}
    limits = {n.id: n.max_width for n in plan.nodes if isinstance(n, Foreach) and n.max_width is not None}
    widths = {fid: min(n, limits.get(fid, n)) for fid, n in wide.items()}
    if rng.random() < 0.5:
        priorities = (
            replace(n, settings={"priority": rng.choice([-1, 0, 1])}) if isinstance(n, Task) else n for n in plan.nodes
        )
        plan = replace(plan, nodes=tuple(priorities))
    cap = rng.choice([None, None, 1, 2, 3, 5])
    return simulate(plan, seed=rng.randrange(2**32), widths=widths, durations=durations, max_concurrency=cap)


def _duration(rng: random.Random, seconds: tuple[float, ...]) -> Duration:
    return rng.choice(seconds) if rng.random() < 0.5 else lambda chances: chances.expovariate(1.0)


def widths_of(run: Simulation) -> dict[str, int]:
    """foreach id → its width, which is the same wherever it was met; whatever was not met may have any."""
    fired = firings(run.lowered, run.events)
    found = widths_that_occurred(run.plan, run.lowered, fired)
    assert all(len(set(each.values())) == 1 for each in found.values())
    return {fid: next(iter(each.values())) for fid, each in found.items()}


def check_run(run: Simulation) -> None:
    """The run is one of the workflow net, and it ended there as it ended here."""
    plan = run.plan
    workflow = lower_workflow(plan, widths_of(run)).net
    path = replay(workflow, workflow_run(plan, run.lowered, firings(run.lowered, run.events)))
    final = {p: n for p, n in (workflow.final or {}).items() if n}
    assert (path[-1] == final) == (run.outcome == "completed")
    assert run.outcome in ("completed", "deadlocked"), run.failures
    assert is_dead(workflow, path[-1])
    for r in plan.resources:
        assert path[-1].get(resource_place(r.id), 0) == run.result.counts.get(resource_place(r.id), 0)
    assert path[-1].get(END, 0) == run.result.counts.get(END, 0)
    assert [(t.name, t.value) for t in run.result.marking.get(END, ())] in ([], [("", None)]), "something is left over"


def check(plan: Plan, rng: random.Random, runs: int) -> Iterator[Simulation]:
    verdict = judge_plan(plan).verdict
    for _ in range(runs):
        run = scheduled(plan, rng)
        check_run(run)
        if verdict is Verdict.SOUND:
            assert run.outcome == "completed"
        yield run


@drawn
@given(contended_plans(), st.integers(0, 2**32))
def test_every_run_replays_on_the_workflow_net_and_a_sound_plan_always_ends(document: Document, seed: int) -> None:
    for _ in check(load(document), random.Random(seed), 4):  # noqa: S311
        pass


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_plans_that_lock_in_any_order_replay_and_some_of_them_get_stuck(block: int) -> None:
    ended: set[str] = set()
    for seed in range(block * 40, block * 40 + 40):
        rng = random.Random(seed)  # noqa: S311
        ended |= {run.outcome for run in check(load(gated_plan(rng)), rng, 3)}
    assert ended == {"completed", "deadlocked"}


def fan_out(rng: random.Random) -> Document:
    """A foreach of everything in everything, without resources: what keeps its items apart is their names alone."""
    numbers = count(1)

    def block(depth: int) -> Document:
        kind = rng.choice(["foreach", "parallel", "parallel", "seq", "choice", "loop"]) if depth else "task"
        if kind == "task":
            return {"task": {"id": f"t{next(numbers)}"}}
        if kind == "foreach":
            return {"foreach": {"id": f"f{next(numbers)}", "over": "items", "body": block(depth - 1)}}
        if kind == "loop":
            delay = rng.choice([{}, {}, {"delay": "2s"}])
            return {"loop": {"id": f"l{next(numbers)}", "maxIterations": 3, "body": block(depth - 1), **delay}}
        return {kind: [block(rng.randrange(depth)) for _ in range(2)]}

    return {"flow": {"foreach": {"id": "root", "over": "items", "body": block(3)}}}


@pytest.mark.parametrize("block", range(3))
def test_items_never_mix_whatever_overtakes_what(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        rng = random.Random(seed)  # noqa: S311
        for run in check(load(fan_out(rng)), rng, 3):
            assert run.outcome == "completed"


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_many_runs_of_many_plans_replay(block: int) -> None:
    for seed in range(block * 250, block * 250 + 250):
        rng = random.Random(seed)  # noqa: S311
        for _ in check(load(contended_plan(rng, rng.choice([3, 4, 5]))), rng, 4):
            pass
