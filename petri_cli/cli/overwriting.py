"""What ``-o FILE`` is written over: a file of its own kind, and none of another.

A report, a log or a net that lands on somebody's plan is a slip, and the plan is gone. So what is there is looked at
before: by its first bytes, since the name is what slipped.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from petri_cli.cli.endings import is_stream
from petri_cli.errors import PetriError, Position

PLANS = (".petri.yaml", ".petri.yml", ".petri.json")

Kind = Literal["plan", "net", "log", "drawing", "report", "certificate", "store", "text", "file"]
"""``report``: what a command says to programs; ``text``: what it says to people, and any other text; ``file``: else."""

NAMES: Mapping[Kind, str] = {
    "store": "a store of sessions", "text": "text", "file": "something of another kind",
}  # fmt: skip
LOOKED_AT = 1 << 16
"""Bytes from which the kind shows."""

_ASIDE = re.compile(r"<\?.*?\?>|<!--.*?-->", re.DOTALL)
_ELEMENT = re.compile(r"<(?:!doctype\s+)?(?:[\w.-]+:)?([A-Za-z]+)", re.IGNORECASE)
_ELEMENTS: Mapping[str, Kind] = {
    "pnml": "net", "log": "log", "svg": "drawing", "html": "report", "testsuites": "report", "testsuite": "report",
}  # fmt: skip
_OBJECTS: Sequence[tuple[re.Pattern[str], Kind]] = (
    (re.compile(r'\{\s*"\$?schema"\s*:'), "report"),
    (re.compile(r'\{\s*"format"\s*:\s*"petri-certificate/'), "certificate"),
    (re.compile(r'\{"[^\n]*\}[ \r]*\n\{"'), "log"),
    (re.compile(r"""\{(?s:.{0,999}?)["'{,\s]kind["']?\s*:\s*["']?net\b"""), "net"),
    (re.compile(r"""\{(?s:.*?)["'{,\s]flow["']?\s*:"""), "plan"),
    (re.compile(r"""\{(?s:.*?)["'{,\s]places["']?\s*:"""), "net"),
    (re.compile(r'\{(?=[^\n]*"(?:case|activity|type|at)"\s*:)"[^\n]*\}\s*$'), "log"),
)
"""How documents in braces begin, of JSON and of YAML; one a line is a log."""
_BLOCKS: Mapping[str, Kind] = {"flow": "plan", "places": "net", "transitions": "net"}
_BLOCK = re.compile(r"""^["']?(flow|places|transitions)["']?[ ]*:""", re.MULTILINE)
_DRAWN = re.compile(r"(?:strict\s+)?(?:digraph|graph|flowchart)\b")


def refuse_inputs(path: str | None, inputs: Sequence[str | None]) -> None:
    """Raises PetriError ``PETRI_CANNOT_WRITE`` where ``path`` is one of the ``inputs``, by whatever name or link."""
    if path is not None and any(p is not None and _same(p, path) for p in inputs):
        raise PetriError("PETRI_CANNOT_WRITE", "this would write over an input", where=Position(path))


def refuse_overwriting(path: str | None, kind: Kind, *, force: bool = False) -> None:
    """Raises PetriError ``PETRI_FILE_EXISTS`` where a file of another kind is at ``path``, unless ``force`` is said."""
    if path is None:
        return
    there = kind_there(path)
    if there in (None, kind) or (there == "text" and kind == "report") or force:
        return
    message = f"there is {NAMES.get(there, f'a {there}')} in this file, and a {kind} would be written over it"
    hint = "choose another name, or --force"
    raise PetriError("PETRI_FILE_EXISTS", message, where=Position(path), hint=hint)


def _same(one: str, other: str) -> bool:
    with suppress(OSError, ValueError):
        return Path(one).samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def kind_there(path: str) -> Kind | None:
    """What is in the file at ``path``; None for none, for an empty one, and for what is no regular file."""
    try:
        if is_stream(path) or not Path(path).is_file():
            return None
        with Path(path).open("rb") as stream:
            head = stream.read(LOOKED_AT)
    except (OSError, ValueError):  # that it cannot be read does not mean that it can be written: that will show
        return None
    if not head:
        return None
    found = kind_of_bytes(head)
    return "plan" if found == "text" and path.endswith(PLANS) else found  # a plan that is broken is one, too


def kind_of_bytes(head: bytes) -> Kind:
    """What begins with ``head``."""
    if head.startswith(b"SQLite format 3\0"):
        return "store"
    if head.startswith(b"PAR1"):
        return "log"
    if head.startswith(b"\x1f\x8b"):
        head = _unpacked(head)
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    text = head.decode(encoding, "ignore").lstrip("\ufeff")
    return "file" if not text.strip() or "\0" in text else _kind_of_text(text)


def _unpacked(head: bytes) -> bytes:
    """The first bytes of what was packed; nothing for what is damaged."""
    with suppress(zlib.error):
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, LOOKED_AT)
    return b""


def _kind_of_text(text: str) -> Kind:
    begin = text.lstrip()
    if begin.startswith("<"):
        element = _ELEMENT.search(_ASIDE.sub("", begin))
        return _ELEMENTS.get(element[1].lower(), "file") if element else "file"
    if begin.startswith("{"):
        return next((kind for pattern, kind in _OBJECTS if pattern.match(begin)), "file")
    if _DRAWN.match(begin):
        return "drawing"
    key = _BLOCK.search(text)
    if key is not None:
        return _BLOCKS[key[1]]
    return "log" if _is_table(begin) else "text"


def _is_table(text: str) -> bool:
    """Whether the first line names the columns of a log."""
    from petri_cli.formats.csv_log import delimiter_of, header_of
    from petri_cli.formats.log_options import Columns, guess_columns

    line = text.splitlines()[0]
    columns = guess_columns(header_of(line, delimiter_of(line, Columns())), Columns())
    return columns.case is not None and columns.activity is not None
