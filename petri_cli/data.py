"""Where the files are that ship with the package: schemas, code pages, samples.

In a wheel they lie in ``petri_cli/_data``, in a source tree beside the package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Kind = Literal["schemas", "codes", "samples"]

_PACKAGE = Path(__file__).parent
_IN_TREE: dict[Kind, str] = {"schemas": "schemas", "codes": "docs/codes", "samples": "samples"}
_ENDINGS: dict[Kind, str] = {"schemas": ".schema.json", "codes": ".md", "samples": ".petri.yaml"}


def folder(kind: Kind) -> Path:
    """The folder of the files of one kind."""
    shipped = _PACKAGE / "_data" / kind
    return shipped if shipped.is_dir() else _PACKAGE.parent / _IN_TREE[kind]


def names(kind: Kind) -> list[str]:
    """The names of the files of one kind, without their common ending, sorted."""
    ending = _ENDINGS[kind]
    where = folder(kind)
    return (
        sorted(p.name.removesuffix(ending) for p in where.iterdir() if p.name.endswith(ending))
        if where.is_dir()
        else []
    )


def path_of(kind: Kind, name: str) -> Path:
    """The path of one file."""
    return folder(kind) / f"{name}{_ENDINGS[kind]}"


def read(kind: Kind, name: str) -> str:
    """The text of one file. Raises KeyError when there is none of that name."""
    if name not in names(kind):
        raise KeyError(name)
    return path_of(kind, name).read_text(encoding="utf-8")
