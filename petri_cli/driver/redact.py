"""Secrets do not reach a file or a log: what looks like one, or was named as one, is replaced by ``***``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class Redactor:
    """values: the secrets themselves; shorter than 4 characters, they are left alone (``too_short`` says which names)."""

    too_short: tuple[str, ...] = ()

    def __init__(self, values: Iterable[str] = ()) -> None:
        raise NotImplementedError

    @classmethod
    def of(cls, names: Iterable[str], environment: Mapping[str, str]) -> Redactor:
        """For the variables named in ``secrets:``."""
        raise NotImplementedError

    def bytes(self, data: bytes) -> bytes:
        raise NotImplementedError

    def text(self, text: str) -> str:
        raise NotImplementedError

    def value(self, value: Any) -> Any:
        """JSON data with every text in it redacted."""
        raise NotImplementedError

    def stream(self) -> RedactedStream:
        raise NotImplementedError


class RedactedStream:
    """A stream that is redacted as it comes, across the borders of its chunks."""

    def feed(self, chunk: bytes) -> bytes:
        """What may be written now; some is held back until more has come."""
        raise NotImplementedError

    def flush(self) -> bytes:
        """The rest, at the end."""
        raise NotImplementedError
