"""The generated pages: ``python -m docs.generate`` rewrites them, ``--check`` says which are stale.

A page is a function that returns its text. One that keeps a hand-written beginning takes it from the file as it is, up
to the line that says where the generated part begins.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import unified_diff
from itertools import islice
from pathlib import Path

from docs.pages.codes import codes_page
from docs.pages.completion import completion_table
from docs.pages.plan_language import plan_language_page
from docs.pages.report import report_page
from petri_cli.cli.reference import reference
from petri_cli.cli.stored_help import STORED, help_text
from tests.contract.table import contract_page

ROOT = Path(__file__).parents[1]
SHOWN = 20
"""Lines of difference to show of a stale page."""

PAGES: Mapping[str, Callable[[str], str]] = {
    "docs/cli.md": lambda now: reference(),
    "docs/codes.md": lambda now: codes_page(),
    "docs/contract.md": contract_page,
    "docs/plan-language.md": plan_language_page,
    "docs/report.md": report_page,
    "petri_cli/cli/help/completion.json": lambda now: completion_table(),
    **{f"petri_cli/cli/help/{name}.txt": lambda now, name=name: help_text(name) for name in STORED},  # type: ignore[misc]
}
"""Path → its text, made from the text that is there now (empty where there is none)."""


def stale(pages: Mapping[str, Callable[[str], str]], root: Path) -> dict[str, tuple[str, str]]:
    """The pages that are not what they should be: path → (text now, text wanted)."""
    found = {}
    for name, page in pages.items():
        path = root / name
        now = path.read_text(encoding="utf-8") if path.exists() else ""
        wanted = page(now)
        if now != wanted:
            found[name] = (now, wanted)
    return found


def difference(name: str, now: str, wanted: str) -> str:
    """What is stale about a page, cut off where it gets long."""
    lines = list(islice(unified_diff(now.splitlines(), wanted.splitlines(), name, "generated", lineterm=""), SHOWN + 1))
    return "\n".join([*lines[:SHOWN], "…"] if len(lines) > SHOWN else lines)


def main(arguments: Sequence[str], pages: Mapping[str, Callable[[str], str]] = PAGES, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description="Rewrite the generated pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is stale")
    checking = parser.parse_args(arguments).check
    found = stale(pages, root)
    for name, (now, wanted) in found.items():
        if checking:
            sys.stdout.write(f"{difference(name, now, wanted)}\n")
        else:
            (root / name).write_text(wanted, encoding="utf-8")
            sys.stdout.write(f"wrote {name}\n")
    if checking and found:
        sys.stdout.write(f"stale: {', '.join(found)}; run `make docs`\n")
    return 1 if checking and found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
