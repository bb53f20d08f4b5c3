"""A session's log as a person reads it: a line an event, in the plan's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, assert_never

from petri_cli.driver.history import result_key
from petri_cli.driver.threads import called
from petri_cli.engine.tokens import TICKS_PER_SECOND, Token, to_seconds
from petri_cli.render.look import Line, columns, length, wrap
from petri_cli.render.phrase import many
from petri_cli.render.reasons import brief
from petri_cli.render.run_lines import seconds
from petri_cli.session.events import (
    Approved,
    Claimed,
    DriverEnded,
    DriverStarted,
    Ended,
    Fired,
    FiringFailed,
    Heartbeat,
    Injected,
    Lapsed,
    Noted,
    Refused,
    RepairDecided,
    RepairProposed,
    Reported,
    ReportRefused,
    RevisionCommitted,
    Revoked,
    SessionCreated,
    SessionEvent,
    Verified,
    WorkStarted,
)
from petri_cli.session.fold_tokens import thread_of
from petri_cli.session.state import RESOURCE, Claim, State

END_STYLES = {"completed": "good", "suspended": "doubt"}
NAMED = ("choice ", "loop ", "foreach ")
"""How a message begins that says itself what it is about."""


def shown(task: str) -> str:
    """A task as a person calls it: ``foreach.each[2]``, the discovery of items, is ``items of each[2]``."""
    return f"items of {task.removeprefix('foreach.')}" if task.startswith("foreach.") else task


def clock(ticks: int) -> str:
    """``14:03:07.250``, by the clock on this machine's wall."""
    at = datetime.fromtimestamp(ticks / TICKS_PER_SECOND).astimezone()
    return f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}"


def day(ticks: int) -> str:
    """``2026-03-01 14:03:07``."""
    return f"{datetime.fromtimestamp(ticks / TICKS_PER_SECOND).astimezone():%Y-%m-%d %H:%M:%S}"


def broken(line: Line, width: int) -> list[Line]:
    """A line that is told, in pieces of at most ``width`` columns, which go on below its words, not below its time."""
    if length(line) <= width:
        return [line]
    time, words = (line[0], line[1:]) if line[0][0] == "dim" else (("", ""), line)
    pieces = wrap(words, width, " " * columns(time[1]))
    return [[time, *pieces[0][1:]], *pieces[1:]]


class SessionNarrator:
    """Tells the events of one session, each once and in order. verbose: heartbeats and silent control, too."""

    def __init__(self, known: State | None = None, *, verbose: bool = False) -> None:
        """known: the state before the first event that is told."""
        self._verbose = verbose
        self._claims: dict[str, Claimed | Claim] = {} if known is None else dict(known.claims)
        self._failure = ""

    def tell(self, event: SessionEvent) -> Line | None:
        """The line for ``event``, if it gets one."""
        text = self._text(event)
        return [("dim", f"{clock(event.at)}  "), *text] if text else None

    def _text(self, event: SessionEvent) -> Line:
        match event:
            case SessionCreated():
                return [
                    ("", f"session {event.name} is opened"),
                    ("dim", f": {event.objective}" if event.objective else ""),
                ]
            case RevisionCommitted():
                return _revision(event)
            case DriverStarted():
                return [("dim", f"driver {event.process.pid} takes the session")]
            case DriverEnded():
                return [("dim", f"the driver lets go: {event.why}")] if event.why != "ended" or self._verbose else []
            case Fired():
                return [
                    *_control(event, verbose=self._verbose),
                    *([("doubt", f"  {event.note}")] if event.note else []),
                ]
            case FiringFailed():
                return self._failed(event)
            case Claimed():
                self._claims[event.claim] = event
                attempt = f", attempt {event.attempt}" if event.attempt > 1 else ""
                return [("", f"{self._who(event.claim)} begins"), ("dim", f" ({event.claim}, {event.worker}{attempt})")]
            case WorkStarted():
                return [("dim", f"{self._who(event.claim)} is process {event.process.pid}")] if self._verbose else []
            case Heartbeat():
                return [("dim", f"{self._who(event.claim)} is alive")] if self._verbose else []
            case Reported():
                return self._reported(event)
            case ReportRefused():
                return [("doubt", f"a report on {event.claim} comes too late"), ("dim", f": {event.why}")]
            case Approved():
                word = "approved" if event.approved else "rejected"
                by = f" by {event.by}" if event.by else ""
                return [
                    ("", f"{self._who(event.claim)} is {word}{by}"),
                    ("dim", f": {event.note}" if event.note else ""),
                ]
            case Verified():
                took = (
                    seconds(to_seconds(event.at - self._claims[event.claim].at)) if event.claim in self._claims else ""
                )
                how = ", ".join(filter(None, (took, event.verifier)))
                return [("good", f"{self._who(event.claim)} is done"), ("dim", f" ({how})" if how else "")]
            case Refused() | Lapsed():
                return self._burnt(event)
            case Revoked():
                return [("doubt", f"{self._who(event.claim)} is taken back"), ("dim", f": {event.reason}")]
            case Injected():
                return self._injected(event)
            case Ended():
                style = END_STYLES.get(event.state, "bad")
                why = "" if event.why in (self._failure, event.state) else brief(event.why)  # which was just told
                return [(style, event.state), ("", f": {why}" if why else "")]
            case RepairProposed():
                return _proposed(event)
            case RepairDecided():
                word, style = ("accepted", "good") if event.accepted else ("rejected", "doubt")
                by = f" by {event.by}" if event.by else ""
                return [(style, f"repair {event.repair} is {word}{by}"), *_because(brief(event.why))]
            case Noted():
                return [("doubt" if event.level != "INFO" else "dim", event.message)]
            case other:
                assert_never(other)

    def _who(self, claim: str) -> str:
        event = self._claims.get(claim)
        return shown(called(event.task, event.thread)) if event is not None else claim

    def _failed(self, event: FiringFailed) -> Line:
        self._failure = event.message or event.error
        if event.message.startswith(NAMED):
            return [("bad", event.message)]
        return [("bad", f"{event.transition} failed"), ("", f": {self._failure}")]

    def _reported(self, event: Reported) -> Line:
        if not self._verbose and event.status == 0 and not event.error:
            return []
        how = f"exit status {event.status}" if event.status is not None else f"by {event.by}" if event.by else ""
        return [("", f"{self._who(event.claim)} reports"), *_because(brief(event.error) or how)]

    def _burnt(self, event: Refused | Lapsed) -> Line:
        word = "is refused" if isinstance(event, Refused) else "lapses"
        line: Line = [("bad", f"{self._who(event.claim)} {word}"), ("", f": {brief(event.reason)}")]
        if event.retry_at is not None and event.retry_at > event.at:
            line.append(("dim", f" (again in {seconds(to_seconds(event.retry_at - event.at))})"))
        return line

    def _injected(self, event: Injected) -> Line:
        if event.timer and not self._verbose:
            return []
        by = f" by {event.by}" if event.by else ""
        return [("dim", f"{many(len(event.tokens), 'token')} into {event.place}{by}")]


def _because(why: str) -> Line:
    return [("dim", f": {why}")] if why else []


def _proposed(event: RepairProposed) -> Line:
    """What a repair would change: the numbers of an adaptive one; a model's is a plan."""
    numbers = [
        f"{c['kind']} of {str(c['target']).removeprefix('t.')} {c['current']} → {c['suggested']}" for c in event.changes
    ]
    what = ", ".join(numbers) or ("another plan" if event.text is not None else "nothing")
    return [("strong", f"repair {event.repair}"), ("", f" ({event.kind}) proposes {what}")]


def _revision(event: RevisionCommitted) -> Line:
    kept = sum(map(len, event.kept.values()))
    goes_on = [f"{many(kept, 'piece')} of work kept"] if kept else []
    goes_on += [f"{many(len(event.moved), 'claim')} go on"] if event.moved else []
    more = f" ({', '.join(goes_on)})" if goes_on else ""
    verdict = event.verdict if not event.accepted_unknown else "UNKNOWN, accepted"
    return [("strong", f"revision {event.revision}"), ("", f" {event.file} is {verdict}"), ("dim", more)]


def _control(event: Fired, *, verbose: bool) -> Line:
    """What a control transition did, where a person would miss it."""
    kind, _, rest = event.transition.removeprefix("t.").partition(".")
    head, _, part = rest.rpartition(".")
    name = called(head, thread_of(event.consumed))
    match kind, part:
        case "guard", "acquire":
            return [("dim", f"guard {name} takes {_units(event.consumed)}")]
        case "guard", "release":
            units = _units(event.produced)
            return [("dim", f"guard {name} gives back {units}")] if units else []
        case "foreach", "discover":
            n = len(event.produced.get(f"p.foreach.{head}.body", ()))
            return [("dim", f"{name} has {many(n, 'item')}")]
        case "foreach", "gather":
            return [("dim", f"{name} is gathered")]
        case "choice", _ if part.isdecimal():
            return [("dim", f"choice {name} takes branch {part}")]
        case "loop", "again":
            return [("dim", f"{name} begins round {_round(event.produced)}")]
        case "loop", "wait":
            return (
                [("dim", f"{name} waits {seconds(to_seconds(event.timers[0].due - event.at))}")] if event.timers else []
            )
        case _:
            return [("dim", result_key(event.transition))] if verbose else []


def _units(tokens: Mapping[str, Sequence[Token]]) -> str:
    return ", ".join(
        f"{len(ts)} × {p.removeprefix(RESOURCE)}" if len(ts) > 1 else p.removeprefix(RESOURCE)
        for p, ts in tokens.items()
        if p.startswith(RESOURCE)
    )


def _round(produced: Mapping[str, Sequence[Token]]) -> int:
    value: Any = next(iter(produced.values()))[0].value
    return int(value["rounds"][-1])
