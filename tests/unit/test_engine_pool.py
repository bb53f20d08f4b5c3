"""The threads of blocking actions: as many as are needed, used again, and nobody waits for one that is stuck."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from petri_cli.engine.pool import DaemonPool


def test_jobs_overlap_up_to_the_size_of_the_pool() -> None:
    pool = DaemonPool(3)
    together = threading.Barrier(3)
    jobs = [pool.submit(together.wait, 10) for _ in range(3)]
    assert sorted(job.result(10) for job in jobs) == [0, 1, 2]
    go = threading.Event()
    jobs = [pool.submit(go.wait, 10) for _ in range(4)]
    last = pool.submit(threading.current_thread)
    assert not last.done()
    go.set()
    assert last.result(10).name.startswith("petri-action-")
    assert [job.result(10) for job in jobs] == [True] * 4
    pool.shutdown()


def test_a_thread_that_is_through_is_used_again() -> None:
    pool = DaemonPool()
    names = set()
    for _ in range(20):
        names.add(pool.submit(lambda: threading.current_thread().name).result(10))
        while not pool._idle.acquire(timeout=10):  # it says so just after its result
            raise AssertionError
        pool._idle.release()
    assert names == {"petri-action-1"}
    pool.shutdown()


def test_what_a_job_raises_is_its_result_whatever_it_is() -> None:
    pool = DaemonPool(1)
    for error in (ValueError, SystemExit, KeyboardInterrupt):
        with pytest.raises(error):
            pool.submit(_raise, error).result(10)
    assert pool.submit(int, "7").result(10) == 7
    pool.shutdown()


def _raise(error: type[BaseException]) -> None:
    raise error


def test_shutting_down_cancels_what_waits_and_ends_the_threads() -> None:
    pool = DaemonPool(1)
    began, go = threading.Event(), threading.Event()

    def job() -> threading.Thread:
        began.set()
        go.wait(10)
        return threading.current_thread()

    running = pool.submit(job)
    waiting = pool.submit(job)
    assert began.wait(10)
    pool.shutdown()
    assert waiting.cancelled()
    go.set()
    thread = running.result(10)
    thread.join(10)
    assert not thread.is_alive()


def test_a_thread_that_is_stuck_does_not_keep_the_program_from_ending() -> None:
    code = (
        "import threading\nfrom petri_cli.engine.pool import DaemonPool\nbegan = threading.Event()\n"
        "DaemonPool().submit(lambda: (began.set(), threading.Event().wait()))\nbegan.wait()\nprint('over')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert (done.stdout, done.stderr) == ("over\n", "")
