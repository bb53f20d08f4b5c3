"""What a person sees of a net that is no plan: the run by names, warnings apart, an undecided verdict told once."""

from __future__ import annotations

from dataclasses import replace

from petri_cli.api import Analysis, analyze_data
from petri_cli.net.firing import Step
from petri_cli.net.model import Net, Place
from petri_cli.render.look import Look
from petri_cli.render.page import Page
from petri_cli.render.reporters import reporter
from petri_cli.render.steps import draw_steps
from petri_cli.soundness.result import Result, Verdict
from tests.strategies.short_nets import short_net

RACE = b"""\
kind: net
places: [{id: order, tokens: 1}, {id: courier, tokens: 1}, done, lost]
transitions:
  - {id: express, inputs: [order, courier], output: done, priority: 10}
  - {id: standard, inputs: order, output: lost}
properties: ["unreachable:lost"]
"""


def named(net: Net, **names: str) -> Net:
    return replace(net, transitions=tuple(replace(t, name=names.get(t.id, "")) for t in net.transitions))


def rows(net: Net, *run: str, width: int = 80) -> list[str]:
    look = Look(width)
    return [look.paint(line).strip() for line in draw_steps(net, [Step(t) for t in run], look)]


def written(analysis: Analysis) -> list[str]:
    out: list[str] = []
    reporter("text")([analysis], Page(out.append, Look(80)))
    return "".join(out).splitlines()


def test_a_transition_is_called_by_its_name_with_its_id_behind_it() -> None:
    net = named(short_net("t1: i -> a; t2: a -> o", i=1), t1="take\n the order", t2="t2")
    assert rows(net, "t1", "t2") == [
        "at first              i",
        "1  take the order (t1)   a",
        "2  t2                    o",
    ]


def test_a_long_name_leaves_room_for_the_tokens() -> None:
    net = named(short_net("t: i -> o", i=1), t="x" * 200)
    for width in (40, 80, 120):
        first, second = rows(net, "t", width=width)
        assert first.endswith(" i") and second.endswith("…   o")
        assert len(second) <= width


def test_a_place_without_tokens_is_not_told() -> None:
    net = short_net("t: i -> ", i=1)
    assert rows(replace(net, places=(*net.places, Place("p"))), "t")[-1].endswith("no token")


def test_warnings_about_an_unsound_net_stand_apart_from_its_verdict() -> None:
    page = written(analyze_data(RACE, "race.yaml"))
    first = next(k for k, line in enumerate(page) if "PETRI_PRIORITY_IGNORED" in line)
    assert page[first - 2 : first] == ["  More: petri explain PETRI_PROPERTY_VIOLATED", ""]


def test_how_far_an_undecided_search_came_is_told_once() -> None:
    message = "PETRI_UNKNOWN: undecided within 2 states (2 states explored)"
    result = Result(Verdict.UNKNOWN, "budget: 2 states explored", "PETRI_UNKNOWN", message)
    page = written(Analysis("x.yaml", "net", result))
    assert page[:2] == ["? UNKNOWN  x.yaml", f"  {message}"]
    other = replace(result, evidence="interrupted", message="PETRI_INTERRUPTED: interrupted before there was a verdict")
    assert written(Analysis("x.yaml", "net", other))[0] == "? UNKNOWN  x.yaml"
    assert written(Analysis("x.yaml", "net", replace(result, evidence="by search")))[0].endswith("by search")
