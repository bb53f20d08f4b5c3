"""What reading, discovery and conformance cost, in one process: ``python -m benchmarks.mining_stages LOG NET STAGE …``.

Stages: inductive, replay, align, moves (align, and write down every alignment), precision, alpha. ``--plain`` reads
without Polars, ``--fast`` with it, whatever the size. One line of JSON a stage: seconds (wall, CPU), peak of memory
(MB), and the result. The scripts under ``benchmarks/peers`` do the same with other tools.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import arguments
from petri_cli.formats import scanned_log as _scanned  # noqa: F401 (else loading it would be part of reading)
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.formats.pnml_labelled import read_labelled_pnml
from petri_cli.mining.alignments import align
from petri_cli.mining.alpha import alpha
from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.precision import precision
from petri_cli.mining.token_replay import token_replay
from petri_cli.mining.tree_net import tree_net


def _model(path: str) -> LabelledNet:
    """The net in a file; of ``-`` none is needed."""
    return read_labelled_pnml(Path(path).read_bytes(), path)[0]


def _inductive(log: Log, _: str) -> dict[str, object]:
    return {"transitions": len(tree_net(inductive(log)).net.transitions)}


def _alpha(log: Log, _: str) -> dict[str, object]:
    return {"places": len(alpha(log).model.net.places)}


def _replay(log: Log, model: str) -> dict[str, object]:
    return {"fitting": token_replay(log, _model(model)).fitting_cases()[0]}


def _align(log: Log, model: str) -> dict[str, object]:
    low, high = align(log, _model(model)).cost()
    return {"cost": low, "failed": int(low != high)}


def _moves(log: Log, model: str) -> dict[str, object]:
    aligned = align(log, _model(model))
    return {"cost": aligned.cost()[0], "moves": sum(len(aligned.moves(k) or ()) for k in range(len(log.variants)))}


def _precision(log: Log, model: str) -> dict[str, object]:
    return {"precision": precision(align(log, _model(model))).value}


STAGES: dict[str, Callable[[Log, str], dict[str, object]]] = {
    "inductive": _inductive,
    "alpha": _alpha,
    "replay": _replay,
    "align": _align,
    "moves": _moves,
    "precision": _precision,
}


def main(path: str, model: str, stages: list[str], *, fast: bool | None) -> None:
    options = LogOptions(fast=fast)
    wall, cpu = time.perf_counter(), time.process_time()
    log = read_log(path, options)
    _told("read", wall, cpu, {"events": log.n_events, "cases": log.n_cases, "variants": len(log.variants)})
    for stage in stages:
        wall, cpu = time.perf_counter(), time.process_time()
        _told(stage, wall, cpu, STAGES[stage](log, model))


def _told(stage: str, wall: float, cpu: float, result: dict[str, object]) -> None:
    spent = {"wall": round(time.perf_counter() - wall, 3), "cpu": round(time.process_time() - cpu, 3)}
    print(json.dumps({"stage": stage, **spent, "peak": _peak(), **result}), flush=True)


def _peak() -> int:
    """MB. Where the system tells it of this program alone, without what its parent had when it began."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("log")
    parser.add_argument("net")
    parser.add_argument("stages", nargs="*", metavar="STAGE")
    reading = parser.add_mutually_exclusive_group()
    reading.add_argument("--plain", action="store_const", const=False, dest="fast", default=None)
    reading.add_argument("--fast", action="store_const", const=True, dest="fast", default=None)
    asked = parser.parse_intermixed_args()
    main(asked.log, asked.net, asked.stages, fast=asked.fast)
