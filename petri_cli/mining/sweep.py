"""Coverage instead of a noise threshold: what comes out when only the most frequent variants are mined.

Each row says what it costs: how many cases it was mined from, how large it is, and how well it fits *all* cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from petri_cli.mining.alignments import align
from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.precision import precision
from petri_cli.mining.simplicity import simplicity
from petri_cli.mining.tree import Leaf, Tree
from petri_cli.mining.tree_net import tree_net
from petri_cli.soundness.timer import Deadline, never

COVERAGES = (100.0, 95.0, 90.0, 80.0)
"""Per cent of the cases."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """coverage: per cent asked for; variants, cases: mined from; size: leaves of the tree, of which ``silent`` are no
    activity; fitness: of all cases, as an interval (equal unless cut); precision: None where it is not known."""

    coverage: float
    variants: int
    cases: int
    tree: Tree
    model: LabelledNet
    size: int
    silent: int
    fitness: tuple[float, float]
    precision: float | None
    simplicity: float


def most_frequent(log: Log, coverage: float) -> Log:
    """The fewest of the most frequent variants that make up ``coverage`` per cent of the cases; ties by names.

    Times are left out: they belong to all cases.
    """
    if coverage >= 100:
        return log
    wanted = log.n_cases * coverage / 100
    order = sorted(range(len(log.variants)), key=lambda k: (-log.counts[k], log.named(log.variants[k])))
    kept: dict[int, int] = {}
    covered = 0
    for k in order:
        if covered >= wanted:
            break
        kept[k] = 0
        covered += log.counts[k]
    kept = {k: n for n, k in enumerate(sorted(kept))}
    cases = [(c, kept[v]) for c, v in zip(log.cases, log.variant_of, strict=True) if v in kept]
    return replace(
        log,
        variants=tuple(log.variants[k] for k in kept),
        counts=tuple(log.counts[k] for k in kept),
        cases=[c for c, _ in cases],
        variant_of=[v for _, v in cases],
        times=None,
    )


def sweep(log: Log, coverages: Sequence[float] = COVERAGES, deadline: Deadline = never) -> list[SweepRow]:
    """A row for each coverage, in the order given. Coverages that come to the same variants share one model and its
    figures.

    deadline: past it, fitness is an interval and precision unknown, and nothing is mined anew: those rows are missing.
    The first one is always there.
    """
    rows: list[SweepRow] = []
    known: dict[int, SweepRow] = {}
    for coverage in coverages:
        part = most_frequent(log, coverage)
        n = len(part.variants)
        if n not in known and known and deadline():
            continue
        if n not in known:
            known[n] = _row(log, part, coverage, deadline)
        rows.append(replace(known[n], coverage=coverage))
    return rows


def _row(log: Log, part: Log, coverage: float, deadline: Deadline) -> SweepRow:
    tree = inductive(part)
    model = tree_net(tree)
    aligned = align(log, model, deadline=deadline)
    leaves = [n for n in tree.nodes if isinstance(n, Leaf)]
    return SweepRow(
        coverage,
        len(part.variants),
        part.n_cases,
        tree,
        model,
        len(leaves),
        sum(leaf.activity is None for leaf in leaves),
        aligned.fitness(),
        precision(aligned, deadline=deadline).value,
        simplicity(model.net),
    )
