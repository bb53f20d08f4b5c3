"""Workflow nets by reduction: ``PETRI_TEST_DATA=… python -m benchmarks.reductions`` prints tables.

Each published net in-process, reading the file included: CPU time, the least of five runs. Then what is left of the
nets, and of families that grow, when a rule is left out.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.families import chains, lock_pairs, philosophers
from benchmarks.table import arguments, best_of, machine, print_table
from petri_cli.formats.pnml import read_pnml
from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Net
from petri_cli.net.start import start_of
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.reductions.reduce import LATE_RULES, RULES, Rule
from petri_cli.soundness.reductions.reduction import Reduction, reduce_net
from petri_cli.soundness.result import Result
from petri_cli.soundness.shape import target_of

RUNS = 5


@dataclass(frozen=True, slots=True)
class Published:
    """A published net: its file and whether it is known to be sound."""

    data: bytes
    sound: bool

    @property
    def net(self) -> Net:
        return read_pnml(self.data)[0]

    def judge(self) -> Result:
        return judge_net(self.net)


def main(folder: Path) -> None:
    expected = json.loads((folder / "ibm" / "expected.json").read_text(encoding="utf-8"))
    published = [Published((folder / "ibm" / n).read_bytes(), e["verdict"] == "SOUND") for n, e in expected.items()]
    print(machine())
    _print_times(published)
    _print_left(published, sorted((folder / "scalable").glob("*safe-*.pnml")))


def _print_times(published: Sequence[Published]) -> None:
    times: dict[str, list[float]] = {}
    for one in published:
        result = one.judge()
        if result.sound != one.sound:
            raise AssertionError("a verdict is not the published one")
        reduced = "reducedPlaces" in result.stats
        how = "reduction" if result.sound else "a run brought back" if reduced else "all markings"
        whole = best_of(RUNS, one.judge)
        times.setdefault(how, []).append(whole)
        times.setdefault("all", []).append(whole)
        times.setdefault("reading alone", []).append(best_of(RUNS, partial(read_pnml, one.data)))
    rows = []
    for label in sorted(times, key=lambda k: (k in ("all", "reading alone"), k)):
        ms = sorted(t * 1e3 for t in times[label])
        cells = (statistics.median(ms), ms[int(0.95 * len(ms))], ms[-1], sum(ms))
        rows.append([label, str(len(ms)), *(f"{t:,.2f}" for t in cells)])
    print_table("Published workflow nets", ["decided by", "nets", "median, ms", "95 %", "slowest", "together"], rows)


def _print_left(published: Sequence[Published], files: Iterable[Path]) -> None:
    groups = [
        [one.net for one in published if one.sound],
        [one.net for one in published if not one.sound],
        [philosophers(20, left_handed=True), lock_pairs(20, ordered=True), chains(20)],
        [read_pnml(path.read_bytes())[0] for path in files],
    ]
    rules: list[tuple[str, Sequence[Rule], Sequence[Rule], bool]] = [
        ("none", RULES, LATE_RULES, True),
        ("agglomerate_after, agglomerate_pairs", RULES[1:], LATE_RULES[1:], True),
        *((r.__name__, RULES, [x for x in LATE_RULES if x is not r], True) for r in LATE_RULES),
        *((r.__name__, [x for x in RULES if x is not r], LATE_RULES, True) for r in RULES[1:]),
        ("drop_parallel_transition", RULES, LATE_RULES, False),
    ]
    rows = [["all rules", "0", *(f"{sum(len(n.places) + len(n.transitions) for n in g):,}" for g in groups)]]
    for name, early, late, parallel in rules:
        left = [[_reduced(net, early, late, parallel=parallel) for net in group] for group in groups]
        sizes = [sum(len(r.target.net.places) + len(r.target.net.transitions) for r in group) for group in left]
        rows.append([name, str(sum(r.is_trivial for r in left[0])), *(f"{n:,}" for n in sizes)])
    head = [
        "left out",
        "sound, proved",
        "nodes left, sound",
        "unsound",
        "locks and chains",
        "the same, filled by a step",
    ]
    print_table("What each rule is worth", head, rows)


def _reduced(net: Net, early: Sequence[Rule], late: Sequence[Rule], *, parallel: bool) -> Reduction:
    target = target_of(start_of(net).net)
    return reduce_net(target, compile_net(target.net), early, late, parallel_transitions=parallel)


if __name__ == "__main__":
    arguments(__doc__).parse_args()
    if "PETRI_TEST_DATA" not in os.environ:
        sys.exit("PETRI_TEST_DATA is not set: the nets are not at hand")
    main(Path(os.environ["PETRI_TEST_DATA"]) / "nets" / "workflow")
