"""Which process is which."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from petri_cli.session import identity
from petri_cli.session.identity import alive, identify, this_process

ROOT = Path(__file__).parents[2]


def sleeper() -> subprocess.Popen[bytes]:
    """A process that ends when its standard input does."""
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def test_this_process_is_alive_and_has_its_own_number() -> None:
    me = this_process()
    assert me.pid == os.getpid() and me.host and me.boot_id and me.start_time > 0
    assert alive(me) is True


FORKING = """
import os
from petri_cli.session.identity import this_process
parent = this_process()
if not os.fork():
    child = this_process()
    os._exit(0 if child.pid == os.getpid() != parent.pid else 1)
raise SystemExit(os.wait()[1])
"""


def test_a_child_that_was_forked_is_another_process() -> None:
    assert subprocess.run([sys.executable, "-c", FORKING], cwd=ROOT, check=False).returncode == 0


def test_a_process_that_ended_is_not_alive_even_as_a_zombie() -> None:
    child = sleeper()
    known = identify(child.pid)
    assert known is not None and alive(known) is True
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert alive(known) is False, "dead, but nobody has asked how it ended"
    child.communicate()
    assert alive(known) is False and identify(child.pid) is None


def test_another_process_with_the_same_number_is_not_the_same() -> None:
    me = this_process()
    assert alive(replace(me, start_time=me.start_time + 1)) is False


def test_a_process_of_an_earlier_boot_is_dead() -> None:
    assert alive(replace(this_process(), boot_id="an-earlier-one")) is False


def test_nothing_is_known_of_another_host_or_namespace() -> None:
    assert alive(replace(this_process(), host="elsewhere")) is None
    assert alive(replace(this_process(), namespace="another container")) is None


def test_without_proc_ps_tells_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "PROC", Path("/nonexistent"))
    monkeypatch.setattr(identity, "_told", lambda *c: "Ss   Mon Nov 30 19:45:23 2026\n")
    assert identity.start_time(os.getpid()) == 1796067923
    monkeypatch.setattr(identity, "_told", lambda *c: "Z    Mon Nov 30 19:45:23 2026\n")
    assert identity.start_time(os.getpid()) is None
    monkeypatch.setattr(identity, "_told", lambda *c: None)
    assert identity.start_time(os.getpid()) == 0


def test_without_proc_and_ps_the_number_alone_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "PROC", Path("/nonexistent"))
    monkeypatch.setattr(identity, "_told", lambda *c: None)
    child = sleeper()
    known = identify(child.pid)
    assert known is not None and known.start_time == 0 and alive(known) is True
    child.communicate()
    assert alive(known) is False
