"""What those outside say of work: too late, too large, or with a secret in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver import external
from petri_cli.driver.capture import Limits
from petri_cli.driver.redact import Redactor
from petri_cli.errors import PetriError
from petri_cli.session.events import DriverEnded, DriverStarted, ReportRefused
from petri_cli.session.payload import encode
from tests.sessions import OpenPlay, Play, crash, task
from tests.virtual_time import run_virtually

BY_HAND = {"task": {"id": "a", "verify": "human", "maxAttempts": 2, "lease": "30s"}}


def claimed(play: Play, worker: str = "w") -> str:
    taken = external.claim(play.store, play.session, worker)
    assert taken is not None
    return taken.claim


def cancel(play: Play, **said: Any) -> None:
    run_virtually(external.cancel(play.store, play.session, **said), play.loop)


def report(play: Play, claim: str, **said: Any) -> None:
    external.report(play.store, play.session, claim, **said)


@pytest.mark.parametrize("call", [external.heartbeat, external.approve, external.report])
def test_whoever_is_at_work_in_a_session_that_has_ended_is_told_to_stop(open_play: OpenPlay, call: Any) -> None:
    play = open_play(BY_HAND)
    claim = claimed(play)
    cancel(play)
    with pytest.raises(PetriError) as caught:
        call(play.store, play.session, claim)
    assert (caught.value.code, caught.value.message) == (
        "PETRI_CLAIM_ENDED",
        f"claim {claim}: the session is cancelled",
    )


def test_the_same_report_once_more_changes_nothing_and_another_one_is_refused(open_play: OpenPlay) -> None:
    play = open_play(BY_HAND)
    claim = claimed(play)
    report(play, claim, output={"n": 1})
    before = len(play.events)
    report(play, claim, output={"n": 1})
    assert len(play.events) == before
    with pytest.raises(PetriError, match="the first report stands"):
        report(play, claim, output={"n": 2})


def test_a_large_report_that_comes_late_is_no_burden_to_the_log(open_play: OpenPlay, tmp_path: Path) -> None:
    play = open_play(BY_HAND)
    claim = claimed(play)
    report(play, claim, output="x" * 100_000, folder=tmp_path)
    file = tmp_path / play.session / claim / "output"
    accepted = file.read_text()
    for folder in (None, tmp_path):
        with pytest.raises(PetriError, match="reported already"):
            report(play, claim, output="y" * 200_000, folder=folder)
    for event in play.events:
        assert len(encode(event)) < 2_000
    (late, _) = [e for e in play.events if isinstance(e, ReportRefused)]
    assert late.why == "it was reported already (the result is left out: 200,002 bytes)"
    assert file.read_text() == accepted
    assert list(file.parent.iterdir()) == [file]


def test_a_result_that_no_file_may_hold_is_refused_at_once(
    open_play: OpenPlay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petri_cli.driver.said.Limits", lambda: Limits(file=1_000, result=100))
    play = open_play(BY_HAND)
    claim = claimed(play)
    with pytest.raises(PetriError, match="at most 1,000 are kept") as caught:
        report(play, claim, output="x" * 1_000, folder=tmp_path)
    assert caught.value.code == "PETRI_TOO_LARGE"
    report(play, claim, output="x" * 900, folder=tmp_path)


def test_what_is_reported_is_masked_before_others_have_to_wait(
    open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = open_play(BY_HAND)
    claim = claimed(play)
    locked = False
    writing, value = play.store.writing, Redactor.value

    @contextmanager
    def locking(session: str) -> Iterator[Any]:
        nonlocal locked
        with writing(session) as w:
            locked = True
            yield w
        locked = False

    def masking(self: Redactor, data: Any) -> Any:
        assert not locked
        return value(self, data)

    monkeypatch.setattr(play.store, "writing", locking)
    monkeypatch.setattr(Redactor, "value", masking)
    report(play, claim, output=["x"])
    assert play.state.claims[claim].stage == "reported"


def test_secrets_in_what_people_and_workers_say_are_masked(
    open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "sesame-open")
    play = open_play(BY_HAND, secrets=["TOKEN"])
    claim = claimed(play, "worker sesame-open")
    external.heartbeat(play.store, play.session, claim, worker="worker sesame-open")
    report(play, claim, error="sesame-open", worker="worker sesame-open")
    external.approve(play.store, play.session, claim, approved=False, by="sesame-open", note="not with sesame-open")
    cancel(play, by="sesame-open", why="sesame-open is lost")
    told = "".join(encode(e) for e in play.events[2:])
    assert "sesame" not in told
    assert "not with ***" in told


def test_cancelling_after_a_driver_died_says_so(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    crash(play, 0.5)
    assert play.state.driver is not None
    run_virtually(external.cancel(play.store, play.session, alive=lambda process: False), play.loop)
    (began,) = [e for e in play.events if isinstance(e, DriverStarted)]
    (ended,) = [e for e in play.events if isinstance(e, DriverEnded)]
    assert (ended.driver, ended.why) == (began.driver, "died")
    state = play.state
    assert state.ended == "cancelled"
    assert state.driver is None


def test_the_name_of_a_driver_is_masked_wherever_it_is_written(
    open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "hunter2222")
    play = open_play(task("a"), secrets=["TOKEN"])
    assert play.run(worker="me hunter2222").state == "completed"
    said = [getattr(e, "worker", "") or getattr(e, "by", "") for e in play.events]
    assert [w for w in said if w] == ["me ***"] * 3
    assert not any("hunter2222" in repr(e) for e in play.events)
