"""What the tools may touch: one folder, and the store of its sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petri_cli.errors import PetriError, Position
from petri_cli.session.store import EventStore

MAX_TEXT = 4 * 1024 * 1024
"""Bytes of a plan that is handed over in a call; a larger one belongs in a file."""


@dataclass(frozen=True, slots=True)
class Written:
    """A plan or a net as it was written, and what it is called in messages."""

    data: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """folder: everything that is read lies in it; store: as ``--store`` has it, chosen by whoever starts the server."""

    folder: Path
    store: str | None = None

    @contextmanager
    def sessions(self, *, create: bool = False) -> Iterator[EventStore]:
        """The store, while the block runs. Raises PetriError ``PETRI_NO_SESSIONS`` where there is none."""
        from petri_cli.cli.store import opened

        with opened(self.store, create=create) as store:
            yield store

    def written(self, arguments: Mapping[str, Any]) -> Written:
        """The plan that a call is about: ``plan``, as text or as data, or the file that ``file`` names.

        Raises PetriError ``PETRI_BAD_CALL`` for none or both, ``PETRI_TOO_LARGE``, and as :meth:`read`.
        """
        plan, file = arguments.get("plan"), arguments.get("file")
        if (plan is None) == (file is None):
            raise PetriError("PETRI_BAD_CALL", "one of `plan` and `file` says what it is about, and not both")
        return self.read(str(file)) if file is not None else given(plan, "plan")

    def read(self, file: str) -> Written:
        """A file in the folder. Raises PetriError ``PETRI_OUTSIDE_FOLDER``, ``PETRI_UNREADABLE_FILE``."""
        from petri_cli.document import read_bytes

        where = Position(file)
        try:
            path = (self.folder / file).resolve()
            inside = path.is_relative_to(self.folder.resolve())
            there = inside and path.is_file()
        except (OSError, ValueError, RuntimeError):  # too long, a zero character, links in a circle
            raise PetriError("PETRI_UNREADABLE_FILE", "there can be no such file", where=where) from None
        if not inside:
            hint = "name a file below it, or hand the text over as `plan`"
            raise PetriError("PETRI_OUTSIDE_FOLDER", "it lies outside the working folder", where=where, hint=hint)
        if not there:
            raise PetriError("PETRI_UNREADABLE_FILE", "there is no such file", where=where)
        try:
            return Written(read_bytes(path), path.relative_to(self.folder.resolve()).as_posix())
        except PetriError as error:
            raise PetriError(error.code, error.message, where=where, hint=error.hint) from None


def given(plan: Any, called: str) -> Written:
    """A plan that was handed over: text in YAML or JSON, or the data itself. called: its name in messages."""
    text = plan if isinstance(plan, str) else json.dumps(plan, indent=2, ensure_ascii=False)
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_TEXT:
        message = f"it has {len(data):,} bytes, and a call takes {MAX_TEXT:,}"
        raise PetriError("PETRI_TOO_LARGE", message, hint="write it into a file, and name that as `file`")
    ending = "yaml" if isinstance(plan, str) and not text.lstrip().startswith(("{", "[")) else "json"
    return Written(data, f"{called}.petri.{ending}")
