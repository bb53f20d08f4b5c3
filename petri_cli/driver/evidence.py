"""What speaks for work that was reported: a result of the right form, files that are there and new."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from glob import iglob
from itertools import islice
from pathlib import Path
from typing import Any

from petri_cli.driver.clocks import clock_trouble
from petri_cli.engine.tokens import TICKS_PER_SECOND

Schema = dict[str, Any] | bool
"""Of JSON. ``true`` is satisfied by everything, ``false`` by nothing."""

TICK = 0.01
"""Seconds by which a file's time may lag behind the clock: file systems look at it once a tick."""
MOST = 20
"""Files of a pattern that are listed as evidence."""
MOST_PROBLEMS = 3

_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map",
    "null": "null",
}
_BOUNDS = {
    "minimum": "must be at least {0}, got {1}",
    "maximum": "must be at most {0}, got {1}",
    "exclusiveMinimum": "must be more than {0}, got {1}",
    "exclusiveMaximum": "must be less than {0}, got {1}",
    "multipleOf": "must be a multiple of {0}, got {1}",
    "const": "must be {0}, got {1}",
    "pattern": "must match the pattern {0}, got {1}",
    "minLength": "must have at least {0} characters, got {1}",
    "maxLength": "must have at most {0} characters, got {1}",
    "minItems": "must have at least {0} elements, has {2}",
    "maxItems": "must have at most {0} elements, has {2}",
    "minProperties": "must have at least {0} keys, has {2}",
    "maxProperties": "must have at most {0} keys, has {2}",
}


def schema_problems(schema: Schema, value: Any) -> list[str]:
    """What a JSON Schema (2020-12 unless it says otherwise) has against a value: ``$.n[0]: must be …, got …``.

    At most three; empty when it is satisfied. No reference leads out of the schema: nothing is fetched.
    """
    from jsonschema.exceptions import best_match
    from jsonschema.validators import Draft202012Validator, validator_for
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    validator = validator_for(schema, default=Draft202012Validator)
    if wrong := schema_error(schema):
        return [f"the schema itself is wrong, at {wrong}"]
    errors = islice(validator(schema, registry=REGISTRY).iter_errors(value), MOST_PROBLEMS)
    found = [best_match([error]) or error for error in errors]
    return [f"{_path(error.absolute_path)}: {_said(error)}" for error in found]


def schema_error(schema: Schema) -> str:
    """Where and why ``schema`` is no JSON Schema; empty when it is one."""
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        return f"{_path(error.absolute_path)}: {_said(error)}"
    return ""


def _said(error: Any) -> str:
    wanted, value = error.validator_value, error.instance
    match error.validator:
        case "type":
            types = [wanted] if isinstance(wanted, str) else wanted
            return f"must be {' or '.join(_TYPES.get(t, t) for t in types)}, got {_shown(value)}"
        case "enum":
            return f"must be one of {', '.join(map(_shown, wanted))}, got {_shown(value)}"
        case "required":
            missing = re.match(r"'(.*)' is a required property", error.message)
            return f"needs the key `{missing.group(1)}`" if missing else str(error.message)
        case "anyOf" | "oneOf" if error.context:
            first = {e.schema_path[0]: e for e in reversed(error.context)}
            forms = [_said(first[k]) if not first[k].context else first[k].message for k in sorted(first)]
            return f"fits none of the forms allowed: {'; or '.join(forms[:MOST_PROBLEMS])}"
        case known if known in _BOUNDS:
            size = len(value) if isinstance(value, str | list | dict) else 0
            return _BOUNDS[known].format(_shown(wanted), _shown(value), size)
        case _:
            return str(error.message)


def _path(steps: Any) -> str:
    text = "$"
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if re.fullmatch(r"[\w-]+", step) else f"[{json.dumps(step, ensure_ascii=False)}]"
    return text


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"


@dataclass(frozen=True, slots=True)
class Found:
    """missing: a sentence for each pattern that nothing satisfies; files: those that do, with size and time."""

    missing: list[str]
    files: list[dict[str, Any]]


def files_of(patterns: list[str], folder: Path, claimed_at: float, now: float | None = None) -> Found:
    """For each pattern, the files below ``folder`` that match it and were written after ``claimed_at`` (since 1970).

    ``*`` stands for part of a name, ``**`` for folders, hidden ones left out. A pattern may be absolute, or lead out of
    the folder: who writes a plan may run any command anyway. One new file satisfies a pattern. now: what the clock of
    this machine says, if the time of the claim is to be compared with it.
    """
    trouble = clock_trouble(0 if now is None else round((claimed_at - now) * TICKS_PER_SECOND))
    missing: list[str] = []
    files: list[dict[str, Any]] = []
    for pattern in patterns:
        new, old = [], None
        for name in iglob(pattern, root_dir=folder, recursive=True):  # noqa: PTH207 - a pattern may be absolute
            try:
                stat = (folder / name).stat()
            except OSError:
                continue  # gone meanwhile, or a link to nothing
            if not (folder / name).is_file():
                continue
            if _is_new(stat.st_mtime_ns, claimed_at):
                new.append({"path": Path(name).as_posix(), "size": stat.st_size, "modified": stat.st_mtime_ns / 1e9})
                if len(new) == MOST:
                    break
            else:
                old = name
        files += sorted(new, key=lambda file: str(file["path"]))
        if not new:
            why = f" ({trouble})" if trouble else ""
            missing.append(f"{old} is older than the claim{why}" if old else f"no file matches {pattern}")
    return Found(missing, files)


def _is_new(modified: int, claimed_at: float) -> bool:
    """modified: nanoseconds. A file system that knows only whole seconds rounds down."""
    if modified % 1_000_000_000 == 0:
        return modified // 1_000_000_000 >= int(claimed_at)
    return modified / 1e9 >= claimed_at - TICK
