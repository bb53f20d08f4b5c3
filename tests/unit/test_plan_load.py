"""Loading plans: what becomes of each node, generated ids, positions, and size."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from petri_cli.document import read_document
from petri_cli.errors import InputError, Position, Problem
from petri_cli.plan.compare import same_plan
from petri_cli.plan.duration import format_duration, parse_duration
from petri_cli.plan.load import load_plan_text, parse_plan, plan_from_data
from petri_cli.plan.model import Branch, Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.plan.printer import print_plan
from petri_cli.plan.words import DEFAULTS, KEYS, PATTERNS, PLAN, RESOURCE

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas/plan.schema.json").read_text(encoding="utf-8"))

DATA = os.environ.get("PETRI_TEST_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="PETRI_TEST_DATA is not set")

STARTER = """\
version: 1
name: migrate
objective: Move every package to the new build
defaults: {maxAttempts: 3, timeout: 30m, lease: 60s, worker: shell}
resources:
  - {id: repo_lock, capacity: 1}
  - {id: ci_slots, capacity: 3}
  - {id: api, capacity: 100, per: 1m}
flow:
  seq:
    - task: {id: survey, name: Survey the codebase, run: "python survey.py"}
    - foreach:
        id: each_pkg
        over: packages needing migration
        body:
          guard: {resource: ci_slots, body: {task: {id: migrate, run: "./migrate.sh {item}"}}}
    - guard:
        resource: [repo_lock, api]
        units: 1
        body: {loop: {id: green, maxIterations: 5, body: {task: {id: fix_tests}}}}
"""


def load(text: str, file: str = "plan.yaml") -> Plan:
    return load_plan_text(text, file)[0]


def problems(text: str | bytes, file: str = "plan.yaml") -> list[Problem]:
    try:
        return list(load_plan_text(text, file)[1])
    except InputError as error:
        return list(error.problems)


def flow(text: str) -> tuple[Any, ...]:
    return load(f"resources: [{{id: a, capacity: 2}}, {{id: b, capacity: 2}}]\nflow: {text}").nodes


def test_a_plan_with_everything() -> None:
    plan, warnings = load_plan_text(STARTER, "plan.yaml")
    assert warnings == ()
    assert (plan.name, plan.objective, plan.version) == ("migrate", "Move every package to the new build", 1)
    assert plan.defaults == {"maxAttempts": 3, "timeout": 1800.0, "lease": 60.0, "worker": "shell"}
    assert [(r.id, r.capacity, r.per) for r in plan.resources] == [
        ("repo_lock", 1, None),
        ("ci_slots", 3, None),
        ("api", 100, 60.0),
    ]
    assert [type(n) for n in plan.nodes] == [Seq, Task, Foreach, Guard, Task, Guard, Loop, Task]
    assert [n.id for n in plan.nodes] == ["", "survey", "each_pkg", "g1", "migrate", "g2", "green", "fix_tests"]
    assert [n.parent for n in plan.nodes] == [-1, 0, 0, 2, 3, 0, 5, 6]
    assert [n.end for n in plan.nodes] == [8, 2, 5, 5, 5, 8, 8, 8]
    assert plan.nodes[0].children == (1, 2, 5)


def test_positions_are_those_of_the_keys() -> None:
    plan = load(STARTER)
    guard = plan.nodes[5]
    assert isinstance(guard, Guard)
    assert guard.where == Position("plan.yaml", 17, 7)
    assert guard.units_at == Position("plan.yaml", 19, 16)
    other = plan.nodes[3]
    assert isinstance(other, Guard)
    assert other.units_at == Position("plan.yaml", 16, 29)
    assert plan.resources[1].where == Position("plan.yaml", 7, 5, "resources[1]")
    assert plan.resources[1].capacity_at == Position("plan.yaml", 7, 30, "resources[1].capacity")
    assert plan.path(4) == "flow.seq[1].foreach.body.guard.body.task"


def test_paths_follow_branches_and_wrapped_bodies() -> None:
    plan = load(
        "flow: {choice: {branches: [{when: x, body: {parallel: {branches: [{task: {id: a}}, {task: {id: b}}]}}}, "
        "{choice: [{task: {id: c}}, {body: {task: {id: d}}}]}]}}"
    )
    assert [plan.path(n.index) for n in plan.tasks()] == [
        "flow.choice.branches[0].body.parallel.branches[0].task",
        "flow.choice.branches[0].body.parallel.branches[1].task",
        "flow.choice.branches[1].choice[0].task",
        "flow.choice.branches[1].choice[1].body.task",
    ]


def test_the_name_is_the_stem_of_the_file_unless_given() -> None:
    text = "flow: {task: {id: a}}"
    for file in ("plans/nightly.yaml", "nightly.yml", "nightly.petri.yaml", "./nightly.petri.yml"):
        assert load(text, file).name == "nightly"
    assert load('{"flow": {"task": {"id": "a"}}}', "nightly.petri.json").name == "nightly"
    assert load(text, "<stdin>").name == "plan"
    assert load(f"name: other\n{text}", "nightly.yaml").name == "other"


def test_settings_of_a_task_are_read_once_durations_in_seconds() -> None:
    (task,) = flow(
        "{task: {id: t, name: T, run: [make, -k], worker: shell, with: {a: [1, x]}, maxAttempts: 2, timeout: 1h30m, "
        "lease: 90, priority: -3, timing: {delayed: 500ms}, retry: {delay: 0, factor: 2, max: 1m, jitter: 0.5}, "
        "verify: {all: [exit-code, {files: [a.txt]}, {command: make check}, {schema: {type: object}}]}}}"
    )
    assert isinstance(task, Task)
    assert task.name == "T"
    assert task.settings == {
        "run": ["make", "-k"],
        "worker": "shell",
        "with": {"a": [1, "x"]},
        "maxAttempts": 2,
        "timeout": 5400.0,
        "lease": 90.0,
        "priority": -3,
        "timing": {"delayed": 0.5},
        "retry": {"delay": 0.0, "factor": 2, "max": 60.0, "jitter": 0.5},
        "verify": {
            "all": ["exit-code", {"files": ["a.txt"]}, {"command": "make check"}, {"schema": {"type": "object"}}]
        },
    }


def test_a_loop() -> None:
    loop, _ = flow("{loop: {id: l, maxIterations: 3, until: x, delay: 5s, onExhausted: exit, body: {task: {id: t}}}}")
    assert isinstance(loop, Loop)
    assert (loop.max_iterations, loop.until, loop.delay, loop.on_exhausted) == (3, "x", 5.0, "exit")
    plain, _ = flow("{loop: {id: l, until: x, body: {task: {id: t}}}}")
    assert isinstance(plain, Loop)
    assert (plain.max_iterations, plain.delay, plain.on_exhausted) == (None, None, "fail")


@pytest.mark.parametrize(
    ("over", "items", "limit"),
    [("[]", 0, 0), ("[a, 2, {b: c}]", 3, 3), ("${t.x}", None, 7), ("packages in need", None, 7)],
)
def test_a_foreach(over: str, items: int | None, limit: int) -> None:
    written = over if over.startswith("[") else f"'{over}'"
    foreach, _ = flow(
        f"{{foreach: {{id: f, name: F, over: {written}, maxWidth: 7, run: ls, body: {{task: {{id: t}}}}}}}}"
    )
    assert isinstance(foreach, Foreach)
    assert (foreach.items, foreach.max_width, foreach.width_limit) == (items, 7, limit)
    assert foreach.settings == {"run": "ls", "name": "F"}
    assert foreach.over == ([] if over == "[]" else ["a", 2, {"b": "c"}] if items else over)


def test_guards_hold_units_of_each_of_their_resources() -> None:
    one, several, _ = flow(
        "{guard: {resource: a, units: 2, body: {guard: {id: x, resource: [b, a], body: {task: {id: t}}}}}}"
    )
    assert isinstance(one, Guard)
    assert isinstance(several, Guard)
    assert (one.id, one.units) == ("g1", (("a", 2),))
    assert (several.id, several.units) == ("x", (("b", 1), ("a", 1)))


def test_units_above_the_capacity_are_for_the_gate_to_refuse() -> None:
    guard, _ = flow("{guard: {resource: a, units: 99, body: {task: {id: t}}}}")
    assert guard.units == (("a", 99),)


def test_branches_of_a_choice_in_every_form() -> None:
    choice, *_ = flow("{choice: [{task: {id: t}}, {when: x, name: X, body: {task: {id: u}}}, {body: {task: {id: v}}}]}")
    assert isinstance(choice, Choice)
    assert (choice.id, choice.listed) == ("1", True)
    assert choice.branches == (Branch(), Branch("x", "X"), Branch())
    assert [b.wrapped for b in choice.branches] == [False, True, True]
    named, *_ = flow("{choice: {id: c, branches: [{task: {id: t}}, {name: Y, body: {task: {id: u}}}]}}")
    assert isinstance(named, Choice)
    assert (named.id, named.listed, named.branches) == ("c", False, (Branch(), Branch(None, "Y")))
    parallel, *_ = flow("{parallel: {branches: [{task: {id: t}}, {task: {id: u}}]}}")
    assert isinstance(parallel, Parallel)
    assert (parallel.id, parallel.listed) == ("1", False)


def guards(*ids: str | None) -> list[str]:
    items = [
        {"guard": {"resource": "r", "body": {"task": {"id": f"t{n}"}}} | ({"id": name} if name else {})}
        for n, name in enumerate(ids)
    ]
    plan, _ = plan_from_data({"resources": [{"id": "r", "capacity": 1}], "flow": {"seq": items}})
    return [g.id for g in plan.guards()]


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ((None, None, None), ["g1", "g2", "g3"]),
        ((None, "mine", None), ["g1", "mine", "g3"]),
        (("g2", None, None), ["g2", "g4", "g3"]),
        ((None, None, "g1"), ["g3", "g2", "g1"]),
        (("g2", None, "g4", None), ["g2", "g3", "g4", "g5"]),
        (("g1", None), ["g1", "g2"]),
    ],
)
def test_a_guard_without_id_gets_its_number_among_all_guards(written: tuple[str | None, ...], ids: list[str]) -> None:
    assert guards(*written) == ids


def test_parallels_and_choices_are_numbered_each_on_their_own() -> None:
    nodes = flow(
        "{parallel: [{choice: [{task: {id: a}}, {task: {id: b}}]}, {choice: {id: c, branches: [{task: {id: d}}, "
        "{parallel: [{task: {id: e}}, {task: {id: f}}]}]}}, {choice: [{task: {id: g}}, {task: {id: h}}]}]}"
    )
    assert [(type(n).__name__, n.id) for n in nodes if not isinstance(n, Task)] == [
        ("Parallel", "1"),
        ("Choice", "1"),
        ("Choice", "c"),
        ("Parallel", "2"),
        ("Choice", "3"),
    ]


def test_one_id_may_name_things_of_different_kinds() -> None:
    nodes = flow("{loop: {id: a, maxIterations: 1, body: {guard: {id: a, resource: a, body: {task: {id: a}}}}}}")
    assert [n.id for n in nodes] == ["a", "a", "a"]


def test_merge_keys_share_settings() -> None:
    plan = load(
        "x-w: &w {run: make, timeout: 5m}\nflow: {seq: [{task: {<<: *w, id: a}}, {task: {<<: *w, id: b, run: x}}]}"
    )
    assert [dict(t.settings) for t in plan.tasks()] == [
        {"run": "make", "timeout": 300.0},
        {"run": "x", "timeout": 300.0},
    ]
    assert plan.settings == {"x-w": {"run": "make", "timeout": "5m"}}


def test_an_alias_bomb_in_the_flow_is_told_once_a_block() -> None:
    lines = ["x-0: &a0 {task: {id: t}}"] + [f"x-{n}: &a{n} {{seq: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 15)]
    found = problems("\n".join([*lines, "flow: *a14"]))
    assert {p.code for p in found} == {"PETRI_DUPLICATE_ID"}
    assert len(found) == 14


def test_a_broken_block_that_aliases_repeat_is_told_once() -> None:
    lines = ["x-0: &a0 {task: {id: t}, oops: 1}"]
    lines += [f"x-{n}: &a{n} {{seq: [*a{n - 1}, *a{n - 1}], oops: 1}}" for n in range(1, 8)]
    found = problems("\n".join([*lines, "flow: *a7"]))
    assert len([p for p in found if p.code == "PETRI_UNKNOWN_KEY"]) <= 16
    assert len([p for p in found if p.code == "PETRI_DUPLICATE_ID"]) == 7


def test_problems_of_the_document_and_of_the_plan_are_told_together() -> None:
    found = problems("name: a\nname: b\nflow: {task: {id: 'a b'}}\n")
    assert [p.code for p in found] == ["PETRI_DUPLICATE_KEY", "PETRI_BAD_ID"]


def test_warnings_do_not_stop_a_plan() -> None:
    plan, warnings = load_plan_text("resources: [{id: r, capacity: 1}]\nflow: {parallel: [{task: {id: a}}]}", "x.yaml")
    assert [n.id for n in plan.nodes] == ["1", "a"]
    assert [(w.code, w.severity) for w in warnings] == [
        ("PETRI_UNUSED_RESOURCE", "warning"),
        ("PETRI_ONE_BRANCH", "warning"),
    ]


def test_a_net_is_no_plan() -> None:
    with pytest.raises(InputError) as caught:
        parse_plan(read_document("kind: net\nplaces: [a]\n", "n.yaml"), "n.yaml")
    assert [p.code for p in caught.value.problems] == ["PETRI_NOT_A_PLAN"]


def test_plans_from_data_and_text_and_file_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(STARTER, encoding="utf-8")
    from_file, _ = load_plan_text(file.read_bytes(), str(file))
    assert from_file.file == str(file)
    assert same_plan(from_file, load(STARTER))
    as_json = json.dumps({"flow": {"seq": [{"task": {"id": "a"}}, {"task": {"id": "b", "maxAttempts": 2.0}}]}})
    from_text, _ = load_plan_text(as_json, "x.json")
    from_dict, _ = plan_from_data(json.loads(as_json), "x.json")
    assert same_plan(from_text, from_dict)
    assert from_dict.nodes[1].where == Position("x.json")


# Troubles that users of other tools had.


def test_booleans_of_yaml_1_1_stay_text() -> None:
    """pyyaml#855: `on` became True."""
    plan = load("flow: {seq: [{task: {id: on, name: no}}, {task: {id: off, run: yes}}]}")
    assert [(t.id, t.name) for t in plan.tasks()] == [("on", "no"), ("off", "")]


def test_a_key_that_stands_twice_is_an_error_with_both_lines() -> None:
    """pyyaml#165: the second of two equal keys won."""
    (problem,) = problems("flow:\n  task:\n    id: a\n    id: b\n")
    assert str(problem).startswith("plan.yaml:4:5 PETRI_DUPLICATE_KEY")
    assert [r.line for r in problem.related] == [3]


def test_an_alias_bomb_is_refused() -> None:
    """lionagi#2300: an alias bomb expanded."""
    lines = ["x-0: &a0 [x, x, x, x]"] + [f"x-{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 4)}]" for n in range(1, 30)]
    found = problems("\n".join([*lines, "flow: {task: {id: a, with: {x: *a29}}}"]))
    assert [p.code for p in found] == ["PETRI_YAML_ALIAS"]


def test_a_wrong_type_is_told_in_one_line_with_the_way_out() -> None:
    """jsonschema#977, fastjsonschema#72: "is not valid under any of the given schemas", and the whole document."""
    text = "name: x\nflow:\n  loop:\n    id: l\n    body: {task: {id: t}}\n    maxIterations: '3'\n"
    assert [str(p) for p in problems(text)] == [
        'plan.yaml:6:20 PETRI_WRONG_TYPE maxIterations must be an integer, got the string "3" (remove the quotes)'
    ]


def test_a_misspelt_resource_gets_a_suggestion_each_time() -> None:
    """airflow#20788: 64 tasks on a misspelt pool stopped the scheduler."""
    branches = [{"guard": {"resource": "gpuu", "body": {"task": {"id": f"t{n}"}}}} for n in range(64)]
    document = {"resources": [{"id": "gpu", "capacity": 2}], "flow": {"parallel": branches}}
    found = problems(json.dumps(document), "x.json")
    assert {str(p).partition(" ")[2] for p in found} == {
        "PETRI_UNKNOWN_RESOURCE unknown resource `gpuu` (did you mean `gpu`?)"
    }
    assert len(found) == 64


def test_a_misspelt_key_is_an_error_with_a_suggestion() -> None:
    """argo#3002: lint missed a misspelt key."""
    (problem,) = problems("flow: {task: {id: a, retyr: {delay: 5s}}}")
    assert str(problem) == "plan.yaml:1:22 PETRI_UNKNOWN_KEY task has no key `retyr` (did you mean `retry`?)"


@pytest.mark.slow
def test_5000_nested_blocks_load_and_print_in_any_form() -> None:
    """snakemake#2126, taskflow#87: recursion limit on a big plan."""
    kinds = ("loop", "foreach", "guard", "seq", "parallel", "choice", "branches")
    opening, closing = "", ""
    for n in range(5000):
        kind = kinds[n % len(kinds)]
        before, after = {
            "loop": (f'{{"loop": {{"id": "l{n}", "maxIterations": 2, "body": ', "}}"),
            "foreach": (f'{{"foreach": {{"id": "f{n}", "over": "x", "body": ', "}}"),
            "guard": ('{"guard": {"resource": ["a", "b"], "body": ', "}}"),
            "seq": ('{"seq": [', f', {{"task": {{"id": "s{n}"}}}}]}}'),
            "parallel": ('{"parallel": [', f', {{"task": {{"id": "p{n}"}}}}]}}'),
            "choice": ('{"choice": [{"when": "x", "body": ', f'}}, {{"task": {{"id": "c{n}"}}}}]}}'),
            "branches": (f'{{"choice": {{"id": "b{n}", "branches": [', f', {{"task": {{"id": "d{n}"}}}}]}}}}'),
        }[kind]
        opening, closing = opening + before, after + closing
    resources = '[{"id": "a", "capacity": 1}, {"id": "b", "capacity": 1}]'
    text = f'{{"resources": {resources}, "flow": {opening}{{"task": {{"id": "t"}}}}{closing}}}'
    plan, warnings = load_plan_text(text, "deep.json")
    assert warnings == ()
    assert sum(1 for n in plan.nodes if not isinstance(n, Task)) == 5000
    assert load_plan_text(text, "deep.yaml")[0].nodes[4999].id == plan.nodes[4999].id
    assert same_plan(plan, load_plan_text(print_plan(plan), "again.yaml")[0])
    assert plan.path(5000).startswith(
        "flow.loop.body.foreach.body.guard.body.seq[0].parallel[0].choice[0].body.choice.br"
    )


@pytest.mark.slow
def test_100_000_tasks_load() -> None:
    """snakemake#2126: hours for a big plan."""
    lines = "".join(f'- task: {{id: t{n}, run: "echo {n}"}}\n' for n in range(100_000))
    plan = load(f"flow:\n  seq:\n{textwrap.indent(lines, '  ')}")
    assert len(plan.nodes) == 100_001
    assert plan.nodes[100_000].where.line == 100_002


def test_deep_block_yaml_is_refused_with_a_way_out() -> None:
    lines = ["flow:"] + [f"{' ' * (n + 1)}{'loop' if n % 2 == 0 else 'body'}:" for n in range(3000)]
    (problem,) = problems("\n".join(lines))
    assert problem.code == "PETRI_TOO_DEEP"
    assert "JSON" in problem.hint


@pytest.mark.slow
def test_problems_in_a_deep_plan_take_no_quadratic_room() -> None:
    deep = '{"flow": ' + '{"loop": {"id": "l", "body": ' * 3000 + "{}" + "}}" * 3000 + "}"
    found = problems(deep, "x.json")
    assert len(found) == 3000 + 2999 + 1
    assert max(len(p.where.path) for p in found) < 3000


# The published contract and the words of the checker.


def test_the_schema_knows_the_keys_that_the_checker_knows() -> None:
    assert tuple(SCHEMA["definitions"]["node"]["properties"]) == tuple(PATTERNS)
    node = {kind: SCHEMA["definitions"][kind] for kind in PATTERNS}
    assert all(tuple(node[kind].get("properties", ())) for kind in PATTERNS if KEYS[kind])
    assert {kind: set(node[kind].get("properties", ())) for kind in PATTERNS} == {k: set(v) for k, v in KEYS.items()}
    assert set(SCHEMA["properties"]) == {*PLAN, "$schema"}
    assert tuple(SCHEMA["properties"]["defaults"]["properties"]) == DEFAULTS
    assert tuple(SCHEMA["definitions"]["resource"]["properties"]) == RESOURCE


def test_every_property_of_the_schema_is_described_with_an_example_and_a_default() -> None:
    stack: list[tuple[str, Any]] = [("", SCHEMA)]
    checked = 0
    while stack:
        path, part = stack.pop()
        for name, value in part.get("properties", {}).items() if isinstance(part, dict) else ():
            while isinstance(value, dict) and (
                refs := [s["$ref"] for s in (value, *value.get("allOf", ())) if "$ref" in s]
            ):
                target: Any = SCHEMA
                for step in refs[0].removeprefix("#/").split("/"):
                    target = target[step]
                value = {**target, **{k: v for k, v in value.items() if k not in ("$ref", "allOf")}}
            if value is not False:
                assert {"description", "default", "examples"} <= set(value), f"{path}.{name}"
                checked += 1
        if isinstance(part, dict):
            stack += [(f"{path}.{k}", v) for k, v in part.items() if k not in ("default", "examples")]
        elif isinstance(part, list):
            stack += [(f"{path}[{n}]", v) for n, v in enumerate(part)]
    assert checked > 70


def test_defaults_and_examples_of_the_schema_fit_it() -> None:
    import jsonschema

    stack: list[Any] = [SCHEMA]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            if "examples" in part and isinstance(part["examples"], list):
                about = {**part, "definitions": SCHEMA["definitions"]}
                for value in part["examples"]:
                    jsonschema.Draft7Validator(about).validate(value)
            stack += [v for k, v in part.items() if k not in ("default", "examples")]
        elif isinstance(part, list):
            stack += part


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("30m", 1800.0), ("1m", 60.0), ("90s", 90.0), ("1h30m", 5400.0), ("500ms", 0.5), ("2d", 172800.0)),
        *(("1.5h", 5400.0), ("1d2h3m4s5ms", 93784.005), ("5m5ms", 300.005), ("0s", 0.0)),
        *((t, None) for t in ("", "m", "1", "1 m", "1M", "-1m", "1s1m", "1m1m", "1m ", "１m", "1e3s", ".5s", "1.s")),
    ],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert parse_duration(text) == seconds
    assert bool(re.search(SCHEMA["definitions"]["resource"]["properties"]["per"]["pattern"], text)) == (
        seconds is not None
    )


def test_durations_are_written_as_short_as_can_be() -> None:
    assert [format_duration(s) for s in (1800.0, 90.0, 0.5, 90061.001, 1.0001)] == [
        *("30m", "1m30s", "500ms", "1d1h1m1s1ms", "1.0001"),
    ]


# Plans of others.


@needs_data
def test_the_plans_of_the_first_description_load_unchanged() -> None:
    (text,) = [p.read_text(encoding="utf-8") for p in Path(str(DATA)).glob("seeds/003_*.txt")]
    plans = re.findall(r'^\{\n  "resources".*?^\}', text, re.DOTALL | re.MULTILINE)
    assert len(plans) == 2
    inversion, migration = (load_plan_text(p, "seed.json") for p in plans)
    assert [g.id for g in inversion[0].guards()] == ["g1", "g2", "g3", "g4"]
    assert [n.id for n in migration[0].nodes if n.id] == [
        "survey",
        "each_pkg",
        "g1",
        "migrate",
        "g2",
        "green",
        "fix_tests",
    ]
    assert inversion[1] == migration[1] == ()


@needs_data
def test_every_plan_of_the_collected_cases_loads_and_prints() -> None:
    files = sorted(Path(str(DATA)).glob("cases/plans/*.yaml"))
    assert len(files) >= 20
    for file in files:
        plan, warnings = load_plan_text(file.read_bytes(), str(file))
        assert warnings == ()
        assert same_plan(load_plan_text(print_plan(plan), "again.yaml")[0], plan)


def test_loading_a_plan_imports_no_heavy_library() -> None:
    program = f"""
        import sys
        import petri_cli.plan.load
        assert "yaml" not in sys.modules
        petri_cli.plan.load.load_plan_text({STARTER!r}, "x.yaml")
        print(sorted({{"jsonschema", "rich", "typer", "click", "difflib", "unicodedata"}} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
