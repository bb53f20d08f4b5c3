"""Sessions as event logs: which file or session a name means, and how a log is written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from petri_cli.cli.endings import GZIP
from petri_cli.cli.inputs import STDIN, display_name
from petri_cli.cli.store import opened, session_of, store_path
from petri_cli.cli.streams import Output, say
from petri_cli.errors import PetriError, Position
from petri_cli.formats.log_write import WrittenFormat, write_log
from petri_cli.mining.log import Log
from petri_cli.render.phrase import many

if TYPE_CHECKING:
    from petri_cli.session.store import EventStore


def is_file(name: str) -> bool:
    """Whether ``name`` is standard input or something in the file system; one that it cannot even look up is not."""
    try:
        return name == STDIN or Path(name).exists()
    except (OSError, ValueError):
        return False


def is_session(name: str, store: str | None) -> bool:
    """Whether the store has a session of that name. Raises PetriError ``PETRI_BAD_STORE``."""
    if not store_path(store).exists():
        return False
    with opened(store) as sessions:
        return name in sessions.sessions()


def names_session(name: str, store: str | None) -> bool:
    """Whether ``name`` means a session: it has that name, and no file has. (A folder cannot be meant.)"""
    return (not is_file(name) or Path(name).is_dir()) and is_session(name, store)


def neither(name: str, store: str | None) -> PetriError:
    """What to raise for a name that is neither a file nor a session."""
    from petri_cli.formats.nearest import did_you_mean

    path = store_path(store)
    known: list[str] = []
    if path.exists():
        with opened(store) as sessions:
            known = list(sessions.sessions())
    try:
        beside = [p.name for p in Path(name).parent.iterdir()]
    except (OSError, ValueError):
        beside = []
    message = f"there is no such file, and no session of this name in {path.as_posix()}"
    near = did_you_mean(name, [*known, *beside]) if known or beside else ""
    hint = near if near.startswith("did you mean") else "check the path; --store says where sessions are kept"
    return PetriError("PETRI_UNREADABLE_FILE", message, where=Position(display_name(Path(name))), hint=hint)


def log_of_sessions(
    asked: str | None, store: str | None, *, every: bool = False, by_item: bool = False
) -> tuple[str, Log]:
    """(what it is called, the log) of the session ``asked`` for, else of the live one, or of ``every`` session.

    by_item: each item of a foreach is a case. Raises PetriError: as the store and the choice of a session do.
    """
    from petri_cli.mining.session_log import history_log, history_of

    with opened(store) as sessions:
        names = list(sessions.sessions()) if every else [_chosen(sessions, asked)]
        histories = [history_of(name, (entry.event for entry in sessions.read(name))) for name in names]
        return names[0] if len(names) == 1 else many(len(names), "session"), history_log(histories, by_item=by_item)


def _chosen(sessions: EventStore, asked: str | None) -> str:
    try:
        return session_of(sessions, asked)
    except PetriError as error:
        if error.code != "PETRI_WHICH_SESSION":
            raise
        hint = f"name it, or --all-sessions: {', '.join(list(sessions.sessions())[-8:])}"
        raise PetriError(error.code, error.message, hint=hint) from None


def write_session_log(log: Log, form: WrittenFormat, output: str | None, spare: Sequence[str] = ()) -> None:
    """Write ``log`` to a file, packed where it is called ``….gz``, or to standard output; ``spare`` are files that must
    not be written over. Raises PetriError ``PETRI_CANNOT_WRITE``."""
    if not log.n_cases:
        say("no work was verified yet: the log has no case")
    with _sink(output, spare) as write:
        for piece in write_log(log, form):
            write(piece)


@contextmanager
def _sink(output: str | None, spare: Sequence[str]) -> Iterator[Callable[[str], object]]:
    """What takes the text, as UTF-8 whatever the locale: XES says so of itself, and readers expect it."""
    if output is None and (change := getattr(sys.stdout, "reconfigure", None)) is not None:
        change(encoding="utf-8", newline="")
    with Output(output, spare) as out:
        if output is None or not output.endswith(GZIP) or out.stream is None:
            yield out.write
            return
        from gzip import GzipFile

        try:  # neither a name nor a time: the same log gives the same bytes
            with GzipFile("", "wb", fileobj=out.stream.buffer, mtime=0) as packed:
                yield lambda text: packed.write(text.encode())
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise PetriError("PETRI_CANNOT_WRITE", message, where=Position(output)) from None
