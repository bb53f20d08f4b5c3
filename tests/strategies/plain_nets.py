"""Random place/transition nets from a seed: arbitrary ones with weights, and processes that fight over resources."""

from __future__ import annotations

from random import Random

from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition


def arbitrary_net(rng: Random, *, reads: bool = False) -> Net:
    """Up to 6 places and 7 transitions, arc weights up to 3, up to 3 tokens on a place."""
    places = [f"p{i}" for i in range(rng.randint(1, 6))]
    transitions = []
    for i in range(rng.randint(1, 7)):
        inputs = [_input(p, rng.choice([1, 1, 1, 2, 3])) for p in places if rng.random() < 0.35]
        outputs = [PlaceOut(p, rng.choice([1, 1, 1, 2])) for p in places if rng.random() < 0.3]
        read = tuple(p for p in places if reads and rng.random() < 0.15)
        if inputs:
            transitions.append(Transition(f"t{i}", tuple(inputs), _output(outputs), reads=read))
    initial = {p: rng.randint(1, 3) for p in places if rng.random() < 0.6}
    return Net("arbitrary", tuple(Place(p) for p in places), tuple(transitions), initial)


def wild_workflow_net(rng: Random) -> Net:
    """A source ``i``, a sink ``o``, and between them weights, reads, resources. Some have further sources or sinks."""
    inner = [f"p{k}" for k in range(rng.randint(1, 4))]
    resources = {f"r{k}": rng.randint(1, 2) for k in range(rng.choice([0, 0, 1]))}
    middle = [*inner, *resources]
    starts = [p for p in inner if rng.random() < 0.6] or inner[:1]
    transitions = [Transition("t0", (Input("i"),), _output([PlaceOut(p) for p in starts]))]
    for k in range(1, rng.randint(3, 9)):
        inputs = [p for p in middle if rng.random() < 0.3] or [rng.choice(inner)]
        outputs = [p for p in middle if rng.random() < 0.25]
        outputs += ["o"] if not set(outputs) - set(resources) else []
        weights = [rng.choice([1] * 9 + [2]) for _ in inputs]
        leaves = [PlaceOut(p, rng.choice([1] * 9 + [2]) if p != "o" else 1) for p in outputs]
        reads = tuple(p for p in inner if rng.random() < 0.07)
        transitions.append(Transition(f"t{k}", tuple(map(_input, inputs, weights)), _output(leaves), reads=reads))
    rng.shuffle(transitions)
    places = ["i", "o", *inner, *resources]
    return Net("wild", tuple(Place(p) for p in places), tuple(transitions), {"i": 1, **resources})


def process_net(rng: Random) -> Net:
    """Two to four processes over up to three counted resources; each takes and gives back units in a random order."""
    resources = {f"r{i}": rng.randint(1, 3) for i in range(rng.randint(1, 3))}
    transitions: list[Transition] = []
    initial: dict[str, int] = dict(resources)
    names = list(resources)
    ends = []
    for k in range(rng.randint(2, 4)):
        held: list[tuple[str, int]] = []
        at, initial[f"c{k}.0"] = 0, 1
        for _ in range(rng.randint(1, 5)):
            inputs, outputs = [_input(f"c{k}.{at}", 1)], [PlaceOut(f"c{k}.{at + 1}")]
            if held and rng.random() < 0.4:
                outputs.append(PlaceOut(*held.pop(rng.randrange(len(held)))))
            elif rng.random() < 0.8:
                name = rng.choice(names)
                want = (name, rng.randint(1, min(2, resources[name])))
                inputs.append(_input(*want))
                held.append(want)
            transitions.append(Transition(f"t{k}.{at}", tuple(inputs), _output(outputs)))
            if rng.random() < 0.15:
                transitions.append(Transition(f"skip{k}.{at}", (_input(f"c{k}.{at}", 1),), PlaceOut(f"c{k}.{at + 1}")))
            at += 1
        give = [PlaceOut(r, sum(u for q, u in held if q == r)) for r in names if any(q == r for q, _ in held)]
        transitions.append(Transition(f"t{k}.end", (_input(f"c{k}.{at}", 1),), _output([PlaceOut(f"c{k}.end"), *give])))
        ends.append(f"c{k}.end")
    transitions.append(Transition("join", tuple(_input(p, 1) for p in ends), PlaceOut("done")))
    rng.shuffle(transitions)
    places = {p for t in transitions for p in [*(i.place for i in t.inputs), *_targets(t)]} | set(initial)
    final = {"done": 1, **resources}
    return Net("processes", tuple(Place(p) for p in sorted(places)), tuple(transitions), initial, final)


def _targets(t: Transition) -> list[str]:
    match t.output:
        case PlaceOut(place, _):
            return [place]
        case AndOut(children):
            return [c.place for c in children if isinstance(c, PlaceOut)]
        case _:
            return []


def _input(place: str, count: int) -> Input:
    return Input(place, Cardinality.EXACTLY, count) if count > 1 else Input(place)


def _output(leaves: list[PlaceOut]) -> Output | None:
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    return AndOut(tuple(leaves))
