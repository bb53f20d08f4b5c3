"""The alpha algorithm, exactly as published, and where it is blind on the log at hand.

W. M. P. van der Aalst, A. J. M. M. Weijters and L. Maruster, "Workflow Mining: Discovering Process Models from Event
Logs", IEEE TKDE 16(9), 2004, definition 3.3. A place stands for a maximal pair (A, B): each activity of A causes each
one of B, and no two of A, nor of B, ever follow one another. Such pairs are cliques of a graph with a left and a right
copy of every activity; the maximal ones are enumerated around each causal pair (Bron and Kerbosch 1973, with pivots).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from petri_cli.errors import PetriError
from petri_cli.mining.dfg import DirectlyFollows, directly_follows
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.net.model import AndOut, Input, Net, Output, Place, PlaceOut, Transition

MAX_PLACES = 20_000
"""More pairs than this are refused: nobody could read such a net, and there may be exponentially many."""

SOURCE, SINK = "start", "end"

Pair = tuple[tuple[int, ...], tuple[int, ...]]
"""(A, B), each ascending codes of activities."""


@dataclass(frozen=True, slots=True)
class AlphaNet:
    """pairs: the inner places; unconnected: activities without a place before or behind them; self_loops: that were
    seen to follow themselves; short_loops: pairs seen as a b a: the algorithm takes them for parallel."""

    model: LabelledNet
    activities: tuple[str, ...]
    pairs: tuple[Pair, ...]
    unconnected: tuple[str, ...]
    self_loops: tuple[str, ...]
    short_loops: tuple[tuple[str, str], ...]

    def warnings(self) -> list[str]:
        """Where the algorithm cannot see what this log says, a sentence each."""
        found = [f"`{a}` follows itself: a loop of one activity is invisible to alpha" for a in self.self_loops]
        found += [
            f"`{a}` and `{b}` alternate: alpha takes a loop of two activities for things done in parallel"
            for a, b in self.short_loops
        ]
        found += [
            f"`{a}` lacks a place before it or behind it: this net does not say when it happens"
            for a in self.unconnected
        ]
        return found


def alpha(log: Log) -> AlphaNet:
    """The net of ``log``. Raises PetriError ``PETRI_TOO_MANY_PLACES`` past ``MAX_PLACES``."""
    graph = directly_follows(log).by_name()
    pairs = tuple(sorted(_maximal_pairs(graph)))
    used = sorted(graph.occurrences)
    names = graph.activities
    return AlphaNet(
        _net(graph, pairs),
        names,
        pairs,
        tuple(names[a] for a in used if _unconnected(a, graph, pairs)),
        tuple(names[a] for a in used if (a, a) in graph.follows),
        _alternating(log),
    )


def _unconnected(a: int, graph: DirectlyFollows, pairs: tuple[Pair, ...]) -> bool:
    """Whether ``a`` lacks a place before it or behind it."""
    before = a in graph.starts or any(a in right for _, right in pairs)
    behind = a in graph.ends or any(a in left for left, _ in pairs)
    return not (before and behind)


def _alternating(log: Log) -> tuple[tuple[str, str], ...]:
    """Pairs of which a b a or b a b occurs."""
    found: set[tuple[int, int]] = set()
    for trace in log.variants:
        for a, b, c in zip(trace, trace[1:], trace[2:], strict=False):
            if a == c and a != b:
                found.add((min(a, b), max(a, b)))
    named = ((log.activities[a], log.activities[b]) for a, b in found)
    return tuple(sorted((min(pair), max(pair)) for pair in named))


def _maximal_pairs(graph: DirectlyFollows) -> set[Pair]:
    """All maximal pairs, as sets in bit masks: bit a is activity a."""
    n = len(graph.activities)
    after = [0] * n
    before = [0] * n
    for a, b in graph.follows:
        after[a] |= 1 << b
        before[b] |= 1 << a
    everything = (1 << n) - 1
    causes = [after[a] & ~before[a] for a in range(n)]
    caused = [before[a] & ~after[a] for a in range(n)]
    unrelated = [everything & ~(after[a] | before[a]) for a in range(n)]
    looping = sum(1 << a for a in range(n) if after[a] >> a & 1)
    found: set[Pair] = set()
    for a in range(n):
        if looping >> a & 1:
            continue
        for b in _bits(causes[a] & ~looping):
            left = unrelated[a] & caused[b] & ~looping & ~(1 << a)
            right = unrelated[b] & causes[a] & ~looping & ~(1 << b)
            for lefts, rights in _cliques(left, right, n, causes, caused, unrelated):
                found.add((tuple(_bits(lefts | 1 << a)), tuple(_bits(rights | 1 << b))))
                if len(found) > MAX_PLACES:
                    message = f"the alpha algorithm finds more than {MAX_PLACES:,} places in this log"
                    raise PetriError("PETRI_TOO_MANY_PLACES", message, hint="--algorithm inductive, or filter the log")
    return found


def _cliques(
    left: int, right: int, n: int, causes: list[int], caused: list[int], unrelated: list[int]
) -> Iterator[tuple[int, int]]:
    """The maximal cliques among the candidates ``left`` and ``right``, as (left mask, right mask).

    Vertex a is the left copy of activity a, vertex n + b the right copy of b.
    """

    def neighbours(v: int) -> int:
        if v < n:
            return unrelated[v] & ~(1 << v) | causes[v] << n
        return caused[v - n] | (unrelated[v - n] & ~(1 << v - n)) << n

    # (clique, candidates, excluded)
    stack = [(0, left | right << n, 0)]
    low = (1 << n) - 1
    while stack:
        clique, candidates, excluded = stack.pop()
        if not candidates:
            if not excluded:
                yield clique & low, clique >> n
            continue
        pivot = max(_bits(candidates | excluded), key=lambda v: (candidates & neighbours(v)).bit_count())
        for v in _bits(candidates & ~neighbours(pivot)):
            around = neighbours(v)
            stack.append((clique | 1 << v, candidates & around, excluded & around))
            candidates &= ~(1 << v)
            excluded |= 1 << v


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _net(graph: DirectlyFollows, pairs: tuple[Pair, ...]) -> LabelledNet:
    names = graph.activities
    used = sorted(graph.occurrences)
    into: dict[int, list[str]] = {a: [SOURCE] if a in graph.starts else [] for a in used}
    out: dict[int, list[str]] = {a: [] for a in used}
    places = [SOURCE]
    for left, right in pairs:
        place = f"{_set(left, names)} > {_set(right, names)}"
        places.append(place)
        for a in left:
            out[a].append(place)
        for b in right:
            into[b].append(place)
    places.append(SINK)
    for a in graph.ends:
        out[a].append(SINK)
    transitions = tuple(
        Transition(f"t.{names[a]}", tuple(Input(p) for p in into[a]), _produces(out[a]), name=names[a]) for a in used
    )
    net = Net("alpha", tuple(Place(p) for p in places), transitions, {SOURCE: 1}, {SINK: 1})
    return LabelledNet(net, {f"t.{names[a]}": names[a] for a in used})


def _produces(places: list[str]) -> Output | None:
    if not places:
        return None
    return PlaceOut(places[0]) if len(places) == 1 else AndOut(tuple(PlaceOut(p) for p in places))


def _set(activities: tuple[int, ...], names: tuple[str, ...]) -> str:
    told = ", ".join(names[a] for a in activities)
    return told if len(activities) == 1 else f"{{{told}}}"
