"""The ways out of an unsound plan: which are found, in which order, and that nothing is offered that was not proved."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from petri_cli.plan.load import load_plan_text
from petri_cli.soundness import fixes as module
from petri_cli.soundness.fixes import KINDS, Fix, Fixes, FixKind, find_fixes
from petri_cli.soundness.fixes_ranks import best_order
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Result, Verdict

PLANS = Path(__file__).parents[1] / "golden" / "plans"
SAMPLES = Path(__file__).parents[2] / "samples"


def found(text: str | bytes, *kinds: FixKind, file: str = "p.yaml", **more: object) -> Fixes:
    data = text if isinstance(text, bytes) else text.encode()
    plan, _ = load_plan_text(data, file)
    return find_fixes(plan, data, file, kinds=kinds or KINDS, **more)  # type: ignore[arg-type]


def judged(fix: Fix, file: str = "p.yaml") -> Result:
    return judge_plan(load_plan_text(fix.data, file)[0])


def unsound() -> list[Path]:
    files = [*sorted(PLANS.glob("*.yaml")), *sorted(SAMPLES.glob("*.petri.yaml"))]
    return [f for f in files if judge_plan(load_plan_text(f.read_bytes(), f.name)[0]).verdict is Verdict.UNSOUND]


UNSOUND = unsound()


def best(fixes: Fixes) -> dict[str, str]:
    return {kind: fix.description for kind in KINDS if (fix := fixes.best(kind)) is not None}


def locks(*branches: str, **capacities: int) -> str:
    """Each branch takes the locks that its letters say, outermost first."""
    names = sorted({r for b in branches for r in b})
    lines = [
        "resources:",
        *(f"  - {{id: {r}, capacity: {capacities.get(r, 1)}}}" for r in names),
        "flow:",
        "  parallel:",
    ]
    for k, branch in enumerate(branches, 1):
        inner = f"{{task: {{id: t{k}}}}}"
        for r in reversed(branch):
            inner = f"{{guard: {{resource: {r}, body: {inner}}}}}"
        lines.append(f"    - {inner}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", UNSOUND, ids=lambda p: p.stem)
def test_every_unsound_plan_at_hand_has_a_fix_and_each_is_sound(path: Path) -> None:
    data = path.read_bytes()
    fixes = found(data, file=path.name)
    assert fixes.found and not fixes.notes
    assert [f.cost for f in fixes.found] == sorted(f.cost for f in fixes.found)
    for fix in fixes.found:
        again = judged(fix, path.name)
        assert (again.verdict, again.evidence) == (Verdict.SOUND, fix.evidence)
        assert fix.data != data and fix.edits


def test_there_are_unsound_plans_at_hand() -> None:
    assert len(UNSOUND) >= 14


def test_the_fixes_of_the_samples() -> None:
    assert best(found((SAMPLES / "lock-inversion.petri.yaml").read_bytes())) == {
        "order": "take db, then gpu for `export`",
        "capacity": "raise db from 1 to 2",
        "wrap": "put `train` and `export` into a guard on a new resource gate, one at a time",
    }
    assert best(found((SAMPLES / "fan-out.petri.yaml").read_bytes())) == {
        "wrap": "put `prepare` into a guard on a new resource gate, 3 at a time",
        "width": "bound sample to maxWidth 3; a longer list then fails",
    }
    philosophers = found((SAMPLES / "dining-philosophers.petri.yaml").read_bytes())
    assert best(philosophers)["order"] == "take fork1, then fork5 for `laozi`", "one swap is enough"
    assert sum(f.kind == "capacity" for f in philosophers.found) == 5, "any of the forks"


def test_the_smallest_capacity_is_the_known_one() -> None:
    for name in ("hold-and-wait-one-pool", "nested-calls-one-worker", "partial-claims"):
        text = (PLANS / f"{name}.yaml").read_text(encoding="utf-8")
        resource, k = next(line for line in text.splitlines() if line.startswith("# fixes: "))[9:].split(" -> ")
        assert best(found(text))["capacity"].split() == ["raise", resource, "from", str(_now(text, resource)), "to", k]


def _now(text: str, resource: str) -> int:
    return load_plan_text(text)[0].capacities()[resource]


def test_two_inversions_apart_from_each_other_are_one_fix_with_both_edits() -> None:
    fixes = found(locks("ab", "ba", "cd", "dc"))
    for kind, edits in (("order", 2), ("capacity", 2)):
        fix = fixes.best(kind)  # type: ignore[arg-type]
        assert fix is not None and len(load_plan_text(fix.data)[0].nodes) == len(
            load_plan_text(locks("ab", "ba", "cd", "dc"))[0].nodes
        )
        assert fix.description.count(" and " if kind == "capacity" else ";") == edits - 1
    assert fixes.found[0].cost == 2


def test_a_request_above_the_capacity_gets_it_and_what_is_wrong_beside_it_is_fixed_too() -> None:
    text = locks("ab", "ba", "c").replace("{guard: {resource: c,", "{guard: {resource: c, units: 4,")
    assert best(found(text)) == {
        "order": "raise c from 1 to 4; take a, then b for `t2`",
        "capacity": "raise a from 1 to 2 and c from 1 to 4",
        "wrap": "raise c from 1 to 4; put `t1` and `t2` into a guard on a new resource gate, one at a time",
    }
    alone = locks("c").replace("{guard: {resource: c,", "{guard: {resource: c, units: 4,")
    assert best(found(alone)) == {"capacity": "raise c from 1 to 4"}


def test_where_the_units_of_a_request_are_enough_nothing_else_is_touched() -> None:
    text = locks("gab", "gba", "c").replace("{guard: {resource: c,", "{guard: {resource: c, units: 4,")
    assert best(found(text)) == {"capacity": "raise c from 1 to 4"}, "the order of a and b does no harm behind g"
    assert found(text, "order").found == ()


def test_where_no_kind_is_enough_alone_two_are_combined() -> None:
    """More units do not help where any number of items hold one; an order does not help one that waits for itself."""
    text = (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}, {id: w, capacity: 2}]\n"
        "flow:\n"
        "  seq:\n"
        "    - foreach:\n"
        "        id: each\n"
        "        over: items\n"
        "        body:\n"
        "          parallel:\n"
        "            - guard: {resource: a, body: {guard: {resource: b, body: {task: {id: t}}}}}\n"
        "            - guard: {resource: b, body: {guard: {resource: a, body: {task: {id: u}}}}}\n"
        "    - parallel:\n"
        "        - guard: {resource: w, body: {guard: {resource: w, body: {task: {id: v}}}}}\n"
        "        - guard: {resource: w, body: {guard: {resource: w, body: {task: {id: x}}}}}\n"
    )
    fix = found(text, "order", "capacity").found[0]
    assert fix.description in (
        "take a, then b for `u`; raise w from 2 to 3",
        "raise w from 2 to 3; take a, then b for `u`",
    )
    assert judged(fix).verdict is Verdict.SOUND
    assert found(text, "order").found == ()
    assert found(text, "capacity").found == ()


def test_what_happens_in_between_keeps_its_locks_when_both_are_taken_at_once() -> None:
    text = (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "    - guard:\n"
        "        resource: a\n"
        "        body:\n"
        "          seq:\n"
        "            - task: {id: first}\n"
        "            - guard: {resource: b, body: {task: {id: t}}}\n"
        "    - guard:\n"
        "        resource: b\n"
        "        body:\n"
        "          seq:\n"
        "            - task: {id: second}\n"
        "            - guard: {resource: a, body: {task: {id: u}}}\n"
    )
    fix = found(text, "order").found[0]
    assert fix.description == "take b and a at once for `second`"
    assert fix.data.decode().endswith(
        "        resource: [b, a]\n        body:\n          seq:\n            - task: {id: second}\n"
        "            - {task: {id: u}}\n"
    )


def test_branches_are_put_into_a_gate_that_guards_one_of_them_already() -> None:
    text = locks("gab", "ba", "g")
    fix = found(text, "wrap").found[0]
    assert fix.description == "put `t2` into a guard on g"
    assert fix.cost < found(text, "wrap").found[1].cost


def test_a_gate_gets_a_name_of_its_own_and_as_many_units_as_are_sound() -> None:
    text = locks("gh", "hg").replace(" g,", " gate,").replace(" h,", " gate2,")
    fix = found(text, "wrap").found[0]
    assert fix.description.endswith("into a guard on a new resource gate3, one at a time")
    nested = locks(*["aa"] * 5, a=3)
    assert found(nested, "wrap").found[0].description.endswith("2 at a time")


def test_a_bound_of_the_width_is_the_largest_that_is_sound() -> None:
    text = (SAMPLES / "fan-out.petri.yaml").read_text(encoding="utf-8").replace("capacity: 4", "capacity: 1000")
    assert best(found(text, "width")) == {"width": "bound sample to maxWidth 999; a longer list then fails"}
    bounded = text.replace("over:", "maxWidth: 5000\n    over:")
    assert "maxWidth: 999\n" in found(bounded, "width").found[0].data.decode()
    literal = text.replace("samples in the sheet", "[a, b]").replace("capacity: 1000", "capacity: 2")
    assert found(literal, "width").found == (), "a list that is written has the length that it has"


def test_several_widths_are_bounded_where_one_is_not_enough() -> None:
    each = (
        "    - foreach:\n        id: {0}\n        over: items\n        body:\n"
        "          guard: {{resource: {1}, body: {{guard: {{resource: {1}, body: {{task: {{id: t{0}}}}}}}}}}}\n"
    )
    text = "resources: [{id: a, capacity: 3}, {id: b, capacity: 4}]\nflow:\n  parallel:\n"
    text += each.format("e", "a") + each.format("f", "b")
    fix = found(text, "width").found[0]
    assert fix.description == "bound e to maxWidth 2 and f to maxWidth 3; a longer list then fails"


def test_what_is_written_behind_an_anchor_is_not_offered_and_it_is_said_why() -> None:
    text = (
        "x-one: &one 1\n"
        "resources: [{id: a, capacity: *one}, {id: b, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "    - guard: {resource: a, body: {guard: {resource: b, body: {task: {id: t}}}}}\n"
        "    - guard: {resource: &second b, body: {guard: {resource: a, body: {task: {id: u}}}}}\n"
    )
    fixes = found(text)
    assert {f.description for f in fixes.found if f.kind == "capacity"} == {"raise b from 1 to 2"}
    assert all(n.code == "PETRI_CANNOT_EDIT" for n in fixes.notes)
    assert {n.message.partition(":")[0] for n in fixes.notes} == {"raise a from 1 to 2", "take a, then b for `u`"}


def test_nothing_is_offered_that_the_gate_does_not_find_sound_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = Result(Verdict.UNKNOWN, "broken")
    monkeypatch.setattr(module, "judge_plan", lambda *_: verdict)
    fixes = found(locks("ab", "ba"))
    assert fixes.found == ()
    assert [n.code for n in fixes.notes] == ["PETRI_UNKNOWN"]


def test_the_budget_bounds_the_search_for_fixes() -> None:
    seconds = iter(range(10_000))
    fixes = found(locks("ab", "ba"), budget=Budget(seconds=1), clock=lambda: float(next(seconds)))
    assert fixes.found == () and fixes.notes
    assert next(seconds) < 20, "it gives up at once"


def test_the_same_plan_has_the_same_fixes() -> None:
    text = locks("abc", "cab", "bca", "ba", a=2)
    assert found(text) == found(text)
    assert found(text).found


def test_a_large_plan_gets_its_one_swap() -> None:
    branches = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh" if a < b] * 11
    branches[150] = branches[150][::-1]
    fixes = found(locks(*branches), "order")
    assert [f.cost for f in fixes.found] == [1]
    assert "`t151`" in fixes.found[0].description


def test_json_is_fixed_as_json() -> None:
    document = {
        "resources": [{"id": "a", "capacity": 1}, {"id": "b", "capacity": 1}],
        "flow": {
            "parallel": [
                {"guard": {"resource": x, "body": {"guard": {"resource": y, "body": {"task": {"id": t}}}}}}
                for x, y, t in (("a", "b", "x"), ("b", "a", "y"))
            ]
        },
    }
    for fix in found(json.dumps(document, indent=2), file="p.json").found:
        assert json.dumps(json.loads(fix.data), indent=2) == fix.data.decode() or fix.kind == "wrap"
        assert judged(fix, "p.json").verdict is Verdict.SOUND


def test_deep_nests_are_fixed_without_recursion() -> None:
    def nest(task: str) -> str:
        return '{"guard": {"resource": "r", "body": ' * 200 + f'{{"task": {{"id": "{task}"}}}}' + "}}" * 200

    text = f'{{"resources": [{{"id": "r", "capacity": 300}}], "flow": {{"parallel": [{nest("t")}, {nest("u")}]}}}}'
    fixes = found(text, "capacity", file="p.json")
    assert [f.description for f in fixes.found] == ["raise r from 300 to 399"]


@pytest.mark.parametrize("size", [3, 9, 12, 40])
def test_an_order_with_little_against_it(size: int) -> None:
    ring = {(k, (k + 1) % size): 2 for k in range(size)} | {(size - 1, 0): 1}
    order = best_order(range(size), ring)
    assert sorted(order) == list(range(size))
    against = sum(w for (r, s), w in ring.items() if order.index(s) < order.index(r))
    assert against == 1 or (size > 10 and against <= 2)


def test_one_lock_that_everybody_takes_first_is_enough_of_an_order() -> None:
    text = (PLANS / "gate-lock-too-late.yaml").read_text(encoding="utf-8")
    fix = found(text, "order").found[0]
    assert (fix.cost, fix.evidence.partition(":")[0]) == (2, "exhaustive")
    assert fix.description == "take turn, then a, then b for `w1`; take turn, then b, then a for `w2`"


def test_the_gate_alone_looks_for_no_fixes() -> None:
    code = (
        "import sys\n"
        "from petri_cli.api import analyze, analyze_data\n"
        f"path = {str(SAMPLES / 'lock-inversion.petri.yaml')!r}\n"
        "assert not analyze(path).sound\n"
        "assert analyze_data(open(path, 'rb').read(), path).fixes is None\n"
        "assert 'petri_cli.soundness.fixes' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
