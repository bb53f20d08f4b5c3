"""The help of commands with many options, as text: to show it, no option has to be made first.

The texts are written by ``python -m docs.generate`` and held against what typer says by a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size

STORED = ("mine",)
COLUMNS = 80
"""As wide as help gets; where there is less room, typer lays it out anew."""

_FOLDER = Path(__file__).parent / "help"


def stored_help(arguments: Sequence[str]) -> str | None:
    """The help that ``petri ARGUMENTS`` asks for, where it is stored; None where typer has to be asked."""
    if len(arguments) != 2 or arguments[0] not in STORED or arguments[1] not in ("--help", "-h"):
        return None
    if get_terminal_size().columns < COLUMNS:
        return None
    try:
        return (_FOLDER / f"{arguments[0]}.txt").read_text(encoding="utf-8")
    except OSError:
        return None


def help_text(command: str) -> str:
    """What typer says of ``command`` on a terminal that is wide enough."""
    from typing import Any

    import typer

    from petri_cli.cli.main import app

    group: Any = typer.main.get_command(app)
    outer = group.make_context("petri", [], resilient_parsing=True)
    inner = group.get_command(outer, command)
    context = inner.context_class(inner, info_name=command, parent=outer, terminal_width=COLUMNS - 2)
    return f"{context.get_help()}\n"
