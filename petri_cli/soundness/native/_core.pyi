"""What module.c gives to Python; a status is one of the numbers of ``enum status`` in core.h."""

from array import array

INTERFACE: int

class Space:
    """A state space that has its first state; `told` is made by ``binding.numbers``. floors: for each place the least
    value bits of its field; most: bytes that it may hold.

    Raises OverflowError for counts that fit no field, MemoryError, ValueError for numbers that tell no net (or,
    reduced, one whose actions don't all add constants).
    """

    def __new__(cls, told: array[int], floors: array[int], reduced: bool, most: int) -> Space: ...
    @property
    def size(self) -> int: ...
    @property
    def expanded(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def full(self) -> bool:
        """Whether memory ran out."""
    @property
    def held(self) -> int:
        """Bytes that it holds."""
    def advance(self, limit: int, steps: int, /) -> int:
        """Expand up to ``steps`` states, as long as there are no more than ``limit``; the status."""
    def near_deadlock(self, limit: int, steps: int, /) -> tuple[int, int | None]:
        """Breadth first, (status, dead state that is not final)."""
    def deep_deadlock(self, limit: int, steps: int, /) -> tuple[int, int | None]:
        """Depth first, the same."""
    def backwards(self, good: bytearray, steps: int, begin: bool, /) -> int:
        """Mark the states that reach a marked one; to be called on until it is no longer PAUSED."""
    def state(self, state: int, /) -> tuple[int, ...]: ...
    def find(self, counts: array[int], /) -> int | None: ...
    def beyond(self, low: array[int], start: int, end: int, /) -> int | None: ...
    def outside(
        self, places: array[int], marked: bool, at_rest: bool, least: int, most: int, start: int, end: int, /
    ) -> int | None: ...
    def pump(self, start: int, end: int, /) -> tuple[int, int] | None: ...
    def most(self, start: int, end: int, /) -> tuple[int, ...]: ...
    def parent(self, state: int, /) -> int: ...
    def run_to(self, state: int, /) -> tuple[int, ...]:
        """The actions of the tree's path to a state."""
    def rests(self, start: int, /) -> list[int]: ...
    def outgrown(self) -> list[int]:
        """Places for which the fields were too narrow, after OVERFLOWED: some of them, once or more often."""
    def is_dead(self, state: int, /) -> bool: ...
    def fired(self) -> bytes:
        """The set of actions that were enabled in an expanded state, as little-endian bits."""
    def successors(self, state: int, /) -> list[int]: ...
