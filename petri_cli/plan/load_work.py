"""Reading what is said of a piece of work: how it is run, verified, retried, timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, position
from petri_cli.document.fields import MAX_DEPTH
from petri_cli.plan.load_fields import PlanFields
from petri_cli.plan.words import PYTHON

Entry = tuple[ScalarNode, Node]

VERIFY_WORDS = ("exit-code", "human")
VERIFY_KEYS = ("command", "schema", "files", "python", "all")
RETRY_KEYS = ("delay", "factor", "max", "jitter")
TIMING_KEYS = ("delayed", "exact")
HARD_TIMING = ("deadline", "window")


def read_settings(fields: PlanFields, entries: Iterable[Entry]) -> dict[str, Any]:
    """The settings among ``entries``, durations in seconds; other keys are passed over."""
    settings: dict[str, Any] = {}
    bodies: dict[str, ScalarNode] = {}
    for key, value in entries:
        name = key.value
        read = _READERS.get(name) if isinstance(name, str) else None
        if read is None:
            continue
        if name == "run" or name == "python":
            bodies[name] = key
        settings[str(name)] = read(fields, value, str(name))
    if len(bodies) > 1:
        message = "a piece of work has one body: `run` or `python`, not both"
        fields.note(
            "PETRI_CONFLICTING_KEYS", message, bodies["python"], "remove one", related=(position(bodies["run"]),)
        )
    return settings


def command(fields: PlanFields, node: Node, what: str) -> str | list[str] | None:
    """A shell command, or a program with its arguments."""
    if not isinstance(node, ListNode):
        if isinstance(node, MapNode):
            fields.wrong_type(what, "a command or a list of arguments", node)
            return None
        return fields.text(node, what)
    if not node.items:
        fields.note("PETRI_BAD_VALUE", f"{what} is an empty list", node, "write the program first, then its arguments")
        return None
    words = [fields.text(item, f"an argument of {what}", blank=True) for item in node.items]
    if words[0] is not None and not words[0].strip():
        fields.note("PETRI_BAD_VALUE", f"{what} names no program", node.items[0], "write the program first")
    return [word for word in words if word is not None]


def _python(fields: PlanFields, node: Node, what: str) -> str | None:
    return fields.matching(node, what, PYTHON, "written `module:function`")


def _worker(fields: PlanFields, node: Node, what: str) -> str | None:
    name = fields.id(node, what)
    if name is not None and isinstance(node, ScalarNode):
        fields.worker_uses.append(node)
    return name


def _with(fields: PlanFields, node: Node, what: str) -> Any:
    if not isinstance(node, MapNode):
        fields.wrong_type(what, "a map of inputs", node)
        return None
    return fields.data(node, what)


def _retry(fields: PlanFields, node: Node, what: str) -> dict[str, float | None] | None:
    entries = fields.map(node, what, RETRY_KEYS)
    if entries is None:
        return None
    read: dict[str, float | None] = {}
    for name, value in entries.items():
        if name == "factor":
            read[name] = fields.number(value, "factor", 1, 1000)
        elif name == "jitter":
            read[name] = fields.number(value, "jitter", 0, 1)
        else:
            read[name] = fields.duration(value, name, zero=name == "delay")
    return read


def _timing(fields: PlanFields, node: Node, what: str) -> Any:
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        return fields.choice(node, what, ("immediate",))
    if isinstance(node, MapNode):
        for key, _ in node.entries:
            if key.value in HARD_TIMING:
                message = f"a step of a plan never expires: `{key.value}` is for nets"
                fields.note("PETRI_BAD_VALUE", message, key, "use `timeout` to bound how long the work may take")
                return None
    entry = fields.one_key(node, what, TIMING_KEYS)
    if entry is None:
        return None
    return {str(entry[0].value): fields.duration(entry[1], str(entry[0].value), zero=True)}


def verify(fields: PlanFields, node: Node, what: str) -> Any:
    """A verifier: ``exit-code``, ``human``, or a map of one key; ``all`` holds more of them.

    The result has the shape of the document. It is put together from the leaves up, without recursion.
    """
    done: dict[int, Any] = {}
    stack: list[tuple[Node, int, bool]] = [(node, 1, False)]
    while stack:
        part, depth, parts_done = stack.pop()
        parts = _all_of(part)
        if parts is None:
            done[id(part)] = _one_verifier(fields, part, what)
        elif parts_done:
            done[id(part)] = {"all": [done[id(p)] for p in parts]}
        elif depth > MAX_DEPTH:
            fields.note("PETRI_TOO_DEEP", f"{what} is nested more than {MAX_DEPTH} levels deep", part)
            return None
        else:
            if not parts:
                fields.note("PETRI_BAD_VALUE", "all is an empty list", part, "list at least one verifier")
            stack.append((part, depth, True))
            stack.extend((p, depth + 1, False) for p in parts)
    return done[id(node)]


def _all_of(node: Node) -> tuple[Node, ...] | None:
    """The verifiers below a well-formed ``{all: […]}``."""
    if isinstance(node, MapNode) and len(node.entries) == 1:
        key, value = node.entries[0]
        if key.value == "all" and isinstance(value, ListNode):
            return value.items
    return None


def _one_verifier(fields: PlanFields, node: Node, what: str) -> Any:
    if not isinstance(node, MapNode):
        return fields.choice(node, what, VERIFY_WORDS)
    entry = fields.one_key(node, what, VERIFY_KEYS)
    if entry is None:
        return None
    key, value = str(entry[0].value), entry[1]
    match key:
        case "command":
            return {key: command(fields, value, key)}
        case "python":
            return {key: _python(fields, value, key)}
        case "schema":
            if not isinstance(value, MapNode) and not (isinstance(value, ScalarNode) and isinstance(value.value, bool)):
                fields.wrong_type(key, "a map, true or false (a JSON Schema)", value)
                return None
            return {key: fields.data(value, key)}
        case "files":
            return {key: _globs(fields, value, key)}
        case _:
            fields.wrong_type(key, "a list of verifiers", value)
            return None


def _globs(fields: PlanFields, node: Node, what: str) -> list[str | None] | None:
    if not isinstance(node, ListNode):
        fields.wrong_type(what, "a list of file patterns", node)
        return None
    if not node.items:
        fields.note("PETRI_BAD_VALUE", f"{what} is an empty list", node, "list at least one file pattern")
    return [fields.text(item, f"a pattern in {what}") for item in node.items]


_READERS: dict[str, Callable[[PlanFields, Node, str], Any]] = {
    "run": command,
    "python": _python,
    "worker": _worker,
    "with": _with,
    "verify": verify,
    "retry": _retry,
    "maxAttempts": lambda fields, node, what: fields.whole(node, what, 1),
    "timeout": PlanFields.duration,
    "lease": PlanFields.duration,
    "priority": PlanFields.whole,
    "timing": _timing,
}
