"""JSON (RFC 8259) to nodes, with positions and without recursion: 5,000 nested blocks are ordinary input."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

from petri_cli.document.core_schema import MAX_DIGITS
from petri_cli.document.maps import pairs, without_repeated
from petri_cli.document.nodes import ListNode, MapNode, Node, Path, ScalarNode, Value, path_text, root_path, shorten
from petri_cli.errors import Position, Problem

_SPACE = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"[^\s,:{}\[\]\"]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_LITERALS: dict[str, Value] = {"true": True, "false": False, "null": None}
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(text: str, file: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """The one value in ``text`` and its problems; the last problem is the fatal one when there is no node."""
    return _Reader(text, file).read()


class _Stop(Exception):
    """There is no sense in reading on."""


class _Open:
    """A collection whose end has not been read yet. ``parts``: its children, those of a map keys and values in turn."""

    __slots__ = ("is_map", "parts", "path", "start")

    def __init__(self, is_map: bool, path: Path, start: int) -> None:
        self.is_map = is_map
        self.path = path
        self.start = start
        self.parts: list[Any] = []


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.root_path = root_path(file)
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.problems: list[Problem] = []
        self.stack: list[_Open] = []

    def read(self) -> tuple[Node | None, tuple[Problem, ...]]:
        try:
            root = self._document()
        except _Stop:
            return None, tuple(self.problems)
        return root, tuple(self.problems)

    def _document(self) -> Node:
        at = self._skip(0)
        if at == len(self.text):
            self._fail("PETRI_EMPTY_DOCUMENT", "the document is empty", 0, 'a plan begins with {"flow": …')
        while True:
            node, at = self._value(at)
            while node is not None:
                if not self.stack:
                    self._end_of_document(at)
                    return node
                node, at = self._after(node, at)

    def _value(self, at: int) -> tuple[Node | None, int]:
        """Begin the value at ``at``: a complete node, or None when a collection was opened and its first value is
        next. The second part is where to go on."""
        sign = self.text[at : at + 1]
        path = self._path()
        if sign == '"':
            value, end = self._string(at)
            return self._scalar(value, value, True, at, path), end
        if sign == "{" or sign == "[":
            opened = _Open(sign == "{", path, at)
            self.stack.append(opened)
            at = self._skip(at + 1)
            if self.text[at : at + 1] == ("}" if opened.is_map else "]"):
                return self._close(), at + 1
            return None, self._key(at) if opened.is_map else at
        return self._word(at, path)

    def _after(self, node: Node, at: int) -> tuple[Node | None, int]:
        """Put a complete value where it belongs: the collection it completes, or None and where the next value is."""
        top = self.stack[-1]
        top.parts.append(node)
        at = self._skip(at)
        sign = self.text[at : at + 1]
        closing = "}" if top.is_map else "]"
        if sign == closing:
            return self._close(), at + 1
        if sign != ",":
            self._unexpected(at, f"`,` or `{closing}`")
        comma, at = at, self._skip(at + 1)
        if self.text[at : at + 1] == closing:
            self._fail(
                "PETRI_JSON_SYNTAX", f"a comma before `{closing}`", comma, "JSON has no trailing commas: remove it"
            )
        return None, self._key(at) if top.is_map else at

    def _key(self, at: int) -> int:
        """Read the key at ``at`` and its colon; where its value begins."""
        top = self.stack[-1]
        if self.text[at : at + 1] != '"':
            self._unexpected(at, "a key in double quotes")
        name, end = self._string(at)
        top.parts.append(self._scalar(name, name, True, at, (top.path, name)))
        at = self._skip(end)
        if self.text[at : at + 1] != ":":
            self._unexpected(at, f'`:` after the key "{shorten(name)}"')
        return self._skip(at + 1)

    def _close(self) -> Node:
        done = self.stack.pop()
        line = bisect_right(self.starts, done.start)
        column = done.start - self.starts[line - 1] + 1
        if not done.is_map:
            return ListNode(tuple(done.parts), line, column, done.path)
        return MapNode(without_repeated(pairs(done.parts), self.problems), line, column, done.path)

    def _word(self, at: int, path: Path) -> tuple[Node, int]:
        """A number or one of the three literals."""
        match = _WORD.match(self.text, at)
        word = match.group() if match else ""
        if word in _LITERALS:
            return self._scalar(_LITERALS[word], word, False, at, path), at + len(word)
        number = _NUMBER.fullmatch(word)
        if number is None:
            self._no_value(at, word)
        if len(word) > MAX_DIGITS:
            self._fail("PETRI_BAD_NUMBER", f"a number of more than {MAX_DIGITS} characters", at, "put it in quotes")
        value = float(word) if number.group(1) or number.group(2) else int(word)
        return self._scalar(value, word, False, at, path), at + len(word)

    def _no_value(self, at: int, word: str) -> NoReturn:
        if word.strip("+-") in ("NaN", "Infinity", "nan", "inf"):
            self._fail("PETRI_BAD_NUMBER", f"`{word}` is no number of JSON", at, "write a finite number")
        if word.lower() in ("none", "true", "false", "null"):
            right = {"none": "null"}.get(word.lower(), word.lower())
            self._fail("PETRI_JSON_SYNTAX", f"`{word}` is no value of JSON", at, f"write {right}")
        if re.fullmatch(r"[-+]?[0-9.][0-9.eE+-]*", word):
            hint = "no leading zeros, no leading +, a digit on both sides of the point"
            self._fail("PETRI_JSON_SYNTAX", f"`{shorten(word)}` is no number of JSON", at, hint)
        self._unexpected(at, "a value")

    def _string(self, at: int) -> tuple[str, int]:
        """The string whose opening quote is at ``at``, and where it ends."""
        try:
            value, end = scanstring(self.text, at + 1, True)
        except JSONDecodeError as error:
            self._bad_string(at, error)
        if _SURROGATE.search(value):
            hint = r"write the character itself, or both halves: 😀"
            self._fail("PETRI_JSON_SYNTAX", "half a surrogate pair is no character", at, hint)
        return value, end

    def _bad_string(self, at: int, error: JSONDecodeError) -> NoReturn:
        if error.msg.startswith("Unterminated"):
            self._fail("PETRI_JSON_SYNTAX", "this string has no closing quote", at, 'add the closing "')
        if error.msg.startswith("Invalid control"):
            hint = r"write \n for a line break and \t for a tab"
            self._fail("PETRI_JSON_SYNTAX", "a string of JSON stays on one line, without tabs", error.pos, hint)
        hint = r"write \\ for a backslash"
        self._fail("PETRI_JSON_SYNTAX", "an unknown escape in a string", min(error.pos, len(self.text) - 1), hint)

    def _end_of_document(self, at: int) -> None:
        at = self._skip(at)
        if at == len(self.text):
            return
        if self.text[at] in "{[":
            hint = "one document a file: put the others into files of their own"
            self._fail("PETRI_SEVERAL_DOCUMENTS", "a second document begins here", at, hint)
        self._unexpected(at, "the end of the document")

    def _unexpected(self, at: int, expected: str) -> NoReturn:
        rest = self.text[at : at + 2]
        if rest.startswith("#") or rest in ("//", "/*"):
            self._fail("PETRI_JSON_COMMENT", "JSON has no comments", at, "remove it, or write the document as YAML")
        if rest.startswith("'"):
            self._fail("PETRI_JSON_SYNTAX", f"expected {expected}, found '", at, 'JSON quotes with "')
        if not rest:
            opened = self.stack[-1].start if self.stack else 0
            where = self._position(opened)
            hint = f"what begins at {where.line}:{where.column} is not closed"
            self._fail("PETRI_JSON_SYNTAX", f"expected {expected}, found the end", at, hint)
        if rest[0] in "}]" and not self.stack:
            self._fail("PETRI_JSON_SYNTAX", f"one `{rest[0]}` too many", at, "remove it, or add what opens it")
        found = _WORD.match(self.text, at)
        self._fail(
            "PETRI_JSON_SYNTAX", f"expected {expected}, found `{shorten(found.group() if found else rest[0])}`", at
        )

    def _fail(self, code: str, message: str, at: int, hint: str = "") -> NoReturn:
        self.problems.append(Problem(code, message, self._position(at, self._path()), hint))
        raise _Stop

    def _path(self) -> Path:
        """The path of the value that is read now."""
        if not self.stack:
            return self.root_path
        top = self.stack[-1]
        if not top.is_map:
            return (top.path, len(top.parts))
        path: Path = top.parts[-1].path if len(top.parts) & 1 else top.path
        return path

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _position(self, at: int, path: Path | None = None) -> Position:
        line = bisect_right(self.starts, at)
        return Position(self.file, line, at - self.starts[line - 1] + 1, path_text(path) if path else "")

    def _scalar(self, value: Value, text: str, quoted: bool, at: int, path: Path) -> ScalarNode:
        line = bisect_right(self.starts, at)
        return ScalarNode(value, text, quoted, line, at - self.starts[line - 1] + 1, path)
