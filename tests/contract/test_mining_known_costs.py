"""Exact alignments of real logs: costs and fitness that two independent implementations agree on."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from petri_cli.formats.logs import read_log
from petri_cli.formats.pnml_labelled import read_labelled_pnml
from petri_cli.mining.alignments import align
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.token_replay import token_replay
from tests.oracle.alignments import check_moves

_DATA = os.environ.get("PETRI_TEST_DATA")
pytestmark = pytest.mark.skipif(_DATA is None, reason="PETRI_TEST_DATA is not set: the logs are not at hand")

FILTERED = {
    "02_teleclaims": (6_416, 0.879615),
    "03_repairExample": (108, 0.992960),
    "06_bpic2013_closed": (144, 0.987626),
    "07_bpic2013_incidents": (725, 0.994114),
    "08_receipt": (2_465, 0.815495),
    "helpdesk": (751, 0.978753),
    "Road_Traffic_Fine_Management_Process": (2_450, 0.998241),
    "sepsis": (467, 0.934032),
}
"""Nets mined with a noise filter: total cost, mean fitness."""


@cache
def log_called(name: str) -> Log:
    file = {"sepsis": "Sepsis_Cases-Event_Log"}.get(name, name)
    return read_log(Path(_DATA or "") / "logs" / f"{file}.xes.gz")


def net_called(name: str, kind: str) -> LabelledNet:
    file = Path(_DATA or "") / "logs" / "nets" / f"{name}.{kind}.pnml"
    return read_labelled_pnml(file.read_bytes(), file.name)[0]


@pytest.mark.parametrize("name", FILTERED)
def test_costs_and_fitness_of_filtered_nets_are_the_known_ones(name: str) -> None:
    log, model = log_called(name), net_called(name, "imf")
    aligned = align(log, model)
    cost, fitness = FILTERED[name]
    assert aligned.solved.markings is None
    assert aligned.cost() == (cost, cost)
    low, high = aligned.fitness()
    assert low == high
    assert round(low, 6) == fitness
    for k in range(0, len(log.variants), 1 + len(log.variants) // 20):
        assert check_moves(model, log.named(log.variants[k]), aligned.moves(k) or ()) == aligned.upper[k]


@pytest.mark.parametrize("name", FILTERED)
def test_every_log_fits_the_net_that_was_mined_from_it_without_a_filter(name: str) -> None:
    log, model = log_called(name), net_called(name, "im")
    aligned = align(log, model)
    assert aligned.cost() == (0, 0)
    assert aligned.fitness() == (1.0, 1.0)
    replay = token_replay(log, model)
    assert replay.fitness == 1.0
    assert replay.fitting_cases() == (log.n_cases, log.n_cases)


def test_cases_with_an_activity_that_a_filter_dropped_do_not_fit() -> None:
    name = "Road_Traffic_Fine_Management_Process"
    log, model = log_called(name), net_called(name, "imf")
    assert align(log, model).fitting_cases() == (148_986, 148_986)
    assert token_replay(log, model).fitting_cases() == (148_986, 148_986)
    assert token_replay(log, model, skip_unknown=True).fitting_cases() == (149_371, 149_371)
