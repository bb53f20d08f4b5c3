"""Linear evidence on the families: ``python -m benchmarks.linear_evidence`` prints a table of CPU times.

Times leave out reading. «D» is the proof that nothing gets stuck, checked, or the run to a deadlock.
"""

from __future__ import annotations

import time

from benchmarks.families import nets
from benchmarks.table import arguments, machine, print_table
from petri_cli.net.compiled import compile_net
from petri_cli.soundness.linear.data import refutation_to_data
from petri_cli.soundness.linear.evidence import linear_evidence, no_deadlock
from petri_cli.soundness.shape import target_of

HEAD = ("net", "places", "actions", "verdict", "ms", "D alone, ms", "leaves")


def main() -> None:
    rows = []
    for net, _ in nets():
        target = target_of(net)
        compiled = compile_net(target.net)
        end = {compiled.index[p]: k for p, k in target.end.items()}
        start = time.process_time()
        found = linear_evidence(compiled, end)
        whole = time.process_time() - start
        start = time.process_time()
        stuck = no_deadlock(compiled, {compiled.index["o"]: 1})
        alone = time.process_time() - start
        leaves = 0
        if stuck.proof is not None:
            leaves = sum("leaf" in node for node in refutation_to_data(stuck.proof)["nodes"])
        verdict = "SOUND" if found.sound else "UNSOUND" if found.unsound else "open"
        sizes = (f"{len(compiled.places):,}", f"{len(compiled.actions):,}")
        rows.append(
            (net.id, *sizes, verdict, f"{whole * 1e3:,.0f}", f"{alone * 1e3:,.0f}", f"{leaves:,}" if leaves else "-")
        )
    print(machine())
    print_table("Linear evidence, no state explored", HEAD, rows)


if __name__ == "__main__":
    arguments(__doc__).parse_args()
    main()
