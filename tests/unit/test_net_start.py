"""The marking that a net is meant to start with, and that everything that is done with the net agrees on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petri_cli.api import Analysis, analyze_data, export, load_data
from petri_cli.net.firing import replay
from petri_cli.net.model import Net, Place, Property
from petri_cli.net.start import start_of
from petri_cli.render.json_report import result_data
from petri_cli.render.page import Page
from petri_cli.render.text import report
from petri_cli.soundness.nets import judge_net, place_bounds
from petri_cli.soundness.result import Budget, Verdict
from tests.strategies.short_nets import short_net

CASE = "a: i -> p; b: p -> o"
ASSUMED = "the net starts with one token on 'i'"
PNML = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n"
type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g"><place id="i">{start}</place><transition id="t"/>
<place id="o"/><arc id="x" source="i" target="t"/><arc id="y" source="t" target="o"/></page>{final}</net></pnml>"""
ZERO = "<initialMarking><text>0</text></initialMarking>"
FINAL = '<finalmarkings><marking><place idref="o"><text>1</text></place></marking></finalmarkings>'


def test_a_workflow_net_without_any_marking_starts_with_one_token_on_its_source() -> None:
    start = start_of(short_net(CASE))
    assert (start.net.initial, start.source) == ({"i": 1}, "i")
    assert start.assumptions == (ASSUMED,)
    assert [w.code for w in start.warnings] == ["PETRI_START_ASSUMED"]
    assert start_of(start.net).net is start.net


@pytest.mark.parametrize(
    "net",
    [
        replace(short_net(CASE), final={"o": 1}),
        replace(short_net(CASE), final={}),
        replace(short_net(CASE), final={"i": 0}),
        short_net(CASE, p=1),
        short_net("a: i r -> p; b: p -> o r", r=1),
        short_net("a: i -> o; b: j -> o"),
        short_net("a: i -> o; b: i -> e"),
        short_net("a: p -> q; b: q -> p"),
        replace(short_net("a: p -> q; b: q -> p"), places=(Place("p"), Place("q"), Place("alone"))),
        replace(short_net(CASE), places=(Place("i", environment=True), Place("p"), Place("o"))),
        Net("empty", (), ()),
    ],
)
def test_whatever_else_is_written_is_the_marking(net: Net) -> None:
    start = start_of(net)
    assert start.net is net
    assert start.assumptions == start.warnings == ()


def test_a_net_with_a_final_marking_and_no_token_is_stuck_at_the_start() -> None:
    result = judge_net(replace(short_net(CASE), final={"o": 1}))
    assert result.verdict is Verdict.UNSOUND
    assert result.assumptions == ()
    cx = result.counterexample
    assert cx is not None and (cx.run, dict(cx.marking)) == ((), {})
    assert cx.sentence == "at the start nothing can move: no place holds a token, where the end is o"


def test_an_empty_net_that_is_to_end_empty_has_dead_transitions_only() -> None:
    result = judge_net(replace(short_net(CASE), final={}))
    assert [(c.name, c.holds) for c in result.conditions] == [
        ("optionToComplete", True),
        ("properCompletion", True),
        ("noDeadTransitions", False),
    ]


@pytest.mark.parametrize(
    ("text", "d_is_inhibited_by", "budget", "verdict"),
    [
        (CASE, (), Budget(), Verdict.SOUND),
        ("a: i -> p q; d: p q -> o; c: p -> o", (), Budget(), Verdict.UNSOUND),
        ("a: i -> p; b: p -> q; c: q -> p; d: p -> o", ("q",), Budget(max_states=1), Verdict.UNKNOWN),
    ],
)
def test_every_verdict_says_what_was_assumed(
    text: str, d_is_inhibited_by: tuple[str, ...], budget: Budget, verdict: Verdict
) -> None:
    special = {"d": {"inhibitors": d_is_inhibited_by}} if d_is_inhibited_by else {}
    result = judge_net(short_net(text, special), budget)
    assert result.verdict is verdict
    assert result.assumptions[0] == ASSUMED
    assert result.warnings[0].code == "PETRI_START_ASSUMED"
    analysis = Analysis("n.pnml", "net", result)
    data = result_data(analysis)
    assert data["assumptions"][0] == ASSUMED
    assert data["warnings"][0]["where"]["file"] == "n.pnml"
    said: list[str] = []
    report([analysis], Page(said.append))
    assert f"{verdict.value} assumes: {ASSUMED}" in "".join(said)
    assert "PETRI_START_ASSUMED" in "".join(said)


def test_properties_bounds_and_runs_start_from_the_same_marking() -> None:
    net = short_net(CASE)
    result = judge_net(net, properties=[Property("never", "placeBound", ("o",), 0, 0)])
    cx = result.counterexample
    assert result.verdict is Verdict.UNSOUND and result.assumptions == (ASSUMED,)
    assert cx is not None and replay(start_of(net).net, cx.run)[-1] == {"o": 1}
    assert place_bounds(net) == {"i": 1, "p": 1, "o": 1}
    empty = judge_net(replace(net, final={"o": 1}), properties=[Property("never", "placeBound", ("o",), 0, 0)])
    assert empty.verdict is Verdict.SOUND


def test_an_export_has_the_token_so_that_a_run_replays_on_it() -> None:
    net = short_net("a: i -> p q; b: p q -> o; c: p -> o")
    again, _ = load_data(export(net, "json").encode(), "again.petri.json")
    assert isinstance(again, Net) and again.initial == {"i": 1}
    first, second = judge_net(net), judge_net(again)
    assert first.counterexample is not None and second.counterexample is not None
    assert replay(again, first.counterexample.run)[-1] == first.counterexample.marking
    assert second.assumptions == ()
    stays, _ = load_data(export(replace(net, final={"o": 1}), "pnml").encode(), "again.pnml")
    assert isinstance(stays, Net) and not any(stays.initial.values())


@pytest.mark.parametrize(
    ("start", "final", "verdict"), [("", "", "SOUND"), (ZERO, "", "SOUND"), ("", FINAL, "UNSOUND")]
)
def test_pnml_of_process_tools_is_taken_as_it_is_meant(start: str, final: str, verdict: str) -> None:
    found = analyze_data(PNML.format(start=start, final=final).encode(), "n.pnml")
    assert found.result is not None and found.result.verdict.value == verdict
    assert ([w.code for w in found.warnings] == ["PETRI_START_ASSUMED"]) == (not final)
