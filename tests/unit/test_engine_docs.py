"""Every example of ``docs/engine.md`` does what the page shows, and the page names everything that is public."""

from __future__ import annotations

import doctest
import runpy
from pathlib import Path

import pytest

from petri_cli import engine

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "engine.md"


def test_the_examples_do_what_the_page_shows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    examples = text.replace("```python\n", "").replace("```\n", "")
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    said: list[str] = []
    runner.run(parser.get_doctest(examples, {}, "engine.md", str(PAGE), 0), out=said.append)
    assert runner.tries > 20
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize(
    "name",
    [
        "AsyncExecutor",
        "JsonlStore",
        "MemoryStore",
        "Scheduler",
        "UndeclaredPlace",
        "VirtualExecutor",
        "blocking",
        "fork",
        "passthrough",
        "produce",
        "read_events",
        "run",
        "transform",
    ],
)
def test_the_page_speaks_of(name: str) -> None:
    assert name in engine.__all__
    assert name in PAGE.read_text(encoding="utf-8")


def test_everything_public_is_there() -> None:
    for name in engine.__all__:
        assert getattr(engine, name) is not None


def test_the_sample_runs_as_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "samples" / "engine" / "stale_detection.py"), run_name="__main__")
    assert capsys.readouterr().out == "latest [2000000]\ncommitted ['quick']\ndiscarded ['slow']\n"
