"""Plans whose right answer is known: each file says in its header what it expects.

``# expect:`` the verdict; ``# smallestWidth:`` the smallest width that deadlocks; ``# fixes: r -> k`` the smallest
capacity of r that makes the plan sound; ``# says:`` the sentence about the deadlock; ``# evidence:`` what SOUND rests
on.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from petri_cli.net.firing import is_dead, replay
from petri_cli.plan.load import load_plan_text
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict

PLANS = sorted((Path(__file__).parent / "plans").glob("*.yaml"))


def header(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^# (\w+): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", PLANS, ids=lambda p: p.stem)
def test_the_verdict_is_the_known_one(path: Path) -> None:
    expected = header(path)
    plan, _ = load_plan_text(path.read_bytes(), str(path))
    result = judge_plan(plan)
    assert result.verdict is Verdict[expected["expect"]]
    if "smallestWidth" in expected:
        assert set(result.smallest_width.values()) == {int(expected["smallestWidth"])}
    if "fixes" in expected:
        resource, capacity = expected["fixes"].split(" -> ")
        assert result.smallest_capacity == {resource: int(capacity)}
    if result.verdict is Verdict.SOUND:
        assert result.evidence == expected["evidence"]
    else:
        found = result.counterexample
        assert found is not None
        assert replay(found.net, found.run)[-1] == dict(found.marking)
        assert is_dead(found.net, found.marking)
        assert found.sentence == expected["says"]
        assert result.message.startswith("PETRI_UNSOUND_PLAN: net is unsound: ")


def test_there_are_plans_to_judge() -> None:
    assert len(PLANS) >= 20


def test_a_request_above_the_capacity_is_shown_where_its_units_are_written() -> None:
    path = Path(__file__).parent / "plans" / "units-over-capacity.yaml"
    plan, _ = load_plan_text(path.read_bytes(), str(path))
    found = judge_plan(plan).counterexample
    assert found is not None
    [wait] = found.waits
    line = path.read_text(encoding="utf-8").splitlines()[wait.where.line - 1]
    assert line[wait.where.column - 1 :] == "25"
    assert found.sentence == "`b` asks for 25 of pool, which has 24: it can never start."


SEED_INVERSION = """
{
  "resources": [{ "id": "A", "capacity": 1 }, { "id": "B", "capacity": 1 }],
  "flow": { "parallel": [
    { "guard": { "resource": "A", "body": { "guard": { "resource": "B", "body": { "task": { "id": "w1" } } } } } },
    { "guard": { "resource": "B", "body": { "guard": { "resource": "A", "body": { "task": { "id": "w2" } } } } } }
  ] }
}
"""


def judged(text: str):  # type: ignore[no-untyped-def]
    from petri_cli.plan.load import load_plan_text

    return judge_plan(load_plan_text(text, "plan.json")[0])


def test_the_classic_lock_inversion_dies_holding_one_lock_each() -> None:
    result = judged(SEED_INVERSION)
    assert result.verdict is Verdict.UNSOUND
    assert result.counterexample.marking == {"p.guard.g1.body": 1, "p.guard.g3.body": 1}
    assert result.counterexample.shortest
    assert result.counterexample.sentence == "`w1` holds A and waits for B; `w2` holds B and waits for A."
    assert (result.counts.deadlocks, result.counts.doomed, result.counts.exact) == (1, 1, True)


@pytest.mark.parametrize("wider", ["A", "B"])
def test_the_inversion_is_sound_with_a_second_unit(wider: str) -> None:
    text = SEED_INVERSION.replace(f'"id": "{wider}", "capacity": 1', f'"id": "{wider}", "capacity": 2')
    assert judged(text).verdict is Verdict.SOUND


def test_the_inversion_is_sound_in_one_order() -> None:
    same = (
        '{ "guard": { "resource": "A", "body": { "guard": { "resource": "B", "body": { "task": { "id": "%s" } } } } } }'
    )
    head = SEED_INVERSION.split('"flow"')[0]
    result = judged(head + '"flow": {"parallel": [' + same % "w1" + "," + same % "w2" + "]}}")
    assert result.verdict is Verdict.SOUND
    assert result.evidence == "lock-order"


MIGRATION = """
{
  "resources": [{ "id": "repo_lock", "capacity": 1 }, { "id": "ci_slots", "capacity": 3 }],
  "flow": { "seq": [
    { "task": { "id": "survey", "name": "Survey the codebase" } },
    { "foreach": { "id": "each_pkg", "over": "packages needing migration",
                   "body": { "guard": { "resource": "ci_slots",
                             "body": { "task": { "id": "migrate" } } } } } },
    { "guard": { "resource": "repo_lock",
                 "body": { "loop": { "id": "green", "maxIterations": 5,
                           "body": { "task": { "id": "fix_tests" } } } } } }
  ] }
}
"""


def test_the_migration_is_sound_by_certificate_for_every_width() -> None:
    result = judged(MIGRATION)
    assert result.verdict is Verdict.SOUND
    assert result.evidence == "lock-order"
    assert result.stats["states"] == 0
