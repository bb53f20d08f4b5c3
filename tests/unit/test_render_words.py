"""Steps in the words of a plan."""

from __future__ import annotations

import pytest

from petri_cli.render.phrase import amount, are, listed, many, together
from petri_cli.render.words import Words
from tests.unit.render_cases import net, transition

NET = net(
    "all",
    [
        transition("t.par.1.split", "p.start", "p.a p.b p.c"),
        transition("t.par.1.join", "p.a p.b", "p.x"),
        transition("t.guard.g1.acquire[2]", "p.a r.mem*2 r.cpu", "p.body"),
        transition("t.guard.g1.release[2]", "p.body", "p.done r.mem*2 r.cpu"),
        transition("t.choice.1.2", "p.x", "p.y"),
        transition("t.loop.green.enter", "p.x", "p.y"),
        transition("t.loop.green.again", "p.x", "p.y"),
        transition("t.loop.green.exit", "p.x", "p.y"),
        transition("t.foreach.each.discover", "p.x", "p.i[1] p.i[2]"),
        transition("t.foreach.each.gather", "p.i[1] p.i[2]", "p.y"),
        transition("t.build[1]", "p.x", "p.y"),
    ],
    {"p.start": 1},
    {"p.y": 1},
)


@pytest.mark.parametrize(
    ("tid", "kind", "text"),
    [
        ("t.par.1.split", "split", "3 branches start"),
        ("t.par.1.join", "control", "the branches meet"),
        ("t.guard.g1.acquire[2]", "take", "takes 2 × mem and cpu"),
        ("t.guard.g1.release[2]", "give", "gives back 2 × mem and cpu"),
        ("t.choice.1.2", "control", "branch 2 is chosen"),
        ("t.loop.green.enter", "control", "green begins"),
        ("t.loop.green.again", "control", "green goes round again"),
        ("t.loop.green.exit", "control", "green is left"),
        ("t.foreach.each.discover", "split", "each starts 2 items"),
        ("t.foreach.each.gather", "control", "each is gathered"),
        ("t.build[1]", "task", "build[1] is done"),
        ("t.unheard.of", "net", "t.unheard.of"),
    ],
)
def test_each_kind_of_step_has_words(tid: str, kind: str, text: str) -> None:
    deed = Words(NET, plan=True).deed(tid)
    assert (deed.kind, deed.text) == (kind, text)


def test_a_transition_of_a_net_file_is_called_by_its_name() -> None:
    assert Words(NET, plan=False).deed("t.par.1.split").text == "t.par.1.split"


def test_amounts_numbers_and_lists() -> None:
    assert (amount("A", 1), amount("mem", 2)) == ("A", "2 × mem")
    assert [are(what) for what in ("A", "2 × mem", "A and B")] == ["is", "are", "are"]
    assert (many(1, "file"), many(1200, "file")) == ("1 file", "1,200 files")
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"], "or") == "a, b or c"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert together(["x[1]", "x[2]", "x[3]"]) == "x[1] to x[3]"
    assert together(["x[1]", "x[3]", "x[4]"]) == "x[1], x[3] and x[4]"
    assert together(["x[1]", "y[2]"]) == "x[1] and y[2]"
