"""Ends what a driver has started, when the driver cannot do it any more.

Run as a program (``python -I -S guardian.py TOKEN GRACE``; it imports next to nothing, so that it starts fast and stays
small) it reads from a pipe that only the driver holds: ``+PGID START`` and ``-PGID`` say which groups there are,
``q`` that all is well. When the pipe ends without ``q``, the driver is dead, however it died: every group that is left
is ended, and so is every process that carries TOKEN in its environment, also outside of these groups.

A process belongs to a group that was told when the leader's start time is the same; it carries a token when the word is
in its variable ``PETRI_PROCESS``, which children inherit. Without ``/proc`` only groups are known, by ``ps``.
"""

from __future__ import annotations

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # imported, it would double the time to start
    from collections.abc import Collection, Iterator, Mapping

PROC = "/proc"
VARIABLE = "PETRI_PROCESS"
_ROUNDS = 200
"""So often what does not die of KILL (it waits for a device, say) is looked at again, a hundredth of a second apart."""


class Stat:
    """Of one process: state (one letter), process group, start time in clock ticks since boot."""

    __slots__ = ("group", "start", "state")

    def __init__(self, state: str, group: int, start: int) -> None:
        self.state = state
        self.group = group
        self.start = start


def stat(pid: int) -> Stat | None:
    """None when there is no such process."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib takes longer to import than all the rest
            line = file.read()
    except OSError:
        return None
    # The name of the program, in parentheses, may hold anything, parentheses and spaces too.
    rest = line[line.rfind(b")") + 2 :].split()
    return Stat(rest[0].decode(), int(rest[2]), int(rest[19])) if len(rest) > 19 else None


def tokens_of(pid: int) -> frozenset[str]:
    """The tokens that a process carries; none of processes of others, which cannot be looked at."""
    try:
        with open(f"{PROC}/{pid}/environ", "rb") as file:  # noqa: PTH123
            environment = file.read()
    except OSError:
        return frozenset()
    begin = VARIABLE.encode() + b"="
    for entry in environment.split(b"\0"):
        if entry.startswith(begin):
            return frozenset(entry[len(begin) :].decode("ascii", "replace").split())
    return frozenset()


def token(pid: int, start: int) -> str:
    """What names a process on this host and in this boot, in one word."""
    return f"{pid}-{start}"


def survivors(
    groups: Mapping[int, int], tokens: Collection[str] = (), *, marked_only: bool = False
) -> list[tuple[int, Stat]]:
    """The processes that live in one of ``groups`` (number → start time of the leader, 0: unknown) or carry a token.

    marked_only: where the leader is gone, only members that carry the leader's token count: long after, its number may
    have been another group's, whose leader is gone as well.
    """
    if not os.path.isdir(f"{PROC}/self"):  # noqa: PTH112
        return _survivors_by_ps(groups)
    wanted = {*tokens, *(token(g, start) for g, start in groups.items())}
    oldest = min((int(t.rpartition("-")[2]) for t in wanted), default=0)
    leaders = {g: stat(g) for g in groups}
    found = []
    for name in os.listdir(PROC):  # noqa: PTH208
        if not name.isdigit() or int(name) == os.getpid():
            continue
        pid = int(name)
        seen = stat(pid)
        if seen is None or seen.state in "ZX" or seen.start < oldest:
            continue
        if seen.group in groups:
            leader, start = leaders[seen.group], groups[seen.group]
            if leader is not None and start and leader.start != start:
                continue  # the number is somebody else's by now
            if leader is not None or not marked_only:
                found.append((pid, seen))
                continue
        if not wanted.isdisjoint(tokens_of(pid)):
            found.append((pid, seen))
    return found


def _survivors_by_ps(groups: Mapping[int, int]) -> list[tuple[int, Stat]]:
    import subprocess

    command = ["/bin/ps", "-axo", "pid=,pgid=,stat="]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    rows = [line.split() for line in done.stdout.decode("ascii", "replace").splitlines()]
    seen = [(int(row[0]), Stat(row[2][0], int(row[1]), 0)) for row in rows if len(row) >= 3]
    return [(pid, s) for pid, s in seen if s.group in groups and s.state not in "ZX"]


def send(found: list[tuple[int, Stat]], groups: Collection[int], number: int) -> None:
    """Send a signal to whole groups at once, and to each of the others."""
    for group in {s.group for _, s in found if s.group in groups}:
        try:
            os.killpg(group, number)
        except OSError:
            continue
    for pid, seen in found:
        if seen.group not in groups:
            _send_one(pid, seen.start, number)


def _send_one(pid: int, start: int, number: int) -> None:
    """To the process that was seen, not to another one that got its number meanwhile."""
    try:
        fd = os.pidfd_open(pid)
    except (AttributeError, OSError):
        return
    try:
        now = stat(pid)
        if now is not None and now.start == start:
            signal.pidfd_send_signal(fd, number)
    except OSError:
        pass
    finally:
        os.close(fd)


def ending(
    groups: Mapping[int, int], tokens: Collection[str], grace: float, *, marked_only: bool = False
) -> Iterator[float]:
    """End them: TERM, and after ``grace`` seconds KILL. Gives, step by step, how many seconds to wait."""
    left = survivors(groups, tokens, marked_only=marked_only)
    if not left:
        return
    deadline = time.monotonic() + grace
    pause = 0.005
    send(left, groups, signal.SIGTERM)
    while left and time.monotonic() < deadline:
        yield pause
        pause = min(pause * 1.5, 0.05)
        left = survivors(groups, tokens, marked_only=marked_only)
    for _ in range(_ROUNDS):
        if not left:
            return
        send(left, groups, signal.SIGKILL)
        yield 0.01
        left = survivors(groups, tokens, marked_only=marked_only)


def main(driver: str, grace: str) -> None:
    groups: dict[int, int] = {}
    for line in sys.stdin:
        if line.startswith("q"):
            return
        if line.startswith("+") and line.endswith("\n"):
            pid, start = line[1:].split()
            groups[int(pid)] = int(start)
        elif line.startswith("-"):
            groups.pop(int(line[1:]), None)
    for pause in ending(groups, (driver,), float(grace)):
        time.sleep(pause)


if __name__ == "__main__":
    main(*sys.argv[1:])
