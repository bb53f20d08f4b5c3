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
            gc.enable()
