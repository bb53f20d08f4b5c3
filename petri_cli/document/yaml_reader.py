"""YAML to nodes, from the parser's events.

Composing inside libyaml is recursive and forgets how a scalar was written; a stack of open collections over the event
stream is neither. Tags of the core schema are honoured, all others refused: a plan constructs no objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from petri_cli.document.core_schema import MAX_DIGITS, NUMBER_STARTS, WORDS, NumberTooLongError, resolve
from petri_cli.document.maps import Entry, duplicate_keys, first_of_each
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
from petri_cli.errors import Position, Problem

if TYPE_CHECKING:
    from yaml import Mark

MAX_ALIASED = 1_000_000
"""Aliases may stand for this many nodes in all. Honest documents need some thousands; an alias bomb, billions."""

CORE = "tag:yaml.org,2002:"

EMPTY_HINT = "a plan begins with `flow:`"


def read_yaml(text: str, file: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """The one document in ``text`` and its problems; no node when it could not be read to its end."""
    return _Reader(file).read(text)


class _Stop(Exception):
    """There is no sense in reading on."""


class _Open:
    """A collection whose end has not been read yet. ``key`` is the key that waits for its value."""

    __slots__ = ("anchor", "column", "count", "entries", "items", "key", "line", "merges", "path")

    def __init__(self, is_map: bool, path: Path, mark: Mark, anchor: str | None, count: int) -> None:
        self.path = path
        self.line = mark.line + 1
        self.column = mark.column + 1
        self.anchor = anchor
        self.count = count
        self.entries: list[Entry] | None = [] if is_map else None
        self.items: list[Node] = []
        self.key: ScalarNode | None = None
        self.merges = False


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.root_path = root_path(file)
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int] | _Open] = {}
        self.unusable = ScalarNode("", "", False, 0, 0, self.root_path)
        """Stands for a key that was refused: the entry is left out."""
        self.count = 0
        """Nodes so far, those behind an alias counted every time."""
        self.aliased = 0
        self.documents = 0

    def read(self, text: str) -> tuple[Node | None, tuple[Problem, ...]]:
        parser = _parser(text)
        try:
            self._events(parser)
        except yaml.YAMLError as error:
            self.problems.append(from_parser(error, text, self.file))
            return None, tuple(self.problems)
        except _Stop:
            return None, tuple(self.problems)
        finally:
            parser.dispose()
        if self.root is None or (isinstance(self.root, ScalarNode) and not self.root.text and not self.root.quoted):
            where = Position(self.file, 1, 1)
            self.problems.append(Problem("PETRI_EMPTY_DOCUMENT", "the document is empty", where, EMPTY_HINT))
            return None, tuple(self.problems)
        return self.root, tuple(self.problems)

    def _events(self, parser: Any) -> None:
        """Scalars are most of a document: their way through this loop is kept short."""
        next_event = parser.get_event
        scalar, map_start, list_start = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
        map_end, list_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        while True:
            event = next_event()
            kind = type(event)
            if kind is scalar:
                self._scalar(event)
            elif kind is map_start:
                self._start(event, True)
            elif kind is map_end or kind is list_end:
                self._end()
            elif kind is list_start:
                self._start(event, False)
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentStartEvent:
                self._document(event)
            elif kind is yaml.StreamEndEvent or event is None:
                return

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            hint = "one document a file: put the others into files of their own"
            self._problem("PETRI_SEVERAL_DOCUMENTS", "a second document begins here", event.start_mark, hint)
            raise _Stop

    def _problem(self, code: str, message: str, mark: Mark, hint: str = "") -> None:
        where = Position(self.file, mark.line + 1, mark.column + 1, path_text(self._next_path()))
        self.problems.append(Problem(code, message, where, hint))

    def _next_path(self, text: str = "") -> Path:
        """The path of the node that comes next; ``text`` is its text if it is a scalar, which may be a key."""
        if not self.stack:
            return self.root_path
        top = self.stack[-1]
        if top.entries is None:
            return (top.path, len(top.items))
        return (top.path, text) if top.key is None else top.key.path

    def _scalar(self, event: Any) -> None:
        mark = event.start_mark
        text = event.value
        quoted = bool(event.style)
        value: Value = text
        if event.tag is not None:
            value = self._tagged(event)
        elif not quoted and (text in WORDS or text[0] in NUMBER_STARTS):
            value = self._resolve(text, mark)
        self.count += 1
        if not self.stack:
            self.root = node = ScalarNode(value, text, quoted, mark.line + 1, mark.column + 1, self.root_path)
        else:
            top = self.stack[-1]
            if top.entries is None:
                node = ScalarNode(value, text, quoted, mark.line + 1, mark.column + 1, (top.path, len(top.items)))
                top.items.append(node)
            elif top.key is None:
                node = ScalarNode(value, text, quoted, mark.line + 1, mark.column + 1, (top.path, text))
                top.key = node if value is text and text != "<<" else self._key(node, top)
            else:
                node = ScalarNode(value, text, quoted, mark.line + 1, mark.column + 1, top.key.path)
                if top.key is not self.unusable:
                    top.entries.append((top.key, node))
                top.key = None
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, 1)

    def _attach(self, node: Node) -> None:
        """Give a complete node to the collection that it stands in."""
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if top.entries is None:
            top.items.append(node)
        elif top.key is None:
            top.key = self._key(node, top)
        else:
            if top.key is not self.unusable:
                top.entries.append((top.key, node))
            top.key = None

    def _key(self, node: Node, top: _Open) -> ScalarNode:
        if isinstance(node, ScalarNode) and isinstance(node.value, str):
            if _merges(node):
                top.merges = True
            return node
        where = Position(self.file, node.line, node.column, path_text(top.path))
        if isinstance(node, ScalarNode) and node.text:
            message, hint = f"a key must be text, got {describe(node)}", f'put it in quotes: "{shorten(node.text)}"'
        elif isinstance(node, ScalarNode):
            message, hint = "a key is missing before `:`", "write the key"
        else:
            message, hint = f"a key must be text, got {describe(node)}", "was a value in braces meant? put it in quotes"
        self.problems.append(Problem("PETRI_BAD_KEY", message, where, hint))
        return self.unusable

    def _start(self, event: Any, is_map: bool) -> None:
        tag = event.tag
        if tag is not None and tag != "!" and tag != CORE + ("map" if is_map else "seq"):
            self._refuse_tag(event)
        opened = _Open(is_map, self._next_path(), event.start_mark, event.anchor, self.count)
        self.count += 1
        if event.anchor is not None:
            self.anchors[event.anchor] = opened
        self.stack.append(opened)

    def _end(self) -> None:
        done = self.stack.pop()
        node: Node
        if done.entries is None:
            node = ListNode(tuple(done.items), done.line, done.column, done.path)
        else:
            node = MapNode(self._entries(done, done.entries), done.line, done.column, done.path)
        if done.anchor is not None and self.anchors[done.anchor] is done:
            self.anchors[done.anchor] = (node, self.count - done.count)
        self._attach(node)

    def _entries(self, done: _Open, entries: list[Entry]) -> tuple[Entry, ...]:
        if len(entries) > 1 and (problems := duplicate_keys(entries)):
            self.problems += problems
            entries = first_of_each(entries)
        if not done.merges:
            return tuple(entries)
        own = [entry for entry in entries if not _merges(entry[0])]
        merged = [more for entry in entries if _merges(entry[0]) for more in self._merged(entry)]
        return tuple(first_of_each(own + merged))

    def _merged(self, entry: Entry) -> list[Entry]:
        """What ``<<: value`` adds: of several maps, an earlier one wins."""
        key, value = entry
        maps = value.items if isinstance(value, ListNode) else (value,)
        found: list[Entry] = []
        for one in maps:
            if isinstance(one, MapNode):
                found.extend(one.entries)
                continue
            where = Position(self.file, one.line, one.column, path_text(key.path))
            message = f"`<<` merges maps, got {describe(one)}"
            hint = "write `<<: *name` with the anchor of a map, or a list of such"
            self.problems.append(Problem("PETRI_YAML_MERGE", message, where, hint))
        return found

    def _alias(self, event: Any) -> None:
        target = self.anchors.get(event.anchor)
        if target is None:
            hint = f"write `&{event.anchor}` before the value it should stand for"
            self._problem("PETRI_YAML_ALIAS", f"no anchor `&{event.anchor}` before this alias", event.start_mark, hint)
            raise _Stop
        if isinstance(target, _Open):
            message = f"the alias `*{event.anchor}` stands inside the value that it stands for"
            self._problem("PETRI_YAML_ALIAS", message, event.start_mark, "a document cannot contain itself")
            raise _Stop
        node, size = target
        self.count += size
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            message = f"the aliases of this document stand for more than {MAX_ALIASED:,} values"
            self._problem("PETRI_YAML_ALIAS", message, event.start_mark, "write the values out, or use fewer aliases")
            raise _Stop
        self._attach(self._at_alias(node, event.start_mark))

    def _at_alias(self, node: Node, mark: Mark) -> Node:
        """``node`` as seen where the alias stands; its parts are shared, not copied."""
        line, column = mark.line + 1, mark.column + 1
        path = self._next_path(node.text if isinstance(node, ScalarNode) else "")
        if isinstance(node, ScalarNode):
            return ScalarNode(node.value, node.text, node.quoted, line, column, path)
        if isinstance(node, ListNode):
            return ListNode(node.items, line, column, path)
        return MapNode(node.entries, line, column, path)

    def _tagged(self, event: Any) -> Value:
        text: str = event.value
        if event.tag in ("!", CORE + "str"):
            return text
        value = self._resolve(text, event.start_mark)
        match event.tag.removeprefix(CORE):
            case "null" if value is None:
                return value
            case "bool" if isinstance(value, bool):
                return value
            case "int" if isinstance(value, int) and not isinstance(value, bool):
                return value
            case "float" if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
            case "null" | "bool" | "int" | "float" as name:
                message = f'"{shorten(text)}" is no !!{name} of the core schema'
                self._problem("PETRI_YAML_TAG", message, event.start_mark, "leave the tag out")
            case _:
                self._refuse_tag(event)
        return text

    def _refuse_tag(self, event: Any) -> None:
        tag = event.tag.replace(CORE, "!!")
        hint = "leave the tag out: a document holds text, numbers, lists and maps, and makes no objects"
        self._problem("PETRI_YAML_TAG", f"the tag `{shorten(tag)}` is not allowed", event.start_mark, hint)

    def _resolve(self, text: str, mark: Mark) -> Value:
        try:
            return resolve(text)
        except NumberTooLongError:
            message = f"a number of more than {MAX_DIGITS} characters"
            self._problem("PETRI_BAD_NUMBER", message, mark, "put it in quotes if it is text")
            return 1  # told already: any number will do for the checks to come


def _merges(key: ScalarNode) -> bool:
    """Whether ``key`` is the merge key ``<<``."""
    return key.value == "<<" and not key.quoted


def _parser(text: str) -> Any:
    """libyaml's parser where PyYAML was built with it, else the one in Python; both speak the same events."""
    if yaml.__with_libyaml__:
        return yaml.CLoader(text)
    return yaml.SafeLoader(text)
