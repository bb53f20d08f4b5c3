"""Adaptive repair: numbers that the session's own log speaks for, and nothing else. It costs nothing."""

from __future__ import annotations

from petri_cli.driver.commit import Document
from petri_cli.driver.insights import applied, insights
from petri_cli.driver.repair import Dead, Proposal, Proposer, RepairKind
from petri_cli.driver.replica import Replica
from petri_cli.driver.standing import exhausted
from petri_cli.errors import PetriError
from petri_cli.mining.adaptations import Adaptation
from petri_cli.session.store import EventStore


class Adaptive(Proposer):
    """More attempts, or more time, for the tasks that have used up theirs: where counts say that it may help.

    What is not a matter of a number (a choice without a way on, a structure in which work cannot come about) is not
    touched.
    """

    kind: RepairKind = "adaptive"

    def propose(self, store: EventStore, dead: Dead) -> Proposal | None:
        if dead.state.failed:
            return None
        stuck = {e.piece.transition for e in exhausted(Replica(dead.session, store.state(dead.session)))}
        found = insights(store, dead.session)
        chosen = [a for a in found.adaptations if a.reversible and a.target in stuck and _helps(a)]
        if not any(a.kind == "maxAttempts" for a in chosen):
            return None
        changes = tuple(a.as_data() for a in chosen)
        try:
            document = Document(applied(found, chosen), found.file)
        except PetriError as error:
            return Proposal("adaptive", None, changes, str(error.problem))
        return Proposal("adaptive", document, changes)


def _helps(a: Adaptation) -> bool:
    """Whether it gives dead work more room: a limit that gets tighter brings nothing back to life."""
    return a.kind in ("maxAttempts", "timeout") and a.suggested > a.current
