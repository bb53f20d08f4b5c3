"""A named queue is a plain list with answers by name; a matcher is a search through all names."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from petri_cli.engine.matching import Matcher
from petri_cli.engine.queues import NamedQueue
from petri_cli.engine.tokens import PARENT_NAME, Token, name_order, project

KEYS: list[str | None] = [None, "id", PARENT_NAME]
tokens = st.builds(
    Token,
    st.sampled_from([None, {"id": 1}, {"id": 2}, {"id": "1"}, {"other": 1}]),
    st.integers(0, 3),
    st.sampled_from(["", "x", "y", "x/1", "y/1"]),
)


class NamedQueueMachine(RuleBasedStateMachine):
    """Every operation on the queue, done to a list as well."""

    @initialize()
    def start(self) -> None:
        self.queue = NamedQueue()
        self.changed: dict[str | None, set[Any]] = {key: set() for key in KEYS}
        for key in KEYS:
            self.queue.index(key).listeners.append(self.changed[key])
        self.list: list[Token] = []

    @rule(token=tokens)
    def append(self, token: Token) -> None:
        self.queue.append(token)
        self.list.append(token)

    @rule(several=st.lists(tokens, max_size=3))
    def extend(self, several: list[Token]) -> None:
        self.queue.extend(several)
        self.list.extend(several)

    @rule(token=tokens)
    def appendleft(self, token: Token) -> None:
        self.queue.appendleft(token)
        self.list.insert(0, token)

    @precondition(lambda self: self.list)
    @rule()
    def popleft(self) -> None:
        assert self.queue.popleft() == self.list.pop(0)

    @rule(key=st.sampled_from(KEYS), data=st.data())
    def take(self, key: str | None, data: st.DataObject) -> None:
        names = sorted({project(t, key) for t in self.list} - {None}, key=name_order)  # type: ignore[arg-type]
        if names:
            name: Any = data.draw(st.sampled_from(names))
            first = next(i for i, t in enumerate(self.list) if project(t, key) == name)
            assert self.queue.take(key, name) == self.list.pop(first)

    @rule()
    def clear(self) -> None:
        self.queue.clear()
        self.list.clear()

    @invariant()
    def same(self) -> None:
        assert (list(self.queue), len(self.queue), bool(self.queue)) == (self.list, len(self.list), bool(self.list))
        if self.list:
            assert self.queue[0] == self.list[0]
        for key in KEYS:
            index = self.queue.index(key)
            names = [n for n in (project(t, key) for t in self.list) if n is not None]
            assert index.counts == {n: names.count(n) for n in names}
            for name in index.counts:
                assert index.created_at(name) == next(t for t in self.list if project(t, key) == name).created_at


NamedQueueMachine.TestCase.settings = settings(deadline=None, derandomize=True, max_examples=30, stateful_step_count=30)
TestNamedQueue = NamedQueueMachine.TestCase


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.data(), st.integers(1, 2), st.integers(1, 2))
def test_a_matcher_knows_the_best_name_after_every_change(data: st.DataObject, k: int, n: int) -> None:
    a, b, block = NamedQueue(), NamedQueue(), NamedQueue()
    matcher = Matcher([(a.index("id"), k), (b.index(None), n)], [block.index("id")])
    place = st.sampled_from([a, a, b, b, block])
    token = st.builds(
        Token, st.builds(dict, id=st.sampled_from(["x", "y", "z"])), st.integers(0, 4), st.sampled_from(["x", "y", "z"])
    )

    def brute() -> list[str]:
        def named(queue: NamedQueue, key: str | None, name: str) -> list[Token]:
            return [t for t in queue if project(t, key) == name]

        good = [
            name
            for name in ("x", "y", "z")
            if len(named(a, "id", name)) >= k and len(named(b, None, name)) >= n and not named(block, "id", name)
        ]
        return sorted(
            good, key=lambda m: (min(named(a, "id", m)[0].created_at, named(b, None, m)[0].created_at), name_order(m))
        )

    for _ in range(data.draw(st.integers(1, 25))):
        queue = data.draw(place)
        if len(queue) and data.draw(st.booleans()):
            queue.popleft()
        else:
            queue.append(data.draw(token))
        if data.draw(st.booleans()):
            continue  # several changes between two looks
        expected = brute()
        assert matcher.enabled() == bool(expected)
        if expected:
            assert matcher.best() == expected[0]
