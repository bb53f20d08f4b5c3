"""Names in a store, for completion: read from its tables as they are, so that no log has to be folded.

Whatever is wrong with the store, there are no names: this is no place to say so.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

MOST = 200
"""Sessions that are offered, the latest first."""
LOOKED_BACK = 5_000
"""Events, counted from the end of a log, in which claims and revisions are looked for; revisions also at its start."""
MAX_TEXT = 1_000_000
"""Characters of a plan that is worth reading for its names."""
PATIENCE = 0.05
"""Seconds to wait for a writer."""
ENDS = ("Verified", "Refused", "Lapsed", "Revoked")


class Store:
    """The file of a store, read-only. url: as ``--store`` takes it."""

    def __init__(self, url: str | None) -> None:
        url = url or os.environ.get("PETRI_STORE") or ".petri/petri.db"
        self._path = Path(url.removeprefix("sqlite:///"))
        self._db: sqlite3.Connection | None = None

    def __enter__(self) -> Store:
        if self._path.is_file():
            for mode in ("mode=ro", "immutable=1"):  # the second where nothing may be written beside it
                with suppress(sqlite3.Error):
                    file = f"file:{quote(os.path.abspath(self._path))}?{mode}"  # noqa: PTH100
                    self._db = sqlite3.connect(file, uri=True, timeout=PATIENCE)
                    self._db.execute("SELECT 1 FROM events LIMIT 1")
                    break
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if self._db is not None:
            self._db.close()

    def sessions(self) -> list[str]:
        """Ids, the latest first."""
        return [
            str(s) for (s,) in self._rows("SELECT session FROM events WHERE seq = 1 ORDER BY at DESC LIMIT ?", MOST)
        ]

    def objective(self, session: str) -> str:
        """What a session is for, in a line."""
        for (payload,) in self._rows("SELECT payload FROM events WHERE session = ? AND seq = 1", session):
            return " ".join(str(_read(payload).get("objective") or "").split())[:60]
        return ""

    def plan(self, session: str) -> Any:
        """The plan of a session as plain data: maps, lists and texts; None where it cannot be had."""
        query = "SELECT payload FROM events WHERE session = ? AND type = 'RevisionCommitted' AND seq BETWEEN ? AND ?"
        last = self._last(session)
        for first, end in ((last - LOOKED_BACK, last), (0, 50)):
            for (payload,) in self._rows(f"{query} ORDER BY seq DESC LIMIT 1", session, first, end):
                return plain(str(_read(payload).get("text", "")))
        return None

    def claims(self, session: str) -> list[tuple[str, str]]:
        """Claims that have not ended, each with its task."""
        last = self._last(session)
        live: dict[str, str] = {}
        query = (
            "SELECT type, payload FROM events WHERE session = ? AND seq > ? AND type IN (?, ?, ?, ?, ?) ORDER BY seq"
        )
        for kind, payload in self._rows(query, session, last - LOOKED_BACK, "Claimed", *ENDS):
            event = _read(payload)
            if kind == "Claimed":
                live[str(event.get("claim"))] = str(event.get("task", ""))
            else:
                live.pop(str(event.get("claim")), None)
        return list(live.items())

    def _last(self, session: str) -> int:
        for (seq,) in self._rows("SELECT max(seq) FROM events WHERE session = ?", session):
            return int(seq or 0)
        return 0

    def _rows(self, query: str, *values: object) -> list[Any]:
        if self._db is not None:
            with suppress(sqlite3.Error):
                return self._db.execute(query, values).fetchall()
        return []


def _read(payload: str) -> dict[str, Any]:
    with suppress(ValueError):
        found = json.loads(payload)
        if isinstance(found, dict):
            return found
    return {}


def plain(text: str) -> Any:
    """A document in YAML or JSON with all its scalars as text. It has been judged before: nothing is checked here."""
    if len(text) > MAX_TEXT:
        return None
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    with suppress(yaml.YAMLError, RecursionError):
        return yaml.load(text, loader)  # noqa: S506 (it makes texts, lists and maps, and nothing else)
    return None


def names(plan: Any, kind: str) -> Iterator[tuple[str, str]]:
    """Ids in a plan, each with its name: of its resources, of its tasks, or of its foreach blocks."""
    if not isinstance(plan, dict):
        return
    if kind == "resource":
        resources = plan.get("resources")
        found = resources if isinstance(resources, list) else []
        yield from ((r["id"], "") for r in found if isinstance(r, dict) and isinstance(r.get("id"), str))
        return
    stack: list[Any] = [plan.get("flow")]
    seen: set[int] = set()  # what an alias stands for is looked at once
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, list):
            stack += reversed(part)
        elif isinstance(part, dict):
            step = part.get(kind)
            if isinstance(step, dict) and isinstance(step.get("id"), str):
                told = step.get("name")
                yield step["id"], " ".join(told.split())[:60] if isinstance(told, str) else ""
            stack += reversed(list(part.values()))
