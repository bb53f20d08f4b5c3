"""Random models to align with: labelled nets of any shape, and block-structured ones; and traces that nearly fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from petri_cli.mining.model import LabelledNet
from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition

ACTIVITIES = "abcdef"
SPECIAL = ("inhibitors", "reads", "resets")


def block_model(rng: Random, *, duplicates: bool = False, guards: bool = False) -> LabelledNet:
    """A block-structured net: sequences, choices with skips, parallel blocks and loops, nested up to four deep.

    duplicates: activities occur more than once, and some parallel branches are copies of each other; guards: some
    blocks hold a unit of a resource, of which there are one or two.
    """
    return _Blocks(rng, duplicates, guards).model()


class _Blocks:
    def __init__(self, rng: Random, duplicates: bool, guards: bool) -> None:
        self.rng, self.duplicates = rng, duplicates
        self.resources = {"r": rng.choice([1, 1, 2])} if guards else {}
        self.unused = list(ACTIVITIES)
        self.n_places = 2
        self.transitions: list[Transition] = []
        self.labels: dict[str, str] = {}

    def model(self) -> LabelledNet:
        self.block("p0", "p1", 0)
        self.rng.shuffle(self.transitions)
        places = tuple(Place(f"p{k}") for k in range(self.n_places))
        places = (*places, *map(Place, self.resources))
        start, end = {"p0": 1, **self.resources}, {"p1": 1, **self.resources}
        return LabelledNet(Net("blocks", places, tuple(self.transitions), start, end), self.labels)

    def place(self) -> str:
        self.n_places += 1
        return f"p{self.n_places - 1}"

    def step(self, ins: Sequence[str], outs: Sequence[str], label: str | None = None) -> None:
        tid = f"t{len(self.transitions)}"
        self.transitions.append(Transition(tid, tuple(Input(p) for p in ins), _output([(p, 1) for p in outs])))
        if label is not None:
            self.labels[tid] = label

    def leaf(self, start: str, end: str) -> None:
        label = None
        if self.rng.random() < 0.8 and (self.duplicates or self.unused):
            label = self.rng.choice(ACTIVITIES) if self.duplicates else self.unused.pop(0)
        self.step([start], [end], label)

    def block(self, start: str, end: str, depth: int) -> None:
        kind = self.rng.choice(["seq", "xor", "and", "loop", "leaf"]) if depth < 4 else "leaf"
        if self.resources and self.rng.random() < 0.4:
            p, q = self.place(), self.place()
            self.step([start, "r"], [p])
            self.step([q], [end, "r"])
            start, end = p, q
        if kind == "leaf":
            self.leaf(start, end)
        elif kind == "seq":
            middle = self.place()
            self.block(start, middle, depth + 1)
            self.block(middle, end, depth + 1)
        elif kind == "xor":
            self.block(start, end, depth + 1)
            self.block(start, end, depth + 1) if self.rng.random() < 0.5 else self.step([start], [end])
        elif kind == "and":
            pairs = [(self.place(), self.place()) for _ in range(self.rng.choice([2, 2, 3]))]
            self.step([start], [p for p, _ in pairs])
            self.step([q for _, q in pairs], [end])
            alike = self.duplicates and self.rng.random() < 0.5
            state = self.rng.getstate()
            for p, q in pairs:
                if alike:
                    self.rng.setstate(state)
                self.block(p, q, depth + 1)
        else:
            p, q = self.place(), self.place()
            self.step([start], [p])
            self.step([q], [end])
            self.block(p, q, depth + 1)
            self.block(q, p, depth + 1)


def any_model(rng: Random, *, special: bool = False) -> LabelledNet:
    """A small labelled net of any shape, with weights and silent steps; many never end, or hold ever more tokens.

    special: read, inhibitor and reset arcs and draining inputs too.
    """
    places = [f"p{k}" for k in range(rng.randint(2, 5))]
    transitions = []
    labels: dict[str, str] = {}
    for k in range(rng.randint(1, 6)):
        inputs = [_input(p, rng.choice([1, 1, 1, 2])) for p in places if rng.random() < 0.35]
        if not inputs:
            inputs = [Input(rng.choice(places))]
        outs = [(p, rng.choice([1, 1, 1, 2])) for p in places if rng.random() < 0.3]
        taken = {i.place for i in inputs}
        free = [p for p in places if p not in taken]
        extra = {kind: (rng.choice(free),) if free and special and rng.random() < 0.2 else () for kind in SPECIAL}
        if special and rng.random() < 0.2:
            inputs[0] = Input(inputs[0].place, Cardinality.ALL)
        transitions.append(
            Transition(f"t{k}", tuple(inputs), _output(outs), extra["inhibitors"], extra["reads"], extra["resets"])
        )
        if rng.random() < 0.7:
            labels[f"t{k}"] = rng.choice(ACTIVITIES[:4])
    initial = {p: rng.randint(1, 2) for p in places if rng.random() < 0.4} or {places[0]: 1}
    final = {p: 1 for p in places if rng.random() < 0.3} or {places[-1]: 1}
    return LabelledNet(Net("any", tuple(Place(p) for p in places), tuple(transitions), initial, final), labels)


def traces(rng: Random, n: int = 3, longest: int = 6) -> list[tuple[str, ...]]:
    """Traces over the activities of the models, and one that they lack."""
    alphabet = ACTIVITIES[: rng.randint(1, len(ACTIVITIES))] + ("z" if rng.random() < 0.2 else "")
    return [tuple(rng.choice(alphabet) for _ in range(rng.randint(0, longest))) for _ in range(n)]


def _input(place: str, count: int) -> Input:
    return Input(place, Cardinality.EXACTLY, count) if count > 1 else Input(place)


def _output(outs: list[tuple[str, int]]) -> Output | None:
    made = tuple(PlaceOut(p, k) for p, k in outs)
    if len(made) < 2:
        return made[0] if made else None
    return AndOut(made)


def read_everything(model: LabelledNet) -> LabelledNet:
    """The same runs from a net that is not plain: every transition also reads a place that is always marked."""
    net = model.net
    transitions = tuple(replace(t, reads=("always",)) for t in net.transitions)
    places = (*net.places, Place("always"))
    initial, final = {**net.initial, "always": 1}, {**(net.final or {}), "always": 1}
    return LabelledNet(replace(net, places=places, transitions=transitions, initial=initial, final=final), model.labels)
