"""Logs on which tools are known to go wrong, through the command: what it must say of each of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from petri_cli.formats.netfile import write_net
from petri_cli.mining.model import LabelledNet, net_to_write
from tests.e2e.mining_cases import SEQUENCE, table
from tests.e2e.petri import Ended, petri
from tests.golden.test_mining_logs import LOGS
from tests.textbook_logs import CROSSED, FULL, L1, L5, L7, L8, L11
from tests.unit.test_mining_conformance import N1, N2, N3, N4

pytestmark = pytest.mark.slow


def mine(folder: Path, *arguments: str | Path) -> Ended:
    return petri("mine", *arguments, cwd=folder)


def report(folder: Path, *arguments: str | Path) -> Any:
    done = mine(folder, *arguments, "--format", "json")
    assert done.code == 0, done.err
    return done.report


def traces(told: Any) -> dict[str, int]:
    return {" ".join(v["trace"]): v["cases"] for v in told["variants"]}


def arcs(net: Any) -> int:
    def count(side: Any) -> int:
        return 0 if side is None else len(side) if isinstance(side, list) else 1

    return sum(count(t.get("inputs")) + count(t.get("output")) for t in net["transitions"])


@pytest.mark.parametrize(
    ("words", "places", "n_arcs", "inner", "fitness"),
    [
        (L1, 6, 14, {"a → {b, e}", "a → {c, e}", "{b, e} → d", "{c, e} → d"}, 1),
        (CROSSED, 6, 14, {"s → {a, x}", "a → {b, c}", "{a, x} → b", "{b, c} → t"}, 0.941176),
        (L5, 7, 14, {"a → e", "{a, d} → b", "b → {c, f}", "c → d", "e → f"}, 1),
        (L7, 3, 4, {"a → c"}, None),
        (L8, 4, 6, {"a → b", "b → d"}, 0.857143),
        (L11, 5, 8, {"a → b", "a → c", "b → c"}, 0.863636),
        (FULL, 7, 19, {"{a, f} → {b, c}", "{a, f} → d", "{b, c} → e", "d → e", "e → {f, g, h}"}, 1),
    ],
    ids=["L1", "crossed", "L5", "L7", "L8", "L11", "full"],
)
def test_alpha_nets_of_the_textbook(
    tmp_path: Path, words: str, places: int, n_arcs: int, inner: set[str], fitness: float | None
) -> None:
    log = table(tmp_path / "log.csv", words)
    done = mine(tmp_path, log, "--algorithm", "alpha", "--all", "-o", "net.json")
    lines = [line.strip() for line in done.out.splitlines()]
    assert inner == {x for x in lines if " → " in x and "█" not in x and not x[0].isdigit()}  # no variants
    net = petri("export", "net.json", cwd=tmp_path).report
    assert (len(net["places"]), arcs(net)) == (places, n_arcs)
    told = report(tmp_path, log, "--algorithm", "alpha")
    if fitness is not None:
        assert told["fit"]["replay"]["fitness"] == pytest.approx(fitness, abs=5e-7)
    assert (told["model"]["verdict"] == "SOUND") == (words in (L1, L5, L11, FULL))


@pytest.mark.parametrize(
    ("model", "tokens", "fitness"),
    [
        (N1, (0, 10_467, 0, 10_467), 1.0),
        (N2, (443, 8_930, 443, 8_930), 0.9504),
        (N3, (1_183, 9_294, 1_037, 9_148), 0.8797),
        (N4, (0, 8_930, 0, 8_930), 1.0),
    ],
    ids=["N1", "N2", "N3", "N4"],
)
def test_published_replays_of_the_full_log(
    tmp_path: Path, model: LabelledNet, tokens: tuple[int, ...], fitness: float
) -> None:
    log = table(tmp_path / "log.csv", FULL)
    (tmp_path / "net.yaml").write_text(write_net(net_to_write(model)), encoding="utf-8")
    told = report(tmp_path, log, "--model", "net.yaml", "--skip-unknown")["fit"]
    assert tuple(told["replay"][key] for key in ("missing", "consumed", "remaining", "produced")) == tokens
    assert round(told["replay"]["fitness"], 4) == fitness
    counting = report(tmp_path, log, "--model", "net.yaml")["fit"]
    assert sum(counting["unknown"].values()) == (1_173 if model is N3 else 0)
    assert (counting["replay"] == told["replay"]) == (model is not N3)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (L7, ["seq", "├ a", "├ b, any number of times", "╰ c"]),
        (L8, ["seq", "├ a", "├ b again after c", "╰ d"]),
        (L11, ["seq", "├ a", "├ maybe b", "╰ c"]),
        (
            "bcej bdj fhgik",
            ["choice", "├ seq", "│ ├ b", "│ ├ choice", "│ │ ├ c → e", "│ │ ╰ d", "│ ╰ j", "╰ f → h → g → i → k"],
        ),
    ],
    ids=["self-loop", "two-loop", "skip", "choice-in-sequence"],
)
def test_trees_of_the_inductive_miner(tmp_path: Path, words: str, lines: list[str]) -> None:
    log = table(tmp_path / "log.csv", words)
    out = [line.strip() for line in mine(tmp_path, log).out.splitlines()]
    at = out.index(lines[0])
    assert out[at : at + len(lines)] == lines
    assert out[at + len(lines)].startswith("✓ SOUND")
    assert report(tmp_path, log)["fit"]["fitness"] == {"lower": 1, "upper": 1}


def test_a_case_called_na_is_a_case_and_what_has_none_is_told_and_counted(tmp_path: Path) -> None:
    done = mine(tmp_path, LOGS / "named-like-nothing.csv")
    assert "6 cases, 12 events" in done.out
    assert "2 events left out: no case" in done.out
    assert ":14:1 PETRI_LOG_EVENT" in done.err
    assert ":15:1 PETRI_LOG_EVENT" in done.err
    assert mine(tmp_path, LOGS / "named-like-nothing.csv", "--strict").code == 2


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("rows-in-any-order.csv", {"A B C": 2}),
        ("equal-timestamps.csv", {"created assigned merged": 2}),
        ("no-timestamps.xes", {"a b": 1, "b a": 1}),
        ("two-traces-of-one-name.xes", {"a b": 2}),
        ("numbers-as-names.csv", {"a b": 1, "a c": 1, "a": 1, "b": 1}),
    ],
)
def test_the_variants_of_logs_that_mislead(tmp_path: Path, name: str, found: dict[str, int]) -> None:
    assert traces(report(tmp_path, LOGS / name)) == found
    graph = mine(tmp_path, LOGS / name, "--algorithm", "dfg")
    assert graph.code == 0
    assert ("the log tells no times" in graph.out) == (name == "no-timestamps.xes")
    assert ("PETRI_LOG_DUPLICATE_CASE" in graph.err) == (name == "two-traces-of-one-name.xes")


def test_encodings_and_dates_that_can_be_read_two_ways_have_to_be_told(tmp_path: Path) -> None:
    head = "case_id;activity;timestamp\n"
    (tmp_path / "bom.csv").write_text(head + "1;prüfen;2026-03-02T08:00:00Z\n", encoding="utf-8-sig")
    (tmp_path / "wide.csv").write_text(head + "1;prüfen;2026-03-02T08:00:00Z\n", encoding="utf-16")
    (tmp_path / "old.csv").write_text(head + "1;prüfen;2026-03-02T08:00:00Z\n", encoding="latin-1")
    (tmp_path / "day.csv").write_text(head + "1;a;01.02.2026 08:00\n1;b;01.03.2025 08:00\n", encoding="utf-8")
    for name in ("bom.csv", "wide.csv"):
        assert traces(report(tmp_path, name)) == {"prüfen": 1}
    done = mine(tmp_path, "old.csv")
    assert (done.code, "old.csv:2:1 PETRI_LOG_ENCODING byte 31 (0xfc)" in done.err) == (2, True)
    assert traces(report(tmp_path, "old.csv", "--encoding", "latin-1")) == {"prüfen": 1}
    done = mine(tmp_path, "day.csv")
    assert (done.code, "--time-format '%d.%m.%Y %H:%M'" in done.err) == (2, True)
    assert traces(report(tmp_path, "day.csv", "--time-format", "%d.%m.%Y %H:%M")) == {"b a": 1}


def test_retries_are_counted_with_what_never_succeeded_apart(tmp_path: Path) -> None:
    runs = [1] * 12 + [2] * 5 + [3] * 2 + [5]
    lines = ["case_id,activity,outcome"]
    for k, attempts in enumerate(runs):
        lines += [f"r{k},build,{'success' if n == attempts else 'failure'}" for n in range(1, attempts + 1)]
    (tmp_path / "log.csv").write_text("\n".join([*lines, "lost,build,failure"]), encoding="utf-8")
    told = report(tmp_path, "log.csv")
    (advice,) = told["retries"]
    assert (advice["suggested"], advice["covered"], advice["of"]) == (3, 19, 20)
    assert advice["censored"] == {"1": 1}
    assert told["columns"]["outcome"] == "outcome"
    assert "3 attempts cover 19 of 20 (95 %); 1 more never succeeded" in mine(tmp_path, "log.csv").out


def test_what_a_filter_hides_counts_against_the_one_case_that_has_it(tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text(SEQUENCE, encoding="utf-8")
    log = table(tmp_path / "log.csv", "abc^99 axbc")
    out = mine(tmp_path, log, "--model", "plan.petri.yaml").out
    assert "99 of 100 cases fit; exact alignments cost 1" in out
    assert "unknown to the model, in 1 of 100 cases: c100" in out
