"""From bytes to text: size, encoding and characters that no document may hold."""

from __future__ import annotations

import codecs
import os
import re
import stat
from itertools import islice
from pathlib import Path as FilePath
from typing import BinaryIO

from petri_cli.errors import InputError, PetriError, Position, Problem

MAX_BYTES = 64 * 1024 * 1024
"""Larger documents are refused unless the caller says otherwise."""

MAX_REPORTED = 20
"""A binary file is one mistake, not a million."""

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")

_JSON_BREAKS = "\n"
_YAML_BREAKS = "\n\r\x85\u2028\u2029"
"""What ends a line; ``\\r\\n`` does so once."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_bytes(path: str | FilePath, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file. Never waits for anybody, and reads from no device. Raises PetriError: PETRI_UNREADABLE_FILE,
    PETRI_TOO_LARGE."""
    try:
        with open_file(path) as stream:
            data = stream.read(max_bytes + 1) or b""  # None: nothing there, and waiting is not wanted
    except FileNotFoundError:
        if FilePath(path).is_symlink():
            message, hint = "this is a link that leads to no file", "make it lead to one"
        else:
            message, hint = "there is no such file", "check the path"
        raise PetriError("PETRI_UNREADABLE_FILE", message, where=Position(str(path)), hint=hint) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PetriError(
            "PETRI_UNREADABLE_FILE", f"the file cannot be read: {reason}", where=Position(str(path))
        ) from None
    if len(data) > max_bytes:
        raise PetriError(*too_large(max_bytes), where=Position(str(path)), hint=SPLIT_IT)
    return data


KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_GIVEN = re.compile(r"/dev/(stdin|fd/\d+)|/proc/(self|\d+)/fd/\d+")
"""What is open already: whoever called us gave it to us, a pipe too."""


def is_given(path: str | FilePath) -> bool:
    """Whether ``path`` names an open stream, as ``/dev/stdin`` does, and ``/dev/fd/63`` of a process substitution."""
    return _GIVEN.fullmatch(str(path)) is not None


def open_file(path: str | FilePath) -> BinaryIO:
    """Open a file to read bytes. Raises OSError, ValueError, and PetriError PETRI_UNREADABLE_FILE for a named pipe, a
    socket or a device: opening or reading one may wait for ever."""
    if is_given(path):
        return FilePath(path).open("rb")
    _refuse_special(FilePath(path).stat().st_mode, path)
    stream = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    try:
        _refuse_special(os.fstat(stream.fileno()).st_mode, path)  # it may have been replaced meanwhile
    except BaseException:
        stream.close()
        raise
    return stream


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_special(mode: int, path: str | FilePath) -> None:
    for is_kind, what in KINDS:
        if is_kind(mode):
            hint = "read it through standard input: - and < FILE" if is_kind is stat.S_ISFIFO else "name a file"
            where = Position(str(path))
            raise PetriError("PETRI_UNREADABLE_FILE", f"this is {what}; a file is wanted", where=where, hint=hint)


SPLIT_IT = "split it into several files"


def too_large(max_bytes: int) -> tuple[str, str]:
    """Code and message for a document over the limit."""
    mib = max_bytes / (1024 * 1024)
    limit = f"{mib:g} MiB" if mib >= 1 else f"{max_bytes} bytes"
    return "PETRI_TOO_LARGE", f"the document is larger than {limit}"


def text_of(data: bytes | str, file: str, max_bytes: int = MAX_BYTES) -> str:
    """The text of a document, without a byte order mark.

    Raises InputError: PETRI_TOO_LARGE, PETRI_NOT_UTF8, PETRI_CONTROL_CHARACTER (the first ``MAX_REPORTED`` of them).
    """
    if len(data) > max_bytes:
        code, message = too_large(max_bytes)
        raise InputError([Problem(code, message, Position(file), SPLIT_IT)])
    text = str(data).removeprefix("\ufeff") if isinstance(data, str) else _decode(bytes(data), file)
    problems = [_forbidden(text, match.start(), file) for match in islice(_FORBIDDEN.finditer(text), MAX_REPORTED)]
    if problems:
        raise InputError(problems)
    return text


SAVE_IT = "save the file as UTF-8"


def _decode(data: bytes, file: str) -> str:
    other = _other_encoding(data)
    if other:
        raise InputError([Problem("PETRI_NOT_UTF8", f"the file is {other}", Position(file, 1, 1), SAVE_IT)])
    encoding = "utf-8"
    for mark, marked in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], marked
            break
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace")
        message = f"byte 0x{data[error.start]:02X} at offset {error.start} is not {encoding.upper()}"
        where = text_position(before, len(before), file)
        raise InputError([Problem("PETRI_NOT_UTF8", message, where, SAVE_IT)]) from None


def _other_encoding(data: bytes) -> str:
    """What the file is saved in, where its first bytes show that it is neither UTF-8 nor UTF-16 with a mark."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "saved as UTF-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ""
    head = data[:1024]
    if len(head) > 3 and head.count(0) * 3 > len(head):  # every other byte of Latin text is zero in UTF-16
        return "no text in UTF-8: every second byte or so is zero, as in UTF-16 without a byte order mark"
    return ""


def _forbidden(text: str, index: int, file: str) -> Problem:
    where = text_position(text, index, file)
    message = f"the control character U+{ord(text[index]):04X} cannot stand in a document"
    if text[index] == "\x00":
        hint = "a file with NUL characters is binary, or UTF-16 without a byte order mark: save it as UTF-8"
    elif "\ud800" <= text[index] <= "\udfff":
        message = f"half a surrogate pair (U+{ord(text[index]):04X}) is no character"
        hint = SAVE_IT
    else:
        hint = r'remove it, or write it as an escape in double quotes, such as "\e"'
    return Problem("PETRI_CONTROL_CHARACTER", message, where, hint)


def text_position(text: str, index: int, file: str) -> Position:
    """Line and column of ``text[index]``, both from 1, as the reader of the format counts lines."""
    breaks = _JSON_BREAKS if file.lower().endswith(".json") else _YAML_BREAKS
    line = 1 + sum(text.count(sign, 0, index) for sign in breaks)
    if "\r" in breaks:
        line -= text.count("\r\n", 0, index)
    return Position(file, line, index - max(text.rfind(sign, 0, index) for sign in breaks))
