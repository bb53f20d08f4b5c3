"""What a program writes: masked, kept in files up to a bound, and read as its result."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from petri_cli.driver.redact import Redactor
from petri_cli.errors import PetriError

MAX_NESTING = 100
"""Levels of lists and maps in a result; what is deeper is a text."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one program, in bytes: file: kept of the beginning of each stream; tail: kept of its end, beyond that; result:
    a larger result stays in its file."""

    file: int = 10 * 1024 * 1024
    tail: int = 16 * 1024
    result: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Captured:
    """One stream. size, sha256: of the file; cut: bytes that are not in it; whole: all of it, None where it is large;
    tail: its end; error: why it could not be kept."""

    path: Path
    size: int
    sha256: str
    cut: int
    whole: bytes | None
    tail: bytes
    error: str

    def reference(self) -> dict[str, Any]:
        found: dict[str, Any] = {"path": self.path.as_posix(), "size": self.size, "sha256": self.sha256}
        return {**found, "cut": self.cut} if self.cut else found


class Capture:
    """Takes a stream as it comes. The file is made with the first byte, for its owner alone."""

    def __init__(self, path: Path, redactor: Redactor, limits: Limits) -> None:
        self.path = path
        self.error = ""
        self._limits = limits
        self._redacted = redactor.stream()
        self._file: BinaryIO | None = None
        self._hash = hashlib.sha256()
        self._size = 0
        self._cut = 0
        self._whole = bytearray()
        self._tail = bytearray()
        self._captured: Captured | None = None

    def feed(self, chunk: bytes) -> None:
        self._keep(self._redacted.feed(chunk))

    def finish(self) -> Captured:
        """At the end of the stream. Asked again, it says the same."""
        if self._captured is None:
            self._captured = self._finish()
        return self._captured

    def _finish(self) -> Captured:
        self._keep(self._redacted.flush())
        if self._file is not None:
            self._end_file(self._file)
        all_there = not self._cut and not self.error and self._size == len(self._whole)
        whole = bytes(self._whole) if all_there else None
        return Captured(self.path, self._size, self._hash.hexdigest(), self._cut, whole, bytes(self._tail), self.error)

    def _keep(self, data: bytes) -> None:
        if not data:
            return
        self._tail += data
        del self._tail[: -self._limits.tail or None]
        room = max(0, self._limits.file - self._size) if not self._cut else 0
        self._cut += len(data) - len(data[:room])
        self._write(data[:room])

    def _write(self, data: bytes) -> None:
        if not data or self.error:
            return
        try:
            if self._file is None:
                fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                self._file = os.fdopen(fd, "wb", buffering=0)
            _write_all(self._file, data)
        except OSError as error:
            self.error = f"{self.path.as_posix()}: {error.strerror or error}"
            return
        self._size += len(data)
        self._hash.update(data)
        if self._size <= self._limits.result:
            self._whole += data

    def _end_file(self, file: BinaryIO) -> None:
        if self._cut and not self.error:
            tail = bytes(self._tail[-min(self._cut, self._limits.tail) :])
            self._cut -= len(tail)
            self._write(f"\n[petri: {self._cut:,} bytes are left out here]\n".encode() + tail if self._cut else tail)
        try:
            if self._size > self._limits.result:
                os.fsync(file.fileno())  # the log will point to it
            file.close()
        except OSError as error:
            self.error = self.error or f"{self.path.as_posix()}: {error.strerror or error}"


def _write_all(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def result_of(data: bytes) -> Any:
    """The result that a program wrote: what the JSON in it stands for, else the text without its last line ends."""
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no character
    except (ValueError, RecursionError):
        return text.rstrip("\r\n")
    return value if _shallow(value) else text.rstrip("\r\n")


def load_result(reference: Mapping[str, Any]) -> Any:
    """The result in a file ``{path, size, sha256}``.

    Raises PetriError PETRI_EXPRESSION_FAILED when it is not there, is not the same any more, or was cut.
    """
    path = Path(str(reference.get("path", "")))
    if reference.get("cut"):
        _not_there(f"the result in {path} was too large: {reference['cut']:,} bytes of it were left out")
    try:
        data = path.read_bytes()
    except OSError as error:
        _not_there(f"the result is in {path}, which cannot be read: {error.strerror or error}")
    if hashlib.sha256(data).hexdigest() != reference.get("sha256"):
        _not_there(f"the result is in {path}, which was changed since")
    return result_of(data)


def _not_there(message: str) -> NoReturn:
    raise PetriError("PETRI_EXPRESSION_FAILED", message)


def _finite(number: str) -> float:
    """A number that is too large to be kept (``1e999``) is none, as ``Infinity`` is none."""
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{number} is too large")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_NESTING + 1):
        level = [child for part in level if isinstance(part, dict | list) for child in _children(part)]
        if not level:
            return True
    return False


def _children(part: dict[str, Any] | list[Any]) -> list[Any]:
    return list(part.values()) if isinstance(part, dict) else part
