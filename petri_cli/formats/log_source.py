"""Where a log is read from: a file or bytes, packed or not, as a stream of bytes or of text."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from petri_cli.document import open_file
from petri_cli.errors import InputError, PetriError, Position, Problem

GZIP = b"\x1f\x8b"
CHUNK = 1 << 21


@dataclass(frozen=True, slots=True)
class LogSource:
    """A log that can be opened any number of times. ``data`` is what there is instead of a file."""

    name: str
    path: Path | None = None
    data: bytes = b""

    @property
    def size(self) -> int:
        """Bytes, as stored."""
        return len(self.data) if self.path is None else self.path.stat().st_size

    @property
    def packed(self) -> bool:
        with self._stored() as stored:
            return stored.read(2) == GZIP

    def head(self, count: int = 1 << 16) -> bytes:
        """The first bytes, unpacked."""
        with self.stream() as stream:
            return stream.read(count)

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        """The bytes, unpacked. Raises PetriError: PETRI_UNREADABLE_FILE, PETRI_LOG_GZIP."""
        try:
            with self._stored() as stored:
                packed = stored.read(2) == GZIP
                stored.seek(0)
                if packed:
                    with gzip.GzipFile(fileobj=stored) as unpacked:
                        yield cast(BinaryIO, io.BufferedReader(unpacked, CHUNK))
                else:
                    yield stored
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            message = f"the packed file is damaged or cut off: {error}"
            hint = "fetch or pack it again (`gzip -t` checks one)"
            raise PetriError("PETRI_LOG_GZIP", message, where=Position(self.name), hint=hint) from None

    def _stored(self) -> BinaryIO:
        if self.path is None:
            return io.BytesIO(self.data)
        try:
            return open_file(self.path)
        except (OSError, ValueError) as error:
            where, why = Position(self.name), getattr(error, "strerror", None) or str(error)
            hint = "check the path"
            raise PetriError(
                "PETRI_UNREADABLE_FILE", f"the log cannot be read: {why}", where=where, hint=hint
            ) from None

    def encoding(self, told: str | None) -> str:
        """Of the text: the one told, else by the byte order mark, else UTF-8. Raises PetriError PETRI_LOG_ENCODING."""
        head = self.head(4)
        for mark, name in (
            (codecs.BOM_UTF8, "utf-8-sig"),
            (codecs.BOM_UTF16_LE, "utf-16"),
            (codecs.BOM_UTF16_BE, "utf-16"),
        ):
            if head.startswith(mark):
                return name
        if told is None:
            return "utf-8"
        try:
            return codecs.lookup(told).name
        except LookupError:
            message = f"there is no encoding `{told}`"
            hint = "for example utf-8, utf-16, latin-1, cp1252"
            raise PetriError("PETRI_LOG_ENCODING", message, where=Position(self.name), hint=hint) from None

    def not_text(self, encoding: str) -> InputError:
        """The first byte that is no text in ``encoding``, found by reading once more."""
        decoder = codecs.getincrementaldecoder(encoding)()
        offset, line, byte = 0, 1, 0
        with self.stream() as stream:
            while True:
                chunk = stream.read(CHUNK)
                try:
                    line += decoder.decode(chunk, not chunk).count("\n")
                except UnicodeDecodeError as error:
                    pending = len(error.object) - len(chunk)
                    byte = error.object[error.start]
                    line += error.object[: error.start].count(b"\n")
                    offset += error.start - pending
                    break
                if not chunk:
                    break
                offset += len(chunk)
        where = Position(self.name, line, 1)
        message = f"byte {offset} (0x{byte:02x}) is not {encoding.removesuffix('-sig').upper()}"
        hint = "say what it is: --encoding latin-1, or cp1252, utf-16, …"
        return InputError([Problem("PETRI_LOG_ENCODING", message, where, hint)])
