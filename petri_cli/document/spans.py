"""Where each piece of a document begins and ends in its text: what an edit needs to know, and a reader does not.

Nothing is resolved: an alias is an alias, a merge key a key. Offsets count characters, in the text without a byte order
mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

MAP, LIST, SCALAR, ALIAS = "map", "list", "scalar", "alias"

_SIGN = re.compile(r'[ \t\r\n,:]*([{}\[\]"]|[^\s,:{}\[\]"]+)')


@dataclass(slots=True, eq=False)
class Span:
    """A node as it is written: ``text[start:end]``, comments and blanks around it left out.

    parts: children, those of a map keys and values in turn; value: a scalar's text without quotes; flow: written in
    braces or brackets, or inside such; marked: with an anchor or a tag, which ``start`` points at.
    """

    kind: str
    start: int
    end: int
    flow: bool = False
    value: str = ""
    marked: bool = False
    parts: list[Span] = field(default_factory=list)

    def key(self, name: str) -> Span | None:
        """The key ``name`` of a map."""
        return next((k for k in self.parts[::2] if k.kind == SCALAR and k.value == name), None)

    def find(self, name: str) -> Span | None:
        """The value of ``name`` in a map; None when it has no such key, or is none."""
        if self.kind != MAP:
            return None
        pairs = zip(self.parts[::2], self.parts[1::2], strict=True)
        return next((v for k, v in pairs if k.kind == SCALAR and k.value == name), None)


def spans(text: str, *, json: bool) -> Span:
    """The document in ``text``, which was read before without a problem."""
    return _json(text) if json else _yaml(text)


def _yaml(text: str) -> Span:
    import yaml

    parser: Any = yaml.CLoader(text) if yaml.__with_libyaml__ else yaml.SafeLoader(text)
    root = Span(LIST, 0, 0)
    opened = [root]
    try:
        while True:
            event = parser.get_event()
            if event is None or isinstance(event, yaml.StreamEndEvent):
                break
            if isinstance(event, yaml.CollectionEndEvent):
                done = opened.pop()
                mark: Any = event.end_mark
                done.end = mark.index if done.flow and text[mark.index - 1 : mark.index] in ("}", "]") else _last(done)
            elif isinstance(event, yaml.NodeEvent):
                node = _yaml_node(event, text, opened[-1])
                opened[-1].parts.append(node)
                if isinstance(event, yaml.CollectionStartEvent):
                    opened.append(node)
    finally:
        parser.dispose()
    return root.parts[0]


def _yaml_node(event: Any, text: str, parent: Span) -> Span:
    import yaml

    start, end = event.start_mark.index, event.end_mark.index
    if isinstance(event, yaml.AliasEvent):
        return Span(ALIAS, start, end, parent.flow)
    marked = event.anchor is not None or event.tag is not None
    if isinstance(event, yaml.CollectionStartEvent):
        kind = MAP if isinstance(event, yaml.MappingStartEvent) else LIST
        return Span(kind, start, end, bool(event.flow_style), marked=marked)
    if event.style in ("|", ">"):  # its trailing line breaks are counted as its own
        end = start + len(text[start:end].rstrip())
    return Span(SCALAR, start, end, parent.flow, event.value, marked)


def _last(done: Span) -> int:
    """Where a block ends: with the last thing in it. Its own mark is where the next sign begins."""
    return max([done.start, *(p.end for p in done.parts[-2:])])


def _json(text: str) -> Span:
    root = Span(LIST, 0, 0)
    opened = [root]
    at = 0
    while found := _SIGN.match(text, at):
        sign, start, at = found[1], found.start(1), found.end()
        if sign in "}]":
            opened.pop().end = at
            continue
        if sign in "{[":
            node = Span(MAP if sign == "{" else LIST, start, at, flow=True)
        elif sign == '"':
            value, at = scanstring(text, at, True)
            node = Span(SCALAR, start, at, flow=True, value=value)
        else:
            node = Span(SCALAR, start, at, flow=True, value=sign)
        opened[-1].parts.append(node)
        if node.kind != SCALAR:
            opened.append(node)
    return root.parts[0]
