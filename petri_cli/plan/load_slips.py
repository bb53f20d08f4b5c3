"""Hints at what was meant where a reader who knows only YAML, or other tools, would advise the wrong thing."""

from __future__ import annotations

from dataclasses import replace

from petri_cli.document import ListNode, MapNode, Node, ScalarNode
from petri_cli.errors import Problem
from petri_cli.plan.words import ID, KEYS, PATTERNS

FLOWS = ("steps", "jobs", "tasks", "stages")
"""What other tools call the flow."""

BRANCH_WORDS = {"if": "when", "then": "body"}
"""What other languages call the keys of a branch."""

_LISTS = ("seq", "parallel", "choice", "branches")
_STEPS = ("flow", "body")


def two_steps_in_one(problem: Problem) -> Problem:
    """A pattern key that stands twice in one map is a second step: none of the two is to be dropped."""
    if problem.code != "PETRI_DUPLICATE_KEY":
        return problem
    owner, _, key = problem.where.path.rpartition(".")
    last = owner.rpartition(".")[2]
    if key not in PATTERNS or not (owner.endswith("]") or last in _LISTS or last in _STEPS):
        return problem
    if problem.where.file.endswith(".json") or any(r.line == problem.where.line for r in problem.related):
        hint = "put each step into braces of its own"
    else:
        hint = "begin each step with `- `"
    return replace(problem, hint=f"{hint}, in a list below `seq:`" if last in _STEPS else hint)


def is_nothing(node: Node | None) -> bool:
    """Whether a key has no value: what should be its value may stand too far left."""
    return isinstance(node, ScalarNode) and node.value is None and not node.text


def empty_body(node: Node) -> Node | None:
    """The value of a ``body:`` with nothing behind it that ends the map ``node``."""
    if not isinstance(node, MapNode) or not node.entries:
        return None
    key, value = node.entries[-1]
    return value if key.value == "body" and is_nothing(value) else None


def map_hint(kind: str, node: Node) -> str:
    """A way out where the map below the key ``kind`` is no map."""
    if isinstance(node, ScalarNode) and node.value is None:
        return f"indent what belongs to it below `{kind}:`"
    if isinstance(node, ScalarNode) and kind == "task" and ID.fullmatch(node.text):
        return f"write task: {{id: {node.text}}}"
    if (
        isinstance(node, ScalarNode)
        and not node.quoted
        and len(words := node.text.split()) == 2
        and words[0] in KEYS[kind]
    ):
        return f"a `:` is missing: write `{words[0]}: {words[1]}`"
    return f"keys: {', '.join(KEYS[kind])}"


def step_hint(node: Node) -> str:
    """A way out where a step is no map."""
    if isinstance(node, ListNode):
        return "put a list of steps below `seq:`"
    if is_nothing(node):
        key = node.path[1]
        return f"indent the step below `{key}:`" if isinstance(key, str) else "write a step, or remove the `-`"
    if isinstance(node, ScalarNode) and node.text in PATTERNS:
        return f"a `:` is missing: write `{node.text}:`, and below it, indented, what belongs to it"
    return f"write task: {{id: {node.text}}}" if isinstance(node, ScalarNode) and ID.fullmatch(node.text) else ""
