"""The outcomes of a firing: what an output tree can put, each way as the leaves that receive tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from petri_cli.net.model import AndOut, BrokenRule, ForwardOut, Output, PlaceOut, TimeoutOut, XorOut


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way a firing can end: the leaves that receive tokens. ``timeout`` marks a time-out outcome."""

    leaves: tuple[PlaceOut | ForwardOut, ...]
    timeout: bool = False


MAX_OUTCOMES = 4096
"""More xor combinations than this in one output tree are refused: they would be enumerated for each firing."""


def outcomes(output: Output | None) -> tuple[Outcome, ...]:
    """Every outcome of a firing, in document order: one a complete xor choice, then one for each time-out branch.

    An action that ends in time may itself write what is declared under a ``timeout``: the branch is chosen like any
    other, and a forward then stands for its target, one token. A time-out is an outcome of its own, in which a forward
    puts as many tokens as were consumed. Without a declared output, the one outcome is empty.
    """
    if output is None:
        return (Outcome(()),)
    if isinstance(output, PlaceOut):
        return (Outcome((output,)),)
    if isinstance(output, AndOut) and all(isinstance(c, PlaceOut) for c in output.children):
        return (Outcome(output.children),)  # type: ignore[arg-type]  # just checked
    normal, timeouts = _expand(output)
    return tuple([Outcome(o) for o in normal] + [Outcome(o, timeout=True) for o in timeouts])


_Leaves = tuple[PlaceOut | ForwardOut, ...]


def late_leaves(timeout: TimeoutOut) -> tuple[PlaceOut | ForwardOut, ...]:
    """What a time-out deposits: its child's first choice."""
    return _expand(timeout.child, late=True)[0][0]


def _expand(root: Output, *, late: bool = False) -> tuple[list[_Leaves], list[_Leaves]]:
    """(normal outcomes, time-out outcomes) of an output tree, by an explicit post-order walk.

    late: the tree stands under a time-out that struck: forwards forward, an inner time-out stands for its child.
    """
    results: list[tuple[list[_Leaves], list[_Leaves]]] = []
    stack: list[tuple[Output, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        match node:
            case PlaceOut() | ForwardOut():
                results.append(([(node,)], []))
            case TimeoutOut(_, child) if not done:
                stack += [(node, True), (child, False)]
            case TimeoutOut() if late:
                pass  # no clock runs any more: it stands for its child
            case TimeoutOut(_, child):
                normal, timeouts = results.pop()
                results.append(([_written(leaves) for leaves in normal], _expand(child, late=True)[0] + timeouts))
            case AndOut(children) | XorOut(children) if not done:
                stack.append((node, True))
                stack.extend((c, False) for c in reversed(children))
            case AndOut(children) | XorOut(children):
                parts = results[len(results) - len(children) :]
                del results[len(results) - len(children) :]
                made = list(zip(children, (normal for normal, _ in parts), strict=True))
                normal = _all_of(made) if isinstance(node, AndOut) else _one_of(made, late=late)
                results.append((normal, [o for _, timeouts in parts for o in timeouts]))
            case other:
                assert_never(other)
    return results[0]


def _all_of(children: Sequence[tuple[Output, list[_Leaves]]]) -> list[_Leaves]:
    """Every combination of one outcome a child of an ``and``.

    What a time-out would write comes last, and only where nothing else writes it.
    """
    product: list[_Leaves] = [()]
    for child, normal in sorted(children, key=_timed):
        extra = isinstance(child, TimeoutOut)
        product = [a + (_new(b, a) if extra else b) for a in product for b in normal]
        if len(product) > MAX_OUTCOMES:
            raise BrokenRule(f"an output tree has more than {MAX_OUTCOMES} outcomes", "output")
    return product


def _one_of(children: Sequence[tuple[Output, list[_Leaves]]], *, late: bool) -> list[_Leaves]:
    """The outcomes of the children of a ``xor``. What a time-out would write is no second way to write the same."""
    choices: list[_Leaves] = []
    for timed in (False,) if late else (False, True):
        for child, normal in children:
            if isinstance(child, TimeoutOut) == timed:
                known = {_places(o) for o in choices} if timed else set()
                choices += [o for o in normal if _places(o) not in known]
    return choices


def _written(leaves: _Leaves) -> _Leaves:
    """The leaves as an action writes them: a forward stands for its target."""
    return tuple(PlaceOut(leaf.target) if isinstance(leaf, ForwardOut) else leaf for leaf in leaves)


def _timed(child: tuple[Output, object]) -> bool:
    return isinstance(child[0], TimeoutOut)


def _new(leaves: _Leaves, known: _Leaves) -> _Leaves:
    """The leaves whose place is not among the known ones."""
    return tuple(leaf for leaf in leaves if not _places((leaf,)) & _places(known))


def _places(leaves: _Leaves) -> frozenset[str]:
    return frozenset(leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves)
