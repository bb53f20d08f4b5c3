"""Runs the actions of firings in real time: inline, as tasks of the event loop, or in threads of a pool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from functools import partial
from types import CoroutineType
from typing import Any

from petri_cli.engine.actions import ActionContext
from petri_cli.engine.binding import Bound
from petri_cli.engine.executor import Executor, over
from petri_cli.engine.firings import TIMED_OUT, Completion, Failed, Firing
from petri_cli.engine.logs import ACTING, Acting
from petri_cli.engine.pool import DaemonPool
from petri_cli.engine.tokens import TICKS_PER_SECOND

GRACE = 1.0
"""Seconds that abandoned actions get to end after the run has."""


class Dispatcher:
    """The actions in flight of one run in one event loop.

    over: gets (firing id, how it ended) in the order in which actions end; go_on: called when that happened outside of
    :meth:`begin`, in ``context``; wake: likewise, but lets the present turn of the event loop end before; threads: size
    of the pool.

    An action is *abandoned* when its budget runs out or the run is cancelled: it is cancelled as far as that is
    possible, and whatever it makes afterwards is lost.
    """

    def __init__(
        self,
        host: Executor,
        over: list[tuple[int, Completion]],
        *,
        loop: asyncio.AbstractEventLoop,
        context: Context,
        go_on: Callable[[], None],
        wake: Callable[[], None],
        threads: int | None,
    ) -> None:
        self._host = host
        self._over = over
        self._loop = loop
        self._context = context
        self._go_on = go_on
        self._wake = wake
        self._threads = threads
        self._pool: DaemonPool | None = None
        self._tasks: dict[int, asyncio.Future[Any]] = {}
        """Tasks, and jobs of the pool, by firing."""
        self._budgets: dict[int, asyncio.TimerHandle] = {}
        self._abandoned: set[asyncio.Future[Any]] = set()

    def begin(self, firings: list[Firing]) -> None:
        """Call the action of each firing. One that ends at once is over when this returns."""
        host, append, acting, all_bound = self._host, self._over.append, self._host.acting, self._host.bound
        for firing in firings:
            action, may_write, at_once, in_thread, budget = bound = all_bound[firing[1]]
            if in_thread or budget is not None:
                self._begin_otherwise(firing, bound)
                continue
            if acting is not None:
                acting.firing = firing
            try:
                if action is None:
                    append((firing[0], at_once(firing)))
                    continue
                ctx = ActionContext(firing, may_write, host)
                returned = action(ctx)
            except (Exception, SystemExit) as e:
                append((firing[0], Failed.of(e)))
                continue
            if returned is None:
                append((firing[0], ctx.outputs))
            elif isinstance(returned, CoroutineType):
                self._begin_task(firing, bound, ctx, returned)
            else:
                append((firing[0], over(ctx, returned)))
        if acting is not None:
            acting.firing = None

    def _begin_otherwise(self, firing: Firing, bound: Bound) -> None:
        """Begin what :meth:`begin` does not do itself: a job for the pool, or a race with a time-out."""
        if bound.in_thread:
            self._begin_in_thread(firing, bound)
            return
        began = self._host.now()
        try:
            ctx, returned = self._host.call(bound, firing)
        except (Exception, SystemExit) as e:
            completion: Completion = Failed.of(e)
        else:
            if isinstance(returned, CoroutineType):
                self._begin_task(firing, bound, ctx, returned)
                return
            completion = over(ctx, returned)
        if bound.budget is not None and self._host.now() - began > bound.budget:
            completion = TIMED_OUT  # it could not be stopped, but it took too long
        self._over.append((firing.id, completion))

    def cancel_all(self) -> None:
        """Abandon every action in flight: their firings have failed."""
        for fid in list(self._tasks):
            if (budget := self._budgets.pop(fid, None)) is not None:
                budget.cancel()
            if self._abandon(fid):
                self._over.append((fid, Failed("CancelledError", "the run was cancelled")))

    async def clean_up(self) -> None:
        """Give abandoned actions a moment to end; a thread that still works cannot be stopped and is left to itself."""
        abandoned = [task for task in self._abandoned if not task.done()]
        if abandoned:
            await asyncio.wait(abandoned, timeout=GRACE)
        if self._pool is not None:
            self._pool.shutdown()

    def _begin_task(
        self, firing: Firing, bound: Bound, ctx: ActionContext | None, action: Coroutine[Any, Any, object]
    ) -> None:
        self._tasks[firing.id] = self._new_task(firing, ctx, action)
        if bound.budget is not None:
            self._race(firing.id, bound.budget)

    def _new_task(
        self, firing: Firing, ctx: ActionContext | None, action: Coroutine[Any, Any, object]
    ) -> asyncio.Task[None]:
        return self._loop.create_task(self._await(firing, ctx, action), context=self._context_of(firing))

    async def _await(self, firing: Firing, ctx: ActionContext | None, action: Coroutine[Any, Any, object]) -> None:
        """Await an async action and go on with the loop in the same turn: a done-callback would cost another one."""
        try:
            completion = over(ctx, await action)
        except (Exception, SystemExit) as e:
            completion = Failed.of(e)
        except asyncio.CancelledError:
            completion = Failed("CancelledError", "the action cancelled itself")  # unless it was abandoned
        self._ended(firing.id, completion)

    def _begin_in_thread(self, firing: Firing, bound: Bound) -> None:
        assert bound.action is not None  # noqa: S101 - a built-in action is never bound to a thread
        if self._pool is None:
            self._pool = DaemonPool(self._threads)
        ctx = ActionContext(firing, bound.may_write, self._host)
        action, budget = bound.action, bound.budget

        def call() -> object:
            if budget is not None:  # it may have waited for a thread, which is not its fault
                self._loop.call_soon_threadsafe(self._race, firing.id, budget, context=self._context)
            return action(ctx)

        job = self._loop.run_in_executor(self._pool, self._context_of(firing).run, call)
        job.add_done_callback(partial(self._on_job, firing, ctx))  # not in our own context, which it enters to go on
        self._tasks[firing.id] = job

    def _on_job(self, firing: Firing, ctx: ActionContext, job: asyncio.Future[object]) -> None:
        if job.cancelled():
            return  # abandoned; the thread goes on, but nobody listens
        if (error := job.exception()) is not None:
            self._ended(firing.id, Failed.of(error))
        elif isinstance(returned := job.result(), CoroutineType):  # asynchronous after all, which its type does not say
            self._tasks[firing.id] = self._new_task(firing, ctx, returned)
        else:
            self._ended(firing.id, over(ctx, returned))

    def _context_of(self, firing: Firing) -> Context:
        context = copy_context()
        if self._host.acting is not None:
            context.run(ACTING.set, Acting(self._host.acting.tell, firing))
        return context

    def _race(self, fid: int, budget: int) -> None:
        """The action of a firing begins: it has so many ticks."""
        if fid in self._tasks:
            delay = budget / TICKS_PER_SECOND
            self._budgets[fid] = self._loop.call_later(delay, self._on_budget, fid, context=self._context)

    def _ended(self, fid: int, completion: Completion) -> None:
        """The action of a firing ended, in its task or job; nothing happens if it was abandoned before."""
        if self._tasks.pop(fid, None) is None:
            return
        if self._budgets and (budget := self._budgets.pop(fid, None)) is not None:
            budget.cancel()
        self._over.append((fid, completion))
        if self._tasks:
            self._wake()  # others may be over in the same turn of the event loop
        else:
            self._context.run(self._go_on)

    def _on_budget(self, fid: int) -> None:
        self._budgets.pop(fid, None)
        if self._abandon(fid):
            self._over.append((fid, TIMED_OUT))
            self._go_on()

    def _abandon(self, fid: int) -> bool:
        """Cancel the action of a firing and forget it; whether there was one."""
        task = self._tasks.pop(fid, None)
        if task is None:
            return False
        self._abandoned.add(task)
        task.add_done_callback(self._abandoned.discard)
        task.cancel()
        return True
