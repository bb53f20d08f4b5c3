"""Frozen dataclasses for what a large plan has a hundred thousand of.

The type checker holds them to be frozen. Checked at run time, the same promise would triple the cost of making one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """A slotted dataclass compared by identity."""
    return dataclass(slots=True, eq=False)(cls)


@dataclass_transform(frozen_default=True, order_default=True, field_specifiers=(field,))
def ordered_record(cls: type[_T]) -> type[_T]:
    """A slotted dataclass compared, ordered and hashed by its values."""
    return dataclass(slots=True, order=True, unsafe_hash=True)(cls)
