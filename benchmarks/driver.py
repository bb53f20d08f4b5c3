"""What a session costs a task: ``python -m benchmarks.driver [--quick]`` prints a table.

A task runs ``true``. It is set against starting ``true`` with ``subprocess`` and nothing else, and against a driver
whose workers do nothing, so that what is left is the log and the net.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.table import machine, print_table
from petri_cli.driver.commands import Job
from petri_cli.driver.commit import Document, commit
from petri_cli.driver.crew import Judge, Perform, Start
from petri_cli.driver.local import local_work
from petri_cli.driver.process import Ended
from petri_cli.driver.session_driver import Options, SessionDriver
from petri_cli.driver.verify import Report, Verdict
from petri_cli.plan.load import load_plan_text
from petri_cli.session.events import Process
from petri_cli.session.memory import MemoryEventStore
from petri_cli.session.sqlite import SqliteEventStore
from petri_cli.session.store import EventStore
from petri_cli.soundness.plans import judge_plan

NOBODY = Process(1, 1, "", "", 1)


async def nothing(job: Job, timeout: float, start: Start) -> Ended:
    await start(NOBODY)
    return Ended(0)


async def pass_all(job: Job, report: Report) -> Verdict:
    return Verdict(True, "nobody")


def in_a_row(n: int) -> str:
    tasks = ", ".join(f"{{task: {{id: t{k}, run: [/bin/true]}}}}" for k in range(n))
    return f"name: row\nflow: {{seq: [{tasks}]}}\n"


def side_by_side(n: int) -> str:
    body = "{task: {id: t, run: [/bin/true]}}"
    return f"name: wide\nflow: {{foreach: {{id: f, over: {list(range(n))}, body: {body}}}}}\n"


def session(store: EventStore, text: str) -> str:
    plan, _ = load_plan_text(text.encode(), "plan.yaml")
    name = store.create("bench")
    commit(store, name, Document(text, "plan.yaml"), plan, judge_plan(plan))
    return name


def drive(store: EventStore, name: str, folder: Path, most: int | None, *, real: bool) -> None:
    options = Options(folder=folder, cwd=folder, max_concurrency=most, signals=False, wait=False)

    async def run(perform: Perform, judge: Judge) -> None:
        outcome = await SessionDriver(store, name, perform, judge, options).run()
        assert outcome.state == "completed", outcome

    async def run_really() -> None:
        async with local_work(store, name, options) as (perform, judge):
            await run(perform, judge)

    asyncio.run(run_really() if real else run(nothing, pass_all))


def subprocess_alone(n: int, most: int) -> Callable[[Path], None]:
    def run(folder: Path) -> None:
        for _ in range(0, n, most):
            children = [subprocess.Popen(["/bin/true"], start_new_session=True) for _ in range(most)]
            for child in children:
                child.wait()

    return run


def driven(text: str, most: int | None, *, real: bool, sqlite: bool = True) -> Callable[[Path], None]:
    def run(folder: Path) -> None:
        store: Any = SqliteEventStore(folder / "petri.db") if sqlite else MemoryEventStore()
        drive(store, session(store, text), folder, most, real=real)
        store.close()

    return run


def milliseconds(run: Callable[[Path], None], n: int, times: int) -> tuple[float, float]:
    """A task, in the quickest of several runs: by the clock on the wall, and of CPU, with that of what was started."""
    wall = cpu = float("inf")
    for _ in range(times):
        with tempfile.TemporaryDirectory(dir=os.environ.get("PETRI_BENCH_FOLDER")) as folder:
            began, spent = time.perf_counter(), sum(os.times()[:4])
            run(Path(folder))
            wall, cpu = min(wall, time.perf_counter() - began), min(cpu, sum(os.times()[:4]) - spent)
    return 1e3 * wall / n, 1e3 * cpu / n


def main(quick: bool = False) -> None:
    n, times = (40, 1) if quick else (200, 3)
    cases = [
        ("subprocess alone, one after another", subprocess_alone(n, 1)),
        ("subprocess alone, four at a time", subprocess_alone(n, 4)),
        ("session, a seq", driven(in_a_row(n), None, real=True)),
        ("session, a foreach, four at a time", driven(side_by_side(n), 4, real=True)),
        ("no process, SQLite, a seq", driven(in_a_row(n), None, real=False)),
        ("no process, SQLite, a foreach, four at a time", driven(side_by_side(n), 4, real=False)),
        ("no process, in memory, a seq", driven(in_a_row(n), None, real=False, sqlite=False)),
        ("no process, in memory, a foreach, four at a time", driven(side_by_side(n), 4, real=False, sqlite=False)),
    ]
    rows = [[name, *[f"{ms:.1f}" for ms in milliseconds(run, n, times)]] for name, run in cases]
    print_table("What a session costs a task", ["", "ms a task", "ms of CPU"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    print(machine())
    main(arguments.quick)
