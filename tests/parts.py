"""Tests that are cut into parts: `make fast` runs the first part, `make test` runs all."""

from __future__ import annotations

from typing import Any

import pytest


def parts(count: int) -> list[Any]:
    """The numbers of the parts, from 0."""
    return first_quick(*range(count))


def first_quick(first: object, *others: object) -> list[Any]:
    """Parameters, of which all but the first are slow."""
    return [first, *(pytest.param(other, marks=pytest.mark.slow) for other in others)]
