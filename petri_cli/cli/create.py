"""``petri create``: open a session."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import StoreUrl


def create(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="What to call it; NAME-2 when that is taken.")
    ] = "session",
    objective: Annotated[str, typer.Option("--objective", metavar="TEXT", help="What it is for.")] = "",
    store: StoreUrl = None,
) -> int:
    """Open a session and print its id. A plan comes later: petri plan FILE --session ID."""
    from petri_cli.cli.store import opened
    from petri_cli.cli.streams import Output

    with opened(store, create=True) as sessions, Output() as out:
        out.write(sessions.create(name, objective) + "\n")
    return Exit.OK
