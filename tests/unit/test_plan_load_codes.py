"""The code pages about reading plans: the first example provokes exactly its code, the mended one nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from petri_cli.errors import InputError
from petri_cli.plan.load import load_plan_text

ROOT = Path(__file__).parents[2]
SOURCES = [*ROOT.glob("petri_cli/document/*.py"), *ROOT.glob("petri_cli/plan/load*.py")]
CODES = sorted({code for p in SOURCES for code in re.findall(r'"(PETRI_[A-Z0-9_]+)"', p.read_text(encoding="utf-8"))})
WITHOUT_EXAMPLE = {"PETRI_CONTROL_CHARACTER", "PETRI_NOT_UTF8", "PETRI_TOO_DEEP", "PETRI_TOO_LARGE", "PETRI_BAD_DATA"}
ELSEWHERE = {"PETRI_UNREADABLE_FILE", "PETRI_NOT_A_PLAN"}
"""Their pages show a command instead of a document."""


def examples(part: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(yaml|json)\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)


def codes(language: str, text: str) -> list[str]:
    try:
        return [p.code for p in load_plan_text(text, f"example.{language}")[1]]
    except InputError as error:
        return [p.code for p in error.problems]


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_page_whose_examples_hold(code: str) -> None:
    text = (ROOT / "docs/codes" / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}\n\n")
    about, _, way_out = text.partition("\n## The way out\n")
    assert way_out.strip()
    shown = examples(about)
    assert bool(shown) != (code in WITHOUT_EXAMPLE | ELSEWHERE)
    for language, example in shown:
        assert set(codes(language, example)) == {code}
    for language, example in examples(way_out):
        assert codes(language, example) == []
