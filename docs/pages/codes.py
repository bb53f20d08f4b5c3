"""``docs/codes.md``: the table of all codes."""

from __future__ import annotations

from petri_cli.data import names, read
from petri_cli.render.code_page import first_sentence

HEAD = """\
# Codes

What `petri` says about an input begins with a code. Codes are stable: a script may look for them. `petri explain CODE`
prints the page of a code, with an example that provokes it and the way out. This table is generated (`make docs`).

| code | |
|---|---|
"""


def codes_page() -> str:
    """A row a code: a link to its page, and the first sentence there."""
    rows = (
        f"| [`{code}`](codes/{code}.md) | {_cell(first_sentence(read('codes', code)))} |\n" for code in names("codes")
    )
    return HEAD + "".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
