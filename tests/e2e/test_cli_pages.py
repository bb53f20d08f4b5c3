"""Pages of sessions and plans, as the commands write them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.petri import SAMPLES, petri

RETRY = """\
name: retry
resources: [{id: slots, capacity: 1}]
flow:
  seq:
    - guard: {resource: slots, body: {task: {id: build, maxAttempts: 2, run: "test -e once || { touch once; false; }"}}}
    - task: {id: ship, run: "true"}
"""


class _Loads(HTMLParser):
    """Everything in a page that a browser would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]


def data_of(page: str) -> Any:
    """What the script of a page reads; nothing in it may be fetched."""
    loads = _Loads()
    loads.feed(page)
    assert loads.found == []
    assert "default-src 'none'" in page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_of_a_session_has_its_attempts_its_resources_and_its_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text(RETRY, encoding="utf-8")
    assert petri("run", "plan.petri.yaml", cwd=tmp_path).code == 0
    done = petri("status", "--format", "html", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    data = data_of(done.out)
    assert (data["session"], data["state"], data["progress"]["done"]) == ("retry", "completed", 2)
    assert [(b["name"], b["attempt"], b["outcome"]) for b in data["bars"]] == [
        ("build", 1, "refused"),
        ("build", 2, "verified"),
        ("ship", 1, "verified"),
    ]
    assert all(b["to"] >= b["from"] >= 0 for b in data["bars"])
    (use,) = data["use"]
    assert [tuple(p[1:]) for p in use["points"]] == [(0, 1), (1, 1), (0, 1)]
    assert {t["label"] for t in data["drawing"]["transitions"] if t["kind"] == "task"} == {"build", "ship"}
    assert any("build is refused" in line for line in data["steps"])
    assert "insights" not in data
    earlier = data_of(petri("status", "--format", "html", "--at", "4", cwd=tmp_path).out)
    assert len(earlier["bars"]) < 3 and earlier["state"] != "completed"
    found = data_of(petri("insights", "--format", "html", cwd=tmp_path).out)
    assert found["insights"]["variants"] == [{"cases": 1, "trace": ["build", "ship"]}]
    assert found["insights"]["conformance"]["cases"] == 1 and found["bars"] == data["bars"]


def test_the_page_of_a_log_that_is_no_sessions_has_its_variants(tmp_path: Path) -> None:
    done = petri(
        "insights",
        SAMPLES / "orders.csv",
        "--candidate",
        SAMPLES / "orders.petri.yaml",
        "--format",
        "html",
        cwd=tmp_path,
    )
    data = data_of(done.out)
    assert sum(v["cases"] for v in data["insights"]["variants"]) == 40
    assert data["drawing"]["blocks"][0]["kind"] == "plan" and "bars" not in data


@pytest.mark.parametrize("option", ["--watch", "--replay"])
def test_a_page_shows_one_moment(tmp_path: Path, option: str) -> None:
    done = petri("status", "--format", "html", option, cwd=tmp_path)
    assert (done.code, done.out) == (2, "") and "a page shows one moment" in done.err


def test_the_page_of_a_plan_can_be_exported_with_the_widths_asked_for(tmp_path: Path) -> None:
    plan = SAMPLES / "migration.petri.yaml"
    assert petri("export", plan, "-o", "net.html", "--width", "each_pkg=3", cwd=tmp_path).code == 0
    data = data_of((tmp_path / "net.html").read_text(encoding="utf-8"))
    assert [b["title"] for b in data["drawing"]["blocks"] if b["kind"] == "item"] == [
        f"each_pkg[{k}]" for k in (1, 2, 3)
    ]
    done = petri("export", plan, "--format", "html", "--width", "each=3", cwd=tmp_path)
    assert (done.code, done.out) == (2, "") and "PETRI_UNKNOWN_FOREACH" in done.err


def test_a_session_is_not_exported_as_a_page_and_the_message_says_how(tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text(RETRY, encoding="utf-8")
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    done = petri("export", "retry", "--format", "html", cwd=tmp_path)
    assert done.code == 2 and "petri status --format html" in done.err
