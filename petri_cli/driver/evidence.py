"""What speaks for work that was reported: a result of the right form, files that are there and new."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from glob import iglob
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Any

from petri_cli.driver.clocks import clock_trouble
from petri_cli.engine.tokens import TICKS_PER_SECOND

Schema = dict[str, Any] | bool
"""Of JSON. ``true`` is satisfied by everything, ``false`` by nothing."""

TICK = 0.01
"""Seconds by which a file's time may lag behind the clock: file systems look at it once a tick."""
LATELY = 3600.0
"""Seconds: no claim is older when its work begins."""
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
        check: Any = validator_for(schema, default=Draft202012Validator).check_schema  # said to take maps alone
        check(schema)
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


Identity = tuple[int, int, int, int]
"""What a file is while nobody writes to it: device, inode, size, nanoseconds of its last writing."""


def files_before(patterns: list[str], folder: Path, now: float) -> frozenset[Identity]:
    """The files that match a pattern before the work begins, and that its time alone might take for newer ones.

    A time may be set to whatever one likes, and lie in the future. now: seconds since 1970.
    """
    found = (stat for pattern in patterns for _, stat in _matching(pattern, folder))
    return frozenset(_identity(stat) for stat in found if stat.st_mtime >= now - LATELY)


def files_of(
    patterns: list[str],
    folder: Path,
    claimed_at: float,
    now: float | None = None,
    before: Collection[Identity] = (),
) -> Found:
    """For each pattern, the files below ``folder`` that match it and were written after ``claimed_at`` (since 1970).

    ``*`` stands for part of a name, ``**`` for folders, hidden ones left out. A pattern may be absolute, or lead out of
    the folder: who writes a plan may run any command anyway. One new file satisfies a pattern. now: what the clock of
    this machine says, if the time of the claim is to be compared with it; before: what was there when the work began.
    """
    trouble = clock_trouble(0 if now is None else round((claimed_at - now) * TICKS_PER_SECOND))
    missing: list[str] = []
    files: list[dict[str, Any]] = []
    for pattern in patterns:
        new, against = [], ""
        for name, stat in _matching(pattern, folder):
            why_not = _why_not_new(stat, claimed_at, before)
            if why_not:
                against = f"{name} {why_not}"
                continue
            new.append({"path": Path(name).as_posix(), "size": stat.st_size, "modified": stat.st_mtime_ns / 1e9})
            if len(new) == MOST:
                break
        files += sorted(new, key=lambda file: str(file["path"]))
        if not new:
            why = f" ({trouble})" if trouble else ""
            missing.append(f"{against}{why}" if against else f"no file matches {pattern}")
    return Found(missing, files)


def _matching(pattern: str, folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    for name in iglob(pattern, root_dir=folder, recursive=True):  # noqa: PTH207 - a pattern may be absolute
        try:
            stat = (folder / name).stat()
        except OSError:
            continue  # gone meanwhile, or a link to nothing
        if S_ISREG(stat.st_mode):
            yield name, stat


def _identity(stat: os.stat_result) -> Identity:
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _why_not_new(stat: os.stat_result, claimed_at: float, before: Collection[Identity]) -> str:
    """The time of the last writing is whatever somebody set it to. That of the last change of a file and of what is
    said of it (``ctime``) is set by the system alone: where it is older, nobody has written since."""
    if not _is_since(stat.st_mtime_ns, claimed_at):
        return "is older than the claim"
    if _identity(stat) in before or not _is_since(stat.st_ctime_ns, claimed_at):
        return "was there before, and nobody has written to it since"
    return ""


def _is_since(time: int, claimed_at: float) -> bool:
    """time: nanoseconds. A file system that knows only whole seconds rounds down."""
    if time % 1_000_000_000 == 0:
        return time // 1_000_000_000 >= int(claimed_at)
    return time / 1e9 >= claimed_at - TICK
