"""Plan documents as written by hand: block and flow style mixed, comments, blank lines, quotes, any indentation.

Seeded: the same layout for the same seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any


def handwritten(document: dict[str, Any], rng: random.Random) -> bytes:
    """The document as the bytes of a YAML file; now and then with CRLF, a byte order mark or no last line break."""
    text = "\n".join(_Writer(rng).block(document, 0)) + "\n"
    if rng.random() < 0.2:
        text = text.removesuffix("\n")
    if rng.random() < 0.2:
        text = text.replace("\n", "\r\n")
    if rng.random() < 0.1:
        return text.encode("utf-8-sig")
    return text.encode("utf-16") if rng.random() < 0.05 else text.encode()


def handwritten_json(document: dict[str, Any], rng: random.Random) -> bytes:
    """The document as the bytes of a JSON file, on one line or indented, by tabs too."""
    text = json.dumps(document, indent=rng.choice([None, 1, 2, 4, "\t"]))
    if rng.random() < 0.3:
        text = text.replace("\n", "\r\n")
    return (text + rng.choice(["", "\n"])).encode()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.comments = 0

    def block(self, value: dict[str, Any], indent: int) -> Iterator[str]:
        """The lines of a map in block style."""
        pad = " " * indent
        for key, inner in value.items():
            yield from self.between(pad)
            yield from self.entry(f"{pad}{self.key(key)}:", inner, indent)

    def entry(self, head: str, value: Any, indent: int) -> Iterator[str]:
        rng = self.rng
        nested = isinstance(value, dict | list) and value
        if not nested or rng.random() < 0.2:
            yield f"{head} {self.flow(value)}{self.comment()}"
            return
        yield f"{head}{self.comment()}"
        step = rng.choice([1, 2, 2, 2, 4])
        if isinstance(value, dict):
            yield from self.block(value, indent + step)
            return
        dash = indent + (step if head.strip() == "-" or rng.random() < 0.6 else 0)
        for item in value:
            yield from self.between(" " * dash)
            yield from self.item(item, dash)

    def item(self, value: Any, dash: int) -> Iterator[str]:
        gap = self.rng.choice([1, 1, 1, 3])
        if not isinstance(value, dict) or not value or self.rng.random() < 0.25:
            yield f"{' ' * dash}- {self.flow(value)}{self.comment()}"
            return
        lines = list(self.block(value, dash + 1 + gap))
        first = next(k for k, line in enumerate(lines) if line.strip() and not line.strip().startswith("#"))
        yield from lines[:first]
        yield f"{' ' * dash}-{' ' * gap}{lines[first].lstrip()}"
        yield from lines[first + 1 :]

    def flow(self, value: Any) -> str:
        rng = self.rng
        if isinstance(value, dict):
            inside = ", ".join(f"{self.key(k)}: {self.flow(v)}" for k, v in value.items())
            return f"{{{inside}}}" if rng.random() < 0.8 else f"{{ {inside} }}"
        if isinstance(value, list):
            return f"[{', '.join(self.flow(v) for v in value)}]"
        if isinstance(value, str):
            return rng.choice([value, value, f'"{value}"', f"'{value}'"])
        return json.dumps(value)

    def key(self, name: str) -> str:
        return name if self.rng.random() < 0.9 else f'"{name}"'

    def comment(self) -> str:
        if self.rng.random() < 0.8:
            return ""
        self.comments += 1
        return f"{self.rng.choice([' ', '   '])}# é{self.comments}: {{x"

    def between(self, pad: str) -> Iterator[str]:
        if self.rng.random() < 0.1:
            yield ""
        if self.rng.random() < 0.1:
            self.comments += 1
            yield f"{pad}# line {self.comments}"
