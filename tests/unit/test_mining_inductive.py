"""The inductive miner: the trees of the textbooks, every fall-through once, and what may not change the outcome."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import log_of
from tests.process_trees import accepts
from tests.textbook_logs import FULL, L1, L5, L7, L8, L11, TEXTBOOK, letters

TREES = {
    L1: "->( 'a', X( +( 'b', 'c' ), 'e' ), 'd' )",
    L7: "->( 'a', X( tau, *( 'b', tau ) ), 'c' )",
    L8: "->( 'a', *( 'b', 'c' ), 'd' )",
    L11: "->( 'a', X( tau, 'b' ), 'c' )",
    L5: "->( 'a', +( *( 'b', ->( 'c', 'd' ) ), 'e' ), 'f' )",
    FULL: "->( 'a', *( ->( +( X( 'b', 'c' ), 'd' ), 'e' ), 'f' ), X( 'g', 'h' ) )",
    "bcej bdj fhgik": "X( ->( 'b', X( ->( 'c', 'e' ), 'd' ), 'j' ), ->( 'f', 'h', 'g', 'i', 'k' ) )",
}


@pytest.mark.parametrize("text", TREES)
def test_the_tree_is_the_one_of_the_textbook(text: str) -> None:
    assert str(inductive(letters(text))) == TREES[text]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", "tau"),
        ("-^3", "tau"),
        ("a", "'a'"),
        ("- a", "X( tau, 'a' )"),
        ("ad abcd", "->( 'a', X( tau, ->( 'b', 'c' ) ), 'd' )"),
        ("ad abd acd abcd", "->( 'a', X( tau, 'b' ), X( tau, 'c' ), 'd' )"),
        ("abc bc c", "->( X( tau, ->( X( tau, 'a' ), 'b' ) ), 'c' )"),
        ("abc ab a", "->( 'a', X( tau, ->( 'b', X( tau, 'c' ) ) ) )"),
        ("a b ab", "->( X( tau, 'a' ), X( tau, 'b' ) )"),
        ("abc acb", "->( 'a', +( 'b', 'c' ) )"),
        # What stands between two of b is never parallel to it (minimum self-distance): a loop around +( a, b ).
        ("ab ba abcba abcab bacab bacba", "*( +( 'a', 'b' ), 'c' )"),
    ],
)
def test_cuts_leave_out_only_what_is_left_out(text: str, tree: str) -> None:
    assert str(inductive(letters(text))) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("abcab cab bca", "+( 'c', *( X( 'a', 'b' ), tau ) )"),
        ("aa a", "*( 'a', tau )"),
        ("abab ab", "*( ->( 'a', 'b' ), tau )"),
        ("abcabd ca dbac abdc", "+( 'c', *( X( 'a', 'd' ), 'b' ) )"),
    ],
)
def test_where_there_is_no_cut_something_fits_all_the_same(text: str, tree: str) -> None:
    log = letters(text)
    found = inductive(log)
    assert all(accepts(found, log.named(v)) for v in log.variants)
    assert str(found) == tree


@pytest.mark.parametrize("text", TREES)
def test_every_trace_fits(text: str) -> None:
    log = letters(text)
    assert all(accepts(inductive(log), log.named(v)) for v in log.variants)


@pytest.mark.parametrize("text", [*TREES, "abcabd ca dbac abdc"])
def test_the_order_of_cases_changes_nothing(text: str) -> None:
    log = letters(text)
    traces = [log.named(v) for v in log.variants]
    expected = inductive(log)
    for seed in range(8):
        Random(seed).shuffle(traces)  # noqa: S311
        assert inductive(log_of(traces)) == expected


@pytest.mark.slow
def test_the_hash_seed_changes_nothing() -> None:
    script = """
from petri_cli.mining.raise_plan import plan_text
from petri_cli.mining.sweep import sweep
import tests.textbook_logs as t
for text in (*t.TEXTBOOK.values(), "abcabd ca dbac abdc"):
    log = t.letters(text)
    print([(row, plan_text(row.tree, log)) for row in sweep(log)])
""".strip()
    said = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (0, 1, 2)
    }
    assert len(said) == 1
    assert said.pop().count(b"\n") == len(TEXTBOOK) + 1


def test_deep_trees_need_no_stack() -> None:
    """Each activity may end the trace: a sequence in a choice in a sequence …"""
    names = [f"a{k:03}" for k in range(120)]
    found = inductive(log_of([names[:k] for k in range(1, 121)]))
    assert str(found).count("->") == 119
    assert str(found).startswith("->( 'a000', X( tau, ->( 'a001', X( tau, ->(")


def _data() -> Path:
    folder = os.environ.get("PETRI_TEST_DATA")
    if not folder:
        pytest.skip("PETRI_TEST_DATA names no folder of logs")
    return Path(folder)


@pytest.mark.parametrize("name", ["helpdesk", "02_teleclaims", "06_bpic2013_closed"])
def test_real_logs_give_the_blocks_that_another_miner_found(name: str) -> None:
    """As nets, that were mined elsewhere: the same activities, and as many steps without one or fewer."""
    from petri_cli.formats.logs import read_log
    from petri_cli.formats.pnml_labelled import read_labelled_pnml
    from petri_cli.mining.tree import Leaf

    data = _data()
    file = data / "logs" / "nets" / f"{name}.im.pnml"
    net, _ = read_labelled_pnml(file.read_bytes(), file.name)
    tree = inductive(read_log(data / "logs" / f"{name}.xes.gz"))
    visible = [n.activity for n in tree.nodes if isinstance(n, Leaf) and n.activity is not None]
    assert sorted(visible) == sorted(net.labels.values())
