"""What a plan leaves open, decided by what has been done: conditions over results, and lists that were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from petri_cli.document import shorten
from petri_cli.driver.naming import said_of, titled
from petri_cli.driver.results import Results
from petri_cli.driver.threads import Thread
from petri_cli.errors import PetriError
from petri_cli.plan.expression import Expression, Lookup, described, evaluate, holds, parse
from petri_cli.plan.model import Choice, Foreach, Loop, Plan, PlanNode, Seq
from petri_cli.plan.words import is_expression

parsed: Callable[[str], Expression] = lru_cache(maxsize=4096)(parse)


class ByResults:
    """Decides by the results so far; where the plan says nothing, the same way every time.

    results: what is known now; found: the list that the discovery of a foreach, described in prose, came back with;
    note: told of a decision that somebody should know of.
    """

    def __init__(
        self,
        plan: Plan,
        results: Results,
        found: Callable[[Foreach, Thread], Sequence[Any]],
        note: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._results = results
        self._found = found
        self._note = note

    def branch(self, choice: Choice, thread: Thread) -> int:
        """The first whose ``when`` holds, else one without ``when``: by priority, then as declared.

        A branch whose condition does not hold is never taken, so where every branch has one, it may come to
        ``PETRI_NO_BRANCH``. Raises PetriError, also for a condition that cannot be judged.
        """
        lookup = self._results.at(choice, thread)
        branches = list(enumerate(choice.branches, 1))
        for k, branch in branches:
            if branch.when is not None and self._holds(choice, "when", branch.when, lookup):
                return k
        left = [k for k, branch in branches if branch.when is None]
        if not left:
            raise _no_branch(choice)
        taken = min(left, key=lambda k: (-self._priority(choice.children[k - 1]), k))
        if len(left) > 1:
            why = "no branch has a condition" if len(left) == len(branches) else "no condition holds"
            self._note(f"choice {choice.id}: {why}; branch {taken} is taken by priority, then by the order of the plan")
        return taken

    def _holds(self, node: Choice | Loop, what: str, text: str, lookup: Lookup) -> bool:
        try:
            return holds(parsed(text), lookup)
        except PetriError as error:
            raise said_of(node, f"{what} `{shorten(text)}`", error) from None

    def _priority(self, index: int) -> int:
        """Of the first step of a branch, as far as one is known without deciding."""
        node: PlanNode = self._plan.nodes[index]
        while isinstance(node, Seq):
            node = self._plan.nodes[node.children[0]]
        settings = getattr(node, "settings", {})
        return int(settings.get("priority", 0))

    def again(self, loop: Loop, thread: Thread) -> bool:
        """Until ``until`` holds; a loop without one has one round."""
        if loop.until is None:
            return False
        return not self._holds(loop, "until", loop.until, self._results.at(loop, thread))

    def items(self, foreach: Foreach, thread: Thread) -> Sequence[Any]:
        """What ``over`` stands for. Raises PetriError ``PETRI_EXPRESSION_FAILED`` unless that is a list."""
        if not is_expression(foreach.over):
            return self._found(foreach, thread)
        try:
            items = evaluate(parsed(foreach.over), self._results.at(foreach, thread))
        except PetriError as error:
            raise said_of(foreach, f"over `{shorten(foreach.over)}`", error) from None
        if not isinstance(items, (list, tuple)):
            message = f"{titled(foreach)}: over `{shorten(foreach.over)}` is {described(items)}, not a list"
            raise PetriError("PETRI_EXPRESSION_FAILED", message, where=foreach.where)
        return items


def _no_branch(choice: Choice) -> PetriError:
    one = len(choice.branches) == 1
    message = f"{titled(choice)}: {'its condition does not hold' if one else 'none of its conditions holds'}"
    hint = "add a branch without `when`, and commit the plan again"
    return PetriError("PETRI_NO_BRANCH", message, where=choice.where, hint=hint)
