"""What a person reads when a plan is wrong: every problem, in order, word for word.

Each file in ``plan_errors`` stands beside its ``.out``, a line a problem. ``PETRI_GOLDEN=write`` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri_cli.errors import InputError, Problem
from petri_cli.plan.load import load_plan_text

FOLDER = Path(__file__).parent / "plan_errors"
FILES = sorted(p for p in FOLDER.iterdir() if p.suffix != ".out")


def problems(file: Path) -> tuple[Problem, ...]:
    try:
        return load_plan_text(file.read_bytes(), file.name)[1]
    except InputError as error:
        return error.problems


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_the_problems_of(file: Path) -> None:
    out = file.with_name(file.name + ".out")
    text = "".join(f"{problem}\n" for problem in problems(file))
    if os.environ.get("PETRI_GOLDEN") == "write":
        out.write_text(text, encoding="utf-8")
    assert text, "a file without problems proves nothing"
    assert text == out.read_text(encoding="utf-8")
