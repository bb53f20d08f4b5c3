"""``docs/plan-language.md``: below the hand-written part, every step and key from ``schemas/plan.schema.json``."""

from __future__ import annotations

import json
from collections.abc import Iterable

from docs.pages.mixed import below_the_mark
from docs.pages.schema import Schema, Tables
from petri_cli.data import read
from petri_cli.document.write import flow_text

WITHOUT = {
    ("plan", "$schema"): "",
    ("plan", "name"): "the file's name",
    ("task", "run"): "",
    ("task", "python"): "",
    ("parallel", "id"): "`1`, `2`, …",
    ("choice", "id"): "`1`, `2`, …",
    ("branch", "body"): "required",
    ("branch", "when"): "whenever no other branch is taken",
    ("loop", "maxIterations"): "no bound",
    ("loop", "until"): "after each round somebody decides",
    ("foreach", "maxWidth"): "no bound",
    ("guard", "id"): "`g1`, `g2`, …",
    ("resource", "per"): "units come back when the guard ends",
    ("retry", "max"): "no bound",
}
"""What holds without a key, where the schema's ``default`` is what an editor fills in."""

NAMES = {
    "#/definitions/node": "[step](#steps)",
    "#/definitions/branch": "[branch](#branches)",
    "#/definitions/resource": "[resource](#resources)",
    "#/definitions/worker": "[worker](#workers)",
    "#/definitions/verifier": "[verifier](#verifiers)",
}
TYPES = {
    ("plan", "defaults"): "[defaults](#defaults)",
    ("task", "retry"): "[retry](#retry)",
    ("task", "timing"): "[timing](#timing)",
}
PATTERNS = {"^[A-Za-z_][A-Za-z0-9_-]*$": "id", "^(?=[0-9])": "duration"}
TASK = "#/definitions/task/properties/"


def plan_language_page(now: str) -> str:
    schema = json.loads(read("schemas", "plan"))
    tables = Tables(schema, NAMES, PATTERNS, WITHOUT, TYPES)
    node = schema["definitions"]["node"]
    task = schema["definitions"]["task"]["properties"]
    parts = [
        "## The document\n",
        f"{schema['description']}\n",
        tables.table("plan", schema),
        "Keys that begin with `x-` are yours: a place for anchors, say.\n",
        "## Steps\n",
        "A step is a map with exactly one of these keys.\n",
        *(_step(tables, key, schema["definitions"][key]) for key in node["properties"]),
        "## Branches\n",
        "A branch of a choice is a step, or a map:\n",
        tables.table("branch", _without(schema["definitions"]["branch"], set(node["properties"]))),
        "## Resources\n",
        tables.table("resource", schema["definitions"]["resource"]),
        "## Workers\n",
        f"{schema['definitions']['worker']['description']}\n",
        tables.table("worker", schema["definitions"]["worker"]),
        "## Verifiers\n",
        _words_or_key(tables, "verifier", schema["definitions"]["verifier"]),
        "## Retry\n",
        f"{task['retry']['description']}\n",
        tables.table("retry", task["retry"]),
        "## Timing\n",
        f"{task['timing']['description']}\n",
        _words_or_key(tables, "timing", task["timing"]),
        "## Defaults\n",
        f"{schema['properties']['defaults']['description']} The keys mean what they mean in a task: "
        f"{_listed(schema['properties']['defaults']['properties'])}.\n",
    ]
    return below_the_mark(now, "\n".join(parts))


def _step(tables: Tables, key: str, kind: Schema) -> str:
    """One kind of step: what it is, an example, its keys."""
    example = f"```yaml\n{key}: {flow_text(kind['examples'][0])}\n```\n"
    parts = [f"### `{key}`\n", f"{kind['description']}\n", example]
    if kind["type"] == "array":
        parts.append("A list of steps, not empty.\n")
    elif "properties" in kind:
        if "array" in kind["type"]:
            parts.append(f"A list of {'branches' if key == 'choice' else 'steps'}, not empty, or a map:\n")
        borrowed = [k for k, p in kind["properties"].items() if p.get("$ref", "").startswith(TASK)]
        parts.append(tables.table(key, _without(kind, set(borrowed))))
        if borrowed:
            parts.append(f"To discover the items is work, too, with the keys of a task: {_listed(borrowed)}.\n")
    return "\n".join(parts)


def _words_or_key(tables: Tables, name: str, schema: Schema) -> str:
    """What is one of some words, or a map with one of some keys."""
    words, of_one_key = schema["anyOf"]
    table = tables.table(name, of_one_key, defaults=False)
    return f"{tables.type(words)}, or a map with exactly one of these keys:\n\n{table}"


def _without(schema: Schema, keys: set[str]) -> Schema:
    return {**schema, "properties": {k: p for k, p in schema["properties"].items() if k not in keys}}


def _listed(keys: Iterable[str]) -> str:
    *most, last = (f"`{k}`" for k in keys)
    return f"{', '.join(most)} and {last}"
