"""What module.c gives to Python. Buffers of numbers are arrays of type ``i`` (32 bits) or ``q`` (64 bits)."""

from array import array

INTERFACE: int

class Scanner:
    """Fills columns from the bytes of a log.

    kinds: a letter for each column, ``n`` names, ``N`` names that no event may lack, ``t`` timestamps of ISO 8601;
    places: the cell of each in a row of a table with this ``delimiter`` and ``width``, without these the key of the
    attribute of each in XES, where the first column is the name of the trace; secret: 16 bytes, key of the hash tables;
    unknown: the tick of a time that is missing.
    """

    def __new__(
        cls,
        kinds: str,
        places: tuple[int, ...] | tuple[bytes, ...],
        secret: bytes,
        unknown: int,
        delimiter: int = 0,
        width: int = 0,
    ) -> Scanner: ...
    @property
    def events(self) -> int:
        """How many were read so far."""
    def feed(self, piece: bytes, final: bool, /) -> bool:
        """Read on. Of a table behind its header; of XES from the first trace on, within ``<log>``. False, from now on,
        for whatever is not entirely regular."""
    def column(self, column: int, /) -> bytes:
        """The codes (32 bits, -1 for a missing value) or ticks (64 bits) of a column, once; ends the reading."""
    def names(self, column: int, /) -> list[str]:
        """Code → name. An event that has an attribute twice may leave a name that no event has."""
    def any(self, column: int, /) -> bool:
        """Whether any event has a value."""

def order(
    case_of: array[int], ended: array[int] | bytes, n_cases: int, unknown: int, /
) -> tuple[bytes, bytes | None, int]:
    """Where the events of each case begin; indices of events in the order of cases and of time, None for the order in
    which they are; how many cases have events with a time and others without, which stay in the order of the file.
    ended: empty where no time is known."""

def picked(column: array[int], which: bytes, itemsize: int, /) -> bytes:
    """The elements of these indices."""

def variants(activity: array[int], bounds: array[int], secret: bytes, /) -> tuple[bytes, bytes]:
    """Case → number of its trace, in order of first appearance; number → the first case of it."""
