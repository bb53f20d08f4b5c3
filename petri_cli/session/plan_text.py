"""The text of a committed plan, which says what is run: its hash goes with it, so that a change of it is noticed."""

from __future__ import annotations

import hashlib


def plan_hash(text: str) -> str:
    """SHA-256 of a plan's text in UTF-8, as hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
