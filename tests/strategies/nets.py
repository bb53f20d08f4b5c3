"""Hypothesis strategies for small nets: ``plain_nets()`` (place/transition nets) and ``nets()`` (every arc kind).

All of them pass :func:`petri_cli.net.rules.check_net`; they shrink towards few places, few arcs and no tokens.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

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
    Property,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)
from petri_cli.net.rules import check_net

PLACE_IDS = ("a", "b", "c", "d", "e")
TRANSITION_IDS = ("t1", "t2", "t3", "t4", "t5")

_ODD = "aZ09 _.-\t\n\r\"'`<>&#;:,|{}[]()\\/!?*@%~=+$^\x00\x07\x7f\x85\xa0éß→∞\u2028\ufeff\ufffd\uffff🙂\U0010fffd"
_WORDS = ["end", "graph", "null", "true", "no", "1e3", "0x1F", "]]>", "-->", "__proto__", "r.lock", "xml", "x" * 40]


def hostile_text(min_size: int = 1) -> SearchStrategy[str]:
    """Text without surrogates, made of what breaks naive escaping: quotes, brackets, YAML words, control characters."""
    return st.text(_ODD, min_size=min_size, max_size=4) | st.sampled_from(_WORDS)


def markings(places: tuple[str, ...], most: int = 2) -> SearchStrategy[dict[str, int]]:
    """Token counts 0…``most`` by place, empty places left out."""
    counts = st.lists(st.integers(0, most), min_size=len(places), max_size=len(places))
    return counts.map(lambda ns: {p: n for p, n in zip(places, ns, strict=True) if n})


def _ids(draw: DrawFn, usual: tuple[str, ...], least: int, most: int, hostile: bool) -> tuple[str, ...]:
    n = draw(st.integers(least, most))
    if hostile:
        ids = hostile_text().filter(str.strip)
        return tuple(draw(st.lists(ids, min_size=n, max_size=n, unique=True)))
    return usual[:n]


@st.composite
def plain_nets(
    draw: DrawFn,
    *,
    max_places: int = 5,
    max_transitions: int = 5,
    max_weight: int = 2,
    max_tokens: int = 2,
    hostile: bool = False,
) -> Net:
    """Place/transition nets with weights: inputs ``one``/``exactly``, outputs nothing, one place, or an ``and``.

    hostile: ids (and names) that are hard to write down.
    """
    places = _ids(draw, PLACE_IDS, 1, max_places, hostile)
    weights = st.integers(1, max_weight)
    some_places = st.lists(st.sampled_from(places), max_size=3, unique=True)
    transitions = []
    for tid in _ids(draw, TRANSITION_IDS, 0, max_transitions, hostile):
        inputs = tuple(_weighted(p, draw(weights)) for p in draw(some_places))
        produced = tuple(PlaceOut(p, draw(weights)) for p in draw(some_places))
        output: Output | None = AndOut(produced) if len(produced) > 1 else (produced[0] if produced else None)
        transitions.append(Transition(tid, inputs, output, name=_name(draw, hostile)))
    net = Net(
        "net",
        tuple(Place(p, _name(draw, hostile)) for p in places),
        tuple(transitions),
        initial=draw(markings(places, max_tokens)),
        final=draw(st.none() | markings(places, max_tokens)),
    )
    check_net(net)
    return net


def _weighted(place: str, k: int) -> Input:
    return Input(place) if k == 1 else Input(place, Cardinality.EXACTLY, k)


def _name(draw: DrawFn, hostile: bool) -> str:
    return draw(st.just("") | hostile_text()) if hostile else ""


@st.composite
def nets(
    draw: DrawFn,
    *,
    max_places: int = 5,
    max_transitions: int = 5,
    max_tokens: int = 2,
    hostile: bool = False,
    extras: bool = False,
) -> Net:
    """Nets with every arc kind, output trees, timings, priorities and matches.

    extras: also what does not change behaviour on counts: names, environment places, token values, properties.
    """
    places = _ids(draw, PLACE_IDS, 1, max_places, hostile)
    tids = _ids(draw, TRANSITION_IDS, 0, max_transitions, hostile)
    transitions = tuple(_transition(draw, tid, places, extras, hostile) for tid in tids)
    initial = draw(markings(places, max_tokens))
    net = Net(
        "net",
        tuple(
            Place(
                p, _name(draw, hostile and extras), environment=extras and draw(st.sampled_from([False, False, True]))
            )
            for p in places
        ),
        transitions,
        initial=initial,
        final=draw(st.none() | markings(places, max_tokens)),
        properties=draw(st.lists(properties(places), max_size=2, unique_by=lambda p: p.id).map(tuple))
        if extras
        else (),
        values=_values(draw, initial) if extras else {},
    )
    check_net(net)
    return net


def _transition(draw: DrawFn, tid: str, places: tuple[str, ...], extras: bool, hostile: bool) -> Transition:
    few = st.lists(st.sampled_from(places), max_size=2, unique=True)
    seldom: SearchStrategy[list[str]] = st.just([]) | few
    inputs = tuple(draw(_inputs(p)) for p in draw(few))
    inhibitors = tuple(draw(seldom))
    sources = tuple(i.place for i in inputs)
    output = draw(outputs(places, sources)) if draw(st.sampled_from([True, True, True, False])) else None
    return Transition(
        tid,
        inputs,
        output,
        inhibitors=inhibitors,
        reads=tuple(draw(seldom)),
        resets=tuple(draw(seldom)),
        timing=draw(st.just(IMMEDIATE) | timings()),
        priority=draw(st.sampled_from([0, 0, 0, 1, -1, 10])),
        match=_match(draw, sources, inhibitors),
        name=_name(draw, hostile and extras),
        action=_action(draw, places, sources, output) if extras else None,
    )


def _action(
    draw: DrawFn, places: tuple[str, ...], sources: tuple[str, ...], output: Output | None
) -> dict[str, object] | None:
    """Actions in the form that :mod:`petri_cli.formats.net_actions` documents."""
    kinds = ["none", "none", "none", "shell", "python", "produce", "fork"]
    kinds += ["fork of one"] if sources else []
    match draw(st.sampled_from(kinds if output else [*kinds, "passthrough"])):
        case "none":
            return None
        case "shell":
            text = hostile_text().filter(str.strip)
            words = st.tuples(text, hostile_text())
            return {"shell": draw(st.one_of(text, words))}
        case "python":
            return {"python": "billing:charge"}
        case "produce":
            return {"produce": {draw(st.sampled_from(places)): tuple(draw(st.lists(values(), max_size=2)))}}
        case "fork of one":
            return {"fork": draw(st.sampled_from(sources))}
        case kind:
            return {kind: None}


def _inputs(place: str) -> SearchStrategy[Input]:
    return st.sampled_from(
        [
            Input(place),
            Input(place),
            Input(place, Cardinality.EXACTLY, 1),
            Input(place, Cardinality.EXACTLY, 2),
            Input(place, Cardinality.ALL),
            Input(place, Cardinality.AT_LEAST, 1),
            Input(place, Cardinality.AT_LEAST, 2),
        ]
    )


def timings() -> SearchStrategy[Timing]:
    """Each kind of firing interval, with bounds from 0 s to 60 s."""
    seconds = st.sampled_from([0.0, 0.05, 1.0, 2.5, 60.0])
    above = seconds.filter(bool)
    return st.one_of(
        above.map(lambda b: Timing("deadline", 0.0, b)),
        seconds.map(lambda a: Timing("delayed", a)),
        st.tuples(seconds, seconds).map(lambda ab: Timing("window", min(ab), max(ab))),
        seconds.map(lambda a: Timing("exact", a)),
    )


def _match(draw: DrawFn, sources: tuple[str, ...], inhibitors: tuple[str, ...]) -> Match | None:
    correlated = tuple(p for p in sources if draw(st.sampled_from([False, False, True])))
    if not correlated:
        return None
    without = tuple([p for p in inhibitors if p not in sources and draw(st.sampled_from([False, True]))])
    key = st.sampled_from([None, "id", "order"])
    return Match(tuple((p, draw(key)) for p in correlated + without))


@st.composite
def outputs(draw: DrawFn, places: tuple[str, ...], sources: tuple[str, ...] = ()) -> Output:
    """Output trees over ``places``; a time-out may forward what was taken from ``sources`` (the inputs)."""
    pool = draw(st.lists(st.sampled_from(places), min_size=1, max_size=3, unique=True))
    root = _tree(draw, pool, 2)
    if not draw(st.sampled_from([False, False, True])):
        return root
    late = TimeoutOut(draw(st.sampled_from([0.05, 30.0])), _late(draw, places, sources))
    return AndOut((root, late)) if draw(st.booleans()) else XorOut((root, PlaceOut(places[0]), late))


def _late(draw: DrawFn, places: tuple[str, ...], sources: tuple[str, ...]) -> Output:
    target, other = (draw(st.sampled_from(places)) for _ in range(2))
    if not sources or draw(st.booleans()):
        return PlaceOut(other)
    source: str = draw(st.sampled_from(sources))
    forward = ForwardOut(source, target)
    return AndOut((forward, PlaceOut(other))) if target != other else forward


def _tree(draw: DrawFn, pool: list[str], depth: int) -> Output:
    """A tree without time-outs. Children of an ``and`` share no place, so that no branch names one twice."""
    kind = draw(st.sampled_from(["place", "and", "xor"])) if depth else "place"
    match kind:
        case "and":
            cut = draw(st.integers(1, len(pool)))
            parts = [part for part in (pool[:cut], pool[cut:]) if part]
            return AndOut(tuple(_tree(draw, part, depth - 1) for part in parts))
        case "xor":
            return XorOut(tuple(_tree(draw, pool, depth - 1) for _ in range(draw(st.integers(2, 3)))))
        case _:
            return PlaceOut(draw(st.sampled_from(pool)), draw(st.sampled_from([1, 1, 1, 2])))


def properties(places: tuple[str, ...]) -> SearchStrategy[Property]:
    """Each kind of property over declared places; the id is the kind and the places."""
    some = st.lists(st.sampled_from(places), min_size=1, max_size=3, unique=True).map(tuple)
    listed = st.sampled_from(["deadlockFree", "mutualExclusion", "unreachable", "terminatesAtSink"])
    bounds = st.tuples(st.integers(0, 2), st.none() | st.integers(2, 4))
    return st.one_of(
        st.builds(lambda k, ps: Property(f"{k} of {len(ps)}", k, ps), listed, some),
        st.builds(
            lambda p, n: Property(f"bound {n}", "placeBound", (p,), 0, n), st.sampled_from(places), bounds_only()
        ),
        st.builds(lambda ps, b: Property("rest", "quiescentCount", ps, b[0], b[1]), some, bounds),
    )


def bounds_only() -> SearchStrategy[int]:
    return st.integers(0, 3)


def values() -> SearchStrategy[Any]:
    """Token values as a file can hold them."""
    scalar = st.none() | st.booleans() | st.integers(-5, 2**40) | st.floats(allow_nan=False) | hostile_text(min_size=0)
    return st.recursive(
        scalar, lambda v: st.lists(v, max_size=2) | st.dictionaries(hostile_text(), v, max_size=2), max_leaves=3
    )


def _values(draw: DrawFn, initial: dict[str, int]) -> dict[str, tuple[object, ...]]:
    return {
        p: tuple(draw(st.lists(values(), min_size=n, max_size=n)))
        for p, n in initial.items()
        if draw(st.sampled_from([False, False, True]))
    }
