"""What was tried to decide a question, in which order, what each attempt cost and what it came to.

Provers are asked from the cheapest to the dearest; each has a share of the time that is left, so that one which gets
nowhere leaves the others theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from petri_cli.soundness.result import Attempt
from petri_cli.soundness.timer import Timer

Answer = TypeVar("Answer")


class Attempts:
    """Runs provers by the clock of ``timer`` and notes what became of them."""

    def __init__(self, timer: Timer) -> None:
        self._timer = timer
        self.made: list[Attempt] = []

    def at(self, prover: str, ask: Callable[[], Answer | None]) -> Answer | None:
        """Ask one prover: its answer, None for none."""
        return self.made_by(prover, ask, lambda answer: "no answer" if answer is None else "decided")

    def made_by(self, prover: str, ask: Callable[[], Answer], outcome: Callable[[Answer], str]) -> Answer:
        """The same with the answer put into words."""
        start = self._timer.elapsed()
        answer = ask()
        self.made.append(Attempt(prover, round(self._timer.elapsed() - start, 6), outcome(answer)))
        return answer
