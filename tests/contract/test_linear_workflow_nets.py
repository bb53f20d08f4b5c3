"""Linear evidence on workflow nets that nobody here wrote: every sound one proved, nearly every unsound one refuted."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from petri_cli.formats.pnml import read_pnml
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import Property
from petri_cli.net.start import start_of
from petri_cli.soundness.linear.evidence import linear_evidence
from petri_cli.soundness.linear.properties import judge_property
from petri_cli.soundness.shape import target_of
from tests.corpus import read_net
from tests.oracle.soundness import violates

_DATA = os.environ.get("PETRI_TEST_DATA")
pytestmark = pytest.mark.skipif(_DATA is None, reason="PETRI_TEST_DATA is not set: the workflow nets are not at hand")
WORKFLOW = Path(_DATA or ".") / "nets" / "workflow"
CORPUS = Path(_DATA or ".") / "nets" / "corpus"


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
    assert counts["UNSOUND", "open"] == 0


def test_properties_of_the_corpus_agree_with_the_reference_and_half_of_the_unknown_ones_are_proved() -> None:
    counts = Counter[tuple[str, str]]()
    for path in sorted((CORPUS / "nets").glob("*.json")):
        net = read_net(json.loads(path.read_text(encoding="utf-8")))
        told = json.loads((CORPUS / "expected" / path.name).read_text(encoding="utf-8"))
        expected = {entry["property"]: entry["verdict"] for entry in told["results"]}
        compiled = compile_net(net)
        for prop in net.properties:

            def bad(state: tuple[int, ...], compiled: CompiledNet = compiled, prop: Property = prop) -> bool:
                return violates(compiled.net, compiled.marking(state), prop)

            answer = judge_property(compiled, prop, bad)
            mine = "proven" if answer.proofs else "violated" if answer.run is not None else "unknown"
            if answer.run is not None:
                assert violates(net, replay(net, [compiled.actions[a].step for a in answer.run])[-1], prop), path.name
            counts[expected[prop.id], mine] += 1
    assert counts["proven", "violated"] == counts["violated", "proven"] == 0
    assert counts["unknown", "proven"] > counts["unknown", "unknown"]


@pytest.mark.parametrize("name", sorted(p.stem for p in (WORKFLOW / "scalable").glob("*.pnml") if p.stem != "phil-10"))
def test_families_with_counted_resources(name: str) -> None:
    assert verdict(WORKFLOW / "scalable" / f"{name}.pnml") == (
        "SOUND" if "safe" in name or "chains-" in name else "UNSOUND"
    )
