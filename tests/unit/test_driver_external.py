"""Workers, people and outside events on a session, with a driver and without one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver import external
from petri_cli.driver.ending import Outcome
from petri_cli.driver.process import Ended as ProgramEnded
from petri_cli.errors import PetriError
from petri_cli.session.events import Ended, Injected, Lapsed, Process, Refused, ReportRefused, Revoked, Verified
from tests.sessions import OpenPlay, Play, polling
from tests.virtual_time import run_virtually


def task(tid: str, **settings: Any) -> dict[str, Any]:
    return {"task": {"id": tid, "verify": {"command": "make check"}, **settings}}


def gone(process: Process) -> bool:
    return False


def there(process: Process) -> bool:
    return True


def refused(code: str, call: Callable[..., Any], play: Play, *args: Any, **settings: Any) -> PetriError:
    with pytest.raises(PetriError) as caught:
        call(play.store, play.session, *args, **settings)
    assert caught.value.code == code
    return caught.value


def advance(play: Play, seconds: float) -> None:
    play.loop.elapsed += seconds


def verify(play: Play, claim: str | None = None) -> list[Any]:
    return run_virtually(external.verify(play.store, play.session, play.fake.judge, claim=claim), play.loop)


def pulled(job: Any, report: Any) -> bool:
    return report.output == "done"


def test_a_session_moves_by_its_visitors_alone(open_play: OpenPlay) -> None:
    play = open_play({"seq": [{"parallel": [task("a"), task("b")]}, task("c")]})
    play.fake.verdict = pulled
    for expected in (["a", "b"], ["c"]):
        claims = [external.claim(play.store, play.session, "w") for _ in expected]
        assert external.claim(play.store, play.session, "w") is None
        assert [c.task["task"] for c in claims if c] == expected
        for c in claims:
            assert c is not None
            external.report(play.store, play.session, c.claim, output="done", worker="w")
        assert [type(v) for v in verify(play)] == [Verified] * len(expected)
    assert play.state.ended == "completed"
    refused("PETRI_SESSION_ENDED", external.claim, play, "w")


def test_of_two_workers_one_gets_the_work(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    first = external.claim(play.store, play.session, "w1")
    assert first is not None
    assert (first.claim, first.attempt, first.lease) == ("c1", 1, 60)
    assert external.claim(play.store, play.session, "w2") is None


def test_a_worker_asks_for_a_task_by_its_name(open_play: OpenPlay) -> None:
    play = open_play({"parallel": [task("a"), task("b"), task("c", run="true")]})
    taken = external.claim(play.store, play.session, "w", task="b")
    assert taken is not None
    assert taken.task["task"] == "b"
    refused("PETRI_UNKNOWN_TASK", external.claim, play, "w", task="x")
    assert "has a body of its own" in refused("PETRI_NOT_CLAIMABLE", external.claim, play, "w", task="c").message


def test_a_report_moves_nothing_and_a_refusal_burns_one_attempt(open_play: OpenPlay) -> None:
    play = open_play(task("a", maxAttempts=2))
    play.fake.verdict = pulled
    for attempt in (1, 2):
        work = external.claim(play.store, play.session, "liar")
        assert work is not None
        assert work.attempt == attempt
        before = dict(play.state.marking)
        external.report(play.store, play.session, work.claim, output="I did it, trust me")
        assert dict(play.state.marking) == before
        assert [type(v) for v in verify(play)] == [Refused]
    assert external.claim(play.store, play.session, "liar") is None
    assert play.state.ended == "deadlocked"
    assert "all its 2 attempts" in play.state.missing[0]


def test_heartbeats_renew_a_lease_and_without_one_it_lapses(open_play: OpenPlay) -> None:
    play = open_play(task("a", lease="30s", maxAttempts=2))
    work = external.claim(play.store, play.session, "w1")
    assert work is not None
    for _ in range(3):
        advance(play, 20)
        external.heartbeat(play.store, play.session, work.claim, worker="w1")
        assert external.claim(play.store, play.session, "w2") is None
    advance(play, 31)
    second = external.claim(play.store, play.session, "w2")
    assert second is not None
    assert (second.claim, second.attempt) == ("c2", 2)
    assert [e.claim for e in play.events if isinstance(e, Lapsed)] == ["c1"]


def test_a_late_report_is_recorded_and_refused_and_the_late_worker_is_told_to_stop(
    open_play: OpenPlay,
) -> None:
    play = open_play(task("a", lease="30s", maxAttempts=2))
    play.fake.verdict = pulled
    late = external.claim(play.store, play.session, "w1")
    advance(play, 31)
    second = external.claim(play.store, play.session, "w2")
    assert late is not None
    assert second is not None
    before = play.state
    error = refused("PETRI_CLAIM_ENDED", external.report, play, late.claim, output="done", worker="w1")
    assert "stop this work" in error.hint
    assert [e.output for e in play.events if isinstance(e, ReportRefused)] == ["done"]
    assert (play.state.marking, play.state.claims) == (before.marking, before.claims)
    refused("PETRI_CLAIM_ENDED", external.heartbeat, play, late.claim)
    external.report(play.store, play.session, second.claim, output="done", worker="w2")
    once = len(play.events)
    external.report(play.store, play.session, second.claim, output="done", worker="w2")
    assert len(play.events) == once
    refused("PETRI_CLAIM_ENDED", external.report, play, second.claim, output="otherwise")
    verify(play)
    assert play.state.ended == "completed"
    refused("PETRI_CLAIM_ENDED", external.report, play, late.claim, output="done")


def test_a_claim_is_reported_on_by_whoever_holds_it(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    work = external.claim(play.store, play.session, "w1")
    assert work is not None
    assert "held by w1" in refused("PETRI_CLAIM_ENDED", external.report, play, work.claim, worker="w2").message


def test_the_next_attempt_waits_for_its_backoff(open_play: OpenPlay) -> None:
    play = open_play(task("a", maxAttempts=2, retry={"delay": "10s"}))
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    external.report(play.store, play.session, work.claim, error="no")
    play.fake.verdict = pulled
    verify(play)
    assert external.claim(play.store, play.session, "w") is None
    advance(play, 10)
    assert external.claim(play.store, play.session, "w") is not None


# People


@pytest.mark.parametrize("word", [True, False])
def test_work_that_asks_for_a_person_waits_for_their_word(open_play: OpenPlay, word: bool) -> None:
    play = open_play(task("a", verify={"all": [{"command": "make check"}, "human"]}))
    play.fake.verdict = lambda job, report: report.approved
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    refused("PETRI_NO_APPROVAL", external.approve, play, work.claim)
    external.report(play.store, play.session, work.claim, output="done")
    assert verify(play) == []
    external.approve(play.store, play.session, work.claim, approved=word, by="me", note="seen")
    assert [type(v) for v in verify(play)] == [Verified if word else Refused]
    refused("PETRI_CLAIM_ENDED", external.approve, play, work.claim)


@pytest.mark.parametrize("word", [True, False])
def test_the_first_word_stands(open_play: OpenPlay, word: bool) -> None:
    play = open_play(task("a", verify="human"))
    play.fake.verdict = lambda job, report: report.approved
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    external.report(play.store, play.session, work.claim)
    assert external.approve(play.store, play.session, work.claim, approved=word, by="ann", note="1") is True
    written = len(play.events)
    error = refused("PETRI_ALREADY_DECIDED", external.approve, play, work.claim, approved=not word, by="bob")
    assert error.message == f"claim {work.claim} was {'approved' if word else 'rejected'} by ann already"
    assert external.approve(play.store, play.session, work.claim, approved=word, by="bob", note="2") is False
    assert len(play.events) == written
    assert [type(v) for v in verify(play)] == [Verified if word else Refused]


@pytest.mark.parametrize("by", ["w1", " W1 "])
def test_nobody_approves_of_their_own_work(open_play: OpenPlay, by: str) -> None:
    play = open_play(task("a", verify="human"))
    work = external.claim(play.store, play.session, "w1")
    assert work is not None
    external.report(play.store, play.session, work.claim)
    written = len(play.events)
    assert refused("PETRI_OWN_WORK", external.approve, play, work.claim, by=by).message == (
        f"claim {work.claim} is the work of w1, who cannot approve of it"
    )
    assert len(play.events) == written
    assert external.approve(play.store, play.session, work.claim, approved=False, by=by) is True


@pytest.mark.parametrize("claim", ["c2", "c99", "c0", "c01", "C1", "c1 ", "x", "", "c" + "9" * 40])
def test_a_claim_that_there_never_was_is_told_from_one_that_is_over(open_play: OpenPlay, claim: str) -> None:
    play = open_play(task("a", verify="human"))
    assert external.claim(play.store, play.session, "w") is not None
    written = len(play.events)
    for call in (external.heartbeat, external.report, external.approve):
        error = refused("PETRI_UNKNOWN_CLAIM", call, play, claim)
        assert error.message == f"there is no claim `{claim}` in the session {play.session}, and there never was"
    with pytest.raises(PetriError, match="PETRI_UNKNOWN_CLAIM"):
        run_virtually(external.verify(play.store, play.session, play.fake.judge, claim=claim), play.loop)
    assert len(play.events) == written


def test_nobody_is_asked_about_other_work(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    external.report(play.store, play.session, work.claim)
    refused("PETRI_NO_APPROVAL", external.approve, play, work.claim)


# Outside events


def test_an_outside_event_ends_the_delay_of_a_loop_and_nothing_else(open_play: OpenPlay) -> None:
    loop = {"loop": {"id": "poll", "until": "${look.ready}", "delay": "1h", "body": task("look")}}
    play = open_play({"guard": {"resource": "r", "body": loop}}, [{"id": "r", "capacity": 1}])
    play.fake.verdict = lambda job, report: True
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    refused("PETRI_NOT_INJECTABLE", external.inject, play, "p.loop.poll.due")
    external.report(play.store, play.session, work.claim, output={"ready": False})
    verify(play)
    assert external.claim(play.store, play.session, "w") is None
    for place in ("r.r", "p.start", "p.loop.poll.waiting", "nowhere"):
        refused("PETRI_NOT_INJECTABLE", external.inject, play, place)
    external.inject(play.store, play.session, "p.loop.poll.due", by="hook")
    assert [(e.by, e.timer != "") for e in play.events if isinstance(e, Injected)] == [("hook", True)]
    again = external.claim(play.store, play.session, "w")
    assert again is not None
    external.report(play.store, play.session, again.claim, output={"ready": True})
    verify(play)
    assert play.state.ended == "completed"


def test_without_a_driver_a_delay_ends_when_somebody_comes_by(open_play: OpenPlay) -> None:
    loop = {"loop": {"id": "poll", "until": "${look.ready}", "delay": "1h", "body": task("look")}}
    play = open_play(loop)
    play.fake.verdict = lambda job, report: True
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    external.report(play.store, play.session, work.claim, output={"ready": False})
    verify(play)
    advance(play, 3599)
    assert external.claim(play.store, play.session, "w") is None
    advance(play, 1)
    assert external.claim(play.store, play.session, "w") is not None


# Cancelling


def test_cancelling_ends_the_session_revokes_claims_and_returns_units(open_play: OpenPlay) -> None:
    body = {"parallel": [task("a"), {"guard": {"resource": "q", "body": task("b")}}]}
    flow = {"guard": {"resource": "r", "units": 2, "body": body}}
    play = open_play(flow, [{"id": "r", "capacity": 3}, {"id": "q", "capacity": 1, "per": "1h"}])
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    assert (play.state.free("r"), play.state.held("r")) == (1, 2)
    run_virtually(external.cancel(play.store, play.session, by="me"), play.loop)
    state = play.state
    assert (state.ended, state.claims) == ("cancelled", {})
    assert [(state.free(r), state.held(r)) for r in ("r", "q")] == [(3, 0), (1, 0)]
    assert [e.claim for e in play.events if isinstance(e, Revoked)] == [work.claim]
    refused("PETRI_SESSION_ENDED", external.claim, play, "w")
    refused("PETRI_CLAIM_ENDED", external.report, play, work.claim, output="done")
    with pytest.raises(PetriError, match="cancelled"):
        run_virtually(external.cancel(play.store, play.session), play.loop)


def with_driver(play: Play, visit: Callable[[], Any], **options: Any) -> Outcome:
    """Run a driver, and ``visit`` from a coroutine beside it."""

    async def both() -> Outcome:
        running = asyncio.create_task(play.driver(poll=0.1, **options).run())
        await visit()
        return await running

    return run_virtually(both(), play.loop)


def test_cancelling_from_another_process_ends_what_the_driver_runs(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a", run="true"), task("b", run="true")]})
    play.fake.seconds = lambda job: 1000.0

    async def cancel() -> None:
        await asyncio.sleep(5)
        assert play.fake.running
        await external.cancel(play.store, play.session, alive=there)

    assert with_driver(play, cancel).state == "cancelled"
    assert not play.fake.running
    assert play.loop.time() < 6
    assert play.state.driver is None


def test_where_a_driver_lives_it_verifies_what_workers_report(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b", run="true")]})
    play.fake.verdict = lambda job, report: True

    async def work() -> None:
        await asyncio.sleep(1)
        taken = external.claim(play.store, play.session, "w", alive=there)
        assert taken is not None
        with pytest.raises(PetriError) as caught:
            await external.verify(play.store, play.session, play.fake.judge, alive=there)
        assert caught.value.code == "PETRI_SESSION_BUSY"
        await asyncio.sleep(3)
        external.report(play.store, play.session, taken.claim, output="done", alive=there)

    assert with_driver(play, work).state == "completed"
    assert play.loop.time() == pytest.approx(5, abs=0.3)


def test_a_driver_lapses_the_lease_of_a_worker_that_went_silent(open_play: OpenPlay) -> None:
    play = open_play(task("a", lease="20s", maxAttempts=2))
    play.fake.verdict = lambda job, report: True

    async def work() -> None:
        await asyncio.sleep(1)
        assert external.claim(play.store, play.session, "w", alive=there) is not None
        await asyncio.sleep(19)
        assert external.claim(play.store, play.session, "w", alive=there) is None
        await asyncio.sleep(2)
        taken = external.claim(play.store, play.session, "w", alive=there)
        assert taken is not None
        external.report(play.store, play.session, taken.claim, output="done", alive=there)

    assert with_driver(play, work).state == "completed"


def test_an_approval_wakes_the_driver(open_play: OpenPlay) -> None:
    play = open_play(task("a", run="true", verify="human"))
    play.fake.verdict = lambda job, report: report.approved

    async def approve() -> None:
        await asyncio.sleep(30)
        (claim,) = play.state.claims
        external.approve(play.store, play.session, claim, by="me", alive=there)

    assert with_driver(play, approve).state == "completed"
    assert play.loop.time() == pytest.approx(30, abs=0.3)
    assert [e.state for e in play.events if isinstance(e, Ended)] == ["completed"]


def test_a_driver_that_does_not_wait_rests_on_a_person(open_play: OpenPlay) -> None:
    play = open_play(task("a", run="true", verify="human"))
    play.fake.verdict = lambda job, report: report.approved
    assert play.run(wait=False).state == "suspended"
    (claim,) = play.state.claims
    external.approve(play.store, play.session, claim, by="me")
    assert play.run(wait=False).state == "completed"
    assert play.fake.done == [("a", "", 1)]


def test_what_is_reported_is_masked_and_kept_in_a_file_where_it_is_large(
    open_play: OpenPlay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "sesame-open")
    choice = {"choice": [{"when": "${a[1]} == 'x'", "body": task("b")}, task("c")]}
    play = open_play({"seq": [task("a"), choice]}, secrets=["TOKEN"])
    play.fake.verdict = lambda job, report: True
    work = external.claim(play.store, play.session, "w")
    assert work is not None
    external.report(
        play.store, play.session, work.claim, output=["sesame-open" * 30_000, "x"], error="sesame-open", folder=tmp_path
    )
    report = play.state.claims[work.claim].report
    assert report is not None
    assert (report.output, report.error) == (None, "***")
    file = tmp_path / play.session / work.claim / "output"
    assert report.files["output"]["path"] == file.as_posix()
    assert "sesame" not in file.read_text()
    verify(play)
    following = external.claim(play.store, play.session, "w")
    assert following is not None
    assert following.task["task"] == "b"


def test_claims_in_a_loop_are_the_same_to_the_driver_and_to_those_who_read_the_log(open_play: OpenPlay) -> None:
    each = {"foreach": {"id": "f", "over": [{"k": (1, 2)}], "body": {"parallel": [task("a"), task("b")]}}}
    play = open_play({"loop": {"id": "l", "until": "${loop.round} >= 2", "body": each}})
    play.fake.verdict = lambda job, report: True

    async def work() -> None:
        await asyncio.sleep(1)
        for _ in range(4):
            taken = external.claim(play.store, play.session, "w", alive=there)
            assert taken is not None
            await asyncio.sleep(1)
            external.report(play.store, play.session, taken.claim, alive=there)
            await asyncio.sleep(1)

    assert with_driver(play, work).state == "completed"


def test_an_outside_event_wakes_the_driver_out_of_a_delay(open_play: OpenPlay) -> None:
    flow, says = polling(2, delay="1h")
    play = open_play({"foreach": {"id": "f", "over": ["x", "y"], "body": flow}})
    play.fake.says = lambda job: says(job) if job.thread.name == "2" else ProgramEnded(0, output={"ready": True})

    async def event() -> None:
        await asyncio.sleep(30)
        for thread in ("", "1"):
            refused("PETRI_NOT_INJECTABLE", external.inject, play, "p.loop.poll.due", thread=thread, alive=there)
        external.inject(play.store, play.session, "p.loop.poll.due", thread="2", alive=there)

    assert with_driver(play, event).state == "completed"
    assert play.loop.time() == pytest.approx(31, abs=0.3)


@pytest.mark.parametrize("driven", [True, False])
def test_a_rejection_while_a_verdict_is_under_way_counts(open_play: OpenPlay, driven: bool) -> None:
    play = open_play(task("a", verify={"all": [{"command": "make check"}, "human"]}))
    play.fake.verdict = lambda job, report: report.approved is not False
    play.fake.judging = 5.0
    alive = there if driven else gone

    async def people() -> None:
        taken = external.claim(play.store, play.session, "w", alive=alive)
        assert taken is not None
        external.report(play.store, play.session, taken.claim, output="done", alive=alive)

        async def reject() -> None:
            await asyncio.sleep(1)
            external.approve(
                play.store, play.session, taken.claim, approved=False, by="me", note="no, wait", alive=alive
            )

        if driven:
            await reject()
        else:
            word = asyncio.create_task(reject())
            verdicts = await external.verify(play.store, play.session, play.fake.judge)
            await word
            assert [type(v) for v in verdicts] == [Refused]

    if driven:
        assert with_driver(play, people).state == "deadlocked"
    else:
        run_virtually(people(), play.loop)
    assert [(e.reason, e.verifier) for e in play.events if isinstance(e, Refused)] == [
        ("not approved by me: no, wait", "human")
    ]
