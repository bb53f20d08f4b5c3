"""Events on their way to a sink. A sink that throws fails the firing it was told about, and nothing else.

To that end the events of a completion are sent before its tokens are deposited, and those of a start before its firing
is handed out: a firing that could not be recorded has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from petri_cli.engine.compiled import EngineNet
from petri_cli.engine.events import (
    ActionTimedOut,
    Event,
    LogMessage,
    TokenAdded,
    TokenRemoved,
    TransitionClockRestarted,
    TransitionCompleted,
    TransitionEnabled,
    TransitionFailed,
    TransitionStarted,
    TransitionTimedOut,
)
from petri_cli.engine.firings import Firing
from petri_cli.engine.tokens import Token

ByPlace = Mapping[str, Sequence[Token]]

new = tuple.__new__
"""Makes a named tuple without its Python-level constructor, in half the time."""


class Sink(Protocol):
    """Where events go: a list will do."""

    def append(self, event: Event, /) -> object: ...


class Reporter:
    """Makes the events of a run and hands them to ``sink``; ``error`` is the last thing that the sink threw."""

    def __init__(self, compiled: EngineNet, sink: Sink) -> None:
        self._ids = [t.id for t in compiled.transitions]
        self._sink = sink
        self.error: Exception | None = None
        self.failures = 0
        """Firings that failed because the sink threw."""

    def note(self, event: Event) -> None:
        """Send an event that no firing depends on."""
        try:
            self._sink.append(event)
        except Exception as e:
            self.error = e

    def warn(self, now: int, message: str) -> None:
        self.note(LogMessage(now, "WARN", message, "petri_cli.engine"))

    def enabled(self, now: int, t: int, restarted: bool) -> None:
        event: Event
        if restarted:
            event = TransitionClockRestarted(now, self._ids[t])
        else:
            event = new(TransitionEnabled, (now, self._ids[t], "TransitionEnabled"))
        try:
            self._sink.append(event)
        except Exception as e:
            self.error = e

    def reaped(self, now: int, t: int) -> None:
        self.note(TransitionTimedOut(now, self._ids[t]))

    def failed(self, now: int, firing: Firing, error: str, message: str) -> None:
        self.note(TransitionFailed(now, firing.transition, firing.id, error, message))

    def started(self, firing: Firing) -> bool:
        """Tell that ``firing`` began, after what it took. False: the sink threw, the firing has failed."""
        fid, _, tid, now, consumed, _, removed = firing
        send = self._sink.append
        try:
            for place, tokens in consumed.items():
                for token in tokens:
                    send(new(TokenRemoved, (now, place, token, tid, fid, "TokenRemoved")))
            if removed:
                for place, tokens in removed.items():
                    for token in tokens:
                        send(TokenRemoved(now, place, token, tid, fid))
            send(new(TransitionStarted, (now, tid, fid, consumed, "TransitionStarted")))
        except Exception as e:
            return self._threw(now, firing, e)
        return True

    def started_with_one(self, firing: Firing, place: str, token: Token) -> bool:
        """:meth:`started` for a firing that took just ``token``."""
        fid, _, tid, now, consumed, _, _ = firing
        send = self._sink.append
        try:
            send(new(TokenRemoved, (now, place, token, tid, fid, "TokenRemoved")))
            send(new(TransitionStarted, (now, tid, fid, consumed, "TransitionStarted")))
        except Exception as e:
            return self._threw(now, firing, e)
        return True

    def completed_with_one(self, now: int, firing: Firing, place: str, token: Token) -> bool:
        """:meth:`completed` for a firing that produced just ``token``."""
        fid, _, tid, started_at, _, _, _ = firing
        send = self._sink.append
        try:
            send(new(TokenAdded, (now, place, token, tid, fid, False, "TokenAdded")))
            produced = {place: (token,)}
            send(new(TransitionCompleted, (now, tid, fid, produced, now - started_at, "TransitionCompleted")))
        except Exception as e:
            return self._threw(now, firing, e)
        return True

    def completed(self, now: int, firing: Firing, produced: ByPlace) -> bool:
        """Tell what ``firing`` produced and that it is over. False: the sink threw, the firing has failed."""
        fid, _, tid, started_at, _, _, _ = firing
        send = self._sink.append
        try:
            for place, tokens in produced.items():
                for token in tokens:
                    send(new(TokenAdded, (now, place, token, tid, fid, False, "TokenAdded")))
            send(new(TransitionCompleted, (now, tid, fid, produced, now - started_at, "TransitionCompleted")))
        except Exception as e:
            return self._threw(now, firing, e)
        return True

    def timed_out(self, now: int, firing: Firing, after: int, produced: ByPlace) -> bool:
        """Tell that the action was abandoned and what its time-out branch got. False: the sink threw."""
        try:
            self._sink.append(ActionTimedOut(now, firing.transition, firing.id, after))
            for place, tokens in produced.items():
                for token in tokens:
                    self._sink.append(TokenAdded(now, place, token, firing.transition, firing.id))
        except Exception as e:
            return self._threw(now, firing, e)
        return True

    def returned(self, now: int, firing: Firing, place: str, token: Token) -> None:
        self.note(TokenAdded(now, place, token, firing.transition, firing.id, front=True))

    def _threw(self, now: int, firing: Firing, e: Exception) -> bool:
        self.error = e
        self.failures += 1
        self.failed(now, firing, type(e).__name__, f"the event store refused an event: {e}")
        return False
