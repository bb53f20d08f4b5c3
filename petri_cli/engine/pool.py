"""The threads of actions that are marked blocking."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class DaemonPool(Executor):
    """At most ``size`` threads, started as they are needed and used again.

    Unlike those of ``ThreadPoolExecutor`` they are daemons: an action that cannot be stopped, and that nobody waits for
    any more, does not keep the program from ending. To be used from one thread.
    """

    def __init__(self, size: int | None = None) -> None:
        self._left = size or min(32, (os.cpu_count() or 1) + 4)
        """Threads that may still be started."""
        self._threads = 0
        self._idle = Semaphore(0)
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        self._jobs.put((future, lambda: fn(*args, **kwargs)))
        if self._left and not self._idle.acquire(blocking=False):
            self._left -= 1
            self._threads += 1
            Thread(target=self._work, name=f"petri-action-{self._threads}", daemon=True).start()
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Let each thread end when it is through with its job; jobs that wait are cancelled."""
        while not self._jobs.empty():
            job = self._jobs.get()
            if job is not None:
                job[0].cancel()
        for _ in range(self._threads):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if future.set_running_or_notify_cancel():
                try:
                    result = call()
                except BaseException as e:
                    future.set_exception(e)
                else:
                    future.set_result(result)
                    del result
            del job, future, call  # nothing of it shall live on while this waits for the next one
            self._idle.release()
