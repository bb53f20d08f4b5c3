"""``petri approve``: a person's word on work that was reported."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import SessionId, StoreUrl


def approve(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The claim, as petri status shows it.")],
    reject: Annotated[bool, typer.Option("--reject", help="It does not pass: one attempt is burnt.")] = False,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="A word for the log.")] = "",
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who says so; your user name.")] = None,
    session: SessionId = None,
    store: StoreUrl = None,
) -> int:
    """Approve work whose verifier is human, or reject it. The driver acts on it, or petri verify where none runs."""
    from petri_cli.cli.store import opened, session_of, user
    from petri_cli.driver import external

    with opened(store) as sessions:
        which = session_of(sessions, session)
        external.approve(sessions, which, claim, approved=not reject, by=user(by), note=note)
    return Exit.OK
