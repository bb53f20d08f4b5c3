"""What a reference stands for, at a node of the plan and for a thread: results of earlier tasks, the item, the round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from petri_cli.driver.threads import Thread
from petri_cli.plan.expression import Lookup
from petri_cli.plan.model import Plan, PlanNode


class Results:
    """The results of a session. results: task id → thread name → the latest result (``State.results``).

    widths: foreach id → thread name around it → number of items last discovered, where known: later items of an
    earlier round are then left out. load: reads a result that is only in a file (``{path, size, sha256}``).
    """

    def __init__(
        self,
        plan: Plan,
        results: Mapping[str, Mapping[str, Any]],
        widths: Mapping[str, Mapping[str, int]] | None = None,
        load: Callable[[Mapping[str, Any]], Any] | None = None,
    ) -> None:
        raise NotImplementedError

    def at(self, node: PlanNode, thread: Thread) -> Lookup:
        """How ``node`` (task, foreach, choice, loop) sees them in ``thread``."""
        raise NotImplementedError
