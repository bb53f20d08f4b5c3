"""The pages of ``docs``: what is generated is up to date, and what is written by hand is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import pytest

from docs.generate import PAGES, main, stale
from docs.pages.mixed import MARK, below_the_mark
from docs.pages.plan_language import TYPES, WITHOUT
from docs.pages.schema import Tables
from petri_cli.api import analyze_data
from petri_cli.document import MAX_BYTES
from petri_cli.plan.duration import parse_duration
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.lower import lower_workflow
from petri_cli.plan.model import Foreach, Guard, Loop, Parallel, Plan
from petri_cli.soundness.result import Verdict

ROOT = Path(__file__).parents[2]
LANGUAGE = (ROOT / "docs" / "plan-language.md").read_text(encoding="utf-8")
WRITTEN, _, GENERATED = LANGUAGE.partition(MARK)


def yaml_blocks(text: str) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


# The generator


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_what_the_generator_writes(name: str) -> None:
    assert stale({name: PAGES[name]}, ROOT) == {}, "run `make docs`"


def test_checking_names_stale_pages_with_their_difference_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text("old\nsame\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("right\n", encoding="utf-8")
    pages = {"a.md": lambda now: "new\nsame\n", "b.md": lambda now: "right\n", "c.md": lambda now: "missing\n"}
    assert main(["--check"], pages, tmp_path) == 1
    out = capsys.readouterr().out
    assert "\n-old\n+new\n same\n" in out and "\n+missing\n" in out
    assert out.endswith("stale: a.md, c.md; run `make docs`\n")
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == "old\nsame\n"
    assert main([], pages, tmp_path) == 0
    assert capsys.readouterr().out == "wrote a.md\nwrote c.md\n"
    assert (main(["--check"], pages, tmp_path), capsys.readouterr().out) == (0, "")


def test_a_long_difference_is_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], {"a.md": lambda now: "line\n" * 1000}, tmp_path) == 1
    assert 20 < capsys.readouterr().out.count("\n") < 30


def test_what_is_written_by_hand_is_kept() -> None:
    page = below_the_mark(f"by hand\n\n{MARK}\n\nold\n", "new\n")
    assert page == f"by hand\n\n{MARK}\n\nnew\n"
    assert below_the_mark(page, "new\n") == page
    with pytest.raises(ValueError, match="no line"):
        below_the_mark("by hand\n", "new\n")


def test_types_are_told_in_words() -> None:
    schema = {"definitions": {"step": {"type": "object", "description": "A step."}}}
    tables = Tables(schema, {"#/definitions/step": "[step](#steps)"}, {"^[a-z]": "id"})
    assert [
        tables.type(s)
        for s in (
            {"type": "integer", "minimum": 1, "maximum": 1_000_000_000},
            {"type": "number", "minimum": 0, "maximum": 1},
            {"type": ["number", "string"], "pattern": "^[a-z]+$"},
            {"type": "array", "items": {"$ref": "#/definitions/step"}},
            {"allOf": [{"$ref": "#/definitions/step"}], "description": "Which."},
            {"enum": ["a|b", None]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        )
    ] == [
        "integer ≥ 1",
        "number from 0 to 1",
        "id",
        "list of [steps](#steps)",
        "[step](#steps)",
        '`"a|b"` or `null`',
        "text or `null`",
    ]
    row = tables.table("t", {"properties": {"a": {"$ref": "#/definitions/step", "default": "x|y"}}}).splitlines()[-1]
    assert row == r'| `a` | [step](#steps) | `"x\|y"` | A step. | |'


# The plan language


@pytest.mark.parametrize("text", yaml_blocks(WRITTEN))
def test_plans_in_the_text_are_sound_and_nothing_is_said_against_them(text: str) -> None:
    found = analyze_data(text.encode(), "example.petri.yaml")
    assert found.problems == ()
    assert found.result is not None
    assert (found.result.verdict, found.result.warnings) == (Verdict.SOUND, ())


@pytest.mark.parametrize("text", yaml_blocks(GENERATED))
def test_every_example_of_a_step_is_a_step(text: str) -> None:
    resources = "resources: [{id: repo_lock, capacity: 1}]\n"
    earlier = "".join(f"{{task: {{id: {t}}}}}, " for t in ("survey", "tests") if f"id: {t}" not in text)
    load_plan_text(f"{resources}flow: {{seq: [{earlier}{{{text.strip()}}}]}}\n", "example.petri.yaml")


def test_the_names_of_the_net_are_those_that_the_table_says() -> None:
    plan, _ = load_plan_text(yaml_blocks(WRITTEN)[0], "example.petri.yaml")
    net = lower_workflow(plan, default_width=2).net
    ids = {*net.place_ids(), *(t.id for t in net.transitions)}
    told = set(re.findall(r"`([tpr]\.[^`…]+)`", WRITTEN))
    assert len(told) > 20
    assert told - ids == set()


def test_what_holds_without_a_key_is_what_the_loader_makes_of_it() -> None:
    text = """
resources: [{id: lock, capacity: 1}]
flow:
  seq:
    - loop: {id: again, body: {task: {id: a}}}
    - foreach: {id: each, over: items, body: {task: {id: b}}}
    - guard: {resource: lock, body: {task: {id: c}}}
    - parallel: [{task: {id: d}}, {task: {id: e}}]
"""
    plan, _ = load_plan_text(text, "stem.petri.yaml")
    loop, each, guard, par = one(plan, Loop), one(plan, Foreach), one(plan, Guard), one(plan, Parallel)
    assert (loop.max_iterations, loop.until, loop.on_exhausted) == (None, None, "fail")
    assert (each.max_width, guard.id, guard.units, par.id) == (None, "g1", (("lock", 1),), "1")
    assert (plan.name, plan.version, plan.resources[0].per) == ("stem", 1, None)


T = TypeVar("T")


def one(plan: Plan, kind: type[T]) -> T:
    (found,) = (n for n in plan.nodes if isinstance(n, kind))
    return found


@pytest.mark.parametrize(("table", "key"), [*WITHOUT, *TYPES])
def test_what_the_generator_says_of_a_key_itself_is_about_a_key_that_exists(table: str, key: str) -> None:
    heading = rf"^#+ (`{table}`|{table}(s|es)?|{'The document' if table == 'plan' else table})$"
    found = re.split(heading, GENERATED, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)
    assert f"\n| `{key}` |" in re.split("^#", found[-1], maxsplit=1, flags=re.MULTILINE)[0]


def test_durations_and_limits_in_the_text_are_the_real_ones() -> None:
    durations = WRITTEN.partition("**Durations**")[2].partition("\n\n")[0]
    told = re.findall(r"`([^`]+)`", durations)
    assert len(told) >= 5
    assert all(parse_duration(d) for d in told if not d.isdigit())
    assert f"up to {MAX_BYTES // 2**20} MiB" in WRITTEN
