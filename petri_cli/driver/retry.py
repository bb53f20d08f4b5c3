"""How long to wait before another attempt."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping

from petri_cli.plan.duration import LONGEST

_BITS = 53
"""Of a float's mantissa."""


def retry_delay(retry: Mapping[str, float | None] | None, attempt: int, claim: str) -> float:
    """Seconds to wait before ``attempt`` (2 is the first that follows another), after the claim ``claim`` was burnt.

    retry: ``{delay, factor, max, jitter}`` as in the plan, durations in seconds. It is delay · factor^(attempt - 2),
    at most ``max``; of that, a share of up to ``jitter`` is taken off again: as much as the claim's name says, so that
    it is the same whenever it is asked for.
    """
    if retry is None or attempt < 2:
        return 0.0
    delay, factor = retry.get("delay") or 0.0, retry.get("factor") or 1.0
    most, jitter = retry.get("max"), retry.get("jitter") or 0.0
    longest = LONGEST if most is None else most
    if delay <= 0:
        return 0.0
    # In logarithms: factor^(attempt - 2) overflows long before there are no attempts left.
    steps = attempt - 2
    over = math.log(delay) + steps * math.log(factor) >= math.log(longest)
    wait = longest if over else min(delay * factor**steps, longest)
    return wait * (1.0 - jitter * _share(claim))


def _share(claim: str) -> float:
    """A number from 0 to 1 that the name decides."""
    digest = hashlib.sha256(claim.encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> (64 - _BITS)) / (1 << _BITS)
