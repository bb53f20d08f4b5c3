"""Runs a net in real time on asyncio: the scheduler's firings become calls, tasks and thread-pool jobs.

Nothing polls. The loop is a callback, :meth:`AsyncExecutor._pump`, that runs cycles as long as there is something to do
and is called again by whatever happens next: a task that is done, an injected token, a timer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from contextvars import Context, copy_context
from threading import Lock, get_ident

from petri_cli.engine.binding import Actions
from petri_cli.engine.compiled import EngineNet
from petri_cli.engine.dispatcher import Dispatcher
from petri_cli.engine.events import LogMessage
from petri_cli.engine.executor import Executor, Injection, Reason, Result, StartingMarking
from petri_cli.engine.firings import Completion, Firing
from petri_cli.engine.logs import captured
from petri_cli.engine.scheduler import DEADLINE_TOLERANCE
from petri_cli.engine.stores import EventStore
from petri_cli.engine.tokens import TICKS_PER_SECOND
from petri_cli.net.model import Net

SLICE = 5_000
"""Ticks that synchronous work may keep the event loop to itself."""


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
        self._dispatcher: Dispatcher | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._finished: asyncio.Future[Result] | None = None
        self._context: Context | None = None
        self._over: list[tuple[int, Completion]] = []
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
        with captured(self.acting):
            self._context = copy_context()
            self._dispatcher = Dispatcher(
                self,
                self._over,
                loop=self._loop,
                context=self._context,
                go_on=self._pump,
                wake=self._wake,
                threads=self._threads,
            )
            try:
                self._schedule()
                return await self._finished
            except asyncio.CancelledError:
                self.cancel()
                self._cycle(self._dispatcher)
                raise
            finally:
                await self._dispatcher.clean_up()

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
        if self._finished is None or self._finished.done() or self._dispatcher is None:
            return
        try:
            self._cycle(self._dispatcher)
        except BaseException as e:
            self._finished.set_exception(e)
            if not isinstance(e, Exception):
                raise

    def _cycle(self, dispatcher: Dispatcher) -> None:
        """Run cycles until there is nothing to do but wait, or the slice is used up."""
        scheduler, inbox = self.scheduler, self._inbox
        if self._cancelling:
            dispatcher.cancel_all()
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
                dispatcher.begin(firings)
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
