"""The public functions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import petri_cli
from petri_cli import InputError, PetriError, Verdict, analyze, analyze_data, export, load, load_net, load_plan
from petri_cli.net.model import Input, Net, Place, PlaceOut, Property, Timing, Transition
from tests.e2e.petri import SAMPLES
from tests.e2e.plans import NET, WRONG
from tests.strategies.short_nets import short_net


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


@pytest.mark.parametrize(
    "transition",
    [
        Transition("t", (Input("a"),), PlaceOut("zz")),
        Transition("t", (Input("zz"),), PlaceOut("a")),
        Transition("t", (Input("a"), Input("a")), PlaceOut("b")),
    ],
)
def test_a_net_made_by_hand_is_checked_before_it_is_judged(transition: Transition) -> None:
    net = Net("n", (Place("a"), Place("b")), (transition,), initial={"a": 1}, final={"b": 1})
    with pytest.raises(PetriError, match="PETRI_BAD_NET"):
        analyze(net)


@pytest.mark.parametrize("marking", [{"zz": 1}, {"a": 1, "zz": 1}, {"a": -1}])
def test_markings_made_by_hand_are_checked_before_the_net_is_judged(marking: dict[str, int]) -> None:
    net = Net("n", (Place("a"), Place("b")), (Transition("t", (Input("a"),), PlaceOut("b")),))
    for wrong in (replace(net, initial=marking, final={"b": 1}), replace(net, initial={"a": 1}, final=marking)):
        with pytest.raises(PetriError, match="PETRI_BAD_NET"):
            analyze(wrong)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"])
def test_the_lines_of_a_yaml_file_are_those_that_its_reader_counts(end: str) -> None:
    text = end.join(["# one", "# two", "flow:", "  task: {id: a, nme: x}", "# five"])
    analysis = analyze_data(text.encode(), "p.yaml")
    (problem,) = analysis.problems
    assert problem.where.line == 4
    assert analysis.source == ("# one", "# two", "flow:", "  task: {id: a, nme: x}", "# five")


def test_the_lines_of_json_end_at_line_feeds_alone() -> None:
    text = '{"name": "a\u2028b\x85",\r\n"flow": {"task":\n{"id": "a", "nme": "x"}}}'
    for file in ("p.json", "p"):
        analysis = analyze_data(text.encode(), file)
        assert [p.where.line for p in analysis.problems] == [3]
        assert analysis.source[2] == '{"id": "a", "nme": "x"}}}'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_lines_of_xml_are_those_that_its_reader_counts(end: str) -> None:
    text = end.join(["<pnml>", '<net id="\u2028n">', '<place id="a">', "</net>", "</pnml>"])
    analysis = analyze_data(text.encode(), "n.pnml")
    (problem,) = analysis.problems
    assert (problem.where.line, analysis.source[problem.where.line - 1]) == (4, "</net>")


def _passed_over(
    changes: dict[str, dict[str, object]], text: str = "s: i -> a k; high: a k -> o; low: a -> p"
) -> list[str]:
    net = short_net(text, changes, i=1)
    result = analyze(net, properties=[Property("lost", "unreachable", ("p",))])
    return [w.message for w in result.warnings if w.code == "PETRI_PRIORITY_IGNORED"]


def test_a_run_that_passes_over_a_higher_priority_is_warned_about_at_its_step() -> None:
    (message,) = _passed_over({"high": {"priority": 1}})
    assert message.startswith("lost: step 2 fires `low` while `high`, of higher priority, could fire;")
    assert _passed_over({}) == []
    assert _passed_over({"low": {"priority": 1}}) == []
    assert _passed_over({"high": {"priority": 1, "inhibitors": ("k",)}}) == []


def test_a_higher_transition_that_has_to_wait_does_not_go_first() -> None:
    assert _passed_over({"high": {"priority": 1, "timing": Timing("delayed", 5.0)}}) == []
    assert len(_passed_over({"high": {"priority": 1, "timing": Timing("deadline", 0.0, 5.0)}})) == 1


def test_a_pump_that_passes_over_a_higher_priority_is_warned_about() -> None:
    text = "start: i -> p; grow: p -> p q; rest: p -> p; leave: p 2000*q -> o"
    net = short_net(text, {"rest": {"priority": 3}}, i=1)
    result = analyze(net)
    assert result.counterexample is not None and result.counterexample.pump
    messages = [w.message for w in result.warnings if w.code == "PETRI_PRIORITY_IGNORED"]
    assert messages and all("step 2 fires `grow` while `rest`" in m for m in messages)
