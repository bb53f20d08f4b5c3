"""Events as lines of JSON, whatever the values of their tokens are: actions may put anything into a token."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from petri_cli.engine.events import Event, event_to_json
from petri_cli.engine.tokens import Token


def event_line(event: Event) -> str:
    """The event as one line of JSON; a value that JSON cannot hold is written as its ``repr``."""
    try:
        return _line(event)
    except Exception:  # a value that JSON cannot hold may as well be one whose repr throws
        return _line(_writable(event))


def held(token: Token) -> Token:
    """``token``, or the like with a text in place of a value that JSON cannot hold: not a number, a cycle, odd keys."""
    try:
        json.dumps(token.value, allow_nan=False, default=repr)
    except Exception:
        return token._replace(value=_shown(token.value))
    return token


def _line(event: Event) -> str:
    return json.dumps(event_to_json(event), ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=repr)


def _writable(event: Event) -> Event:
    changed: dict[str, Any] = {}
    for field, value in zip(event._fields, event, strict=True):
        if isinstance(value, Token):
            changed[field] = held(value)
        elif isinstance(value, Mapping):
            changed[field] = {place: tuple(map(held, tokens)) for place, tokens in value.items()}
    return event._replace(**changed)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
