"""``petri heartbeat``: the work on a claim goes on."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.options import lease_option
from petri_cli.cli.store import SessionId, StoreUrl


def heartbeat(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The claim, as petri claim printed it.")],
    session: SessionId = None,
    store: StoreUrl = None,
    worker: Annotated[str, typer.Option("--worker", metavar="NAME", help="Who you are, to be checked.")] = "",
    lease: Annotated[float | None, lease_option("How long from now; as the claim has it.")] = None,
) -> int:
    """Renew the lease of a claim. Exit code 4 when the claim is over: stop the work, nothing of it will count."""
    from petri_cli.cli.store import chosen
    from petri_cli.driver import external

    with chosen(store, session) as at:
        external.heartbeat(at.store, at.session, claim, worker=worker, lease=lease)
    return Exit.OK
