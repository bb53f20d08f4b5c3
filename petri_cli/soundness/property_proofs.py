"""Judging properties of a net: violated with a run, holding with a proof, or open.

In order of cost, each for the properties that are still open: exact exploration up to :data:`PATIENCE` states; place
invariants; counting up to a limit (:mod:`petri_cli.soundness.abstraction`), which also proves things about endless
nets; for properties of rests, the reduced state space of stubborn sets, which has every dead marking at its true
distance; exact exploration up to the budget.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.model import Net, Property
from petri_cli.soundness.abstraction import prove_abstractly
from petri_cli.soundness.answers import amount, exhaustive, sizes, unknown
from petri_cli.soundness.explore import grow
from petri_cli.soundness.invariants import proved_by_invariants
from petri_cli.soundness.packed import is_vector_addition
from petri_cli.soundness.properties import AT_REST, PropertyWatch, check_property
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Budget, Condition, Result, Verdict
from petri_cli.soundness.spaces import Space, with_space
from petri_cli.soundness.timer import Deadline, Timer

PATIENCE = 5_000
"""States explored before another way is tried."""
AFTER_A_VIOLATION = 20_000
"""States explored for what is still open once the verdict is clear."""
MOST_ABSTRACT = 1_000_000
"""Work of an abstract search, in markings times the size of the net: it pays when it is small."""
MOST_STUBBORN = 50_000
"""States of a search with stubborn sets: each costs several times what one of the exploration does."""

ASSUMED = SOUND_ASSUMPTIONS[2:]
"""A property of all reachable markings rests on no fairness."""


def judge_properties(net: Net, asked: Sequence[Property], budget: Budget, timer: Timer) -> Result:
    """SOUND when all of ``asked`` hold, UNSOUND when one is violated, UNKNOWN otherwise. Raises as check_property."""
    compiled = compile_net(net)
    for prop in asked:
        check_property(compiled, prop)
    inquiry = _Inquiry(compiled, asked, budget, timer)
    inquiry.explore(PATIENCE)
    inquiry.weigh()
    inquiry.abstract()
    inquiry.reduce()
    inquiry.explore(AFTER_A_VIOLATION if inquiry.violated else budget.max_states)
    return inquiry.result()


class _Inquiry:
    """What is known about each property: ``answers`` has a condition for those that are decided."""

    def __init__(self, compiled: CompiledNet, asked: Sequence[Property], budget: Budget, timer: Timer) -> None:
        self.compiled, self.asked, self.budget, self.timer = compiled, asked, budget, timer
        self.answers: dict[Property, Condition] = {}
        self.proofs: list[str] = []
        self.space: Space = with_space(compiled, lambda space: space)

    @property
    def open(self) -> list[Property]:
        return [p for p in self.asked if p not in self.answers]

    @property
    def violated(self) -> list[Condition]:
        found = (self.answers.get(p) for p in self.asked)
        return [c for c in found if c is not None and c.holds is False]

    def explore(self, limit: int) -> None:
        """Exact enumeration, breadth first."""
        limit = min(limit, self.budget.max_states)
        if not self.open or self.space.overflowed or self.timer.expired() or self.space.size > limit:
            return
        watch = self._watch(self.open, limit, self.timer.expired, reduced=False)
        self.space = watch.space
        self._learn(watch, exhaustive(watch.space))

    def weigh(self) -> None:
        """Place invariants."""
        asked = self.open
        found = proved_by_invariants(self.compiled, asked, self.timer.half())
        self.answers.update({asked[k]: Condition(asked[k].id, True) for k in found})
        if found:
            self.proofs.append("place invariants")

    def abstract(self) -> None:
        """Counting up to a limit."""
        if self.open:
            asked = self.open
            size = 1 + len(self.compiled.places) + len(self.compiled.actions)
            limit = min(self.budget.max_states, max(200, MOST_ABSTRACT // size))
            found = prove_abstractly(self.compiled, asked, limit, self.timer.half())
            self.answers.update({asked[k]: Condition(asked[k].id, True) for k in found.proved})
            if found.proved:
                self.proofs.append(f"abstraction: {amount(found.states, 'state')}, counting to {found.limit}")

    def reduce(self) -> None:
        """Dead markings by stubborn sets; a hard deadline makes other markings rests too."""
        asked = [p for p in self.open if p.kind in AT_REST]
        if asked and all(is_vector_addition(a) and not a.hard for a in self.compiled.actions):
            limit = min(self.budget.max_states, MOST_STUBBORN)
            watch = self._watch(asked, limit, self.timer.half(), reduced=True)
            self._learn(watch, f"stubborn sets: {amount(watch.space.size, 'state')}")

    def _watch(self, asked: Sequence[Property], limit: int, deadline: Deadline, *, reduced: bool) -> PropertyWatch:
        def search(space: Space) -> PropertyWatch:
            watch = PropertyWatch(space, asked)
            grow(space, watch, limit, deadline)
            return watch

        return with_space(self.compiled, search, reduced=reduced, most_bytes=self.budget.max_bytes)

    def _learn(self, watch: PropertyWatch, proof: str) -> None:
        decided = [(p, c) for p, c in zip(watch.properties, watch.conditions(), strict=True) if c.holds is not None]
        self.answers.update(decided)
        if any(c.holds for _, c in decided):
            self.proofs.append(proof)

    def result(self) -> Result:
        conditions = tuple(self.answers.get(p, Condition(p.id, None)) for p in self.asked)
        if self.violated:
            names = ", ".join(c.name for c in self.violated)
            count = amount(len(self.violated), "property", "properties")
            return Result(
                Verdict.UNSOUND,
                "counterexample",
                "PETRI_PROPERTY_VIOLATED",
                f"PETRI_PROPERTY_VIOLATED: {count} violated: {names}",
                conditions,
                counterexample=self.violated[0].counterexample,
                stats=sizes(self.space),
            )
        if self.open:
            return unknown(self.space, conditions, self.budget)
        return Result(
            Verdict.SOUND,
            "; ".join(self.proofs),
            conditions=conditions,
            assumptions=ASSUMED,
            stats=sizes(self.space),
        )
