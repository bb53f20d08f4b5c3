"""``petri approve``: a person's word on work that was reported, or on a repair that was proposed."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import SessionId, StoreUrl

REPAIR = re.compile(r"r[1-9][0-9]*")


def approve(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The claim or repair, as petri status shows it.")],
    reject: Annotated[
        bool, typer.Option("--reject", help="It does not pass: one attempt is burnt, or the plan stays as it is.")
    ] = False,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="A word for the log.")] = "",
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who says so; your user name.")] = None,
    session: SessionId = None,
    store: StoreUrl = None,
) -> int:
    """Approve work whose verifier is human, or a repair (r1), or reject it.

    The driver acts on it. Where none runs: petri verify for work, the next petri run for a repair.
    """
    from petri_cli.cli.secrets import warn_of_unset_secrets
    from petri_cli.cli.store import chosen, user
    from petri_cli.cli.streams import say
    from petri_cli.driver import external

    with chosen(store, session) as at:
        sessions, which = at.store, at.session
        warn_of_unset_secrets(at)
        if REPAIR.fullmatch(claim):
            from petri_cli.driver import repair

            repair.decide(sessions, which, claim, accepted=not reject, by=user(by), why=note)
            return Exit.OK
        if not external.approve(sessions, which, claim, approved=not reject, by=user(by), note=note):
            say(f"petri: {claim} was {'rejected' if reject else 'approved'} already: nothing is changed")
    return Exit.OK
