"""Events as text: what the schema describes is what is written, and nothing else is read."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from petri_cli.errors import PetriError
from petri_cli.session.events import EVENT_TYPES, Noted, SessionEvent
from petri_cli.session.payload import camel, decode, decode_all, encode, event_from_json, event_to_json
from tests.strategies.session_logs import session_log

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "session-event.schema.json").read_text(encoding="utf-8"))
VALID = jsonschema.Draft7Validator(SCHEMA)


def fullest() -> dict[str, dict[str, Any]]:
    """Of each kind of event the payload with the most fields that the model's logs have."""
    found: dict[str, dict[str, Any]] = {}
    for seed in range(60):
        for event in session_log(seed, 80):
            data = json.loads(encode(event))
            if len(data) > len(found.get(event.type, ())):
                found[event.type] = data
    return found


PAYLOADS = fullest()


def test_there_is_a_payload_of_every_kind() -> None:
    assert PAYLOADS.keys() == EVENT_TYPES.keys() == set(SCHEMA["properties"]["type"]["enum"])


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_the_schema_has_the_fields_of_the_event(kind: str) -> None:
    described = SCHEMA["definitions"][kind]["properties"].keys()
    assert described == {"type", "v", "seq", *(camel(f.name) for f in fields(EVENT_TYPES[kind]))}


def test_every_event_that_is_written_is_valid() -> None:
    for seed in range(6):
        for event in session_log(seed, 60):
            VALID.validate(event_to_json(event))


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_an_unknown_field_is_refused_by_the_schema_and_by_the_reader(kind: str) -> None:
    data = {**PAYLOADS[kind], "extra": 1}
    assert not VALID.is_valid(data)
    with pytest.raises(PetriError, match=f"PETRI_BAD_LOG .*{kind} .*'extra'"):
        event_from_json(data)


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_a_missing_field_is_refused_by_both_or_has_a_default(kind: str) -> None:
    for key in PAYLOADS[kind]:
        data = {k: v for k, v in PAYLOADS[kind].items() if k != key}
        try:
            event_from_json(data)
            read = True
        except PetriError as e:
            assert e.code == "PETRI_BAD_LOG"
            read = False
        assert VALID.is_valid(data) == read, key


WRONG: tuple[Any, ...] = (None, 5, "x", [1], {"a": 1}, [[]], {"a": [5]}, True)


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_a_field_of_the_wrong_type_is_never_a_crash(kind: str) -> None:
    for key in PAYLOADS[kind]:
        for wrong in WRONG:
            data = {**PAYLOADS[kind], key: wrong}
            try:
                event_from_json(data)
            except PetriError as e:
                assert e.code == "PETRI_BAD_LOG"


@pytest.mark.parametrize("version", [2, 0, "1", None, 1.5])
def test_another_version_is_refused_with_the_way_out(version: object) -> None:
    with pytest.raises(PetriError) as error:
        event_from_json({**PAYLOADS["Noted"], "v": version})
    assert error.value.code == "PETRI_BAD_LOG" and "upgrade" in error.value.hint


LINES = ("", "{", "null", "[]", "5", '"x"', "{}", '{"type": 5, "v": 1}', "[" * 100_000, "\x00")


@pytest.mark.parametrize("line", [*LINES, '{"type":"Noted","v":1,"at":"1","level":"info","message":"x"}'])
def test_a_line_that_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(PetriError, match="PETRI_BAD_LOG"):
        decode(line)


def test_lines_are_read_together_as_each_for_itself() -> None:
    log: list[SessionEvent] = session_log(2, 100)
    assert decode_all([encode(e) for e in log]) == log
    assert decode_all([]) == []


@pytest.mark.parametrize("bad", ["{", "5, 5", "]", '{"type":"Noted","v":1,"at":1},{"type":"Noted"', "", "\ud800"])
def test_one_bad_line_among_many_is_found(bad: str) -> None:
    good = encode(Noted(1, "info", "x"))
    with pytest.raises(PetriError, match="PETRI_BAD_LOG"):
        decode_all([good, bad, good])


def test_defaults_are_left_out_and_text_is_as_it_is() -> None:
    assert encode(Noted(1, "info", "ä€")) == '{"type":"Noted","v":1,"at":1,"level":"info","message":"ä€"}'
