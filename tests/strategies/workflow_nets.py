"""Random workflow nets from a seed: blocks put together well, then with some joins and splits of the wrong kind, stray
arcs, resources, and (on demand) the special arc kinds. About half of them are sound."""

from __future__ import annotations

from random import Random

from petri_cli.net.model import (
    AndOut,
    Cardinality,
    Input,
    Net,
    Output,
    Place,
    PlaceOut,
    TimeoutOut,
    Transition,
    XorOut,
)


def workflow_net(rng: Random, *, special: bool = False, wrong: float = 0.2) -> Net:
    """A net with one source ``i``, one sink ``o`` and up to two resources; without a final marking.

    special: also xor and time-out outputs, reads, inhibitors, resets and draining inputs. wrong: how often a block is
    put together wrongly.
    """
    return _Builder(rng, special, wrong).net()


class _Builder:
    def __init__(self, rng: Random, special: bool, wrong: float) -> None:
        self.rng, self.special, self.wrong = rng, special, wrong
        self.places = ["i", "o"]
        self.arcs: list[tuple[list[str], list[str]]] = []
        self.resources = {f"r{k}": rng.randint(1, 2) for k in range(rng.choice([0, 0, 0, 1, 2]))}

    def net(self) -> Net:
        self.block("i", "o", self.rng.randint(1, 4))
        if self.rng.random() < 2 * self.wrong:
            self.arcs[self.rng.randrange(len(self.arcs))][1].append(self.rng.choice(self.places[1:]))
        transitions = [self.transition(k, ins, outs) for k, (ins, outs) in enumerate(self.arcs)]
        self.rng.shuffle(transitions)
        used = {r for r in self.resources if any(r in ins for ins, _ in self.arcs)}
        initial = {"i": 1, **{r: n for r, n in self.resources.items() if r in used}}
        places = [*self.places, *sorted(used)]
        return Net("workflow", tuple(Place(p) for p in places), tuple(transitions), initial)

    def place(self) -> str:
        self.places.append(f"p{len(self.places) - 2}")
        return self.places[-1]

    def task(self, entry: str, exit_: str) -> None:
        self.arcs.append(([entry], [exit_]))

    def block(self, entry: str, exit_: str, depth: int) -> None:
        """A fragment from ``entry`` to ``exit_``."""
        rng = self.rng
        kind = rng.choice(["seq", "xor", "and", "loop", "guard", "task"]) if depth else "task"
        match kind:
            case "seq":
                middle = self.place()
                self.block(entry, middle, depth - 1)
                self.block(middle, exit_, depth - 1)
            case "xor":
                for _ in range(2):
                    self.branch(entry, exit_, depth)
            case "and":
                self.parallel(entry, exit_, depth)
            case "loop":
                middle = self.place()
                self.block(entry, middle, depth - 1)
                self.task(middle, exit_)
                back = self.place()
                self.task(middle, back)
                self.task(back, entry if entry != "i" else middle)
            case "guard" if self.resources:
                r = rng.choice(sorted(self.resources))
                a, b = self.place(), self.place()
                self.arcs.append(([entry, r], [a]))
                self.block(a, b, depth - 1)
                self.arcs.append(([b], [exit_, r]))
                if rng.random() < self.wrong:  # a way out that keeps the unit
                    self.task(b, exit_)
            case _:
                self.task(entry, exit_)

    def branch(self, entry: str, exit_: str, depth: int) -> None:
        a, b = self.place(), self.place()
        self.task(entry, a)
        self.block(a, b, depth - 1)
        self.task(b, exit_)

    def parallel(self, entry: str, exit_: str, depth: int) -> None:
        starts, ends = [self.place(), self.place()], [self.place(), self.place()]
        if self.rng.random() < self.wrong:
            for s in starts:  # a choice that is joined as if it were parallel
                self.task(entry, s)
        else:
            self.arcs.append(([entry], starts))
        for s, e in zip(starts, ends, strict=True):
            self.block(s, e, depth - 1)
        if self.rng.random() < self.wrong:
            for e in ends:  # parallel branches that are not joined
                self.task(e, exit_)
        else:
            self.arcs.append((ends, [exit_]))

    def transition(self, k: int, ins: list[str], outs: list[str]) -> Transition:
        rng = self.rng
        leaves: list[Output] = [PlaceOut(p) for p in dict.fromkeys(outs)]
        output: Output = leaves[0] if len(leaves) == 1 else AndOut(tuple(leaves))
        inputs = [Input(p) for p in dict.fromkeys(ins)]
        if not self.special:
            return Transition(f"t{k}", tuple(inputs), output)
        inner = [p for p in self.places if p not in "io"] or ["o"]

        def some(chance: float) -> tuple[str, ...]:
            return (rng.choice(inner),) if rng.random() < chance else ()

        if rng.random() < 0.15:
            other = PlaceOut(rng.choice(self.places[1:]))
            output = XorOut((output, other)) if rng.random() < 0.5 else XorOut((output, other, TimeoutOut(1.0, other)))
        if rng.random() < 0.1:
            inputs[0] = Input(inputs[0].place, Cardinality.ALL)
        return Transition(f"t{k}", tuple(inputs), output, inhibitors=some(0.08), reads=some(0.05), resets=some(0.08))
