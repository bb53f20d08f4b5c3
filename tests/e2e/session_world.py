"""Sessions with real processes: a store in a folder, drivers that are forked from this process and may be killed.

What a task does is to add a line to the file ``effects``. So it can be told afterwards whether what the log says was
done was done, and how often.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from petri_cli.driver.commands import Job
from petri_cli.driver.crew import Start
from petri_cli.driver.local import local_work
from petri_cli.driver.process import Ended
from petri_cli.driver.session_driver import Options, SessionDriver
from petri_cli.driver.verify import Report, Verdict
from petri_cli.errors import PetriError
from petri_cli.plan.load import load_plan_text
from petri_cli.session.events import Claimed, Process, Revoked, SessionEvent, Verified
from petri_cli.session.sqlite import SqliteEventStore
from petri_cli.session.state import State
from petri_cli.session.store import Entry
from tests.sessions import commit_plan, prefixes

STATUS = {"completed": 0, "failed": 1, "deadlocked": 1, "cancelled": 3, "suspended": 5}
BUSY = 4


def effect(seconds: float = 0.0) -> str:
    """A command that takes its time, then leaves its mark."""
    sleep = f"sleep {seconds}; " if seconds else ""
    return f'{sleep}echo "$PETRI_TASK/$PETRI_ITEM/$PETRI_CLAIM" >> effects'


HAS_EFFECT = {"command": 'grep -q "/$PETRI_CLAIM\\$" effects'}
"""The verifier with eyes of its own."""


def task(tid: str, seconds: float = 0.0, **settings: Any) -> dict[str, Any]:
    return {"task": {"id": tid, "run": effect(seconds), "verify": HAS_EFFECT, "maxAttempts": 1000, **settings}}


POINTS = (
    "before claim", "after claim", "during work", "after work", "after report", "during verify", "after verify",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a driver kills itself: at the ``nth`` time that it comes to ``point``."""

    point: str
    nth: int = 1


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class World:
    """One session on a disk."""

    def __init__(self, folder: Path, document: dict[str, Any], name: str | None = None) -> None:
        self.folder = folder
        self.database = folder / "petri.db"
        store = self.store()
        self.session = store.create(name or f"world-{os.getpid()}-{time.monotonic_ns()}")
        commit_plan(store, self.session, document)
        store.close()
        text = store_text(self)
        self.plan, _ = load_plan_text(text.encode(), "plan.json")

    def store(self) -> SqliteEventStore:
        return SqliteEventStore(self.database)

    @property
    def state(self) -> State:
        store = self.store()
        try:
            return store.state(self.session)
        finally:
            store.close()

    @property
    def events(self) -> list[SessionEvent]:
        store = self.store()
        try:
            return [e.event for e in store.read(self.session)]
        finally:
            store.close()

    def effects(self) -> list[str]:
        file = self.folder / "effects"
        return file.read_text().split() if file.exists() else []

    # Drivers

    def fork(self, fault: Fault | None = None, **options: Any) -> int:
        """Start a driver in a process of its own; its number."""
        return fork(lambda: self._drive(fault, options))

    def run(self, fault: Fault | None = None, **options: Any) -> int:
        """Drive to the end; the exit status, or minus the signal."""
        return wait(self.fork(fault, **options))

    def run_on_full_disk(self, room: int) -> int:
        """Drive where no file may become longer than the longest one is now, and ``room`` bytes."""
        longest = max(p.stat().st_size for p in self.folder.iterdir() if p.is_file())

        def limited() -> int:
            resource.setrlimit(resource.RLIMIT_FSIZE, (longest + room, longest + room))
            return self._drive(None, {})

        return wait(fork(limited))

    def _drive(self, fault: Fault | None, options: dict[str, Any]) -> int:
        asked = replace(Options(folder=self.folder / "work", cwd=self.folder, poll=0.02, check=True), **options)
        try:
            return asyncio.run(self._drive_in_loop(fault, asked))
        except PetriError as error:
            sys.stderr.write(f"{error}\n")
            return BUSY if error.code == "PETRI_SESSION_BUSY" else 6

    async def _drive_in_loop(self, fault: Fault | None, options: Options) -> int:
        store = FaultyStore(self.database, fault)
        async with local_work(store, self.session, options) as (perform, judge):
            faulty = FaultyWork(fault, perform, judge)
            acks = Acks(self.folder / "acks")
            driver = SessionDriver(store, self.session, faulty.perform, faulty.judge, options, [acks])
            outcome = await driver.run()
        store.close()
        return STATUS[outcome.state] if outcome.signal is None else 128 + outcome.signal

    # What must hold

    def check(self) -> None:
        """Whatever happened, and whenever."""
        store = self.store()
        try:
            self._check_prefixes(store)
        finally:
            store.close()
        self._check_acks()
        assert self.processes() == []

    def _check_prefixes(self, store: SqliteEventStore) -> None:
        settings = {n.id: getattr(n, "settings", {}) for n in self.plan.nodes}
        begun: dict[str, Claimed] = {}
        tries: Counter[Any] = Counter()
        passed: Counter[Any] = Counter()
        effects = Counter(line.rpartition("/")[2] for line in self.effects())
        for event, state in prefixes(store, self.session):
            if state.revisions:
                for r in self.plan.resources:
                    assert state.free(r.id) + state.held(r.id) == r.capacity, event
            if isinstance(event, Claimed):
                begun[event.claim] = event
                work = event.transition, event.thread, event.rounds
                tries[work] += 1
                assert tries[work] <= settings[event.task.removeprefix("foreach.")].get("maxAttempts", 1)
            if isinstance(event, Revoked):  # no attempt: nothing of it was done if its driver died before it began
                claim = begun[event.claim]
                tries[claim.transition, claim.thread, claim.rounds] -= 1
                assert "before it began" not in event.reason or not effects[event.claim]
            if isinstance(event, Verified):
                claim = begun[event.claim]
                passed[claim.transition, claim.thread, claim.rounds] += 1
                if "effects" in settings.get(claim.task, {}).get("run", ""):
                    assert effects[event.claim] == 1, f"{event.claim} counts, and was done {effects[event.claim]} times"
        assert set(passed.values()) <= {1}

    def _check_acks(self) -> None:
        """Whatever a driver took for written is there."""
        file = self.folder / "acks"
        events = self.events
        for line in file.read_text().splitlines() if file.exists() else []:
            seq, kind, at = line.split()
            event = events[int(seq) - 1]
            assert (event.type, str(event.at)) == (kind, at)

    def processes(self, patience: float = 10.0) -> list[int]:
        """Processes of this session that still run; those that are being ended may take their time."""
        end = time.monotonic() + patience
        while (found := self._processes()) and time.monotonic() < end:
            time.sleep(0.02)
        return found

    def _processes(self) -> list[int]:
        mark = f"PETRI_SESSION={self.session}\0".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if mark in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
                except OSError:
                    pass
        return found


def store_text(world: World) -> str:
    revision = world.state.plan
    assert revision is not None
    return revision.text


class Acks:
    """Writes down what was committed, after it was."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def committed(self, entries: Sequence[Entry], state: State) -> None:
        for entry in entries:
            os.write(self._file, f"{entry.seq} {entry.event.type} {entry.event.at}\n".encode())


class FaultyStore(SqliteEventStore):
    """Kills its process before or after the commit of a claim, a report, or a verdict."""

    def __init__(self, path: Path, fault: Fault | None) -> None:
        super().__init__(path)
        self._fault = fault
        self._seen = 0

    @contextmanager
    def writing(self, session: str) -> Iterator[Any]:
        with super().writing(session) as w:
            before = w.last
            yield w
            kinds = {row[3] for row in w.rows} if w.last > before else set()
            if "Claimed" in kinds:
                self._at("before claim")
        for point, kind in (("after claim", "Claimed"), ("after report", "Reported"), ("after verify", "Verified")):
            if kind in kinds:
                self._at(point)

    def _at(self, point: str) -> None:
        if self._fault is not None and self._fault.point == point:
            self._seen += 1
            if self._seen == self._fault.nth:
                die()


class FaultyWork:
    """Kills its process while work or a verifier runs, or as soon as work has ended."""

    def __init__(
        self,
        fault: Fault | None,
        perform: Callable[[Job, float, Start], Awaitable[Ended]],
        judge: Callable[[Job, Report], Awaitable[Verdict]],
    ) -> None:
        self._fault, self._perform, self._judge = fault, perform, judge
        self._seen: Counter[str] = Counter()

    def _is_at(self, point: str) -> bool:
        self._seen[point] += 1
        return self._fault == Fault(point, self._seen[point])

    async def perform(self, job: Job, timeout: float, start: Start) -> Ended:
        dies = self._is_at("during work")

        async def started(process: Process) -> None:
            await start(process)
            if dies:
                asyncio.get_running_loop().call_later(0.05, die)

        ended = await self._perform(job, timeout, started)
        if self._is_at("after work"):
            die()
        return ended

    async def judge(self, job: Job, report: Report) -> Verdict:
        if self._is_at("during verify"):
            asyncio.get_running_loop().call_later(0.05, die)
            await asyncio.sleep(0.1)
        return await self._judge(job, report)


def fork(main: Callable[[], int]) -> int:
    """Run ``main`` in a child; its number."""
    pid = os.fork()
    if pid:
        return pid
    gc.freeze()  # what the tests have in memory is neither looked through nor copied
    status = 70
    try:
        status = main()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def wait(pid: int) -> int:
    """The exit status of a child, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    wait(pid)
