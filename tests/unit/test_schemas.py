"""The published schemas as a whole: each says what it is, and describes every key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from petri_cli.data import names, read

WRITTEN = {"plan", "net"}
"""Documents that people write in an editor; the others are what programs read."""


def properties(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every property below ``schema`` with its path; those that only tell cases apart (``if``) are left out."""
    stack = [(path, schema)]
    while stack:
        at, part = stack.pop()
        if isinstance(part, list):
            stack += [(f"{at}[{n}]", p) for n, p in enumerate(part)]
        if not isinstance(part, dict):
            continue
        for key, value in part.items():
            if key == "properties" and isinstance(value, dict):
                yield from ((f"{at}.{name}", p) for name, p in value.items() if isinstance(p, dict))
            if key not in ("if", "default", "examples", "const", "enum"):
                stack.append((f"{at}.{key}", value))


@pytest.mark.parametrize("name", names("schemas"))
def test_a_schema_says_what_it_is_and_has_an_address_of_its_own(name: str) -> None:
    schema = json.loads(read("schemas", name))
    assert schema["$id"] == f"urn:petri:schema:{name}:1"
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["title"] and schema["description"]


@pytest.mark.parametrize("name", names("schemas"))
def test_every_key_of_a_schema_is_described(name: str) -> None:
    found = properties(json.loads(read("schemas", name)))
    bare = [path for path, p in found if not {"description", "$ref", "allOf"} & set(p) and p.get("const") is None]
    assert bare == []


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_every_key_that_people_write_has_an_example_and_a_default(name: str) -> None:
    found = properties(json.loads(read("schemas", name)))
    bare = [path for path, p in found if p and not {"$ref", "allOf"} & set(p) and not {"examples", "default"} <= set(p)]
    assert bare == []
