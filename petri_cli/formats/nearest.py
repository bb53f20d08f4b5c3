"""The known word that a misspelt one probably means."""

from __future__ import annotations

from collections.abc import Iterable

MAX_KNOWN = 5_000
"""Comparing costs time for each known word; in a longer list the nearest one is not looked for."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint such as ``did you mean `lock`?``, or what there is when it is little; empty when neither helps."""
    words = list(dict.fromkeys(known))
    if not words or len(words) > MAX_KNOWN or len(word) > 200:
        return ""
    folded = {w.casefold(): w for w in words}
    if word.casefold() in folded:
        return f"did you mean `{folded[word.casefold()]}`?"
    from difflib import get_close_matches

    if near := get_close_matches(word, words, n=1, cutoff=0.6):
        return f"did you mean `{near[0]}`?"
    return f"known: {', '.join(words)}" if len(words) <= 8 and sum(map(len, words)) <= 80 else ""
