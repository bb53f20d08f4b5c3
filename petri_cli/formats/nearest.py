"""The known word that a misspelt one probably means, or what words there are."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.document import fields


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint such as ``did you mean `lock`?``, or what there is when it is little; empty when neither helps."""
    words = tuple(dict.fromkeys(known))
    if near := fields.did_you_mean(word, words):
        return near
    return f"known: {', '.join(words)}" if 0 < len(words) <= 8 and sum(map(len, words)) <= 80 else ""
