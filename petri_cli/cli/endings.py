"""In which format ``-o FILE`` writes: as ``--format`` says, else as the ending of the name does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from petri_cli.errors import PetriError, Position
from petri_cli.render.phrase import listed

GZIP = ".gz"
FORMATS: Mapping[str, str] = {
    ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".pnml": "pnml", ".dot": "dot", ".mmd": "mermaid",
    ".mermaid": "mermaid", ".svg": "svg", ".xes": "xes", ".csv": "csv", ".jsonl": "jsonl",
    ".html": "html", ".htm": "html",
}  # fmt: skip
"""Ending → the format that it means to everybody."""

_DESCRIPTOR = re.compile(r"/proc/(self|\d+)/fd/\d+")


def form_of(
    path: str | None,
    said: str | None,
    known: Sequence[str],
    otherwise: str,
    *,
    packed: bool = False,
    option: str = "--format",
) -> str:
    """The format of what goes to ``path``, one of ``known``.

    said: by ``option`` ("" where there is none); otherwise: the format of standard output, and of what is no regular
    file. packed: whether ``….gz`` is packed, so that the ending before it counts.

    Raises PetriError ``PETRI_CANNOT_WRITE`` for an ending that says no format where nobody else does, and for one that
    says another.
    """
    if path is None or is_stream(path):
        return said or otherwise
    ending = ending_of(path, packed=packed)
    meant = FORMATS.get(ending)
    if said is not None:
        if ending == GZIP or (meant is not None and meant != said):
            what = f"a name in {ending} says {meant or 'that it is packed'}, and {option} says {said}"
            raise _cannot(path, what, f"leave out {option}, or call the file ….{said}")
        return said
    if meant is not None and meant in known:
        return meant
    names = listed([ending for ending, form in FORMATS.items() if form in known], "or", limit=len(FORMATS))
    if meant is not None:
        raise _cannot(path, f"a name in {ending} says {meant}, which this is not written as", f"call it {names}")
    what = f"a name in {ending} says no format" if ending else "the name says no format"
    raise _cannot(path, what, f"call it {names}" + f", or say {option}" * bool(option))


def is_stream(path: str) -> bool:
    """Whether ``path`` names what is open already, or is no regular file, as devices and named pipes are."""
    if path.startswith("/dev/") or _DESCRIPTOR.fullmatch(path) is not None:
        return True
    try:
        return Path(path).exists() and not Path(path).is_file()
    except (OSError, ValueError):  # there is no such name
        return False


def ending_of(path: str, *, packed: bool = False) -> str:
    """The ending, in lower case; packed: the one before ``.gz``."""
    return Path(path.removesuffix(GZIP) if packed else path).suffix.lower()


def _cannot(path: str, message: str, hint: str) -> PetriError:
    return PetriError("PETRI_CANNOT_WRITE", message, where=Position(path), hint=hint)
