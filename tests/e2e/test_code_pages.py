"""The calls that pages of ``docs/codes`` show say the code of the page; those of the way out are in order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.console import Command, commands, run
from tests.e2e.petri import ROOT, SAMPLES, petri
from tests.e2e.plans import ring

NOT_RUN = {
    "PETRI_INTERNAL_FAULT": "no input is known to do it",
    "PETRI_INTERRUPTED": "Ctrl-C",
    "PETRI_NET_TOO_LARGE": "takes the memory of five million net elements",
}
MAILBOX = """\
kind: net
places: [{id: mail, tokens: 1}, read]
transitions:
  - {id: read, inputs: mail, resets: read, output: read}
"""


def parts(path: Path) -> tuple[list[Command], list[Command]]:
    """The commands above and below the title of the way out."""
    before, _, after = path.read_text(encoding="utf-8").partition("\n## The way out\n")
    return commands(before), commands(after)


PAGES = {p.stem: parts(p) for p in sorted((ROOT / "docs" / "codes").glob("*.md"))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages take for granted: a plan, some nets, an empty folder."""
    tmp_path = tmp_path_factory.mktemp("pages")
    shutil.copy(SAMPLES / "starter.petri.yaml", tmp_path / "plan.petri.yaml")
    (tmp_path / "mailbox.yaml").write_text(MAILBOX, encoding="utf-8")
    (tmp_path / "large.yaml").write_text(ring(16), encoding="utf-8")
    assert petri("export", "large.yaml", "--format", "pnml", "-o", "large.pnml", cwd=tmp_path).code == 0
    (tmp_path / "empty-folder").mkdir()
    return tmp_path


@pytest.mark.parametrize("code", [c for c, (shown, _) in PAGES.items() if shown and c not in NOT_RUN])
def test_the_call_that_a_page_shows_says_its_code(code: str, folder: Path) -> None:
    for command in PAGES[code][0]:
        ended, written = run(command.text, folder)
        assert ended in (2, 3)
        assert code in written
        assert command.unlike(written) == ""


@pytest.mark.parametrize("code", [c for c, (_, way_out) in PAGES.items() if way_out and c not in NOT_RUN])
def test_the_calls_of_the_way_out_are_in_order(code: str, folder: Path) -> None:
    for command in PAGES[code][1]:
        ended, written = run(command.text, folder)
        assert ended in (0, 1), written


def test_what_is_not_run_is_there() -> None:
    assert set(NOT_RUN) <= set(PAGES)
