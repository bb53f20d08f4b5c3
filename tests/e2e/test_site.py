"""The static site: built without a warning, it asks nothing of others; a link that leads nowhere ends the build."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs.site import main, stage
from tests.e2e.petri import ROOT

PARTS = ("docs", "samples", "schemas", "README.md", "CHANGELOG.md", "LICENSE", "mkdocs.yml")


def tree(folder: Path) -> Path:
    """A copy of what the site is made of."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, folder / part)
    return folder


class Fetched(HTMLParser):
    """What a browser fetches with a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag in ("script", "img", "iframe") and told.get("src"):
            self.found.append(str(told["src"]))
        if tag == "link" and told.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.found.append(str(told["href"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tree(tmp_path_factory.mktemp("site"))
    assert main(root) == 0
    return root / "build" / "site"


def test_every_page_is_on_the_site(site: Path) -> None:
    pages = {p.relative_to(ROOT / "docs").with_suffix(".html") for p in (ROOT / "docs").rglob("*.md")}
    assert pages <= {p.relative_to(site) for p in site.rglob("*.html")}
    assert "Long plans, safe to run" in (site / "index.html").read_text(encoding="utf-8")


def test_links_of_the_repository_lead_to_pages_and_files_of_the_site(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="plan-language.html"' in start
    assert 'href="docs/' not in start
    copied = re.search(r'href="(files/samples/ci/[^"]+)"', (site / "ci.html").read_text(encoding="utf-8"))
    assert copied and (site / copied[1]).is_file()


def test_no_page_fetches_anything_from_another_host(site: Path) -> None:
    fetched = Fetched()
    for page in site.rglob("*.html"):
        fetched.feed(page.read_text(encoding="utf-8"))
    assert fetched.found
    assert [f for f in fetched.found if re.match(r"(https?:)?//", f)] == []


def test_links_that_lead_nowhere_end_the_build_and_each_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = tree(tmp_path)
    page = root / "docs" / "soundness.md"
    links = ["nowhere.md", "#no-such-heading", "tutorial.md#no-such-heading", "../nowhere.yaml"]
    wrong = "".join(f"\n[a]({link})\n" for link in links)
    page.write_text(page.read_text(encoding="utf-8") + wrong, encoding="utf-8")
    assert main(root) != 0
    told = [line for line in capfd.readouterr().err.splitlines() if line.startswith("WARNING")]
    assert len(told) == len(links)
    assert all(any(link in line for line in told) for link in links)


def test_links_are_led_from_where_a_page_is_to_where_a_file_is(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / "docs" / "codes" / "X.md").write_text(
        "[a](../work.md#b) [c](../../README.md) [d](../../samples/orders.csv) [e](Y.md) [f](https://x.y)\n"
        "```md\n[g](../work.md)\n```\n",
        encoding="utf-8",
    )
    stage(root, tmp_path / "out")
    assert (tmp_path / "out" / "codes" / "X.md").read_text(encoding="utf-8") == (
        "[a](../work.md#b) [c](../index.md) [d](../files/samples/orders.csv.txt) [e](Y.md) [f](https://x.y)\n"
        "```md\n[g](../work.md)\n```\n"
    )
    assert (tmp_path / "out" / "files" / "samples" / "orders.csv.txt").is_file()
