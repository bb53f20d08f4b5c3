"""The gate beside other checkers: what is asked of them, and how what they print is read. Stubs stand for the programs;
they print what the real ones print, and say so only when they were asked as the real ones want to be asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.gate_peers import Answer, Answers, differences, its_reach, lola, ours, verifypn
from petri_cli.formats.pnml_write import write_pnml
from tests.strategies.short_nets import short_net

STUCK = "one: i -> a; other: i -> b; join: a b -> o"
FINE = "split: i -> a b; x: a -> c; y: b -> d; join: c d -> o"

LOLA = """#!/bin/sh
for word in "$@"; do
  case "$word" in --json=*) report="${word#--json=}";; --formula=AGEF*) asked=1;; *.lola) net="$word";; esac
done
[ -n "$asked" ] && grep -q '^PLACE p0, p1' "$net" && grep -q '^MARKING p[0-9]* : 1;' "$net" || exit 2
grep -q '^TRANSITION t0 CONSUME p[0-9]* : 1; PRODUCE ' "$net" || exit 2
echo '{"analysis": {"formula": {"type": "CTL"}, "result": RESULT, "stats": {"states": 5}}}' > "$report"
"""
VERIFYPN = """#!/bin/sh
grep -q '<deadlock/>' "$2" && grep -q '<pnml' "$1" || exit 2
echo 'Query index 0 was solved'
echo 'RESULT satisfied.'
"""
ITS = """#!/bin/sh
[ "$1 $3 $4" = "-i -t GAL" ] && grep -q '^main net ;' "$2" && grep -q 'transition t0 \\[p[0-9]* >= 1\\]' "$2" || exit 2
for word in "$@"; do last="$word"; done
case "$last" in *' '*) exit 2;; esac
echo 'Total reachable state count : 6'
echo 'Verifying 1 reachability properties.'
echo "Reachability property $last RESULT"
"""
VERIFYPN_SAYS = {"UNSOUND": "Query is", "no deadlock": "Query is NOT", "UNKNOWN": "Unable to decide if query is"}
PEERS: dict[str, tuple[Callable[[list[Path], int], Answers], str, dict[str, str]]] = {
    "lola": (lola, LOLA, {"UNSOUND": "false", "SOUND": "true", "UNKNOWN": "null"}),
    "verifypn": (verifypn, VERIFYPN, VERIFYPN_SAYS),
    "its-reach": (its_reach, ITS, {"UNSOUND": "is true.", "no deadlock": "does not hold."}),
}


@pytest.fixture
def nets(tmp_path: Path) -> list[Path]:
    files = []
    for name, text in (("fine", FINE), ("stuck", STUCK)):
        file = tmp_path / f"{name}.pnml"
        file.write_text(write_pnml(short_net(text, i=1)), encoding="utf-8")
        files.append(file)
    return files


@pytest.mark.parametrize(("peer", "verdict"), [(peer, verdict) for peer in PEERS for verdict in PEERS[peer][2]])
def test_what_a_peer_prints_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nets: list[Path], peer: str, verdict: str
) -> None:
    ask, script, says = PEERS[peer]
    program = tmp_path / "bin" / peer
    program.parent.mkdir()
    program.write_text(script.replace("RESULT", says[verdict]), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    assert {a.verdict for a in ask(nets, 5).values()} == {verdict}


def test_a_peer_that_fails_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nets: list[Path]) -> None:
    for peer, (ask, _, _) in PEERS.items():
        program = tmp_path / peer
        program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        assert {a.verdict for a in ask(nets, 5).values()} == {"UNKNOWN"}


def test_verdicts_that_contradict_each_other_are_told(nets: list[Path]) -> None:
    fine, stuck = nets
    mine = ours(nets, 5)
    assert [mine[f].verdict for f in nets] == ["SOUND", "UNSOUND"]
    theirs = {fine: Answer("UNSOUND", 0, 0), stuck: Answer("no deadlock", 0, 0)}
    assert differences({"petri": mine, "peer": theirs}) == ["fine.pnml: petri says SOUND, peer says UNSOUND"]
    assert differences({"petri": mine, "peer": mine}) == []
