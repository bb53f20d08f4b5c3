"""Families of nets and plans that grow: what an explicit search cannot keep up with.

``python -m benchmarks.families FOLDER`` writes the nets as PNML and the plans as YAML, for other tools to read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.table import arguments
from petri_cli.formats.pnml_write import write_pnml
from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition

Plan = dict[str, Any]


class _Workflow:
    """A workflow net of branches that run side by side, under construction."""

    def __init__(self, name: str, resources: dict[str, int]) -> None:
        self.name, self.resources = name, resources
        self.transitions: list[Transition] = []
        self.starts: list[str] = []
        self.ends: list[str] = []
        self.places: list[str] = ["i", "o", *resources]

    def branch(self, name: str, steps: list[tuple[dict[str, int], dict[str, int]]]) -> None:
        """Steps one after the other, each taking and giving units of resources."""
        at = f"{name}.0"
        self.starts.append(at)
        self.places.append(at)
        for k, (take, give) in enumerate(steps, 1):
            after = f"{name}.{k}"
            self.places.append(after)
            inputs = (Input(at), *(_input(r, n) for r, n in take.items()))
            outputs = (PlaceOut(after), *(PlaceOut(r, n) for r, n in give.items()))
            self.transitions.append(Transition(f"{name}.step{k}", inputs, _all(outputs)))
            at = after
        self.ends.append(at)

    def net(self) -> Net:
        start = Transition("start", (Input("i"),), _all(tuple(PlaceOut(p) for p in self.starts)))
        end = Transition("end", tuple(Input(p) for p in self.ends), PlaceOut("o"))
        transitions = (start, *self.transitions, end)
        return Net(
            self.name,
            tuple(Place(p) for p in self.places),
            transitions,
            {"i": 1, **self.resources},
            {"o": 1, **self.resources},
        )


def _input(place: str, units: int) -> Input:
    return Input(place) if units == 1 else Input(place, Cardinality.EXACTLY, units)


def _all(leaves: tuple[PlaceOut, ...]) -> Output:
    return leaves[0] if len(leaves) == 1 else AndOut(leaves)


def philosophers(n: int, *, left_handed: bool) -> Net:
    """``n`` dining philosophers, each eating once. One left-handed: no deadlock is possible."""
    net = _Workflow(f"phil{'safe' if left_handed else ''}-{n}", {f"fork{k}": 1 for k in range(n)})
    for k in range(n):
        first, second = f"fork{k}", f"fork{(k + 1) % n}"
        if left_handed and k == 0:
            first, second = second, first
        net.branch(f"phil{k}", [({first: 1}, {}), ({second: 1}, {}), ({}, {first: 1, second: 1})])
    return net.net()


def lock_pairs(k: int, *, ordered: bool) -> Net:
    """``k`` pairs of branches that take two locks, in one order or in opposite orders."""
    locks = {f"{lock}{i}": 1 for i in range(k) for lock in "ab"}
    net = _Workflow(f"lock{'safe' if ordered else 'inv'}-{k}", locks)
    for i in range(k):
        a, b = f"a{i}", f"b{i}"
        for name, one, two in ((f"left{i}", a, b), (f"right{i}", a, b) if ordered else (f"right{i}", b, a)):
            net.branch(name, [({one: 1}, {}), ({two: 1}, {}), ({}, {two: 1}), ({}, {one: 1})])
    return net.net()


def chains(k: int, length: int = 10, capacity: int = 4, units: int = 3, *, nested: bool = False) -> Net:
    """``k`` chains that take ``units`` of a counted resource for each of ``length`` steps and give them back.

    nested: each asks for one unit more while it holds some: with enough chains nobody gets it.
    """
    net = _Workflow(f"chains{'2' if nested else ''}-{k}-{length}-{capacity}-{units}", {"pool": capacity})
    for i in range(k):
        steps: list[tuple[dict[str, int], dict[str, int]]] = []
        for _ in range(length):
            if nested:
                steps += [({"pool": 1}, {}), ({"pool": units - 1}, {}), ({}, {"pool": units})]
            else:
                steps += [({"pool": units}, {}), ({}, {"pool": units})]
        net.branch(f"chain{i}", steps)
    return net.net()


def random_locks(seed: int, branches: int = 12, locks: int = 8, *, ordered: bool = False) -> Plan:
    """Branches that hold ``locks`` locks nested in a random order (ordered: in the same one, each a random half)."""
    rng = Random(seed)  # noqa: S311
    names = [f"lock{k}" for k in range(locks)]
    rows = [rng.sample(names, locks) for _ in range(branches)]
    if ordered:
        rows = [sorted(rng.sample(names, locks // 2)) for _ in range(branches)]
    flow = {"parallel": [_nested(row, f"t{k}") for k, row in enumerate(rows)]}
    return {"name": f"random-locks-{seed}", "resources": _resources(names), "flow": flow}


def harmless_cycle(guards: int = 1_000) -> Plan:
    """Pairs of branches that take two locks in opposite orders, each pair inside a lock of its own: every cycle of the
    lock graph is there, and none can bite. Four guards and two gate guards a pair."""
    pairs = max(1, guards // 6)
    resources: list[str] = []
    branches = []
    for k in range(pairs):
        a, b, gate = f"a{k}", f"b{k}", f"gate{k}"
        resources += [a, b, gate]
        branches += [_nested([gate, a, b], f"l{k}"), _nested([gate, b, a], f"r{k}")]
    return {"name": f"harmless-{guards}", "resources": _resources(resources), "flow": {"parallel": branches}}


def one_big_cycle(guards: int = 1_000) -> Plan:
    """Branches around a ring of locks, all inside one gate: a cycle through every lock, and nobody to close it."""
    n = max(2, guards // 3)
    resources = ["gate", *(f"r{k}" for k in range(n))]
    rows = [_nested(["gate", f"r{k}", f"r{(k + 1) % n}"], f"t{k}") for k in range(n)]
    return {"name": f"ring-{guards}", "resources": _resources(resources), "flow": {"parallel": rows}}


def _resources(names: list[str]) -> list[Plan]:
    return [{"id": name, "capacity": 1} for name in names]


def _nested(locks: list[str], task: str) -> Plan:
    body: Plan = {"task": {"id": task}}
    for lock in reversed(locks):
        body = {"guard": {"resource": lock, "body": body}}
    return body


def nets(largest: int = 200) -> Iterator[tuple[Net, bool]]:
    """The nets of the published table, and whether each is sound."""
    for n in (10, 20, 50, 100, 200):
        if n <= largest:
            yield philosophers(n, left_handed=True), True
            yield philosophers(n, left_handed=False), False
    for k in (10, 50, 100):
        yield lock_pairs(k, ordered=True), True
        yield lock_pairs(k, ordered=False), False
    for k in (10, 20):
        yield chains(k), True
        yield chains(k, nested=True), False


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for net, _ in nets():
        (folder / f"{net.id}.pnml").write_text(write_pnml(net), encoding="utf-8")
    for plan in (*(random_locks(seed) for seed in range(5)), harmless_cycle(), one_big_cycle()):
        (folder / f"{plan['name']}.petri.json").write_text(json.dumps(plan, indent=1), encoding="utf-8")


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("folder", type=Path, help="where the files are written; made where it is missing")
    main(parser.parse_args().folder)
