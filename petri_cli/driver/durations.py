"""How long tasks take, from a file: task id → seconds, ``{mean, sd}``, or ``[least, most]``; durations as in plans."""

from __future__ import annotations

import random
from collections.abc import Collection
from functools import partial

from petri_cli.document import ListNode, MapNode, Node, read_document
from petri_cli.engine.virtual_executor import Duration
from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.nearest import did_you_mean
from petri_cli.plan.load_fields import PlanFields

KEYS = ("mean", "sd")
HINT = "a line says how long a task takes, such as survey: 10m"


def read_durations(data: bytes, file: str, known: Collection[str]) -> dict[str, Duration]:
    """The durations in a YAML or JSON document, for the tasks ``known``.

    ``{mean, sd}`` is a normal distribution cut off at 0, ``[least, most]`` a uniform one. Raises InputError with every
    problem of the document.
    """
    fields = PlanFields()
    durations: dict[str, Duration] = {}
    if not data.strip():
        raise InputError([Problem("PETRI_EMPTY_DOCUMENT", "no duration is in here", Position(file, 1, 1), HINT)])
    document = read_document(data, file)
    if not isinstance(document, MapNode):
        fields.wrong_type("durations", "a map from tasks to durations", document)
    else:
        for key, value in document.entries:
            name = str(key.value)
            if name not in known:
                fields.note("PETRI_UNKNOWN_TASK", f"there is no task `{name}`", key, did_you_mean(name, known))
            elif (duration := _duration(fields, value, f"the duration of `{name}`")) is not None:
                durations[name] = duration
    if fields.problems:
        raise InputError([p if p.where.file else p.in_file(file) for p in fields.problems])
    return durations


def _duration(fields: PlanFields, node: Node, what: str) -> Duration | None:
    match node:
        case MapNode():
            found = fields.map(node, what, KEYS) or {}
            for name in KEYS:
                if name not in found:
                    fields.missing_key(name, what, node)
            mean, sd = (fields.duration(found[k], k, zero=True) if k in found else None for k in KEYS)
            return None if mean is None or sd is None else partial(_normal, mean, sd)
        case ListNode(items=items) if len(items) == 2:
            least, most = (fields.duration(n, what, zero=True) for n in items)
            if least is None or most is None:
                return None
            if least > most:
                fields.note(
                    "PETRI_BAD_VALUE", f"{what} is [least, most], but {least:g} s is more than {most:g} s", node
                )
            return partial(_uniform, least, most)
        case ListNode():
            fields.wrong_type(what, "a duration, [least, most] or {mean, sd}", node)
            return None
        case _:
            return fields.duration(node, what, zero=True)


def _normal(mean: float, sd: float, rng: random.Random) -> float:
    return max(0.0, rng.gauss(mean, sd))


def _uniform(least: float, most: float, rng: random.Random) -> float:
    return rng.uniform(least, most)
