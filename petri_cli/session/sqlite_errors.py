"""What SQLite reports, said as what a person can do something about."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from petri_cli.errors import PetriError

_CODES = {
    sqlite3.SQLITE_BUSY: "PETRI_STORE_BUSY",
    sqlite3.SQLITE_LOCKED: "PETRI_STORE_BUSY",
    sqlite3.SQLITE_FULL: "PETRI_STORE_FULL",
    sqlite3.SQLITE_CORRUPT: "PETRI_STORE_CORRUPT",
    sqlite3.SQLITE_NOTADB: "PETRI_STORE_FOREIGN",
    sqlite3.SQLITE_CANTOPEN: "PETRI_STORE_NO_ACCESS",
    sqlite3.SQLITE_READONLY: "PETRI_STORE_NO_ACCESS",
    sqlite3.SQLITE_PERM: "PETRI_STORE_NO_ACCESS",
    sqlite3.SQLITE_AUTH: "PETRI_STORE_NO_ACCESS",
    sqlite3.SQLITE_SCHEMA: "PETRI_STORE_CORRUPT",
    sqlite3.SQLITE_MISMATCH: "PETRI_STORE_CORRUPT",
}
_HINTS = {
    "PETRI_STORE_BUSY": "another program holds the database: close it, or wait",
    "PETRI_STORE_FULL": "make room, then do the same again: nothing was half-written",
    "PETRI_STORE_CORRUPT": "restore it from a backup; `sqlite3 FILE .recover` may save what is readable",
    "PETRI_STORE_FOREIGN": "this file is not one of petri's: name another with --store",
    "PETRI_STORE_NO_ACCESS": "look at the permissions of the file and of its folder, which must be writable, too",
    "PETRI_STORE_EMPTIED": "restore it from a backup; to begin anew, move what lies beside it away, too",
    "PETRI_STORE_GONE": "see who removes it; what was written since is lost with it",
    "PETRI_STORE_IO": "look at the disk and the system's log; what was acknowledged is safe, this was not written",
}


def store_error(code: str, path: Path, what: str, hint: str = "") -> PetriError:
    return PetriError(code, f"{path}: {what}", hint=hint or _HINTS[code])


def os_error_code(error: OSError) -> str:
    return "PETRI_STORE_FULL" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "PETRI_STORE_NO_ACCESS"


def needs_recovery(error: BaseException | None) -> bool:
    """Whether a reader met a journal that a writer has to play back."""
    return isinstance(error, sqlite3.Error) and error.sqlite_errorcode in (
        sqlite3.SQLITE_READONLY_ROLLBACK,
        sqlite3.SQLITE_READONLY_RECOVERY,
        sqlite3.SQLITE_READONLY_CANTINIT,
    )


def as_petri_error(error: sqlite3.Error, path: Path) -> PetriError:
    """The extended result code's low byte is the kind (sqlite.org/rescode.html)."""
    number = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    name = getattr(error, "sqlite_errorname", "")
    code = _CODES.get(number & 0xFF, "PETRI_STORE_IO")
    if number & 0xFF == sqlite3.SQLITE_ERROR and "no such" in str(error):
        code = "PETRI_STORE_CORRUPT"  # a table or column that a store of this version has
    return store_error(code, path, f"{error} ({name})" if name else str(error))


@contextmanager
def said_plainly(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as e:
        raise as_petri_error(e, path) from e
