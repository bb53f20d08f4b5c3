"""``petri --show-config``: what a call here and now would go by, and where each value came from."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

EXTRAS = {"fast": "polars", "symbolic": "oxidd", "mcp": "mcp"}
"""Extra → the package that it is about."""


def show_config() -> None:
    """Write it, a line a value. Nothing is opened for writing, and what is wrong with a value stands in its place."""
    from petri_cli.cli.streams import Output
    from petri_cli.render.listing import listing

    with Output() as out:
        out.write(
            listing({name: f"{value}  ({source})" if source else value for name, value, source in _rows()}, out.stream)
        )


def _rows() -> Iterator[tuple[str, str, str]]:
    """(name, value, where it came from)."""
    from petri_cli.version import __version__

    yield "petri", __version__, str(Path(__file__).parents[1])
    yield "python", platform.python_version(), sys.executable
    yield ("store", *_store())
    yield ("session", *_session())
    yield ("colour", *_colour())
    yield "signs", "all" if _signs() else "ASCII", f"encoding {getattr(sys.stdout, 'encoding', None) or 'unknown'}"
    yield ("compiled core", *_core())
    for extra, package in EXTRAS.items():
        yield (f"extra {extra}", *_extra(extra, package))


def _store() -> tuple[str, str]:
    from petri_cli.cli.store import store_path
    from petri_cli.errors import PetriError

    source = "PETRI_STORE" if os.environ.get("PETRI_STORE") else "default"
    try:
        path = store_path(None)
    except PetriError as error:
        return str(error.problem), source
    return path.as_posix() + ("" if path.is_file() else ", not there yet"), source


def _session() -> tuple[str, str]:
    from petri_cli.cli.store import opened, session_of
    from petri_cli.errors import PetriError

    asked = os.environ.get("PETRI_SESSION")
    try:
        with opened(None) as store:
            return session_of(store, None, latest=True), "PETRI_SESSION" if asked else "of those in the store"
    except PetriError as error:
        return "none", error.code


def _colour() -> tuple[str, str]:
    from petri_cli.render.look import look_at

    names = ("NO_COLOR", "FORCE_COLOR", "TERM")
    said = ", ".join(f"{name}={os.environ[name]}" for name in names if name in os.environ)
    terminal = "a terminal" if sys.stdout is not None and sys.stdout.isatty() else "no terminal"
    on = sys.stdout is not None and look_at(sys.stdout, "auto").colour
    return "yes" if on else "no", f"{terminal}{'; ' if said else ''}{said}"


def _signs() -> bool:
    from petri_cli.render.look import look_at

    return sys.stdout is not None and look_at(sys.stdout, "auto").signs


def _core() -> tuple[str, str]:
    from petri_cli.soundness.native.binding import core

    if core is not None:
        return "there", ""
    switched_off = os.environ.get("PETRI_PURE", "") not in ("", "0")
    return "not there: searches run in Python", "PETRI_PURE" if switched_off else "it was not built"


def _extra(extra: str, package: str) -> tuple[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{package} {version(package)}", ""
    except PackageNotFoundError:
        return f"{package} is not installed", f"pip install 'petri-cli[{extra}]'"
