"""Checks a result against a JSON Schema in a process of its own, where a pattern may search for ever.

``{"schema": …, "value": …}`` comes as JSON on standard input; the list of problems goes to standard output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from petri_cli.driver.evidence import schema_problems

_ROOT = str(Path(__file__).resolve().parents[2])
_MAIN = "import sys; sys.path.append(sys.argv[1]); from petri_cli.driver.check_schema import main; main()"

COMMAND = (sys.executable, "-P", "-c", _MAIN, _ROOT)
"""Modules are not looked for in the working directory: what lies there has no part in this."""


def has_patterns(schema: Any) -> bool:
    """Whether regular expressions take part, which know no time limit and let nothing else run in their process."""
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            if "pattern" in part or "patternProperties" in part:
                return True
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return False


def main() -> None:
    asked = json.load(sys.stdin)
    print(json.dumps(schema_problems(asked["schema"], asked["value"])))  # noqa: T201
