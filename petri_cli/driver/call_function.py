"""Calls a Python function in a process of its own: ``python call_function.py MODULE:FUNCTION work|verify``.

What it is called with comes as JSON on standard input. What it returns goes as JSON to standard output, which nothing
else writes to: what the function prints goes to standard error. Run as a program, it imports nothing of the package.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":  # modules are looked for in the working directory, not beside this file
    if sys.path and sys.path[0] == __file__.rpartition("/")[0]:
        sys.path[0] = ""
    else:
        sys.path.insert(0, "")

import asyncio
import importlib
import inspect
import json
import os
from typing import Any, NoReturn

OFFERED = ("item", "task", "claim", "attempt", "session", "rounds")
"""What a function of work gets when it has a parameter of that name, and ``with`` does not say otherwise."""


def found(name: str) -> Any:
    """The function ``module:function``."""
    module, _, path = name.partition(":")
    try:
        part: Any = importlib.import_module(module)
        for step in path.split("."):
            part = getattr(part, step)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            _stop(f"there is no module `{module}` here")
        raise
    except AttributeError as error:
        _stop(f"`{name}`: {error}")
    return part if callable(part) else _stop(f"`{name}` is not a function")


def arguments(function: Any, request: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a function of work."""
    given = dict(request.get("with") or {})
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return given
    offered = {k: request.get(k) for k in OFFERED if k in parameters and k not in given}
    return {**given, **offered}


def adjudicated(value: Any) -> dict[str, Any]:
    """What a verifier returned: True, or ``{passed, reason}``. Anything else is not a pass."""
    if value is True:
        return {"passed": True, "reason": ""}
    if isinstance(value, dict) and isinstance(value.get("passed"), bool):
        return {**value, "reason": str(value.get("reason", ""))}
    if value is False:
        return {"passed": False, "reason": "it returned False"}
    return {"passed": False, "reason": f"it must return True or {{passed, reason}}, it returned {value!r:.80}"}


def main(name: str, kind: str) -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    function = found(name)
    try:
        value = function(request) if kind == "verify" else function(**arguments(function, request))
        if inspect.iscoroutine(value):
            value = asyncio.run(value)
    except SystemExit as error:
        _stop(f"it ended the program ({error.code})")
    if kind == "verify":
        value = adjudicated(value)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        _stop(f"it returned something that JSON cannot carry: {error}")
    with out:
        out.write(text + "\n")


def _stop(why: str) -> NoReturn:
    sys.stderr.write(f"{why}\n")
    sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
