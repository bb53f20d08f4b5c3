"""What models are asked: files of the package, each known by its name and the beginning of its hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGE = "language"


@dataclass(frozen=True, slots=True)
class Prompt:
    """text: what the model is told first; version: ``repair@1f2e3d4c``, another one after every change of a word."""

    text: str
    version: str


@cache
def prompt(name: str, *, language: bool = True) -> Prompt:
    """A prompt of the package. language: with the lesson on plans behind it."""
    text = _read(name)
    if language:
        text = f"{text}\n{_read(LANGUAGE)}"
    return Prompt(text, f"{name}@{hashlib.sha256(text.encode()).hexdigest()[:8]}")


def _read(name: str) -> str:
    return (files("petri_cli.llm") / "texts" / f"{name}.md").read_text(encoding="utf-8")
