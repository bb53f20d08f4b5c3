"""What each sample looks like in every format, held against files.

``make golden`` writes the files anew; look at the difference before you commit it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from petri_cli.api import Analysis, analyze_data
from petri_cli.render.look import Look
from petri_cli.render.page import Page
from petri_cli.render.reporters import FORMATS, Format, reporter
from petri_cli.soundness.fixes import KINDS

ROOT = Path(__file__).parents[2]
REPORTS = Path(__file__).parent / "reports"
INPUTS = sorted((ROOT / "samples").glob("*.petri.yaml")) + sorted(REPORTS.glob("*.in.*.yaml"))

LOOKS = {
    "80": Look(80, prose=80),
    "120": Look(110, prose=110),
    "ascii": Look(80, signs=False),
    "colour": Look(80, colour=True, prose=80),
}


def judged(path: Path) -> Analysis:
    """The analysis of a file, without what depends on the clock."""
    analysis = analyze_data(path.read_bytes(), path.name, fixes=KINDS)
    if analysis.result is None:
        return analysis
    stats = {k: v for k, v in analysis.result.stats.items() if k != "seconds"}
    return replace(analysis, result=replace(analysis.result, stats=stats, tried=()))


def written(analyses: list[Analysis], form: Format, look: Look, verbosity: int = 0) -> str:
    """All that a reporter writes, data and complaints in order."""
    out: list[str] = []
    reporter(form)(analyses, Page(out.append, look, verbosity, out.append, look))
    return "".join(out)


def compare(name: str, text: str) -> None:
    path = REPORTS / name
    if os.environ.get("PETRI_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; see the module's docstring"


@pytest.mark.parametrize("path", INPUTS, ids=lambda p: p.name)
def test_text_of_a_file(path: Path) -> None:
    compare(f"{path.name}.txt", written([judged(path)], "text", LOOKS["80"]))


@pytest.mark.parametrize("look", ["120", "ascii", "colour"])
@pytest.mark.parametrize("name", ["lock-inversion", "fan-out"])
def test_text_in_other_looks(name: str, look: str) -> None:
    path = ROOT / "samples" / f"{name}.petri.yaml"
    compare(f"{name}.{look}.txt", written([judged(path)], "text", LOOKS[look]))


def test_verbose_text() -> None:
    path = ROOT / "samples" / "fan-out.petri.yaml"
    compare("fan-out.verbose.txt", written([judged(path)], "text", LOOKS["80"], 1))


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "html"])
def test_all_files_together(form: Format) -> None:
    compare(f"all.{form}", written([judged(path) for path in INPUTS], form, Look()))


def test_a_page_beside_its_style_and_script() -> None:
    page = written([judged(ROOT / "samples" / "lock-inversion.petri.yaml")], "html", Look())
    inside = re.compile("(<style>|<script>).*?(</style>|</script>)", re.DOTALL)
    compare("lock-inversion.html", re.sub("'sha256-[^']*'", "'sha256-…'", inside.sub(r"\1…\2", page)))


def test_no_line_is_wider_than_the_terminal() -> None:
    """What cannot be broken (a path, an id) is short in these files."""
    for path in INPUTS:
        for width in (60, 80, 110):
            text = written([judged(path)], "text", Look(width, prose=width), 1)
            assert [line for line in text.splitlines() if len(line) > width] == [], path.name


@pytest.mark.parametrize("form", FORMATS)
def test_two_runs_give_the_same_bytes_in_every_format(form: Format) -> None:
    once, again = (written([judged(path) for path in INPUTS], form, Look()) for _ in range(2))
    assert once == again


def test_two_runs_give_the_same_json() -> None:
    written_twice: list[str] = []
    for _ in range(2):
        out: list[str] = []
        reporter("json")([judged(path) for path in INPUTS], Page(out.append))
        written_twice.append("".join(out))
    assert written_twice[0] == written_twice[1]
    assert json.loads(written_twice[0])["schema"] == "petri.analysis/1"
