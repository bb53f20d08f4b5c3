"""YAML to nodes, from the parser's events.

Composing inside libyaml is recursive and forgets how a scalar was written; a stack of open collections over the event
stream is neither.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import yaml

from petri_cli.document.core_schema import NUMBER_STARTS, WORDS
from petri_cli.document.maps import Entry, pairs, without_repeated
from petri_cli.document.nodes import (
    ListNode,
    MapNode,
    Node,
    Path,
    ScalarNode,
    Value,
    describe,
    path_text,
    root_path,
    shorten,
)
from petri_cli.document.yaml_errors import from_parser
from petri_cli.document.yaml_merge import with_merged
from petri_cli.document.yaml_scalars import Note, check_collection_tag, plain_value, tagged_value
from petri_cli.errors import Position, Problem

if TYPE_CHECKING:
    from yaml import Mark

MAX_ALIASED = 1_000_000
"""Aliases may stand for this many nodes in all. Honest documents need some thousands; an alias bomb, billions."""

_ODD_KEYS = frozenset(("<<", ""))
"""Maybe a merge key; maybe a key that was refused. Maps without them need no second look."""

EMPTY_HINT = "a plan begins with `flow:`"


def read_yaml(text: str, file: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """The one document in ``text`` and its problems; no node when it could not be read to its end."""
    return _Reader(file).read(text)


class _Stop(Exception):
    """There is no sense in reading on."""


_Open = tuple[bool, Path, list[Any], "Mark | None", "str | None", int]
"""A collection whose end has not been read yet: whether it is a map, its path, its children so far, where it begins,
its anchor, how many nodes were complete then. The children of a map are keys and values in turn, so that after an odd
number of them a value is due."""


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.anchors: dict[str, tuple[Node, int] | _Open] = {}
        """What an alias may stand for, and its number of nodes."""
        self.unusable = ScalarNode("", "", False, 0, 0, root_path(file))
        """Stands for a key that was refused: the entry is left out."""
        self.count = 0
        """Nodes in collections that are complete, those behind an alias counted every time."""
        self.aliased = 0
        self.documents = 0

    def read(self, text: str) -> tuple[Node | None, tuple[Problem, ...]]:
        parser = _parser(text)
        try:
            root = self._events(parser)
        except yaml.YAMLError as error:
            self.problems.append(from_parser(error, text, self.file))
            return None, tuple(self.problems)
        except _Stop:
            return None, tuple(self.problems)
        finally:
            parser.dispose()
        if isinstance(root, ScalarNode) and not root.text and not root.quoted:  # also when there is no document at all
            where = Position(self.file, 1, 1)
            self.problems.append(Problem("PETRI_EMPTY_DOCUMENT", "the document is empty", where, EMPTY_HINT))
            return None, tuple(self.problems)
        return root, tuple(self.problems)

    def _events(self, parser: Any) -> Node:
        """The root. The document is read as the value of a key that nobody wrote.

        Half of what loading takes is spent here, so what is common in this loop calls next to nothing.
        """
        next_event = parser.get_event
        scalar, map_start, list_start = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
        map_end, list_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        around: list[_Open] = []
        opened: _Open = (True, self.unusable.path, [self.unusable], None, None, 0)
        is_map, path, parts, _, _, _ = opened
        inner: Path
        while True:
            event = next_event()
            kind = type(event)
            if kind is scalar:
                text, mark = event.value, event.start_mark
                quoted = bool(event.style)
                value: Value = text
                if event.tag is not None or (not quoted and (text in WORDS or text[0] in NUMBER_STARTS)):
                    value = self._value(event, opened)
                if not is_map:
                    node = ScalarNode(value, text, quoted, mark.line + 1, mark.column + 1, (path, len(parts)))
                elif len(parts) & 1:
                    node = ScalarNode(value, text, quoted, mark.line + 1, mark.column + 1, parts[-1].path)
                else:
                    node = ScalarNode(value, text, quoted, mark.line + 1, mark.column + 1, (path, text))
                parts.append(node if value is text else self._fit(node, opened))
                if event.anchor is not None:
                    self.anchors[event.anchor] = (node, 1)
            elif kind is map_start or kind is list_start:
                around.append(opened)
                if not is_map:
                    inner = (path, len(parts))
                elif len(parts) & 1:
                    inner = parts[-1].path
                else:
                    inner = (path, "")
                is_map, path, parts = kind is map_start, inner, []
                opened = (is_map, path, parts, event.start_mark, event.anchor, self.count)
                if event.tag is not None:
                    check_collection_tag(event.tag, is_map, partial(self._problem, event.start_mark, path))
                if event.anchor is not None:
                    self.anchors[event.anchor] = opened
            elif kind is map_end or kind is list_end:
                done = self._end(opened)
                opened = around.pop()
                is_map, path, parts, _, _, _ = opened
                parts.append(done if not is_map or len(parts) & 1 else self._fit(done, opened))
            elif kind is yaml.AliasEvent:
                parts.append(self._fit(self._alias(event, opened), opened))
            elif kind is yaml.DocumentStartEvent:
                self._document(event)
            elif kind is yaml.StreamEndEvent or event is None:
                root: Node = parts[-1]
                return root

    def _value(self, event: Any, opened: _Open) -> Value:
        note = partial(self._problem, event.start_mark, _next_path(opened))
        return plain_value(event.value, note) if event.tag is None else tagged_value(event.value, event.tag, note)

    def _end(self, opened: _Open) -> Node:
        """The collection that is complete."""
        is_map, path, parts, mark, anchor, before = opened
        assert mark is not None  # noqa: S101 - only what stands around the document has none, and no end
        node: Node
        if is_map:
            # half of all maps have one key, which nothing repeats
            one = len(parts) == 2 and parts[0].value not in _ODD_KEYS
            entries = ((parts[0], parts[1]),) if one else self._entries(parts)
            node = MapNode(entries, mark.line + 1, mark.column + 1, path)
        else:
            node = ListNode(tuple(parts), mark.line + 1, mark.column + 1, path)
        self.count += len(parts)
        if anchor is not None and self.anchors[anchor] is opened:
            self.anchors[anchor] = (node, 1 + self.count - before)
        return node

    def _entries(self, parts: list[Any]) -> tuple[Entry, ...]:
        entries = pairs(parts)
        names = {key.value for key, _ in entries}
        if len(names) == len(entries) and names.isdisjoint(_ODD_KEYS):
            return entries
        usable = without_repeated([entry for entry in entries if entry[0] is not self.unusable], self.problems)
        return with_merged(usable, self.file, self.problems)

    def _fit(self, node: Node, opened: _Open) -> Node:
        """``node`` as it can stand next in ``opened``: what is due may be a key, which must be text."""
        is_map, path, parts, _, _, _ = opened
        if not is_map or len(parts) & 1 or (isinstance(node, ScalarNode) and isinstance(node.value, str)):
            return node
        if isinstance(node, ScalarNode) and not node.text:
            message, hint = "a key is missing before `:`", "write the key"
        else:
            message, hint = f"a key must be text, got {describe(node)}", "was a value in braces meant? put it in quotes"
        if isinstance(node, ScalarNode) and node.text:
            hint = f'put it in quotes: "{shorten(node.text)}"'
        where = Position(self.file, node.line, node.column, path_text(path))
        self.problems.append(Problem("PETRI_BAD_KEY", message, where, hint))
        return self.unusable

    def _alias(self, event: Any, opened: _Open) -> Node:
        """The node behind an alias, as seen where the alias stands: its parts are shared, not copied."""
        mark = event.start_mark
        node, size = self._anchored(event.anchor, partial(self._problem, mark, _next_path(opened)))
        self.count += size - 1
        line, column = mark.line + 1, mark.column + 1
        path = _next_path(opened, node.text if isinstance(node, ScalarNode) else "")
        match node:
            case ScalarNode(value, text, quoted):
                return ScalarNode(value, text, quoted, line, column, path)
            case ListNode(items):
                return ListNode(items, line, column, path)
            case MapNode(entries):
                return MapNode(entries, line, column, path)

    def _anchored(self, name: str, note: Note) -> tuple[Node, int]:
        """What an alias of this name stands for, and its size."""
        match self.anchors.get(name):
            case (node, int(size)):
                self.aliased += size
                if self.aliased <= MAX_ALIASED:
                    return node, size
                message = f"the aliases of this document stand for more than {MAX_ALIASED:,} values"
                note("PETRI_YAML_ALIAS", message, "write the values out, or use fewer aliases")
            case None:
                hint = f"write `&{name}` before the value it should stand for"
                note("PETRI_YAML_ALIAS", f"no anchor `&{name}` before this alias", hint)
            case _:
                message = f"the alias `*{name}` stands inside the value that it stands for"
                note("PETRI_YAML_ALIAS", message, "a document cannot contain itself")
        raise _Stop

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            hint = "one document a file: put the others into files of their own"
            path = self.unusable.path
            self._problem(event.start_mark, path, "PETRI_SEVERAL_DOCUMENTS", "a second document begins here", hint)
            raise _Stop

    def _problem(self, mark: Mark, path: Path, code: str, message: str, hint: str) -> None:
        where = Position(self.file, mark.line + 1, mark.column + 1, path_text(path))
        self.problems.append(Problem(code, message, where, hint))


def _next_path(opened: _Open, text: str = "") -> Path:
    """The path of the node that comes next; ``text`` is its text if it is a scalar, which may be a key."""
    is_map, path, parts, _, _, _ = opened
    if not is_map:
        return (path, len(parts))
    next_path: Path = parts[-1].path if len(parts) & 1 else (path, text)
    return next_path


def _parser(text: str) -> Any:
    """libyaml's parser where PyYAML was built with it, else the one in Python; both speak the same events."""
    if yaml.__with_libyaml__:
        return yaml.CLoader(text)
    return yaml.SafeLoader(text)
