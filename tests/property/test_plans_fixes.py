"""Every fix that is offered, held against the meaning of plans: made in a file laid out in any way, it is sound at
every width that the oracle can tell, and the text that is no part of an edit is what it was.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.plan.edit_text import Sheet, TextEdit, applied
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.model import Plan
from petri_cli.soundness.fixes import Fix, find_fixes
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict
from tests.property.test_plans_gate import truths
from tests.strategies.contended_plans import contended_plan, gated_plan
from tests.strategies.inverted_plans import inverted_plan
from tests.strategies.layouts import handwritten, handwritten_json


class Check:
    """Fixes of one plan after the other; what was met is counted, since a check that meets nothing proves nothing."""

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()

    def plan(self, seed: int) -> None:
        rng = random.Random(seed)  # noqa: S311
        document = (inverted_plan(rng), inverted_plan(rng), gated_plan(rng), contended_plan(rng, 4))[seed % 4]
        file = "plan.petri.json" if rng.random() < 0.2 else "plan.petri.yaml"
        data = handwritten_json(document, rng) if file.endswith(".json") else handwritten(document, rng)
        plan, _ = load_plan_text(data, file)
        result = judge_plan(plan)
        if result.verdict is not Verdict.UNSOUND:
            return
        fixes = find_fixes(plan, data, file, known=result.smallest_capacity)
        self.met["unsound"] += 1
        self.met["fixed"] += bool(fixes.found)
        for fix in fixes.found:
            self.fix(plan, data, file, fix)

    def fix(self, plan: Plan, data: bytes, file: str, fix: Fix) -> None:
        self.met[fix.kind] += 1
        after, _ = load_plan_text(fix.data, file)
        assert judge_plan(after).verdict is Verdict.SOUND
        for width, found in truths(after):
            self.met["compared"] += 1
            assert found.sound, f"{fix.description}: not sound at width {width}"
        assert [t.id for t in after.tasks()] == [t.id for t in plan.tasks()], "the work is the same"
        assert [t.settings for t in after.tasks()] == [t.settings for t in plan.tasks()]
        self.text(data, file, fix)

    def text(self, data: bytes, file: str, fix: Fix) -> None:
        """The edits, made by whoever reads the report, lead to the same bytes; no comment is lost on the way."""
        sheet = Sheet(data, file)
        edits = [
            TextEdit(
                sheet.starts[e.where.line - 1] + e.where.column - 1,
                sheet.starts[e.end[0] - 1] + e.end[1] - 1,
                e.replacement,
            )
            for e in fix.edits
        ]
        assert sheet.encoded(applied(sheet.text, edits)) == fix.data
        before, after = sheet.text, Sheet(fix.data, file).text
        assert before.count("#") == after.count("#")
        assert before.endswith(("\n", "\r\n")) == after.endswith(("\n", "\r\n"))
        crlf = bool(before.count("\r\n"))
        assert _lone_line_feeds(before) == _lone_line_feeds(after) if crlf else "\r" not in after


def _lone_line_feeds(text: str) -> int:
    return text.count("\n") - text.count("\r\n")


@pytest.mark.slow
def test_every_fix_that_is_offered_is_sound_by_brute_force_too() -> None:
    check = Check()

    @settings(max_examples=12, deadline=None, derandomize=True)
    @given(st.integers(0, 2**32))
    def run(seed: int) -> None:
        check.plan(seed)

    run()
    assert check.met["fixed"] >= 3 and check.met["compared"] >= 5


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_every_fix_of_many_plans_is_sound_by_brute_force_too(block: int) -> None:
    check = Check()
    for seed in range(block * 60, block * 60 + 60):
        check.plan(seed)
    assert check.met["fixed"] >= 0.9 * check.met["unsound"] > 10, check.met
    assert min(check.met[kind] for kind in ("order", "capacity", "wrap")) >= 5, check.met
