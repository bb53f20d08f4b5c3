"""What was taken for somebody who never heard of it is given back."""

from __future__ import annotations

from petri_cli.driver.visits import Alive, visiting
from petri_cli.session import identity
from petri_cli.session.store import EventStore


def give_back(store: EventStore, session: str, claim: str, *, why: str, alive: Alive = identity.alive) -> None:
    """Take back a claim that no worker knows of: its work waits for a worker again, and no attempt is burnt."""
    with visiting(store, session, alive, late=True) as (replica, now):
        held = replica.state.claims.get(claim)
        if held is not None and held.stage == "claimed":
            replica.revoked(now, held, why)
