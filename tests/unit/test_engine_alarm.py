"""An alarm ends a sleep when its time has come or when it rings, and no ring is lost."""

from __future__ import annotations

import asyncio
import signal
import threading
import time

import pytest

from petri_cli.engine import Alarm, Clock, to_ticks

HOUR = to_ticks(3600)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def alarm(clock: Clock) -> Alarm:
    return Alarm(clock.now)


def test_a_clock_tells_ticks_since_1970_and_never_goes_back(clock: Clock) -> None:
    times = [clock.now() for _ in range(1000)]
    assert times == sorted(times)
    assert abs(times[-1] - to_ticks(time.time())) < HOUR


def test_a_sleep_ends_when_its_time_has_come(alarm: Alarm, clock: Clock) -> None:
    until = clock.now() + 20_000
    assert asyncio.run(alarm.wait(until)) is False
    assert clock.now() >= until - 1000  # the event loop rounds to its own resolution
    until = clock.now() + 20_000
    assert alarm.block(until) is False
    assert clock.now() >= until - 1000


def test_a_time_that_is_over_is_no_sleep_at_all(alarm: Alarm, clock: Clock) -> None:
    assert asyncio.run(alarm.wait(clock.now() - HOUR)) is False
    assert alarm.block(clock.now() - HOUR) is False


def test_a_ring_from_another_thread_ends_a_sleep_without_a_time(alarm: Alarm) -> None:
    async def sleep() -> bool:
        threading.Thread(target=alarm.ring).start()
        return await alarm.wait()

    assert asyncio.run(sleep()) is True
    threading.Thread(target=alarm.ring).start()
    assert alarm.block() is True


def test_a_ring_before_the_sleep_is_kept_and_several_are_one(alarm: Alarm, clock: Clock) -> None:
    alarm.ring()
    alarm.ring()
    assert alarm.block(clock.now() + HOUR) is True
    assert alarm.block(clock.now()) is False
    alarm.ring()
    alarm.ring()
    assert asyncio.run(alarm.wait(clock.now() + HOUR)) is True
    assert asyncio.run(alarm.wait(clock.now())) is False


def test_a_signal_handler_may_ring(alarm: Alarm) -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: alarm.ring())
    try:
        main = threading.main_thread().ident or 0
        threading.Timer(0.02, signal.pthread_kill, [main, signal.SIGUSR1]).start()
        assert alarm.block() is True
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_ring_reaches_nobody_when_the_sleeper_was_cancelled_and_is_kept_for_the_next(alarm: Alarm) -> None:
    async def cancelled_then_rung() -> bool:
        sleeper = asyncio.create_task(alarm.wait())
        await asyncio.sleep(0)
        sleeper.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeper
        alarm.ring()
        return await alarm.wait()

    assert asyncio.run(cancelled_then_rung()) is True


def test_no_ring_is_lost_between_eight_threads_and_a_sleeper(alarm: Alarm, clock: Clock) -> None:
    """Each thread posts a letter and rings; whoever reads all letters after each sleep misses none."""
    letters: list[int] = []
    threads = [threading.Thread(target=_post, args=(alarm, letters)) for _ in range(8)]
    for thread in threads:
        thread.start()
    while len(letters) < 8 * 500:
        assert alarm.block(clock.now() + to_ticks(10)) is True
    for thread in threads:
        thread.join()


def _post(alarm: Alarm, letters: list[int]) -> None:
    for i in range(500):
        letters.append(i)
        alarm.ring()
