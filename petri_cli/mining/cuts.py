"""Cuts of a directly-follows graph: how a log falls into parts of a choice, a sequence, a parallel block or a loop.

S. J. J. Leemans, D. Fahland and W. M. P. van der Aalst, "Discovering Block-Structured Process Models from Event Logs: A
Constructive Approach", Petri Nets 2013, definitions 2 to 4 and section 4. Sets of activities are bit masks: bit a is
activity a. Each function answers with the parts, or with one part at most where there is no such cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from petri_cli.mining.log import Trace


@dataclass(frozen=True, slots=True)
class Graph:
    """alphabet: all activities; after, before: activity → those that directly follow it, and that it follows; starts,
    ends: first and last activities of traces."""

    alphabet: int
    after: Mapping[int, int]
    before: Mapping[int, int]
    starts: int
    ends: int


def graph_of(traces: Iterable[Trace]) -> Graph:
    """The graph of a log; empty traces say nothing."""
    seen: set[int] = set()
    pairs: set[tuple[int, int]] = set()
    starts: set[int] = set()
    ends: set[int] = set()
    for trace in traces:
        if trace:
            seen.update(trace)
            pairs.update(pairwise(trace))
            starts.add(trace[0])
            ends.add(trace[-1])
    return graph_from(seen, pairs, starts, ends)


def graph_from(
    alphabet: Iterable[int], pairs: Iterable[tuple[int, int]], starts: Iterable[int], ends: Iterable[int]
) -> Graph:
    """A graph from its parts."""
    alphabet = set(alphabet)
    after = dict.fromkeys(sorted(alphabet), 0)
    before = dict.fromkeys(sorted(alphabet), 0)
    for a, b in pairs:
        after[a] |= 1 << b
        before[b] |= 1 << a
    return Graph(mask_of(alphabet), after, before, mask_of(starts), mask_of(ends))


def mask_of(activities: Iterable[int]) -> int:
    mask = 0
    for a in activities:
        mask |= 1 << a
    return mask


def members(mask: int) -> Iterator[int]:
    """The activities of a mask, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def choice_cut(graph: Graph) -> list[int]:
    """Parts that no edge connects, the one with the first activity first."""
    return components(graph.alphabet, lambda a: graph.after[a] | graph.before[a])


def sequence_cut(graph: Graph) -> list[int]:
    """Parts in order, each reaching the next and never back; those that can only be left out together are one part."""
    if strongly_connected(graph):
        return [graph.alphabet]
    reach, reached = _reach(graph.after, graph.before), _reach(graph.before, graph.after)
    alphabet = graph.alphabet

    def together(a: int) -> int:
        """Those that a and they reach one another, or neither the other."""
        return reach[a] & reached[a] | alphabet & ~(reach[a] | reached[a])

    parts = components(alphabet, together)
    if len(parts) < 2:
        return parts
    parts.sort(key=lambda part: -(reach[(part & -part).bit_length() - 1] & ~part).bit_count())
    return _skipped_together(graph, parts)


def _skipped_together(graph: Graph, parts: list[int]) -> list[int]:
    """Join to each part that a trace can pass over those beside it that are taken only with it.

    Without this, a step and the next one that are both left out now and then would be left out each for itself. (S. J.
    J. Leemans, "Robust Process Mining with Guarantees", 2017, the strict sequence cut.)
    """
    n = len(parts)
    of = {a: k for k, part in enumerate(parts) for a in members(part)}
    # How far back the steps into a part come from, and how far ahead those out of it lead; −1 and n: the trace's ends.
    first = [-1 if graph.starts & part else n for part in parts]
    last = [n if graph.ends & part else -1 for part in parts]
    for a, there in graph.after.items():
        for b in members(there):
            k, m = of[a], of[b]
            if k != m:
                first[m] = min(first[m], k)
                last[k] = max(last[k], m)
    glued = [False] * n
    """Whether part k is one with the part before it."""
    furthest = max(of[a] for a in members(graph.starts))
    for k in range(n):
        if furthest > k:  # a step leads from before part k, or the start, to behind it
            low = high = k
            while low > 0 and last[low - 1] <= k:
                low -= 1
            while high < n - 1 and first[high + 1] >= k:
                high += 1
            glued[low + 1 : high + 1] = [True] * (high - low)
        furthest = max(furthest, last[k])
    found: list[int] = []
    for part, whole in zip(parts, glued, strict=True):
        if whole:
            found[-1] |= part
        else:
            found.append(part)
    return found


def parallel_cut(graph: Graph, apart: Mapping[int, int] | None = None) -> list[int]:
    """Parts of which every activity follows every one of the others, and each can begin and end a trace.

    apart: activity → those that may not be in another part (see :func:`between`).
    """
    alphabet, after, before = graph.alphabet, graph.after, graph.before
    barred = apart or {}
    parts = components(alphabet, lambda a: alphabet & ~(after[a] & before[a]) | barred.get(a, 0))
    if len(parts) < 2:
        return parts
    whole = [p for p in parts if p & graph.starts and p & graph.ends]
    rest = [p for p in parts if not (p & graph.starts and p & graph.ends)]
    # What can only begin goes with what can only end; what is left over goes to the first part.
    begins = [p for p in rest if p & graph.starts]
    finishes = [p for p in rest if p & graph.ends]
    whole += [a | b for a, b in zip(begins, finishes, strict=False)]
    paired = min(len(begins), len(finishes))
    left = [p for p in rest if p not in begins[:paired] and p not in finishes[:paired]]
    if not whole:
        return [alphabet]
    for part in left:
        whole[0] |= part
    return sorted(whole, key=_first)


def between(traces: Iterable[Trace]) -> dict[int, int]:
    """Activity → those that stood between two of it, where the two stood as close as they ever do; both ways.

    Activities of two parallel parts never need one another for a repetition (section 5, minimum self-distance).
    """
    closest: dict[int, int] = {}
    inside: dict[int, int] = {}
    for trace in traces:
        last: dict[int, int] = {}
        for k, a in enumerate(trace):
            if a in last:
                gap = k - last[a] - 1
                known = closest.get(a)
                if known is None or gap < known:
                    closest[a], inside[a] = gap, mask_of(trace[last[a] + 1 : k])
                elif gap == known and gap:
                    inside[a] |= mask_of(trace[last[a] + 1 : k])
            last[a] = k
    both = dict(inside)
    for a, there in inside.items():
        for b in members(there):
            both[b] = both.get(b, 0) | 1 << a
    return both


def loop_cut(graph: Graph) -> list[int]:
    """The body first, then the ways back from its ends to its starts."""
    body = graph.starts | graph.ends
    outside = graph.alphabet & ~body
    parts = components(outside, lambda a: graph.after[a] | graph.before[a])
    ways = []
    for part in parts:
        if all(_leads_back(graph, a, part) for a in members(part)):
            ways.append(part)
        else:
            body |= part
    return [body, *ways]


def _leads_back(graph: Graph, a: int, part: int) -> bool:
    """Whether ``a`` is entered from outside its part by all ends or none, and left to all starts or none."""
    entered, left = graph.before[a] & ~part, graph.after[a] & ~part
    return entered in (0, graph.ends) and left in (0, graph.starts)


def components(alphabet: int, neighbours: Callable[[int], int]) -> list[int]:
    """The connected components of a symmetric relation, the one with the first activity first."""
    found = []
    rest = alphabet
    while rest:
        part = todo = rest & -rest
        rest ^= part
        while todo and rest:
            low = todo & -todo
            todo ^= low
            new = neighbours(low.bit_length() - 1) & rest
            part |= new
            todo |= new
            rest &= ~new
        found.append(part)
    return found


def _first(mask: int) -> int:
    return (mask & -mask).bit_length()


def _reach(after: Mapping[int, int], before: Mapping[int, int]) -> dict[int, int]:
    """Activity → those that some path leads to, itself included."""
    reach: dict[int, int] = {}
    for component in reversed(_strong_components(after, before)):
        found = component
        for a in members(component):
            found |= after[a]
        ahead = found & ~component
        while ahead:
            there = reach[(ahead & -ahead).bit_length() - 1]
            found |= there
            ahead &= ~there
        reach |= dict.fromkeys(members(component), found)
    return reach


def _strong_components(after: Mapping[int, int], before: Mapping[int, int]) -> list[int]:
    """The strongly connected components, each before those it leads to (Kosaraju 1978, Sharir 1981)."""
    left: list[int] = []
    """Activities in the order in which a depth-first search is done with them."""
    fresh = mask_of(after)
    for root in after:
        if not fresh >> root & 1:
            continue
        fresh ^= 1 << root
        stack = [root]
        while stack:
            new = after[stack[-1]] & fresh
            if new:
                low = new & -new
                fresh ^= low
                stack.append(low.bit_length() - 1)
            else:
                left.append(stack.pop())
    found = []
    rest = mask_of(after)
    for a in reversed(left):
        if rest >> a & 1:
            found.append(spread(before, 1 << a, rest))
            rest &= ~found[-1]
    return found


def strongly_connected(graph: Graph) -> bool:
    """Whether each activity reaches each other one."""
    first = graph.alphabet & -graph.alphabet
    return (
        spread(graph.after, first, graph.alphabet) == graph.alphabet
        and spread(graph.before, first, graph.alphabet) == graph.alphabet
    )


def spread(edges: Mapping[int, int], start: int, within: int) -> int:
    """What ``edges`` lead to from ``start`` without leaving ``within``."""
    found = todo = start
    while todo and found != within:
        low = todo & -todo
        todo ^= low
        new = edges[low.bit_length() - 1] & within & ~found
        found |= new
        todo |= new
    return found
