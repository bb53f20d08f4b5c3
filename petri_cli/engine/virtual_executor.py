"""Runs a net in simulated time: deterministic, and as fast as it computes.

A firing lasts as long as its transition's *duration* says (a number of seconds, or a function of a random generator);
its action, if it has one, is called when it begins, and what it produced arrives when it ends. Async actions may
suspend with ``ctx.sleep``; time stands still while code runs.
"""

from __future__ import annotations

import random
from asyncio import CancelledError
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from petri_cli.engine.actions import ActionContext
from petri_cli.engine.binding import Actions, check_known
from petri_cli.engine.compiled import EngineNet
from petri_cli.engine.executor import Executor, Injection, Reason, Result, StartingMarking, over
from petri_cli.engine.firings import TIMED_OUT, Completion, Failed, Firing
from petri_cli.engine.logs import captured
from petri_cli.engine.scheduler import DEADLINE_TOLERANCE
from petri_cli.engine.stores import EventStore
from petri_cli.engine.tokens import Token, to_ticks
from petri_cli.net.model import Net

Duration = float | Callable[[random.Random], float]
"""Seconds, or how to sample them."""


class Suspension:
    """What an async action awaits in simulated time: ``arrange`` is told how to resume it, and does so once."""

    def __init__(self, arrange: Callable[[Callable[[], None]], None]) -> None:
        self.arrange = arrange

    def __await__(self) -> Generator[Suspension, None, None]:
        yield self


class Sleep:
    """What ``ctx.sleep`` awaits in simulated time."""

    def __init__(self, seconds: float) -> None:
        self.ticks = max(0, to_ticks(seconds))

    def __await__(self) -> Generator[Sleep, None, None]:
        yield self


class Due(NamedTuple):
    """Something that is to happen to a firing; at one instant an ending beats a time-out, then the first made wins."""

    time: int
    is_timeout: bool
    number: int
    firing: int
    do: Callable[[], None]


class VirtualExecutor(Executor):
    """Executes one run of a net in simulated time, starting at 0.

    durations: transition → how long its firings last (0 where none is given); each transition samples from its own
    generator, made from ``seed`` and its id, so that changing one part of a net leaves the chances of the others alone.
    The other parameters are those of :class:`petri_cli.engine.AsyncExecutor`.

    :meth:`run` runs to the end. To look in between, call :meth:`settle`, :meth:`advance` and :meth:`inject` first.
    """

    def __init__(
        self,
        net: Net | EngineNet,
        actions: Actions | None = None,
        marking: StartingMarking = None,
        *,
        durations: Mapping[str, Duration] | None = None,
        seed: int = 0,
        environment: Iterable[str] = (),
        store: EventStore | None = None,
        max_concurrency: int | None = None,
        tolerance: float = DEADLINE_TOLERANCE,
        start: int = 0,
    ) -> None:
        super().__init__(
            net,
            actions,
            marking,
            environment=environment,
            store=store,
            max_concurrency=max_concurrency,
            tolerance=tolerance,
            now=start,
        )
        given = durations or {}
        ids = [t.id for t in self.compiled.transitions]
        check_known("a duration", "transition", given, ids)
        self._durations = [given.get(t, 0.0) for t in ids]
        self._chances = {t: random.Random(f"{seed}:{t}") for t, d in given.items() if callable(d)}  # noqa: S311
        self._now = start
        self._over: list[tuple[int, Completion]] = []
        self._agenda: list[Due] = []
        self._numbers = count()
        self._coroutines: dict[int, tuple[Coroutine[Any, Any, object], ActionContext | None, int]] = {}
        self._closed = False
        self._ended: Result | None = None

    def now(self) -> int:
        return self._now

    def sleep(self, seconds: float) -> Sleep:
        """Awaited by an async action: let ``seconds`` of simulated time pass."""
        return Sleep(seconds)

    def spend(self, seconds: float) -> None:
        """Called by a synchronous action: keep the whole engine busy for ``seconds`` of simulated time."""
        self._now += to_ticks(seconds)

    # Driving a run

    def run(self, until: float | None = None) -> Result:
        """Run to quiescence (an environment is drained), or close at ``until`` seconds after the start."""
        if self._ended is not None:
            return self._ended
        self._inbox.shut(discard=False)
        horizon = None if until is None else self._started_at + to_ticks(until)
        self.settle()
        while (at := self._next_time()) is not None and not self._finished():
            if horizon is not None and at > horizon:
                self._now = max(self._now, horizon)
                self.close()
                break
            self._now = max(self._now, at)
            self.settle()
        reason: Reason = "closed" if self._closed else "quiescent"
        self._ended = self._result(reason, self._now)
        return self._ended

    def settle(self) -> None:
        """Do everything that can be done without letting time pass."""
        with captured(self.acting):
            while self._ended is None and not self._finished():
                self._cycle()
                if not (self._over or len(self._inbox) or self._is_due()):
                    return

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` of simulated time pass, and do what falls into them."""
        target = self._now + to_ticks(seconds)
        self.settle()
        while (at := self._next_time()) is not None and at <= target and not self._finished():
            self._now = max(self._now, at)
            self.settle()
        self._now = max(self._now, target)

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed

    def next_time(self) -> int | None:
        """When something happens next without anybody's doing, in ticks; None when nothing will."""
        return self._next_time()

    def inject(self, place: str, value: object = None, *, name: str = "") -> Injection:
        """Queue a token for an environment place; answered by the next :meth:`settle`, or at once when refused."""
        return self._inbox.put(place, value, name, lambda: None)

    def drain(self) -> None:
        """Refuse new injections; :meth:`run` then processes what is queued and ends at quiescence."""
        self._inbox.shut(discard=False)

    def close(self) -> None:
        """Refuse injections, discard queued ones, start nothing any more; :meth:`run` lets in-flight actions finish."""
        self._closed = True
        self._inbox.shut(discard=True)
        self.scheduler.stop()

    # The loop

    def _cycle(self) -> None:
        while (due := self._next_due()) is not None and due.time <= self._now:
            heappop(self._agenda).do()
        completions, self._over = self._over, []
        injections = self._inbox.take()
        firings = self.scheduler.cycle(self._now, completions, [(place, token) for place, token, _ in injections])
        for _, _, injection in injections:
            injection.answer(True)
        for firing in firings:
            self._begin(firing)

    def _is_due(self) -> bool:
        at = self._next_time()
        return at is not None and at <= self._now

    def _next_time(self) -> int | None:
        wake_at, due = self.scheduler.wake_at(), self._next_due()
        if due is None:
            return wake_at
        return due.time if wake_at is None else min(wake_at, due.time)

    def _next_due(self) -> Due | None:
        """The head of the agenda, after what belongs to firings that are over has been dropped."""
        agenda, in_flight = self._agenda, self.scheduler.in_flight
        while agenda and agenda[0].firing not in in_flight:
            heappop(agenda)
        return agenda[0] if agenda else None

    def _finished(self) -> bool:
        return self._closed and not (self.scheduler.in_flight or self._over)

    def _at(self, time: int, firing: Firing, do: Callable[[], None], *, is_timeout: bool = False) -> None:
        heappush(self._agenda, Due(time, is_timeout, next(self._numbers), firing.id, do))

    # Firings

    def _begin(self, firing: Firing) -> None:
        bound = self.bound[firing.ordinal]
        began = self._now
        try:
            ctx, returned = self.call(bound, firing)
        except (Exception, SystemExit) as e:
            completion: Completion = Failed.of(e)
        else:
            if isinstance(returned, Coroutine):
                self._coroutines[firing.id] = (returned, ctx, began)
                if bound.budget is not None:
                    self._at(began + bound.budget, firing, lambda: self._abandon(firing.id), is_timeout=True)
                self._resume(firing)
                return
            completion = over(ctx, returned)
        self._end_after(firing, completion, began, self._now - began + self._sample(firing), bound.budget)

    def _sample(self, firing: Firing) -> int:
        duration = self._durations[firing.ordinal]
        seconds = duration(self._chances[firing.transition]) if callable(duration) else duration
        return max(0, to_ticks(seconds))

    def _end_after(self, firing: Firing, completion: Completion, began: int, ticks: int, budget: int | None) -> None:
        if budget is not None and ticks > budget:
            completion, ticks = TIMED_OUT, budget
        end = began + ticks
        if end <= self._now:
            self._over.append((firing.id, completion))
        else:
            self._at(end, firing, lambda: self._over.append((firing.id, completion)))

    def _resume(self, firing: Firing) -> None:
        """Let the coroutine of ``firing`` run until it suspends or ends."""
        coroutine, ctx, began = self._coroutines.get(firing.id, (None, None, 0))
        if coroutine is None:
            return  # abandoned meanwhile
        if self.acting is not None:
            self.acting.firing = firing
        try:
            awaited = coroutine.send(None)
        except StopIteration as end:
            del self._coroutines[firing.id]
            ticks = self._now - began + self._sample(firing)
            self._end_after(firing, over(ctx, end.value), began, ticks, self.bound[firing.ordinal].budget)
            return
        except (Exception, SystemExit) as e:
            del self._coroutines[firing.id]
            self._over.append((firing.id, Failed.of(e)))
            return
        finally:
            if self.acting is not None:
                self.acting.firing = None
        if isinstance(awaited, Sleep):
            self._at(self._now + awaited.ticks, firing, lambda: self._resume(firing))
        elif isinstance(awaited, Suspension):
            awaited.arrange(lambda: self._resume(firing))
        else:
            del self._coroutines[firing.id]
            coroutine.close()
            message = "in simulated time an action can only await ctx.sleep, not the real world"
            self._over.append((firing.id, Failed("RuntimeError", message)))

    def _abandon(self, fid: int) -> None:
        coroutine, _, _ = self._coroutines.pop(fid, (None, None, 0))
        if coroutine is not None:
            _cancel(coroutine)
            self._over.append((fid, TIMED_OUT))


def _cancel(coroutine: Coroutine[Any, Any, object]) -> None:
    """Let ``coroutine`` see a cancellation where it is suspended, as a task would; whatever it makes of it is lost."""
    try:
        coroutine.throw(CancelledError())
    except (Exception, CancelledError, StopIteration):
        return
    coroutine.close()


def token_at(value: object, seconds: float, name: str = "") -> Token:
    """A token made ``seconds`` after the start, for markings of simulated runs."""
    return Token(value, to_ticks(seconds), name)
