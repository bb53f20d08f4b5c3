"""From the arguments of a command to the files it is about: folders searched, duplicates once, sorted by name."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from petri_cli.errors import InputError, PetriError, Position, Problem

STDIN = "-"
STDIN_NAME = "<stdin>"
PIECE = 1 << 16
MOMENT = 0.2
"""Seconds after which a wait for input looks whether it was interrupted."""
ENDINGS = (".petri.yaml", ".petri.yml", ".petri.json", ".pnml")


@dataclass(frozen=True, slots=True)
class Source:
    """One input: the ``name`` it is told about by (relative, with ``/``), and the ``path`` to read (None: stdin)."""

    name: str
    path: str | None


def sources(arguments: Sequence[str], stdin_name: str = "") -> tuple[list[Source], list[Problem]]:
    """The inputs that ``arguments`` mean, sorted by name, and a problem for each argument that means none.

    No argument means the current folder. A file that is reached twice (by any path or link) is listed once.
    """
    found: dict[str, Source] = {}
    problems: list[Problem] = []
    for argument in arguments or (os.curdir,):
        if argument == STDIN:
            found[STDIN] = Source(stdin_name or STDIN_NAME, None)
            continue
        path = Path(argument)
        if not argument:
            problems.append(_nameless())
        elif _is(path.is_dir):
            inside = list(_search(argument))
            if not inside:
                problems.append(_nothing_in(argument, given=bool(arguments)))
            for file in inside:
                _add(found, file)
        elif _is(path.exists):
            _add(found, path)
        else:
            problems.append(_missing(path))
    return sorted(found.values(), key=lambda s: s.name), problems


def one_source(argument: str, stdin_name: str = "") -> Source:
    """The one input that ``argument`` means. Raises PetriError for a folder; a missing file shows when it is read."""
    if argument == STDIN:
        return Source(stdin_name or STDIN_NAME, None)
    path = Path(argument)
    if not argument:
        raise InputError([_nameless()])
    if _is(path.is_dir):
        where = Position(display_name(path))
        raise PetriError("PETRI_UNREADABLE_FILE", "this is a folder; one file is wanted", where=where)
    if not _is(path.exists):
        raise InputError([_missing(path)])
    return Source(display_name(path), argument)


def _is(question: Callable[[], bool]) -> bool:
    """The answer of the file system; a path that it cannot even look up (too long, say) is nothing."""
    try:
        return question()
    except (OSError, ValueError):
        return False


def read_source(source: Source) -> bytes:
    """The bytes of ``source``. Raises PetriError."""
    from petri_cli.document import MAX_BYTES, read_bytes

    if source.path is not None:
        try:
            return read_bytes(source.path)
        except PetriError as error:
            where = Position(source.name)
            raise PetriError(error.code, error.message, where=where, hint=error.hint) from None
    if sys.stdin is None:
        raise PetriError("PETRI_UNREADABLE_FILE", "there is no standard input", where=Position(source.name))
    return _piecemeal(sys.stdin.fileno(), MAX_BYTES + 1)


def _piecemeal(descriptor: int, most: int) -> bytes:
    """Up to ``most`` bytes, read in pieces, so that Ctrl-C is heeded between two of them.

    An interrupt may also come at the very moment in which a read begins to wait, which then would wait on: so nothing
    is read before there is something to read, and that is asked for a moment at a time.
    """
    pieces: list[bytes] = []
    left = most
    while left:
        if not select.select([descriptor], [], [], MOMENT)[0]:
            continue
        piece = os.read(descriptor, min(left, PIECE))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def display_name(path: Path) -> str:
    """``path`` as it is shown: relative to the current folder where it lies below it, always with ``/``."""
    tidy = Path(os.path.normpath(path))
    try:
        here = Path.cwd()
    except OSError:  # it was removed: nothing lies below it
        return tidy.as_posix()
    absolute = Path(os.path.normpath(here / path))
    shown = absolute.relative_to(here) if absolute.is_relative_to(here) else tidy
    return shown.as_posix()


def current_folder() -> Path:
    """The folder that the command was called in. Raises PetriError ``PETRI_NO_FOLDER`` when it is there no more."""
    try:
        return Path.cwd()
    except OSError as error:
        message = f"the current folder cannot be used: {error.strerror or error}; it was removed, or replaced"
        raise PetriError("PETRI_NO_FOLDER", message, hint="go to a folder that is there: cd") from None


def _add(found: dict[str, Source], path: Path) -> None:
    """Add ``path`` unless its file is there already under a name that sorts before."""
    source = Source(display_name(path), str(path))
    real = os.path.realpath(path)
    found[real] = min(source, found.get(real, source), key=lambda s: s.name)


def _search(folder: str) -> Iterator[Path]:
    """Plans and nets below ``folder``; hidden folders, links to folders, pipes, sockets and devices are left out.

    A link that leads nowhere is kept: it stands for a file that somebody will miss.
    """
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
        named = (Path(here, f) for f in sorted(files) if f.endswith(ENDINGS) and not f.startswith("."))
        yield from (path for path in named if _is(path.is_file) or not _is(path.exists))


def _nothing_in(folder: str, *, given: bool) -> Problem:
    hint = "plans are called NAME.petri.yaml, .petri.yml or .petri.json, nets also NAME.pnml"
    start = "" if given else "; `petri init` writes a plan to start from"
    message = "there is no plan or net in this folder"
    return Problem("PETRI_NOTHING_FOUND", message, Position(display_name(Path(folder))), hint + start)


def _nameless() -> Problem:
    """An empty argument, as an unset variable leaves it; the current folder has the name ``.``."""
    hint = "name a file or a folder; . is the current folder"
    return Problem("PETRI_UNREADABLE_FILE", "the name of the file is empty", Position('""'), hint)


def _missing(path: Path) -> Problem:
    from petri_cli.formats.nearest import did_you_mean

    if _is(path.is_symlink):
        message, hint = "this is a link that leads to no file", "make it lead to one"
        return Problem("PETRI_UNREADABLE_FILE", message, Position(display_name(path)), hint)
    try:
        beside = [p.name for p in path.parent.iterdir() if p.name != path.name]
    except (OSError, ValueError):
        beside = []
    near = did_you_mean(path.name, beside)
    hint = near if near.startswith("did you mean") else "check the path"
    return Problem("PETRI_UNREADABLE_FILE", "there is no such file", Position(display_name(path)), hint)
