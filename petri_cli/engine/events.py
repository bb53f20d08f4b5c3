"""What a run tells: immutable, ordered events, each a named tuple that turns to and from JSON.

Named tuples, because one firing makes five of them and a frozen dataclass takes five times as long to make. Times are
ticks (see :mod:`petri_cli.engine.tokens`). ``type`` comes last, with a default, so that no two kinds are ever equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from petri_cli.engine.tokens import Token

TokensByPlace = Mapping[str, Sequence[Token]]


class ExecutionStarted(NamedTuple):
    time: int
    net: str
    type: str = "ExecutionStarted"


class ExecutionCompleted(NamedTuple):
    """The run ended; ``reason`` is ``quiescent``, ``closed`` or ``cancelled``."""

    time: int
    reason: str
    duration: int
    type: str = "ExecutionCompleted"


class MarkingSnapshot(NamedTuple):
    """The whole marking, at the start and at the end."""

    time: int
    marking: TokensByPlace
    type: str = "MarkingSnapshot"


class TransitionEnabled(NamedTuple):
    time: int
    transition: str
    type: str = "TransitionEnabled"


class TransitionClockRestarted(NamedTuple):
    """It was disabled in an intermediate marking and is enabled again before that was looked at."""

    time: int
    transition: str
    type: str = "TransitionClockRestarted"


class TransitionTimedOut(NamedTuple):
    """The latest bound of its firing interval passed before it fired."""

    time: int
    transition: str
    type: str = "TransitionTimedOut"


class TransitionStarted(NamedTuple):
    time: int
    transition: str
    firing: int
    consumed: TokensByPlace
    type: str = "TransitionStarted"


class TransitionCompleted(NamedTuple):
    time: int
    transition: str
    firing: int
    produced: TokensByPlace
    duration: int
    type: str = "TransitionCompleted"


class TransitionFailed(NamedTuple):
    """``error`` is the type of the exception (or ``OutputViolation``), ``message`` its text."""

    time: int
    transition: str
    firing: int
    error: str
    message: str
    type: str = "TransitionFailed"


class ActionTimedOut(NamedTuple):
    """The action was abandoned after its budget of ``after`` ticks."""

    time: int
    transition: str
    firing: int
    after: int
    type: str = "ActionTimedOut"


class TokenAdded(NamedTuple):
    """``transition`` and ``firing`` are None for a token from outside; ``front``: a returned token, put at the head."""

    time: int
    place: str
    token: Token
    transition: str | None = None
    firing: int | None = None
    front: bool = False
    type: str = "TokenAdded"


class TokenRemoved(NamedTuple):
    time: int
    place: str
    token: Token
    transition: str
    firing: int
    type: str = "TokenRemoved"


class LogMessage(NamedTuple):
    """A message of an action, or of the engine itself (``transition`` None)."""

    time: int
    level: str
    message: str
    logger: str = ""
    transition: str | None = None
    firing: int | None = None
    type: str = "LogMessage"


Event = (
    ExecutionStarted
    | ExecutionCompleted
    | MarkingSnapshot
    | TransitionEnabled
    | TransitionClockRestarted
    | TransitionTimedOut
    | TransitionStarted
    | TransitionCompleted
    | TransitionFailed
    | ActionTimedOut
    | TokenAdded
    | TokenRemoved
    | LogMessage
)

EVENT_TYPES: Mapping[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        ExecutionStarted,
        ExecutionCompleted,
        MarkingSnapshot,
        TransitionEnabled,
        TransitionClockRestarted,
        TransitionTimedOut,
        TransitionStarted,
        TransitionCompleted,
        TransitionFailed,
        ActionTimedOut,
        TokenAdded,
        TokenRemoved,
        LogMessage,
    )
}

_BY_PLACE = ("marking", "consumed", "produced")


def token_to_json(token: Token) -> dict[str, object]:
    """``{"value": …, "createdAt": ticks, "name": …}``; the name only where there is one."""
    data: dict[str, object] = {"value": token.value, "createdAt": token.created_at}
    if token.name:
        data["name"] = token.name
    return data


def token_from_json(data: Mapping[str, Any]) -> Token:
    return Token(data["value"], data["createdAt"], data.get("name", ""))


def event_to_json(event: Event) -> dict[str, object]:
    """The event as in ``schemas/event.schema.json``: its type first; fields that are None or false are left out."""
    data: dict[str, object] = {"type": event.type}
    for field, value in zip(event._fields[:-1], event[:-1], strict=True):
        if isinstance(value, Token):
            data[field] = token_to_json(value)
        elif field in _BY_PLACE:
            by_place = cast(TokensByPlace, value)
            data[field] = {p: [token_to_json(t) for t in tokens] for p, tokens in by_place.items()}
        elif value is not None and value is not False:
            data[field] = value
    return data


def event_from_json(data: Mapping[str, Any]) -> Event:
    """The event that :func:`event_to_json` wrote. Raises KeyError for a type that this build does not know."""
    fields = {k: v for k, v in data.items() if k != "type"}
    for k in _BY_PLACE:
        if k in fields:
            fields[k] = {p: [token_from_json(t) for t in tokens] for p, tokens in fields[k].items()}
    if "token" in fields:
        fields["token"] = token_from_json(fields["token"])
    return EVENT_TYPES[data["type"]](**fields)
