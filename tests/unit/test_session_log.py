"""A session's log as an event log: only verified work is an occurrence, all attempts are kept as evidence."""

from __future__ import annotations

import pytest

from petri_cli.errors import PetriError
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.mining.session_log import histories_in, history_log, history_of, session_log
from petri_cli.session.events import (
    Claimed,
    Ended,
    Lapsed,
    Process,
    Refused,
    Reported,
    RevisionCommitted,
    Revoked,
    SessionCreated,
    SessionEvent,
    Verified,
    WorkStarted,
)
from petri_cli.session.payload import encode
from petri_cli.session.plan_text import plan_hash
from tests.sessions import BASE, OpenPlay, failing_until, task

SHELL = Process(1, 1, "boot", "host")


def claimed(at: int, claim: str, name: str, attempt: int = 1, thread: str = "", worker: str = "w") -> Claimed:
    return Claimed(at, claim, f"t.{name}", name, {}, attempt, 60, at + 60, thread, (), worker)


def committed(at: int, revision: int) -> RevisionCommitted:
    return RevisionCommitted(at, revision, "yaml", "", plan_hash(""), {})


EVENTS: list[SessionEvent] = [
    SessionCreated(1, "s"),
    committed(2, 1),
    claimed(10, "c1", "a"),
    WorkStarted(12, "c1", SHELL),
    claimed(13, "c2", "b", worker=""),
    Reported(14, "c1"),
    Refused(15, "c1", "exit status 1", "exit-code"),
    claimed(20, "c3", "a", attempt=2),
    Lapsed(25, "c3", "the lease ended"),
    claimed(30, "c4", "a", attempt=3),
    claimed(31, "c5", "foreach.each"),
    Reported(32, "c5"),
    Verified(33, "c5", {}),
    Reported(34, "c4"),
    Verified(35, "c4", {}, "exit-code"),
    committed(36, 2),
    Reported(37, "c2"),
    Verified(38, "c2", {}),
    claimed(40, "c6", "c", thread="1"),
    claimed(41, "c7", "c", thread="2"),
    Revoked(42, "c6", "cancelled"),
    Reported(43, "c7"),
    Verified(44, "c7", {}),
    claimed(45, "c8", "d"),
    Ended(50, "cancelled"),
]


def test_every_claim_is_an_attempt_with_its_outcome() -> None:
    history = history_of("s", EVENTS)
    assert [(a.claim, a.task, a.attempt, a.outcome, a.burnt) for a in history.attempts] == [
        ("c1", "a", 1, "refused", True),
        ("c2", "b", 1, "verified", False),
        ("c3", "a", 2, "lapsed", True),
        ("c4", "a", 3, "verified", False),
        ("c5", "foreach.each", 1, "verified", False),
        ("c6", "c", 1, "revoked", False),
        ("c7", "c", 1, "verified", False),
        ("c8", "d", 1, "open", False),
    ]
    first = history.attempts[0]
    assert (first.claimed, first.started, first.reported, first.ended) == (10, 12, 14, 15)
    assert (first.reason, first.verifier, first.worker) == ("exit status 1", "exit-code", "w")
    assert first.work == history.attempts[3].work
    assert (history.revisions, history.end) == ({1: 2, 2: 36}, "cancelled")


def test_a_case_is_a_session_under_a_revision_and_an_event_is_verified_work() -> None:
    log = session_log(EVENTS)
    assert log.cases == ("s@1", "s@2")
    assert [log.named(v) for v in log.variants] == [["a"], ["b", "c"]]
    assert log.times is not None
    assert (list(log.times.began or []), list(log.times.ended)) == ([30, 13, 41], [35, 38, 44])
    assert (list(log.times.resource or []), log.times.resources) == ([0, -1, 0], ("w",))


def test_items_of_a_foreach_may_be_cases_of_their_own() -> None:
    assert session_log(EVENTS, by_item=True).cases == ("s@1", "s@2", "s@2/2")


def test_several_sessions_are_one_log() -> None:
    other = [SessionCreated(1, "t"), *EVENTS[1:]]
    histories = histories_in([*EVENTS, *other])
    assert [h.session for h in histories] == ["s", "t"]
    log = history_log(histories)
    assert log.cases == ("s@1", "s@2", "t@1", "t@2")
    assert log.counts == (2, 2)


def test_a_session_without_verified_work_has_no_case() -> None:
    assert session_log([SessionCreated(1, "s"), committed(2, 1)]).n_cases == 0


def test_an_event_of_a_claim_that_nobody_made_is_refused() -> None:
    with pytest.raises(PetriError) as caught:
        history_of("s", [Verified(1, "c9", {})])
    assert caught.value.code == "PETRI_BAD_LOG"


def test_lines_of_a_sessions_log_are_read_as_the_event_log() -> None:
    lines = "".join(encode(e) + "\n" for e in EVENTS).encode()
    assert read_log(lines) == session_log(EVENTS)
    assert read_log(lines, LogOptions(times=False)).times is None


def test_a_bad_line_in_a_sessions_log_is_refused_with_its_number() -> None:
    lines = encode(EVENTS[0]) + '\n{"type": "Claimed"}\n'
    with pytest.raises(PetriError) as caught:
        read_log(lines.encode(), name="s.jsonl")
    assert (caught.value.code, str(caught.value.where)) == ("PETRI_BAD_LOG", "s.jsonl:2:1")


def test_a_session_that_a_driver_ran_is_a_log(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), {"parallel": [task("b", maxAttempts=3), task("c")]}]})
    play.fake.verdict = lambda job, report: job.node.id != "b" or failing_until(3)(job, report)
    play.fake.seconds = lambda job: {"a": 1.0, "b": 2.0, "c": 3.0}[job.node.id]
    play.run()
    log = session_log(play.events)
    assert log.cases == ("play@1",)
    assert log.named(log.variants[0]) == ["a", "c", "b"]
    assert log.times is not None
    assert log.times.began is not None
    assert [e - b for b, e in zip(log.times.began, log.times.ended, strict=True)] == [1_000_000, 3_000_000, 2_000_000]
    assert log.times.began[0] == BASE
    history = history_of("play", play.events)
    assert [(a.task, a.attempt) for a in history.attempts if a.burnt] == [("b", 1), ("b", 2)]
    assert history.end == "completed"
