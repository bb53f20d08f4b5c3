"""Repair: what is proposed for a dead session, who lets it through, and what the log tells of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from petri_cli.driver.commit import Document, commit
from petri_cli.driver.repair import Dead, Proposal, Proposer, RepairKind, Terms, commit_accepted, decide, repair
from petri_cli.driver.repair_adaptive import Adaptive
from petri_cli.errors import PetriError
from petri_cli.plan.load import load_plan_text
from petri_cli.session.events import RepairDecided, RepairProposed, RevisionCommitted
from petri_cli.session.state import Repair
from petri_cli.session.store import EventStore
from petri_cli.soundness.plans import judge_plan
from tests.sessions import OpenPlay, Play, task


def document(flow: Any, **settings: Any) -> Document:
    return Document(json.dumps({"name": "play", "flow": flow, **settings}), "plan.json")


class Script(Proposer):
    """Proposes what it was given, one after the other, and keeps what it was told."""

    kind: RepairKind = "llm"

    def __init__(self, *documents: Document | str) -> None:
        self.documents = list(documents)
        self.tries = len(documents)
        self.told: list[Dead] = []

    def propose(self, store: EventStore, dead: Dead) -> Proposal | None:
        self.told.append(dead)
        what = self.documents.pop(0)
        return Proposal("llm", None, message=what) if isinstance(what, str) else Proposal("llm", what)


def mended(play: Play, terms: Terms) -> Repair | None:
    return repair(play.store, play.session, play.run(), terms)


def judgements(play: Play) -> list[tuple[str, str, bool]]:
    """(repair, verdict, accepted) of all that was decided."""
    verdicts = {e.repair: e.verdict for e in play.events if isinstance(e, RepairProposed)}
    return [(e.repair, verdicts[e.repair], e.accepted) for e in play.events if isinstance(e, RepairDecided)]


def revisions(play: Play) -> list[str]:
    return [e.by for e in play.events if isinstance(e, RevisionCommitted)]


ITEMS = {"foreach": {"id": "each", "over": ["a", "b"], "body": task("flaky", maxAttempts=2)}}
TERMS = Terms((Adaptive(),))


def transient(play: Play) -> None:
    """The second item needs three attempts, the first one needs one."""
    play.fake.verdict = lambda job, report: job.thread.name != "2" or job.attempt >= 3


# Adaptive


def test_a_budget_that_a_transient_failure_used_up_is_raised_and_the_run_completes(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("one"), ITEMS, task("last")]}, name="play")
    transient(play)
    found = mended(play, TERMS)
    assert found is not None
    assert found.accepted
    done = commit_accepted(play.store, play.session)
    assert done is not None
    assert (done.revision, done.kept) == (2, 2)
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["one", "flaky", "flaky", "flaky", "flaky", "last"]
    proposed = next(e for e in play.events if isinstance(e, RepairProposed))
    assert proposed.died["state"] == "deadlocked"
    assert proposed.died["deadlockExample"]["p.foreach.each.body"] == 1
    [change] = proposed.changes
    assert (change["kind"], change["target"], change["current"], change["suggested"]) == (
        "maxAttempts",
        "t.flaky",
        2,
        3,
    )
    assert change["evidence"]["committed"] == 1
    assert proposed.fitness == {"before": 1.0, "after": 1.0, "done": 2}
    assert revisions(play) == ["", "repair r1"]


def test_a_task_that_never_succeeded_gets_exactly_one_more_attempt_once(open_play: OpenPlay) -> None:
    play = open_play(task("broken", maxAttempts=3), name="play")
    play.fake.verdict = lambda job, report: False
    assert mended(play, TERMS) is not None
    commit_accepted(play.store, play.session)
    assert mended(play, TERMS) is None
    assert len(play.fake.done) == 4
    assert judgements(play) == [("r1", "SOUND", True)]


@pytest.mark.parametrize(
    "flow",
    [
        {"seq": [task("a"), {"choice": [{"when": "${a.n} > 1", "body": task("b")}]}]},
        {"seq": [task("a"), {"loop": {"id": "poll", "until": "${a.n} > 1", "maxIterations": 2, "body": task("c")}}]},
    ],
    ids=["no branch holds", "a loop is exhausted"],
)
def test_a_structural_cause_is_not_touched(open_play: OpenPlay, flow: Any) -> None:
    play = open_play(flow, name="play")
    before = len(play.events)
    outcome = play.run()
    assert outcome.state == "failed"
    assert repair(play.store, play.session, outcome, TERMS) is None
    assert not any(isinstance(e, RepairProposed) for e in play.events[before:])


def test_work_that_nobody_comes_for_is_no_matter_of_numbers(open_play: OpenPlay) -> None:
    play = open_play({"task": {"id": "a", "verify": "human"}}, name="play")
    outcome = play.run(pull=False)
    assert outcome.state == "deadlocked"
    assert repair(play.store, play.session, outcome, TERMS) is None


def test_a_run_that_completes_or_rests_is_not_mended(open_play: OpenPlay) -> None:
    play = open_play(task("a"), name="play")
    assert mended(play, TERMS) is None
    assert not any(isinstance(e, RepairProposed) for e in play.events)


def test_a_session_has_no_more_repairs_than_it_may(open_play: OpenPlay) -> None:
    play = open_play({"seq": [ITEMS]}, name="play")
    transient(play)
    assert mended(play, Terms((Adaptive(),), most=0)) is None
    assert not any(isinstance(e, RepairProposed) for e in play.events)


# Whole plans


GOOD = document({"seq": [task("a"), task("c")]})


def stuck(open_play: OpenPlay) -> Play:
    play = open_play({"seq": [task("a"), task("b")]}, name="play")
    play.fake.verdict = lambda job, report: job.node.id != "b"
    return play


def crossing(*order: str) -> dict[str, Any]:
    body: dict[str, Any] = task("_".join(order))
    for resource in reversed(order):
        body = {"guard": {"resource": resource, "body": body}}
    return body


LOCKS = [{"id": "x", "capacity": 1}, {"id": "y", "capacity": 1}]
DEADLOCK = document({"seq": [task("a"), {"parallel": [crossing("x", "y"), crossing("y", "x")]}]}, resources=LOCKS)


def test_an_unsound_proposal_is_refused_and_said_back_and_the_next_one_is_taken(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    script = Script(DEADLOCK, GOOD)
    found = mended(play, Terms((script,)))
    assert found is not None
    assert judgements(play) == [("r1", "UNSOUND", False), ("r2", "SOUND", True)]
    (said,) = script.told[1].rejected
    assert said.startswith("PETRI_UNSOUND_PLAN: net is unsound:")
    assert commit_accepted(play.store, play.session) is not None
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "b", "c"]


def test_nothing_unsound_is_ever_committed(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    assert mended(play, Terms((Script(DEADLOCK, DEADLOCK, "no answer"),))) is None
    assert commit_accepted(play.store, play.session) is None
    assert [accepted for _, _, accepted in judgements(play)] == [False, False, False]
    assert revisions(play) == [""]


@pytest.mark.parametrize(
    ("proposed", "why"),
    [
        (Document("flow: [", "plan.yaml"), "PETRI_"),
        (Document('{"kind": "net"}', "plan.json"), "PETRI_NOT_A_PLAN"),
        (document({"seq": [{"task": {"id": "a"}}, task("c")]}), "PETRI_NEEDS_VERIFIER"),
        (document({"seq": [task("c"), task("a")]}), "PETRI_REVISION_MISFIT"),
        (document({"seq": [task("a", run="rm -rf /"), task("c")]}), "fits it worse"),
        (document({"seq": [task("c")]}), "fits it worse"),
    ],
    ids=["not a plan", "a net", "unworkable", "out of order", "work redefined", "work left out"],
)
def test_what_cannot_be_or_does_not_fit_what_was_done_is_rejected(
    open_play: OpenPlay, proposed: Document, why: str
) -> None:
    play = stuck(open_play)
    assert mended(play, Terms((Script(proposed),))) is None
    [decided] = [e for e in play.events if isinstance(e, RepairDecided)]
    assert not decided.accepted
    assert why in decided.why
    assert play.state.revision == 1


@pytest.mark.parametrize(
    ("flow", "more", "why"),
    [
        ([task("a"), task("c", run="KEY=*** ./publish")], {"secrets": ["TOKEN"]}, "it holds ***"),
        ([task("a"), task("c")], {}, "no longer names the secrets TOKEN"),
        ([task("a"), task("b", maxAttempts=2)], {"secrets": ["TOKEN"]}, "b would no longer be verified as before"),
        ([task("a"), task("c")], {"secrets": ["TOKEN"]}, "b would no longer be verified as before"),
    ],
    ids=["masked", "secrets dropped", "verifier dropped", "checked task dropped"],
)
def test_what_protects_a_run_is_not_loosened(open_play: OpenPlay, flow: Any, more: Any, why: str) -> None:
    checked = task("b", verify={"command": "./check"})
    play = open_play({"seq": [task("a"), checked]}, name="play", secrets=["TOKEN"])
    play.fake.verdict = lambda job, report: job.node.id != "b"
    assert mended(play, Terms((Script(document({"seq": flow}, **more)),))) is None
    [decided] = [e for e in play.events if isinstance(e, RepairDecided)]
    assert why in decided.why


def test_a_person_may_agree_to_another_verifier(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b", verify="human")]}, name="play")
    play.fake.verdict = lambda job, report: job.node.id != "b"
    found = mended(play, Terms((Script(document({"seq": [task("a"), task("b", maxAttempts=2)]})),), approve=True))
    assert found is not None
    assert found.accepted is None


def test_a_rejection_without_a_name_is_one(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    terms = Terms((Script(GOOD),), approve=True)
    mended(play, terms)
    decide(play.store, play.session, "r1", accepted=False)
    assert mended(play, Terms((Script(GOOD),), approve=True)) is None
    assert list(play.state.repairs) == ["r1"]


def test_a_plan_that_earlier_runs_fit_worse_is_rejected(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    text = json.dumps({"name": "play", "flow": {"seq": [task("a"), task("b")]}})
    plan, _ = load_plan_text(text, "plan.json")
    before = commit(play.store, None, Document(text, "plan.json"), plan, judge_plan(plan)).session
    this, play.session = play.session, before
    judge: Callable[..., Any] = play.fake.verdict
    play.fake.verdict = lambda job, report: True
    assert play.run().state == "completed"
    play.session, play.fake.verdict = this, judge
    assert mended(play, Terms((Script(GOOD),))) is None
    [decided] = [e for e in play.events if isinstance(e, RepairDecided)]
    assert "1 earlier run(s) fit it worse" in decided.why


def test_the_plan_that_is_there_is_no_repair(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    same = play.state.plan
    assert same is not None
    assert mended(play, Terms((Script(Document(same.text, same.file)),))) is None
    assert [e.why for e in play.events if isinstance(e, RepairDecided)] == ["it is the plan that is there already"]


def test_what_is_cheap_is_tried_first(open_play: OpenPlay) -> None:
    play = open_play({"seq": [ITEMS]}, name="play")
    transient(play)
    script = Script(GOOD)
    found = mended(play, Terms((Adaptive(), script)))
    assert found is not None
    assert found.kind == "adaptive"
    assert not script.told


# A person's word


def test_a_repair_waits_for_a_person_where_one_is_to_be_asked(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    found = mended(play, Terms((Script(GOOD),), approve=True))
    assert found is not None
    assert found.accepted is None
    assert commit_accepted(play.store, play.session) is None
    decide(play.store, play.session, "r1", accepted=True, by="ada", why="go on")
    with pytest.raises(PetriError, match="accepted by ada already"):
        decide(play.store, play.session, "r1", accepted=False)
    assert commit_accepted(play.store, play.session) is not None
    assert commit_accepted(play.store, play.session) is None
    assert play.run().state == "completed"


def test_a_repair_that_a_person_turned_down_leaves_the_plan_as_it_is(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    mended(play, Terms((Script(GOOD),), approve=True))
    decide(play.store, play.session, "r1", accepted=False, by="ada", why="not like that")
    assert play.state.repair is None
    assert commit_accepted(play.store, play.session) is None
    assert play.state.revision == 1


def test_what_cannot_be_accepted_is_no_question_for_a_person(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    assert mended(play, Terms((Script(DEADLOCK),), approve=True)) is None
    assert judgements(play) == [("r1", "UNSOUND", False)]


def test_nobody_can_accept_what_is_not_there_or_is_of_another_revision(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    with pytest.raises(PetriError, match="there is no repair r1"):
        decide(play.store, play.session, "r1", accepted=True)
    mended(play, Terms((Script(GOOD),), approve=True))
    plan, _ = load_plan_text(GOOD.text, GOOD.file)
    commit(play.store, play.session, GOOD, plan, judge_plan(plan))
    with pytest.raises(PetriError, match="of revision 1, and the plan is at revision 2"):
        decide(play.store, play.session, "r1", accepted=True)


def test_a_run_that_died_between_accepting_and_committing_is_followed_by_one_that_commits(open_play: OpenPlay) -> None:
    play = stuck(open_play)
    mended(play, Terms((Script(GOOD),)))
    assert play.state.revision == 1
    outcome = play.run()
    assert outcome.state == "deadlocked"
    again = repair(play.store, play.session, outcome, Terms((Script(GOOD),)))
    assert again is not None
    assert again.id == "r1"
    assert commit_accepted(play.store, play.session) is not None
    assert play.run().state == "completed"


def test_somebody_who_revises_meanwhile_is_not_overruled(open_play: OpenPlay) -> None:
    play = stuck(open_play)

    class Slow(Script):
        def propose(self, store: EventStore, dead: Dead) -> Proposal | None:
            plan, _ = load_plan_text(GOOD.text, GOOD.file)
            commit(store, dead.session, GOOD, plan, judge_plan(plan))
            return super().propose(store, dead)

    assert mended(play, Terms((Slow(document({"seq": [task("a"), task("d")]})),))) is None
    assert play.state.repairs == {}
    assert play.state.revision == 2


def test_secrets_do_not_reach_the_log_through_a_persons_words(
    open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "hunter2-hunter2")
    play = open_play({"seq": [task("a"), task("b")]}, name="play", secrets=["TOKEN"])
    play.fake.verdict = lambda job, report: job.node.id != "b"
    mended(play, Terms((Script(document({"seq": [task("a"), task("c")]}, secrets=["TOKEN"])),), approve=True))
    decide(play.store, play.session, "r1", accepted=True, why="with hunter2-hunter2")
    [decided] = [e for e in play.events if isinstance(e, RepairDecided)]
    assert "hunter2" not in decided.why


def test_the_budget_of_one_task_is_raised_and_no_other_number_changes(open_play: OpenPlay) -> None:
    play = open_play({"parallel": [ITEMS, task("calm", maxAttempts=2)]}, name="play")
    play.fake.verdict = lambda job, report: (
        job.attempt >= 2 if job.node.id == "calm" else job.thread.name != "2" or job.attempt >= 3
    )
    assert mended(play, TERMS) is not None
    commit_accepted(play.store, play.session)
    plan = play.state.plan
    assert plan is not None
    assert json.loads(plan.text)["flow"]["parallel"][1]["task"]["maxAttempts"] == 2
