"""Random free-choice workflow nets from a seed: clusters of places whose transitions take from all of them, with
outputs as it comes. Most are unsound; some that are sound are no block structure."""

from __future__ import annotations

from random import Random

from petri_cli.net.model import AndOut, Input, Net, Output, Place, PlaceOut, Transition


def free_choice_net(rng: Random) -> Net:
    """A net with one source ``i`` and one sink ``o``, all weights 1, whose transitions share all inputs or none."""
    inner = [f"p{k}" for k in range(rng.randint(1, 7))]
    clusters: list[list[str]] = [["i"]]
    for p in rng.sample(inner, len(inner)):
        if len(clusters) > 1 and rng.random() < 0.4:
            rng.choice(clusters[1:]).append(p)
        else:
            clusters.append([p])
    transitions: list[Transition] = []
    for cluster in clusters:
        for _ in range(rng.choice([1, 1, 2])):
            outputs = rng.sample([*inner, "o"], min(len(inner) + 1, rng.choice([1, 1, 1, 2, 2, 3])))
            leaves: list[Output] = [PlaceOut(p) for p in outputs]
            tree = leaves[0] if len(leaves) == 1 else AndOut(tuple(leaves))
            transitions.append(Transition(f"t{len(transitions)}", tuple(map(Input, cluster)), tree))
    return Net("free", tuple(map(Place, ["i", "o", *inner])), tuple(transitions), {"i": 1})
