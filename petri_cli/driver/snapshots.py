"""Snapshots of a session's state, taken as its log grows: caches, so that nothing else depends on them."""

from __future__ import annotations

from contextlib import suppress

from petri_cli.errors import PetriError
from petri_cli.session.snapshot import due
from petri_cli.session.state import State
from petri_cli.session.store import EventStore

Kept = tuple[int, int]
"""Number of the event that the last snapshot is of, and its size in bytes; (0, 0) when there is none."""


def keep(store: EventStore, session: str, state: State, kept: Kept | None = None) -> Kept:
    """Take a snapshot when it is time to. kept: the last one, as the last call said; None: ask the store.

    A store that cannot keep one (it may be full) does without.
    """
    if kept is None:
        kept = next(reversed(store.snapshots(session).items()), (0, 0))
    if due(state.seq, *kept):
        with suppress(PetriError):
            return state.seq, store.snapshot(session, state)
    return kept
