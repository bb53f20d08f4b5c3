"""The reference of the command line as Markdown: ``python -m petri_cli.cli.reference > docs/cli.md``.

It is made from what the commands say of themselves, so that it cannot rot; a test compares it with the file.
"""

from __future__ import annotations

import sys
from typing import Any

import typer

from petri_cli.cli.exit import MEANING, Exit
from petri_cli.cli.main import COMMANDS, app

HEAD = """\
# The command line

This page is generated (`make docs`): it is what `petri --help` and `petri COMMAND --help` say.

## Streams

Data alone goes to standard output: verdicts, reports, nets, pages. What is wrong with an input or a call goes to
standard error; with `--format json` and `--format github` it is in the data as well. A reader that goes away
(`petri analyze | head -1`) is no error. Lines and columns count from 1, and paths are written with `/`.

A standard output that takes nothing is one: exit code 2, and `PETRI_CANNOT_WRITE` on standard error. Where it is closed
(`>&-`), nothing is done at all. Where it is full, a session that could not be named is cancelled, a claim is taken
back, and a run goes on to its end and says there how it ended: what was not shown is in its log.

A terminal gets colour where it adds meaning and its own width, from 40 to 110 columns; a pipe or a file gets plain text
that stays the same.
`NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` are honoured, and under `LANG=C` lines are drawn in ASCII.
"""


def reference() -> str:
    """The whole page."""
    group: Any = typer.main.get_command(app)
    parts = [HEAD, _exit_codes(), _options("## petri", group)]
    for name in COMMANDS:
        command: Any = group.get_command(None, name)
        parts.append(_command(f"## petri {name}", command))
    return "\n".join(parts)


def _exit_codes() -> str:
    rows = "".join(f"| {int(code)} | {MEANING[code]} |\n" for code in Exit)
    return (
        "## Exit codes\n\n| code | meaning |\n|---:|---|\n"
        + rows
        + "\nThey do not depend on `--format`. Several files exit "
        "with the worst: 130 before 70 before 2 before 1 before 3 before 0.\n"
    )


def _command(title: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([title.removeprefix("## "), "[OPTIONS]", *(p.metavar or p.name.upper() for p in arguments)])
    rows = "".join(f"| `{p.metavar or p.name.upper()}` | {_cell(p.help)} | {_default(p)} |\n" for p in arguments)
    table = f"| argument | | default |\n|---|---|---|\n{rows}\n" if rows else ""
    return f"{title}\n\n    {usage}\n\n{command.help}\n\n{table}{_option_table(command)}"


def _options(title: str, command: Any) -> str:
    return f"{title}\n\n{command.help}\n\n{_option_table(command)}"


def _option_table(command: Any) -> str:
    options = [p for p in command.params if p.param_type_name == "option"]
    rows = "".join(f"| {_names(p)} | {_cell(p.help)} | {_default(p)} |\n" for p in options)
    return f"| option | | default |\n|---|---|---|\n{rows}" if rows else ""


def _names(option: Any) -> str:
    value = "" if option.is_flag else f" {option.metavar or '|'.join(getattr(option.type, 'choices', ())) or 'TEXT'}"
    long, *short = sorted(option.opts, key=len, reverse=True)
    return ", ".join(f"`{name}`" for name in [*short, long + value]).replace("|", "\\|")


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


def _default(param: Any) -> str:
    default = param.default
    if default is None or default is False or default == "" or callable(default):
        return ""
    return f"`{default}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
