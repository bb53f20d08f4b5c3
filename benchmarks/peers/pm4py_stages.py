"""What pm4py takes for the stages that ``benchmarks/mining_stages.py`` measures of petri, for comparison.

Run by the Python of an environment of its own, since pm4py is AGPL and petri never imports it:
``python -m venv peer``, ``peer/bin/pip install pm4py==2.7.23.11``,
``peer/bin/python benchmarks/peers/pm4py_stages.py LOG NET STAGE …`` with the stages inductive, replay, align.
``benchmarks/mining_peers.py`` does it. One line of JSON a stage: seconds (wall, CPU), peak of memory (MB), the result.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable

import pandas as pd  # type: ignore[import-untyped]
import pm4py  # type: ignore[import-not-found]


def read(path: str) -> pd.DataFrame:
    """A table of events with pm4py's own names of columns. Texts stay what they are, ``NA`` too."""
    if not path.endswith(".csv"):
        return pm4py.read_xes(path)
    table = pd.read_csv(path, dtype={"case_id": "string", "activity": "string"}, keep_default_na=False)
    return pm4py.format_dataframe(table, "case_id", "activity", "timestamp")


def inductive(log: pd.DataFrame, _: str) -> dict[str, object]:
    net, _, _ = pm4py.discover_petri_net_inductive(log)
    return {"transitions": len(net.transitions)}


def replay(log: pd.DataFrame, model: str) -> dict[str, object]:
    net, initial, final = pm4py.read_pnml(model)
    cases = pm4py.conformance_diagnostics_token_based_replay(log, net, initial, final)
    return {"fitting": sum(c["trace_is_fit"] for c in cases)}


def align(log: pd.DataFrame, model: str) -> dict[str, object]:
    net, initial, final = pm4py.read_pnml(model)
    cases = pm4py.conformance_diagnostics_alignments(log, net, initial, final)
    return {"cost": sum(c["cost"] // 10_000 for c in cases if c), "failed": sum(not c for c in cases)}


STAGES: dict[str, Callable[[pd.DataFrame, str], dict[str, object]]] = {
    "inductive": inductive,
    "replay": replay,
    "align": align,
}


def main(path: str, model: str, stages: list[str]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    log = read(path)
    told("read", wall, cpu, {"events": len(log)})
    for stage in stages:
        wall, cpu = time.perf_counter(), time.process_time()
        told(stage, wall, cpu, STAGES[stage](log, model))


def told(stage: str, wall: float, cpu: float, result: dict[str, object]) -> None:
    spent = {"wall": round(time.perf_counter() - wall, 3), "cpu": round(time.process_time() - cpu, 3)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"stage": stage, **spent, "peak": peak, **result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
