"""Soundness of workflow nets on the reduced state space of strongly stubborn sets.

Let every action add a constant (no inhibitor, reset or draining arc), let the final marking f be dead with one token on
the sink, which nothing takes from, and let every action put a token into some place that is no resource. Write R for
the markings that are reached when only the enabled members of a strongly stubborn set are fired (1 and 2 of
:mod:`petri_cli.soundness.stubborn`).

Theorem. If f is reachable from every marking of R by steps within R, then

* f is reachable from every reachable marking (option to complete);
* no reachable marking but f has the sink marked (proper completion);
* an action is dead iff it is enabled in no marking of R.

If f is not reachable within R from some marking of R, it is not reachable from it at all.

Argument. Let s be in R and s →σ m. Follow steps within R from s towards f. As long as the stubborn set at hand has no
action of what is left of σ, the step u taken commutes with it (2, and u stays enabled): σ can still be fired from where
we are, and m is followed to where that leads. When the set has an action of σ, the first such can be moved to the front
(1 and 2) and fired within R instead; σ is one shorter, and we go on from there. As f is dead, σ must run out before f
is reached. Then m has been followed to a marking of R, from which f is reachable: the first claim; and every action of
σ has been fired within R: the third. (For the second: let m ≠ f have the sink marked and lead to f by τ. The sink never
loses a token, so τ puts none into it. If τ is empty, m = f; else its last step leaves a token on a place that is
neither the sink nor a resource, where f has none.) The last claim: f is dead, and every dead marking that is reachable
from a marking of R is reachable from it within R. ∎

(Compare Valmari & Hansen, "Stubborn Set Intuition Explained", ToPNoC XII, 2017, on always may-terminating processes.)
"""

from __future__ import annotations

from dataclasses import replace

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.packed import PackedNet, is_vector_addition
from petri_cli.soundness.shape import Target
from petri_cli.soundness.spaces import Space, with_space
from petri_cli.soundness.stubborn import StubbornSets
from petri_cli.soundness.timer import Deadline


def reduction_decides(target: Target, compiled: CompiledNet) -> bool:
    """Whether the theorem applies to this net."""
    if target.sink is None or compiled.final is None:
        return False
    resources = {compiled.index[r] for r in target.resources}
    for a in compiled.actions:
        filled = {*(p for p, _ in a.produced), *(p for _, p in a.forwards)}
        if not is_vector_addition(a) or a.enabled(compiled.final) or filled <= resources:
            return False
    return True


def reduced_space(packed: PackedNet) -> StateSpace:
    """The state space in which only strongly stubborn sets are fired; the actions must be vector-adding."""
    return StateSpace(packed, StubbornSets(packed).choose)


def end_is_out_of_reach(compiled: CompiledNet, state: State, limit: int, deadline: Deadline) -> bool:
    """Whether the final marking, a dead one, is not reachable from ``state``; False also when ``limit`` ran out."""

    def search(space: Space) -> bool:
        space.advance(limit, deadline)
        return space.complete and space.find(compiled.final) is None

    return with_space(replace(compiled, initial=state), search, reduced=True)
