"""A thread of control: which foreach items a token belongs to, and what it carries along.

The *name* of a token is the path of its items, ``2/1``: item 1 of an inner foreach, within item 2 of an outer one; ""
outside every foreach. Its *value* is None, or a map with ``item`` (the value of the innermost item) and ``rounds`` (the
iteration number of each loop that it is in, outermost first).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from petri_cli.engine.tokens import NAME_SEPARATOR, UNSTAMPED, Token
from petri_cli.plan.lower import Items, suffix

Rounds = tuple[int, ...]


def name_of(items: Items) -> str:
    """The name of the tokens that belong to these items."""
    return NAME_SEPARATOR.join(map(str, items))


def items_of(name: str) -> Items:
    """The items that a name stands for. Raises ValueError for a name that no plan gave."""
    return tuple(int(i) for i in name.split(NAME_SEPARATOR)) if name else ()


def called(task: str, thread: str) -> str:
    """``migrate[3]``: a task and the items that it is done for."""
    return f"{task}{suffix(items_of(thread))}"


@dataclass(frozen=True, slots=True)
class Thread:
    """A token's name and value, taken apart. ``item`` is None outside every foreach, and where items have no value."""

    name: str = ""
    item: Any = None
    rounds: Rounds = ()

    @property
    def items(self) -> Items:
        return items_of(self.name)

    @classmethod
    def of(cls, token: Token) -> Thread:
        value = token.value
        if not isinstance(value, Mapping):
            return cls(token.name)
        return cls(token.name, value.get("item"), tuple(value.get("rounds", ())))

    def token(self) -> Token:
        """A token of this thread; it is dated when it is deposited."""
        value: dict[str, object] = {}
        if self.item is not None:
            value["item"] = self.item
        if self.rounds:
            value["rounds"] = self.rounds
        return Token(value or None, UNSTAMPED, self.name)

    def entering(self) -> Thread:
        """In the first round of a loop."""
        return Thread(self.name, self.item, (*self.rounds, 1))

    def again(self) -> Thread:
        """In the next round of the loop that it is in."""
        return Thread(self.name, self.item, (*self.rounds[:-1], self.rounds[-1] + 1))

    def leaving(self) -> Thread:
        """Out of the loop that it is in."""
        return Thread(self.name, self.item, self.rounds[:-1])

    def child(self, number: int, item: Any) -> Thread:
        """One item of a foreach, counted from 1."""
        name = f"{self.name}{NAME_SEPARATOR}{number}" if self.name else str(number)
        return Thread(name, item, self.rounds)
