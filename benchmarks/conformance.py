"""Conformance on real logs: ``python -m benchmarks.conformance FOLDER [PEER_PYTHON]``.

FOLDER holds logs (``NAME.xes.gz``) and ``nets/NAME.KIND.pnml``. PEER_PYTHON is the interpreter of an environment in
which r4pm is installed; then each row is also aligned by ``benchmarks/peers/r4pm_stages.py``. Times are CPU
seconds, reading left out, the least of three; what took longer than a minute or was refused is told as such.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import arguments, best_of, machine, print_table
from petri_cli.formats.logs import read_log
from petri_cli.formats.pnml_labelled import read_labelled_pnml
from petri_cli.mining.alignments import align
from petri_cli.mining.deviations import deviations
from petri_cli.mining.log import Log
from petri_cli.mining.precision import precision
from petri_cli.mining.token_replay import token_replay

ALIASES = {"sepsis": "Sepsis_Cases-Event_Log"}
PATIENCE = 60
PEER = Path(__file__).parent / "peers" / "r4pm_stages.py"
HEAD = ["log", "net", "variants", "cost", "fitness", "align", "+ moves", "replay", "precision", "deviations", "r4pm"]


def main(folder: Path, peer: str | None) -> None:
    rows = []
    logs: dict[str, Log] = {}
    for file in sorted((folder / "nets").glob("*.pnml")):
        name, kind = file.stem.rsplit(".", 1)
        path = folder / f"{ALIASES.get(name, name)}.xes.gz"
        if name not in logs:
            logs[name] = read_log(path)
        rows.append([name, kind, *_measured(logs[name], file), _peer(peer, path, file)])
    print(machine())
    print_table("Conformance on real logs, CPU seconds", HEAD, rows)


def _measured(log: Log, file: Path) -> list[str]:
    model = read_labelled_pnml(file.read_bytes(), file.name)[0]
    aligned = align(log, model)
    low, high = aligned.cost()
    cost = f"{low:,}" if low == high else f"{low:,} to {high:,}"

    def all_moves() -> None:
        found = align(log, model)
        for k in range(len(log.variants)):
            found.moves(k)

    return [
        f"{len(log.variants):,}",
        cost,
        f"{aligned.fitness()[0]:.6f}",
        _seconds(lambda: align(log, model)),
        _seconds(all_moves),
        _seconds(lambda: token_replay(log, model)),
        _seconds(lambda: precision(aligned)),
        _seconds(lambda: deviations(aligned)),
    ]


def _seconds(work: Callable[[], object]) -> str:
    return f"{best_of(3, work):.3f}"


def _peer(python: str | None, log: Path, net: Path) -> str:
    if python is None:
        return "-"
    try:
        run = subprocess.run([python, PEER, log, net, "align"], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"> {PATIENCE}"
    if run.returncode:
        return "gave up"
    told = json.loads(run.stdout.splitlines()[-1])
    return f"{told['failed']} failed" if told["failed"] else f"{told['cpu']:.3f}"


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("peer", nargs="?", metavar="PEER_PYTHON")
    asked = parser.parse_args()
    main(asked.folder, asked.peer)
