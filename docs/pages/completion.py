"""``petri_cli/cli/help/completion.json``: what completion has to know of commands (see ``cli.completion``)."""

from __future__ import annotations

import json
from typing import Any

import typer

from petri_cli.cli.main import COMMANDS, app

KINDS = {
    "SESSION": "session",
    "ID": "session",
    "TASK": "task",
    "CLAIM": "claim",
    "RESOURCE=N": "resource=",
    "ID=N": "foreach=",
}
"""What a metavar asks for; of ``[SESSION|LOG]`` the part that is here. Of all others the shell offers files."""
NAMES = {("init", "template"): "template", ("schema", "name"): "schema", ("explain", "code"): "code"}


def completion_table() -> str:
    group: Any = typer.main.get_command(app)
    commands = {name: _command(name, group.get_command(None, name)) for name in COMMANDS}
    table = {"options": _options("petri", group), "commands": commands}
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


def _command(name: str, command: Any) -> dict[str, Any]:
    arguments = [_kind(name, p) for p in command.params if p.param_type_name == "argument"]
    return {"help": COMMANDS[name].rstrip("."), "options": _options(name, command), "arguments": arguments}


def _options(name: str, command: Any) -> dict[str, Any]:
    options = {}
    for p in command.params:
        if p.param_type_name != "option" or p.hidden:
            continue
        value = None if p.is_flag or p.count else _kind(name, p)
        for word in sorted([*p.opts, *p.secondary_opts], key=len, reverse=True):
            options[word] = {"help": _line(p.help or ""), "value": value}
    options["--help"] = {"help": "Show what there is to say, and exit", "value": None}
    return options


def _line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def _kind(command: str, p: Any) -> Any:
    """The values of a parameter: a list of words, or what kind of name they are; empty for files and free text."""
    choices = getattr(p.type, "choices", None)
    if choices:
        return [str(c) for c in choices]
    if (command, p.name) in NAMES:
        return NAMES[command, p.name]
    asked = (p.metavar or "").strip("[].")
    return next((KINDS[part] for part in asked.split("|") if part in KINDS), "")
