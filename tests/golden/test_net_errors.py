"""What a person reads when a net file is wrong: every problem, in order, word for word.

Each file in ``net_errors`` stands beside its ``.out``. ``PETRI_GOLDEN=write`` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri_cli.document import scan_document
from petri_cli.errors import InputError, Problem
from petri_cli.formats.detect import kind_of
from petri_cli.formats.netfile import parse_net
from petri_cli.formats.pnml import read_pnml

FOLDER = Path(__file__).parent / "net_errors"
FILES = sorted(p for p in FOLDER.iterdir() if p.suffix != ".out")


def problems(file: Path) -> list[Problem]:
    data = file.read_bytes()
    kind = kind_of(file.name, data)
    assert kind == ("pnml" if file.suffix == ".pnml" else "net")
    try:
        if kind == "pnml":
            read_pnml(data, file.name)
            return []
        node, found = scan_document(data, file.name)
        assert node is not None
        parse_net(node)
    except InputError as error:
        return sorted([*error.problems, *(found if kind == "net" else ())], key=lambda p: p.where)
    return []


def written(found: list[Problem]) -> str:
    lines = []
    for p in found:
        path = f" [{p.where.path}]" if p.where.path else ""
        also = "".join(f" (see {r.line}:{r.column})" for r in p.related)
        lines.append(f"{p}{path}{also}\n")
    return "".join(lines)


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_the_problems_of(file: Path) -> None:
    out = file.with_name(file.name + ".out")
    text = written(problems(file))
    if os.environ.get("PETRI_GOLDEN") == "write":
        out.write_text(text, encoding="utf-8")
    assert text
    assert text == out.read_text(encoding="utf-8")
