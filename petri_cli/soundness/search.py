"""The search for a deadlock, part by part and cycle by cycle (statements D, E and G).

For each cyclic component S of → the part is explored with no resources but S, with none but S and those above it, with
all: over-approximations, each only when the one before left a candidate that is no deadlock of the plan. Before each
search smaller sub-plans are searched, in which a deadlock is found sooner and nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.core import Kind
from petri_cli.soundness.cutoff import cut_off
from petri_cli.soundness.deadlock import DeadlockSearch, find_deadlock
from petri_cli.soundness.decide import Confirm, Decision, Limits, Question, Witness
from petri_cli.soundness.demand import Demand, lasting_waits
from petri_cli.soundness.lockorder import LockOrder, lock_order
from petri_cli.soundness.packed import links
from petri_cli.soundness.parts import Part, parts_of, subplans
from petri_cli.soundness.result import Verdict
from petri_cli.soundness.skeleton import Skeleton, build, size_of
from petri_cli.soundness.walk import walk

MAX_WALKED = 50_000
"""A search net of more moves is not even built: the answer is UNKNOWN."""
MAX_MOVES = 20_000
MAX_LINKS = 2_000_000
"""A search net of more moves, or of more pairs of moves that get in each other's way, is not searched: the answer is
UNKNOWN."""
SMALL = 40
"""A search net of so many moves is searched at once, without a look at smaller sub-plans."""
MANY = 1_000
"""With a resource of more units a deadlock is looked for by a single run first, too."""
SHOWN = 1_000_000
"""Steps of a run that is still written out. The workflow net has a transition for each, so it would be too large."""
WORTHWHILE = 200
"""A question on the side is not begun with fewer states left: setting it up would cost more."""
PATIENCE, PATIENCE_WORK = 20_000, 1_000_000
"""States visited, and states times moves, before the state equation is asked: with a thousand moves a state costs half
a millisecond, and the equation a few seconds."""
EQUATION_SHARE = 0.5
"""Of the time that is left."""
QUICK = 2_000
"""States for each sub-plan."""


class Search:
    """Judges the parts of a plan one by one; ``widths`` is the width limit of each core node."""

    def __init__(
        self,
        question: Question,
        widths: Sequence[int | None],
        limits: Limits,
        confirm: Confirm,
        order: LockOrder,
    ) -> None:
        self.order = order
        """→ of the whole plan."""
        self.question = question
        self.widths = widths
        self.limits = limits
        self.confirm = confirm
        self.cyclic: list[int] = []
        self.dropped = False
        """Whether some resource on a cycle of → was left out since no wait for it can last."""
        self.equations = 0
        """Search nets that the state equation proved."""
        self.start = limits.used

    def search(self, demands: Sequence[Demand]) -> Decision:
        core, capacities = self.question.core, self.question.capacities
        stopped = ""
        count = 0
        for part in parts_of(core, capacities, self.widths, demands):
            count += 1
            witness, why = self.part(part)
            if witness is not None:
                return self.decision(Verdict.UNSOUND, "counterexample", count, witness=witness)
            stopped = stopped or why
        if stopped:
            return self.decision(Verdict.UNKNOWN, "search", count, stopped=stopped)
        method = "search" if self.cyclic else "no-lasting-wait" if self.dropped else "lock-order"
        return self.decision(Verdict.SOUND, method, count)

    def decision(
        self, verdict: Verdict, method: str, parts: int, *, witness: Witness | None = None, stopped: str = ""
    ) -> Decision:
        states = self.limits.used - self.start
        cyclic = tuple(dict.fromkeys(self.cyclic))
        return Decision(
            verdict,
            method,
            witness=witness,
            states=states,
            stopped=stopped,
            parts=parts,
            cyclic=cyclic,
            equations=self.equations,
        )

    def part(self, part: Part) -> tuple[Witness | None, str]:
        """Judge one part: (a deadlock of the plan, what ran out)."""
        unfit = self.unfit(part)
        if unfit >= 0:
            return Witness(guard=unfit), ""
        order = self.order
        if len(part.nodes) < len(part.core.nodes) or part.waiting() != order.resources:
            order = lock_order(part.nodes, part.waiting())
        if not order.cyclic():
            return None, ""
        lasting = lasting_waits(part.nodes, order.resources, self.widths, part.capacities)
        if lasting != order.resources:
            self.dropped = True
            order = lock_order(part.nodes, lasting)
        cycles = order.cyclic()
        self.cyclic += cycles
        stopped = ""
        free: set[int] = set()  # sets of resources that, kept alone, leave no deadlock
        for component in cycles:
            witness, why = self.component(part, order, component, free)
            if witness is not None:
                return witness, ""
            if order.resources in free:
                return None, ""
            stopped = stopped or why
        return None, stopped

    def unfit(self, part: Part) -> int:
        """The first guard (plan index) that asks for more than the guards around the part leave, −1 if all requests
        fit: statements C and D hold only then."""
        if part.capacities == self.question.capacities:
            return -1  # nothing is held around it, and no request of the plan exceeds a capacity
        empty: set[int] = set()
        for node in part.nodes:
            if node.parent in empty or self.widths[node.index] == 0:
                empty.add(node.index)
            if node.parent not in empty and any(k > part.capacities[r] for r, k in node.units):
                return node.plan
        return -1

    def component(self, part: Part, order: LockOrder, component: int, free: set[int]) -> tuple[Witness | None, str]:
        """Look for a deadlock over one cyclic component of →: (a deadlock of the plan, what ran out)."""
        everything = order.resources
        for smaller, at_most in self.sub_plans(part, component, everything):
            found, _ = self.explore(smaller, everything, QUICK, at_most)
            if found is not None:
                return found, ""
        stopped = ""
        for kept in dict.fromkeys((component, order.ancestors(component), everything)):
            if kept in free:
                return None, ""
            holding = part.holding(kept)
            found, why = self.explore(holding, kept, self.limits.left())
            if found is None and not why:
                found, why = self.narrower(holding, kept)
                if found is not None:
                    return found, ""
                if not why:
                    free.add(kept)
                    return None, ""
            if found is not None:
                found, why = self.settle(part, kept, everything, found, free)
                if found is not None or everything in free:
                    return found, ""
            stopped = why
        return None, stopped

    def narrower(self, part: Part, kept: int) -> tuple[Witness | None, str]:
        """The same search where each foreach may also be passed without any item: a foreach that was over before the
        deadlock may have had fewer items than the cut-off (statement E)."""
        if not any(n.kind is Kind.FOREACH for n in part.nodes[1:]):
            return None, ""
        found, why = self.explore(part, kept, self.limits.left(), skips=True)
        if found is None:
            return None, why
        return (found, "") if self.confirm(self.question, found) else (None, "candidate")

    def settle(
        self, part: Part, kept: int, everything: int, candidate: Witness, free: set[int]
    ) -> tuple[Witness | None, str]:
        """Whether a deadlock found with only ``kept`` is one of the part: a short search with everything, else a
        replay on the plan."""
        if kept == everything:
            return candidate, ""
        holding = part.holding(everything)
        found, why = self.explore(holding, everything, QUICK)
        if found is not None:
            return found, ""
        if not why:
            found, why = self.narrower(holding, everything)
            if found is not None:
                return found, ""
        if not why:
            free.add(everything)
            return None, ""
        return (candidate, "") if self.confirm(self.question, candidate) else (None, "candidate")

    def sub_plans(self, part: Part, component: int, kept: int) -> Iterator[tuple[Part, int]]:
        """What is searched before the part: smaller parts, then the part itself, with at most so many items a foreach.
        A deadlock of one of these is one of the part (statements E and G); none proves nothing."""
        part = part.holding(kept)
        if size_of(part, kept, cut_off(part, kept, self.widths)) > SMALL:
            for smaller in subplans(part, component):
                yield smaller, 2
            if any(n.kind is Kind.FOREACH for n in part.nodes):
                yield part, 1
            yield part, 2

    def explore(
        self, part: Part, kept: int, states: int, at_most: int | None = None, *, skips: bool = False
    ) -> tuple[Witness | None, str]:
        """Search a part with the resources ``kept`` only: (a deadlock of it, what ran out); neither: there is none."""
        widths = cut_off(part, kept, self.widths, at_most, exact=self.question.exact)
        size = size_of(part, kept, widths)
        if size > MAX_WALKED:
            return None, "size"
        if self.limits.work is not None and self.limits.left(size) < WORTHWHILE:
            return None, "states"
        skeleton = build(part, kept, widths, skips=skips)
        net = skeleton.net
        moves = len(net.actions)
        if moves > SMALL or max(net.initial) > MANY:
            witness = self.walked(skeleton)
            if witness is not None:
                return witness, ""
        if size > MAX_MOVES or links(net) > MAX_LINKS:
            return None, "size"
        states = min(states, self.limits.left(moves))
        asked = states > PATIENCE  # not for a quick look, nor for so few states that they are soon visited
        patience = min(PATIENCE, max(WORTHWHILE, PATIENCE_WORK // max(1, moves))) if asked else states
        found = self.find(net, patience)
        if found.run is None and not found.complete and asked:
            known = self.by_equation(skeleton)
            if known is not None:
                return known
            found = self.find(net, states)
        if found.run is not None:
            return Witness(skeleton, found.run), ""
        if found.complete:
            return None, ""
        return None, "memory" if found.full else "time" if self.limits.expired() else "states"

    def find(self, net: CompiledNet, states: int) -> DeadlockSearch:
        limits = self.limits
        found = find_deadlock(
            net, final=net.final, max_states=states, deadline=limits.expired, max_bytes=limits.max_bytes
        )
        limits.spend(found.states, len(net.actions))
        return found

    def by_equation(self, skeleton: Skeleton) -> tuple[Witness | None, str] | None:
        """What the state equation says of a search net; None when it leaves the question open.

        A dead marking in which the block has come to its end is the final one: the tokens of its branches and items
        are joined in that of the end, and a guard that was left has given back what it held.
        """
        from petri_cli.soundness.linear.evidence import no_deadlock_of  # few plans need it

        found = no_deadlock_of(skeleton, self.limits.share(EQUATION_SHARE))
        if found.run is not None:
            return Witness(skeleton, found.run), ""
        if found.proof is None:
            return None
        self.equations += 1
        return None, ""

    def walked(self, skeleton: Skeleton) -> Witness | None:
        """A deadlock that a single run leads to."""
        self.limits.spend(1, len(skeleton.net.actions))
        steps = walk(skeleton.net, len(skeleton.part.core.resources), self.limits.expired)
        if steps is None:
            return None
        if sum(times for _, times in steps) > SHOWN:
            return Witness(skeleton, told=False)
        return Witness(skeleton, tuple(a for a, times in steps for _ in range(times)))
