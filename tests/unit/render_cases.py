"""Results built by hand, for the tests of what a person sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.api import Analysis
from petri_cli.errors import Position
from petri_cli.net.firing import Step, replay
from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition
from petri_cli.soundness.result import (
    SOUND_ASSUMPTIONS,
    Condition,
    Counterexample,
    Counts,
    Held,
    Lane,
    Result,
    Verdict,
    Wait,
)

CONDITIONS = (
    Condition("option to complete", False, "1 marking can no longer reach the end"),
    Condition("proper completion", True),
    Condition("no dead transitions", True),
)

INVERSION = """\
name: lock-inversion
resources:
  - {id: A, capacity: 1}
  - {id: B, capacity: 1}
flow:
  parallel:
    - guard:
        resource: A
        body:
          guard: {resource: B, body: {task: {id: w1}}}
    - guard:
        resource: B
        body:
          guard: {resource: A, body: {task: {id: w2}}}
"""


def arcs(spec: str) -> list[tuple[str, int]]:
    """``a b*2`` as ``[("a", 1), ("b", 2)]``."""
    pairs = (word.partition("*") for word in spec.split())
    return [(place, int(count or 1)) for place, _, count in pairs]


def transition(tid: str, inputs: str, outputs: str) -> Transition:
    """A transition from arcs written as in :func:`arcs`."""
    ins = tuple(Input(p) if k == 1 else Input(p, Cardinality.EXACTLY, k) for p, k in arcs(inputs))
    leaves: list[Output] = [PlaceOut(p, k) for p, k in arcs(outputs)]
    return Transition(tid, ins, leaves[0] if len(leaves) == 1 else AndOut(tuple(leaves)))


def net(name: str, transitions: Sequence[Transition], initial: Mapping[str, int], final: Mapping[str, int]) -> Net:
    """A net whose places are those that its arcs name."""
    places = dict.fromkeys(initial)
    for t in transitions:
        places |= dict.fromkeys(i.place for i in t.inputs)
        match t.output:
            case PlaceOut(p):
                places[p] = None
            case AndOut(children):
                places |= dict.fromkeys(c.place for c in children if isinstance(c, PlaceOut))
    return Net(name, tuple(Place(p) for p in places), tuple(transitions), initial, final)


def at(text: str, needle: str, file: str, nth: int = 1) -> Position:
    """The position of the nth ``needle`` in ``text``."""
    index = -1
    for _ in range(nth):
        index = text.index(needle, index + 1)
    return Position(file, text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))


def inversion(file: str = "lock-inversion.petri.yaml") -> Analysis:
    """Two branches, two locks, opposite order."""
    n = net(
        "lock-inversion",
        [
            transition("t.par.1.split", "p.start", "p.par.1.1.todo p.par.1.2.todo"),
            transition("t.guard.g1.acquire", "p.par.1.1.todo r.A", "p.guard.g1.body"),
            transition("t.guard.g2.acquire", "p.guard.g1.body r.B", "p.guard.g2.body"),
            transition("t.w1", "p.guard.g2.body", "p.guard.g2.done"),
            transition("t.guard.g2.release", "p.guard.g2.done", "p.guard.g1.done r.B"),
            transition("t.guard.g1.release", "p.guard.g1.done", "p.par.1.1.done r.A"),
            transition("t.guard.g3.acquire", "p.par.1.2.todo r.B", "p.guard.g3.body"),
            transition("t.guard.g4.acquire", "p.guard.g3.body r.A", "p.guard.g4.body"),
            transition("t.w2", "p.guard.g4.body", "p.guard.g4.done"),
            transition("t.guard.g4.release", "p.guard.g4.done", "p.guard.g3.done r.A"),
            transition("t.guard.g3.release", "p.guard.g3.done", "p.par.1.2.done r.B"),
            transition("t.par.1.join", "p.par.1.1.done p.par.1.2.done", "p.end"),
        ],
        {"p.start": 1, "r.A": 1, "r.B": 1},
        {"p.end": 1, "r.A": 1, "r.B": 1},
    )
    run = tuple(Step(t) for t in ("t.par.1.split", "t.guard.g1.acquire", "t.guard.g3.acquire"))
    marking = {p: k for p, k in replay(n, run)[-1].items() if k}
    spot = [at(INVERSION, needle, file, nth) for needle, nth in (("A", 2), ("B", 2), ("B", 3), ("A", 3))]
    waits = (
        Wait(
            "w1",
            "p.guard.g1.body",
            "t.guard.g2.acquire",
            "g2",
            "B",
            1,
            0,
            (Held("A", 1, "g1", 2, spot[0]),),
            spot[1],
            ("w2",),
        ),
        Wait(
            "w2",
            "p.guard.g3.body",
            "t.guard.g4.acquire",
            "g4",
            "A",
            1,
            0,
            (Held("B", 1, "g3", 3, spot[2]),),
            spot[3],
            ("w1",),
        ),
    )
    cx = Counterexample(
        "deadlock",
        n,
        run,
        marking,
        "w1 holds A and waits for B; w2 holds B and waits for A.",
        True,
        waits,
        (Lane("w1", ((2, "t.guard.g1.acquire"),)), Lane("w2", ((3, "t.guard.g3.acquire"),))),
    )
    message = (
        "PETRI_UNSOUND_PLAN: net is unsound: 1 deadlock marking(s) reachable; "
        "1 reachable marking(s) can no longer reach the final marking"
    )
    result = Result(
        Verdict.UNSOUND,
        "counterexample",
        "PETRI_UNSOUND_PLAN",
        message,
        CONDITIONS,
        (),
        cx,
        {},
        {"A": 2, "B": 2},
        Counts(1, 1, True),
        {"states": 5},
    )
    return Analysis(file, "plan", result, (), tuple(INVERSION.splitlines()))


FAN_OUT = """\
name: nested-calls
resources:
  - {id: worker, capacity: 4}
flow:
  foreach:
    id: sample
    over: samples in the sheet
    body:
      guard:
        resource: worker
        body:
          seq:
            - task: {id: prepare}
            - guard:
                resource: worker
                body:
                  task: {id: align}
"""


def fan_out(file: str = "nested-calls.petri.yaml", width: int = 4) -> Analysis:
    """Every worker is held by a parent that waits for one."""
    items = range(1, width + 1)
    transitions = [
        transition("t.foreach.sample.discover", "p.start", " ".join(f"p.foreach.sample.body[{k}]" for k in items)),
        *[
            transition(f"t.guard.g1.acquire[{k}]", f"p.foreach.sample.body[{k}] r.worker", f"p.guard.g1.body[{k}]")
            for k in items
        ],
        *[transition(f"t.prepare[{k}]", f"p.guard.g1.body[{k}]", f"p.done.prepare[{k}]") for k in items],
        *[
            transition(f"t.guard.g2.acquire[{k}]", f"p.done.prepare[{k}] r.worker", f"p.guard.g2.body[{k}]")
            for k in items
        ],
    ]
    n = net("nested-calls", transitions, {"p.start": 1, "r.worker": width}, {"p.end": 1, "r.worker": width})
    ids = ["t.foreach.sample.discover", *[t for k in items for t in (f"t.guard.g1.acquire[{k}]", f"t.prepare[{k}]")]]
    run = tuple(Step(t) for t in ids)
    marking = {p: k for p, k in replay(n, run)[-1].items() if k}
    outer, inner = at(FAN_OUT, "worker", file, 2), at(FAN_OUT, "worker", file, 3)
    who = tuple(f"align[{k}]" for k in items)
    waits = tuple(
        Wait(
            who[k - 1],
            f"p.done.prepare[{k}]",
            f"t.guard.g2.acquire[{k}]",
            "g2",
            "worker",
            1,
            0,
            (Held("worker", 1, "g1", 2 * k, outer),),
            inner,
            who,
        )
        for k in items
    )
    lanes = tuple(
        Lane(who[k - 1], ((2 * k, f"t.guard.g1.acquire[{k}]"), (2 * k + 1, f"t.prepare[{k}]"))) for k in items
    )
    cx = Counterexample(
        "deadlock", n, run, marking, "align[1] to align[4] each hold worker and wait for worker.", True, waits, lanes
    )
    message = (
        "PETRI_UNSOUND_PLAN: net is unsound: at least 1 deadlock marking(s) reachable; "
        "at least 1 reachable marking(s) can no longer reach the final marking"
    )
    result = Result(
        Verdict.UNSOUND,
        "counterexample",
        "PETRI_UNSOUND_PLAN",
        message,
        CONDITIONS,
        (),
        cx,
        {"sample": width},
        {"worker": None},
        Counts(1, 1, False),
        {"states": 41},
    )
    return Analysis(file, "plan", result, (), tuple(FAN_OUT.splitlines()), "every foreach width")


def sound(file: str = "ordered.petri.yaml") -> Analysis:
    """A plan proved by its lock order."""
    result = Result(
        Verdict.SOUND,
        "lock-order",
        "",
        "",
        tuple(Condition(c.name, True) for c in CONDITIONS),
        SOUND_ASSUMPTIONS,
        detail=("lock order A → B → C, for every foreach width and loop count",),
    )
    return Analysis(file, "plan", result, scope="every foreach width and loop count")


def unknown(file: str = "large.pnml") -> Analysis:
    """A net that was too large for the budget."""
    message = "PETRI_UNKNOWN: no verdict within the budget: 1,000,000 states visited and no end in sight"
    return Analysis(
        file, "net", Result(Verdict.UNKNOWN, "budget: states", "PETRI_UNKNOWN", message, stats={"states": 1_000_000})
    )
