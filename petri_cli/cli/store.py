"""Which store, and which session in it: what the commands on sessions have in common."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from petri_cli.cli.inputs import current_folder
from petri_cli.cli.options import SessionId as SessionId
from petri_cli.cli.options import StoreUrl as StoreUrl
from petri_cli.cli.streams import say
from petri_cli.errors import InputError, PetriError, Position
from petri_cli.render.page import one_line
from petri_cli.render.pasting import Paste

if TYPE_CHECKING:
    from petri_cli.session.store import EventStore

DEFAULT = "sqlite:///.petri/petri.db"
SCHEME = "sqlite:///"
SESSION = "PETRI_SESSION"
_SCHEMES = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
"""How a URL begins. A file whose name begins like that is written ``./name``."""
LOOKED_BACK = 8
"""Events at a time, to find the last one that says how a session stands."""


@contextmanager
def opened(url: str | None, *, create: bool = False) -> Iterator[EventStore]:
    """The store at ``url``, open while the block runs. create: make it where there is none yet.

    Raises PetriError ``PETRI_BAD_STORE``, ``PETRI_NO_SESSIONS``, and what the store says.
    """
    with _opened(url, create=create) as store, pastable(lambda: Paste(store=url or "")):
        yield store


@contextmanager
def _opened(url: str | None, *, create: bool = False) -> Iterator[EventStore]:
    from petri_cli.session.sqlite import SqliteEventStore
    from petri_cli.session.sqlite_files import check_kept, file_of

    path = store_path(url)
    if not path.is_absolute():
        current_folder()
    if file_of(path) is None and not create:
        check_kept(path)
        hint = f"{Paste(store=url or '')('run', 'FILE')} opens one; --store says where another one is kept"
        raise PetriError("PETRI_NO_SESSIONS", f"no session was opened here: there is no {path.as_posix()}", hint=hint)
    store = SqliteEventStore(path, warn=lambda problem: say(one_line(problem)))
    try:
        yield store
    finally:
        store.close()


@dataclass(frozen=True, slots=True)
class Chosen:
    """A session of an open store. url: as ``--store`` has it; said: whether the session was named."""

    store: EventStore
    session: str
    url: str | None = None
    said: bool = False

    @property
    def paste(self) -> Paste:
        """How commands about it are written now: others may have been opened since."""
        return Paste(self.session, self.said or len(self.store.sessions()) > 1, self.url or "")


@contextmanager
def chosen(url: str | None, asked: str | None, *, latest: bool = False, how: str = "--session, ") -> Iterator[Chosen]:
    """The session that is meant (see :func:`session_of`) in the store at ``url``, while the block runs.

    What goes wrong in it is said with commands that mean this session.
    """
    found: Chosen | None = None
    with _opened(url) as store, pastable(lambda: Paste(store=url or "") if found is None else found.paste):
        session = session_of(store, asked, latest=latest, how=how)
        found = Chosen(store, session, url, said=session == (asked or os.environ.get(SESSION)))
        yield found


@contextmanager
def pastable(paste: Callable[[], Paste]) -> Iterator[None]:
    """Let the commands that an error suggests be such as can be pasted."""
    try:
        yield
    except PetriError as error:
        if isinstance(error, InputError) or "petri " not in error.hint:
            raise
        hint = paste().in_text(error.hint)
        raise PetriError(error.code, error.message, where=error.problem.where, hint=hint) from error.__cause__


def store_path(url: str | None) -> Path:
    """The file that ``url`` means: ``sqlite:///relative``, ``sqlite:////absolute``, or a path as it is."""
    url = url or os.environ.get("PETRI_STORE") or DEFAULT
    path = url.removeprefix(SCHEME)
    if not path or (path == url and _SCHEMES.match(path)):
        hint = "written path/to/petri.db, or sqlite:///path/to/petri.db"
        raise PetriError("PETRI_BAD_STORE", f"{url!r} is no store", hint=hint)
    return Path(path)


def work_folder(url: str | None) -> Path:
    """Where the output of tasks is kept: beside the store, a folder for each: ids of sessions are a store's own."""
    from petri_cli.session.sqlite_files import work_beside

    return work_beside(Path(os.path.realpath(store_path(url))))


def session_of(store: EventStore, asked: str | None, *, latest: bool = False, how: str = "--session, ") -> str:
    """The session ``asked`` for, else that of ``PETRI_SESSION``, else the only one that is not over, else the only one.

    latest: where all are over, the last opened; how: a session is named. Raises PetriError ``PETRI_UNKNOWN_SESSION``,
    ``PETRI_WHICH_SESSION``, ``PETRI_NO_SESSIONS``.
    """
    if asked is not None:
        store.last(asked)
        return asked
    if of_the_environment := os.environ.get(SESSION):
        try:
            store.last(of_the_environment)
        except PetriError as error:
            hint = f"the variable {SESSION} says so: unset it, or name another; {error.hint}"
            raise PetriError(error.code, error.message, hint=hint) from None
        return of_the_environment
    sessions = store.sessions()
    if not sessions:
        raise PetriError("PETRI_NO_SESSIONS", "no session was opened yet", hint="petri run FILE opens one")
    if len(sessions) == 1:
        return sessions[0]
    live = [s for s in sessions if not _is_over(store, s)]
    if len(live) == 1:
        return live[0]
    if latest and not live:
        return sessions[-1]
    shown = live or sessions
    which = ", ".join(shown[-8:])
    what = f"{len(live)} sessions are live" if live else f"all {len(sessions)} sessions are over"
    raise PetriError("PETRI_WHICH_SESSION", f"{what}: which one is meant?", hint=f"{how}one of {which}")


def refuse_session(name: str, url: str | None, verb: str) -> None:
    """Say so where ``name``, which is to be a file, is none, and a session is called like that.

    verb: ``run`` or ``plan``. Raises PetriError ``PETRI_UNREADABLE_FILE``.
    """
    from petri_cli.cli.session_logs import is_file, is_session

    if not name or is_file(name) or not is_session(name, url):
        return
    paste = Paste(name, named=True, store=url or "")
    hint = f"{paste('run')} goes on with it" if verb == "run" else f"{paste('plan', 'FILE')} commits a plan to it"
    message = "there is no such file; that is a session"
    raise PetriError("PETRI_UNREADABLE_FILE", message, where=Position(name), hint=hint)


def _is_over(store: EventStore, session: str) -> bool:
    """Whether it is completed or cancelled. The end of its log tells, and need not be folded."""
    from petri_cli.session.events import Ended
    from petri_cli.session.fold import AFTER_THE_END
    from petri_cli.session.state import FINAL

    last = store.last(session)
    while last:
        first = max(0, last - LOOKED_BACK)
        for entry in reversed(list(store.read(session, first, last))):
            if not isinstance(entry.event, AFTER_THE_END):
                return isinstance(entry.event, Ended) and entry.event.state in FINAL
        last = first
    return False


def user(said: str | None) -> str:
    """Who acts: as was said, else the name of the user."""
    if said is not None:
        return said
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
