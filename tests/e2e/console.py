"""What pages show of a terminal: commands with their output, to be run and compared.

In a fenced ``console`` block a line that begins with ``$ `` is a command, and the lines up to the next one are what it
writes, on both streams. A line ``…`` stands for any lines, also for none. A command with nothing below it may write
what it likes.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from difflib import ndiff
from pathlib import Path

from tests.e2e.petri import PETRI, environment

ANYTHING = "…"


@dataclass(frozen=True)
class Command:
    """A command of a page: its text, the lines that it is said to write, and the line of the page that it stands on."""

    text: str
    output: tuple[str, ...]
    line: int

    def unlike(self, written: str) -> str:
        """How what was written differs from what the page says; empty where it does not."""
        told = list(self.output)
        while told and not told[-1]:
            told.pop()
        lines = [line.rstrip() for line in written.rstrip("\n").split("\n")] if written.strip() else []
        pattern = "".join("(?:.*\n)*?" if line == ANYTHING else f"{re.escape(line)}\n" for line in told)
        if not told or re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)):
            return ""
        return "\n".join(ndiff(told, lines))


def commands(page: str) -> list[Command]:
    """The commands of every ``console`` block of a page, in order."""
    found: list[Command] = []
    inside = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Command(line[2:], (), number))
        elif inside and found:
            last = found.pop()
            found.append(Command(last.text, (*last.output, line.rstrip()), last.line))
    return found


def run(command: str, cwd: Path) -> tuple[int, str]:
    """The exit code of a line of bash, and what it writes on both streams, in order. ``petri`` is that under test."""
    env = environment()
    env["PATH"] = f"{PETRI.parent}:{env.get('PATH', '')}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, timeout=120
    )
    return done.returncode, done.stdout.decode()
