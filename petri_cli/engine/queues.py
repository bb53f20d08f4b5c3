"""The queue of a place whose tokens are taken by name: FIFO as a whole and FIFO within each name.

Places without a correlated arc hold their tokens in a plain ``deque``; :class:`NamedQueue` offers the same methods, so
the scheduler does not tell them apart until it takes tokens of one name. Every operation is O(1), amortised.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator

from petri_cli.engine.tokens import Name, Token, project


class NameIndex:
    """The tokens of one place by their name under one match key."""

    __slots__ = ("_numbers", "_tokens", "counts", "key", "listeners")

    def __init__(self, key: str | None, tokens: OrderedDict[int, Token]) -> None:
        self.key = key
        self.counts: dict[Name, int] = {}
        self.listeners: list[set[Name]] = []
        """One set a matched transition: the names whose count changed since it last looked."""
        self._tokens = tokens
        self._numbers: dict[Name, deque[int]] = {}

    def first(self, name: Name) -> int:
        """The number of the oldest token called ``name``; KeyError when there is none."""
        numbers = self._numbers[name]
        while numbers[0] not in self._tokens:  # taken meanwhile under another key
            numbers.popleft()
        return numbers[0]

    def created_at(self, name: Name) -> int:
        """When the oldest token called ``name`` was made."""
        return self._tokens[self.first(name)].created_at

    def added(self, number: int, token: Token, *, front: bool = False) -> None:
        name = project(token, self.key)
        if name is None:
            return
        numbers = self._numbers.setdefault(name, deque())
        if front:
            numbers.appendleft(number)
        else:
            numbers.append(number)
        self.counts[name] = self.counts.get(name, 0) + 1
        self._tell(name)

    def removed(self, token: Token) -> None:
        name = project(token, self.key)
        if name is None:
            return
        left = self.counts[name] - 1
        if left:
            self.counts[name] = left
        else:
            del self.counts[name], self._numbers[name]
        self._tell(name)

    def _tell(self, name: Name) -> None:
        for changed in self.listeners:
            changed.add(name)


class NamedQueue:
    """Tokens in FIFO order with an index by name for each match key on the place."""

    __slots__ = ("_first", "_next", "_tokens", "indices")

    def __init__(self) -> None:
        self._tokens: OrderedDict[int, Token] = OrderedDict()
        self._first = 0
        self._next = 0
        self.indices: dict[str | None, NameIndex] = {}

    def index(self, key: str | None) -> NameIndex:
        """The index for ``key``, made when first asked for (before the first token)."""
        if key not in self.indices:
            self.indices[key] = NameIndex(key, self._tokens)
        return self.indices[key]

    def __len__(self) -> int:
        return len(self._tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self._tokens.values())

    def __getitem__(self, position: int) -> Token:
        if position != 0 or not self._tokens:
            raise IndexError(position)
        return next(iter(self))

    def append(self, token: Token) -> None:
        number = self._next
        self._next += 1
        self._tokens[number] = token
        for index in self.indices.values():
            index.added(number, token)

    def extend(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            self.append(token)

    def appendleft(self, token: Token) -> None:
        self._first -= 1
        self._tokens[self._first] = token
        self._tokens.move_to_end(self._first, last=False)
        for index in self.indices.values():
            index.added(self._first, token, front=True)

    def popleft(self) -> Token:
        _, token = self._tokens.popitem(last=False)
        self._removed(token)
        return token

    def take(self, key: str | None, name: Name) -> Token:
        """Remove and return the oldest token called ``name`` under ``key``."""
        token = self._tokens.pop(self.indices[key].first(name))
        self._removed(token)
        return token

    def take_called(self, name: Name) -> Token | None:
        """Remove and return the oldest token of this name, under whatever key others are taken; None without one."""
        for number, token in self._tokens.items():
            if token.name == name:
                del self._tokens[number]
                self._removed(token)
                return token
        return None

    def clear(self) -> None:
        while self._tokens:
            self.popleft()

    def _removed(self, token: Token) -> None:
        for index in self.indices.values():
            index.removed(token)


Queue = deque[Token] | NamedQueue


def take_called(queue: Queue, name: Name) -> Token | None:
    """Remove and return the oldest token of this name; None when there is none. O(1) where it is the oldest of all."""
    if isinstance(queue, NamedQueue):
        return queue.take_called(name)
    for i, token in enumerate(queue):
        if token.name == name:
            del queue[i]
            return token
    return None
