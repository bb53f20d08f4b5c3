"""Who decides what a plan leaves open: the branch of a choice, another round of a loop, how many items there are.

A decision depends on the node, the items and the rounds alone, never on what else runs at the time: another schedule
of the same plan meets the same decisions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from petri_cli.driver.threads import Thread
from petri_cli.plan.lower import foreach_width
from petri_cli.plan.model import Choice, Foreach, Loop

DEFAULT_WIDTH = 2
"""Items of a foreach of which nothing is known: enough to see them run side by side."""


class Decider(Protocol):
    """Asked at each decision that a run comes to."""

    def branch(self, choice: Choice, thread: Thread) -> int:
        """Which branch to take, from 1."""

    def again(self, loop: Loop, thread: Thread) -> bool:
        """Whether the loop, whose round ``thread.rounds[-1]`` has just ended, wants another one.

        Where it has an ``until``: whether that is still false.
        """

    def items(self, foreach: Foreach, thread: Thread) -> Sequence[Any]:
        """The values of the items, None for one that has none; not asked for a literal list."""


def _items(widths: Mapping[str, int], default: int, foreach: Foreach) -> Sequence[Any]:
    """As many as were asked for, even if it is too much; the default never is."""
    return [None] * (widths[foreach.id] if foreach.id in widths else foreach_width(foreach, widths, default))


@dataclass(frozen=True, slots=True)
class Seeded:
    """Decides by chance, the same way for the same seed. Each branch is as likely as the others; a loop goes round
    again every other time, and at its bound is taken to have reached what it waits for.

    widths: foreach id → items, wherever it is met; others have ``default_width``, at most their ``maxWidth``.
    """

    seed: int = 0
    widths: Mapping[str, int] = field(default_factory=dict)
    default_width: int = DEFAULT_WIDTH

    def branch(self, choice: Choice, thread: Thread) -> int:
        return 1 + int(self._chance("choice", choice.id, thread) * len(choice.children))

    def again(self, loop: Loop, thread: Thread) -> bool:
        if loop.max_iterations is not None and thread.rounds[-1] >= loop.max_iterations:
            return False
        return self._chance("loop", loop.id, thread) < 0.5

    def items(self, foreach: Foreach, thread: Thread) -> Sequence[Any]:
        return _items(self.widths, self.default_width, foreach)

    def _chance(self, kind: str, node: str, thread: Thread) -> float:
        return random.Random(f"{self.seed}:{kind}:{node}:{thread.name}:{thread.rounds}").random()  # noqa: S311


@dataclass(frozen=True, slots=True)
class Scripted:
    """Decides as it was told.

    branches: choice id → branches in the order in which they are asked for, the last one for ever after (1 where
    nothing is said); rounds: loop id → how many rounds it wants (1); widths: foreach id → items (``default_width``).
    """

    branches: Mapping[str, Sequence[int]] = field(default_factory=dict)
    rounds: Mapping[str, int] = field(default_factory=dict)
    widths: Mapping[str, int] = field(default_factory=dict)
    default_width: int = DEFAULT_WIDTH
    _asked: dict[str, int] = field(default_factory=dict)

    def branch(self, choice: Choice, thread: Thread) -> int:
        told = self.branches.get(choice.id, (1,))
        n = self._asked[choice.id] = self._asked.get(choice.id, 0) + 1
        return told[min(n, len(told)) - 1]

    def again(self, loop: Loop, thread: Thread) -> bool:
        return thread.rounds[-1] < self.rounds.get(loop.id, 1)

    def items(self, foreach: Foreach, thread: Thread) -> Sequence[Any]:
        return _items(self.widths, self.default_width, foreach)
