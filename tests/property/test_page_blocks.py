"""The blocks that a page draws hold the whole net, each element once, where the plan has it."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings

from petri_cli.api import analyze_data
from petri_cli.net.firing import Step, replay
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.lower import lower_workflow
from petri_cli.plan.model import Plan
from petri_cli.render.html.blocks import MOST, Block, blocks_of
from petri_cli.render.html.drawing import MAX_STEPS, draw_plan, steps_data
from petri_cli.render.html.verdict import file_data
from tests.strategies.plans import plan_documents


def held(blocks: list[Block]) -> list[str]:
    return [m for b in blocks for m in b.inside if isinstance(m, str)]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(document=plan_documents())
def test_every_element_but_resources_stands_in_one_block(document: Any) -> None:
    plan = load_plan_text(json.dumps(document).encode(), "plan.petri.json")[0]
    lowered = lower_workflow(plan, default_width=2)
    blocks = blocks_of(plan, lowered)
    ids = [p.id for p in lowered.net.places if not p.id.startswith("r.")] + [t.id for t in lowered.net.transitions]
    assert sorted(held(blocks)) == sorted(ids)
    assert blocks[0].parent == -1
    for k, block in enumerate(blocks[1:], 1):
        assert block.parent < k and k in blocks[block.parent].inside
    data = draw_plan(plan, lowered)
    numbers = [p["id"] for p in data["places"]] + [t["id"] for t in data["transitions"]]
    for block, drawn in zip(blocks, data["blocks"], strict=True):
        members = [-1 - m if isinstance(m, int) else numbers.index(m) for m in block.inside]
        assert [n for n, _, _ in drawn["cells"]] == members
        assert len({(column, y) for _, column, y in drawn["cells"]}) == len(members)  # none upon another
    arcs = {(numbers[a], numbers[b]) for a, b, *_ in data["arcs"]}
    assert arcs == {(i.place, t.id) for t in lowered.net.transitions for i in t.inputs} | {
        (t.id, leaf) for t in lowered.net.transitions for leaf in _targets(t.output)
    }


def _targets(output: object) -> list[str]:
    place = getattr(output, "place", None)
    return [place] if place is not None else [p for c in getattr(output, "children", ()) for p in _targets(c)]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(document=plan_documents())
def test_the_steps_of_a_page_lead_to_the_marking_of_the_verdict(document: Any) -> None:
    a = analyze_data(json.dumps(document).encode(), "plan.petri.json")
    data = file_data(a)
    json.dumps(data)
    cx = a.result.counterexample if a.result is not None else None
    if cx is None:
        return
    marking = dict(data["drawing"]["initial"])
    for step in data["steps"]:
        for place, n in step["change"].items():
            marking[place] = marking.get(place, 0) + n
    assert {p: n for p, n in marking.items() if n} == {p: n for p, n in cx.marking.items() if n}
    known = {p["id"] for p in data["drawing"]["places"]}
    assert set(cx.marking) <= known and {s["t"] for s in data["steps"]} <= {
        t["id"] for t in data["drawing"]["transitions"]
    }
    assert all(w["transition"] in {t["id"] for t in data["drawing"]["transitions"]} for w in data["waits"])


def test_long_lists_stand_in_parts_that_a_person_can_look_at() -> None:
    for flow in ("seq", "parallel"):
        tasks = [{"task": {"id": f"t{k}"}} for k in range(3_000)]
        a = analyze_data(json.dumps({"flow": {flow: tasks}}).encode(), "plan.petri.json")
        assert isinstance(a.subject, Plan)
        lowered = lower_workflow(a.subject)
        blocks = blocks_of(a.subject, lowered)
        assert max(len(b.inside) for b in blocks) <= 3 * MOST + 2
        assert len(held(blocks)) == len(set(held(blocks))) == len(lowered.net.places) + len(lowered.net.transitions)
        titles = [b.title for b in blocks if b.kind == "part"]
        assert len(titles) == 5 + 120 and any(t.endswith("2,976 to 3,000") for t in titles)


def test_of_a_very_long_run_the_last_steps_are_kept_with_the_marking_before_them() -> None:
    tasks = [{"task": {"id": f"t{k}"}} for k in range(MAX_STEPS + 10)]
    a = analyze_data(json.dumps({"flow": {"seq": tasks}}).encode(), "plan.petri.json")
    assert isinstance(a.subject, Plan)
    net = lower_workflow(a.subject).net
    run = [Step(f"t.t{k}") for k in range(MAX_STEPS + 10)]
    steps = steps_data(net, run, [])
    assert (len(steps), steps[0]["n"], steps[-1]["n"]) == (MAX_STEPS, 11, MAX_STEPS + 10)
    assert steps[0]["from"] == {"p.done.t9": 1} == replay(net, run[:10])[-1]
