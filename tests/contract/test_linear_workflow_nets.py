"""Linear evidence on workflow nets that nobody here wrote: every sound one proved, nearly every unsound one refuted."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from petri_cli.formats.pnml import read_pnml
from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.start import start_of
from petri_cli.soundness.linear.evidence import linear_evidence
from petri_cli.soundness.shape import target_of

_DATA = os.environ.get("PETRI_TEST_DATA")
pytestmark = pytest.mark.skipif(_DATA is None, reason="PETRI_TEST_DATA is not set: the workflow nets are not at hand")
WORKFLOW = Path(_DATA or ".") / "nets" / "workflow"


def verdict(path: Path) -> str:
    """By linear evidence alone; runs are replayed."""
    target = target_of(start_of(read_pnml(path.read_bytes(), path.name)[0]).net)
    compiled = compile_net(target.net)
    end = {compiled.index[p]: k for p, k in target.end.items()}
    found = linear_evidence(compiled, end, [compiled.index[r] for r in target.resources])
    for run in filter(None, (found.deadlock, found.improper)):
        marking = replay(target.net, [compiled.actions[a].step for a in run])[-1]
        assert marking != target.final
        assert is_dead(target.net, marking) or target.is_end(marking)
    return "SOUND" if found.sound else "UNSOUND" if found.unsound else "open"


@pytest.mark.slow
def test_published_workflow_nets() -> None:
    expected = json.loads((WORKFLOW / "ibm" / "expected.json").read_text(encoding="utf-8"))
    counts = Counter((entry["verdict"], verdict(WORKFLOW / "ibm" / name)) for name, entry in expected.items())
    assert counts["SOUND", "SOUND"] == sum(entry["verdict"] == "SOUND" for entry in expected.values())
    assert counts["SOUND", "UNSOUND"] == counts["UNSOUND", "SOUND"] == 0
    assert counts["UNSOUND", "open"] <= 1


@pytest.mark.parametrize("name", sorted(p.stem for p in (WORKFLOW / "scalable").glob("*.pnml") if p.stem != "phil-10"))
def test_families_with_counted_resources(name: str) -> None:
    assert verdict(WORKFLOW / "scalable" / f"{name}.pnml") == (
        "SOUND" if "safe" in name or "chains-" in name else "UNSOUND"
    )
