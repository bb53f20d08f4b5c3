"""``petri inject``: something outside has happened that a session waits for."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import SessionId, StoreUrl


def inject(
    place: Annotated[str, typer.Argument(metavar="PLACE", help="Where the token goes: p.loop.ID.due ends a delay.")],
    item: Annotated[
        str, typer.Option("--item", metavar="PATH", help="Of which item of the foreach around it: 2, or 2/1.")
    ] = "",
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who says so; your user name.")] = None,
    session: SessionId = None,
    store: StoreUrl = None,
) -> int:
    """Tell a session of an outside event. A loop with a delay between its rounds goes on at once.

    No other place of a plan takes tokens from outside: units of resources are given back by blocks and by time alone.
    """
    from petri_cli.cli.store import chosen, user
    from petri_cli.driver import external

    with chosen(store, session) as at:
        external.inject(at.store, at.session, place, thread=item, by=user(by))
    return Exit.OK
