"""``petri mine`` on logs whose models and figures are known."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from petri_cli.data import read
from tests.e2e.mining_cases import SEQUENCE, table
from tests.e2e.petri import petri
from tests.e2e.test_mining_known_logs import KNOWN, LARGE
from tests.textbook_logs import FULL, L7, L11

FOLDER = os.environ.get("PETRI_TEST_DATA")


def mined(folder: Path, *arguments: str | Path) -> Any:
    """The JSON of a call that ends well, after it was held against its schema."""
    done = petri("mine", *arguments, "--format", "json", cwd=folder)
    assert done.code == 0, done.err
    Draft7Validator(json.loads(read("schemas", "mining"))).validate(done.report)
    return done.report


def exactly(value: float) -> dict[str, float]:
    return {"lower": value, "upper": value}


def plan(folder: Path, text: str = SEQUENCE) -> str:
    (folder / "plan.petri.yaml").write_text(text, encoding="utf-8")
    return "plan.petri.yaml"


def test_alpha_finds_the_net_of_the_textbook_and_the_log_fits_it(tmp_path: Path) -> None:
    found = mined(tmp_path, table(tmp_path / "log.csv", FULL), "--algorithm", "alpha")
    assert (found["cases"], found["events"], len(found["variants"])) == (1_391, 7_539, 21)
    assert (found["model"]["places"], found["model"]["verdict"]) == (7, "SOUND")
    assert found["fit"]["replay"] == {
        "fitness": 1.0, "missing": 0, "consumed": 10_467, "remaining": 0, "produced": 10_467,
    }  # fmt: skip
    assert found["fit"]["fitness"] == exactly(1)
    assert found["columns"] == {"case": "case", "activity": "activity", "timestamp": "timestamp"}


def test_alpha_is_said_to_be_blind_where_it_is_and_its_net_is_refused(tmp_path: Path) -> None:
    found = mined(tmp_path, table(tmp_path / "log.csv", L7), "--algorithm", "alpha")
    assert found["model"]["verdict"] == "UNSOUND"
    assert any("`b` follows itself" in w for w in found["model"]["warnings"])


def test_the_plan_of_the_inductive_miner_passes_the_gate_and_tells_its_log(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", FULL)
    found = mined(tmp_path, log, "-o", "mined.petri.yaml")
    assert (found["model"]["kind"], found["model"]["verdict"]) == ("inductive", "SOUND")
    assert found["fit"]["fitness"] == exactly(1)
    assert (tmp_path / "mined.petri.yaml").read_text(encoding="utf-8") == found["model"]["plan"]
    assert petri("analyze", "mined.petri.yaml", cwd=tmp_path).code == 0
    again = mined(tmp_path, log, "--model", "mined.petri.yaml")
    assert again["fit"]["fitness"] == exactly(1)
    assert again["fit"]["fittingCases"] == exactly(1_391)


def test_an_event_that_the_model_lacks_counts_against_its_case(tmp_path: Path) -> None:
    found = mined(tmp_path, table(tmp_path / "log.csv", "abcd abc"), "--model", plan(tmp_path))["fit"]
    assert found["fittingCases"] == exactly(1)
    assert found["cost"] == exactly(1)
    assert found["unknown"] == {"d": 1}
    assert [(d["activity"], d["extra"], d["known"], d["examples"]) for d in found["deviations"]] == [
        ("d", 1, False, ["c1"])
    ]
    skipping = mined(tmp_path, tmp_path / "log.csv", "--model", plan(tmp_path), "--skip-unknown")["fit"]
    assert skipping["replay"]["fitness"] == 1
    assert skipping["fittingCases"] == exactly(1), "the way of counting changes no alignment"


def test_silent_steps_cost_nothing(tmp_path: Path) -> None:
    looping = SEQUENCE.replace("task: {id: c, run: ls}", "loop: {id: again, body: {task: {id: c, run: ls}}}")
    looping += "    - task: {id: d, run: ls}\n    - task: {id: e, run: ls}\n"
    found = mined(tmp_path, table(tmp_path / "log.csv", "abcde abccde"), "--model", plan(tmp_path, looping))["fit"]
    assert (found["cost"], found["fitness"]) == (exactly(0), exactly(1))


def test_a_rare_activity_that_a_model_leaves_out_makes_its_case_deviate(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abc^99 abxc")
    found = mined(tmp_path, log, "--model", plan(tmp_path))["fit"]
    assert (found["fittingCases"], found["cost"], found["unknown"]) == (exactly(99), exactly(1), {"x": 1})
    text = petri("mine", log, "--model", "plan.petri.yaml", cwd=tmp_path).out
    assert "99 of 100 cases fit" in text
    assert "1 too many, unknown to the model, in 1 of 100 cases: c100" in text


def test_what_was_planned_is_set_against_what_happens(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abc^5 bac^2 acx")
    found = mined(tmp_path, log, "--diff", plan(tmp_path))
    assert (found["model"], found["fit"]) == (None, None)
    difference = found["difference"]
    assert [(f["activity"], f["cases"], f["of"]) for f in difference["missing"]] == [("b", 1, 8)]
    assert [(f["activity"], f["events"], f["examples"]) for f in difference["extra"]] == [("x", 1, ["c8"])]
    assert [(b["first"], b["second"], b["cases"], b["of"], b["examples"]) for b in difference["broken"]] == [
        ("a", "b", 2, 7, ["c6", "c7"])
    ]
    text = petri("mine", log, "--diff", "plan.petri.yaml", cwd=tmp_path).out
    assert "a → b" in text
    assert "broken in 2 of 7 with both: c6 and c7" in text


def test_all_cases_of_a_deviation_are_listed_on_request(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abxc^30")
    few, every = (petri("mine", log, "--model", plan(tmp_path), *more, cwd=tmp_path).out for more in ((), ("--all",)))
    assert "c1, c2, c3, …" in few
    assert "--all lists every case" in few
    assert "c28, c29 and c30" in every
    diff = mined(tmp_path, log, "--diff", "plan.petri.yaml", "--all")["difference"]
    assert len(diff["extra"][0]["examples"]) == 30


def test_each_variant_has_its_cost_its_fitness_and_where_it_parts(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abc^3 axc^2 abbbbbbc")
    fit = mined(tmp_path, log, "--model", plan(tmp_path), "--all")["fit"]
    assert [t["cost"] for t in fit["traces"]] == [exactly(0), exactly(2), exactly(5)]
    assert [t["fitness"]["lower"] for t in fit["traces"]] == pytest.approx([1, 1 - 2 / 6, 1 - 5 / 11])
    kinds = sorted((m["kind"], m["activity"]) for m in fit["traces"][1]["moves"] if m["kind"] != "silent")
    assert kinds == [("log", "x"), ("model", "b"), ("sync", "a"), ("sync", "c")]
    assert mined(tmp_path, log, "--model", "plan.petri.yaml")["fit"]["traces"][1]["moves"] is None
    lines = petri("mine", log, "--model", "plan.petri.yaml", cwd=tmp_path).out.splitlines()
    at = lines.index("  The variants that fit least")
    assert lines[at + 2].split() == ["0.5455", "5", "1", "a", "→", "+b", "×5", "→", "b", "→", "c"]
    assert {"+x", "-b"} <= set(lines[at + 3].split())
    assert not any("The variants that fit least" in x for x in petri("mine", log, cwd=tmp_path).out.splitlines())


def test_a_low_fitness_fails_the_call_where_asked(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abcd abc")
    asked = ("mine", log, "--model", plan(tmp_path), "--fail-under")
    assert petri(*asked, "0.9", cwd=tmp_path).code == 0
    assert petri(*asked, "0.95", cwd=tmp_path).code == 1


def test_rare_variants_are_left_out_on_request_and_a_table_says_what_that_costs(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abc^95 acb^3 cba^2")
    found = mined(tmp_path, log, "--coverage", "95")
    assert found["fit"]["fitness"]["upper"] < 1
    sweep = {row["coverage"]: row for row in found["model"]["sweep"]}
    assert (sweep[100]["fitness"], sweep[95]["variants"]) == (exactly(1), 1)
    assert sweep[95]["precision"] > sweep[100]["precision"]
    assert "--coverage picks" in petri("mine", log, cwd=tmp_path).out


@pytest.mark.parametrize(
    ("name", "begins"),
    [("net.pnml", "<?xml"), ("net.dot", "digraph"), ("net.mmd", "flowchart"), ("net.svg", "<svg"), ("net.json", "{")],
)
def test_a_model_is_written_as_the_ending_says(tmp_path: Path, name: str, begins: str) -> None:
    mined(tmp_path, table(tmp_path / "log.csv", L11), "-o", name)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("name", ["net.pnml", "net.json"])
def test_a_model_that_was_written_as_a_net_is_read_as_the_same_model(tmp_path: Path, name: str) -> None:
    log = table(tmp_path / "log.csv", L11 + " abbc acb")
    looping = SEQUENCE.replace("task: {id: b, run: ls}", "loop: {id: again, body: {task: {id: b, name: c, run: ls}}}")
    plan(tmp_path, looping)
    for asked in ((), ("--model", "plan.petri.yaml")):
        fit = mined(tmp_path, log, *asked, "-o", name)["fit"]
        assert mined(tmp_path, log, "--model", name)["fit"] == fit, "silent transitions stay silent"


def test_what_a_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", L11)
    for more in (("-o", "x.yaml", "--algorithm", "alpha"), ("-o", "x.pnml", "--algorithm", "dfg"), ("-o", "x.txt")):
        done = petri("mine", log, *more, cwd=tmp_path)
        assert (done.code, "PETRI_CANNOT_WRITE" in done.err) == (2, True), more


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-o", "nowhere/net.svg"), "there is no such folder"),
        (("-o", "log.json"), "this would write over an input"),
        (("-o", "net.yaml", "--model", "plan.petri.yaml"), "a plan is what the inductive miner finds"),
        (("-o", "net.svg", "--diff", "plan.petri.yaml"), "with --diff no model is looked for"),
        (("--width", "each=2"), "the plan that --model names"),
        (("--width", "each=2", "--model", "plan.petri.yaml"), "there is no foreach `each`"),
    ],
)
def test_what_cannot_be_done_is_said_before_the_log_is_mined(tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    plan(tmp_path)
    done = petri("mine", table(tmp_path / "log.json", "abc"), *more, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split())


def test_a_directly_follows_graph_has_counts_and_times(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", L11)
    graph = mined(tmp_path, log, "--algorithm", "dfg", "-o", "graph.dot")["graph"]
    assert {(e["from"], e["to"]): (e["count"], e["seconds"]) for e in graph["edges"]} == {
        ("a", "b"): (20, 60), ("b", "c"): (20, 60), ("a", "c"): (30, 60),
    }  # fmt: skip
    assert (graph["starts"], graph["ends"]) == ({"a": 50}, {"c": 50})
    assert '"a\\n50"' in (tmp_path / "graph.dot").read_text(encoding="utf-8")
    assert [(a["activity"], a["count"], a["known"]) for a in graph["activities"]] == [
        ("a", 50, 0), ("b", 20, 0), ("c", 50, 0),
    ]  # fmt: skip
    assert {(e["mean"], e["least"], e["most"]) for e in graph["edges"]} == {(60, 60, 60)}
    for name, begins in (("graph.svg", "<svg"), ("graph.mmd", "flowchart")):
        assert petri("mine", log, "--algorithm", "dfg", "-o", name, cwd=tmp_path).code == 0
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert (text.startswith(begins), "60.0s, mean 60.0s" in text) == (True, True)


def test_bad_events_are_told_one_by_one_and_counted_and_strict_refuses_them(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abc^9")
    log.write_text(log.read_text(encoding="utf-8") + ",a,2026-01-01T08:00:00Z\n" * 8, encoding="utf-8")
    done = petri("mine", log, cwd=tmp_path)
    assert done.code == 0
    assert "log.csv:29" in done.err
    assert "8 events left out" in done.out
    assert petri("mine", log, "--strict", cwd=tmp_path).code == 2


def test_a_chart_shows_when_it_happened(tmp_path: Path) -> None:
    few = petri("mine", table(tmp_path / "few.csv", "abc ab"), "--chart", cwd=tmp_path).out
    assert "When it happened" in few
    assert "c1  ●" in few
    many = petri("mine", table(tmp_path / "many.csv", "abc^50"), "--chart", cwd=tmp_path).out
    assert any("\u2800" < c <= "\u28ff" for c in many)
    plain = petri("mine", tmp_path / "many.csv", "--chart", cwd=tmp_path, env={"LC_ALL": "C"}).out
    assert plain.isascii()


def test_the_json_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", FULL)
    plan(tmp_path)
    for more in ((), ("--algorithm", "alpha"), ("--algorithm", "dfg"), ("--diff", "plan.petri.yaml")):
        asked = ("mine", log, "--format", "json", *more)
        told = {petri(*asked, cwd=tmp_path, env={"PYTHONHASHSEED": str(seed)}).out for seed in range(3)}
        assert len(told) == 1, more


def test_a_session_is_mined_by_alpha(tmp_path: Path) -> None:
    plan(tmp_path)
    assert petri("run", "plan.petri.yaml", cwd=tmp_path).code == 0
    found = mined(tmp_path)
    assert (found["log"], found["model"]["kind"], found["model"]["verdict"]) == ("planned", "alpha", "SOUND")
    assert found["variants"] == [{"trace": ["a", "b", "c"], "cases": 1}]
    assert mined(tmp_path, "planned", "--model", "plan.petri.yaml")["fit"]["fitness"] == exactly(1)


def test_a_log_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    done = petri("mine", "nowhere.csv", cwd=tmp_path)
    assert (done.code, "PETRI_UNREADABLE_FILE" in done.err) == (2, True)


def test_options_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abc")
    for more in (("--model", "x.pnml", "--algorithm", "alpha"), ("--algorithm", "dfg", "--fail-under", "1")):
        assert petri("mine", log, *more, cwd=tmp_path).code == 2


def test_repetitions_are_told_as_retries_with_their_counts(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "b^12 bb^5 bbb^2 bbbbb")
    (advice,) = mined(tmp_path, log)["retries"]
    assert (advice["activity"], advice["suggested"], advice["covered"], advice["of"]) == ("b", 3, 19, 20)
    assert (advice["needed"], advice["untold"]) == ({"1": 12, "2": 5, "3": 2, "5": 1}, True)
    assert "3 attempts cover 19 of 20 (95 %)" in petri("mine", log, cwd=tmp_path).out


ENDLESS = """\
kind: net
id: endless
places: [{id: p, tokens: 1}, {id: q}, {id: end}]
transitions:
  - {id: a, inputs: p, output: [p, q]}
  - {id: b, inputs: [p, q], output: p}
  - {id: c, inputs: end, output: end}
final: {end: 1}
"""


def test_a_net_without_a_complete_run_ends_the_search_at_its_deadline(tmp_path: Path) -> None:
    (tmp_path / "endless.yaml").write_text(ENDLESS, encoding="utf-8")
    log = table(tmp_path / "log.csv", "aab^3 c")
    fit = mined(tmp_path, log, "--model", "endless.yaml", "--timeout", "0")["fit"]
    assert (fit["fitness"], fit["cost"]) == ({"lower": 0, "upper": 1}, {"lower": 0, "upper": None})
    assert (fit["replay"], fit["precision"]) == (None, None)
    text = petri("mine", log, "--model", "endless.yaml", "--timeout", "0", cwd=tmp_path).out
    assert "not known in time: exact fitness, token replay and precision" in " ".join(text.split())
    assert (
        petri("mine", log, "--model", "endless.yaml", "--timeout", "0", "--fail-under", "0.1", cwd=tmp_path).code == 1
    )


def test_a_net_that_gets_stuck_is_an_error_and_no_fitness(tmp_path: Path) -> None:
    stuck = ENDLESS.replace("inputs: p, output: [p, q]", "inputs: p, output: q")
    (tmp_path / "stuck.yaml").write_text(stuck, encoding="utf-8")
    done = petri("mine", table(tmp_path / "log.csv", "ab"), "--model", "stuck.yaml", cwd=tmp_path)
    assert (done.code, "PETRI_NO_COMPLETE_RUN" in done.err) == (2, True)


def test_without_time_the_coverage_that_was_asked_for_is_mined_and_the_others_are_not(tmp_path: Path) -> None:
    log = table(tmp_path / "log.csv", "abc^95 acb^3 cba^2")
    model = mined(tmp_path, log, "--coverage", "95", "--timeout", "0")["model"]
    assert [row["coverage"] for row in model["sweep"]] == [95, 90, 80], "of the same variants"
    assert model["warnings"] == ["no time was left to mine 100 % of the cases (--timeout gives more)"]


def queue(path: Path, units: int = 2) -> Path:
    """Cases that are registered at once, and wait for one of so many desks."""
    lines = ["case,activity,start,end"]
    for k in range(30):
        begin = 10 * (k // units)
        lines += [f"c{k:02},register,2026-01-01T08:00:00Z,2026-01-01T08:00:{k % 10:02}Z"]
        lines += [
            f"c{k:02},check,2026-01-01T{9 + begin // 60:02}:{begin % 60:02}:00Z,"
            f"2026-01-01T{9 + (begin + 10) // 60:02}:{(begin + 10) % 60:02}:00Z"
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_mined_plan_holds_the_capacities_that_the_log_shows_and_passes_the_gate(tmp_path: Path) -> None:
    log = queue(tmp_path / "log.csv")
    found = mined(tmp_path, log, "-o", "mined.petri.yaml")
    assert [(g["name"], g["capacity"]) for g in found["guards"]] == [("check", 2)]
    assert found["model"]["guarded"]["verdict"] == "SOUND"
    assert found["model"]["guarded"]["guards"] == 1
    text = (tmp_path / "mined.petri.yaml").read_text(encoding="utf-8")
    (resource,) = [line for line in text.splitlines() if "capacity" in line]
    assert "{id: check_2, capacity: 2}  # never more than 2 of 30 events at once" in resource
    assert "resource: check_2" in text
    assert petri("analyze", "mined.petri.yaml", cwd=tmp_path).code == 0
    again = mined(tmp_path, log, "--model", "mined.petri.yaml")["fit"]
    assert again["fitness"] == exactly(1)
    assert "as a plan with 1 guard" in petri("mine", log, cwd=tmp_path).out


def test_the_guards_are_left_out_of_the_plan_on_request(tmp_path: Path) -> None:
    found = mined(tmp_path, queue(tmp_path / "log.csv"), "-o", "mined.petri.yaml", "--no-guards")
    assert (len(found["guards"]), found["model"]["guarded"]) == (1, None)
    assert "resource" not in (tmp_path / "mined.petri.yaml").read_text(encoding="utf-8")


def test_an_attribute_that_is_only_called_outcome_is_none_where_it_holds_no_success(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("case,activity,outcome\n1,a,red\n1,a,blue\n", encoding="utf-8")
    found = mined(tmp_path, "log.csv")
    assert (found["outcomes"], found["retries"][0]["untold"]) == ([], True)
    assert mined(tmp_path, "log.csv", "--success", "blue")["retries"][0]["untold"] is False


GOES = "case,activity,verdict\n" + "".join(
    f"c{k},{name},{went}\n"
    for k, words in enumerate(("G", "G", "bG", "bbG", "bb"))
    for name, went in [("build", {"G": "Good", "b": "bad"}[w]) for w in words]
)


def test_a_column_that_is_named_tells_retries_from_repetitions(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(GOES, encoding="utf-8")
    assert mined(tmp_path, "log.csv")["outcomes"] == []
    found = mined(tmp_path, "log.csv", "--outcome", "verdict", "--success", "fine, good")
    assert found["columns"]["outcome"] == "verdict"
    assert found["outcomes"] == [
        {"outcome": "bad", "events": 5, "success": False}, {"outcome": "Good", "events": 4, "success": True},
    ]  # fmt: skip
    (advice,) = found["retries"]
    assert (advice["needed"], advice["censored"], advice["untold"]) == ({"1": 2, "2": 1, "3": 1}, {"2": 1}, False)
    text = petri("mine", "log.csv", "--outcome", "verdict", "--success", "good", cwd=tmp_path).out
    assert "1 more never succeeded (within 2 at most) and are not counted" in text


def test_where_no_outcome_counts_as_a_success_nothing_is_said_of_retries(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(GOES, encoding="utf-8")
    assert mined(tmp_path, "log.csv", "--outcome", "verdict")["retries"] == []
    text = petri("mine", "log.csv", "--outcome", "verdict", cwd=tmp_path).out
    assert "None of these counts as a success" in text


def test_in_xes_columns_are_keys_of_attributes(tmp_path: Path) -> None:
    event = '<event><string key="what" value="{}"/><string key="went" value="{}"/></event>'
    rows = "".join(event.format(a, went) for a, went in (("a", "no"), ("a", "ok"), ("b", "ok")))
    (tmp_path / "log.xes").write_text(f'<log><trace><string key="id" value="7"/>{rows}</trace></log>', encoding="utf-8")
    found = mined(tmp_path, "log.xes", "--case", "id", "--activity", "what", "--outcome", "went", "--algorithm", "dfg")
    assert found["variants"] == [{"trace": ["a", "a", "b"], "cases": 1}]
    assert [r["needed"] for r in found["retries"]] == [{"2": 1}]
    done = petri("mine", "log.xes", "--activity", "what", "--outcome", "how", cwd=tmp_path)
    assert (done.code, "no event has an attribute `how` for the outcome" in done.err) == (2, True)


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="PETRI_TEST_DATA names no folder with logs")
def test_capacities_of_a_log_from_real_life_are_found(tmp_path: Path) -> None:
    found = mined(tmp_path, Path(FOLDER or "") / "logs" / "02_teleclaims.xes.gz", "--lifecycle", "pairs")
    assert {g["capacity"] for g in found["guards"]} == {40, 100}
    assert len(found["guards"]) == 3


COSTS = {
    "02_teleclaims": (6_416, 0.879615),
    "03_repairExample": (108, 0.992960),
    "06_bpic2013_closed": (144, 0.987626),
    "07_bpic2013_incidents": (725, 0.994114),
    "08_receipt": (2_465, 0.815495),
    "helpdesk": (751, 0.978753),
    "Road_Traffic_Fine_Management_Process": (2_450, 0.998241),
    "Sepsis_Cases-Event_Log": (467, 0.934032),
}
"""Of nets that were mined with a noise filter: total cost and average fitness."""


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="PETRI_TEST_DATA names no folder with logs")
@pytest.mark.parametrize("noise", ["imf", "im"])
@pytest.mark.parametrize("name", COSTS)
def test_known_costs_of_logs_from_real_life(tmp_path: Path, name: str, noise: str) -> None:
    cost, fitness = COSTS[name] if noise == "imf" else (0, 1)
    logs = Path(FOLDER or "") / "logs"
    net = logs / "nets" / f"{'sepsis' if 'Sepsis' in name else name}.{noise}.pnml"
    found = mined(tmp_path, logs / f"{name}.xes.gz", "--model", net)["fit"]
    assert found["cost"] == exactly(cost)
    assert found["fitness"]["lower"] == pytest.approx(fitness, abs=5e-7)
    assert (found["fitness"] == exactly(1)) == (cost == 0)


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="PETRI_TEST_DATA names no folder with logs")
@pytest.mark.parametrize("name", KNOWN | LARGE)
def test_known_sizes_of_logs_from_real_life(tmp_path: Path, name: str) -> None:
    found = mined(tmp_path, Path(FOLDER or "") / "logs" / name, "--algorithm", "dfg")
    sizes = (found["cases"], found["events"], len(found["activities"]), len(found["variants"]))
    assert sizes == (KNOWN | LARGE)[name]
    assert found["dropped"] == {}


def test_a_log_without_a_case_is_told_and_no_model_is_made_up(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("case,activity\n", encoding="utf-8")
    found = mined(tmp_path, "empty.csv")
    assert (found["cases"], found["model"], found["fit"]) == (0, None, None)
    assert "There is no case in this log." in petri("mine", "empty.csv", cwd=tmp_path).out
