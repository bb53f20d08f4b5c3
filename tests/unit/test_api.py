"""The public functions."""

from __future__ import annotations

from pathlib import Path

import pytest

import petri_cli
from petri_cli import InputError, PetriError, Verdict, analyze, analyze_data, export, load, load_net, load_plan
from tests.e2e.petri import SAMPLES
from tests.e2e.plans import NET, WRONG


def test_every_public_name_can_be_had() -> None:
    for name in petri_cli.__all__:
        assert getattr(petri_cli, name) is not None
    assert set(petri_cli.__all__) <= set(dir(petri_cli))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = petri_cli.no_such_name


def test_a_path_a_plan_and_a_net_can_be_analyzed(tmp_path: Path) -> None:
    path = SAMPLES / "lock-inversion.petri.yaml"
    assert analyze(path).verdict is Verdict.UNSOUND
    assert analyze(str(path)).counterexample == analyze(load_plan(path)).counterexample
    (tmp_path / "n.yaml").write_text(NET, encoding="utf-8")
    net = load_net(tmp_path / "n.yaml")
    assert analyze(net).verdict is Verdict.UNSOUND
    assert analyze(net, properties=["placeBound:left<=1"]).verdict is Verdict.SOUND


def test_what_is_not_there_or_not_right_raises(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(WRONG, encoding="utf-8")
    (tmp_path / "n.yaml").write_text(NET, encoding="utf-8")
    with pytest.raises(PetriError, match="PETRI_UNREADABLE_FILE"):
        load(tmp_path / "missing.yaml")
    with pytest.raises(InputError, match="PETRI_WRONG_TYPE"):
        load(tmp_path / "bad.yaml")
    with pytest.raises(PetriError, match="PETRI_NOT_A_PLAN"):
        load_plan(tmp_path / "n.yaml")
    with pytest.raises(PetriError, match="PETRI_NOT_A_NET"):
        load_net(SAMPLES / "fan-out.petri.yaml")
    with pytest.raises(PetriError, match="PETRI_PROPERTY_OF_A_PLAN"):
        analyze(SAMPLES / "fan-out.petri.yaml", properties=["deadlockFree"])
    with pytest.raises(PetriError, match="PETRI_UNKNOWN_FOREACH"):
        export(load(SAMPLES / "fan-out.petri.yaml"), "json", widths={"x": 1})


def test_what_was_warned_of_is_said_beside_what_is_wrong() -> None:
    pnml = """<pnml><net id="n"><place id="a"/><place id="b"/><transition id="t"/>
    <arc id="x" source="a" target="t"/></net></pnml>"""
    analysis = analyze_data(pnml.encode(), "n.pnml")
    codes = [p.code for p in analysis.problems]
    assert codes == ["PETRI_NOT_WORKFLOW_NET", "PETRI_PNML_LENIENT"]
    assert {p.where.file for p in analysis.problems} == {"n.pnml"}
