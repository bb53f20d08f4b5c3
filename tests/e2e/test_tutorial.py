"""The pages for newcomers: every command of the tutorial is run, and every plan of the recipes is proved and runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from petri_cli.api import analyze_data
from tests.e2e.console import commands, run
from tests.e2e.petri import ROOT, petri

DOCS = ROOT / "docs"
TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")


def blocks(page: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_a_reader_who_types_every_command_of_the_tutorial_sees_what_it_says(tmp_path: Path) -> None:
    found = commands(TUTORIAL)
    assert len(found) >= 15
    for command in found:
        code, written = run(command.text, tmp_path)
        stuck = "UNSOUND" in "".join(command.output) or "--diff" in command.text
        assert code == (1 if stuck else 5 if "--no-wait" in command.text else 0), written
        assert command.unlike(written) == "", f"line {command.line}: $ {command.text}"


def test_the_tutorial_leaves_no_command_to_the_reader_that_is_not_tried() -> None:
    assert re.findall(r"^```(?!console$|$)\w*", TUTORIAL, re.MULTILINE) == []


@pytest.mark.parametrize("text", blocks("how-to.md"))
def test_a_recipe_is_sound_and_nothing_is_said_against_it(text: str) -> None:
    result = analyze_data(text.encode(), "recipe.petri.yaml").result
    assert result is not None
    assert (result.verdict.value, result.warnings) == ("SOUND", ())


@pytest.mark.parametrize("text", [t for t in blocks("how-to.md") if "human" not in t])
def test_a_recipe_really_runs(text: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.petri.yaml").write_text(text, encoding="utf-8")
    done = petri("run", "recipe.petri.yaml", cwd=tmp_path)
    assert (done.code, "✓ completed" in done.out) == (0, True), done


def test_the_plan_that_explains_deadlocks_has_one() -> None:
    [text] = blocks("soundness.md")
    result = analyze_data(text.encode(), "plan.petri.yaml").result
    assert result is not None and result.counterexample is not None
    assert result.counterexample.sentence == "`train` holds db and waits for gpu; `export` holds gpu and waits for db."
