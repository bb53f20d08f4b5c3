"""What every check is made of: a demand that is met, or the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class Unproved(Exception):
    """The certificate does not show what it claims. The text says which demand was not met."""


def demand(fact: bool, otherwise: str) -> None:
    """Go on if ``fact``. Raises Unproved."""
    if not fact:
        raise Unproved(otherwise)


def field(data: Any, name: str) -> Any:
    """A field of an object in a certificate."""
    demand(has(data, name), f"`{name}` is missing")
    return data[name]


def has(data: Any, name: str) -> bool:
    """Whether something in a certificate is an object with that field."""
    return isinstance(data, Mapping) and name in data


def whole(value: Any, what: str, least: int = 0) -> int:
    """A whole number, not below ``least``."""
    demand(type(value) is int and value >= least, f"{what} is no whole number from {least} on")
    number: int = value
    return number


def listed(value: Any, what: str) -> Sequence[Any]:
    """A list."""
    demand(isinstance(value, list), f"{what} is no list")
    items: Sequence[Any] = value
    return items


def named(value: Any, what: str) -> str:
    """Text."""
    demand(isinstance(value, str), f"{what} is no text")
    text: str = value
    return text


def number(value: Any, what: str) -> int:
    """A whole number of any size and sign."""
    demand(type(value) is int, f"{what} is no whole number")
    whole_number: int = value
    return whole_number


def amount(n: int, noun: str) -> str:
    """``n`` of something, in words."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
