"""The work that a plan asks for, each piece with its settings: what is begun by a claim, and not by the net itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from petri_cli.driver.settings import Body, body_of, is_work, setting
from petri_cli.engine.tokens import to_ticks
from petri_cli.plan.lower import Lowered
from petri_cli.plan.model import Foreach, Plan, Task


@dataclass(frozen=True, slots=True)
class Piece:
    """A task, or the discovery of a foreach whose items are described in prose. Durations in ticks.

    number: in declaration order; transition: that it is on the execution net; entry: the place that its tokens wait in;
    key: what its results go by; worker: the name of who does it; attempts: how many there may be; delay: between the
    token's coming and its turn.
    """

    number: int
    transition: str
    entry: str
    key: str
    node: Task | Foreach
    body: Body
    worker: str
    attempts: int
    timeout: int
    lease: int
    priority: int
    delay: int
    retry: Mapping[str, float | None] | None

    @property
    def local(self) -> bool:
        """Whether a driver can do it, and nobody has to come and ask for it."""
        return self.body != "pull"

    @property
    def order(self) -> tuple[int, int]:
        """Where two pieces wait for the same, the one with the least goes first."""
        return -self.priority, self.number

    @property
    def title(self) -> str:
        """What people call it: ``task survey``, ``the discovery of foreach each``."""
        kind = "task" if isinstance(self.node, Task) else "the discovery of foreach"
        return f"{kind} {self.node.id}"


def pieces(plan: Plan, lowered: Lowered) -> Iterator[Piece]:
    """The work in ``plan``, in declaration order."""
    for n, t in enumerate(lowered.net.transitions):
        index = lowered.origin[t.id].node
        node = plan.nodes[index] if index >= 0 else None
        if isinstance(node, Task) or (isinstance(node, Foreach) and is_work(node) and t.id.endswith(".discover")):
            yield _piece(plan, node, n, t.id, t.inputs[0].place)


def _piece(plan: Plan, node: Task | Foreach, number: int, transition: str, entry: str) -> Piece:
    def of(name: str) -> Any:
        return setting(plan, node, name)

    timing = of("timing")
    return Piece(
        number=number,
        transition=transition,
        entry=entry,
        key=node.id if isinstance(node, Task) else f"foreach.{node.id}",
        node=node,
        body=(body := body_of(plan, node)),
        worker="python" if body == "python" else of("worker"),
        attempts=of("maxAttempts") or 1,
        timeout=to_ticks(of("timeout") or 3600.0),
        lease=to_ticks(of("lease") or 60.0),
        priority=of("priority") or 0,
        delay=to_ticks(sum(timing.values())) if isinstance(timing, Mapping) else 0,
        retry=of("retry"),
    )
