"""Which process is which: a number alone may belong to somebody else tomorrow.

A process is told by its number, its start time, the boot it ran in, its host, and, where there are such things, the
namespace its number counts in (two containers may share a host's name and a database, and both have a process 7).
Linux says it all in ``/proc`` (proc(5)); elsewhere ``ps`` and ``sysctl`` do, a second fine; where neither is there only
the number is left.
"""

from __future__ import annotations

import calendar
import os
import subprocess
import time
from functools import cache
from pathlib import Path

from petri_cli.session.events import Process

PROC = Path("/proc")
_DEAD_STATES = frozenset("ZX")
"""Zombies and the dead: nothing of them runs any more, though their number is still taken."""


def this_process() -> Process:
    """The process that asks."""
    return _this_process(os.getpid())


@cache
def _this_process(pid: int) -> Process:
    """Kept by number: a child that was forked asks for another one."""
    return identify(pid) or Process(pid, 0, boot_id(), host(), os.getpgrp(), namespace())


def identify(pid: int) -> Process | None:
    """The process that has this number here and now; None when none has, or it is a zombie."""
    start = start_time(pid)
    if start is None:
        return None
    try:
        group = os.getpgid(pid)
    except ProcessLookupError:
        return None
    except PermissionError:
        group = 0
    return Process(pid, start, boot_id(), host(), group, namespace())


def alive(process: Process) -> bool | None:
    """Whether ``process`` still runs. None: that cannot be known from here (another host, another namespace).

    A process of an earlier boot of this host is dead. A start time of 0 (unknown) is not compared.
    """
    if process.host != host():
        return None
    if process.boot_id and boot_id() and process.boot_id != boot_id():
        return False
    if process.namespace != namespace():
        return None
    start = start_time(process.pid)
    if start is None:
        return False
    return not process.start_time or not start or start == process.start_time


def start_time(pid: int) -> int | None:
    """When a process was started, in the system's own unit; 0: it runs, but that is not known; None: it does not run.

    Linux: clock ticks since boot (field 22 of ``/proc/<pid>/stat``); elsewhere seconds since 1970.
    """
    if PROC.joinpath("self", "stat").exists():
        return _start_time_of_proc(pid)
    if not _may_exist(pid):
        return None
    return _start_time_of_ps(pid)


def _start_time_of_proc(pid: int) -> int | None:
    try:
        stat = (PROC / str(pid) / "stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    except PermissionError:
        return 0
    # The name of the program, in parentheses, may hold anything, spaces and parentheses too.
    rest = stat[stat.rindex(b")") + 2 :].split()
    return None if rest[0].decode() in _DEAD_STATES else int(rest[19])


def _may_exist(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start_time_of_ps(pid: int) -> int | None:
    said = _told("ps", "-o", "stat=,lstart=", "-p", str(pid))
    if said is None:
        return 0
    state, _, start = said.strip().partition(" ")
    if not state or state[0] in _DEAD_STATES:
        return None
    try:
        return calendar.timegm(time.strptime(start.strip(), "%a %b %d %H:%M:%S %Y"))
    except ValueError:
        return 0


@cache
def boot_id() -> str:
    """What names the present boot of this host; "" when nothing does."""
    try:
        return (PROC / "sys" / "kernel" / "random" / "boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return (_told("sysctl", "-n", "kern.bootsessionuuid") or "").strip()


@cache
def namespace() -> str:
    """What names the space in which process numbers count here; "" where there is only one."""
    try:
        return str((PROC / "self" / "ns" / "pid").readlink()).partition("[")[2].rstrip("]")
    except OSError:
        return ""


@cache
def host() -> str:
    return os.uname().nodename


def _told(*command: str) -> str | None:
    """What a program of the system prints; None when there is no such program, or it does not answer."""
    plain = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "TZ": "UTC"}
    try:
        done = subprocess.run(command, capture_output=True, env=plain, timeout=5, check=False)  # noqa: S603 (no input)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("ascii", "replace")
