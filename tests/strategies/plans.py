"""Plans as documents (plain dicts): valid ones with every kind of node, and the same with something wrong in them."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

Document = dict[str, Any]

KINDS = ("task", "seq", "parallel", "choice", "loop", "foreach", "guard")
BRANCHING = ("seq", "parallel", "choice")

MISREAD = (
    *("on", "no", "y", "012", "1:30", "1_000", "2024-01-01", "0x1F", ".5", "1e3", "~", "null", "a: b", "a #b", "- a"),
    *("'", '"', "\\", "{item}", "a, b", "x\ny\n", "  x", "x ", "\tx", "a\n\n b\n", "ü→😀", "\x85x", "a\u2028b"),
)
TEXTS = (st.sampled_from(MISREAD) | st.text(max_size=12)).filter(lambda s: s.strip() != "")
"""Text that says something, most of it easy to misread."""

DURATIONS = st.sampled_from(["30m", "1h30m", "90s", "500ms", "1.5h", "2d", 1, 90, 0.25, 1.0001])

DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**6), 10**20), st.floats(allow_nan=False, allow_infinity=False))
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
COMMANDS = TEXTS | st.lists(TEXTS, min_size=1, max_size=3)
VERIFIERS = st.recursive(
    st.sampled_from(["exit-code", "human", {"files": ["*.txt"]}, {"schema": {"type": "object"}}, {"python": "m:f"}])
    | st.fixed_dictionaries({"command": COMMANDS}),
    lambda inner: st.fixed_dictionaries({"all": st.lists(inner, min_size=1, max_size=2)}),
    max_leaves=3,
)
SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "worker": st.sampled_from(["shell", "agent"]),
    "with": st.dictionaries(TEXTS, DATA, max_size=2),
    "verify": VERIFIERS,
    "retry": st.fixed_dictionaries(
        {},
        optional={
            "delay": DURATIONS | st.just(0),
            "factor": st.floats(1, 9),
            "max": DURATIONS,
            "jitter": st.floats(0, 1),
        },
    ),
    "maxAttempts": st.integers(1, 9),
    "timeout": DURATIONS,
    "lease": DURATIONS,
    "priority": st.integers(-9, 9),
    "timing": st.sampled_from(["immediate", {"delayed": "5s"}, {"exact": 2}]),
}


@st.composite
def plan_documents(
    draw: st.DrawFn,
    *,
    max_resources: int = 4,
    max_units: int = 3,
    max_nodes: int = 12,
    quotas: bool = True,
    rich: bool = False,
) -> Document:
    """A valid plan document of at most ``max_nodes`` nodes, with every kind of node.

    Capacities and units are 1 to ``max_units``; guards may name several resources; a foreach goes over a literal list,
    an expression or prose, with or without ``maxWidth``. ``quotas``: some resources have ``per``. ``rich``: also
    settings, names, written ids, conditions and free data.
    """
    names = ["a", "b", "c", "d", "e", "f", "g", "h"][: draw(st.integers(0, max_resources))]
    resources = [{"id": name, "capacity": draw(st.integers(1, max_units))} for name in names]
    for resource in resources:
        if quotas and draw(st.integers(0, 9)) == 0:
            resource["per"] = draw(st.sampled_from(["1m", 60, "500ms"]))
    drawing = _Drawing(draw, names, max_units, max_nodes, rich)
    document: Document = {"flow": drawing.node()}
    if resources:
        document["resources"] = resources
    if rich:
        document |= draw(_HEADERS)
    return document


_HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "version": st.just(1),
        "kind": st.just("plan"),
        "name": TEXTS,
        "objective": TEXTS,
        "defaults": st.fixed_dictionaries({}, optional={k: SETTINGS[k] for k in ("timeout", "verify", "maxAttempts")}),
        "workers": st.just({"agent": {"command": ["my-agent", "--json"], "description": "writes code"}}),
        "secrets": st.just(["API_TOKEN"]),
        "x-own": DATA,
    },
)


class _Drawing:
    """Draws one flow; every node that is drawn takes one from ``left``."""

    def __init__(self, draw: st.DrawFn, resources: list[str], max_units: int, left: int, rich: bool) -> None:
        self.draw = draw
        self.resources = resources
        self.max_units = max_units
        self.left = left
        self.rich = rich
        self.used = 0

    def node(self) -> Document:
        self.left -= 1
        kinds = ["task"]
        if self.left >= 1:
            kinds += ["loop", "foreach"] + (["guard", "guard"] if self.resources else [])
        if self.left >= 2:
            kinds += BRANCHING
        kind = self.draw(st.sampled_from(kinds)) if self.left else "task"
        return {kind: getattr(self, f"{kind}_value")()}

    def name(self, prefix: str) -> str:
        self.used += 1
        return f"{prefix}{self.used}"

    def flip(self) -> bool:
        return self.rich and self.draw(st.booleans())

    def settings(self) -> Document:
        if not self.rich:
            return {}
        chosen = self.draw(st.sets(st.sampled_from(list(SETTINGS)), max_size=2))
        work = {key: self.draw(SETTINGS[key]) for key in sorted(chosen)}
        match self.draw(st.integers(0, 3)):
            case 0:
                work["run"] = self.draw(COMMANDS)
            case 1:
                work["python"] = "work:main"
        return work

    def task_value(self) -> Document:
        name = {"name": self.draw(TEXTS)} if self.flip() else {}
        return {"id": self.name("t"), **name, **self.settings()}

    def several(self) -> list[Document]:
        items = [self.node()]
        while self.left > 0 and (len(items) < 2 or self.draw(st.booleans())):
            items.append(self.node())
        return items

    def seq_value(self) -> list[Document]:
        return self.several()

    def branching(self, prefix: str, items: list[Document]) -> Any:
        if not self.flip():
            return items
        return {"branches": items} | ({"id": self.name(prefix)} if self.flip() else {})

    def parallel_value(self) -> Any:
        return self.branching("p", self.several())

    def choice_value(self) -> Any:
        items = self.several()
        for k, item in enumerate(items):
            if self.flip():
                when = {"when": self.draw(TEXTS)} if self.flip() else {}
                items[k] = {**when, **({"name": self.draw(TEXTS)} if self.flip() else {}), "body": item}
        return self.branching("c", items)

    def loop_value(self) -> Document:
        loop: Document = {"id": self.name("l")}
        if self.draw(st.booleans()):
            loop["maxIterations"] = self.draw(st.integers(1, 3))
        if self.flip():
            loop |= {"until": self.draw(TEXTS), "delay": self.draw(DURATIONS), "onExhausted": "exit"}
        return {**loop, "body": self.node()}

    def foreach_value(self) -> Document:
        over = self.draw(
            st.sampled_from(["items in the sheet", "${item.parts}", [], ["x"], ["x", 2], [1, {"a": 1}, None]])
        )
        foreach: Document = {"id": self.name("f"), "over": over}
        if self.draw(st.booleans()):
            least = len(over) if isinstance(over, list) else 1
            foreach["maxWidth"] = self.draw(st.integers(max(1, least), 3))
        return {**foreach, **self.settings(), "body": self.node()}

    def guard_value(self) -> Document:
        guard: Document = {"resource": self.draw(st.sampled_from(self.resources))}
        if len(self.resources) > 1 and self.draw(st.integers(0, 3)) == 0:
            some = st.lists(st.sampled_from(self.resources), min_size=1, max_size=3, unique=True)
            guard["resource"] = self.draw(some)
        if self.draw(st.booleans()):
            guard["units"] = self.draw(st.integers(1, self.max_units))
        if self.flip():
            guard["id"] = self.draw(st.sampled_from([self.name("g"), self.name("gate")]))
        return {**guard, "body": self.node()}


JUNK: st.SearchStrategy[Any] = st.sampled_from(
    (
        *(None, True, 0, -1, 1, 2, 1.5, 3.0, 10**9 + 1, "3", "", " ", "x", "a b", "x\n", "30m", "5x", "exit-code"),
        *("human", "m:f", "fail", "immediate", [], {}, ["a"], ["a", "a"], [None], ["", "x"], {"id": "x"}),
        *({"task": {"id": "t9"}}, {"delayed": 5}, {"deadline": 5}, {"all": []}, {"command": "x"}, {"branches": []}),
        *({"body": {}}, {"when": "x"}),
    )
)
SOME_KEYS = (
    *KINDS,
    *(
        "id",
        "body",
        "branches",
        "when",
        "name",
        "resource",
        "units",
        "over",
        "maxWidth",
        "until",
        "delay",
        "run",
        "python",
    ),
    *("verify", "timing", "retry", "capacity", "per", "maxIterations", "nme", "version", "kind", "x-own", "workers"),
)


@st.composite
def broken_documents(draw: st.DrawFn, *, max_nodes: int = 8, most: int = 3) -> Any:
    """A plan document with up to ``most`` things changed at random; now and then it is still valid."""
    document: Any = copy.deepcopy(draw(plan_documents(max_nodes=max_nodes, rich=draw(st.booleans()))))
    for _ in range(draw(st.integers(draw(st.integers(0, 1)), most))):
        spots = _spots(document)
        if not spots:
            break
        _damage(draw, *spots[draw(st.integers(0, len(spots) - 1))])
    return document


def _spots(document: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or index) in a document."""
    spots: list[tuple[Any, Any]] = []
    stack = [document]
    while stack:
        value = stack.pop()
        children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, child in children:
            spots.append((value, key))
            stack.append(child)
    return spots


def _damage(draw: st.DrawFn, container: Any, key: Any) -> None:
    match draw(st.integers(0, 4)):
        case 0:
            del container[key]
        case 1:
            container[key] = copy.deepcopy(draw(JUNK))
        case 2 if isinstance(container, dict):
            container[draw(st.sampled_from(SOME_KEYS))] = container.pop(key)
        case 3 if isinstance(container, dict):
            container[draw(st.sampled_from(SOME_KEYS))] = copy.deepcopy(draw(JUNK))
        case _:
            container[key] = [container[key]]
