"""The difference of two texts as ``patch`` reads it."""

from __future__ import annotations

import re
from difflib import unified_diff

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
NO_NEWLINE = "\\ No newline at end of file\n"


def diff(before: str, after: str, file: str) -> str:
    """A unified diff with three lines of context; line ends are kept as they are. Empty where nothing differs."""
    lines = unified_diff(_LINE.findall(before), _LINE.findall(after), file, file, lineterm="\n")
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)
