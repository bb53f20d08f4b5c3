"""The plan in an answer: the whole of it, or the one block of it that is fenced. Everything else is for the loader."""

from __future__ import annotations

import json
import re

from petri_cli.driver.commit import Document

_FENCED = re.compile(r"^```[ \t]*(json|ya?ml|)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)


def plan_in(text: str, name: str = "plan") -> Document | None:
    """The document that an answer holds, called ``name``; None where there is none, or more than one.

    It is only found here; whether it is a plan, and a sound one, is not asked.
    """
    blocks = [body for _, body in _FENCED.findall(text)]
    if len(blocks) > 1:
        return None
    body = blocks[0] if blocks else text
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return Document(body.strip() + "\n", f"{name}.yaml") if re.search(r"^flow:", body, re.MULTILINE) else None
    if isinstance(data, dict) and "flow" not in data and isinstance(data.get("plan"), dict):
        data = data["plan"]
    if not isinstance(data, dict):
        return None
    try:
        return Document(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n", f"{name}.json")
    except (ValueError, RecursionError):
        return None
