"""Tables made from a JSON Schema: a row a property, with its type, what holds without it, what it is, an example."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from petri_cli.document.write import flow_text, json_text

Schema = Mapping[str, Any]
_WORDS = {"string": "text", "boolean": "`true` or `false`"}


@dataclass(frozen=True)
class Tables:
    """Tables of one schema.

    names: reference (``#/definitions/…``) → how its type is called, as Markdown.
    patterns: beginning of a pattern → what a text that fits it is called.
    without: (table, property) → what holds without the property, where that is not the default of the schema (which is
    what an editor fills in).
    types: (table, property) → its type, where that has a table of its own.
    as_json: write values as JSON, not as YAML.
    """

    schema: Schema
    names: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    without: Mapping[tuple[str, str], str] = field(default_factory=dict)
    types: Mapping[tuple[str, str], str] = field(default_factory=dict)
    as_json: bool = False

    def resolve(self, schema: Schema) -> Schema:
        """What a schema says itself, and below that what it refers to."""
        refs = [s["$ref"] for s in (schema, *schema.get("allOf", ())) if "$ref" in s]
        return {**self.resolve(self.at(refs[0])), **schema} if refs else schema

    def at(self, ref: str) -> Schema:
        """The schema that a reference such as ``#/definitions/node`` points at."""
        found: Any = self.schema
        for step in ref.removeprefix("#/").split("/"):
            found = found[step]
        return dict(found)

    def table(self, name: str, schema: Schema, *, defaults: bool = True) -> str:
        """The properties of an object. ``name`` is that of the table, for ``without``."""
        columns = ["key", "type", *(["without it"] if defaults else []), "", "example"]
        rows = self._rows(name, "", schema, defaults)
        lines = [f"| {' | '.join(_cell(c) for c in row)} |".replace("|  |", "| |") for row in (columns, *rows)]
        return "\n".join([lines[0], f"|{'---|' * len(columns)}", *lines[1:], ""])

    def _rows(self, name: str, prefix: str, schema: Schema, defaults: bool) -> list[list[str]]:
        """A row a property; those of a list of maps that has no table of its own come below it, as ``steps[].step``."""
        rows = []
        required = schema.get("required", ())
        for key, prop in schema["properties"].items():
            p = self.resolve(prop)
            kind = self.types.get((name, key)) or self.type(prop)
            without = ["required" if key in required else self._without(name, key, p)] if defaults else []
            examples = ", ".join(self._code(e) for e in p.get("examples", ()))
            rows.append([f"`{prefix}{key}`", kind, *without, p.get("description", ""), examples])
            items = p.get("items", {})
            if "properties" in items:
                rows += self._rows(name, f"{prefix}{key}[].", items, defaults)
        return rows

    def _without(self, name: str, key: str, p: Schema) -> str:
        if (name, key) in self.without:
            return self.without[name, key]
        default = p.get("default", p.get("const"))
        return "" if default in (None, "", [], {}) else self._code(default)

    def type(self, schema: Schema) -> str:
        """The type of a value in words."""
        for s in schema.get("allOf", [schema]):
            if s.get("$ref") in self.names:
                return self.names[s["$ref"]]
        schema = self.resolve(schema)
        if "anyOf" in schema:
            return " or ".join(dict.fromkeys(self.type(s) for s in schema["anyOf"]))
        if "const" in schema:
            return self._code(schema["const"])
        if "enum" in schema:
            return " or ".join(self._code(v) for v in schema["enum"])
        return " or ".join(dict.fromkeys(self._simple(t, schema) for t in _types(schema)))

    def _simple(self, kind: str, schema: Schema) -> str:
        named = [word for start, word in self.patterns.items() if schema.get("pattern", "").startswith(start)]
        match kind:
            case "string" | "number" if named:
                return named[0]
            case "array":
                items = schema.get("items", {})
                of = self.type(items[0] if isinstance(items, list) else items) if items else ""
                return f"list of {_many(of)}" if of else "list"
            case "object":
                values = schema.get("additionalProperties")
                return f"map of {_many(of)}" if values and (of := self.type(values)) else "map"
            case "integer" | "number":
                return kind + _range(schema)
        return _WORDS.get(kind, f"`{kind}`")

    def _code(self, value: Any) -> str:
        text = json_text(value) if self.as_json else flow_text(value)
        return f"`` {text} ``" if "`" in text else f"`{text}`"


def _types(schema: Schema) -> list[str]:
    found = schema.get("type", [])
    return [found] if isinstance(found, str) else list(found)


def _range(schema: Schema) -> str:
    """The bounds of a number. A thousand million is the upper bound of most, and not worth a word."""
    low, above, high = schema.get("minimum"), schema.get("exclusiveMinimum"), schema.get("maximum")
    high = None if high is not None and high >= 10**9 else high
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None and low > -(10**9):
        return f" ≥ {low}"
    return f" > {above}" if above is not None else ""


def _many(word: str) -> str:
    """The plural of a type, be it a word or a link."""
    return re.sub(r"^(\[?)([a-z ]+)(?=\]|$)", lambda m: f"{m[1]}{m[2]}{'es' if m[2].endswith('ch') else 's'}", word)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
