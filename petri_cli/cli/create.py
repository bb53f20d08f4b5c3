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
    """Open a session and print its id. A plan comes later: petri plan FILE --session ID.

    Where the id cannot be printed, the session is cancelled: nobody knows of it.
    """
    import asyncio

    from petri_cli.cli.store import opened, user
    from petri_cli.cli.streams import Output
    from petri_cli.driver.cancel import cancel
    from petri_cli.errors import PetriError

    with opened(store, create=True) as sessions, Output() as out:
        session = sessions.create(name, objective)
        out.done = f"{session} was opened, and is cancelled again"
        try:
            out.write(f"{session}\n")
            out.flush()
        except PetriError:
            asyncio.run(cancel(sessions, session, by=user(None), why="its id could not be printed"))
            raise
    return Exit.OK
