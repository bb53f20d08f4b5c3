"""Building large trees without the cyclic garbage collector looking on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cyclic garbage collection inside the block.

    A tree of nodes has no cycles to collect, yet its growth makes the collector walk all of it again and again: that
    takes as long as building it does. The collector is switched on again however the block ends.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """Put what was made meanwhile among the old objects: else all of it counts as young, and the next allocation has
    it walked. Where a program has frozen objects of its own, they stay frozen, and nothing is done."""
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
