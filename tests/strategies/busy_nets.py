"""Random nets in which a lot happens: few places, many conflicts, tokens that come back to where they were taken.

Made from a seed instead of single draws: a hundred times faster than a hypothesis strategy, at the price of shrinking.
"""

from __future__ import annotations

import random

from petri_cli.net.model import (
    IMMEDIATE,
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Output,
    Place,
    PlaceOut,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)
from petri_cli.net.rules import check_net

SECONDS = [0.0, 0.05, 0.05, 0.1, 1.0]


def busy_net(seed: int) -> Net:
    """The net of ``seed``: up to 4 places and 5 transitions with every arc kind, timing, priority and match."""
    rng = random.Random(seed)  # noqa: S311
    places = ["a", "b", "c", "d"][: rng.randint(2, 4)]
    timed, ranked = rng.random() < 0.45, rng.random() < 0.4
    transitions = [_transition(rng, f"t{i}", places, timed, ranked) for i in range(rng.randint(1, 5))]
    net = Net("net", tuple(map(Place, places)), tuple(transitions), {p: rng.randint(0, 4) for p in places})
    check_net(net)
    return net


def _transition(rng: random.Random, tid: str, places: list[str], timed: bool, ranked: bool) -> Transition:
    sources = rng.sample(places, rng.choice([0] + [1] * 8 + [2] * 8))
    inhibitors = tuple(rng.sample(places, rng.choice([0, 0, 0, 1])))
    return Transition(
        tid,
        tuple(_input(rng, p) for p in sources),
        _output(rng, places, sources) if rng.random() < 0.9 else None,
        inhibitors,
        tuple(rng.sample(places, rng.choice([0, 0, 0, 1]))),
        tuple(rng.sample(places, rng.choice([0, 0, 0, 0, 1]))),
        _timing(rng) if timed else IMMEDIATE,
        rng.choice([0, 0, 0, 1, -1]) if ranked else 0,
        _match(rng, sources, inhibitors) if sources and rng.random() < 0.3 else None,
    )


def _input(rng: random.Random, place: str) -> Input:
    one = Input(place)
    k = Cardinality
    return rng.choice(
        [one, one, one, Input(place, k.EXACTLY, 2), Input(place, k.ALL), Input(place, k.AT_LEAST, rng.randint(1, 2))]
    )


def _match(rng: random.Random, sources: list[str], inhibitors: tuple[str, ...]) -> Match:
    keyed = [p for p in sources if rng.random() < 0.8] or sources[:1]
    keyed += [p for p in inhibitors if p not in sources and rng.random() < 0.7]
    return Match(tuple((p, rng.choice([None, None, "id", ".."])) for p in keyed))


def _timing(rng: random.Random) -> Timing:
    kind = rng.choice(["immediate", "immediate", "deadline", "delayed", "window", "exact"])
    match kind:
        case "immediate":
            return IMMEDIATE
        case "deadline":
            return Timing(kind, 0.0, rng.choice(SECONDS[1:]))
        case "window":
            return Timing(kind, *sorted([rng.choice(SECONDS), rng.choice(SECONDS)]))
        case _:
            return Timing(kind, rng.choice(SECONDS))


def _output(rng: random.Random, places: list[str], sources: list[str]) -> Output:
    pool = sources + rng.sample(places, len(places)) if rng.random() < 0.5 else rng.sample(places, len(places))
    tree = _tree(rng, list(dict.fromkeys(pool)), 2)
    if rng.random() > 0.2:
        return tree
    late: Output = PlaceOut(rng.choice(places), rng.choice([1, 2]))
    if sources and rng.random() < 0.6:
        late = ForwardOut(sources[0], rng.choice(places))
    after = TimeoutOut(0.05, late)
    return XorOut((tree, PlaceOut(places[0]), after)) if rng.random() < 0.5 else AndOut((tree, after))


def _tree(rng: random.Random, pool: list[str], depth: int) -> Output:
    kind = rng.choice(["place", "place", "and", "xor"]) if depth else "place"
    if kind == "xor":
        return XorOut((_tree(rng, pool, depth - 1), _tree(rng, pool, depth - 1)))
    if kind == "and" and len(pool) > 1:
        cut = rng.randint(1, len(pool) - 1)
        return AndOut((_tree(rng, pool[:cut], depth - 1), _tree(rng, pool[cut:], depth - 1)))
    return PlaceOut(pool[0] if rng.random() < 0.5 else rng.choice(pool))
