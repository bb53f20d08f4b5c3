"""The elements of XES traces that matter, from their text.

Two ways to the same tokens. A regular piece, in which every tag is ``<event>``, ``<trace>``, the end of one, or
``<type key="…" value="…"/>``, goes through one regular expression. That all tags are such shows by counting them, and
that they are well-formed was seen before. Any other piece is cut into traces; an irregular one goes through expat.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice, pairwise
from pyexpat import ExpatError, ParserCreate

Token = tuple[str, str, str]
"""A mark, or key and value (as written) of an attribute."""

BEGIN_TRACE, END_TRACE, BEGIN_EVENT, END_EVENT = "trace", "/trace", "event", "/event"

EXACT = "petri:exact"
"""Key of an attribute within an attribute: the value as a JSON string, where it has characters that XML cannot hold."""

TRACE = re.compile(r"<((?:[\w.-]+:)?)trace[\s/>]")
_REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(lt|gt|amp|quot|apos));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_BLANKS = str.maketrans("\t\n\r", "   ")


class Clean(dict[str, str]):
    """The text of an attribute's value → the value (XML 1.0, section 3.3.3). No entities but the predefined ones."""

    def __missing__(self, text: str) -> str:
        value = _REFERENCE.sub(_character, text.replace("\r\n", "\n").translate(_BLANKS))
        if len(self) < 100_000:
            self[text] = value
        return value


def _character(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    if name:
        return _NAMED[name]
    return chr(int(hexadecimal, 16) if hexadecimal else int(decimal))


def escaped(value: str) -> str:
    """A value as text of an attribute in double quotes; the way back from :class:`Clean`."""
    if _SPECIAL.search(value) is None:
        return value
    return _SPECIAL.sub(lambda m: _ESCAPES[m[0]], value)


_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_SPECIAL = re.compile(f"[{''.join(_ESCAPES)}]")


def may_occur(key: str, text: str) -> bool:
    """Whether an attribute of a piece may have this key; most pieces have few of those that are wanted."""
    return key in text or "&#" in text or _PLAIN.fullmatch(key) is None


_PLAIN = re.compile(r"[\w:. -]+")


class Tokens:
    """For documents that write their elements with a prefix (mostly none), and keys that are wanted."""

    def __init__(self, prefix: str, keys: Sequence[str]) -> None:
        self._prefix = prefix
        self._keys = frozenset(keys)
        self._begins = {mark: re.compile(rf"<{re.escape(prefix)}{mark}[\s/>]") for mark in (BEGIN_TRACE, BEGIN_EVENT)}
        wanted = "|".join([re.escape(escaped(key)) for key in dict.fromkeys(keys)])
        attribute = r'[\w:.-]+\s+key="{}" value="{}"\s*/>'
        known, other = attribute.format(f"({wanted})", '([^"]*)'), attribute.format('[^"]*', '[^"]*')
        self._tag = re.compile(f"<(?:(/?(?:event|trace))>|{known}|{other})")

    def of(self, text: str) -> list[Token]:
        """The tokens of a piece of a document, in order; an attribute that is not wanted may be an empty token.

        May raise ExpatError where events and traces are not where they belong.
        """
        tokens = self._regular(text)
        if tokens is not None:
            return tokens
        starts = [m.start() for m in self._begins[BEGIN_TRACE].finditer(text)]
        tokens = []
        for begin, end in pairwise([0, *starts, len(text)]):
            piece = text[begin:end]
            found = self._regular(piece)
            tokens += found if found is not None else self._parsed(piece)
        return tokens

    def _regular(self, text: str) -> list[Token] | None:
        """The tokens, if the regular expression knows every tag: there is a tag wherever there is a ``<``."""
        if self._prefix:
            return None
        tokens: list[Token] = self._tag.findall(text)
        return tokens if len(tokens) == text.count("<") else None

    def breaks_before(self, text: str, mark: str, k: int) -> int:
        """Line breaks before the ``k``-th event or trace of a piece."""
        found = next(islice(self._begins[mark].finditer(text), k, None))
        return text.count("\n", 0, found.start())

    def _parsed(self, piece: str) -> list[Token]:
        """The tokens of a piece that may hold anything."""
        event, trace = f"{self._prefix}event", f"{self._prefix}trace"
        tokens: list[Token] = []
        path: list[str] = []
        told = 0
        """Depth of the attribute that the last token tells."""

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal told
            path.append(tag)
            parent = path[-2] if len(path) > 1 else ""
            key = attributes.get("key")
            if (tag == trace and len(path) == 2) or (tag == event and parent in (_ROOT, trace) and len(path) < 4):
                tokens.append((tag.removeprefix(self._prefix), "", ""))
                told = 0
            elif tag in (trace, event):
                raise ExpatError(f"a {tag} where none belongs")
            elif key in self._keys and parent in (trace, event) and "value" in attributes and len(path) < 5:
                tokens.append(("", key, escaped(attributes["value"])))
                told = len(path)
            elif key == EXACT and len(path) == told + 1:
                tokens[-1] = ("", tokens[-1][1], escaped(_exact(attributes.get("value", ""), tokens[-1][2])))
            elif len(path) <= told:
                told = 0

        def end(tag: str) -> None:
            path.pop()
            if (tag == trace and len(path) == 1) or (tag == event and path[-1] in (_ROOT, trace) and len(path) < 3):
                tokens.append((f"/{tag.removeprefix(self._prefix)}", "", ""))

        parser = ParserCreate("utf-8")
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.Parse(f"<{_ROOT}>{piece}</{_ROOT}>", True)
        return tokens


_ROOT = "log"


def _exact(text: str, otherwise: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return otherwise
    return value if isinstance(value, str) and value else otherwise
