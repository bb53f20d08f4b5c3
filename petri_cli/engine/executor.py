"""What the executors have in common: a scheduler, bound actions, a store, environment places, and the end of a run."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal

from petri_cli.engine.actions import ActionContext
from petri_cli.engine.binding import Actions, Bound, bind_actions, check_known
from petri_cli.engine.checkpoint import Snapshot
from petri_cli.engine.compiled import EngineNet, compile_engine_net
from petri_cli.engine.events import LogMessage
from petri_cli.engine.firings import Completion, Failed, Firing, Produced
from petri_cli.engine.logs import Acting
from petri_cli.engine.scheduler import DEADLINE_TOLERANCE, Scheduler
from petri_cli.engine.stores import EventStore, NoStore
from petri_cli.engine.tokens import TICKS_PER_SECOND, UNSTAMPED, Token, Tokens, values_of
from petri_cli.net.model import Net

Reason = Literal["quiescent", "closed", "cancelled"]
StartingMarking = Mapping[str, Tokens] | Snapshot | None


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended. marking: the tokens of every place that holds some, oldest first; times in ticks.

    reason: ``quiescent`` (nothing could happen any more), ``closed`` or ``cancelled``; store_error: the last thing that
    the event store threw, if it did.
    """

    marking: Mapping[str, tuple[Token, ...]]
    reason: Reason
    firings: int
    failures: int
    started_at: int
    ended_at: int
    store_error: Exception | None = None

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return (self.ended_at - self.started_at) / TICKS_PER_SECOND

    @property
    def values(self) -> dict[str, list[object]]:
        """The values of the final marking, place by place."""
        return values_of(self.marking)

    @property
    def counts(self) -> dict[str, int]:
        """The number of tokens of every place that holds some."""
        return {p: len(tokens) for p, tokens in self.marking.items()}


class Injection:
    """The answer to an injected token: True once it is in the marking and enabling was recomputed, else False.

    ``await`` it in a coroutine, or call :meth:`result` in a thread that is not the executor's.
    """

    __slots__ = ("_future",)

    def __init__(self) -> None:
        self._future: Future[bool] = Future()

    def done(self) -> bool:
        return self._future.done()

    def result(self, timeout: float | None = None) -> bool:
        """Wait for the answer, at most ``timeout`` seconds (then TimeoutError is raised)."""
        return self._future.result(timeout)

    def answer(self, accepted: bool) -> None:
        self._future.set_result(accepted)

    def __await__(self) -> Generator[Any, None, bool]:
        from asyncio import wrap_future  # only a caller that is in a loop needs it

        return wrap_future(self._future).__await__()


class Inbox:
    """Injected tokens on their way to the scheduler. Everything but :meth:`take` may be called from any thread."""

    def __init__(self, places: frozenset[str]) -> None:
        self.places = places
        self._lock = threading.Lock()
        self.queued: deque[tuple[str, Token, Injection]] = deque()
        self._open = True

    def put(self, place: str, value: object, name: str, wake: Callable[[], None]) -> Injection:
        """Queue a token and call ``wake``; refused at once when ``place`` takes none, or the inbox is shut."""
        injection = Injection()
        token = value if isinstance(value, Token) else Token(value, UNSTAMPED, name)
        with self._lock:
            accepted = self._open and place in self.places
            if accepted:
                self.queued.append((place, token, injection))
        if accepted:
            wake()
        else:
            injection.answer(False)
        return injection

    def shut(self, *, discard: bool) -> None:
        """Refuse everything from now on; ``discard`` what is queued, too."""
        with self._lock:
            self._open = False
            refused = list(self.queued) if discard else []
            if discard:
                self.queued.clear()
        for _, _, injection in refused:
            injection.answer(False)

    def __len__(self) -> int:
        return len(self.queued)

    @property
    def open(self) -> bool:
        return self._open

    def take(self) -> list[tuple[str, Token, Injection]]:
        with self._lock:
            taken = list(self.queued)
            self.queued.clear()
        return taken


class Executor:
    """The part of an executor that does not depend on where its time comes from. Runs once."""

    def __init__(
        self,
        net: Net | EngineNet,
        actions: Actions | None,
        marking: StartingMarking,
        *,
        environment: Iterable[str],
        store: EventStore | None,
        max_concurrency: int | None,
        tolerance: float = DEADLINE_TOLERANCE,
        now: int,
    ) -> None:
        compiled = net if isinstance(net, EngineNet) else compile_engine_net(net)
        self.compiled = compiled
        check_known("environment", "place", environment, compiled.places)
        if max_concurrency is not None and max_concurrency < 1:
            raise ValueError(f"max_concurrency is at least 1, not {max_concurrency}")
        self.bound = bind_actions(compiled, actions or {})
        self._store: EventStore = NoStore() if store is None else store
        self.scheduler = Scheduler(
            compiled,
            marking,
            now=now,
            events=self._store.keeps,
            sink=self._store,
            max_concurrency=max_concurrency,
            tolerance=tolerance,
        )
        declared = {p.id for p in compiled.net.places if p.environment}
        self._inbox = Inbox(frozenset(environment) | declared)
        self.acting = Acting(self._tell_log) if self._store.keeps else None
        self._started_at = now
        self._flush_error: Exception | None = None
        self._waits = bool(self._inbox.places)
        """At quiescence, wait for an injection instead of ending."""

    # What an action may ask (see actions.Host)

    def fresh_name(self, firing: Firing) -> str:
        return self.scheduler.fresh_name(firing.transition)

    def log(self, firing: Firing, level: str, message: str) -> None:
        self._tell_log(firing, level, message, "")

    def sleep(self, seconds: float) -> Awaitable[None]:
        raise NotImplementedError

    def now(self) -> int:
        """Ticks on the clock of this run."""
        raise NotImplementedError

    def _tell_log(self, firing: Firing, level: str, message: str, logger: str) -> None:
        self.scheduler.note(LogMessage(self.now(), level, message, logger, firing.transition, firing.id))

    def call(self, bound: Bound, firing: Firing) -> tuple[ActionContext | None, object]:
        """Call the action of ``firing`` inline: its context, if it has one, and what it returned or raises."""
        acting = self.acting
        if acting is not None:
            acting.firing = firing
        try:
            if bound.action is None:
                return None, bound.at_once(firing)
            ctx = ActionContext(firing, bound.may_write, self)
            return ctx, bound.action(ctx)
        finally:
            if acting is not None:
                acting.firing = None

    def _result(self, reason: Reason, now: int) -> Result:
        self.scheduler.finish(now, reason)
        self._inbox.shut(discard=True)
        self._flush()
        scheduler = self.scheduler
        return Result(
            scheduler.marking(),
            reason,
            scheduler.firings,
            scheduler.failures,
            self._started_at,
            now,
            scheduler.store_error or self._flush_error,
        )

    def _flush(self) -> None:
        try:
            self._store.flush()
        except Exception as e:
            self._flush_error = e


def over(ctx: ActionContext | None, returned: object) -> Completion:
    """How a firing ended whose action returned ``returned``."""
    if ctx is None:
        return returned if isinstance(returned, Produced) else Failed("TypeError", "a built-in action produces outputs")
    try:
        ctx.add_returned(returned)
    except Exception as e:
        return Failed.of(e)
    return ctx.outputs
