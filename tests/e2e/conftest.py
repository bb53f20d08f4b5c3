"""Tests that start processes are left to `make test`; `make fast` keeps the few that show whether the command works."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
QUICK = {"test_cli_startup", "test_prepared"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of every other module here as slow; `make test` runs them all."""
    for item in items:
        if item.path.parent == HERE and item.path.stem not in QUICK:
            item.add_marker(pytest.mark.slow)
