"""What a transition does when it fires: a callable on a context.

An action is ``(ctx) -> None | dict``, sync or async. It hands over tokens with ``ctx.output`` or in the dict that it
returns (place → value; a list stands for one token an element). Nothing leaves the firing before the action has ended.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from petri_cli.engine.firings import Firing
from petri_cli.engine.tokens import UNSTAMPED, Token


class UndeclaredPlace(LookupError):
    """The action named a place that is no such arc of its transition."""


class Host(Protocol):
    """What an action may ask of the executor that runs it."""

    def fresh_name(self, firing: Firing) -> str: ...

    def log(self, firing: Firing, level: str, message: str) -> None: ...

    def sleep(self, seconds: float) -> Awaitable[None]: ...


class ActionContext:
    """One firing, as its action sees it."""

    __slots__ = ("_firing", "_host", "_may_write", "outputs")

    def __init__(self, firing: Firing, may_write: frozenset[str], host: Host) -> None:
        self._firing = firing
        self._may_write = may_write
        self._host = host
        self.outputs: dict[str, Sequence[object]] = {}

    @property
    def transition(self) -> str:
        return self._firing.transition

    @property
    def firing(self) -> int:
        """The number of this firing in its run."""
        return self._firing.id

    def input(self, place: str) -> Any:
        """The value of the first token consumed from ``place``."""
        try:
            return self._firing.consumed[place][0].value
        except KeyError:
            raise self._no_input(place) from None

    def inputs(self, place: str) -> list[Any]:
        """The values of all tokens consumed from ``place``, oldest first."""
        return [t.value for t in self.input_tokens(place)]

    def input_token(self, place: str) -> Token:
        """The first token consumed from ``place``, with ``created_at`` and name."""
        return self.input_tokens(place)[0]

    def input_tokens(self, place: str) -> Sequence[Token]:
        """All tokens consumed from ``place``, oldest first."""
        try:
            return self._firing.consumed[place]
        except KeyError:
            raise self._no_input(place) from None

    def read(self, place: str) -> Any:
        """The value of the oldest token of a read place."""
        return self.read_token(place).value

    def read_token(self, place: str) -> Token:
        """The oldest token of a read place; it stays there."""
        try:
            return self._firing.reads[place]
        except KeyError:
            raise UndeclaredPlace(
                f"{self.transition!r} has no read arc on {place!r}, or has itself consumed the only token there"
            ) from None

    def output(self, place: str, *values: object, name: str = "") -> None:
        """Put one token a value into ``place`` once the action has ended; a ready-made Token is taken as it is."""
        if place not in self._may_write:
            raise UndeclaredPlace(f"{place!r} is not an output of {self.transition!r}")
        if name:
            values = tuple([v if isinstance(v, Token) else Token(v, UNSTAMPED, name) for v in values])
        before = self.outputs.get(place)
        if before is None:
            self.outputs[place] = values
        elif isinstance(before, list):
            before.extend(values)
        else:
            self.outputs[place] = [*before, *values]

    def _no_input(self, place: str) -> UndeclaredPlace:
        return UndeclaredPlace(f"{place!r} is not an input of {self.transition!r}")

    def fresh_name(self) -> str:
        """A name that nothing else in this run has: ``<transition>#<n>``."""
        return self._host.fresh_name(self._firing)

    def log(self, message: str, level: str = "INFO") -> None:
        """Tell the event store."""
        self._host.log(self._firing, level, message)

    def sleep(self, seconds: float) -> Awaitable[None]:
        """Suspend an async action, in real or in simulated time."""
        return self._host.sleep(seconds)

    def add_returned(self, returned: object) -> None:
        """Append what the action returned. Raises TypeError for anything but None and a mapping."""
        if returned is None:
            return
        if not isinstance(returned, Mapping):
            raise TypeError(f"an action returns None or a dict of outputs, not {type(returned).__name__}")
        for place, value in returned.items():
            self.output(place, *(value if isinstance(value, list) else [value]))


Action = Callable[[ActionContext], object]
F = TypeVar("F", bound=Callable[..., object])


def blocking(action: F) -> F:
    """Mark a synchronous action that waits (for a file, a socket, a child process): it runs in a thread of a pool."""
    action.__petri_blocking__ = True  # type: ignore[attr-defined]
    return action
