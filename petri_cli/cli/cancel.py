"""``petri cancel``: end a session for good."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.options import SessionNamed
from petri_cli.cli.store import StoreUrl


def cancel(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Which session; $PETRI_SESSION, else the only live one.")
    ] = None,
    named: SessionNamed = None,
    store: StoreUrl = None,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="A word for the log.")] = "cancelled",
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who says so; your user name.")] = None,
) -> int:
    """End a session: claims are taken back, processes ended, units of resources returned. It never goes on.

    A driver that runs the session ends what it started, and exits.
    """
    import asyncio

    from petri_cli.cli.options import one_session
    from petri_cli.cli.secrets import warn_of_unset_secrets
    from petri_cli.cli.store import chosen, user
    from petri_cli.cli.streams import Output
    from petri_cli.driver import external

    with chosen(store, one_session(session, named)) as at, Output() as out:
        which = at.session
        warn_of_unset_secrets(at)
        asyncio.run(external.cancel(at.store, which, by=user(by), why=why))
        out.done = f"{which} is cancelled all the same"
        out.write(f"{which} is cancelled\n")
    return Exit.OK
