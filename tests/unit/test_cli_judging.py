"""One input after the other: what a person who presses Ctrl-C still gets to see."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from petri_cli.cli.exit import Exit
from petri_cli.cli.fixing import Fixing
from petri_cli.cli.inputs import Source
from petri_cli.cli.judging import Judging
from petri_cli.soundness import fixes
from petri_cli.soundness.result import Budget, Verdict
from tests.e2e.plans import INVERSION


def interrupted(*args: object, **more: object) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("edits", [False, True])
def test_an_interrupt_while_fixes_are_looked_for_leaves_the_verdict_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], edits: bool
) -> None:
    paths = [tmp_path / "a.petri.yaml", tmp_path / "b.petri.yaml"]
    for path in paths:
        path.write_text(INVERSION, encoding="utf-8")
    monkeypatch.setattr(fixes, "find_fixes", interrupted)
    inputs = [Source(str(p), str(p)) for p in paths]
    fixing = Fixing(fixes.KINDS) if edits else None
    judging = Judging(inputs, (), Budget(), fixes=fixes.KINDS, fixing=fixing)
    [first] = judging
    assert first.result is not None
    assert first.result.verdict is Verdict.UNSOUND
    assert first.fixes is not None
    assert [n.code for n in first.fixes.notes] == ["PETRI_INTERRUPTED"]
    assert judging.exit() is Exit.INTERRUPTED
    assert [p.read_text(encoding="utf-8") for p in paths] == [INVERSION, INVERSION]
    assert capsys.readouterr().err == "petri: interrupted; 1 more not judged\n"
