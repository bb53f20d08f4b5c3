"""What r4pm (Rust) takes for the stages that ``benchmarks/mining_stages.py`` measures of petri, for comparison.

Run by the Python of an environment of its own: ``python -m venv peer``,
``peer/bin/pip install r4pm==0.6.2 polars pyarrow``,
``peer/bin/python benchmarks/peers/r4pm_stages.py LOG NET STAGE …`` with the stage align; it has no inductive miner.
``benchmarks/mining_peers.py`` does it. One line of JSON a stage: seconds (wall, CPU), peak of memory (MB), the result.
"""

from __future__ import annotations

import json
import resource
import sys
import time

import r4pm  # type: ignore[import-not-found]
from r4pm import bindings, petri_net


def read(path: str) -> tuple[str, str]:
    """(the log, its activities alone), as r4pm keeps them."""
    if path.endswith(".csv"):
        import polars

        names = {"case_id": "case:concept:name", "activity": "concept:name", "timestamp": "time:timestamp"}
        table = polars.read_csv(path, try_parse_dates=True, schema_overrides={"case_id": polars.String}).rename(names)
        log = r4pm.import_item_from_df("EventLog", table)
    else:
        log = r4pm.import_item("EventLog", path)
    return log, r4pm.convert_item(log, "EventLogActivityProjection")


def align(projection: str, model: str) -> dict[str, object]:
    results = bindings.align_variants(petri_net.import_pnml(model), projection, None)
    cost = failed = 0
    for r in results:
        answer = r["result"]
        found = answer.get("Ok", answer) if isinstance(answer, dict) else {}
        if "cost" in found:
            cost += found["cost"] * r["frequency"]
        else:
            failed += 1
    return {"cost": cost, "failed": failed, "variants": len(results)}


def main(path: str, model: str, stages: list[str]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    _, projection = read(path)
    told("read", wall, cpu, {})
    for stage in stages:
        if stage == "align":
            wall, cpu = time.perf_counter(), time.process_time()
            told(stage, wall, cpu, align(projection, model))


def told(stage: str, wall: float, cpu: float, result: dict[str, object]) -> None:
    spent = {"wall": round(time.perf_counter() - wall, 3), "cpu": round(time.process_time() - cpu, 3)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"stage": stage, **spent, "peak": peak, **result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
