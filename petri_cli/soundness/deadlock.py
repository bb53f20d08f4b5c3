"""Deadlock search on place/transition nets: exact, by stubborn sets on packed markings.

What it decides: whether a dead marking other than the final one is reachable. What it preserves: every reachable dead
marking (theorem in :mod:`petri_cli.soundness.stubborn`); not the other markings, so the number of states is that of the
reduced space. ``complete`` without a run is therefore a proof that there is no such marking.

Depth first (taking before giving back) it is quick to run into a deadlock; breadth first the run is a shortest one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.native.binding import COMPLETE, MOST_BYTES, NO_MEMORY, OVERFLOWED, PAUSED
from petri_cli.soundness.native.space import LAST, NotHere, slice_of, with_core
from petri_cli.soundness.packed import Overflow, PackedNet, is_vector_addition, with_room
from petri_cli.soundness.stubborn import StubbornSets
from petri_cli.soundness.timer import Deadline, never

if TYPE_CHECKING:
    from petri_cli.soundness.native import _core

CHECK_EVERY = 1024
"""States between two looks at the deadline, on a net of up to 64 actions; fewer on larger ones."""


@dataclass(frozen=True, slots=True)
class DeadlockSearch:
    """run: action indices from the initial state to ``state``, a dead one that is not final; both None when none was
    found. states: states visited. complete: the reduced space was exhausted, so «none found» means «there is none».
    full: the memory that was allowed is used up."""

    run: tuple[int, ...] | None
    state: State | None
    states: int
    complete: bool
    full: bool = False


def find_deadlock(
    net: CompiledNet,
    *,
    final: State | None,
    max_states: int,
    deadline: Callable[[], bool] | None = None,
    shortest: bool = False,
    max_bytes: int = MOST_BYTES,
) -> DeadlockSearch:
    """Look for a reachable dead state other than ``final`` (None: any dead state counts).

    deadline: asked now and then, True ends the search. shortest: breadth first, the run found has minimal length.
    max_bytes: what the states may take up.
    Raises ValueError when an action has an inhibitor, reset or draining arc: the theorem needs effects that add up.
    """
    if not all(is_vector_addition(a) for a in net.actions):
        raise ValueError("stubborn sets need a net without inhibitor, reset and draining arcs")
    try:
        return _compiled_search(replace(net, final=final), max_states, deadline or never, max_bytes, shortest=shortest)
    except NotHere as e:
        floor = e.floor
    walk = _breadth_first if shortest else _depth_first

    def search(packed: PackedNet) -> DeadlockSearch:
        accepted = None if final is None else packed.pack_if_it_fits(final)
        room = packed.room(max_bytes)
        found = walk(packed, accepted, min(max_states, room), deadline or never)
        return replace(found, full=room < max_states and found.states >= room and not found.complete)

    return with_room(net, search, floor)


def _compiled_search(
    net: CompiledNet, max_states: int, deadline: Deadline, max_bytes: int, *, shortest: bool
) -> DeadlockSearch:
    """The same search by the compiled core. Raises NotHere."""
    limit, steps = max(0, min(max_states, LAST)), slice_of(net)

    def search(core: _core.Space) -> DeadlockSearch:
        walk = core.near_deadlock if shortest else core.deep_deadlock
        status, state = walk(limit, steps)
        while status == PAUSED and not deadline():
            status, state = walk(limit, steps)
        if status == OVERFLOWED:
            raise Overflow
        if state is None:
            return DeadlockSearch(None, None, core.size, complete=status == COMPLETE, full=status == NO_MEMORY)
        return DeadlockSearch(core.run_to(state), core.state(state), core.size, complete=False)

    return with_core(net, search, reduced=True, most=max_bytes)


def _depth_first(net: PackedNet, final: int | None, max_states: int, deadline: Callable[[], bool]) -> DeadlockSearch:
    stubborn = StubbornSets(net)
    guards, update, delta = net.guards, net.update, net.constants()
    m, enabled = net.initial, net.enabled(net.initial)
    seen, key, every = {net.key(m)}, net.key, _every(net)
    run: list[int] = []
    branches: list[tuple[int, int, list[int]]] = []  # for each marking on the path: itself, its enabled set, untried
    while True:
        if not enabled:
            if m != final:
                return DeadlockSearch(tuple(run), net.unpack(m), len(seen), complete=False)
            untried = []
        else:
            untried = stubborn.choose(m, enabled)
        branches.append((m, enabled, untried))
        fresh = False
        while branches and not fresh:
            before, before_enabled, untried = branches[-1]
            while untried:
                a = untried.pop()
                m = before + delta[a]
                if (k := key(m)) not in seen:
                    if m & guards != guards:
                        if net.widest:
                            return DeadlockSearch(None, None, len(seen), complete=False)
                        raise Overflow
                    if len(seen) >= max_states or (len(seen) % every == 0 and deadline()):
                        return DeadlockSearch(None, None, len(seen), complete=False)
                    seen.add(k)
                    enabled = update(before_enabled, a, m)
                    run.append(a)
                    fresh = True
                    break
            else:
                branches.pop()
                if run:
                    run.pop()
        if not fresh:
            return DeadlockSearch(None, None, len(seen), complete=True)


def _breadth_first(net: PackedNet, final: int | None, max_states: int, deadline: Callable[[], bool]) -> DeadlockSearch:
    stubborn = StubbornSets(net)
    guards, update, delta = net.guards, net.update, net.constants()
    markings = [net.initial]
    enabled_at = {0: net.enabled(net.initial)}
    seen, key, every = {net.key(net.initial)}, net.key, _every(net)
    parent, by = array("q", [-1]), array("q", [-1])
    i = 0
    while i < len(markings):
        m, enabled = markings[i], enabled_at.pop(i)
        if not enabled:
            if m != final:
                return DeadlockSearch(_trace(parent, by, i), net.unpack(m), len(seen), complete=False)
        else:
            for a in stubborn.choose(m, enabled):
                after = m + delta[a]
                if (k := key(after)) in seen:
                    continue
                if after & guards != guards:
                    if net.widest:
                        return DeadlockSearch(None, None, len(seen), complete=False)
                    raise Overflow
                if len(seen) >= max_states or (len(seen) % every == 0 and deadline()):
                    return DeadlockSearch(None, None, len(seen), complete=False)
                seen.add(k)
                enabled_at[len(markings)] = update(enabled, a, after)
                markings.append(after)
                parent.append(i)
                by.append(a)
        i += 1
    return DeadlockSearch(None, None, len(seen), complete=True)


def _every(net: PackedNet) -> int:
    return max(1, CHECK_EVERY * 64 // max(64, len(net.needs)))


def _trace(parent: array[int], by: array[int], i: int) -> tuple[int, ...]:
    """The actions from the root of a search tree to node ``i``."""
    run: list[int] = []
    while parent[i] >= 0:
        run.append(by[i])
        i = parent[i]
    return tuple(reversed(run))
