"""What a run says of itself for machines: every sample's report and events are those of the published schemas."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from petri_cli.api import load_data
from petri_cli.data import read
from petri_cli.driver.nets import net_actions, simulate_net
from petri_cli.driver.report import RunReport, failures_in, report_on_net, report_on_plan
from petri_cli.driver.simulate import Simulation, simulate
from petri_cli.engine import AsyncExecutor, MemoryStore
from petri_cli.engine.events import Event
from petri_cli.engine.json_lines import event_line
from petri_cli.plan.model import Plan
from petri_cli.render.run_report import run_json

SAMPLES = Path(__file__).parents[2] / "samples"
RUNNABLE = sorted(p.relative_to(SAMPLES).as_posix() for e in ("*.petri.yaml", "*.pnml") for p in SAMPLES.rglob(e))
NEVER_ENDS = 300


def checker(name: str) -> jsonschema.Draft7Validator:
    schema = json.loads(read("schemas", name))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


RUN, EVENT = checker("run"), checker("event")


def deadlocked() -> Simulation:
    name = "lock-inversion.petri.yaml"
    subject, _ = load_data((SAMPLES / name).read_bytes(), name)
    assert isinstance(subject, Plan)
    return simulate(subject)


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def checked(report: RunReport, events: list[Event]) -> Any:
    """The report as data, after it and the events were checked."""
    for event in events:
        EVENT.validate(strict(event_line(event)))
    data = strict(run_json(report))
    RUN.validate(data)
    return data


@pytest.mark.slow
@pytest.mark.parametrize("sample", RUNNABLE)
def test_the_report_and_the_events_of_every_sample_are_those_of_the_schemas(sample: str) -> None:
    subject, _ = load_data((SAMPLES / sample).read_bytes(), sample)
    if isinstance(subject, Plan):
        run = simulate(subject, seed=3, max_firings=NEVER_ENDS)
        report, events = report_on_plan(sample, run, 3), list(run.events)
    else:
        store = MemoryStore()
        result = simulate_net(subject, seed=3, max_firings=NEVER_ENDS, store=store)
        report, events = report_on_net(sample, subject, result, failures_in(store.events), seed=3), store.events
    data = checked(report, events)
    assert (data["file"], data["simulated"], data["seed"]) == (sample, True, 3)
    assert {e.type for e in events} >= {"ExecutionStarted", "MarkingSnapshot", "ExecutionCompleted"}


def test_the_report_of_a_deadlock_says_who_waits_for_whom() -> None:
    run = deadlocked()
    data = checked(report_on_plan("lock-inversion", run, 0), list(run.events))
    assert data["outcome"] == "deadlocked"
    assert [(w["who"], w["waitsFor"], [h["resource"] for h in w["holds"]]) for w in data["waits"]] == [
        ("train", "gpu", ["db"]),
        ("export", "db", ["gpu"]),
    ]


def test_the_report_of_a_run_in_real_time_with_failures_and_odd_values() -> None:
    text = b"""\
kind: net
places: [{id: p, tokens: 2}, {id: q, tokens: [{k: 1}]}, r]
transitions:
  - {id: breaks, inputs: p, action: {shell: "exit 3"}}
  - {id: odd, inputs: q, output: r, action: {python: "tests.unit.test_run_reports:odd"}}
"""
    net, _ = load_data(text, "net.petri.yaml")
    assert not isinstance(net, Plan)
    store = MemoryStore()
    executor = AsyncExecutor(net, net_actions(net), store=store)
    executor.drain()
    result = asyncio.run(executor.run())
    data = checked(report_on_net("net.petri.yaml", net, result, failures_in(store.events)), store.events)
    assert (data["outcome"], data["firings"], data["seed"]) == ("failed", 3, None)
    assert [f["message"] for f in data["failures"]] == ["exit status 3"] * 2
    assert [t["value"] for t in data["marking"]["r"]] == ["nan", "{1}"]


def odd(ctx: Any) -> dict[str, Any]:
    """An action: values that JSON does not know."""
    return {"r": [float("nan"), {1}]}


@pytest.mark.parametrize("gone", json.loads(read("schemas", "run"))["required"])
def test_the_schema_misses_each_property_that_is_gone(gone: str) -> None:
    data = strict(run_json(report_on_plan("lock-inversion", deadlocked(), 0)))
    del data[gone]
    assert not RUN.is_valid(data)
