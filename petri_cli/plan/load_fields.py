"""Reading what the parts of a plan have in common: ids and durations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from petri_cli.document import Node, ScalarNode, position, shorten
from petri_cli.document.fields import Fields
from petri_cli.plan.duration import LONGEST, parse_duration
from petri_cli.plan.words import ID

DURATION_HINT = "write for example 30m, 1h30m, 90s, 500ms, or a number of seconds"


class PlanFields(Fields):
    """Typed reading of a plan's values."""

    required = ("id", "capacity", "resource", "over", "command")

    def __init__(self) -> None:
        super().__init__()
        self.resource_uses: list[ScalarNode] = []
        """Where the flow names a resource."""
        self.worker_uses: list[ScalarNode] = []
        self.expression_uses: list[tuple[str, ScalarNode]] = []
        """Texts that may be expressions, each with its key."""

    def id(self, node: Node, what: str = "id") -> str | None:
        """A name that other parts of the plan, and the net, refer to."""
        if isinstance(node, ScalarNode) and isinstance(node.value, str):
            if ID.fullmatch(node.value):
                return node.value
            message = (
                f'{what} "{shorten(node.value)}" must begin with a letter or _ and go on with letters, digits, _ or -'
            )
        else:
            value = self.text(node, what)
            if value is not None or not isinstance(node, ScalarNode):
                return None
            self.problems.pop()
            hint = f"for example {_suggestion(node.text, prefix='step_')}" if node.text else ""
            self.wrong_type(what, "text", node, hint)
            return None
        self.note("PETRI_BAD_ID", message, node, f"for example {_suggestion(node.value)}")
        return None

    def expression(self, node: Node, what: str) -> str | None:
        """Text that is an expression, or prose; which one, and whether it is right, is checked in the end."""
        value = self.text(node, what)
        if value is not None and isinstance(node, ScalarNode):
            self.expression_uses.append((what, node))
        return value

    def duration(self, node: Node, what: str, *, zero: bool = False) -> float | None:
        """Seconds; above 0 unless ``zero``."""
        value = node.value if isinstance(node, ScalarNode) else None
        if not isinstance(node, ScalarNode) or isinstance(value, bool) or not isinstance(value, int | float | str):
            self.wrong_type(what, "a duration", node, DURATION_HINT)
            return None
        seconds = parse_duration(value) if isinstance(value, str) else value
        if seconds is None:
            self.note("PETRI_BAD_DURATION", f'{what} "{shorten(str(value))}" is no duration', node, DURATION_HINT)
            return None
        if not (0 <= seconds <= LONGEST) or (seconds == 0 and not zero):
            bound = "at least 0" if zero else "above 0"
            message = f"{what} must be {bound} and at most {LONGEST:,.0f} s, got {shorten(node.text)}"
            self.note("PETRI_OUT_OF_RANGE", message, node)
            return None
        return float(seconds)


def _suggestion(text: str, *, prefix: str = "") -> str:
    """An id that looks like ``text``."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    word = prefix + re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")[:40]
    return f"`{word if ID.fullmatch(word) else f'step_{word}'.rstrip('_')}`"


@dataclass(slots=True)
class Names:
    """The ids of one kind, each with the node that gave it first."""

    plural: str
    first: dict[str, ScalarNode] = field(default_factory=dict)

    def add(self, fields: Fields, name: str, node: ScalarNode, owner: Node) -> None:
        """Note a problem when another node of the kind has this id.

        ``owner`` is what has it now: where an alias or a merge key shares the id itself, that is the place to tell of.
        """
        before = self.first.get(name)
        if before is None:
            self.first[name] = node
            return
        where = position(before)
        first = f"on line {where.line}" if where.line else f"at {where.path}"
        hint = f"the first one stands {first}; choose another id"
        message = f"two {self.plural} are called `{name}`"
        fields.note("PETRI_DUPLICATE_ID", message, owner if before is node else node, hint, related=(where,))
