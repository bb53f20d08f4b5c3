"""``docs/report.md``: below the hand-written part, an example and every property of ``schemas/report.schema.json``."""

from __future__ import annotations

import json
import re

from docs.pages.mixed import below_the_mark
from docs.pages.schema import Tables
from petri_cli.api import analyze_data
from petri_cli.data import path_of, read
from petri_cli.render.json_report import SCHEMA, result_data
from petri_cli.version import __version__

EXAMPLE = "lock-inversion"


def report_page(now: str) -> str:
    schema = json.loads(read("schemas", "report"))
    objects = {n: d for n, d in schema["definitions"].items() if "properties" in d}
    tables = Tables(schema, {f"#/definitions/{n}": _link(n) for n in objects}, as_json=True)
    parts = [
        "## An example\n",
        f"`petri analyze samples/{EXAMPLE}.petri.yaml --format json` writes:\n",
        f"```json\n{_example()}```\n",
        "## The report\n",
        f"{schema['description']}\n",
        tables.table("report", schema, defaults=False),
    ]
    for name, definition in objects.items():
        parts += [f"## {_title(name)}\n", f"{definition['description']}\n"]
        parts.append(tables.table(name, definition, defaults=False))
    return below_the_mark(now, "\n".join(parts))


def _link(name: str) -> str:
    return f"[{_title(name).lower()}](#{_title(name).lower().replace(' ', '-')})"


def _title(name: str) -> str:
    """``ownCounterexample`` as people write it."""
    return re.sub("[A-Z]", lambda m: f" {m.group().lower()}", name).capitalize()


def _example() -> str:
    """The report on the example, but for the time it took."""
    path = path_of("samples", EXAMPLE)
    result = result_data(analyze_data(path.read_bytes(), f"samples/{path.name}"))
    del result["stats"]["seconds"]
    return (
        json.dumps({"schema": SCHEMA, "version": __version__, "results": [result]}, indent=2, ensure_ascii=False) + "\n"
    )
