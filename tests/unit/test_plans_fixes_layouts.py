"""Fixes in every way of writing that YAML allows: made or refused, never half made."""

from __future__ import annotations

import pytest

from petri_cli.plan.load import load_plan_text
from petri_cli.soundness.fixes import find_fixes
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict

SECOND = "{guard: {resource: b, body: {guard: {resource: a, body: {task: {id: u}}}}}}"

LAYOUTS = {
    "markers": (
        "%YAML 1.2\n"
        "---\n"
        "resources:\n"
        "- {id: a, capacity: 1}\n"
        "- {id: b, capacity: 1}\n"
        "flow:\n"
        "  parallel:\n"
        "  - guard:\n"
        "      resource: a\n"
        "      body:\n"
        "        guard: {resource: b, body: {task: {id: t}}}\n"
        "  - SECOND\n"
        "...\n"
    ),
    "complex key": (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "  - ? guard\n"
        "    : resource: a\n"
        "      body: {guard: {resource: b, body: {task: {id: t}}}}\n"
        "  - SECOND\n"
    ),
    "tags": (
        "resources: [{id: a, capacity: !!int '1'}, {id: b, capacity: 0x1}]\n"
        "flow:\n"
        "  parallel:\n"
        "  - !!map\n"
        "    guard: {resource: !!str a, body: {guard: {resource: b, body: {task: {id: t}}}}}\n"
        "  - SECOND\n"
    ),
    "flow comments": (
        "resources: [ # r\n"
        "  {id: a, capacity: 1}, # a\n"
        "  {id: b, capacity: 1}, # b\n"
        "]\n"
        "flow:\n"
        "  {parallel: [ # p\n"
        "    {guard: {resource: a, # ra\n"
        "      body: {guard: {resource: b, body: {task: {id: t}}}}}}, # one\n"
        "    SECOND,\n"
        "  ]}\n"
    ),
    "body first": (
        "resources:\n"
        "- capacity: 1\n"
        "  id: a\n"
        "- capacity: 1\n"
        "  id: b\n"
        "flow:\n"
        "  parallel:\n"
        "  - guard:\n"
        "      body:\n"
        "        guard:\n"
        "          body: {task: {id: t}}\n"
        "          resource: b\n"
        "      resource: a\n"
        "  - SECOND\n"
    ),
    "quoted": (
        "'resources' :\n"
        "  - \"id\" : 'a'\n"
        '    "capacity" : 1\n'
        '  - {"id":"b","capacity":1}\n'
        "'flow' :\n"
        "  'parallel' :\n"
        "    - 'guard' :\n"
        "        'resource' : 'a' # x\n"
        "        'body' : {'guard':{'resource':'b','body':{'task':{'id':'t'}}}}\n"
        "    - SECOND\n"
    ),
    "choice when": (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "    branches:\n"
        "    - choice:\n"
        '        - when: "${s.x}"\n'
        "          name: yes\n"
        "          body:\n"
        "            guard:\n"
        "              resource: a\n"
        "              body:\n"
        "                guard: {resource: b, body: {task: {id: t}}}\n"
        "        - task: {id: s}\n"
        "    - SECOND\n"
    ),
    "multiline name": (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "    - guard:\n"
        "        resource: a\n"
        "        body:\n"
        "          guard:\n"
        "            resource: b\n"
        "            body:\n"
        "              task:\n"
        "                id: t\n"
        "                name: a long\n"
        "                  name over\n"
        "\n"
        "                  lines\n"
        "                run: >-\n"
        "                  folded\n"
        "                   text\n"
        "\n"
        '                with: {x: "quoted\n'
        '  at the margin"}\n'
        "    - SECOND\n"
    ),
    "anchored elsewhere": (
        "x-a: &v {retries: 1}\n"
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "    - guard: {resource: a, body: {guard: {resource: b, body: {task: {id: t, with: *v}}}}}\n"
        "    - SECOND\n"
    ),
    "cr only": (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\r"
        "flow:\r"
        "  parallel:\r"
        "    - guard:\r"
        "        resource: a\r"
        "        body: {guard: {resource: b, body: {task: {id: t}}}}\r"
        "    - SECOND\r"
    ),
    "resource over lines": (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "    - guard:\n"
        "        resource:\n"
        "          a\n"
        "        body:\n"
        "          {guard: {resource:\n"
        "            b, body: {task: {id: t}}}}\n"
        "    - SECOND\n"
    ),
    "resources last": (
        "flow:\n"
        "  parallel:\n"
        "    - guard: {resource: a, body: {guard: {resource: b, body: {task: {id: t}}}}}\n"
        "    - SECOND\n"
        "resources:\n"
        "  - {id: a, capacity: 1}\n"
        "  - id: b\n"
        "    capacity: 1  # last"
    ),
    "single pair": (
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow: {parallel: [guard: {resource: a, body: {guard: {resource: b, body: {task: {id: t}}}}}, "
        "guard: {resource: b, body: {guard: {resource: a, body: {task: {id: u}}}}}]}\n"
    ),
    "trailing comment block": (
        "resources:\n"
        "  - id: a\n"
        "    capacity: 1\n"
        "  # about b\n"
        "  - id: b\n"
        "    capacity: 1\n"
        "\n"
        "  # nothing more\n"
        "\n"
        "flow:\n"
        "  parallel:\n"
        "    - guard:\n"
        "        resource: a\n"
        "        body:\n"
        "          # inner\n"
        "          guard: {resource: b, body: {task: {id: t}}}\n"
        "        # after\n"
        "    # before second\n"
        "    - SECOND\n"
        "    # end\n"
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_fix_is_made_as_it_was_meant(name: str) -> None:
    text = LAYOUTS[name].replace("SECOND", SECOND)
    data = text.encode()
    plan, _ = load_plan_text(data, "p.yaml")
    fixes = find_fixes(plan, data, "p.yaml")
    assert {n.code for n in fixes.notes} <= {"PETRI_CANNOT_EDIT"}
    kinds = [f.kind for f in fixes.found]
    assert kinds == (["order", "capacity"] if name == "tags" else ["order", "wrap", "capacity", "capacity"])
    for fix in fixes.found:
        after = fix.data.decode()
        assert judge_plan(load_plan_text(fix.data, "p.yaml")[0]).verdict is Verdict.SOUND
        assert after.count("#") == text.count("#")
        assert after.endswith("\n") == text.endswith("\n")


def test_a_comment_stays_behind_the_item_that_it_is_about() -> None:
    text = LAYOUTS["flow comments"].replace("SECOND", SECOND)
    for comma in (",", ""):
        data = text.replace("capacity: 1}, # b", f"capacity: 1}}{comma} # b").encode()
        plan, _ = load_plan_text(data, "p.yaml")
        wrap = find_fixes(plan, data, "p.yaml", kinds=["wrap"]).found[0].data.decode()
        assert f"  {{id: b, capacity: 1}}, # b\n  {{id: gate, capacity: 1}}{comma}\n]" in wrap
