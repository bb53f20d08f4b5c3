"""Workflow nets that nobody here wrote: the published verdict or UNKNOWN, never the opposite; every run replays."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from petri_cli.errors import PetriError
from petri_cli.formats.pnml import read_pnml
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import Net, Property
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget, Result, Verdict
from tests.exploring import judge_by_exploration

_DATA = os.environ.get("PETRI_TEST_DATA")
pytestmark = pytest.mark.skipif(_DATA is None, reason="PETRI_TEST_DATA is not set: the workflow nets are not at hand")
WORKFLOW = Path(_DATA or ".") / "nets" / "workflow"

SCALABLE = {
    "chains-10-10-4-3": Verdict.SOUND,
    "chains-20-10-4-3": Verdict.SOUND,
    "chains-6-6-3-2": Verdict.SOUND,
    "chains2-20-10-4-3": Verdict.UNSOUND,
    "chains2-8-6-3-2": Verdict.UNSOUND,
    "lockinv-10": Verdict.UNSOUND,
    "lockinv-50": Verdict.UNSOUND,
    "locksafe-10": Verdict.SOUND,
    "locksafe-50": Verdict.SOUND,
    "philsafe-10": Verdict.SOUND,
    "philsafe-20": Verdict.SOUND,
    "philwf-10": Verdict.UNSOUND,
}
NO_WORKFLOW = {
    "Ballgame",
    "Mailbox",
    "MailboxBounded",
    "MailboxUnbounded",
    "TwoTrafficLightsSafeFair",
    "VendingMachine",
}


def _read(path: Path) -> Net:
    return read_pnml(path.read_bytes(), path.name)[0]


Judge = Callable[[Net, Budget], Result]


def _judge(path: Path, max_states: int, judge: Judge = judge_net) -> Result:
    """The verdict, after every run of it was replayed on the net as read."""
    net = _read(path)
    result = judge(net, Budget(max_states))
    for c in result.conditions:
        if (cx := c.counterexample) is not None:
            path_of_run = replay(net if net.initial else cx.net, [*cx.run, *cx.pump])
            assert path_of_run[len(cx.run)] == cx.marking
            assert cx.kind != "deadlock" or is_dead(net, cx.marking)
    return result


def _judge_published(max_states: int, judge: Judge = judge_net) -> Counter[tuple[str, str]]:
    expected = json.loads((WORKFLOW / "ibm" / "expected.json").read_text(encoding="utf-8"))
    counts = Counter[tuple[str, str]]()
    for name, entry in expected.items():
        verdict = _judge(WORKFLOW / "ibm" / name, max_states, judge).verdict
        assert verdict.value in (entry["verdict"], "UNKNOWN"), name
        counts[entry["verdict"], verdict.value] += 1
    return counts


@pytest.mark.slow
def test_published_workflow_nets_get_the_published_verdict() -> None:
    counts = _judge_published(5_000)
    assert counts["SOUND", "SOUND"] + counts["UNSOUND", "UNSOUND"] == counts.total()


@pytest.mark.slow
def test_sound_published_workflow_nets_come_down_to_one_step() -> None:
    expected = json.loads((WORKFLOW / "ibm" / "expected.json").read_text(encoding="utf-8"))
    sound = [name for name, entry in expected.items() if entry["verdict"] == "SOUND"]
    assert {_judge(WORKFLOW / "ibm" / name, 1).evidence for name in sound} == {"reduction"}


@pytest.mark.slow
def test_fifty_states_are_enough_for_every_published_workflow_net() -> None:
    counts = _judge_published(50)
    assert counts["SOUND", "SOUND"] + counts["UNSOUND", "UNSOUND"] == counts.total()


@pytest.mark.slow
def test_a_small_budget_leaves_published_workflow_nets_open_rather_than_wrong() -> None:
    _judge_published(3)
    counts = _judge_published(50, judge_by_exploration)
    assert counts["SOUND", "UNKNOWN"] + counts["UNSOUND", "UNKNOWN"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SCALABLE)
def test_families_with_counted_resources_get_the_right_verdict(name: str) -> None:
    result = _judge(WORKFLOW / "scalable" / f"{name}.pnml", 2_000)
    assert result.verdict is SCALABLE[name]
    assert result.evidence == "reduction" or result.verdict is Verdict.UNSOUND


def test_sample_nets_get_an_answer_or_a_precise_message() -> None:
    refused = {}
    for path in sorted((WORKFLOW / "small").glob("*.pnml")):
        try:
            result = _judge(path, 5_000)
        except PetriError as error:
            refused[path.stem] = error
        else:
            assert result.verdict is not Verdict.UNKNOWN, path.name
            assert result.message or result.verdict is Verdict.SOUND
    assert {n for n, e in refused.items() if e.code == "PETRI_NOT_WORKFLOW_NET"} == NO_WORKFLOW
    assert all(e.code.startswith(("PETRI_NOT_WORKFLOW_NET", "PETRI_PNML_")) and e.hint for e in refused.values())
    for name in NO_WORKFLOW:
        assert "no source place" in refused[name].message and "no sink place" in refused[name].message


def test_the_dining_philosophers_are_no_workflow_but_their_deadlock_can_be_asked_for() -> None:
    path = WORKFLOW / "scalable" / "phil-10.pnml"
    with pytest.raises(PetriError, match="PETRI_NOT_WORKFLOW_NET"):
        judge_net(_read(path))
    result = judge_net(_read(path), Budget(), [Property("free", "deadlockFree")])
    assert result.verdict is Verdict.UNSOUND
    assert result.counterexample is not None and len(result.counterexample.run) == 10
