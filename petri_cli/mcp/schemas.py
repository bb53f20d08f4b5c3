"""Schemas of what the tools take and give: those that are shipped, and what is particular to a call."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from petri_cli.data import read

Schema = dict[str, Any]

SESSION: Schema = {
    "type": "string",
    "description": "Id of a session; where it is not said, the only one that is not over.",
    "maxLength": 200,
}
PLAN: Schema = {
    "type": ["string", "object"],
    "description": "The plan: YAML or JSON as text, or the JSON object itself. Its language: petri://schema/plan.",
}
FILE: Schema = {
    "type": "string",
    "description": "A file below the working folder, instead of `plan`.",
    "maxLength": 4096,
}
SECONDS: Schema = {
    "type": "number",
    "description": "Time before the answer is UNKNOWN.",
    "default": 10,
    "exclusiveMinimum": 0,
    "maximum": 60,
}


def inputs(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """What a tool takes."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def outputs(**properties: Schema) -> Schema:
    """What a tool gives: all of these, always."""
    return {"type": "object", "properties": properties, "required": list(properties)}


@cache
def shipped(name: str) -> Schema:
    """A schema that ships with the package, as the output of a tool.

    Without its ``$id`` and draft: a client reads it as part of its own message.
    """
    found: Schema = json.loads(read("schemas", name))
    return {key: part for key, part in found.items() if key not in ("$id", "$schema")}


@cache
def analysis() -> Schema:
    """The report on one plan: an entry of ``results`` in the schema of reports."""
    report = shipped("report")
    return {**report["definitions"]["result"], "definitions": report["definitions"]}
