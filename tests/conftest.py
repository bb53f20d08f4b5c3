"""How the tests are run: all of them with all their examples, or, for a developer who waits, a part of both."""

from __future__ import annotations

import gc
import sys

import pytest

LEAST = 5
"""Examples that a property is tried on, however small the share."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``make fast`` asks for fewer examples; ``make test`` does not."""
    text = "the share of its examples that a property is tried on, in percent (they are the same in every run)"
    parser.addoption("--examples", type=int, default=100, metavar="PERCENT", help=text)


def pytest_configure() -> None:
    """Thousands of tests stay in memory: the collector shall not look at them all again whenever some data is new."""
    gc.set_threshold(20_000, 10, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each property its share of examples; tests that bring no library for properties know nothing of them."""
    share = config.getoption("--examples")
    hypothesis = sys.modules.get("hypothesis")
    if share >= 100 or hypothesis is None:
        return
    for item in items:
        test = getattr(item, "function", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None:
            fewer = max(LEAST, own.max_examples * share // 100)
            test._hypothesis_internal_use_settings = hypothesis.settings(  # type: ignore[union-attr]
                own, max_examples=min(own.max_examples, fewer)
            )
