"""A page with a hand-written beginning and a generated rest."""

from __future__ import annotations

MARK = "<!-- Generated from here on by `make docs`; what is above is written by hand. -->"


def below_the_mark(now: str, generated: str) -> str:
    """The page ``now`` with everything below the mark replaced. Raises ValueError when there is no mark."""
    written, mark, _ = now.partition(f"{MARK}\n")
    if not mark:
        raise ValueError(f"the page has no line {MARK!r}")
    return f"{written}{MARK}\n\n{generated}"
