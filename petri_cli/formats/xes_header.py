"""What an XES document says before its first trace: attributes of the log, defaults of its events, classifiers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pyexpat import ParserCreate

from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.log_options import Columns

NAME, TIME, START, RESOURCE, PHASE, OUTCOME = (
    "concept:name", "time:timestamp", "start_timestamp", "org:resource", "lifecycle:transition", "outcome",
)  # fmt: skip
"""Keys of the standard's extensions; ``start_timestamp`` is what tools agreed on for a begin in the event that ends.
For an outcome the standard has none."""

_KEY = re.compile(r"'([^']*)'|(\S+)")


@dataclass(slots=True)
class Header:
    """attributes: key → value, of the log itself; event_defaults: of attributes that are declared global for events;
    classifiers: name → keys."""

    attributes: dict[str, str] = field(default_factory=dict)
    event_defaults: dict[str, str] = field(default_factory=dict)
    classifiers: dict[str, str] = field(default_factory=dict)


def read_header(text: str, file: str) -> Header:
    """The header, from the text before the first trace. Raises InputError PETRI_LOG_FORMAT when the root is no log."""
    header = Header()
    path: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not path and name != "log":
            message = f"the document is `<{tag}>`, not an event log (`<log>`)"
            where = Position(file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
            raise InputError([Problem("PETRI_LOG_FORMAT", message, where, "XES begins with <log>")])
        path.append("events" if name == "global" and attributes.get("scope", "event") == "event" else name)
        if name == "classifier":
            header.classifiers[attributes.get("name", "")] = attributes.get("keys", "")
        elif "key" in attributes and "value" in attributes and path[:-1] == ["log"]:
            header.attributes[attributes["key"]] = attributes["value"]
        elif "key" in attributes and "value" in attributes and path[:-1] == ["log", "events"]:
            header.event_defaults[attributes["key"]] = attributes["value"]

    def end(_: str) -> None:
        path.pop()

    parser = ParserCreate("utf-8")
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(text, False)
    return header


def keys_of(told: Columns) -> dict[str, str]:
    """Role → key of the attribute of an event, for all roles but case and activity."""
    return {
        "timestamp": told.timestamp or TIME, "start": told.start or START, "resource": told.resource or RESOURCE,
        "lifecycle": told.lifecycle or PHASE, "outcome": told.outcome or OUTCOME,
    }  # fmt: skip


def classifier_keys(told: str | None, header: Header, file: str) -> tuple[str, ...]:
    """Keys whose values, joined by ``+``, name the activity. ``told``: a classifier of the log, or keys.

    Raises InputError PETRI_LOG_CLASSIFIER for what names no key.
    """
    if told is None:
        return (NAME,)
    keys = tuple([quoted or plain for quoted, plain in _KEY.findall(header.classifiers.get(told, told))])
    if not keys:
        known = ", ".join(f"`{name}`" for name in header.classifiers) or "none"
        message = f"the classifier `{told}` names no attribute; those of the log: {known}"
        hint = "a classifier's name, or keys of attributes with a blank between"
        raise InputError([Problem("PETRI_LOG_CLASSIFIER", message, Position(file), hint)])
    return keys
