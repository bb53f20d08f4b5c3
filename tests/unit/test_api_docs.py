"""Every example of ``docs/api.md`` does what the page shows, and the page names all that is public."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import petri_cli

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "api.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_examples_do_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = TEXT.replace("```python\n", "").replace("```\n", "")
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    said: list[str] = []
    runner.run(parser.get_doctest(examples, {}, "api.md", str(PAGE), 0), out=said.append)
    assert runner.tries > 30
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("name", [n for n in petri_cli.__all__ if n != "__version__"])
def test_the_page_speaks_of(name: str) -> None:
    assert re.search(rf"`{name}\b", TEXT)


def test_the_codes_that_the_page_names_exist() -> None:
    named = set(re.findall(r"PETRI_[A-Z_]+", TEXT))
    assert named
    assert named <= {p.stem for p in (ROOT / "docs" / "codes").glob("*.md")}


def test_the_readme_leads_there() -> None:
    assert "(docs/api.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
