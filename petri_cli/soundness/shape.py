"""The workflow shape of a net: where it starts, where it ends, and which places are resources.

A *workflow net* (van der Aalst, "The Application of Petri Nets to Workflow Management", 1998, def. 6) has one source
place (nothing puts tokens into it), one sink place (nothing takes tokens from it), and every node lies on a path from
the source to the sink. Here it may also have *resources*: places other than the source that are marked at the start and
are both taken from and given back to (or are only read). They are left out when paths are looked for, and at the end
each must hold what it held at the start (van Hee, Sidorova, Voorhoeve, "Resource-Constrained Workflow Nets", 2006).

Soundness needs a start and an end. Without one source and one sink there is nothing to judge: that is an error. A node
on no path leaves both in place: that is a warning, and the three conditions say what it does to the net. A net that
declares a final marking needs no shape at all: the final marking says what its end is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from petri_cli.errors import PetriError, Problem
from petri_cli.net.model import Marking, Net, PlaceOut, leaves

NOT_WORKFLOW = "PETRI_NOT_WORKFLOW_NET"
MAX_NAMED = 5
"""Nodes that one message names."""


@dataclass(frozen=True, slots=True)
class Target:
    """What soundness is asked of: ``net`` has an initial and a final marking.

    sink: the sink place of a workflow net; None where a final marking was declared. warnings: nodes on no path.
    """

    net: Net
    final: Marking
    sink: str | None
    resources: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()

    @property
    def end(self) -> Marking:
        """The tokens by which the end is marked: one on the sink, or the whole declared final marking."""
        return self.final if self.sink is None else {self.sink: 1}

    def is_end(self, marking: Marking) -> bool:
        """Whether ``marking`` has the end marked, be it the final marking or not."""
        return all(marking.get(p, 0) >= n for p, n in self.end.items())


def target_of(net: Net) -> Target:
    """Where ``net`` starts and where it should end.

    The declared final marking if there is one; otherwise one token on the sink and every resource as at the start.
    It starts with the marking that it has: what a net without any means is for :mod:`petri_cli.net.start` to say.

    Raises PetriError ``PETRI_NOT_WORKFLOW_NET``, which names every place that is in the way.
    """
    if net.final is not None:
        final = {p: n for p, n in net.final.items() if n}
        return Target(replace(net, final=final), final, None)
    shape = _Shape(net, _Arcs(net))
    faults = shape.faults()
    if faults:
        raise _not_workflow("; ".join(faults))
    final = {shape.sinks[0]: 1, **{r: net.initial[r] for r in shape.resources}}
    whole = replace(net, final=final)
    warnings = [Problem(NOT_WORKFLOW, why, severity="warning") for why in shape.off_path()]
    return Target(whole, final, shape.sinks[0], shape.resources, tuple(warnings))


class _Arcs:
    """Who takes from, puts into and reads a place, and the graph of the arcs that move tokens or read them.

    A node of the graph is the id of a place or the index of a transition.
    """

    def __init__(self, net: Net) -> None:
        self.taken: set[str] = set()
        self.put: set[str] = set()
        self.read: set[str] = set()
        self.follow: dict[_Node, list[_Node]] = {p.id: [] for p in net.places}
        self.before: dict[_Node, list[_Node]] = {p.id: [] for p in net.places}
        for k, t in enumerate(net.transitions):
            given = [leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves(t.output)]
            taken = [i.place for i in t.inputs]
            self.taken.update(taken)
            self.put.update(given)
            self.read.update(t.reads)
            taken += t.reads
            self.follow[k], self.before[k] = list[_Node](given), list[_Node](taken)
            for p in taken:
                self.follow[p].append(k)
            for p in given:
                self.before[p].append(k)


class _Shape:
    """Sources, sinks and resources of a net, and what speaks against its being a workflow net."""

    def __init__(self, net: Net, arcs: _Arcs) -> None:
        self._net, self._arcs = net, arcs
        marked = [p.id for p in net.places if net.initial.get(p.id)]
        constant = {p for p in marked if p in arcs.read and p not in arcs.taken and p not in arcs.put}
        self.resources = tuple(p for p in marked if p in constant or (p in arcs.taken and p in arcs.put))
        self.sources = [p.id for p in net.places if p.id not in arcs.put and p.id not in constant]
        self.sinks = [p.id for p in net.places if p.id not in arcs.taken and p.id not in constant]

    def faults(self) -> list[str]:
        net = self._net
        undeclared = sorted(set(net.initial) - set(net.place_ids()))
        faults = [f"tokens lie on {_named(undeclared)}, which no arc touches"] if undeclared else []
        if not net.transitions:
            return [*faults, "it has no transition"]
        faults += _one(self.sources, "source place (without incoming arcs)")
        faults += _one(self.sinks, "sink place (without outgoing arcs)")
        if len(self.sources) == len(self.sinks) == 1:
            at_source = net.initial.get(self.sources[0], 0)
            if at_source != 1:
                faults.append(f"the source place {self.sources[0]!r} starts with {_many(at_source, 'token')}, not 1")
        return faults

    def off_path(self) -> list[str]:
        """What lies on no path from source to sink once the resources are left out."""
        source, sink = self.sources[0], self.sinks[0]
        arcs, left_out = self._arcs, self.resources
        on_path = _reached(source, arcs.follow, left_out) & _reached(sink, arcs.before, left_out)
        if not on_path:
            return [f"no path leads from the source {source!r} to the sink {sink!r}"]
        if len(on_path) + len(left_out) == len(arcs.follow):
            return []
        places = [p.id for p in self._net.places if p.id not in left_out and p.id not in on_path]
        transitions = [t.id for k, t in enumerate(self._net.transitions) if k not in on_path]
        faults = []
        for kind, nodes in (("place", places), ("transition", transitions)):
            if nodes:
                many = len(nodes) > 1
                faults.append(
                    f"the {kind}{'s' if many else ''} {_named(nodes)} {'lie' if many else 'lies'} on no path "
                    f"from {source!r} to {sink!r}"
                )
        if faults and self.resources:
            faults[-1] += f" ({_named(self.resources)} taken for resources: marked at the start and given back to)"
        return faults


_Node = str | int
"""A place by id, a transition by index."""


def _reached(start: _Node, follow: Mapping[_Node, Sequence[_Node]], without: Iterable[str]) -> set[_Node]:
    """The nodes that arcs lead to from ``start``, itself included, where none leads through ``without``."""
    found: set[_Node] = {start, *without}
    todo = [start]
    while todo:
        for n in follow[todo.pop()]:
            if n not in found:
                found.add(n)
                todo.append(n)
    return found.difference(without)


def _one(nodes: Sequence[str], what: str) -> list[str]:
    if len(nodes) == 1:
        return []
    if not nodes:
        return [f"it has no {what}"]
    return [f"it has {len(nodes)} {what.replace(' place', ' places', 1)}: {_named(nodes)}"]


def _named(nodes: Sequence[str]) -> str:
    """The first few of ``nodes``, quoted, and how many more there are."""
    shown = [repr(n) for n in nodes[:MAX_NAMED]]
    if len(nodes) > MAX_NAMED:
        shown.append(f"{len(nodes) - MAX_NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _not_workflow(why: str) -> PetriError:
    return PetriError(
        NOT_WORKFLOW,
        f"the net is no workflow net: {why}",
        hint="give the net a final marking, or ask for a property of it, e.g. --property deadlockFree",
    )
