"""Events as JSON, and back: a line an event, as ``schemas/session-event.schema.json`` describes it.

Names of keys are those of the fields, in camel case. Type, version and time come first; what has its default is left
out. A log may have a million events, so what is done for a kind of event is worked out once, and lines are read many at
a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from operator import attrgetter
from typing import Any

from petri_cli.engine.events import TokensByPlace, token_to_json
from petri_cli.engine.tokens import Token
from petri_cli.errors import PetriError
from petri_cli.session.events import EVENT_TYPES, Holding, Process, RevisionCommitted, SessionEvent, Timer
from petri_cli.session.plan_text import plan_hash

VERSION = 1
"""Of the payloads, raised with every field that is added: a reader refuses what is newer than it knows."""


def tokens_to_json(tokens: TokensByPlace) -> dict[str, list[dict[str, object]]]:
    return {place: [token_to_json(t) for t in ts] for place, ts in tokens.items()}


def tokens_from_json(data: Mapping[str, Any]) -> TokensByPlace:
    return {place: _row(ts) for place, ts in data.items()}


def _row(data: Iterable[Mapping[str, Any]]) -> tuple[Token, ...]:
    return tuple([Token(t["value"], t["createdAt"], t.get("name", "")) for t in data])


def _row_to_json(tokens: Iterable[Token]) -> list[dict[str, object]]:
    return [token_to_json(t) for t in tokens]


def timer_to_json(timer: Timer) -> dict[str, Any]:
    return {"id": timer.id, "due": timer.due, "place": timer.place, "tokens": _row_to_json(timer.tokens)}


def timer_from_json(data: Mapping[str, Any]) -> Timer:
    return Timer(data["id"], data["due"], data["place"], _row(data["tokens"]))


def process_to_json(process: Process) -> dict[str, Any]:
    return {
        "pid": process.pid,
        "startTime": process.start_time,
        "bootId": process.boot_id,
        "host": process.host,
        "group": process.group,
        "namespace": process.namespace,
    }


def process_from_json(data: Mapping[str, Any]) -> Process:
    known = data["pid"], data["startTime"], data["bootId"], data["host"]
    return Process(*known, data.get("group", 0), data.get("namespace", ""))


def holding_to_json(holding: Holding) -> dict[str, Any]:
    return {
        "transition": holding.transition,
        "thread": holding.thread,
        "since": holding.since,
        "units": dict(holding.units),
    }


def holding_from_json(data: Mapping[str, Any]) -> Holding:
    return Holding(data["transition"], data["thread"], data["since"], data["units"])


Convert = Callable[[Any], Any]


def _each(convert: Convert) -> Convert:
    return lambda values: [convert(v) for v in values]


def _tuple(convert: Convert) -> Convert:
    return lambda values: tuple([convert(v) for v in values])


def _values(convert: Convert) -> Convert:
    return lambda values: {key: convert(v) for key, v in values.items()}


_CONVERT: Mapping[str, tuple[Convert, Convert]] = {
    **dict.fromkeys(("consumed", "produced", "returned", "marking"), (tokens_to_json, tokens_from_json)),
    "tokens": (_row_to_json, _row),
    "timers": (_each(timer_to_json), _tuple(timer_from_json)),
    "holdings": (_each(holding_to_json), _tuple(holding_from_json)),
    "process": (process_to_json, process_from_json),
    "moved": (_values(tokens_to_json), _values(tokens_from_json)),
}
"""Name of a field → how it becomes JSON, and an event's value again. Others are JSON as they are, or become lists."""


def _converts(field: Field[Any]) -> tuple[Convert | None, Convert | None]:
    plain = (list, tuple) if str(field.type).startswith("tuple[") else (None, None)
    return _CONVERT.get(field.name, plain)


class _Kind:
    """What is to be done for one kind of event."""

    __slots__ = ("_blank", "_factories", "_fields", "_get", "_make", "_places", "_required", "_type")

    def __init__(self, kind: type[SessionEvent]) -> None:
        self._make: Callable[..., SessionEvent] = kind
        self._type = kind.type
        self._get = attrgetter(*(f.name for f in fields(kind)))
        of = [(camel(f.name), f, *_converts(f)) for f in fields(kind)]
        self._fields = [(key, f.default, f.default_factory is not MISSING, write) for key, f, write, _ in of]
        self._places = {"type": (-1, None), "v": (-1, None), **{key: (k, of[k][3]) for k, (key, *_) in enumerate(of)}}
        self._blank: list[Any] = [*(f.default for _, f, _, _ in of), None]
        self._factories = [(k, f.default_factory) for k, (_, f, _, _) in enumerate(of) if callable(f.default_factory)]
        self._required = frozenset(key for key, f, *_ in of if f.default is MISSING and f.default_factory is MISSING)

    def to_json(self, event: SessionEvent) -> dict[str, Any]:
        data: dict[str, Any] = {"type": self._type, "v": VERSION}
        for (key, default, made, write), value in zip(self._fields, self._get(event), strict=True):
            if value == default or (made and not value):
                continue
            data[key] = value if write is None else write(value)
        return data

    def from_json(self, data: Mapping[str, Any]) -> SessionEvent:
        """Raises what a wrong value raises: KeyError, TypeError, ValueError, AttributeError."""
        if not self._required.issubset(data):
            raise ValueError(f"it has no {', '.join(sorted(self._required.difference(data)))}")
        values = self._blank.copy()
        for k, factory in self._factories:
            values[k] = factory()
        for key, value in data.items():
            k, read = self._places[key]
            values[k] = value if read is None else read(value)
        values.pop()
        return self._make(*values)


def camel(name: str) -> str:
    """The key of a field."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


_KINDS = {name: _Kind(kind) for name, kind in EVENT_TYPES.items()}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def event_to_json(event: SessionEvent) -> dict[str, Any]:
    return _KINDS[event.type].to_json(event)


def event_from_json(data: Any) -> SessionEvent:
    """The event of a payload. Raises PetriError ``PETRI_BAD_LOG`` for what is none, or is newer than this program."""
    if not isinstance(data, dict):
        raise PetriError("PETRI_BAD_LOG", "an event that is not a JSON object")
    name, version = data.get("type"), data.get("v")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None or version != VERSION or type(version) is not int:
        message = f"an event {name!r}, version {version!r}, is not known to this version"
        raise PetriError("PETRI_BAD_LOG", message, hint="it was written by a newer petri: upgrade this one")
    if type(data.get("at")) is not int:
        raise PetriError("PETRI_BAD_LOG", f"an event {name} without a time")
    try:
        event = kind.from_json(data)
        if isinstance(event, RevisionCommitted) and plan_hash(event.text) != event.hash:
            raise ValueError("its plan is not the one that was committed: the text has another hash")
        return event
    except KeyError as e:
        raise PetriError("PETRI_BAD_LOG", f"an event {name} with a field {e.args[0]!r}, or without one") from None
    except (TypeError, ValueError, AttributeError) as e:
        raise PetriError("PETRI_BAD_LOG", f"an event {name} that is not one: {e}") from None


def encode(event: SessionEvent) -> str:
    """One line of JSON, as a store keeps it. Raises PetriError ``PETRI_NOT_JSON`` for a value that JSON has not."""
    try:
        data = event_to_json(event)
        text = _ENCODER.encode(data)
        if not text.isascii() and half_a_pair(text):
            text = json.dumps(data, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as e:
        message = f"an event {event.type} holds what JSON cannot say: {e}"
        hint = "text, finite numbers, true, false, null, lists and objects, nested a few hundred deep at most"
        raise PetriError("PETRI_NOT_JSON", message, hint=hint) from None
    return text


def half_a_pair(text: str) -> bool:
    """Whether there is half a surrogate pair in it, which UTF-8 cannot write and an escape of JSON can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def decode(text: str | bytes) -> SessionEvent:
    """The event of a line that :func:`encode` wrote. Raises PetriError ``PETRI_BAD_LOG``."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise PetriError("PETRI_BAD_LOG", f"an event that is not JSON: {e}") from None
    return event_from_json(data)


def decode_all(lines: Sequence[str]) -> list[SessionEvent]:
    """The events of many lines. To parse them as one JSON array takes half the time of parsing each for itself."""
    try:
        many = json.loads(f"[{','.join(lines)}]")
    except (ValueError, TypeError, RecursionError):
        many = []
    if len(many) != len(lines):
        return [decode(line) for line in lines]  # and say which one it is
    return [event_from_json(data) for data in many]
