"""Judge a folder of nets with known verdicts: ``python -m tests.corpus DIR``.

DIR holds ``nets/<id>.json`` and ``expected/<id>.json``. For each net every property is judged; the answer may be open
where the reference knows one, but never the opposite of it. Every run that the gate reports is replayed by the plain
firing rule and must end in a marking that violates the property, and so must every trace of the reference. Where a
state space was explored to its end, the number of markings must agree.

Each disagreement is named on a line of its own; the last line is «N passed, N failed» (nets). Exit code 1 when one
failed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from petri_cli.errors import PetriError
from petri_cli.net.firing import replay, steps
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Net,
    Output,
    Place,
    PlaceOut,
    Property,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
    leaves,
)
from petri_cli.net.rules import check_net
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget, Condition
from tests.oracle.soundness import violates
from tests.oracle.statespace import Frozen, freeze

KINDS = {
    "deadlock-free": "deadlockFree",
    "terminates-at-sink": "terminatesAtSink",
    "place-bound": "placeBound",
    "mutual-exclusion": "mutualExclusion",
    "unreachable": "unreachable",
    "quiescent-count": "quiescentCount",
}
HOLDS = {"proven": True, "violated": False, "unknown": None}


def read_net(data: Mapping[str, Any]) -> Net:
    """The net of a corpus file. Places that an arc or a property names are declared; what only the marking names
    stays undeclared."""
    transitions = tuple(_transition(t) for t in data["transitions"])
    properties = tuple(_property(p) for p in data["properties"])
    on_arcs = [p for t in transitions for p in _named(t)]
    asked = [p for prop in properties for p in prop.places if p not in data["marking"]]
    places = dict.fromkeys([*data["places"], *on_arcs, *asked])
    net = Net(data["id"], tuple(Place(p) for p in places), transitions, data["marking"], properties=properties)
    check_net(net)
    return net


def _named(t: Transition) -> list[str]:
    into = [leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves(t.output)]
    return [*(i.place for i in t.inputs), *t.inhibitors, *t.reads, *t.resets, *into]


def _transition(t: Mapping[str, Any]) -> Transition:
    kinds = {"one": Cardinality.ONE, "exactly": Cardinality.EXACTLY, "all": Cardinality.ALL}
    kinds |= {"atLeast": Cardinality.AT_LEAST}
    return Transition(
        t["name"],
        tuple(Input(i["place"], kinds[i["kind"]], i.get("n", 1)) for i in t["inputs"]),
        None if t.get("output") is None else _output(t["output"]),
        inhibitors=tuple(t.get("inhibitors", ())),
        reads=tuple(t.get("reads", ())),
        resets=tuple(t.get("resets", ())),
        timing=_timing(t.get("timing")),
        priority=t.get("priority", 0),
    )


def _output(node: Mapping[str, Any]) -> Output:
    match node["type"]:
        case "place":
            return PlaceOut(node["place"])
        case "and":
            return AndOut(tuple(_output(c) for c in node["children"]))
        case "xor":
            return XorOut(tuple(_output(c) for c in node["children"]))
        case "timeout":
            return TimeoutOut(node["afterMs"] / 1000, _output(node["child"]))
        case "forward":
            return ForwardOut(node["from"], node["to"])
        case other:
            raise ValueError(f"no output node {other!r}")


def _timing(t: Mapping[str, Any] | None) -> Timing:
    if t is None:
        return Timing()
    latest = t.get("latestMs")
    return Timing(t["kind"], t.get("earliestMs", 0) / 1000, None if latest is None else latest / 1000)


def _property(p: Mapping[str, Any]) -> Property:
    places = [p["place"]] if "place" in p else p.get("sinks", p.get("places", ()))
    maximum = p.get("bound", p.get("max"))
    return Property(p["id"], KINDS[p["type"]], tuple(places), p.get("min", 0), maximum)


def disagreements(net: Net, expected: Mapping[str, Any], budget: Budget) -> Iterator[str]:
    """What our answer about ``net`` and the reference's have against each other; empty when nothing."""
    result = judge_net(net, budget)
    ours = {c.name: c for c in result.conditions}
    by_id = {p.id: p for p in net.properties}
    for theirs in expected["results"]:
        prop = by_id[theirs["property"]]
        condition = ours[prop.id]
        holds = HOLDS[theirs["verdict"]]
        if holds is not None and condition.holds is not None and holds != condition.holds:
            yield f"{prop.id}: {theirs['verdict']} by the reference, here {_word(condition)}"
        yield from _run_faults(net, prop, condition)
        if "trace" in theirs and not any(violates(net, dict(m), prop) for m in _ends(net, theirs["trace"])):
            yield f"{prop.id}: the trace of the reference does not lead to a violation"
    exhaustive = result.evidence.startswith("exhaustive")
    if exhaustive and expected.get("complete") and result.stats["states"] != expected["classes"]:
        yield f"{result.stats['states']} markings here, {expected['classes']} by the reference"


def _word(condition: Condition) -> str:
    return next(word for word, holds in HOLDS.items() if holds == condition.holds)


def _run_faults(net: Net, prop: Property, condition: Condition) -> Iterator[str]:
    cx = condition.counterexample
    if (condition.holds is False) != (cx is not None):
        yield f"{prop.id}: a violation and a run belong together"
    if cx is None:
        return
    try:
        end = replay(net, cx.run)[-1]
    except ValueError as e:
        yield f"{prop.id}: the run reported here does not replay: {e}"
        return
    if end != cx.marking or not violates(net, end, prop):
        yield f"{prop.id}: the run reported here does not lead to a violation"


def _ends(net: Net, trace: Sequence[str]) -> set[Frozen]:
    """The markings that ``trace`` can end in: it names transitions, not which outcome each had."""
    markings = {freeze(net.initial)}
    for name in trace:
        markings = {freeze(after) for m in markings for step, after in steps(net, dict(m)) if step.transition == name}
    return markings


def judge_folder(folder: Path, budget: Budget, out: TextIO) -> tuple[int, int]:
    """Judge every net in ``folder``, naming what is wrong on ``out``; (nets passed, nets failed)."""
    passed = failed = 0
    for path in sorted((folder / "nets").glob("*.json")):
        try:
            net = read_net(json.loads(path.read_text(encoding="utf-8")))
            expected = json.loads((folder / "expected" / path.name).read_text(encoding="utf-8"))
            faults = list(disagreements(net, expected, budget))
        except (OSError, ValueError, LookupError, PetriError) as e:
            faults = [f"{type(e).__name__}: {e}"]
        for fault in faults:
            out.write(f"{path.stem}: {fault}\n")
        passed, failed = passed + (not faults), failed + bool(faults)
    return passed, failed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description="Judge nets with known verdicts.")
    parser.add_argument("dir", type=Path, help="a folder with nets/*.json and expected/*.json")
    parser.add_argument("--max-states", type=int, default=50_000, help="states explored for one net")
    options = parser.parse_args(arguments)
    if not (options.dir / "nets").is_dir():
        parser.error(f"{options.dir / 'nets'} is no folder")
    passed, failed = judge_folder(options.dir, Budget(max_states=options.max_states), sys.stdout)
    sys.stdout.write(f"{passed} passed, {failed} failed\n")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
