"""The plan in an answer: the whole of it, or the one block of it that is fenced. Everything else is for the loader."""

from __future__ import annotations

import json
import re

from petri_cli.driver.commit import Document
from petri_cli.session.payload import half_a_pair

_FENCE = re.compile(r"```[ \t]*(?:json|ya?ml)?[ \t]*")
"""A line of it begins a block, or ends it."""


def plan_in(text: str, name: str = "plan") -> Document | None:
    """The document that an answer holds, called ``name``; None where there is none, or more than one.

    It is only found here; whether it is a plan, and a sound one, is not asked.
    """
    blocks = _fenced(text)
    if len(blocks) > 1:
        return None
    body = blocks[0] if blocks else text
    if half_a_pair(body):
        return None
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return Document(body.strip() + "\n", f"{name}.yaml") if re.search(r"^flow:", body, re.MULTILINE) else None
    if isinstance(data, dict) and "flow" not in data and isinstance(data.get("plan"), dict):
        data = data["plan"]
    if not isinstance(data, dict):
        return None
    try:
        written = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (ValueError, RecursionError):
        return None
    return Document(written, f"{name}.json") if not half_a_pair(written) else None


def _fenced(text: str) -> list[str]:
    """What stands between two fences, line by line; a fence without another one behind it fences nothing."""
    blocks: list[str] = []
    block: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if _FENCE.fullmatch(line.rstrip("\r\n")):
            if block is None:
                block = []
            else:
                blocks.append("".join(block))
                block = None
        elif block is not None:
            block.append(line)
    return blocks
