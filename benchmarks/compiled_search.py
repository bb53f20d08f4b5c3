"""States a second and bytes a state of the explicit search, compiled and in Python.

``python -m benchmarks.compiled_search``. With PETRI_TEST_DATA set, also the industrial workflow nets there, each up
to 5,000 states.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from benchmarks.families import chains, lock_pairs, philosophers
from benchmarks.table import arguments, machine, print_table
from petri_cli.formats.pnml import read_pnml
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.model import Net
from petri_cli.net.start import start_of
from petri_cli.soundness.native import binding
from petri_cli.soundness.native.space import NativeSpace
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.spaces import Space, with_space

COMPILED, PYTHON, INDUSTRIAL = 2_000_000, 100_000, 5_000
"""States explored at most: by the compiled search, in Python, of an industrial net."""


@contextmanager
def in_python() -> Iterator[None]:
    core, binding.core = binding.core, None
    try:
        yield
    finally:
        binding.core = core


def explored(compiled: CompiledNet, limit: int, *, reduced: bool = False) -> tuple[Space, float]:
    """The state space and the seconds of CPU that it took."""

    def search(space: Space) -> Space:
        space.advance(limit)
        return space

    start = time.process_time()
    space = with_space(compiled, search, reduced=reduced)
    return space, time.process_time() - start


def backwards(space: Space) -> float:
    """Seconds for «can the end still be reached», states not expanded taken to reach it."""
    end = space.find(space.compiled.final)
    goals = [*range(space.expanded, space.size), *([] if end is None else [end])]
    start = time.process_time()
    space.backwards(goals)
    return time.process_time() - start


def row(net: Net, *, reduced: bool) -> tuple[str, ...]:
    compiled = compile_net(target_of(net).net)
    space, seconds = explored(compiled, COMPILED, reduced=reduced)
    back = backwards(space)
    held = space.held if isinstance(space, NativeSpace) else 0
    with in_python():
        plain, plainly = explored(compiled, PYTHON, reduced=reduced)
    speed, before = space.size / seconds, plain.size / plainly
    return (
        f"{net.id}{', stubborn sets' if reduced else ''}",
        f"{len(compiled.places):,}",
        f"{len(compiled.actions):,}",
        f"{space.size:,}",
        f"{before / 1e6:.2f}",
        f"{speed / 1e6:.2f}",
        f"{speed / before:.0f}",
        f"{back / seconds:.2f}",
        f"{held / space.size:.0f}",
    )


def families() -> None:
    full = [
        philosophers(9, left_handed=True),
        philosophers(11, left_handed=True),
        philosophers(20, left_handed=True),
        lock_pairs(10, ordered=True),
        lock_pairs(10, ordered=False),
        chains(6, 6, 3, 2),
        chains(20),
    ]
    rows = [row(net, reduced=False) for net in full]
    rows += [row(net, reduced=True) for net in (philosophers(12, left_handed=True), chains(6, 6, 3, 2), chains(20))]
    head = ("net", "places", "actions", "states", "Python, M/s", "compiled, M/s", "ratio", "backwards", "bytes a state")
    print_table(f"The compiled search, up to {COMPILED:,} states (Python: {PYTHON:,})", head, rows)


def industrial(folder: Path) -> None:
    nets = []
    for path in sorted((folder / "nets" / "workflow" / "ibm").glob("*.pnml")):
        net = start_of(read_pnml(path.read_bytes(), path.name)[0]).net
        nets.append(compile_net(target_of(net).net))
    rows = []
    for name in ("compiled", "Python"):
        for limit in (0, INDUSTRIAL):
            with in_python() if name == "Python" else nullcontext():
                runs = [explored(net, limit) for net in nets]
            times = sorted(seconds * 1e3 for _, seconds in runs)
            states = sum(space.size for space, _ in runs)
            done = sum(space.complete for space, _ in runs)
            slow = times[len(times) * 95 // 100]
            figures = (f"{statistics.median(times):.2f}", f"{slow:.2f}", f"{times[-1]:.1f}")
            rows.append((name, f"{limit:,}", f"{states:,}", f"{done}", *figures))
    head = ("search", "limit", "states in all", "nets whole", "ms, median", "95 %", "slowest")
    print_table(f"{len(nets)} industrial workflow nets, tables and exploration", head, rows)


def main() -> None:
    families()
    if "PETRI_TEST_DATA" in os.environ:
        industrial(Path(os.environ["PETRI_TEST_DATA"]))


if __name__ == "__main__":
    arguments(__doc__).parse_args()
    print(machine())
    main()
