"""What the README and the pages of ``docs`` show is what happens: commands, plans, and Python.

Commands run one after the other, as a reader would type them, in a folder of their own with a copy of the samples.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from petri_cli.api import analyze_data
from petri_cli.soundness.result import Verdict
from tests.e2e.console import Command, commands, run
from tests.e2e.petri import ROOT, SAMPLES, environment

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
FROM = {page: commands(page.read_text(encoding="utf-8")) for page in PAGES}


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


PLANS = [text for text in fenced("yaml") if "flow:" in text]


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A folder with the samples."""
    shutil.copytree(SAMPLES, tmp_path / "samples")
    return tmp_path


def needed(command: Command) -> set[str]:
    """The programs that a command calls besides ``petri``."""
    stages = re.split(r"\s*(?:\||&&|;)\s*", re.sub(r"'[^']*'", "''", command.text))
    return {stage.split()[0] for stage in stages} - {"petri", "cat", "head", "echo"}


@pytest.mark.parametrize("page", [p for p in PAGES if FROM[p]], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_command_of_a_page_writes_what_the_page_says(page: Path, scratch: Path) -> None:
    unlike = []
    for command in FROM[page]:
        if needed(command):
            continue  # make: run by the gate for changes; others need not be installed
        code, written = run(command.text, scratch)
        if code not in (0, 1, 3, 5):
            unlike.append(f"line {command.line}: $ {command.text}\nends with {code}\n{written}")
        elif difference := command.unlike(written):
            unlike.append(f"line {command.line}: $ {command.text}\n{difference}")
    assert not unlike, "\n\n".join(unlike)


def test_the_readme_shows_commands() -> None:
    assert len([c for c in FROM[README] if c.output and not needed(c)]) >= 3


@pytest.mark.parametrize("text", PLANS)
def test_plans_of_the_readme_are_sound_and_nothing_is_said_against_them(text: str) -> None:
    result = analyze_data(text.encode(), "plan.petri.yaml").result
    assert result is not None
    assert (result.verdict, result.warnings) == (Verdict.SOUND, ())


@pytest.mark.parametrize("text", PLANS)
def test_plans_of_the_readme_really_run(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text(text, encoding="utf-8")
    code, written = run("petri run plan.petri.yaml", tmp_path)
    assert code == 0, written
    assert "✓ completed" in written


def test_the_plan_to_start_from_really_runs(tmp_path: Path) -> None:
    code, written = run("petri init && petri analyze plan.petri.yaml && petri run plan.petri.yaml", tmp_path)
    assert code == 0, written
    assert "✓ SOUND" in written
    assert "✓ completed" in written


@pytest.mark.parametrize("text", fenced("python"))
def test_python_of_the_readme_runs(text: str, scratch: Path) -> None:
    done = subprocess.run([sys.executable, "-c", text], cwd=scratch, capture_output=True, env=environment(), timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def test_make_knows_every_target_that_the_readme_names() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^|\$ )make ([a-z-]+)", TEXT, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_help_lists_the_targets_with_what_they_do() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    told = re.findall(r"^([a-z-]+):.*## (.+)$", makefile, re.MULTILINE)
    done = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert [tuple(line.split(None, 1)) for line in done.stdout.splitlines()] == told
    assert "sed " not in makefile, "its -E and \\t are not the same everywhere"


# The mechanism

PAGE = """\
```console
$ printf 'one\\ntwo\\nthree\\n'
one
…
three
$ printf 'a\\n' >&2; printf 'b \\n'
a
b

$ true
```

```sh
$ not a command
```
"""


def test_commands_are_found_with_their_lines() -> None:
    first, second, third = commands(PAGE)
    assert (first.text, first.output, first.line) == (r"printf 'one\ntwo\nthree\n'", ("one", "…", "three"), 2)
    assert second.output == ("a", "b", "")
    assert third == Command("true", (), 10)


def test_true_output_passes_on_both_streams(tmp_path: Path) -> None:
    for command in commands(PAGE):
        assert command.unlike(run(command.text, tmp_path)[1]) == ""


@pytest.mark.parametrize(
    ("told", "written"),
    [
        (("one",), ""),
        (("one",), "two\n"),
        (("one",), "one\ntwo\n"),
        (("one", "two"), "one\n"),
        (("one", "…"), "zero\none\n"),
        (("…", "three"), "three\nfour\n"),
        (("one", "…", "three"), "three\none\n"),
        (("a.c",), "abc\n"),
        (("", "one"), "one\n"),
    ],
)
def test_a_page_that_lies_is_found_out(told: tuple[str, ...], written: str) -> None:
    assert Command("x", told, 1).unlike(written)


@pytest.mark.parametrize(
    ("told", "written"),
    [(("…",), ""), (("…",), "one\ntwo\n"), (("one", "…"), "one\n"), (("…", "two"), "one\n\ntwo\n"), ((), "anything\n")],
)
def test_an_ellipsis_stands_for_any_lines(told: tuple[str, ...], written: str) -> None:
    assert Command("x", told, 1).unlike(written) == ""


def test_other_programs_are_recognised() -> None:
    assert needed(Command("petri analyze | jq -r '.a | .b' && make demo; petri init", (), 1)) == {"jq", "make"}
