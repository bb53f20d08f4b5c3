"""Sessions for tests: a plan committed to a store, workers that do nothing but take their (made-up) time."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from petri_cli.driver.commands import Job
from petri_cli.driver.crew import Start
from petri_cli.driver.ending import Outcome
from petri_cli.driver.process import Ended
from petri_cli.driver.session_driver import Observer, Options, SessionDriver
from petri_cli.driver.verify import Report, Verdict
from petri_cli.engine.tokens import Token, to_ticks
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.lower import lower_execution
from petri_cli.session.events import Process, RevisionCommitted, SessionEvent
from petri_cli.session.fold import apply
from petri_cli.session.memory import MemoryEventStore
from petri_cli.session.state import State
from petri_cli.session.store import EventStore
from tests.virtual_time import VirtualLoop, run_virtually

BASE = 1_700_000_000_000_000
"""Store time at which virtual time begins."""

WORKER = Process(4711, 1, "boot", "host", 4711)


def commit_plan(store: EventStore, session: str, document: dict[str, Any]) -> None:
    """Commit a plan without asking the gate, so that it may be one that gets stuck."""
    text = json.dumps(document)
    plan, _ = load_plan_text(text.encode(), "plan.json")
    with store.writing(session) as w:
        now = w.now()
        initial = lower_execution(plan).net.initial
        marking = {p: (Token(None, now),) * n for p, n in initial.items()}
        digest = hashlib.sha256(text.encode()).hexdigest()
        w.append([RevisionCommitted(now, 1, "json", text, digest, marking, "plan.json")])


@dataclass
class Fake:
    """Performs and judges. What it does is said by functions of the job.

    seconds: how long it works; says: what it ends with; verdict: what the verifier says of it.
    """

    seconds: Callable[[Job], float] = lambda job: 1.0
    says: Callable[[Job], Ended] = lambda job: Ended(0, output=None)
    verdict: Callable[[Job, Report], bool | None] = lambda job, report: report.status == 0
    judging: float = 0.0
    running: set[str] = field(default_factory=set)
    peak: int = 0
    done: list[tuple[str, str, int]] = field(default_factory=list)
    """(task, thread, attempt), in the order in which they ended."""

    async def perform(self, job: Job, timeout: float, start: Start) -> Ended:
        await start(replace(WORKER, pid=4711 + int(job.claim[1:])))
        self.running.add(job.claim)
        self.peak = max(self.peak, len(self.running))
        try:
            seconds = self.seconds(job)
            if seconds > timeout:
                await asyncio.sleep(timeout)
                return Ended(-15, timed_out=True, error=f"timed out after {timeout:g} s")
            await asyncio.sleep(seconds)
        finally:
            self.running.discard(job.claim)
        self.done.append((job.node.id, job.thread.name, job.attempt))
        return self.says(job)

    async def judge(self, job: Job, report: Report) -> Verdict:
        await asyncio.sleep(self.judging)
        passed = self.verdict(job, report)
        return Verdict(passed, "fake", "" if passed else report.error or "the verifier did not pass it")


OpenPlay = Callable[..., "Play"]
"""The fixture ``open_play``: makes a :class:`Play`, which is closed after the test."""


class Play:
    """A session in memory and in virtual time."""

    def __init__(self, flow: Any, resources: list[dict[str, Any]] | None = None, **settings: Any) -> None:
        self.loop = VirtualLoop()
        self.skew = 0
        self.store = MemoryEventStore(clock=self.clock)
        self.session = self.store.create("play")
        commit_plan(self.store, self.session, {"resources": resources or [], "flow": flow, **settings})
        self.options = Options(
            poll=1e9, check=True, signals=False, alive=lambda process: False, wall=self.clock, process=WORKER
        )
        self.fake = Fake()

    def clock(self) -> int:
        return BASE + to_ticks(self.loop.time()) + self.skew

    def driver(self, observers: Sequence[Observer] = (), **options: Any) -> SessionDriver:
        settings = replace(self.options, **options)
        return SessionDriver(self.store, self.session, self.fake.perform, self.fake.judge, settings, observers)

    def run(self, driver: SessionDriver | None = None, **options: Any) -> Outcome:
        driver = driver or self.driver(**options)
        return run_virtually(driver.run(), self.loop)

    @property
    def state(self) -> State:
        return self.store.state(self.session)

    @property
    def events(self) -> list[SessionEvent]:
        return [e.event for e in self.store.read(self.session)]

    def close(self) -> None:
        self.loop.close()


def prefixes(store: EventStore, session: str) -> Iterator[tuple[SessionEvent, State]]:
    """Each event with the state after it (the same object each time)."""
    state = State()
    for entry in store.read(session):
        assert entry.seq == state.seq + 1, "the log has a gap"
        apply(state, entry.event)
        yield entry.event, state


def task(tid: str, **settings: Any) -> dict[str, Any]:
    return {"task": {"id": tid, "run": "true", **settings}}


def failing_until(attempt: int) -> Any:
    return lambda job, report: job.attempt >= attempt


def result(**results: Any) -> Any:
    return lambda job: Ended(0, output=results.get(job.node.id))


class Dead(MemoryEventStore):
    """Of a driver that is no more."""

    @contextmanager
    def writing(self, session: str) -> Iterator[Any]:
        raise OSError("dead")
        yield


def crash(play: Play, after: float, **options: Any) -> SessionDriver:
    """Let a driver run for some time and then vanish."""
    driver = play.driver(**options)

    async def vanish() -> None:
        running = asyncio.create_task(driver.run())
        await asyncio.sleep(after)
        driver.store = Dead()  # whatever it still does, nothing is written
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    run_virtually(vanish(), play.loop)
    return driver


def polling(ready_after: int, **settings: Any) -> tuple[dict[str, Any], Any]:
    loop = {"loop": {"id": "poll", "until": "${look.ready}", "body": task("look"), **settings}}
    rounds = iter(range(1, 1000))
    return loop, lambda job: Ended(0, output={"ready": next(rounds) >= ready_after})
