"""Random workflow nets from a seed, grown out of one step: nodes are split, doubled and looped as the rules of
reduction would undo it, then some arcs are changed so that about half of the nets are unsound. Not free-choice, with
weights, resources, self-loops, and on demand with special arcs and a declared final marking."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition, XorOut


def grown_net(rng: Random, *, special: bool = False) -> Net:
    """A net with one source ``i`` and one sink ``o``, up to two resources, and up to some twelve steps."""
    return _Grown(rng, special).net()


class _Grown:
    """takes, puts: weights by place, one row a transition."""

    def __init__(self, rng: Random, special: bool) -> None:
        self.rng, self.special = rng, special
        self.takes: list[dict[str, int]] = [{"i": 1}]
        self.puts: list[dict[str, int]] = [{"o": 1}]
        self.places = ["i", "o"]
        self.resources: dict[str, int] = {}

    def net(self) -> Net:
        rng = self.rng
        for _ in range(rng.randint(2, 9)):
            rng.choice([self.series, self.series, self.double, self.beside, self.loop, self.branch, self.hold])()
        if rng.random() < 0.75:
            for _ in range(rng.randint(1, 2)):
                self.disturb()
        transitions = [self.transition(k) for k in range(len(self.takes))]
        rng.shuffle(transitions)
        initial = {"i": 1, **self.resources}
        places = [Place(p) for p in [*self.places, *self.resources]]
        net = Net("grown", tuple(places), tuple(transitions), initial)
        if rng.random() < 0.2:
            final = {"o": 1, **self.resources} if rng.random() < 0.7 else {rng.choice(self.places): rng.randint(1, 2)}
            net = replace(net, final=final)
        return net

    def place(self) -> str:
        self.places.append(f"p{len(self.places)}")
        return self.places[-1]

    def some(self) -> int:
        return self.rng.randrange(len(self.takes))

    def inner(self) -> str | None:
        inner = [p for p in self.places if p not in "io"]
        return self.rng.choice(inner) if inner else None

    def series(self) -> None:
        """Split a step in two, part of its inputs and outputs on either side."""
        t, p, w = self.some(), self.place(), self.rng.choice([1, 1, 1, 2])
        late = {q: k for q, k in self.takes[t].items() if len(self.takes[t]) > 1 and self.rng.random() < 0.3}
        if len(late) == len(self.takes[t]):
            late = {}
        early = {q: k for q, k in self.puts[t].items() if len(self.puts[t]) > 1 and self.rng.random() < 0.3}
        self.takes.append({p: w, **late})
        self.puts.append({q: k for q, k in self.puts[t].items() if q not in early} or {"o": 1})
        self.takes[t] = {q: k for q, k in self.takes[t].items() if q not in late}
        self.puts[t] = {**early, p: w}

    def double(self) -> None:
        """A second step that does the same."""
        t = self.some()
        self.takes.append(dict(self.takes[t]))
        self.puts.append(dict(self.puts[t]))

    def branch(self) -> None:
        """A second way from the inputs of a step to its outputs."""
        t, p = self.some(), self.place()
        self.takes += [dict(self.takes[t]), {p: 1}]
        self.puts += [{p: 1}, dict(self.puts[t])]

    def beside(self) -> None:
        """A second place with the arcs of another, at times with other weights."""
        p = self.inner()
        if p is not None:
            q, k = self.place(), self.rng.choice([1, 1, 2])
            for row in (*self.takes, *self.puts):
                if p in row:
                    row[q] = k * row[p]

    def loop(self) -> None:
        """A step that takes what it puts, or a way back."""
        p, q = self.inner(), self.inner()
        if p is not None and q is not None:
            self.takes.append({p: 1})
            self.puts.append({p: 1} if self.rng.random() < 0.5 else {q: 1})

    def hold(self) -> None:
        """A resource that is held from one step to another, or during one."""
        if self.resources and self.rng.random() < 0.5:
            r = self.rng.choice(list(self.resources))
        elif len(self.resources) < 2:
            r = f"r{len(self.resources)}"
            self.resources[r] = self.rng.randint(1, 2)
        else:
            return
        t = self.some()
        self.takes[t].setdefault(r, 1)
        following = [u for u in range(len(self.takes)) if set(self.puts[t]) & set(self.takes[u])]
        u = self.rng.choice(following) if following and self.rng.random() < 0.6 else t
        self.puts[u].setdefault(r, self.takes[t][r])

    def disturb(self) -> None:
        """Change one arc."""
        rng, t = self.rng, self.some()
        row = rng.choice([self.takes, self.puts])[t]
        p = self.inner()
        kind = rng.choice(["add", "drop", "weigh", "move"])
        if kind == "add" and p is not None:
            row.setdefault(p, 1)
        elif kind == "drop" and len(row) > 1:
            del row[rng.choice(list(row))]
        elif kind == "weigh":
            q = rng.choice(list(row))
            row[q] = rng.randint(1, 2)
        elif p is not None and len(row) == 1 and "i" not in row and "o" not in row:
            row.clear()
            row[p] = 1

    def transition(self, k: int) -> Transition:
        rng = self.rng
        leaves: list[Output] = [PlaceOut(p, n) for p, n in self.puts[k].items()]
        output: Output = leaves[0] if len(leaves) == 1 else AndOut(tuple(leaves))
        inputs = [Input(p, Cardinality.EXACTLY, n) if n > 1 else Input(p) for p, n in self.takes[k].items()]
        if not self.special:
            return Transition(f"t{k}", tuple(inputs), output)

        def some(chance: float) -> tuple[str, ...]:
            p = self.inner()
            return (p,) if p is not None and rng.random() < chance else ()

        if rng.random() < 0.1:
            output = XorOut((output, PlaceOut(self.inner() or "o")))
        if rng.random() < 0.06:
            inputs[0] = Input(inputs[0].place, Cardinality.ALL)
        taken = {i.place for i in inputs}
        reads = tuple(p for p in some(0.06) if p not in taken)
        return Transition(f"t{k}", tuple(inputs), output, inhibitors=some(0.05), reads=reads, resets=some(0.06))
