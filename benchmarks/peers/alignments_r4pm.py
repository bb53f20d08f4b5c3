"""Exact alignments with r4pm (Rust), for comparison: run by the Python of an environment of its own.

``python -m venv peer``, ``peer/bin/pip install r4pm==0.6.2``,
``peer/bin/python benchmarks/peers/alignments_r4pm.py LOG NET``

Prints one line of JSON: total cost, variants without an answer, seconds to read and to align (wall and CPU time).
"""

from __future__ import annotations

import json
import sys
import time

import r4pm  # type: ignore[import-not-found]
from r4pm import bindings, petri_net


def main(log: str, net: str, max_states: int | None) -> None:
    start = time.perf_counter()
    events = r4pm.import_item("EventLog", log)
    projection = r4pm.convert_item(events, "EventLogActivityProjection")
    model = petri_net.import_pnml(net)
    read = time.perf_counter()
    cpu = time.process_time()
    options = {"max_states": max_states} if max_states else None
    results = bindings.align_variants(model, projection, options)
    end, cpu = time.perf_counter(), time.process_time() - cpu
    cost = failed = 0
    for r in results:
        answer = r["result"]
        found = answer.get("Ok", answer) if isinstance(answer, dict) else {}
        if "cost" in found:
            cost += found["cost"] * r["frequency"]
        else:
            failed += 1
    told = {
        "cost": cost,
        "failed": failed,
        "variants": len(results),
        "read": read - start,
        "wall": end - read,
        "cpu": cpu,
    }
    print(json.dumps({k: round(v, 3) for k, v in told.items()}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
