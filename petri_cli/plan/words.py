"""The words of the plan language: which keys there are, and what an id looks like."""

from __future__ import annotations

import re

from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Node, Parallel, Seq, Task

PATTERNS: dict[str, type[Node]] = {
    "task": Task,
    "seq": Seq,
    "parallel": Parallel,
    "choice": Choice,
    "loop": Loop,
    "foreach": Foreach,
    "guard": Guard,
}
"""The keys that a node of the flow can have; it has exactly one."""

PLURAL = {
    "task": "tasks",
    "seq": "seqs",
    "parallel": "parallels",
    "choice": "choices",
    "loop": "loops",
    "foreach": "foreachs",
    "guard": "guards",
}

SETTINGS = (
    "run",
    "python",
    "worker",
    "with",
    "verify",
    "retry",
    "maxAttempts",
    "timeout",
    "lease",
    "priority",
    "timing",
)
"""What can be said of a piece of work: a task, or the discovery of a foreach."""

DEFAULTS = ("worker", "verify", "retry", "maxAttempts", "timeout", "lease")

KEYS: dict[str, tuple[str, ...]] = {
    "task": ("id", "name", *SETTINGS),
    "seq": (),
    "parallel": ("id", "branches"),
    "choice": ("id", "branches"),
    "loop": ("id", "maxIterations", "until", "delay", "onExhausted", "body"),
    "foreach": ("id", "name", "over", "body", "maxWidth", *SETTINGS),
    "guard": ("id", "resource", "units", "body"),
}
"""The keys below each pattern key."""

BRANCH = ("when", "name", "body")

PLAN = (
    "version",
    "kind",
    "name",
    "objective",
    "defaults",
    "resources",
    "workers",
    "secrets",
    "flow",
)

RESOURCE = ("id", "capacity", "per")

ID_PATTERN = r"^[A-Za-z_][A-Za-z0-9_-]*$"
"""No dots: they separate the parts of the ids of a net, and a task from a field of its result (``${survey.files}``)."""

ID = re.compile(ID_PATTERN[1:-1])
PYTHON_PATTERN = r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_.]*$"
PYTHON = re.compile(PYTHON_PATTERN[1:-1])
SECRET_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"  # noqa: S105 - the name of an environment variable
SECRET = re.compile(SECRET_PATTERN[1:-1])
EXTENSION = "x-"
"""Top-level keys that begin so are the author's own: a place for anchors."""


def is_expression(text: str) -> bool:
    """Whether the text of ``when``, ``until`` or ``over`` is an expression (it holds ``${``), and not prose."""
    return "${" in text
