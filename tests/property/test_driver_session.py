"""Random plans driven as sessions: work that fails, workers that go silent, drivers that die in the middle of a step.

After every event the scheduler's marking is that of the fold (``check`` in the driver's options says so); what the log
holds in the end is a run of the workflow net, whatever happened on the way.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.driver import external, replica
from petri_cli.driver.commands import Job
from petri_cli.driver.deciders import Seeded
from petri_cli.driver.decisions import ByResults
from petri_cli.driver.ending import Outcome
from petri_cli.driver.process import Ended
from petri_cli.driver.readback import Fired as Step
from petri_cli.driver.readback import widths_that_occurred, workflow_run
from petri_cli.driver.threads import Thread, items_of
from petri_cli.driver.verify import Report
from petri_cli.errors import PetriError
from petri_cli.net.firing import is_dead, replay
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.lower import Lowered, lower_execution, lower_workflow
from petri_cli.plan.model import Choice, Loop, Plan
from petri_cli.session.events import Claimed, Fired, Process, Revoked, Verified
from petri_cli.session.memory import MemoryEventStore
from petri_cli.session.state import State
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict
from tests.parts import parts
from tests.sessions import Play, prefixes
from tests.strategies.contended_plans import Document, contended_plan, contended_plans, gated_plan
from tests.virtual_time import run_virtually

drawn = settings(max_examples=40, deadline=None, derandomize=True)


class ByChance(ByResults):
    """Chance decides what a plan leaves open, the same way in every driver of a session."""

    def branch(self, choice: Choice, thread: Thread) -> int:
        return Seeded(7).branch(choice, thread)

    def again(self, loop: Loop, thread: Thread) -> bool:
        return Seeded(7).again(loop, thread)


@pytest.fixture(autouse=True)
def by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "ByResults", ByChance)


class Killed(Exception):
    """The driver is no more."""


class Mortal(MemoryEventStore):
    """The store as one driver sees it, who dies at the n-th commit: before it, or between it and all that follows."""

    def __init__(self, store: MemoryEventStore, dies_at: int | None, late: bool) -> None:
        self.store, self.left, self.late = store, dies_at, late

    @contextmanager
    def writing(self, session: str) -> Iterator[Any]:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Killed
        with self.store.writing(session) as w:
            yield w
            if self.left == 0 and not self.late:
                raise Killed
        if self.left == 0:
            raise Killed

    def state(self, session: str, upto: int | None = None) -> State:
        return self.store.state(session, upto)

    def snapshots(self, session: str) -> dict[int, int]:
        return self.store.snapshots(session)

    def snapshot(self, session: str, state: State) -> int:
        return self.store.snapshot(session, state)

    def last(self, session: str) -> int:
        return self.store.last(session)

    def changed(self) -> int:
        return self.store.changed()


@dataclass
class World:
    """What may happen to a session: chances of failure, silence and death, drawn once."""

    rng: random.Random
    fails: float = 0.0
    silent: float = 0.0
    dies: float = 0.0
    workers: int = 0
    drivers: bool = True
    alive: bool = field(default=False, init=False)

    def play(self, document: Document) -> tuple[Play, Outcome]:
        play = Play(_with_work(document["flow"], self), document["resources"])
        play.fake.seconds = lambda job: self.rng.choice([0.0, 1.0, 5.0, 90.0])
        play.fake.says = _says
        play.fake.verdict = self.verdict
        play.fake.judging = self.rng.choice([0.0, 1.0])
        try:
            return play, run_virtually(self.lives(play), play.loop)
        finally:
            play.close()

    def verdict(self, job: Job, report: Report) -> bool:
        return self.rng.random() >= self.fails

    async def lives(self, play: Play) -> Outcome:
        """One driver after another, with workers that come and go, until one of them sees the end."""
        pull = [asyncio.create_task(self.worker(play, f"w{n}")) for n in range(self.workers)]
        if not self.drivers:
            outcome = await self.visits(play)
            for task in pull:
                task.cancel()
            await asyncio.gather(*pull, return_exceptions=True)
            return outcome
        cap = self.rng.choice([None, None, 1, 2, 3])
        keep_going = self.rng.random() < 0.5
        while True:
            dies_at = self.rng.randrange(1, 20) if self.rng.random() < self.dies else None
            driver = play.driver(max_concurrency=cap, keep_going=keep_going, poll=1.0)
            driver.store = Mortal(play.store, dies_at, self.rng.random() < 0.5)
            try:
                self.alive = True
                outcome = await driver.run()
            except Killed:
                self.alive = False
                await asyncio.sleep(self.rng.choice([0.0, 3.0, 100.0]))
                if not play.state.final:
                    continue
                outcome = Outcome("completed")  # the last thing it did, or workers did without it
            for task in pull:
                task.cancel()
            await asyncio.gather(*pull, return_exceptions=True)
            return outcome

    async def visits(self, play: Play) -> Outcome:
        """Nobody drives: somebody comes by now and then and verifies what was reported."""
        while play.state.ended is None:
            await asyncio.sleep(self.rng.choice([1.0, 30.0]))
            if play.state.ended is None:
                await external.verify(play.store, play.session, play.fake.judge, alive=self.is_alive)
        state = play.state
        assert state.ended is not None
        return Outcome(state.ended, state.why, state.missing)

    def is_alive(self, process: Process) -> bool:
        return self.alive

    async def worker(self, play: Play, name: str) -> None:
        """Claims, and reports in time, late, or never."""
        store, session = play.store, play.session
        while True:
            await asyncio.sleep(self.rng.choice([0.5, 2.0]))
            try:
                work = external.claim(store, session, name, alive=self.is_alive)
                if work is None:
                    continue
                if self.rng.random() < self.silent:
                    continue
                await asyncio.sleep(self.rng.choice([0.0, 10.0, 45.0]))
                if self.rng.random() < 0.5:
                    external.heartbeat(store, session, work.claim, worker=name, alive=self.is_alive)
                    await asyncio.sleep(self.rng.choice([0.0, 45.0, 100.0]))
                output = _list(work.task["task"])
                external.report(store, session, work.claim, output=output, worker=name, alive=self.is_alive)
            except PetriError as error:
                assert error.code in ("PETRI_CLAIM_ENDED", "PETRI_SESSION_ENDED")


def _says(job: Job) -> Ended:
    return Ended(0, output=_list(job.node.id))


def _list(node: str) -> list[int]:
    """What a discovery comes back with: as many items wherever the foreach is met."""
    return list(range(random.Random(node).choice([0, 1, 1, 2, 2])))  # noqa: S311


def _with_work(flow: Document, world: World) -> Document:
    """The flow with bodies for most of its work, and budgets."""
    rng = world.rng
    work: Document = {"maxAttempts": rng.choice([1, 2, 3, 5])}
    if world.drivers and (not world.workers or rng.random() < 0.7):
        work["run"] = "true"
    if rng.random() < 0.5:
        work["verify"] = {"command": "make check"}
    if rng.random() < 0.3:
        work["retry"] = {"delay": "20s", "jitter": 0.5}
    if rng.random() < 0.3:
        work["priority"] = rng.choice([-1, 1])
    ((kind, value),) = flow.items()
    if kind == "task":
        return {"task": {**value, **work}}
    if isinstance(value, list):
        return {kind: [_with_work(v, world) for v in value]}
    own = work if kind == "foreach" and isinstance(value["over"], str) else {}
    return {kind: {**value, **own, "body": _with_work(value["body"], world)}}


def steps(lowered: Lowered, play: Play) -> Iterator[Step]:
    """What produced, in the order of the log."""
    entry = {t.id: t.inputs[0].place for t in lowered.net.transitions}
    begun: dict[str, Claimed] = {}
    for event in play.events:
        match event:
            case Claimed():
                begun[event.claim] = event
            case Fired():
                name = event.consumed[entry[event.transition]][0].name
                yield Step(event.transition, items_of(name), event.at, event.at, event.produced)
            case Verified():
                claim = begun[event.claim]
                yield Step(claim.transition, items_of(claim.thread), claim.at, event.at, event.produced)


def check_log(play: Play) -> None:
    """Of every prefix: units are conserved. Of the whole: nothing passed twice, no budget was overdrawn."""
    plan = plan_of(play)
    budgets = {}
    for node in plan.nodes:
        for tid in (f"t.{node.id}", f"t.foreach.{node.id}.discover"):
            budgets[tid] = getattr(node, "settings", {}).get("maxAttempts", 1)
    tries: Counter[tuple[str, str, tuple[int, ...]]] = Counter()
    passed: Counter[tuple[str, str, tuple[int, ...]]] = Counter()
    begun = {}
    for event, state in prefixes(play.store, play.session):
        if state.revisions:
            for r in plan.resources:
                assert state.free(r.id) + state.held(r.id) == r.capacity, event
        if isinstance(event, Claimed):
            work = begun[event.claim] = event.transition, event.thread, event.rounds
            tries[work] += 1
            assert event.attempt == tries[work] <= budgets[event.transition]
        if isinstance(event, Revoked):  # what was taken back was no attempt
            tries[begun[event.claim]] -= 1
        if isinstance(event, Verified):
            passed[begun[event.claim]] += 1
    assert set(passed.values()) <= {1}


def plan_of(play: Play) -> Plan:
    revision = play.state.plan
    assert revision is not None
    plan, _ = load_plan_text(revision.text.encode(), "plan.json")
    return plan


def check_run(play: Play, outcome: Outcome) -> None:
    plan = plan_of(play)
    lowered = lower_execution(plan)
    done = list(steps(lowered, play))
    found = widths_that_occurred(plan, lowered, done)
    assert all(len(set(each.values())) == 1 for each in found.values())
    widths = {fid: next(iter(each.values())) for fid, each in found.items()}
    workflow = lower_workflow(plan, widths).net
    path = replay(workflow, workflow_run(plan, lowered, done))
    final = {p: n for p, n in (workflow.final or {}).items() if n}
    assert (path[-1] == final) == (outcome.state == "completed")
    assert outcome.state in ("completed", "deadlocked"), outcome
    assert play.state.ended == outcome.state
    starved = any("has had" in sentence for sentence in outcome.missing)
    if outcome.state == "deadlocked" and not starved:
        assert is_dead(workflow, path[-1])
        assert outcome.missing
        assert judge_plan(plan).verdict is not Verdict.SOUND
    assert not play.state.claims or starved


def check(document: Document, world: World) -> Outcome:
    play, outcome = world.play(document)
    check_log(play)
    check_run(play, outcome)
    return outcome


@drawn
@given(contended_plans(), st.integers(0, 2**32))
def test_a_session_is_a_run_of_the_net_whatever_happens_on_the_way(document: Document, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    check(document, World(rng, fails=rng.choice([0.0, 0.1, 0.4]), dies=rng.choice([0.0, 0.5, 0.9])))


@pytest.mark.slow
@drawn
@given(contended_plans(), st.integers(0, 2**32))
def test_workers_that_come_and_go_silent_change_nothing_of_that(document: Document, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    world = World(
        rng, fails=0.1, silent=rng.choice([0.0, 0.2]), dies=rng.choice([0.0, 0.5]), workers=rng.choice([1, 3])
    )
    check(document, world)


@pytest.mark.slow
@drawn
@given(contended_plans(), st.integers(0, 2**32))
def test_visitors_alone_bring_a_session_to_the_same_ends(document: Document, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    check(document, World(rng, rng.choice([0.0, 0.3]), rng.choice([0.0, 0.2]), workers=2, drivers=False))


@pytest.mark.parametrize("block", parts(2))
def test_plans_that_lock_in_any_order_end_completed_or_deadlocked_and_say_so(block: int) -> None:
    ended: set[str] = set()
    for seed in range(block * 20, block * 20 + 20):
        rng = random.Random(seed)  # noqa: S311
        document = gated_plan(rng)
        ended.add(check(document, World(rng, dies=0.3)).state)
    assert ended == {"completed", "deadlocked"}


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_many_sessions(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        rng = random.Random(seed)  # noqa: S311
        world = World(rng, rng.choice([0, 0.2]), rng.choice([0, 0.2]), rng.choice([0, 0.7]), rng.choice([0, 0, 2]))
        check(contended_plan(rng, rng.choice([3, 4])), world)
