"""Runs a net in real time on asyncio: the scheduler's firings become calls, tasks and thread-pool jobs.

Nothing polls. The loop is a callback, :meth:`AsyncExecutor._pump`, that runs cycles as long as there is something to do
and is called again by whatever happens next: a task that is done, an injected token, a timer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from threading import Lock, get_ident
from types import CoroutineType
from typing import Any

from petri_cli.engine.actions import ActionContext
from petri_cli.engine.binding import Actions, Bound
from petri_cli.engine.compiled import EngineNet
from petri_cli.engine.events import LogMessage
from petri_cli.engine.executor import Executor, Injection, Reason, Result, StartingMarking, over
from petri_cli.engine.firings import TIMED_OUT, Completion, Failed, Firing, Produced
from petri_cli.engine.logs import ACTING, Acting, captured
from petri_cli.engine.scheduler import DEADLINE_TOLERANCE
from petri_cli.engine.stores import EventStore
from petri_cli.engine.tokens import TICKS_PER_SECOND
from petri_cli.net.model import Net

SLICE = 5_000
"""Ticks that synchronous work may keep the event loop to itself."""

GRACE = 1.0
"""Seconds that abandoned actions get to end after the run has."""


class AsyncExecutor(Executor):
    """Executes one run of a net in the running event loop. Times are ticks since 1970, on a clock that never jumps.

    actions: transition → action (passthrough where none is given); marking: tokens by place instead of the net's
    initial ones, or a snapshot; environment: places that accept :meth:`inject`, besides those that the net marks so;
    store: takes the events (None: none are made); max_concurrency: most firings in flight; tolerance: seconds forgiven
    after a deadline; threads: size of the pool for actions marked blocking.

    :meth:`inject`, :meth:`drain`, :meth:`close` and :meth:`cancel` may be called from any thread, and before the run.

    Raises PetriError ``PETRI_BAD_NET`` or ``PETRI_BAD_BINDING``.
    """

    def __init__(
        self,
        net: Net | EngineNet,
        actions: Actions | None = None,
        marking: StartingMarking = None,
        *,
        environment: Iterable[str] = (),
        store: EventStore | None = None,
        max_concurrency: int | None = None,
        tolerance: float = DEADLINE_TOLERANCE,
        threads: int | None = None,
    ) -> None:
        self._offset = time.time_ns() - time.monotonic_ns()
        super().__init__(
            net,
            actions,
            marking,
            environment=environment,
            store=store,
            max_concurrency=max_concurrency,
            tolerance=tolerance,
            now=self.now(),
        )
        self._threads = threads
        self._thread: int | None = None
        self._name_lock = Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._finished: asyncio.Future[Result] | None = None
        self._context: Context | None = None
        self._over: list[tuple[int, Completion]] = []
        self._tasks: dict[int, asyncio.Future[Any]] = {}
        self._coroutines: dict[int, CoroutineType[Any, Any, object]] = {}
        """Actions in flight by firing: tasks, and jobs of the pool."""
        self._budgets: dict[int, asyncio.TimerHandle] = {}
        self._abandoned: set[asyncio.Future[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: int | None = None
        self._scheduled = False
        self._resting = False
        self._settling: list[asyncio.Future[None]] = []
        self._draining = False
        self._closing = False
        self._cancelling = False

    def now(self) -> int:
        return (time.monotonic_ns() + self._offset) // 1000

    def sleep(self, seconds: float) -> Awaitable[None]:
        return asyncio.sleep(seconds)

    async def run(self) -> Result:
        """Run to the end and return how it ended. Cancelling this cancels every action in flight."""
        if self._loop is not None:
            raise RuntimeError("an executor runs once; make another one for another run")
        self._loop = asyncio.get_running_loop()
        self._thread = get_ident()
        self._finished = self._loop.create_future()
        with captured(self._acting):
            self._context = copy_context()
            try:
                self._schedule()
                return await self._finished
            except asyncio.CancelledError:
                self.cancel()
                self._cycle()
                raise
            finally:
                await self._clean_up()

    async def settled(self) -> None:
        """Wait until the run has nothing to do but wait itself (or is over): a point to look at it from."""
        if self._scheduled or self._inbox or not self._resting:
            waiter = asyncio.get_running_loop().create_future()
            self._settling.append(waiter)
            await waiter

    # From any thread

    def inject(self, place: str, value: object = None, *, name: str = "") -> Injection:
        """Put a token into an environment place.

        The answer is True once it is in the marking and enabling was recomputed; False when the place takes none, or
        the run is draining, closed or over.
        """
        return self._inbox.put(place, value, name, self._wake)

    def drain(self) -> None:
        """Refuse new injections, process queued ones, end at quiescence."""
        self._inbox.shut(discard=False)
        self._draining = True
        self._wake()

    def close(self) -> None:
        """Refuse injections, discard queued ones, start nothing any more, let actions in flight finish, end."""
        self._inbox.shut(discard=True)
        self._closing = True
        self._wake()

    def cancel(self) -> None:
        """Close, and cancel the actions in flight: their firings fail."""
        self._inbox.shut(discard=True)
        self._closing = self._cancelling = True
        self._wake()

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None and not self._scheduled:
            self._scheduled = True
            with suppress(RuntimeError):  # the loop is closed: the run is over
                loop.call_soon_threadsafe(self._pump, context=self._context)

    # The loop

    def _schedule(self) -> None:
        assert self._loop is not None  # noqa: S101 - run() set it
        self._scheduled = True
        self._loop.call_soon(self._pump, context=self._context)

    def _pump(self) -> None:
        self._resting = False
        self._scheduled = False  # before the inbox is looked at, so that no injection is overlooked
        if self._finished is None or self._finished.done():
            return
        try:
            self._cycle()
        except BaseException as e:
            self._finished.set_exception(e)
            if not isinstance(e, Exception):
                raise

    def _cycle(self) -> None:
        """Run cycles until there is nothing to do but wait, or the slice is used up."""
        scheduler, inbox = self.scheduler, self._inbox
        if self._cancelling:
            self._cancel_actions()
        if self._closing:
            scheduler.stop()
        cycle, clock, offset = scheduler.cycle, time.monotonic_ns, self._offset
        over, queued = self._over, inbox.queued
        slice_end = self.now() + SLICE
        while True:
            now = (clock() + offset) // 1000
            if queued:
                injections = inbox.take()
                firings = cycle(now, over, [(place, token) for place, token, _ in injections])
                for _, _, injection in injections:
                    injection.answer(True)
            else:
                firings = cycle(now, over)
            over.clear()
            if firings:
                self._begin(firings)
            if not (over or queued or scheduler.restless):
                return self._rest()
            if now > slice_end:
                return self._schedule()

    def _rest(self) -> None:
        """Nothing to do now: end, or wait for a completion, an injection or the timer."""
        scheduler = self.scheduler
        if self._closing:
            if not scheduler.in_flight:
                self._end("cancelled" if self._cancelling else "closed")
        elif scheduler.quiescent and (self._draining or not self._waits):
            self._end("quiescent")
        else:
            self._set_timer(scheduler.wake_at())
            self._flush()
            self._tell_settled()

    def _end(self, reason: Reason) -> None:
        self._set_timer(None)
        result = self._result(reason, self.now())
        if self._finished is not None and not self._finished.done():
            self._finished.set_result(result)
        self._tell_settled()

    def _tell_settled(self) -> None:
        self._resting = True
        for waiter in self._settling:
            if not waiter.done():
                waiter.set_result(None)
        self._settling.clear()

    def _set_timer(self, at: int | None) -> None:
        if at == self._timer_at and (self._timer is not None or at is None):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = None, at
        if at is not None:
            assert self._loop is not None  # noqa: S101 - run() set it
            delay = max(0, at - self.now()) / TICKS_PER_SECOND
            self._timer = self._loop.call_later(delay, self._on_timer, context=self._context)

    def _on_timer(self) -> None:
        self._timer = None
        self._pump()

    # Actions

    def _begin(self, firings: list[Firing]) -> None:
        all_bound, acting, append = self._bound, self._acting, self._over.append
        for firing in firings:
            fid = firing[0]
            action, may_write, at_once, in_thread, budget = bound = all_bound[firing[1]]
            if in_thread:
                self._begin_in_thread(firing, bound)
                continue
            if acting is not None:
                acting.firing = firing
            if budget is not None:
                began = self.now()
            try:
                if action is None:
                    append((fid, at_once(firing)))
                    continue
                ctx = ActionContext(firing, may_write, self)
                returned = action(ctx)
            except Exception as e:
                append((fid, Failed.of(e)))
            else:
                if returned is None:
                    append((fid, Produced(ctx.outputs)))
                elif isinstance(returned, CoroutineType):
                    self._begin_task(firing, bound, ctx, returned)
                    continue
                else:
                    append((fid, over(ctx, returned)))
            if budget is not None and self.now() - began > budget:
                self._over[-1] = (fid, TIMED_OUT)  # it could not be stopped, but it took too long
        if acting is not None:
            acting.firing = None

    def _begin_task(
        self, firing: Firing, bound: Bound, ctx: ActionContext, action: CoroutineType[Any, Any, object]
    ) -> None:
        assert self._loop is not None  # noqa: S101 - run() set it
        self._coroutines[firing.id] = action
        task = self._loop.create_task(self._await(firing, ctx, action), context=self._context_of(firing))
        self._watch(firing, bound, task)

    async def _await(self, firing: Firing, ctx: ActionContext, action: CoroutineType[Any, Any, object]) -> None:
        """Await an async action and go on with the loop in the same turn: a done-callback would cost another one."""
        try:
            completion = over(ctx, await action)
        except Exception as e:
            completion = Failed.of(e)
        except asyncio.CancelledError:
            if firing.id not in self._tasks:
                raise  # abandoned: by its time-out, or with the run
            completion = Failed("CancelledError", "the action cancelled itself")
        self._ended(firing.id, completion)

    def _begin_in_thread(self, firing: Firing, bound: Bound) -> None:
        assert self._loop is not None and bound.action is not None  # noqa: S101 - run() set it, and so it was bound
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="petri-action")
        ctx = ActionContext(firing, bound.may_write, self)
        job = self._loop.run_in_executor(self._pool, self._context_of(firing).run, bound.action, ctx)
        job.add_done_callback(partial(self._on_job, firing, ctx))  # not in our own context, which it enters to go on
        self._watch(firing, bound, job)

    def _on_job(self, firing: Firing, ctx: ActionContext, job: asyncio.Future[object]) -> None:
        if job.cancelled():
            return  # abandoned; the thread goes on, but nobody listens
        error = job.exception()
        self._ended(firing.id, over(ctx, job.result()) if error is None else Failed.of(error))

    def _context_of(self, firing: Firing) -> Context:
        context = copy_context()
        if self._acting is not None:
            context.run(ACTING.set, Acting(self._tell_log, firing))
        return context

    def _watch(self, firing: Firing, bound: Bound, task: asyncio.Future[Any]) -> None:
        self._tasks[firing.id] = task
        if bound.budget is not None:
            assert self._loop is not None  # noqa: S101 - run() set it
            delay = bound.budget / TICKS_PER_SECOND
            self._budgets[firing.id] = self._loop.call_later(delay, self._on_budget, firing.id, context=self._context)

    def _ended(self, fid: int, completion: Completion) -> None:
        """The action of a firing is over; if it was abandoned before, whatever it made is lost."""
        if self._tasks.pop(fid, None) is None:
            return
        self._coroutines.pop(fid, None)
        if self._budgets and (budget := self._budgets.pop(fid, None)) is not None:
            budget.cancel()
        self._over.append((fid, completion))
        if self._tasks or self._context is None:
            self._wake()  # others may be over in the same turn of the event loop
        else:
            self._context.run(self._pump)

    def _on_budget(self, fid: int) -> None:
        self._budgets.pop(fid, None)
        if self._abandon(fid):
            self._over.append((fid, TIMED_OUT))
            self._pump()

    def _abandon(self, fid: int) -> bool:
        """Cancel the action of a firing and forget it; whether there was one."""
        task = self._tasks.pop(fid, None)
        if task is None:
            return False
        self._abandoned.add(task)
        task.add_done_callback(self._abandoned.discard)
        if (action := self._coroutines.pop(fid, None)) is not None:
            task.add_done_callback(lambda _: action.close())  # in case it is cancelled before its first step
        task.cancel()
        return True

    def _cancel_actions(self) -> None:
        for fid in list(self._tasks):
            if (budget := self._budgets.pop(fid, None)) is not None:
                budget.cancel()
            if self._abandon(fid):
                self._over.append((fid, Failed("CancelledError", "the run was cancelled")))

    async def _clean_up(self) -> None:
        """Give abandoned actions a moment to end; a thread that still works cannot be stopped and is left to itself."""
        abandoned = [task for task in self._abandoned if not task.done()]
        if abandoned:
            await asyncio.wait(abandoned, timeout=GRACE)
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    # What an action may ask, from any thread

    def fresh_name(self, firing: Firing) -> str:
        with self._name_lock:
            return super().fresh_name(firing)

    def _tell_log(self, firing: Firing, level: str, message: str, logger: str) -> None:
        event = LogMessage(self.now(), level, message, logger, firing.transition, firing.id)
        if get_ident() == self._thread or self._loop is None:
            self.scheduler.note(event)
        else:
            with suppress(RuntimeError):  # the loop is closed: the run is over
                self._loop.call_soon_threadsafe(self.scheduler.note, event)
