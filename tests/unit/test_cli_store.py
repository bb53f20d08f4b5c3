"""Which session is meant, where none is named; which keys were typed."""

from __future__ import annotations

import pytest

from petri_cli.cli.store import session_of
from petri_cli.cli.watching import keys_of
from petri_cli.errors import PetriError
from petri_cli.session.events import Ended, Noted, ReportRefused, SessionEvent
from petri_cli.session.memory import MemoryEventStore

ENDS: dict[str, tuple[list[SessionEvent], bool]] = {
    "at rest": ([Ended(1, "suspended")], False),
    "deadlocked": ([Ended(1, "deadlocked")], False),
    "noted": ([Noted(1, "info", "x")] * 40, False),
    "cancelled": ([Ended(1, "cancelled")], True),
    "completed long ago": ([Ended(1, "completed"), *[ReportRefused(1, "c1", "late")] * 40], True),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_log_tells_whether_a_session_is_over_as_its_fold_does(name: str) -> None:
    events, over = ENDS[name]
    store = MemoryEventStore(clock=lambda: 1)
    for session in ("a", "b"):
        store.create(session)
    store.append("b", 1, events)
    assert store.state("b").final == over
    if over:
        assert session_of(store, None) == "a"
    else:
        with pytest.raises(PetriError, match="2 sessions are live"):
            session_of(store, None)


def test_of_sessions_that_are_all_over_none_is_meant() -> None:
    store = MemoryEventStore(clock=lambda: 1)
    for session in ("a", "b"):
        store.append(store.create(session), 1, [Ended(1, "cancelled")])
    with pytest.raises(PetriError, match="all 2 sessions are over"):
        session_of(store, None)


def test_keys_that_come_together_are_told_apart() -> None:
    assert keys_of("\x1b[D\x1b[Dh\x1b[5~\x1bOHq\x1b") == ["\x1b[D", "\x1b[D", "h", "\x1b[5~", "\x1bOH", "q", "\x1b"]
    assert keys_of("") == []
