"""What the pages point at is there: links, headings, files, and the tests that a statement says it is checked by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *(p for p in sorted(ROOT.glob("*.md")))]
PATH = re.compile(r"`((?:tests|petri_cli|docs|schemas|samples|benchmarks)/[\w./*-]+)(?:::(\w+))?`")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def without_code(text: str) -> str:
    """The page without its fenced blocks."""
    return re.sub(r"^(```+).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them: lower case, blanks to hyphens, other signs left out."""
    titles = re.findall(r"^#+ +(.*)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def broken_links(page: Path) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "", without_code(page.read_text(encoding="utf-8")))
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        other = (page.parent / file).resolve() if file else page
        if not other.exists() or (anchor and other.suffix == ".md" and anchor not in anchors(other)):
            found.append(target)
    return found


def missing_files(page: Path) -> list[str]:
    """Paths in code spans that lead nowhere; ``tests/….py::test_…`` names a function of the file."""
    found = []
    for path, function in PATH.findall(page.read_text(encoding="utf-8")):
        files = list(ROOT.glob(path.rstrip("/")))
        defined = any(f"def {function}(" in f.read_text(encoding="utf-8") for f in files if function and f.is_file())
        if not files or (function and not defined):
            found.append(f"{path}::{function}" if function else path)
    return found


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_and_tests_that_a_page_names_exist(page: Path) -> None:
    assert missing_files(page) == []


def test_what_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A title: `x`\n[a](#a-title-x) [b](#no-title) [c](page.md) [d](no.md) [e](page.md#no) [f](https://x.y/z)\n"
        "`[g](no.md)` `docs/theory.md` `docs/no.md` `tests/unit/test_docs_links.py::name`"
        " `tests/unit/test_docs_links.py::no`\n```\n[h](no.md)\n# No title\n```\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["#no-title", "no.md", "page.md#no"]
    assert missing_files(page) == ["docs/no.md", "tests/unit/test_docs_links.py::no"]
