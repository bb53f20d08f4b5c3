"""The wait before another attempt: it grows, has a bound, varies by the name of the claim alone."""

from __future__ import annotations

import pytest

from petri_cli.driver.retry import retry_delay
from petri_cli.plan.duration import LONGEST


def waits(**retry: float | None) -> list[float]:
    return [retry_delay(retry, attempt, f"c{attempt}") for attempt in range(1, 7)]


def test_without_a_delay_nobody_waits() -> None:
    assert retry_delay(None, 5, "c") == 0.0
    assert waits() == waits(delay=0.0, factor=3.0, max=5.0) == [0.0] * 6


def test_the_first_attempt_never_waits_and_each_further_one_longer() -> None:
    assert waits(delay=10.0) == [0.0, 10.0, 10.0, 10.0, 10.0, 10.0]
    assert waits(delay=1.0, factor=2.0) == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0]
    assert waits(delay=1.0, factor=2.0, max=5.0) == [0.0, 1.0, 2.0, 4.0, 5.0, 5.0]
    assert waits(delay=9.0, max=5.0) == [0.0, 5.0, 5.0, 5.0, 5.0, 5.0]


@pytest.mark.parametrize("attempt", [10, 1_000, 1_000_000_000])
def test_no_number_of_attempts_is_too_large(attempt: int) -> None:
    assert retry_delay({"delay": 1.0, "factor": 1000.0}, attempt, "c") == LONGEST
    assert retry_delay({"delay": 1.0, "factor": 1000.0, "max": 60.0}, attempt, "c") == 60.0


def test_jitter_takes_off_a_share_that_the_claim_decides() -> None:
    retry = {"delay": 10.0, "jitter": 0.2}
    found = [retry_delay(retry, 2, f"c{n}") for n in range(500)]
    assert found == [retry_delay(retry, 2, f"c{n}") for n in range(500)]
    assert all(8.0 <= wait <= 10.0 for wait in found)
    assert len(set(found)) == 500
    assert min(found) < 8.1 and max(found) > 9.9
    assert 8.9 < sum(found) / 500 < 9.1
